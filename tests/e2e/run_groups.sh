#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A structure that two functions use without a lock is told once, with its
# members below; JSON tells every race. Libraries of the system are no news.

. "$(dirname "$0")/lib.sh"

cat > fields.c <<'END'
#include <pthread.h>
#include <stdlib.h>

struct many {
	long f[12];
};

static struct many *block;

static void *fill(void *p)
{
	block->f[0]++, block->f[1]++, block->f[2]++, block->f[3]++;
	block->f[4]++, block->f[5]++, block->f[6]++, block->f[7]++;
	block->f[8]++, block->f[9]++, block->f[10]++, block->f[11]++;
	return p;
}

int main(void)
{
	pthread_t t;

	block = calloc(1, sizeof(*block));
	pthread_create(&t, NULL, fill, NULL);
	fill(NULL);
	pthread_join(t, NULL);
	free(block);
	return 0;
}
END
build fields fields.c
run 0 "$HEDDLE" run --observe -- ./fields
[[ $(grep -c '^race on heap block' out) -eq 1 ]] || fail "not one group"
[[ $(grep -c '^  also ' out) -eq 8 ]] || fail "not eight others"
has out 'more between the same functions (--json tells all)'
has out '  also on +8: '
hasnt out 'libc.so'
run 0 "$HEDDLE" show --json
[[ $(jq '.races | length' out) -ge 12 ]] || fail "JSON tells fewer"
has out 'libc.so'
finish
