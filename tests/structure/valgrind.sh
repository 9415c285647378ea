#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tool under valgrind: no bad access and no leak in any unit test, nor when
# it observes a program. (The program itself is left alone.)

set -u
export SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export BUILD=${BUILD:-$SOURCE/build}
export HEDDLE_FEW_SEEDS=yes
HEDDLE=${HEDDLE:-$BUILD/heddle}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# check <expected status> <command>: 99 is valgrind's own.
check() {
	local expected=$1 status

	shift
	timeout -k 5 200 valgrind -q --leak-check=full \
		--show-leak-kinds=definite --errors-for-leak-kinds=definite \
		--error-exitcode=99 "$@" > "$scratch/out" 2>&1
	status=$?
	[[ $status -eq $expected ]] && return
	echo "status $status instead of $expected under valgrind: $*"
	cat "$scratch/out"
	failed=1
}

cd "$SOURCE/tests" || exit 2
for test in "$BUILD"/tests/test_*; do
	# About the guest, whose shadow and heap lie beyond what valgrind
	# allows; about Z3, which is not ours and would take minutes; and those
	# that try a great many cases, which ASan looks at.
	[[ $test == */test_filter* || $test == */test_heap* ||
		$test == */test_stepped_filter || $test == */test_pairs* ||
		$test == *_z3 || $test == */test_causal* ||
		$test == */test_forcing ]] ||
		check 0 "$test"
done

cd "$scratch" || exit 2
"$HEDDLE" cc -o bank "$SOURCE/tests/programs/bank_in_turns.c" || exit 1
check 1 "$HEDDLE" run --observe --fail-on race -- ./bank
check 0 "$HEDDLE" run --observe --json -- ./bank
check 2 "$HEDDLE" run --observe -- ./nowhere
check 0 "$HEDDLE" doctor
check 0 "$HEDDLE" help run
exit $failed
