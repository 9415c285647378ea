#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that is kept by the rules of a perturbed run has no schedule to be
# compared with: it came again when the program failed as it had, and replay
# tells how often it did.

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

finish
