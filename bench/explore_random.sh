#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs that nobody wrote (tests/programs/random_*.c), explored by
# maximal causality, by partial-order reduction and exhaustively, as far as they
# come to an end in time: are the classes the same, and how many runs did it
# take? Two programs at a time. Prints what differs, every program on which mcm
# needs more runs than DPOR, and the geometric mean of runs.
#
#	bench/explore_random.sh [PROGRAMS [THREADS [OPERATIONS [SECONDS
#		[SEARCHES [more|objects]]]]]]
#
# SEARCHES: "mcm dpor dfs" or the first two. With "more" the programs do more
# kinds of things, with "objects" they are those of random_objects.c.

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
export heddle=$BUILD/heddle
[[ ${1:-} != --quick ]] || set -- 20
programs=${1:-200}
export threads=${2:-2}
export operations=${3:-3}
export seconds=${4:-10}
export searches=${5:-mcm dpor dfs}
export more=${6:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
source=random_threads
[[ $more != objects ]] || source=random_objects
"$heddle" cc -g -O1 -pthread -o random "$here/tests/programs/$source.c" ||
	exit 1

# Complete, as far as schedules go: that neighbours in one word are written by
# several threads no schedule can change.
is_whole() {
	local why

	why=$(sed '1,/"why": \[/d; /\]/,$d' "$1")
	[[ $why == *"fields of a few bits"* && $why != *$'\n'* ]] ||
		grep -q '"complete": true' "$1"
}

# SEARCH SEED: its classes into the file SEARCH.SEED; prints runs, or "-" where
# it was not complete.
explore() {
	timeout $((seconds + 30)) "$heddle" explore --json -j 1 \
		--store "store.$2" --for "${seconds}s" --search "$1" \
		--classes "$1.$2" -- \
		./random "$2" "$threads" "$operations" ${more:+"$more"} \
		> "out.$2" 2> /dev/null
	if ! is_whole "out.$2"; then
		echo -
		return
	fi
	sort -o "$1.$2" "$1.$2"
	grep -o '"schedules": [0-9]*' "out.$2" | grep -o '[0-9]*$'
}

# SEED: a line of runs, and on standard error what should not be.
program() {
	local mcm dpor dfs=-

	mcm=$(explore mcm "$1")
	dpor=$(explore dpor "$1")
	[[ $searches != *dfs* ]] || dfs=$(explore dfs "$1")
	[[ $mcm != - ]] || echo "program $1: mcm is not complete" >&2
	[[ $mcm == - || $dfs == - ]] || cmp -s "mcm.$1" "dfs.$1" ||
		echo "program $1: mcm and dfs differ" >&2
	[[ $mcm == - || $dpor == - ]] || cmp -s "mcm.$1" "dpor.$1" ||
		echo "program $1: mcm and dpor differ" >&2
	[[ $mcm == - || $dpor == - || $mcm -le $dpor ]] ||
		echo "program $1: mcm $mcm runs, dpor $dpor" >&2
	echo "$1 $mcm $dpor $dfs"
	rm -rf "store.$1" "out.$1"
}
export -f is_whole explore program

seq 1 "$programs" | xargs -P "$(nproc)" -I{} bash -c 'program {}' 2> told |
	awk -v with_dfs="$([[ $searches == *dfs* ]] && echo yes)" '
	$2 != "-" { mcm++ }
	$3 != "-" { dpor++ }
	$4 != "-" { dfs++ }
	$2 != "-" && $3 != "-" {
		a += log($2); b += log($3); n++
		more += $2 > $3; fewer += $2 < $3
	}
	END {
		printf "%d programs: mcm complete on %d, DPOR on %d", NR, mcm, dpor
		if (with_dfs)
			printf ", dfs on %d", dfs
		printf ". "
		if (n)
			printf "Geometric mean of runs: mcm %.2f, DPOR %.2f " \
			       "(%d fewer, %d more).\n", exp(a / n), exp(b / n),
			       fewer, more
	}'
echo "Programs whose classes differ between two searches:" \
	"$(grep -c differ told)."
sort -u told >&2
