#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs that are longer than the model takes at once are asked about in windows:
# a bug behind the first of them is found, no schedule leads elsewhere, and what
# was left out is said.

. "$(dirname "$0")/lib.sh"

cat > late.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static volatile int sum, *volatile late = &(int){ 1 };
static int rounds, is_open;
static void *add(void *p)
{
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&come, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	if (p)
		late = NULL;
	else if (late)
		sum += *late;
	return p;
}
int main(int argc, char **argv)
{
	pthread_t a, b;

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	pthread_create(&a, NULL, add, &a);
	pthread_create(&b, NULL, add, NULL);
	pthread_mutex_lock(&lock);
	is_open = 1;
	pthread_cond_broadcast(&come);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum < rounds;
}
END
build late late.c
build random "$SOURCE/tests/programs/random_threads.c"

# The last accesses decide.
run 1 "$HEDDLE" explore --for 60s --window 40 -- ./late 20
has out "killed by SIGSEGV"

# Classes found through windows are a part of all, and each is run once.
run 0 "$HEDDLE" explore -j 1 --classes all -- ./random 18 3 5
for window in 30 20 10; do
	run 3 "$HEDDLE" explore -j 1 -n 300 --window "$window" --costs \
		--classes some -- ./random 18 3 5
	has out "events farther apart kept their order"
	has out " 0 diverged"
	hasnt out "budget spent"
	[[ -z $(comm -13 <(sort all) <(sort some)) ]] ||
		fail "window $window: classes that are none"
done
refused "--window wants a number" "$HEDDLE" explore --window 1 -- ./late
finish
