#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that is kept by the rules of a perturbed run has no schedule to be
# compared with: it came again when the program failed as it had, and replay
# tells how often it did. Every other verb works with it, or says in a sentence
# why it does not.

. "$(dirname "$0")/lib.sh"

"$HEDDLE" cc -g -o prog "$SOURCE/tests/programs/bug_lost_update.c"

# What came by chance beside the rules may not come again: another search then.
for seed in 1 2 3 4 5; do
	rm -rf .heddle
	run 1 "$HEDDLE" expose --method race --seed $seed -b 20s -- ./prog
	"$HEDDLE" replay --times 20 prog-1 > out 2> err
	status=$?
	grep -q 'reproduced 0 of 20' out || break
done
[[ $status -eq 1 ]] || fail "status $status: $(cat out err)"
has out ' of 20'
hasnt out 'reproduced 0 of'
hasnt out 'the schedule was another'
has .heddle/repros/prog-1/plan 'force free '
hasnt .heddle/repros/prog-1/plan 'step '

run 0 "$HEDDLE" list
has out 'prog-1'
run 1 "$HEDDLE" show prog-1
has out 'kept by rules'
has out 'thread B  write deposit bug_lost_update.c:20, held until its turn'
cp .heddle/repros/prog-1/plan plan
refused 'prog-1 is kept by rules' "$HEDDLE" shrink prog-1
cmp plan .heddle/repros/prog-1/plan || fail "shrink has changed the plan"
run 2 "$HEDDLE" replay --gdb prog-1 < /dev/null
has err 'prog-1 is kept by rules'

# It comes at a rate, so that one try may hold.
again() {
	local words=$1

	shift
	for try in 1 2 3 4 5; do
		timeout 60 "$@" > out 2> err
		grep -qF "$words" out && return
	done
	fail "no '$words' in $try tries: $(cat out err)"
}
again 'the kept rules give the kept failure' "$HEDDLE" regress prog-1
again 'suspects are not tried out' "$HEDDLE" locate -n 8 prog-1
hasnt out 'experiment:'
run 0 "$HEDDLE" report --json prog-1
has out 'kept by rules'

finish
