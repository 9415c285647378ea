#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# On programs that nobody wrote, every search comes to the same combinations of
# what threads do and read: maximal causality, exhaustive depth first, and
# partial-order reduction, and the first needs the fewest runs. A few programs
# here; bench/explore_random.sh takes hundreds.

. "$(dirname "$0")/lib.sh"

build random "$SOURCE/tests/programs/random_threads.c"

# classes SEARCH ARGUMENT...: into the file SEARCH; the number of schedules is
# printed.
classes() {
	local search=$1

	shift
	run 0 "$HEDDLE" explore -j 1 --json --search "$search" \
		--classes "$search" -- ./random "$@"
	sort -o "$search" "$search"
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*'
}

for program in "1 2 3" "4 2 3" "9 2 6" "19 2 6" "110 3 3" "106 3 3"; do
	# shellcheck disable=SC2086
	for search in mcm dfs dpor; do
		classes $search $program > "$search.runs"
	done
	cmp mcm dfs || fail "$program: mcm has other classes than dfs"
	cmp dpor dfs || fail "$program: dpor has other classes than dfs"
	[[ $(cat mcm.runs) -eq $(wc -l < mcm) ]] ||
		fail "$program: mcm ran a class twice"
done

# Larger ones, by the two that can.
for program in "18 3 5" "23 3 5" "25 3 5" "102 3 3"; do
	# shellcheck disable=SC2086
	for search in mcm dpor; do
		classes $search $program > "$search.runs"
	done
	cmp mcm dpor || fail "$program: mcm has other classes than dpor"
	[[ $(cat mcm.runs) -le $(cat dpor.runs) ]] ||
		fail "$program: mcm made more runs than dpor"
done
finish
