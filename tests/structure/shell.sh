#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Scripts are read by shellcheck, which has no warning about any. Left out: words
# that look like keywords, names that sourced files set, and ls of our own names.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
{
	find cmake tests examples bench subjects -name '*.sh' \
		-not -path 'bench/cache/*'
	echo .ci/run
} | xargs shellcheck -x -S warning -e SC1010,SC2011,SC2154
