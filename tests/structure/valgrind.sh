#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tool under valgrind: no bad access and no leak in any unit test, nor when
# it observes a program. (The program itself is left alone.)

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
HEDDLE=${HEDDLE:-$BUILD/heddle}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

# 99 is valgrind's; any other status is left to the test that owns it.
check() {
	timeout 120 valgrind -q --leak-check=full --show-leak-kinds=definite \
		--errors-for-leak-kinds=definite --error-exitcode=99 \
		"$@" > out 2>&1
	[[ $? -ne 99 ]] && return
	echo "valgrind has something to say of $*:"
	cat out
	failed=1
}

failed=0
for test in "$BUILD"/tests/test_*; do
	check "$test"
done
"$HEDDLE" cc -o bank "$SOURCE/examples/bank.c" || exit 1
check "$HEDDLE" run --observe -- ./bank
check "$HEDDLE" run --observe --json -- ./bank
check "$HEDDLE" doctor
exit $failed
