#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs of the distribution that nobody rebuilt run under control too, at
# their synchronisation: compressors whose output must stay right in every
# schedule, and a server with a client from outside.

. "$(dirname "$0")/lib.sh"

seq 9000 > data

for command in "pigz -c -p 3 -b 32 data" "pbzip2 -c -p3 -b1 data" \
	"xz -c -T3 --block-size=20000 data"; do
	name=${command%% *}
	command -v "$name" > /dev/null || exit 77
	# What it writes must not depend on the schedule.
	$command > expected.packed
	for strategy in random pct; do
		# shellcheck disable=SC2086
		run 0 "$HEDDLE" run --strategy "$strategy" -n 15 \
			--expect expected.packed -- $command
		has out 'held: 15 schedules'
		hasnt out '(1 distinct)'
	done
done

# A program at fixed addresses that takes those of functions, as interpreters do:
# all modules know such a function by the program's stub for it.
cat > fixed.c << 'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *(*volatile allocate)(size_t);
static int (*volatile lock)(pthread_mutex_t *);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg)
{
	lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	free(arg);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	allocate = malloc;
	lock = pthread_mutex_lock;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, i ? malloc(8) : allocate(8));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(count == 2);
	return 0;
}
END
run 0 gcc -no-pie -fno-pic -Wl,-z,lazy -o fixed fixed.c -pthread
run 0 "$HEDDLE" run --strategy random -n 15 -- ./fixed
has out 'held: 15 schedules'
hasnt out '(1 distinct)'

command -v memcached > /dev/null || exit 77
socket=$PWD/cached
timeout 50 "$HEDDLE" run --strategy random -n 1 --hang 30s -- \
	memcached -A -u "$(id -un)" -s "$socket" -t 2 > served 2>&1 &
server=$!
python3 - "$socket" > answers << 'END' || fail "the client failed"
import socket, sys, time

client = socket.socket(socket.AF_UNIX)
client.settimeout(40)
for attempt in range(200):
    try:
        client.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.1)
client.sendall(b"set key 0 0 5\r\nvalue\r\nget key\r\n")
got = b""
while b"END" not in got:
    got += client.recv(4096)
print(got.decode())
client.sendall(b"shutdown\r\n")
END
wait "$server" || fail "memcached did not hold: $(cat served)"
has answers 'STORED'
has answers 'value'
has served 'held: 1 schedule'
finish
