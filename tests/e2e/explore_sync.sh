#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle explore --points sync: a program with too many accesses to have a point
# at each is explored by the orders of its synchronisation. That is complete
# only if no run of them has a race, and the statement says which it is.

. "$(dirname "$0")/lib.sh"

cat > ledger.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int pages[1000], sum, hits;
static void *work(void *p)
{
	int seen;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 1000; k++)
			pages[k]++;
	seen = sum;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	sum = seen + 1;
	pthread_mutex_unlock(&lock);
#ifdef RACE
	hits++;
#endif
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sum == 2);
	return 0;
}
END
build broken ledger.c
build whole ledger.c -DFIXED
build racy ledger.c -DFIXED -DRACE

# coarse STATUS OPTION...
coarse() {
	local status=$1

	shift
	run "$status" "$HEDDLE" explore --max-points 3000 --points sync "$@"
}

# Too many.
run 3 "$HEDDLE" explore --search dfs --max-points 3000 -n 3 -- ./broken
has out "runs were given up at --max-points"

for search in dfs dpor chess; do
	coarse 1 --search "$search" -- ./broken
	has out "assertion \`sum == 2' failed"
	run 1 "$HEDDLE" replay --times 3 broken-1
	has out "reproduced 3 of 3"
done
for search in dfs dpor; do
	coarse 3 --search "$search" -- ./whole
	has out "unknown: not complete"
	has out "alone (--points sync), and races were not looked for"
	coarse 0 --fail-on race --search "$search" -- ./whole
	has out "held: complete"
	has out "at synchronisation alone, and no run had a race"
	coarse 1 --fail-on race --search "$search" -- ./racy
	has out "data race on global hits"
done
coarse 3 --fail-on race -- ./whole
has out "--search dpor tries all orders of those"

# What such a program can print is all printed: as a search with points at
# accesses finds.
cat > prints.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER,
				    PTHREAD_MUTEX_INITIALIZER };
static int words[2], seen[2][2];
static void *work(void *arg)
{
	int me = arg != NULL;

	for (int i = 0; i < 2; i++) {
		int n = me ? 1 - i : i;

		pthread_mutex_lock(&locks[n]);
		seen[me][n] = words[n];
		words[n] += me + 1;
		pthread_mutex_unlock(&locks[n]);
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, words);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d %d\n", seen[0][0], seen[0][1], seen[1][0], seen[1][1]);
	return 0;
}
END
build prints prints.c
cat > note.sh <<'END'
#!/bin/bash
cat >> "$1"
END
chmod +x note.sh
run 0 "$HEDDLE" explore -j 1 --check './note.sh all' -- ./prints
coarse 0 -j 1 --search dpor --fail-on race --check './note.sh some' -- ./prints
sort -u all > wanted
[[ $(wc -l < wanted) -eq 3 ]] || fail "printed: $(cat wanted)"
sort -u some | cmp - wanted || fail "sync alone: $(sort -u some)"
finish
