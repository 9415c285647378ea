#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that is recorded waits while the tool does not read. That is no sleep
# where control does not reach: the run stays under control and has its verdict.

. "$(dirname "$0")/lib.sh"

cat > writes.c <<'END'
#include <pthread.h>
static volatile int words[1024];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2000; i++)
		for (int k = 0; k < 1024; k++)
			words[k * 7 % 1024] += i;
	pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
build writes writes.c

# Has a thread of this run gone to sleep eight times since this was first asked?
# Each is a tenth of a second in vain, and two looks of the watchdog.
declare -A slept
has_waited() {
	local file count rounds=0

	for file in /proc/"$1"/task/*/status; do
		count=$(awk '/^voluntary/ { print $2 }' "$file" 2> /dev/null)
		rounds=$((${count:-0} - ${slept[$file]:-${count:-0}}))
		[[ -n ${slept[$file]:-} ]] || slept[$file]=${count:-0}
		[[ $rounds -lt 8 ]] || return 0
	done
	return 1
}

# The youngest process below this one.
youngest() {
	local pid=$1 child

	while child=$(pgrep -P "$pid" | tail -n 1) && [[ -n $child ]]; do
		pid=$child
	done
	echo "$pid"
}

timeout 60 "$HEDDLE" run --strategy random --points sync -n 1 --fail-on race \
	-- ./writes > out 2> err &
limit=$!
until tool=$(pgrep -P "$limit"); do :; done
# Below it is its server, and below that the run, which has three threads by
# then; so may the tool itself.
run_pid=$tool
until [[ $run_pid != "$tool" && $(find /proc/"$run_pid"/task -maxdepth 1 \
	2> /dev/null | wc -l) -eq 4 ]]; do
	kill -0 "$limit" 2> /dev/null || break
	run_pid=$(youngest "$tool")
done
kill -STOP "$tool"
until has_waited "$run_pid"; do
	kill -0 "$run_pid" 2> /dev/null || break
done
kill -CONT "$tool"
wait "$limit" || fail "status $?: $(cat out err)"
has out "held"
hasnt out "control does not reach"
finish
