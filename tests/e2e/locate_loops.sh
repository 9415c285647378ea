#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# One thread sets two numbers in each iteration of a loop, another reads both.
# Every run, passing or failing, has the same pairs of accesses between the same
# threads, two at a time as well; only those of one iteration, of which the
# program was built to tell, say what went wrong.

. "$(dirname "$0")/lib.sh"

cat > moved.c << 'END'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int low, high;
static int bottom, top;
static sem_t begun, looked;

static void *move(void *arg)
{
	for (int i = 1; i <= 4; i++) {
		if (i == 4)
			sem_wait(&looked);
		low = i;
		high = i;
		if (i == 2)
			sem_post(&begun);
	}
	return arg;
}

static void *look(void *arg)
{
	sem_wait(&begun);
	bottom = low;
	top = high;
	sem_post(&looked);
	return arg;
}

int main(void)
{
	pthread_t mover, looker;

	sem_init(&begun, 0, 0);
	sem_init(&looked, 0, 0);
	pthread_create(&mover, NULL, move, NULL);
	pthread_create(&looker, NULL, look, NULL);
	pthread_join(mover, NULL);
	pthread_join(looker, NULL);
	assert(bottom == top);
	return 0;
}
END

# COMPILER [OPTION]: what procedure III has at the levels of threads and loops:
# how many suspects, and the lines of the first.
look_for() {
	rm -rf .heddle
	HEDDLE_CC=$1 run 0 "$HEDDLE" cc ${2:+"$2"} -g -O1 -o moved moved.c \
		-pthread
	run 1 "$HEDDLE" run --strategy random -n 2000 -- ./moved
	for level in thread loop; do
		"$HEDDLE" locate --procedure 3 --level $level --no-experiments \
			--json moved-1 > out 2> err || [[ $? -eq 1 ]] ||
			fail "$(cat err)"
		jq -r '[.suspect_count, (.suspects[0].pairs // [] |
			map(.head.line, .tail.line) | unique[])] | @text' out
	done | xargs
}

for compiler in gcc clang-14; do
	got=$(look_for $compiler)
	[[ $got == '[0] [0]' ]] || fail "$compiler without loops: $got"
	got=$(look_for $compiler --loops)
	[[ $got == '[0] [1,14,15,25,26]' ]] || fail "$compiler: $got"
done
