#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A trace that cannot be written to its end stops neither the program nor the
# reader. A limit on the size of heddle's files, set once it has made its
# memory, stands for the full disk.

. "$(dirname "$0")/lib.sh"

cat > busy.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static int shared[1024]; /* read at the end, or nothing would be written */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
	for (int i = 0; i < 1000000; i++) {
		if (i % 100 == 0)
			pthread_mutex_lock(&lock);
		shared[rand() % 1024] = i;
		if (i % 100 == 99)
			pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	struct rlimit limit = { 100000, RLIM_INFINITY };
	pthread_t t[2];

	if (prlimit(getppid(), RLIMIT_FSIZE, &limit, NULL) < 0)
		return 77;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("finished %d\n", shared[rand() % 1024] >= 0);
	return 0;
}
END
build busy busy.c
run 2 "$HEDDLE" run --observe --all --trace cut -- ./busy
has out finished
has out 'missing:'
has err 'the program ran, but its trace is cut off'
has err 'cannot write trace cut'
[[ $(stat -c %s cut) -gt 1000 && $(stat -c %s cut) -le 100000 ]] ||
	fail "the trace has $(stat -c %s cut) bytes"
run 3 "$HEDDLE" show --fail-on none cut
has out 'has no end in this trace'
finish
