#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What is told of a kept failure belongs to the schedule that is kept, after it
# was cut down, and in lines of the program.

. "$(dirname "$0")/lib.sh"

# Three threads that do the same come to the same failure in several ways; of
# the first schedules some fail in other threads once they are cut down.
"$HEDDLE" cc -g -O1 -o cache "$SOURCE/tests/programs/bug_revived.c" -pthread
for seed in 1 2 3 4; do
	run 1 "$HEDDLE" run --strategy random --seed "$seed" --store "s$seed" \
		-- ./cache
	run 1 "$HEDDLE" show --store "s$seed" cache-1
	has out "see it again: heddle replay --store s$seed cache-1"
	grep '^  thread \|^  the block \|^      [ab][ty] ' out > shown
	run 1 "$HEDDLE" replay --store "s$seed" cache-1
	grep '^  thread \|^  the block \|^      [ab][ty] ' out > replayed
	[[ -s shown ]] || fail "nothing is told with seed $seed"
	cmp -s shown replayed ||
		fail "shown is not what is replayed: $(diff shown replayed)"
done

# A lock of std::mutex is told where the program takes it.
"$HEDDLE" c++ -g -O2 -o pool "$SOURCE/tests/programs/bug_late_stop.cc" -pthread
run 1 "$HEDDLE" run --strategy pct -n 5000 -- ./pool
run 1 "$HEDDLE" show pool-1
has out 'lines of bug_late_stop.cc'
hasnt out 'gthr-default.h'

# What is printed to be typed can be typed.
"$HEDDLE" cc -g -o lost "$SOURCE/tests/programs/bug_lost_update.c" -pthread
run 1 "$HEDDLE" run --strategy random -n 5000 --store 'my store' -- ./lost 'a b'
has out "see it again: heddle replay --store 'my store' lost-1"
run 1 "$HEDDLE" show --store 'my store' lost-1
has out "command:   ./lost 'a b'"
has out "see it again: heddle replay --store 'my store' lost-1"
run 1 "$HEDDLE" show 'my store/repros/lost-1'
has out "see it again: heddle replay 'my store/repros/lost-1'"
run 1 "$HEDDLE" replay 'my store/repros/lost-1'

# What is asked for is heeded or refused.
run 1 "$HEDDLE" show --output shown 'my store/repros/lost-1'
[[ ! -s out ]] || fail "printed in spite of --output: $(cat out)"
has shown "command:   ./lost 'a b'"
for wish in --json --dump --text --interleavings; do
	refused 'is for runs and traces' \
		"$HEDDLE" show $wish --store 'my store' lost-1
done
run 0 "$HEDDLE" shrink --store 'my store' lost-1
run 0 "$HEDDLE" shrink --store 'my store' lost-1
has out 'none can be left out'
hasnt out 'instead of'
finish
