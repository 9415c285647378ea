#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tree compiles without a warning with the other compilers too. Theirs do not
# depend on optimisation, which would take most of the time.

set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
for compiler in clang-14 clang-19; do
	other=$BUILD/other/$compiler
	cmake -S "$SOURCE" -B "$other" -G Ninja \
		-DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
		> /dev/null
	cmake --build "$other" -j 2 -- --quiet
done
