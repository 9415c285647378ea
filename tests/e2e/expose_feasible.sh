#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No interleaving that can happen is pruned: heddle explore runs every order of
# conflicting events of small programs and tells which unserializable ones
# happened; heddle expose knows each of them and calls none impossible. A loop
# that waits is seen as what it is: what comes before the flag is set cannot
# disturb what comes behind the loop.

. "$(dirname "$0")/lib.sh"

# all_told PROGRAM LEAST: at least so many happened, and none of them is pruned.
all_told() {
	"$HEDDLE" explore --search dpor --all-failures --json --for 60s \
		--interleavings seen -- "./$1" > explored 2> err < /dev/null
	jq -e .complete explored > /dev/null || fail "$1: not every order was run"
	[[ $(wc -l < seen) -ge $2 ]] || fail "$1: only $(wc -l < seen) happened"
	"$HEDDLE" expose -b 2s --all-failures --explain --json -- "./$1" \
		> exposed 2> err < /dev/null
	jq -r '.interleavings[] | "\(.status)\t\(.pattern) \(.p) \(.r) \(.c)"' \
		exposed > told
	sed -n 's/^pruned\t//p' told | sort > pruned
	sort seen | comm -12 - pruned > lost
	[[ ! -s lost ]] || fail "$1: pruned, and happened: $(cat lost)"
	cut -f 2 told | sort > known
	sort seen | comm -23 - known > unknown
	[[ ! -s unknown ]] || fail "$1: not known: $(cat unknown)"
}

for name in bug_lost_update bug_wrong_waiter bug_if_for_while_fixed busy_wait; do
	build "$name" "$SOURCE/tests/programs/$name.c"
done
all_told bug_lost_update 3
all_told bug_wrong_waiter 1
all_told bug_if_for_while_fixed 1
all_told busy_wait 1

# Of busy_wait, the loop orders what the two threads do to `value`: nothing of
# it is left, and that a lock is not the reason is told.
run 0 "$HEDDLE" expose -b 2s --explain -- ./busy_wait
grep -q 'pruned: R .* global value$' out || fail "the loop orders nothing: $(cat out)"
! grep -E '(open|likely|exercised).* on global value$' out ||
	fail 'value can be disturbed'
finish
