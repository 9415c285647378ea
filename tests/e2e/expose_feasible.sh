#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No interleaving that can happen is pruned: heddle explore runs every order of
# conflicting events of small programs and tells which unserializable ones
# happened; heddle expose calls none of them impossible, and knows each that its
# profiles came to. A loop that waits is seen as what it is: what comes before
# the flag is set cannot disturb what comes behind the loop.

. "$(dirname "$0")/lib.sh"

# all_told PROGRAM LEAST RARE: at least so many happened, none of them is pruned,
# and all are known but so many that one schedule in hundreds shows.
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
	[[ $(wc -l < unknown) -le $3 ]] || fail "$1: not known: $(cat unknown)"
}

for name in bug_lost_update bug_wrong_waiter bug_if_for_while_fixed busy_wait; do
	build "$name" "$SOURCE/tests/programs/$name.c"
done
all_told bug_lost_update 3 0
# A thread is woken, looks, and waits again.
all_told bug_wrong_waiter 2 1
all_told bug_if_for_while_fixed 1 0
all_told busy_wait 1 0

# Of busy_wait, the loop orders what the two threads do to `value`: nothing of
# it is left, and that a lock is not the reason is told.
run 0 "$HEDDLE" expose -b 2s --explain -- ./busy_wait
grep -q 'pruned: R .* global value$' out || fail "the loop orders nothing: $(cat out)"
! grep -E '(open|likely|exercised).* on global value$' out ||
	fail 'value can be disturbed'
finish
