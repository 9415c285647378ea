#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle linear on a server: the published bugs of tabled are found, with the
# columns of the paper, and replay; the fixed server holds; what is meant so is
# flagged without its rule and silent with it, without another run.

. "$(dirname "$0")/lib.sh"

tabled=$SOURCE/subjects/tabled
for switch in SHOW LIKE QUERY; do
	gcc -g -O1 -pthread -I "$SOURCE/include" -DTABLED_$switch \
		-o "tabled.$switch" "$tabled"/*.c || fail "cannot build $switch"
done
gcc -g -O1 -pthread -I "$SOURCE/include" -DFIXED -o tabled "$tabled"/*.c ||
	fail "cannot build it fixed"

# spec PROGRAM LINE...
spec() {
	sed "s,{here}/tabled,$PWD/$1," "$tabled/tabled.spec"
	shift
	printf '%s\n' "$@"
}

# found SWITCH KIND OUTPUTS STATES LINE...: by pct; columns as in the JSON.
found() {
	local switch=$1 kind=$2 outputs=$3 states=$4 repro

	shift 4
	spec "tabled.$switch" 'setup CREATE t1' 'setup INSERT t1 1 a' "$@" \
		> "$switch.spec"
	run 1 "$HEDDLE" linear --json -n 300 -j 1 "$switch.spec"
	[[ $(jq -r '.findings[0].kind' out) == "$kind" ]] ||
		fail "$switch: $(jq -c '.findings[0]' out)"
	[[ $(jq -c '[.findings[0].orders[].output]' out) == "$outputs" ]] ||
		fail "$switch: outputs $(jq -c '.findings[0].orders' out)"
	[[ $(jq -c '[.findings[0].orders[].state]' out) == "$states" ]] ||
		fail "$switch: states $(jq -c '.findings[0].orders' out)"
	repro=$(jq -r '.findings[0].repro' out)
	run 1 "$HEDDLE" replay --times 3 "$repro"
	has out 'reproduced 3 of 3'
	spec tabled 'setup CREATE t1' 'setup INSERT t1 1 a' "$@" > fixed.spec
	run 0 "$HEDDLE" linear -n 50 fixed.spec
	has out 'held: 1 input'
}

found SHOW semantic '[false,false]' '[true,true]' \
	'client 1 SHOW t1' 'client 2 DROP t1'
found LIKE error '[false,false]' '[false,true]' \
	'client 1 CREATE t2 LIKE t1' 'client 2 INSERT t2 SELECT t1'
found QUERY 'semantic, latent' '[true,false]' '[false,false]' \
	'client 1 SELECT t1' 'client 2 INSERT t1 10 b'
[[ $(jq -r '.findings[0].component' out 2> /dev/null) ]] || true

# Pairs of a script; then the same with other rules, from the record.
head -n 20 "$tabled/tests.txt" > script.txt
spec tabled > rules.spec
run 0 "$HEDDLE" linear -n 20 --from-tests script.txt rules.spec
has out 'held: '
grep -v '^rule table-cache' rules.spec > without.spec
run 1 "$HEDDLE" linear --json -n 20 --from-tests script.txt without.spec
[[ $(jq .runs out) -eq 0 ]] || fail "what is recorded was run again"
jq -e '[.findings[].component] | index("table-cache")' out > /dev/null ||
	fail "duplicates in the table cache are not flagged without a rule"
run 0 "$HEDDLE" linear -n 20 --from-tests script.txt rules.spec
has out ' 0 runs in '
# More schedules: only those that are missing are made.
run 0 "$HEDDLE" linear --json -n 22 --inputs 5 --from-tests script.txt \
	rules.spec
[[ $(jq .recorded out) -eq 100 ]] || fail "not resumed: $(cat out)"

# Several requests a client, three clients; any number of workers finds the
# same; the same seed is the same execution.
spec tabled 'setup CREATE t1' 'client 1 INSERT t1 1 a' 'client 1 SELECT t1' \
	'client 2 INSERT t1 2 b' 'client 2 DELETE t1 1' 'client 3 COUNT t1' \
	> several.spec
run 0 "$HEDDLE" linear --json -n 30 several.spec
jq 'del(.seconds)' out > first
run 0 "$HEDDLE" linear --again --json -n 30 several.spec
jq 'del(.seconds)' out | cmp -s first - || fail "the same seeds, other executions"

pgrep -f "$PWD/tabled" > /dev/null && fail "a server was left behind"
finish
