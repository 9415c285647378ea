#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A read whose value nobody uses is not asked about with --skip-unused-reads,
# and the statement says so; its twin, which does use the value, is explored in
# full with the switch as well, and its bug is found.

. "$(dirname "$0")/lib.sh"

cat > polls.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile int noise;
static _Atomic int level;
static int sum;
static void *writer(void *p)
{
	for (int i = 1; i < 4; i++) {
		noise = i;
		atomic_store(&level, i);
	}
	return p;
}
static void *poller(void *p)
{
	int seen = 0;

	for (int i = 0; i < 2; i++) {
#ifdef USED
		seen += noise == 2;
		seen += atomic_load(&level) == 1;
#else
		(void)noise;
		(void)atomic_load(&level);
#endif
	}
	sum = seen;
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, poller, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sum < 4);
	return 0;
}
END

# STATUS PROGRAM OPTION...: the number of schedules, all of them run.
schedules() {
	local status=$1 program=$2

	shift 2
	run "$status" "$HEDDLE" explore -j 1 --json --all-failures "$@" -- \
		"./$program"
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*'
}

build unused polls.c
build used polls.c -DUSED
all=$(schedules 0 unused)
some=$(schedules 0 unused --skip-unused-reads)
[[ $all -gt 1 && $some -eq 1 ]] ||
	fail "$all schedules, $some without unused reads"
run 0 "$HEDDLE" explore -j 1 --skip-unused-reads -- ./unused
grep -q 'left out: 4 reads whose value nobody uses' out ||
	fail "the statement does not tell what was left out"
[[ $(schedules 1 used) -eq $(schedules 1 used --skip-unused-reads) ]] ||
	fail "reads that are used were left out"
finish
