#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Threads that wait by spinning get nowhere for ever only where that is certain:
# what they wait for comes in the end, or it is a livelock; a loop that counts
# runs into the limit; and a loop that the compiler left no access in is a hang.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

build waits "$programs/control_spin_waits.c"
build livelock "$programs/control_livelock.c"
run 0 "$HEDDLE" cc -g -O2 "$programs/control_hang.c" -o hang

for strategy in random pct pos surw round-robin; do
	run 0 "$HEDDLE" run --strategy $strategy -n 20 --seed 1 -- ./waits
	run 1 "$HEDDLE" run --strategy $strategy -n 5 --seed 1 -- ./livelock
	has out livelock
done
run 1 "$HEDDLE" run --strategy random -n 5 --seed 1 -- ./livelock alone
has out livelock

# Nobody can know that it goes on for ever.
run 3 "$HEDDLE" run --strategy pct -n 1 --seed 1 --max-points 20000 -- \
	./livelock count
has out 'limit reached: more points than allowed, and the last of them'
hasnt out broken

run 1 "$HEDDLE" run --strategy random -n 20 --seed 1 --hang 300ms -- ./hang
has out 'hang: loop without points in wait'

finish
