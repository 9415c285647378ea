#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An interrupt ends heddle test, with the story so far, whatever it does at that
# moment; and no process is left.

. "$(dirname "$0")/lib.sh"

# A name that nothing else on this machine has, and more schedules than anybody
# can try.
name=held$$
cat > held.c <<'END'
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		count = (int)(count * 3U + (unsigned)i);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
build "$name" held.c

# Waits until the program was seen so often, and interrupts.
interrupt() {
	local heddle=$1 looks=$2 found=0

	while kill -0 "$heddle" 2> gone && [[ $found -lt $looks ]]; do
		pgrep -x "$name" > pids && found=$((found + 1))
	done
	kill -TERM "$heddle"
}

for looks in 1 10 30; do
	"$HEDDLE" test --budget 50s -- "./$name" > out 2> err < /dev/null &
	heddle=$!
	interrupt $heddle $looks
	status=0
	wait $heddle || status=$?
	[[ $status -eq 3 ]] || fail "status $status: $(cat err)"
	has out "unknown: nothing broke until SIGTERM"
	! pgrep -x "$name" > pids || fail "left behind: $(cat pids)"
done
finish
