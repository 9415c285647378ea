#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure found under control is kept once, and every replay of it is the same
# run: same verdict, same schedule. Shrinking leaves the fewest switches.

. "$(dirname "$0")/lib.sh"

for bug in lost_update abba; do
	"$HEDDLE" cc -g -o "$bug" "$SOURCE/tests/programs/bug_$bug.c" ||
		fail "cannot build $bug"
	run 1 "$HEDDLE" run --strategy random -n 5000 -- "./$bug"
	has out 'broken: '
	has out "heddle replay $bug-1"
	# The same failure again is not kept again.
	run 1 "$HEDDLE" run --strategy random -n 5000 --seed 77 -- "./$bug"
	run 1 "$HEDDLE" replay --times 100 "$bug-1"
	has out 'reproduced 100 of 100'
	cp -r ".heddle/repros/$bug-1" elsewhere
	run 1 "$HEDDLE" replay ./elsewhere
	rm -r elsewhere
done
run 0 "$HEDDLE" list
[[ $(wc -l < out) -eq 2 ]] || fail "not two failures: $(cat out)"
has out "lost_update-1  assertion \`balance == 60' failed"
has out 'abba-1         deadlock of 2 threads'

# main waits, one clerk is overtaken by the other between read and write, and
# both end: four switches, and no schedule with fewer can lose an update.
run 0 "$HEDDLE" shrink lost_update-1
has out 'lost_update-1: 4 switches'
run 1 "$HEDDLE" show lost_update-1
has out 'thread 1 (deposit)'
has out 'lines of bug_lost_update.c'
has out ':20 write'
run 1 "$HEDDLE" replay --times 20 lost_update-1
has out 'reproduced 20 of 20'
run 1 "$HEDDLE" show abba-1
has out 'waits for mutex b, held by thread 2'

# From elsewhere it is still the program that was run.
mkdir elsewhere
cd elsewhere || exit 2
run 1 "$HEDDLE" replay --times 3 --store ../.heddle lost_update-1
has out 'reproduced 3 of 3'
cd ..

# The same failure can print something else on its way: what is kept is what
# the shrunk schedule prints.
"$HEDDLE" cc -g -O1 -o two_ways "$SOURCE/tests/programs/bug_two_ways.c" ||
	fail "cannot build two_ways"
run 1 "$HEDDLE" run --strategy random -n 100 -j 1 -- ./two_ways
run 1 "$HEDDLE" replay --times 5 two_ways-1
has out 'reproduced 5 of 5'

run 0 "$HEDDLE" rm abba-1
run 2 "$HEDDLE" replay abba-1
has err 'there is no repro abba-1'
finish
