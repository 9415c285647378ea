#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle show --interleavings lists what another thread could come between,
# with the places, and says why what it pruned cannot happen.

. "$(dirname "$0")/lib.sh"

build bank "$SOURCE/tests/programs/bank_in_turns.c"
# When an access of a free run was is known from the stamps around it. A thread
# that was off its processor in between may seem to have been there at another's
# access, which then counts as exercised; hardly more than once.
for _ in 1 2 3; do
	run 0 "$HEDDLE" run --observe --all -- ./bank
	run 0 "$HEDDLE" show --interleavings
	! grep -q '1 unserializable interleaving: 1 open' out || break
done
has out '1 unserializable interleaving: 1 open'
has out 'tests to cover all: ALL '
grep -qE '^ +1  R-W-W  deposit bank_in_turns.c:15.*open, on global balance' \
	out || fail "no lost update: $(cat out)"
hasnt out 'are unknown'

# Without --all, times and their order may be unknown, but nothing is lost.
run 0 "$HEDDLE" run --observe -- ./bank
run 0 "$HEDDLE" show --interleavings
has out '  R-W-W  deposit bank_in_turns.c:15'
has out 'heddle run --observe --all keeps them'

# With a lock around the update, there is nothing to come between.
cat > locked.c << 'EOF'
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *nothing)
{
	pthread_mutex_lock(&lock);
	balance += 1;
	pthread_mutex_unlock(&lock);
	return nothing;
}

int main(void)
{
	pthread_t clerk[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerk[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(clerk[i], NULL);
	return balance == 2 ? 0 : 1;
}
EOF
build locked locked.c
run 0 "$HEDDLE" run --observe --all -- ./locked
run 0 "$HEDDLE" show --interleavings --rank first-come
has out '1 unserializable interleaving: 0 open, 0 likely ordered, 0 exercised, 1'
has out 'pruned: mutex global lock keeps R out, on global balance'

refused 'rank' "$HEDDLE" show --rank best
finish
