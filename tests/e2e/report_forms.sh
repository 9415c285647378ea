#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle report: a page that needs nothing else, and the same for other tools.
# What a program is called or its source says never becomes markup.

. "$(dirname "$0")/lib.sh"

refused "nothing to report" "$HEDDLE" report
refused "no repro nobody-1" "$HEDDLE" report --store here nobody-1

# A name and a line of source that would like to be markup.
evil='</script><img src=x onerror=alert(1)>'
mkdir "$PWD/a b"
sed "s|^static int balance;|/* $evil */ static int balance;|" \
	"$SOURCE/examples/bank.c" > "a b/bank.c"
build "a b/bank" "a b/bank.c"
run 1 "$HEDDLE" run --strategy random -- "./a b/bank" "$evil"
# A busy machine may not have come to its end with that.
run 0 "$HEDDLE" shrink bank-1

run 0 "$HEDDLE" report
[[ $(cat out) == .heddle/report/index.html ]] || fail "path: $(cat out)"
page=.heddle/report/index.html
hasnt $page "$evil"
hasnt $page 'src="'
[[ $(grep -c '</script>' $page) -eq 2 ]] || fail "a script was ended early"
grep -q "default-src 'none'" $page || fail "the page may ask others"

# The data in the page is that of --json.
sed -n '/<script type="application\/json"/,/<\/script>/p' $page |
	sed '1d;$d' | jq -S 'del(.made)' > in_page.json ||
	fail "the data in the page is no JSON"
run 0 "$HEDDLE" report --json
jq -S 'del(.made)' out > alone.json
cmp in_page.json alone.json || fail "page and --json differ"

jq -e '.format == "heddle-report" and .version == 1 and (.bugs | length) == 1' \
	alone.json > truth || fail "not the document: $(head -c 300 alone.json)"
jq -e --arg evil "$evil" '.bugs[0] | .command[1] == $evil and
	.name == "bank-1" and .replayed == { same: 3, times: 3 } and
	(.sources[0].lines | any(contains($evil)))' alone.json > truth ||
	fail "command, name or source are not told"

# One step after the other, as it happened: read, and two writes.
jq -e '.bugs[0] as $b | $b.suspect | .kind == "atomicity" and
	([.steps[] | $b.steps[.].kind] == ["read", "write", "write"]) and
	([.steps[] | $b.steps[.].thread] | .[0] == .[2] and .[0] != .[1]) and
	($b.locations[.location].name == "balance")' alone.json > truth ||
	fail "the three steps: $(jq -c '.bugs[0].suspect' alone.json)"
jq -e '.bugs[0] | all(.steps[]; .thread < 3) and
	all(.switches[]; .why != null) and
	([.switches[] | select(.why == "preempt")] | length) == 1' \
	alone.json > truth || fail "switches: $(jq -c '.bugs[0].switches' alone.json)"

# Both read 0, and the second write loses the first.
jq -e '.bugs[0] as $b | [$b.suspect.steps[] | $b.steps[.]] |
	.[0].before == "0" and .[1].before == "0" and
	.[2].before == .[1].after and
	([.[1].after, .[2].after] | sort) == ["30", "70"]' alone.json > truth ||
	fail "values: $(jq -c '.bugs[0] as $b | [$b.suspect.steps[] | $b.steps[.]]' \
		alone.json)"

run 0 "$HEDDLE" report --sarif -o out.sarif
jq -e '.version == "2.1.0" and (.runs[0].results[0] |
	.ruleId == "exit-status" and .partialFingerprints and
	([.codeFlows[0].threadFlows[].locations[].executionOrder] | sort ==
		[range(1; 1 + length)]) and
	.locations[0].physicalLocation.region.startLine == 8)' out.sarif \
	> truth || fail "SARIF: $(jq -c '.runs[0].results[0].locations' out.sarif)"

run 0 "$HEDDLE" report --junit
python3 -c '
import sys, xml.dom.minidom as dom
suite = dom.parse("out").getElementsByTagName("testsuite")[0]
assert suite.getAttribute("failures") == "1", suite.toxml()
assert len(suite.getElementsByTagName("testcase")) == 1' ||
	fail "JUnit: $(cat out)"

# A deadlock tells who waits for whom.
build abba "$SOURCE/tests/programs/bug_abba.c"
run 1 "$HEDDLE" run --strategy random --store locks -- ./abba
run 0 "$HEDDLE" report --store locks --json
jq -e '.bugs[0] | .kind == "deadlock" and
	([.waits[] | select(.kind == "mutex-lock")] | length == 2 and
		.[0].location == .[1].holds[0].location and
		.[1].location == .[0].holds[0].location)' out > truth ||
	fail "waits: $(jq -c '.bugs[0].waits' out)"

# A program that is gone leaves what was kept.
rm abba
run 0 "$HEDDLE" report --store locks --json
jq -e '.bugs[0] | .note != null and (has("steps") | not) and
	(.schedule | length) > 0' out > truth || fail "no note"
refused "give one of them" "$HEDDLE" report --json --sarif

# Of a long run the page has the steps that matter, and says that others are
# left out.
cat > long.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *volatile work[64];
static void *walk(void *p)
{
	for (int i = 0; i < 60000; i++)
		work[i % 64] = malloc(8);
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, walk, 0);
	pthread_create(&b, 0, walk, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 1;
}
END
build long long.c
run 1 "$HEDDLE" run --strategy pct -n 1 --store long.st -- ./long
run 0 "$HEDDLE" report --store long.st
[[ $(wc -c < long.st/report/index.html) -lt 2000000 ]] ||
	fail "the page has $(wc -c < long.st/report/index.html) bytes"
run 0 "$HEDDLE" report --store long.st --json
jq -e '.bugs[0] | (.steps | length) == 4000 and .left_out > 100000 and
	([.steps[].skipped // 0] | add) == .left_out and
	all(.switches[]; .step < 4000)' out > truth ||
	fail "not the steps that may be told: $(head -c 300 out)"
finish
