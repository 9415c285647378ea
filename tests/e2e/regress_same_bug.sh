#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Is it the same bug? The failure, the signature and the pairs of accesses that
# were located each count: a lost update that was mended by half is the same; a
# second one, elsewhere, that ends the program in the same way is not.

. "$(dirname "$0")/lib.sh"

command -v jq > /dev/null || exit 77

# compared EXPRESSION: holds for the only result in the file out.
compared() {
	jq -e ".results[0] | $1" out > /dev/null ||
		fail "not '$1': $(jq -c '.results[0] | del(.iterations)' out)"
}

# The old build is there, and is located for the comparison.
cp "$SOURCE/tests/e2e/till.c" .
run 0 "$HEDDLE" cc -g -O1 -pthread till.c -o till
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./till
cp -r .heddle unlocated
sed 's/int before = cash;/int before;\n\n\tbefore = cash;/' till.c > late.c
run 0 "$HEDDLE" cc -g -O1 -pthread late.c -o late
run 1 "$HEDDLE" regress --json --program ./late --junit late.xml till-1
compared '.verdict == "still broken: same bug" and .sure == "certain"'
compared '.compared.failure == "same-place" and
	.compared.pairs == "same"'
compared '.compared["new-pairs"][0].head.where | test("pay \\(late.c:")'
has late.xml 'the same pair of accesses causes it: '
has .heddle/repros/till-1/located.json '"confirmed": true'
has .heddle/repros/late-1/located.json '"confirmed": true'
run 1 "$HEDDLE" regress --explain --program ./late till-1
has out 'the same pair of accesses causes it: '
has out 'before  write  pay (till.c:11)'
# Nothing is located of what is not kept.
run 1 "$HEDDLE" regress --json --no-keep --program ./late till-1
compared '.compared.pairs == "unknown"'

# Lines of the old build are told as they were, though another text stands there
# since the source was edited.
cp -r unlocated edited
cp till.c till.saved
sed 's/.*/mended &/' late.c > till.c
run 1 "$HEDDLE" regress --explain --store edited --program ./late till-1
has out 'write  pay (till.c:11)  cash = before + amount;'
grep 'till\.c:' out | grep mended && fail "text of another version: $(cat out)"
grep -rn mended edited/repros/till-1 && fail "it is kept"
mv till.saved till.c

# It is gone, and was never located: its signature stands in.
mv late till
run 1 "$HEDDLE" regress --json --store unlocated till-1
compared '.verdict == "still broken: same bug"'
compared '.compared.pairs == "signature"'
compared '.compared["old-pairs"] == []'

# Another bug, with the same exit status.
cat > shop.c <<'END'
#include <pthread.h>
static volatile int cash, stock = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void pay(int amount)
{
	int before;

	if (LOCKS_CASH)
		pthread_mutex_lock(&lock);
	before = cash;
	cash = before + amount;
	if (LOCKS_CASH)
		pthread_mutex_unlock(&lock);
}
static void deliver(int pieces)
{
	int left;

	if (!LOCKS_CASH)
		pthread_mutex_lock(&lock);
	left = stock;
	stock = left - pieces;
	if (!LOCKS_CASH)
		pthread_mutex_unlock(&lock);
}
static void *customer(void *arg)
{
	pay(5);
	deliver(1);
	return arg;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, customer, 0);
	pthread_create(&b, 0, customer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return cash != 10 || stock != 8;
}
END
run 0 "$HEDDLE" cc -g -O1 -pthread -DLOCKS_CASH=0 shop.c -o shop
run 0 "$HEDDLE" cc -g -O1 -pthread -DLOCKS_CASH=1 shop.c -o shop-locked
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./shop
has .heddle/repros/shop-1/verdict 'exit status 1'
run 1 "$HEDDLE" regress --json -n 1000 --program ./shop-locked shop-1
compared '.verdict == "broken: another bug"'
compared '.compared.failure == "same" and .compared.pairs == "other"'
compared '.why | test("other accesses cause it: .* in deliver ")'
# Another check of the same function fails. Not kept, so the failure alone tells.
sed -e '1i #include <assert.h>' -e 's/return cash != 10.*/assert(cash == 10);\
	assert(stock == 8);\n\treturn 0;/' shop.c > checks.c
run 0 "$HEDDLE" cc -g -O1 -pthread -DLOCKS_CASH=0 checks.c -o checks
run 0 "$HEDDLE" cc -g -O1 -pthread -DLOCKS_CASH=1 checks.c -o checks-locked
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./checks
has .heddle/repros/checks-1/verdict "assertion \`cash == 10' failed"
run 1 "$HEDDLE" regress --no-keep -n 1000 --program ./checks-locked checks-1
has out 'broken: another bug'
has out "assertion \`stock == 8' failed"
hasnt out 'see it again'
finish
