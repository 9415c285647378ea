#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Calls that wait for the world under control: pipes, sockets, poll and its
# like, streams, locks of files, message queues. Nobody waits in vain, a deadlock over pipes is
# one, and what only this process can bring about is in no way left to chance.

. "$(dirname "$0")/lib.sh"

programs=(pipes pipe_full tcp poll streams file_locks interrupted)

for program in "${programs[@]}" pipe_deadlock; do
	build "$program" "$SOURCE/tests/programs/control_$program.c"
done

for program in "${programs[@]}"; do
	for strategy in random pct pos; do
		run 0 "$HEDDLE" run --strategy $strategy -n 100 --seed 1 -- \
			"./$program"
		has out 'held: 100 schedules'
	done
	# The seed says nothing to this strategy, so all runs are one schedule;
	# a clock that goes by chance would be another matter.
	[[ $program == poll || $program == interrupted ]] && continue
	run 0 "$HEDDLE" run --strategy round-robin --points all -n 300 -- \
		"./$program"
	has out '300 schedules (1 distinct)'
done

# The name of a queue is everybody's, so there is one worker.
export QUEUE=$$
build queues "$SOURCE/tests/programs/control_queues.c" -lrt
for strategy in random pct pos; do
	run 0 "$HEDDLE" run --strategy $strategy -j 1 -n 100 --seed 1 -- ./queues
	has out 'held: 100 schedules'
done
run 1 "$HEDDLE" run --strategy random -n 1 -- ./queues empty
has out 'deadlock of 1 thread'

for strategy in random pct round-robin; do
	run 1 "$HEDDLE" run --strategy $strategy -n 10 -- ./pipe_deadlock
	has out 'deadlock of 2 threads'
	has out '1 schedule'
done
finish
