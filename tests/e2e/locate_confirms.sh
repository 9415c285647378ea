#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A kept failure is located: the pair that caused it comes first, confirmed by
# experiment, with its variable, lines and kind, for people and for tools. Runs
# that were saved are compared without the program. What cannot be compared is
# refused.

. "$(dirname "$0")/lib.sh"

# A lost update, and a flag that comes too late: the reader dies, and the pair
# that would tell is missing.
run 0 "$HEDDLE" cc -g -O1 -o bank "$SOURCE/examples/bank.c" -pthread
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./bank
run 1 "$HEDDLE" locate bank-1
has out 'confirmed: atomicity violation of one variable'
has out 'must be atomic with the write at deposit (bank.c:8)'
has out 'on balance'
has out 'in the other order it holds'
has out 'brings it about'
has out 'all before those of the other it holds, either way'
has .heddle/repros/bank-1/located 'confirmed'
has .heddle/repros/bank-1/located.json '"kind": "atomicity-single"'

run 1 "$HEDDLE" locate --json --native 0 --delayed 0 --save runs bank-1
[[ $(jq -r '.suspects[0].confirmed, .suspects[0].row, .procedure' out |
	xargs) == 'true 5 I' ]] || fail "$(head -n 40 out)"
[[ $(jq '.runs.passing' out) -ge 10 ]] || fail "too few passing runs"
run 1 "$HEDDLE" locate --sarif bank-1
[[ $(jq -r '.version' out) == 2.1.0 ]] || fail "no SARIF"
has out 'atomicity-violation'
run 1 "$HEDDLE" locate --method falcon bank-1
has out 'suspiciousness 1.000'

# Given runs.
run 1 "$HEDDLE" locate --pass runs/pass --fail runs/fail
has out 'bank.c:8'
refused 'go together' "$HEDDLE" locate --pass runs/pass
refused 'no passing run' "$HEDDLE" locate --pass runs --fail runs/fail
refused 'no failing run' "$HEDDLE" locate --pass runs/pass --fail runs
refused 'did not fail' "$HEDDLE" locate --pass runs/pass --fail runs/pass
refused 'failed; give' "$HEDDLE" locate --pass runs/fail --fail runs/fail
mkdir other
sed 's/^build .*/build "00"/' runs/pass/000.pairs > other/a.pairs
refused 'different programs' "$HEDDLE" locate --pass other --fail runs/fail
sed 's/^command .*/command "x"/' runs/pass/000.pairs > other/a.pairs
refused 'different arguments' "$HEDDLE" locate --pass other --fail runs/fail
cp runs/fail/000.pairs other/a.pairs
sed 's/^failure .*/failure "x"/' runs/fail/000.pairs > other/b.pairs
refused 'different ways' "$HEDDLE" locate --pass runs/pass --fail other
refused 'which failure' "$HEDDLE" locate
refused 'either --json or' "$HEDDLE" locate --json --sarif bank-1
refused 'falcon has neither' "$HEDDLE" locate --method falcon --level pc bank-1
refused 'report nothing' "$HEDDLE" locate --most 0 bank-1
refused 'no passing run' "$HEDDLE" locate --runs 0 bank-1
refused 'bank-9' "$HEDDLE" locate bank-9

cat > late.c << 'END'
#include <pthread.h>
#include <stdlib.h>
static int *volatile limit;
static void *use(void *none)
{
	(void)none;
	if (*limit != 7)
		abort();
	return NULL;
}
int main(void)
{
	static int seven = 7;
	pthread_t user;

	pthread_create(&user, NULL, use, NULL);
	limit = &seven;
	pthread_join(user, NULL);
	return 0;
}
END
run 0 "$HEDDLE" cc -g -O1 -o late late.c -pthread
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./late
run 1 "$HEDDLE" locate late-1
has out 'confirmed: order violation'
has out 'nothing makes the write of limit at main (late.c:17) come before'
has out 'which the failing run did not reach'

finish
