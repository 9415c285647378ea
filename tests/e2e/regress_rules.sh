#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that comes about freely and never under control has no schedule: it
# is kept by the rules it was perturbed by, and regress takes it from there.

. "$(dirname "$0")/lib.sh"

command -v jq > /dev/null || exit 77
[[ $(nproc) -gt 1 ]] || exit 77
cp "$SOURCE/tests/e2e/till.c" .
run 0 "$HEDDLE" cc -g -O1 -pthread till.c -o till
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./till

# A fix after which the update has no hooks, so that nobody's turn is taken in
# the middle of it; and each waits there for the other, but not for ever.
cat > wait.h <<'END'
static volatile int inside;
__attribute__((no_sanitize("thread"), noinline)) static int meet(
	volatile int *cash, int amount)
{
	int before = *cash;

	if (!MEETING)
		return __atomic_add_fetch(cash, amount, __ATOMIC_RELAXED);
	__asm__ volatile("lock incl %0" : "+m"(inside));
	for (long i = 0; i < 5000000 && inside < MEETING; i++)
		;
	return *cash = before + amount;
}
END
sed 's/^static volatile int cash;/#include "wait.h"\n&/
	s/^\tint before = cash;/\tint before = cash;\n\n\t(void)before;/
	s/^\tcash = before + amount;/\tmeet(\&cash, amount);/' till.c > free.c
run 0 "$HEDDLE" cc -g -O1 -pthread -DMEETING=2 free.c -o free
run 0 "$HEDDLE" cc -g -O1 -pthread -DMEETING=0 free.c -o free-mended
run 0 "$HEDDLE" run --strategy random -n 5 -- ./free
run 1 "$HEDDLE" regress --json -n 60 --program ./free till-1
jq -e '.results[0].iterations[-1].kind == "perturb"' out > /dev/null ||
	fail "not freely: $(cat out)"
jq -e '.results[0].compared.pairs == "unknown"' out > /dev/null ||
	fail "located: $(cat out)"
has .heddle/repros/free-1/repro 'strategy "perturb"'
has .heddle/repros/free-1/plan 'rule'

# By its rules it breaks again, and is the same; mended it is not triggered.
run 1 "$HEDDLE" regress --json -n 60 free-1
jq -e '.results[0] | .iterations[-1].kind == "replay" or
	.iterations[-1].kind == "perturb"' out > /dev/null ||
	fail "not by its rules: $(cat out)"
jq -e '.results[0].verdict == "still broken: same bug"' out > /dev/null ||
	fail "another verdict: $(cat out)"
run 0 "$HEDDLE" regress -n 10 --program ./free-mended free-1
has out 'not triggered in 10 runs'
finish
