#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What heddle regress --method maple says is of Maple: interleavings of the
# profile were tried, not the signature of the failure, which it does not know.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs
"$HEDDLE" cc -g -o prog "$programs/bug_lost_update.c"
run 1 "$HEDDLE" run --strategy random -n 5000 -- ./prog
run 1 "$HEDDLE" regress --method maple --explain --junit verdicts.xml prog-1
has out 'by an interleaving of the profile'
has out 'the interleaving that came furthest'
has verdicts.xml 'by an interleaving of the profile'
for file in out verdicts.xml; do
	hasnt $file signature
	hasnt $file 'it is not kept'
done
run 1 "$HEDDLE" regress --method maple --json prog-1
[[ $(jq -r '.results[0].method' out) == maple ]] || fail "$(head -n 9 out)"
[[ $(jq -r '[.results[0].iterations[].kind] | unique | join(" ")' out) == \
	'hunt profile' ]] || fail "other runs than Maple's: $(cat out)"

"$HEDDLE" cc -g -o prog "$programs/bug_lost_update_fixed.c"
run 0 "$HEDDLE" regress --method maple -n 30 --explain prog-1
has out 'not triggered in 30 runs'
has out "interleavings were tried, "
hasnt out signature

# One that cannot be tried does not hide what became of the other, and the
# status is the same wherever it stands.
cp -r .heddle/repros/prog-1 .heddle/repros/lost-1
: > .heddle/repros/lost-1/plan
run 2 "$HEDDLE" regress --method maple -n 9 --junit verdicts.xml prog-1 lost-1
has out 'prog-1'
has out "of the profile's"
has verdicts.xml 'errors="1"'
run 2 "$HEDDLE" regress -n 9 --json lost-1 prog-1
[[ $(jq .status out) -eq 2 ]] || fail "status $(jq .status out) in JSON"
[[ $(jq -r '.results[1].verdict' out) == 'not triggered' ]] ||
	fail "the second was not tried: $(cat out)"
finish
