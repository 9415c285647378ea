#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy has nothing to say about any file of the tool or the guest. It
# reads the flags off a configuration for clang, since gcc has some of its own,
# and looks at one function at a time: across functions it is often wrong, and
# takes minutes for that.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
cd "$SOURCE" || exit 2
cmake -S . -B "$BUILD/other/tidy" -G Ninja -DCMAKE_C_COMPILER=clang-14 \
	> /dev/null || exit 2
alone=(-Xclang -analyzer-config -Xclang ipa=none)
find src -name '*.c' -print0 |
	xargs -0 -P 2 -n 4 clang-tidy-14 -p "$BUILD/other/tidy" --quiet \
		"${alone[@]/#/--extra-arg=}" 2>&1 |
	grep -v 'warnings\? generated\.$'
exit "$((PIPESTATUS[1] != 0))"
