#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Call stacks are right after longjmp, after exceptions, after jumps out of
# handlers on either stack, and in a handler.

. "$(dirname "$0")/lib.sh"

# The functions of each stack of the report, innermost first, once each.
stacks() {
	awk '/^    #0 / { if (line) print line; line = $2; next }
	     /^    #/ { line = line " " $2; next }
	     { if (line) print line; line = "" }' summary | sort -u
}

check() {
	local way=$1 wanted=$2 got

	run 1 "$HEDDLE" run --observe --fail-on race --store store -o summary \
		-- ./jumps "$way"
	has out "as it should be"
	has summary "race on global shared"
	got=$(stacks)
	# shellcheck disable=SC2053
	[[ $got == $wanted ]] ||
		fail "$way with $compiler: stacks \"$got\", not \"$wanted\""
}

for compiler in gcc clang-14 clang-19; do
	command -v "$compiler" > /dev/null || continue
	HEDDLE_CC=$compiler timeout 60 "$HEDDLE" c++ -g -O1 -pthread -o jumps \
		"$SOURCE/tests/programs/stacks_after_jumps.cc" ||
		fail "cannot build with $compiler"
	check longjmp "use after_longjmp work"
	check exception "use after_exception work"
	check handler "use after_handler work"
	check alternate "use after_handler work"
	check inside "use handle *kill* work"
done
finish
