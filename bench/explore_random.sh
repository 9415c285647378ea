#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs that nobody wrote (tests/programs/random_threads.c), explored by
# maximal causality, by partial-order reduction and, as long as they are small,
# exhaustively: are the classes the same, and how many runs did it take? Prints
# what differs, every program on which mcm needs more runs than DPOR, and the
# geometric mean of runs.
#
#	bench/explore_random.sh [PROGRAMS [THREADS [OPERATIONS [SECONDS]]]]

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
heddle=$BUILD/heddle
[[ ${1:-} != --quick ]] || set -- 20
programs=${1:-200}
threads=${2:-3}
operations=${3:-4}
seconds=${4:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
"$heddle" cc -g -O1 -pthread -o random "$here/tests/programs/random_threads.c" ||
	exit 1

# SEARCH SEED: its classes into the file SEARCH; prints runs, or nothing where
# it was not complete.
explore() {
	timeout $((seconds + 30)) "$heddle" explore --json -j 1 \
		--for "${seconds}s" --search "$1" --classes "$1" -- \
		./random "$2" "$threads" "$operations" > out 2> err || return
	sort -o "$1" "$1"
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*$'
}

for seed in $(seq 1 "$programs"); do
	mcm=$(explore mcm "$seed")
	dpor=$(explore dpor "$seed")
	dfs=$(explore dfs "$seed")
	[[ -n $mcm ]] || echo "program $seed: mcm is not complete" >&2
	[[ -z $dfs ]] || cmp -s mcm dfs ||
		echo "program $seed: mcm and dfs differ" >&2
	[[ -z $dpor ]] || cmp -s mcm dpor ||
		echo "program $seed: mcm and dpor differ" >&2
	[[ -z $dpor || -z $mcm || $mcm -le $dpor ]] ||
		echo "program $seed: mcm $mcm runs, dpor $dpor" >&2
	echo "$seed ${mcm:--} ${dpor:--} ${dfs:--}"
done | tee runs | awk '
	$2 != "-" { mcm++ }
	$4 != "-" { dfs++ }
	$2 != "-" && $3 != "-" {
		a += log($2); b += log($3); n++
		more += $2 > $3; fewer += $2 < $3
	}
	END {
		printf "%d programs: mcm complete on %d, dfs on %d. ", NR, mcm, dfs
		if (n)
			printf "Geometric mean of runs: mcm %.2f, DPOR %.2f " \
			       "(%d fewer, %d more).\n", exp(a / n), exp(b / n),
			       fewer, more
	}'
