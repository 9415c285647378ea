#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A program fails early or else makes more accesses than a run may have points:
# heddle locate finds passing runs all the same, with fewer points.

. "$(dirname "$0")/lib.sh"

cat > early.c << 'END'
#include <pthread.h>
#include <stdlib.h>

static volatile int ready, shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	ready = 1;
	for (int i = 0; i < 30000; i++)
		shared = shared + 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, work, NULL))
		return 2;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (!ready)
		abort();
	pthread_join(t, NULL);
	return 0;
}
END
build early early.c
# The first run of a campaign has points at all accesses.
for seed in {1..40}; do
	rm -rf .heddle
	"$HEDDLE" run --strategy random -n 1 --seed "$seed" --max-points 20000 \
		-- ./early > out 2> err && continue
	grep -q 'flag sync-points' .heddle/repros/early-1/plan || break
done
has .heddle/repros/early-1/plan 'flag all-points'
hasnt .heddle/repros/early-1/plan 'flag sync-points'
"$HEDDLE" locate -n 20 --native 0 --delayed 0 --for 20s early-1 > out 2> err ||
	[[ $? -ne 2 ]] || fail "no passing run: $(cat err)"
has out 'compared: 1 failing run and '
has out 'ready'

# Where runs under control have too many points in any case, free ones pass.
sed -i 's/^points-most .*/points-most 60/' .heddle/repros/early-1/repro
"$HEDDLE" locate --native 8 --delayed 8 --for 20s early-1 > out 2> err ||
	[[ $? -ne 2 ]] || fail "no free run: $(cat err)"
finish
