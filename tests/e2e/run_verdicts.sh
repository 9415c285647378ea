#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# How a program ends decides the exit status of the run, and so do findings,
# and show says the same afterwards.

. "$(dirname "$0")/lib.sh"

cat > ends.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int shared;
static void *touch(void *p) { shared++; return p; }
int main(int argc, char **argv)
{
	pthread_t t;
	int how = argc > 1 ? atoi(argv[1]) : 0;

	if (how == 1000) {
		pthread_create(&t, 0, touch, 0);
		touch(0);
		pthread_join(t, 0);
		return 0;
	}
	if (how == 2000)
		for (;;)
			pause();
	if (how > 128)
		raise(how - 128);
	return how;
}
END
build ends ends.c

# ends STATUS WORDS ARGUMENT...
ends() {
	local status=$1 words=$2

	shift 2
	run "$status" "$HEDDLE" run --observe -- ./ends "$@"
	has out "$words"
	run "$status" "$HEDDLE" show
	has out "$words"
}

ends 0 'held: the program exited with status 0; 0 races' 0
ends 1 'broken: the program exited with status 3' 3
ends 1 'killed by SIGABRT' $((128 + 6))
ends 1 'killed by SIGSEGV' $((128 + 11))
ends 3 'unknown: the program was killed by SIGTERM' $((128 + 15))
ends 0 'race on global shared' 1000
has .heddle/runs/ends-1/verdict 'held: exited with status 0'
has .heddle/runs/ends-3/verdict 'broken: was killed by SIGABRT'
has .heddle/runs/ends-6/command './ends 1000'

run 1 "$HEDDLE" show --fail-on any
has out 'race on global shared'
run 0 "$HEDDLE" show --fail-on cycle
run 1 "$HEDDLE" show --fail-on race
echo 'race: variable=*shared' > calm
run 0 "$HEDDLE" show --fail-on race --suppress calm
hasnt out 'race on'
has out 'suppressed'
refused 'calm:1' bash -c 'echo nonsense > calm; "$HEDDLE" show -s calm'

run 3 "$HEDDLE" run --observe --time 300ms -- ./ends 2000
has out 'killed by SIGKILL'
has out 'because its time of 0.3 s was up'
finish
