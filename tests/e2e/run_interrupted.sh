#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Signals to heddle reach the program, and what was recorded is kept; a heddle
# that is killed leaves a trace that can be read and no program.

. "$(dirname "$0")/lib.sh"

# Says that it is ready through a fifo, then waits for ever.
cat > waits.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int shared;
static void *touch(void *p) { shared++; return p; }
int main(void)
{
	pthread_t t;
	int fd;

	pthread_create(&t, 0, touch, 0);
	touch(0);
	pthread_join(t, 0);
	fd = open("ready", O_WRONLY);
	dprintf(fd, "%d\n", (int)getpid());
	for (;;)
		pause();
}
END
build waits waits.c
mkfifo ready

# start: heddle in the background; its pid in $tool, the program's in $child.
start() {
	timeout 60 "$HEDDLE" run --observe "$@" -- ./waits > out 2> err &
	limit=$!
	read -r child < ready || fail "the program did not start"
	tool=$(awk '{ print $4 }' "/proc/$child/stat")
	[[ $(cat "/proc/$tool/comm") == heddle ]] ||
		fail "the program's parent is not heddle"
}

# Waits, at most ten seconds, until a process is gone or a zombie.
gone() {
	for ((i = 0; i < 1000; i++)); do
		[[ $(awk '{ print $3 }' "/proc/$1/stat" 2> /dev/null) == [ZX] ||
			! -e /proc/$1 ]] && return
		read -rt 0.01 < /dev/zero
	done
	return 1
}

for signal in INT TERM HUP; do
	start
	kill -s "$signal" "$tool"
	wait "$limit"
	status=$?
	[[ $status -eq 3 ]] || fail "status $status after SIG$signal"
	has out "killed by SIG$signal"
	has out 'race on global shared'
	has out "told to stop by SIG$signal"
	[[ ! -e /proc/$child ]] || fail "the program survived SIG$signal"
done

start --trace cut-off
kill -s KILL "$tool"
wait "$limit" 2> /dev/null
gone "$child" || fail "the program survived its heddle"
run 3 "$HEDDLE" show --fail-on none cut-off
has out 'missing:'
finish
