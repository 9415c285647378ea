#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every primitive under control behaves as without it, in every schedule: the
# programs say themselves what that is. Two searches with the same seed see as
# many schedules, and conditions may wake up without cause.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

# search PROGRAM OPTION...: 100 schedules, all of them as they should be.
search() {
	local program=$1

	shift
	run 0 "$HEDDLE" run --strategy random -n 100 --seed 1 -j 1 "$@" -- \
		"./$program"
	has out 'held: 100 schedules'
}

# The number of distinct schedules in `out`.
distinct() {
	sed -n 's/.*(\([0-9]*\) distinct).*/\1/p' out
}

for program in mutexes conditions semaphores rwlocks barriers initialisers \
	spinlocks futexes c11 joins locked_streams cancelled_waits \
	handed_mutex gate; do
	build "$program" "$programs/control_$program.c"
	search "$program"
	first=$(distinct)
	search "$program"
	[[ $(distinct) == "$first" ]] ||
		fail "$program: $first distinct schedules, then $(distinct)"
done

for program in static_locals atomic_wait; do
	timeout 60 "$HEDDLE" c++ -std=c++20 -g -O1 -pthread -o "$program" \
		"$programs/control_$program.cc" ||
		fail "cannot build control_$program.cc"
	search "$program"
done

for program in conditions c11 cancelled_waits; do
	search "$program" --spurious
done

# Another process has a part in it, so chance has too.
build shared_objects "$programs/control_shared_objects.c"
search shared_objects

# Other runs take the same mutex, two at a time.
build strange_owner "$programs/control_strange_owner.c"
run 0 ./strange_owner shared.file make
run 0 "$HEDDLE" run --strategy random -n 200 -j 2 -- ./strange_owner shared.file
has out 'held: 200 schedules'
finish
