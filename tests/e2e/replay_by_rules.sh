#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that is kept by the rules of a perturbed run has no schedule to be
# compared with: it came again when the program failed as it had, and replay
# tells how often it did.

. "$(dirname "$0")/lib.sh"

"$HEDDLE" cc -g -o prog "$SOURCE/tests/programs/bug_lost_update.c"
run 1 "$HEDDLE" expose --method race -b 20s -- ./prog
has .heddle/repros/prog-1/plan 'force free '
hasnt .heddle/repros/prog-1/plan 'step '
run 1 "$HEDDLE" replay --times 20 prog-1
has out ' of 20'
hasnt out 'reproduced 0 of'
hasnt out 'the schedule was another'

finish
