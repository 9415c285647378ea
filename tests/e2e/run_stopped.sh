#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An interrupted campaign keeps what it found: status 1 if something broke,
# else 3. Nothing of the program is left, not even when heddle itself is
# killed.

. "$(dirname "$0")/lib.sh"

# Every run tells that it is there, as far as somebody can still hear it.
cat > tells.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static volatile int shared;
static void *add(void *p) { shared++; return p; }
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_NONBLOCK);
	pthread_t a, b;

	if (write(fd, "x\n", 2) < 0)
		close(fd);
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	while (argc > 2 && argv[2][0] == 'h')
		__asm__ volatile("");
	return argc > 2 && shared != 2;
}
END
build tells tells.c
mkfifo ready
exec 3<> ready

# start COMMAND...: heddle in the background, its pid in $tool; returns when
# `runs` runs have begun.
start() {
	local runs=$1

	shift
	while read -rt 0 <&3; do
		read -r <&3
	done
	"$HEDDLE" run --strategy random --for 60s "$@" > out 2> err &
	tool=$!
	for ((i = 0; i < runs; i++)); do
		read -rt 30 <&3 && continue
		fail "no run began"
		break
	done
}

# Waits, at most ten seconds, until no process runs the program.
nobody_left() {
	local exe left

	for ((i = 0; i < 1000; i++)); do
		left=
		for exe in /proc/[0-9]*/exe; do
			[[ $(readlink "$exe" 2> /dev/null) == "$PWD/tells" ]] &&
				left=$exe
		done
		[[ $left ]] || return 0
		read -rt 0.01 < /dev/zero
	done
	fail "$left is left"
}

for signal in INT TERM HUP; do
	start 20 -- ./tells "$PWD/ready"
	kill -s "$signal" "$tool"
	wait "$tool"
	status=$?
	[[ $status -eq 3 ]] || fail "status $status after SIG$signal"
	grep -qE "^unknown: interrupted by SIG$signal after [1-9]" out ||
		fail "no word of SIG$signal: $(cat out)"
	nobody_left
done

start 200 --all-failures -- ./tells ready x
kill -s INT "$tool"
wait "$tool"
status=$?
[[ $status -eq 1 ]] || fail "status $status of a broken program"
has out 'broken: exit status 1'
has out 'broken: interrupted by SIGINT after'
has out 'see it again: heddle replay tells-1'
[[ -d .heddle/repros/tells-1 ]] || fail "the failure was not kept"

# A run that makes no progress does not hold up an interrupt.
start 1 --hang 60s -- ./tells ready hang
kill -s INT "$tool"
wait "$tool"
status=$?
[[ $status -eq 3 ]] || fail "status $status of a program that hangs"
nobody_left

start 20 --exec --input tells.c -- ./tells "$PWD/ready"
kill -s TERM "$tool"
wait "$tool"
nobody_left

start 20 -j 2 -- ./tells "$PWD/ready"
kill -s KILL "$tool"
wait "$tool" 2> /dev/null
nobody_left
finish
