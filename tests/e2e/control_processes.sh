#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Processes that a program under control starts: they run free, the report says
# so, their answers are found again where a plan had them, and none is left
# behind. A program that was built for heddle is an ordinary one there. One that
# replaces itself has ended for us.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

for program in children child_pipe shared_lock orphans starts_another exec \
	pipes; do
	build "$program" "$programs/control_$program.c"
done

note='note: the program started processes of its own, which ran free'
for strategy in random pct; do
	for program in children child_pipe shared_lock; do
		run 0 "$HEDDLE" run --strategy $strategy -n 20 -- "./$program"
		has out "$note"
	done
done
run 0 "$HEDDLE" run --strategy random -n 5 -- ./starts_another ./pipes
run 0 "$HEDDLE" run --exec --strategy random -n 5 -- \
	"$PWD/starts_another" "$PWD/pipes"

run 0 "$HEDDLE" run --strategy random -n 1 -j 1 -- ./orphans "$PWD/pids"
[[ -s pids ]] || fail "nobody was left behind"
while read -r pid; do
	kill -0 "$pid" 2> kill.err && fail "process $pid is still there"
done < pids

run 3 "$HEDDLE" run --strategy random -n 5 -- ./exec
has out 'unknown: uncontrolled block: the program replaced itself'

# A fork that libc does not know of is told like any other.
build raw "$programs/guest_fork_raw.c"
run 0 "$HEDDLE" run --strategy random -n 5 -- ./raw
has out "$note"

finish
