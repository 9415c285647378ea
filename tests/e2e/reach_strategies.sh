#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Strategies find what their papers promise: PCT as often as its bound says, POS
# and SURW what random walk does not find. Seeds are fixed, so nothing here is a
# matter of chance.

. "$(dirname "$0")/lib.sh"

# NAME STRATEGY DEPTH RUNS [ARGUMENT]: the line of bench_reach, as an array.
reach() {
	[[ -x $1 ]] || run 0 "$HEDDLE" cc -g -O1 -o "$1" \
		"$SOURCE/tests/programs/reach_$1.c"
	run 0 "$BUILD/bench/bench_reach" "$2" "$3" "$4" "./$1" ${5:+"$5"}
	read -r -a line < out
}

is_true() {
	awk "BEGIN { exit !($1) }"
}

# The lower limit of the rate is not below 1 / (n k^(d-1)).
bound() {
	local depth=$2

	reach "$1" pct "$depth" "$3"
	is_true "${line[3]} >= 1 / (${line[5]} * ${line[6]} ^ ($depth - 1))" ||
		fail "PCT of depth $depth: ${line[*]}"
}

# One strategy's lower limit is above random walk's upper limit.
better() {
	local upper

	reach "$2" random 1 "$3" "${4:-}"
	upper=${line[4]}
	reach "$2" "$1" 1 "$3" "${4:-}"
	is_true "${line[3]} > $upper" || fail "$1 on $2: $upper, ${line[*]}"
}

bound depth1 1 2000
bound depth2 2 4000
bound depth3 3 12000
better pos writers 800
better surw long_short 800
better surw two_stages 1000 20

# The same seeds, the same schedules.
reach writers surw 1 200
echo "${line[@]:0:7}" > first
reach writers surw 1 200
echo "${line[@]:0:7}" | cmp - first || fail "SURW differs from itself"

# And however many work on it: each knows what one of them has learned.
run 0 "$HEDDLE" cc -g -O1 -o turns "$SOURCE/bench/programs/turns.c"
for strategy in random pct pos surw; do
	for jobs in 1 2; do
		run 0 "$HEDDLE" run --strategy $strategy -n 300 -j $jobs \
			-- ./turns 2 8
		sed -n 's/.*(\([0-9]* distinct\)).*/\1/p' out > distinct-$jobs
	done
	[[ -s distinct-1 ]] || fail "$strategy: no schedules"
	cmp distinct-1 distinct-2 ||
		fail "$strategy differs with the number of jobs"
done

finish
