#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every source file is as clang-format would write it ("make format" does so).

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
find src include tests examples bench subjects \( -path bench/cache \
	-o -path bench/results \) -prune -o -name '*.[ch]' -print0 |
	xargs -0 clang-format-14 --dry-run -Werror 2>&1 |
	grep -E 'error|warning' | sed 's/: error: .*/: make format/' | sort -u
exit "$((PIPESTATUS[1] != 0))"
