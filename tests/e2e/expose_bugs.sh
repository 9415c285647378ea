#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle expose finds a lost update, a use after free, a wrong order and a
# deadlock that free runs hardly show, keeps each as a failure that replays, and
# says of the programs' twins that nothing did harm.

. "$(dirname "$0")/lib.sh"

# exposed PROGRAM: it fails, and the failure comes again.
exposed() {
	run 1 "$HEDDLE" expose -b 30s --json -- "./$1"
	jq -e '.bugs | length > 0' out > /dev/null || fail "$1: no bug"
	jq -e '.bugs[0].exact' out > /dev/null || fail "$1: no schedule"
	jq -e '.bugs[0] | .replays > 0 and .reproduced == .replays' out \
		> /dev/null || fail "$1: does not come again"
	jq -e '.space.log10_ui <= .space.log10_all' out > /dev/null ||
		fail "$1: UI is larger than ALL"
	run 1 "$HEDDLE" replay --times 5 "$1-1"
	has out 'reproduced 5 of 5'
}

for name in lost_update free_early abba; do
	build "$name" "$SOURCE/tests/programs/bug_$name.c"
done
exposed lost_update
exposed free_early
exposed abba

build fixed "$SOURCE/tests/programs/bug_lost_update_fixed.c"
run 0 "$HEDDLE" expose -b 30s --explain -- ./fixed
has out 'keeps R out'
has out 'held: no candidate did harm'

# A wake-up that is lost because the other side signals without the mutex: it is
# told which, made to happen, and the twin has nothing of the kind.
build unlocked_broadcast "$SOURCE/tests/programs/bug_unlocked_broadcast.c"
exposed unlocked_broadcast
run 1 "$HEDDLE" expose -b 6s --all-failures --json -- ./unlocked_broadcast
jq -e '[.candidates[] | select(.kind == "wakeup" and .forced > 0 and
	.state == "bug")] | length > 0' out > /dev/null ||
	fail "no wake-up was lost: $(jq -c '[.candidates[] |
		{kind, state, runs, forced}]' out)"
build locked_broadcast "$SOURCE/tests/programs/bug_unlocked_broadcast_fixed.c"
run 0 "$HEDDLE" expose -b 2s --json -- ./locked_broadcast
jq -e '[.candidates[] | select(.kind == "wakeup")] == []' out > /dev/null ||
	fail 'a wake-up that cannot be lost'

# A failure that holding a free thread brings about, and no rule under control: a
# schedule is found all the same, and which strategy found it is told.
build far_ahead "$SOURCE/tests/programs/bug_far_ahead.c"
exposed far_ahead
run 1 "$HEDDLE" show far_ahead-1
has out 'found by:  surw'

# What is said of a bug.
run 1 "$HEDDLE" expose -b 30s -- ./lost_update
has out 'one thread'
has out 'see it again: heddle replay lost_update-1'

# Coverage, in a line, in numbers and drawn.
has out 'feasible interleavings ('
run 1 "$HEDDLE" expose -b 30s --json --plot plot.svg -- ./lost_update
jq -e '.feasible > 0 and (.coverage | length > 0) and
	(.coverage[-1].covered <= .feasible)' out > /dev/null ||
	fail 'no coverage'
has plot.svg '<svg '
has plot.svg '</svg>'

# The same two accesses, with a lock around them on one way and without on the
# other: only the other can be torn apart, and that is told.
build two_ways "$SOURCE/tests/programs/bug_two_ways.c"
run 1 "$HEDDLE" expose -b 30s --stacks --explain -- ./two_ways
has out 'pruned: mutex global lock keeps R out'
has out 'of total_add of careless of work'
run 1 "$HEDDLE" replay --times 5 two_ways-1
has out 'reproduced 5 of 5'

# The others are there to be compared with.
for method in stress pure sync race; do
	run 0 "$HEDDLE" expose --method "$method" -n 5 -- ./fixed
	has out 'held: nothing failed'
done
refused '--budget 0' "$HEDDLE" expose -b 0s -- ./fixed
refused 'nowhere' "$HEDDLE" expose -- ./nowhere
finish
