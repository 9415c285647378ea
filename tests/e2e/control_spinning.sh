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

# The program ends though one of its threads would count for ever.
build endless "$programs/control_endless.c"
for strategy in random pct pos surw round-robin; do
	for how in count alone; do
		run 0 "$HEDDLE" run --strategy $strategy -n 20 --seed 1 -- \
			./endless $how
	done
done

run 1 "$HEDDLE" run --strategy random -n 20 --seed 1 --hang 300ms -- ./hang
has out 'hang: loop without points in wait'

# Wherever the one who asks meets it: in the program, or in the guest for it.
cat > counts.c << 'EOF'
static volatile long own[16];
static void count(void)
{
	for (long i = 0;; i++)
		own[i % 16] = i;
}
int main(void)
{
	count();
	return 0;
}
EOF
run 0 "$HEDDLE" cc -g -O1 counts.c -o counts
run 1 "$HEDDLE" run --strategy random -n 2 -j 1 --seed 1 --all-failures \
	--hang 200ms -- ./counts
has out 'hang: loop without points in count (counts.c:'
has out 'first in run 1, in 2 of 2'

# No such loop is one that a timer of the program ends: work takes time.
build interrupted "$programs/runs_interrupted.c"
for strategy in random pct round-robin; do
	run 0 "$HEDDLE" run --strategy $strategy -n 6 -j 1 --seed 1 -- \
		./interrupted
done

# With a hook in every basic block such a loop gives way: it ends if it can, and
# is a livelock if not. (clang takes it that loops end, and has none here.)
rm -rf .heddle
run 0 "$HEDDLE" cc --blocks -g -O2 "$programs/control_hang.c" -o hang
run 1 "$HEDDLE" run --strategy random -n 20 --seed 1 -- ./hang
has out 'livelock of 1 thread'
hasnt out 'hang:'
run 1 "$HEDDLE" replay --times 5 hang-1
has out 'reproduced 5 of 5'

run 0 "$HEDDLE" cc -g -O2 "$programs/control_spin_unseen.c" -o unseen
run 1 "$HEDDLE" run --strategy random -n 20 --seed 1 --hang 300ms -- ./unseen
has out 'hang: loop without points in '
for compiler in gcc clang; do
	HEDDLE_CC=$compiler run 0 "$HEDDLE" cc --blocks -g -O2 \
		"$programs/control_spin_unseen.c" -o unseen
	for strategy in random pct round-robin; do
		run 0 "$HEDDLE" run --strategy $strategy -n 10 --seed 1 -- ./unseen
	done
done

finish
