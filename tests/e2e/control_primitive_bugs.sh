#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The wrong use of each primitive is found, is found again every time, and is
# not found where it was put right. What is to be found stands in the head of
# each program.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs
bugs=(lost_wakeup if_for_while wrong_waiter rwlock_upgrade rwlock_recursion
	missing_post barrier_count join_each_other locked_stream futex_lost
	pause_late early_thread locked_twice free_variable not_joined)

# search STATUS PROGRAM
search() {
	run "$1" "$HEDDLE" run --strategy random -n 100 --seed 1 --store store \
		-- "./$2"
}

# found PROGRAM SOURCE: as its head says, and 20 times again.
found() {
	search 1 "$1"
	has out "broken: $(sed -n 's/^.. expect: //p' "$2")"
	run 0 "$HEDDLE" list --store store
	has out "$1-1"
	run 1 "$HEDDLE" replay --store store --times 20 "$1-1"
	has out 'reproduced 20 of 20'
}

for bug in "${bugs[@]}"; do
	build "$bug" "$programs/bug_$bug.c"
	build "${bug}_fixed" "$programs/bug_${bug}_fixed.c"
	found "$bug" "$programs/bug_$bug.c"
	search 0 "${bug}_fixed"
done

for name in static_recursion static_recursion_fixed; do
	timeout 60 "$HEDDLE" c++ -g -O1 -pthread -o "$name" \
		"$programs/bug_$name.cc" || fail "cannot build bug_$name.cc"
done
found static_recursion "$programs/bug_static_recursion.cc"
search 0 static_recursion_fixed
finish
