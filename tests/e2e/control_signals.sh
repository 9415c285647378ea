#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Signals, timers, cancellation and ends of threads under control: nothing is
# lost, nobody hangs, no verdict is false, whatever the strategy.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs
holding='handler kill_self sigwait interrupts masked_waits signal_last timers
	timer_files cancel long_calls'

for name in $holding outside; do
	build "$name" "$programs/control_$name.c"
done
run 0 "$HEDDLE" c++ -g -O1 -pthread "$programs/control_ends.cc" -o ends

for strategy in random pct pos surw round-robin; do
	for name in $holding ends; do
		run 0 "$HEDDLE" run --strategy $strategy -n 100 --seed 1 -- \
			./"$name"
	done
done
run 0 "$HEDDLE" run --strategy random -n 30 --seed 1 -- ./outside

# Default actions happen.
run 1 "$HEDDLE" run --strategy random -n 10 --seed 1 -- ./kill_self term
has out 'killed by SIGTERM in main (control_kill_self.c'

# A signal from outside comes again where it came, without its sender.
run 1 "$HEDDLE" run --strategy random -n 1000 --seed 1 -- ./outside broken
has out "assertion \`!busy' failed"
run 1 "$HEDDLE" replay --times 20 outside-1
has out 'reproduced 20 of 20'

finish
