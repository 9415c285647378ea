#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Scripts are read by shellcheck, which has no warning about any.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
{
	find cmake tests examples bench -name '*.sh' -not -path 'bench/cache/*'
	echo .ci/run
} | xargs shellcheck -x -S warning
