#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle test on a program whose failing runs take long: looking at what was
# found has an end too, so it is replayed fewer times than usual, all the same.

. "$(dirname "$0")/lib.sh"

cat > hangs.c << 'END'
#include <pthread.h>

static volatile int go;

static void *work(void *arg)
{
	go = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, work, NULL))
		return 2;
	if (!go)
		for (;;)
			__asm__ volatile("pause");
	pthread_join(t, NULL);
	return 0;
}
END
build hangs hangs.c
run 1 "$HEDDLE" test -b 2s --hang 1s -- ./hangs
has out 'broken: hang'
has out 'replayed '
hasnt out 'of 20 '
read -r _ same _ times _ < <(grep '^replayed' out)
[[ $same -eq $times && $times -ge 3 ]] || fail "$(grep '^replayed' out)"
finish
