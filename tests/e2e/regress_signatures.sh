#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Where signatures come from, and how they are hunted for: what expose, explore
# and locate find is signed; a deadlock has its whole cycle; a partial fix is
# perturbed before it is controlled, and what broke replays exactly.

. "$(dirname "$0")/lib.sh"

command -v jq > /dev/null || exit 77
cp "$SOURCE/tests/e2e/till.c" .
run 0 "$HEDDLE" cc -g -O1 -pthread till.c -o till

# A signature of each that finds.
run 1 "$HEDDLE" expose --store exposed -- ./till
has exposed/repros/till-1/signature 'event write "pay"'
run 1 "$HEDDLE" explore --store explored -- ./till
has explored/repros/till-1/signature 'event write "pay"'

# What was located is a signature where there was none.
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./till
rm .heddle/repros/till-1/signature
run 1 "$HEDDLE" locate --for 20s till-1
has out 'confirmed'
has .heddle/repros/till-1/signature 'int before = cash;'
has .heddle/repros/till-1/signature 'cash = before + amount;'

# Perturbed first, then controlled; kept with a schedule.
sed -i 's/int before = cash;/int before;\n\tbefore = cash;/' till.c
run 0 "$HEDDLE" cc -g -O2 -pthread till.c -o till
run 1 "$HEDDLE" regress --json --store exposed till-1
jq -e '.results[0].iterations[0].kind == "perturb"' out > /dev/null ||
	fail "nothing was perturbed: $(cat out)"
jq -e '.results[0].verdict == "still broken: same bug"' out > /dev/null ||
	fail "another verdict: $(cat out)"
run 1 "$HEDDLE" replay --store exposed --times 5 till-2
has out 'reproduced 5 of 5'
run 1 "$HEDDLE" regress till-1
has out 'still broken: same bug'

# All three locks of the cycle.
cat > ring.c <<'END'
#include <pthread.h>
static pthread_mutex_t forks[3] = { PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static void *eat(void *arg)
{
	long n = (long)arg;
	pthread_mutex_lock(&forks[n]);
	pthread_mutex_lock(&forks[(n + 1) % 3]);
	pthread_mutex_unlock(&forks[(n + 1) % 3]);
	pthread_mutex_unlock(&forks[n]);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, eat, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
run 0 "$HEDDLE" cc -g -O1 -pthread ring.c -o ring
run 1 "$HEDDLE" run --strategy random -n 5000 -- ./ring
count=$(sed -n '2,/^signature/p' .heddle/repros/ring-1/signature |
	sed '1d' | grep -c '^event mutex-lock "eat".*"forks\[[012]\]"')
[[ $count -eq 3 ]] || fail "$count locks of the cycle: $(
	cat .heddle/repros/ring-1/signature)"
finish
