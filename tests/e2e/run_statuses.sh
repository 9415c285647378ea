#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The exit statuses of heddle run, one table for both of its ways: 0 nothing
# broke, 1 something broke, 2 heddle could not do its work, 3 unknown.

. "$(dirname "$0")/lib.sh"

# Ends as its first argument says, after two threads have met.
cat > ends.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turns;
static void *take(void *p)
{
	int most = p ? 100000 : 10;

	for (int i = 0; i < most; i++) {
		pthread_mutex_lock(&m);
		turns++;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "well";
	pthread_t t;

	pthread_create(&t, NULL, take, strcmp(how, "long") ? NULL : &t);
	take(NULL);
	pthread_join(t, NULL);
	if (!strcmp(how, "status"))
		return 7;
	assert(strcmp(how, "assertion"));
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "crash"))
		*(volatile int *)0 = 1;
	if (!strcmp(how, "killed"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "stuck"))
		for (;;)
			__asm__ volatile("");
	puts(how);
	return 0;
}
END
build ends ends.c
echo well > well
echo > file

# status | options | program and arguments | words on standard output or error
while IFS='|' read -r status options command words; do
	read -ra options <<< "$options"
	read -ra command <<< "$command"
	run "$status" "$HEDDLE" run "${options[@]}" -- "${command[@]}"
	read -r words <<< "$words"
	cat out err > both
	has both "$words"
	[[ $status -ne 2 || $(wc -l < err) -eq 1 ]] ||
		fail "not one sentence: $(cat err)"
done <<'END'
0 | --strategy random -n 50 | ./ends | held: 50 schedules
0 | --strategy pct -n 50 --depth 2 | ./ends well | pct, seed 1
0 | --strategy random --for 100ms | ./ends | held:
0 | --strategy random -n 20 | true | held: 20 schedules (1 distinct)
0 | --strategy random -n 20 --expect well | ./ends | held:
0 | --strategy random -n 50 --fail-on race | ./ends | held:
0 | --observe | ./ends | exited with status 0
1 | --strategy random -n 50 | ./ends status | broken: exit status 7
1 | --strategy random -n 50 | ./ends assertion | broken: assertion `strcmp(how, "assertion")' failed
1 | --strategy random -n 50 | ./ends abort | broken: abort
1 | --strategy random -n 50 | ./ends crash | broken: killed by SIGSEGV at address 0x0 in main (ends.c:36)
1 | --strategy random -n 50 --hang 300ms | ./ends stuck | broken: hang: loop without points in main
1 | --strategy random -n 20 --expect well | ./ends ill | wrong output: line 1 is `ill' instead of `well'
1 | --strategy random -n 20 --check false | ./ends | broken: check failed
1 | --observe | ./ends status | exited with status 7
2 | | ./ends | say how to run it: heddle run --observe
2 | --strategy rnadom | ./ends | did you mean random?
2 | --strategy nonsense | ./ends | --strategy wants one of random|pct|pos|surw|round-robin, not 'nonsense'
2 | --strategy follow | ./ends | --strategy wants one of
2 | --strategy random --observe | ./ends | two ways
2 | --strategy random --trace x | ./ends | --trace goes with --observe
2 | --strategy random --time 3s | ./ends | --time goes with --observe
2 | --observe --seed 4 | ./ends | --seed goes with --strategy
2 | --observe --input file | ./ends | --input goes with --strategy
2 | --strategy random --depth 0 | ./ends | --depth wants a number from 1
2 | --strategy random -j 100000 | ./ends | --jobs wants a number up to
2 | --strategy random --max-points 0 | ./ends | --max-points wants
2 | --strategy random --fail-on cycle | ./ends | --fail-on wants race or none
2 | --strategy random --points some | ./ends | --points wants one of all|shared|sync
2 | --strategy random --expect no/such/file | ./ends | --expect: cannot open no/such/file
2 | --strategy random --check no-such-check | ./ends | --check: cannot run no-such-check
2 | --strategy random --check file | ./ends | --check: cannot run file
2 | --strategy random --input no/such/input | ./ends | --input: cannot read no/such/input
2 | --strategy random --store file/store | ./ends status | file/store
2 | --strategy random --output no/such/place | ./ends | no/such/place
2 | --strategy random | ./no-such-program | cannot run ./no-such-program
2 | --strategy random | ./file | not executable
3 | --strategy random -n 5 --max-points 1000 | ./ends long | unknown: limit reached
3 | --strategy random -n 5 | ./ends killed | unknown: killed from outside
3 | --observe | ./ends killed | was killed by SIGKILL
END
finish
