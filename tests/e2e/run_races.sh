#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# --fail-on race under control: a race is a failure though it does no harm, the
# same with any number of workers, and can be replayed; where locks are in the
# way there is none.

. "$(dirname "$0")/lib.sh"

cat > racy.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits, seen;
static void *hit(void *p)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
#endif
	hits = 1;
#ifdef FIXED
	pthread_mutex_unlock(&m);
#endif
	pthread_mutex_lock(&m);
	seen++;
	pthread_mutex_unlock(&m);
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, hit, NULL);
	pthread_create(&b, NULL, hit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return hits != 1 || seen != 2;
}
END
build racy racy.c
build fixed racy.c -DFIXED
campaign=("$HEDDLE" run --strategy random -n 100)

run 0 "${campaign[@]}" -- ./racy
run 0 "${campaign[@]}" --fail-on race -- ./fixed
has out 'held: 100 schedules'
run 1 "${campaign[@]}" --fail-on race -- ./racy
has out 'broken: data race on global hits: write in hit (racy.c:9), write in hit (racy.c:9)'
has out '  write by thread 1'
hasnt out 'seen'
run 1 "$HEDDLE" replay --times 20 racy-1
has out 'reproduced 20 of 20'
run 1 "${campaign[@]}" --fail-on race --exec -- ./racy
has out 'broken: data race on global hits'

# More events than the region has room for.
cat > many.c <<'END'
#include <pthread.h>
static volatile int shared[1 << 12];
static void *walk(void *p)
{
	for (int round = 0; round < 40; round++)
		for (int i = 0; i < 1 << 12; i += 5)
			shared[(i * 7 + round) & 4095] = i;
	return p;
}
int main(void)
{
	pthread_t a;

	for (int i = 0; i < 40; i++) {
		pthread_create(&a, NULL, walk, NULL);
		pthread_join(a, NULL);
	}
	return 0;
}
END
build many many.c
run 0 "${campaign[@]}" -n 3 --fail-on race --max-points 10000000 -- ./many

for jobs in 1 2; do
	run 1 "${campaign[@]}" --fail-on race --all-failures --json \
		-j "$jobs" -- ./racy
	grep -vE '"seconds"' out > "$jobs"
done
cmp 1 2 || fail "-j 2 finds other races than -j 1"
finish
