#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Time and chance under control: clocks, sleeping, random numbers and ids are
# the same in every run, sleeping takes no time, and a deadlock beside a
# housekeeping thread that sleeps is found.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

# holds STRATEGY PROGRAM ARGUMENT...
holds() {
	local strategy=$1

	shift
	run 0 "$HEDDLE" run --strategy "$strategy" -n 100 --seed 1 -- "$@"
}

# breaks WORDS STRATEGY PROGRAM ARGUMENT...
breaks() {
	local words=$1 strategy=$2

	shift 2
	run 1 "$HEDDLE" run --strategy "$strategy" -n 100 --seed 1 -- "$@"
	has out "$words"
}

build clocks "$programs/control_clocks.c"
build patient "$programs/control_patient_sleeper.c"
build deadlock "$programs/control_deadlock_beside_sleeper.c"
run 0 "$HEDDLE" c++ -g -O1 "$programs/control_chance.cc" -o chance

for strategy in random pct pos; do
	holds "$strategy" ./clocks
	holds "$strategy" ./patient
	holds "$strategy" ./chance
	for what in locks wakeup join; do
		breaks deadlock "$strategy" ./deadlock $what
	done
done
breaks deadlock random ./deadlock wakeup count

# The numbers are the same whatever the seed.
for seed in 1 2 3; do
	run 0 "$HEDDLE" run --strategy random -n 10 --seed $seed -- \
		./chance "$scratch/sums"
done
[[ $(wc -l < sums) -ge 30 ]] || fail "not every run wrote its sum"
[[ $(sort -u sums | wc -l) -eq 1 ]] ||
	fail "chance is not the same in every run"

# Not so what the kernel tells of processes, and names that are only asked for:
# a note tells.
hasnt out 'from run to run'
cat > differs.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char name[] = "/tmp/XXXXXX";
	FILE *f = fopen("/proc/self/maps", "r");

	if (argc > 1 && strcmp(argv[1], "proc") == 0)
		f = fopen("/proc/self/stat", "r");
	else if (argc > 1)
		mktemp(name);
	return !f;
}
EOF
build differs differs.c -w
run 0 "$HEDDLE" run --strategy random -n 1 -- ./differs
hasnt out 'from run to run'
run 0 "$HEDDLE" run --strategy random -n 1 -- ./differs proc
has out '(/proc), which differs from run to run'
run 0 "$HEDDLE" run --strategy random -n 1 -- ./differs names
has out '(mktemp, tmpnam), which differ from run to run'

# So is who a thread is, and where its stack, when threads end and are born.
build identities "$programs/control_identities.c"
holds random ./identities
run 0 "$HEDDLE" run --strategy round-robin --points all -n 50 -- \
	./identities "$scratch/identities.txt"
[[ $(wc -l < identities.txt) -ge 50 ]] || fail "not every run wrote them"
[[ $(sort -u identities.txt | wc -l) -eq 1 ]] ||
	fail "threads are not the same in every run"

# How large a stack is the program may say at any time.
build usual_stack "$programs/control_usual_stack.c"
run 0 "$HEDDLE" run --strategy random -n 3 -- ./usual_stack

# So is the processor's own counter, for one seed.
build counter "$programs/control_counter.c"
holds random ./counter
hasnt out rdtsc
for how in "" --exec; do
	for _ in 1 2; do
		# shellcheck disable=SC2086
		run 0 "$HEDDLE" run $how --strategy random -n 1 --seed 5 -- \
			./counter "$scratch/counts"
	done
done
[[ $(wc -l < counts) -ge 4 ]] || fail "not every run wrote what it read"
[[ $(sort -u counts | wc -l) -eq 1 ]] ||
	fail "the counter is not the same: $(cat counts)"

finish
