#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A program that was built anew follows the plan as long as it fits: places are
# found again by function and line, whatever moved them. Where they are gone,
# the run diverges and says where.

. "$(dirname "$0")/lib.sh"

# prog.c has changed.
again() {
	"$HEDDLE" cc -g "$@" -o prog prog.c || fail "cannot build: $*"
	run 1 "$HEDDLE" replay --times 20 prog-1
	has out 'reproduced 20 of 20'
	has out 'the program was built anew since'
	hasnt out ' no place in it'
}

# FLAGS...: a failure of prog.c, and it again in changed forms of prog.c.
check() {
	local how=$*

	cp "$SOURCE/tests/programs/bug_lost_update.c" prog.c
	"$HEDDLE" cc -g "$@" -o prog prog.c || fail "cannot build: $how"
	rm -rf .heddle
	run 1 "$HEDDLE" run --strategy random -n 5000 -- ./prog
	cp -r .heddle/repros/prog-1 good

	# A line says something else, where it was.
	sed -i 's/seen + 10;/seen + 9 + 1;/' prog.c
	again "$@"

	# Above, within and below: every address and line is another.
	cp "$SOURCE/tests/programs/bug_lost_update.c" prog.c
	sed -i 's/^static int balance;/int other(int a) { return a ? 3 : 7; }\n&/
		s/^.*int seen = balance;/\t\tint one = 1;\n\n\t\tentries -= !one;\n&/
		s/^int main/int third(int a) { return a * a; }\n&/' prog.c
	again "$@"

	# Shrinking makes it a failure of the new build.
	run 0 "$HEDDLE" shrink prog-1
	run 1 "$HEDDLE" replay --times 3 prog-1
	has out 'reproduced 3 of 3'
	hasnt out 'built anew'

	# Found again in a newer build, it is kept again: what is kept may not
	# fit that. What is kept of this build is known.
	sed -i 's/^int main/int fourth(int a) { return a + a; }\n&/' prog.c
	"$HEDDLE" cc -g "$@" -o prog prog.c || fail "cannot build: $how"
	for _ in 1 2; do
		run 1 "$HEDDLE" run --strategy random -n 5000 -- ./prog
		has out 'heddle replay prog-2'
	done
	run 1 "$HEDDLE" replay --times 3 prog-2
	has out 'reproduced 3 of 3'
	hasnt out 'built anew'

	# One place is gone: the plan is followed up to there.
	rm -rf .heddle/repros/prog-1
	mv good .heddle/repros/prog-1
	sed -i 's/^.*balance = seen.*$//
		s/seen = balance;/seen = __sync_fetch_and_add(\&balance, 10);/
		s/entries++;/entries += seen >= 0;/' prog.c
	"$HEDDLE" cc -g "$@" -o prog prog.c || fail "cannot build: $how"
	run 3 "$HEDDLE" replay prog-1
	has out 'unknown: diverged at step '
	has out ' in deposit prog.c:'
	has out ', saw thread '
	grep -qE '; (1 of .* has|([2-9]|[0-9]{2,}) of .* have) no place' \
		out || fail "lost steps: $(cat out)"
}

check -O0
check -O2
finish
