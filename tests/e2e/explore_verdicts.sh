#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle explore says broken, complete, or what is left, and what it says has a
# status. A failure is kept and comes back. A program that does something else
# on the same schedule is named and not explored.

. "$(dirname "$0")/lib.sh"

build lost "$SOURCE/tests/programs/bug_lost_update.c"
build found "$SOURCE/tests/programs/bug_lost_update_fixed.c"
build random "$SOURCE/tests/programs/random_threads.c"
cat > erratic.c <<'END'
#include <pthread.h>
static volatile unsigned long who;
static unsigned long chance(void)
{
	unsigned long n = 0;
	long rc = 318; /* getrandom, which nobody sees */

	__asm__ volatile("syscall" : "+a"(rc) : "D"(&n), "S"(8), "d"(0)
			 : "rcx", "r11", "memory");
	return n;
}
static void *first(void *p) { who = chance(); return p; }
static void *second(void *p) { if (who) who++; return p; }
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
build erratic erratic.c
cat > unjoined.c <<'END'
#include <pthread.h>
#include <sched.h>
static pthread_barrier_t both;
static volatile int sum;
static void *add(void *p) { pthread_barrier_wait(&both); sum = 1; return p; }
int main(void)
{
	pthread_t a;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, add, NULL);
	pthread_detach(a);
	pthread_barrier_wait(&both);
	return !sum;
}
END
build unjoined unjoined.c

cat > waits.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int first, second, who;
static void *one(void *p) { atomic_store(&first, 1); return p; }
static void *two(void *p) { atomic_store(&second, 1); return p; }
static void *await(void *p)
{
	for (;;) {
		if (atomic_load(&first))
			return p;
		if (atomic_load(&second))
			break;
	}
	atomic_store(&who, 2);
	return p;
}
int main(void)
{
	void *(*all[])(void *) = { one, two, await };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
build waits waits.c

# What every search says.
for search in mcm dfs chess dpor; do
	run 1 "$HEDDLE" explore --search "$search" -- ./lost
	has out "broken: "
	has out "stopped at this failure"
	run 1 "$HEDDLE" replay lost-1
	has out "broken: "
	run 0 "$HEDDLE" explore --search "$search" -- ./found
	has out "held: complete: "
done
run 0 "$HEDDLE" explore --solver z3 -- ./found
has out "held: complete: "
has out "holds for: sequential consistency, code with hooks"

# What is read behind the end of a thread that nobody joined may come before.
run 1 "$HEDDLE" explore -- ./unjoined
has out "exit status 1"

# Threads go on until the process ends, and that comes last: not before what
# they still do, but before what comes to no end.
build late "$SOURCE/tests/programs/bug_not_joined.c"
build joined "$SOURCE/tests/programs/bug_not_joined_fixed.c"
build endless "$SOURCE/tests/programs/control_endless.c"
for search in mcm dpor dfs chess; do
	run 1 "$HEDDLE" explore --search "$search" -- ./late
	has out "assertion \`!atomic_load(&is_closed)' failed"
	run 0 "$HEDDLE" explore --search "$search" -- ./joined
	has out "held: complete: "
done
for search in mcm dpor; do
	for how in spin sleep wait; do
		run 0 "$HEDDLE" explore --search "$search" -- ./endless "$how"
		has out "held: complete: "
	done
	run 3 "$HEDDLE" explore --search "$search" -n 20 --max-points 5000 \
		-- ./endless count
	has out "threads that come to no end were cut off"
	run 3 "$HEDDLE" explore --search "$search" -- ./endless alone
	has out "threads that come to no end were cut off"
done

# A budget.
run 3 "$HEDDLE" explore --search dfs -n 3 -- ./random 10 2 6
has out "unknown: budget spent"
run 3 "$HEDDLE" explore --search dfs --for 1ms -- ./random 10 2 6
has out "unknown: budget spent"

# However often a thread looks while it waits, there is an end.
run 0 "$HEDDLE" explore -n 500 -- ./waits
has out "held: complete: "

# Initialisers that several threads come to, and a mutex that one thread takes
# and another lets go.
build handed "$SOURCE/tests/programs/control_handed_mutex.c"
for search in mcm dfs dpor; do
	run 0 "$HEDDLE" explore --search "$search" -- ./handed
	has out "held: complete: "
done

# A long run has many branches; they share what they have in common, so that
# two schedules of 100,000 points need no gigabyte.
cat > long.c <<'END'
#include <pthread.h>
static volatile int words[1000];
static void *work(void *p)
{
	for (int i = 0; i < 50; i++)
		for (int k = 0; k < 1000; k++)
			words[k] = i;
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
build long long.c
(
	ulimit -d 1000000
	for search in dfs chess; do
		run 3 "$HEDDLE" explore --search "$search" -n 2 -- ./long
		has out "unknown: budget spent"
	done
	exit "$failed"
) || failed=1

# For programs.
run 1 "$HEDDLE" explore --json --all-failures -- ./lost
has out '"format": "heddle-explore"'
has out '"complete": true'
has out '"kind": "assertion"'

# Not under control.
run 3 "$HEDDLE" explore -- ./erratic
has out "something in the program is not under control"
has out "erratic.c:13"

# A flag is set by an instruction without a hook, so the model does not know when.
# Schedules that do not lead where they should are counted and told, each.
cat > hidden.c <<'END'
#include <pthread.h>
static volatile int flag, x, y;
static void *one(void *p)
{
	x = 1;
	__asm__ volatile("movl $1, %0" : "=m"(*(int *)&flag));
	x = 2;
	return p;
}
static void *two(void *p)
{
	if (flag)
		y = x;
	else if (x == 1)
		y = 3;
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return y == 7;
}
END
build hidden hidden.c
run 3 "$HEDDLE" explore -j 1 -- ./hidden
has out "unknown: not complete"
count=$(grep -o 'because: [0-9]* schedules did not lead' out | grep -o '[0-9]*')
[[ ${count:-0} -ge 2 ]] || fail "nothing diverged: $(cat out)"
[[ $(grep -c '  diverged: schedule [0-9]*, at hidden.c:12' out) -eq \
	${count:-0} ]] || fail "not all are told: $(cat out)"
run 3 "$HEDDLE" explore -j 1 --json -- ./hidden
has out '"place": "hidden.c:1'

# Values: a page is gone right after it was written to; what an instruction
# without a hook wrote is noticed by whoever reads it, and then nothing is
# complete.
cat > values.c <<'END'
#include <pthread.h>
#include <sys/mman.h>
static volatile int word;
static void *work(void *arg)
{
	int *page = mmap(0, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page[0] = 1;
	munmap(page, 4096);
	word = 3;
	arg = word == 7 ? 0 : arg;
	SET;
	return word == 5 ? 0 : arg;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return word == 2;
}
END
run 0 "$HEDDLE" cc -g -O1 -pthread '-DSET=word = 1' values.c -o values
run 0 "$HEDDLE" explore -- ./values
has out "held: complete"
run 0 "$HEDDLE" cc -g -O1 -pthread \
	'-DSET=__asm__ volatile("movl $1, %0" : "+m"(word))' values.c -o values
run 3 "$HEDDLE" explore -- ./values
has out "memory was changed by code without hooks"

refused "--bound wants a number up to 64" "$HEDDLE" explore --bound 65 -- ./lost
refused "nothing" "$HEDDLE" explore -- ./nothing
finish
