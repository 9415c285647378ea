#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle explore --resume: a budget at a time comes to the same classes as all
# at once, without asking everything again; so does one that was killed, one of
# a program that was built anew meanwhile, and one that asks for more.

. "$(dirname "$0")/lib.sh"

build random "$SOURCE/tests/programs/random_threads.c"

# explored PROGRAM ARGUMENT...: all at once, its classes into the file wanted.
explored() {
	run 0 "$HEDDLE" explore -j 1 --store whole --classes wanted -- "$@"
	sort -o wanted wanted
}

# resumed OPTION...: status 0, and the classes are those.
resumed() {
	run 0 "$HEDDLE" explore --resume --json --classes got "$@"
	sort -o got got
	cmp -s wanted got || fail "$*: $(wc -l < got) classes instead of" \
		"$(wc -l < wanted)"
}

number() {
	grep -o "\"$1\": [0-9]*" out | grep -o '[0-9]*$'
}

# Slices, one and two runs at a time; the last one has nothing left to ask.
for seed in 2 16 20 32 37; do
	explored ./random "$seed" 3 4
	for jobs in 1 2; do
		rm -rf .heddle
		for slice in 2 5 9; do
			timeout 60 "$HEDDLE" explore --resume -j "$jobs" \
				-n "$slice" -- ./random "$seed" 3 4 > out 2>&1
			[[ $? -eq 0 || $? -eq 3 ]] || fail "slice: $(cat out)"
		done
		resumed -j "$jobs" -- ./random "$seed" 3 4
		resumed -j "$jobs" -- ./random "$seed" 3 4
		[[ $(number asked) -eq 0 ]] ||
			fail "seed $seed: asked again: $(number asked)"
	done
done

# Killed, when it has written its state once.
cat > many.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int sum;
static void *work(void *p)
{
	for (int i = 0; i < 9; i++)
		atomic_fetch_add(&sum, 1);
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
build many many.c
rm -rf .heddle
"$HEDDLE" explore --resume -j 1 -- ./many > /dev/null 2>&1 &
until [[ -e $(echo .heddle/explore-many-????????) ]]; do
	kill -0 $! 2> /dev/null || break
done
{ kill -KILL $! && wait $!; } 2> /dev/null
before=$(cat .heddle/explore-many-???????? | wc -l)
[[ $before -gt 2 ]] || fail "$before lines are left"
run 3 "$HEDDLE" explore --resume -j 1 -n 2 -- ./many
[[ $(cat .heddle/explore-many-???????? | wc -l) -ge $before ]] ||
	fail "a small budget lost runs that are known"

# Built anew: threads that do more.
cat > built.c <<'END'
#include <pthread.h>
static volatile int x, y;
static void *one(void *p) { x = 1; if (y == MORE) x = 2; return p; }
static void *two(void *p) { y = 1; if (x == MORE) y = 2; return p; }
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
rm -rf .heddle
build built built.c -DMORE=3
explored ./built
resumed -- ./built
build built built.c -DMORE=1
explored ./built
resumed -- ./built

# Deadlocks, for which nobody had asked before.
cat > locks.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER,
		       n = PTHREAD_MUTEX_INITIALIZER;
static void *take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}
static void *one(void *p) { (void)p; return take(&m, &n); }
static void *two(void *p) { (void)p; return take(&n, &m); }
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
build locks locks.c
run 0 "$HEDDLE" explore --resume --no-deadlocks -- ./locks
run 1 "$HEDDLE" explore --resume -- ./locks
has out "deadlock"

refused "--resume goes with --search mcm" "$HEDDLE" explore --resume \
	--search dfs -- ./locks
finish
