#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A campaign is the same campaign with any number of workers: same first
# failure, same failures, each kept once. What a failure says can be read, and
# what the program prints is shown where somebody wants to see it.

. "$(dirname "$0")/lib.sh"

# Breaks in two ways, each in some schedules only.
cat > twice.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int count, order;
static void *first(void *p) { count++; order = order * 10 + 1; return p; }
static void *second(void *p) { count++; order = order * 10 + 2; return p; }
int main(void)
{
	pthread_t a, b;

	puts("begins");
	fflush(stdout);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	assert(order == 12 || order == 21);
	puts("ends");
	return 0;
}
END
build twice twice.c
cat > one.c <<'END'
#include <stdio.h>
int main(void)
{
	puts("to stdout");
	fputs("to stderr\n", stderr);
	return 0;
}
END
build one one.c

# campaign NAME OPTION...: JSON without what may differ from time to time.
campaign() {
	local name=$1

	shift
	run 1 "$HEDDLE" run --strategy random --json "$@" -- ./twice
	grep -vE '"(seconds|distinct)"' out > "$name"
}

campaign first-1 -n 3000 -j 1 --seed 77
campaign first-2 -n 3000 -j 2 --seed 77
campaign first-5 -n 3000 -j 5 --seed 77
cmp first-1 first-2 || fail "-j 2 finds another first failure than -j 1"
cmp first-1 first-5 || fail "-j 5 finds another first failure than -j 1"
[[ $(grep -c '"kind"' first-1) -eq 1 ]] || fail "not one first failure"

campaign all-1 -n 1000 -j 1 --all-failures
campaign all-2 -n 1000 -j 2 --all-failures
cmp all-1 all-2 || fail "-j 2 finds other failures than -j 1"
has all-1 '"runs": 1000'
[[ $(grep -c '"kind": "assertion"' all-1) -eq 2 ]] ||
	fail "not two failures: $(cat all-1)"
has all-1 "count == 2"
has all-1 "order == 12 || order == 21"
[[ $(find .heddle/repros -mindepth 1 -maxdepth 1 | wc -l) -eq 2 ]] ||
	fail "not two repros: $(ls .heddle/repros)"

# A first failure: what it printed, where it stood, what to do next.
run 1 "$HEDDLE" run --strategy random -- ./twice
has out 'thread 0 (main)'
has out 'at main (twice.c:1'
has out '  | begins'
hasnt out '  | ends'
tail -n 1 out | grep -qE '^see it again: heddle replay twice-[12]$' ||
	fail "no next step: $(tail -n 1 out)"
tail -n 2 out | grep -qE '^broken: assertion .* s, [0-9]+ schedules?$' ||
	fail "no verdict: $(tail -n 2 out)"
[[ ! -s err ]] || fail "words on standard error: $(cat err)"
run 1 "$HEDDLE" run --strategy random --store elsewhere -- ./twice
has out 'see it again: heddle replay --store elsewhere twice-1'
run 1 "$HEDDLE" run --strategy random --output report -- ./twice
[[ ! -s out ]] || fail "output beside --output: $(cat out)"
has report 'see it again'

# Every strategy ends and says its name.
for strategy in random pct pos surw; do
	run 1 "$HEDDLE" run --strategy "$strategy" -n 400 --all-failures \
		-- ./twice
	has out "schedules ("
	has out "$strategy, seed 1"
done
# In turn, and hence always the same after the runs that learn.
run 0 "$HEDDLE" run --strategy round-robin -n 400 -- ./one
has out 'held: 400 schedules (1 distinct), round-robin, seed 1'

# Once: as without us, and nothing is left of it.
run 0 "$HEDDLE" run --strategy random -n 1 -- ./one
has out 'to stdout'
has out 'held: 1 schedule '
has err 'to stderr'
hasnt err 'to stdout'
rm -rf .heddle
run 0 "$HEDDLE" run --strategy random -n 100 -- ./one
hasnt out 'to stdout'
[[ ! -e .heddle ]] || fail "a campaign that held left .heddle"

# A program that does not get as far as main says why itself.
echo 'int f(void) { return 0; }' > lib.c
gcc -shared -fPIC -o libgone.so lib.c || fail "cannot build a library"
echo 'int f(void); int main(void) { return f(); }' > needs.c
build needs needs.c -L. -lgone
rm libgone.so
refused 'cannot control ./needs: it exited with status 127: ./needs: error' \
	"$HEDDLE" run --strategy random -- ./needs
refused 'libgone.so' "$HEDDLE" run --strategy random --exec -- ./needs

# Options that change which points there are.
run 0 "$HEDDLE" run --strategy random -n 20 --points all --spurious -- ./one

# More accesses than a run may have points: those are left out, locks are not.
cat > busy.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static volatile int sums[2];
static void work(int nth, pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (int i = 0; i < 20000; i++)
		sums[nth] += i;
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *forwards(void *p) { work(0, &a, &b); return p; }
static void *backwards(void *p) { work(1, FIRST, SECOND); return p; }
int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, forwards, NULL);
	pthread_create(&u, NULL, backwards, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
END
build busy busy.c -DFIRST='&b' -DSECOND='&a'
build busy_fixed busy.c -DFIRST='&a' -DSECOND='&b'
rm -rf .heddle
run 1 "$HEDDLE" run --strategy random -n 200 --max-points 30000 -- ./busy
has out 'broken: deadlock of 2 threads'
run 1 "$HEDDLE" replay --times 5 busy-1
has out 'reproduced 5 of 5'
has .heddle/repros/busy-1/plan 'flag sync-points'
run 0 "$HEDDLE" run --strategy random -n 200 --max-points 30000 -- ./busy_fixed
has out 'note: the program makes too many accesses for each to be a point'
run 0 "$HEDDLE" run --strategy random -n 200 --points sync -- ./busy_fixed
hasnt out 'too many accesses'
run 1 "$HEDDLE" run --strategy random -n 200 --points sync -- ./busy
finish
