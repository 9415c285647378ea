#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A kept failure in gdb: it stops where it fails, with the schedule in force,
# and goes from switch to switch in both directions.

. "$(dirname "$0")/lib.sh"
command -v gdb > /dev/null || exit 77

"$HEDDLE" cc -g -o lost "$SOURCE/tests/programs/bug_lost_update.c"
run 1 "$HEDDLE" run --strategy random -n 5000 -- ./lost
run 0 "$HEDDLE" shrink lost-1

gdb_session() {
	printf '%s\n' "$@" quit > commands
	timeout 60 "$HEDDLE" replay --gdb "$name" < commands > out 2> err
	[[ $? -eq 1 ]] || fail "gdb session ended otherwise: $(tail -n 3 err)"
}

name=lost-1
gdb_session 'print balance' 'print entries' 'heddle prev' 'heddle prev' \
	'heddle prev' 'print seen % 10' 'heddle threads' 'heddle next' \
	'print balance'
has out 'SIGABRT'
# gdb counts the thread by which libc was prepared, too.
has out 'heddle: step 4 of 4, thread 0 (gdb'\''s 1)'
hasnt out '$1 = 60' # an update is lost
has out '$2 = 6'
has out 'heddle: step 2 of 4, thread 1 (gdb'\''s 3)'
has out '$3 = 0'
has out '* thread 1 (gdb'\''s 3) in deposit'
has out '  thread 0 (gdb'\''s 1) in main'
has out 'heddle: step 3 of 4, thread 2 (gdb'\''s 4)'

"$HEDDLE" cc -g -o abba "$SOURCE/tests/programs/bug_abba.c"
run 1 "$HEDDLE" run --strategy random -- ./abba
name=abba-1
gdb_session 'heddle threads' 'print a.__data.__lock' 'print b.__data.__lock'
has out 'SIGTRAP'
has out 'in both (bug_abba.c'
[[ $(grep -c 'thread [12] (.*) in both' out) -ge 2 ]] ||
	fail "not both threads are in both: $(cat out)"

# At the ends there is no switch to go to, and the debugger says so.
gdb_session 'heddle next' 'heddle threads' 'heddle prev' 'heddle prev' \
	'heddle prev' 'heddle prev' 'heddle prev' 'heddle threads'
has err 'there is no switch after this one'
has err 'there is no switch before this one'
hasnt out 'exited normally'
has out 'heddle: step 1 of '
[[ $(grep -c '\* thread 0 .*in main (bug_abba.c' out) -ge 1 ]] ||
	fail "it does not stand at its first switch: $(cat out)"

# Of C++ the user's own lines are shown, not those of headers and libraries.
cat > cache.cc <<'END'
#include <mutex>
#include <thread>

struct cell {
	std::mutex lock;
	int value = 0;
};

static void move_to(cell &from, cell &to)
{
	std::lock_guard<std::mutex> first(from.lock);
	std::lock_guard<std::mutex> second(to.lock);
	to.value += from.value;
}

int main()
{
	cell a, b;
	std::thread one([&] { move_to(a, b); });
	std::thread other([&] { move_to(b, a); });
	one.join();
	other.join();
}
END
"$HEDDLE" c++ -g -O1 -pthread -o cache cache.cc
run 1 "$HEDDLE" run --strategy random -- ./cache
has out 'taken in move_to (cache.cc:11)'
hasnt out 'gthr-default.h'
name=cache-1
gdb_session 'heddle threads' 'heddle prev' 'heddle prev' 'heddle next' \
	'heddle next' 'heddle next' 'heddle next'
[[ $(grep -c 'thread [12] (.*) in move_to (cache.cc:12)' out) -eq 2 ]] ||
	fail "not both threads are in move_to: $(cat out)"
has out ' in main (cache.cc:21)'
has err 'there is no switch after this one'

# What was run in a directory of its own is so in the debugger, with its files.
cat > reads.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int sum;
static void *add(void *p)
{
	FILE *f = fopen("number", "r");
	int n = 0;

	assert(f && fscanf(f, "%d", &n) == 1);
	fclose(f);
	sum += n;
	return p;
}
int main(void)
{
	pthread_t t[2];
	FILE *f;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	f = fopen("left", "w");
	fclose(f);
	assert(sum == 10);
	return 0;
}
END
build reads reads.c
mkdir files
echo 5 > files/number
run 1 "$HEDDLE" run --strategy random --exec --input files/number -- ./reads
name=reads-1
gdb_session 'print sum'
has out '$1 = 5'
[[ ! -e left ]] || fail "the run in the debugger was in the user's directory"
finish
