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
#		[SEARCHES [more|objects|words]]]]]]
#
# SEARCHES: "mcm dpor dfs" or the first two. With "more" the programs do more
# kinds of things, with "objects" they are those of random_objects.c, with
# "words" those of random_words.c, which mark in a file what they came to: these
# files are compared, not the classes. To the file EACH, if that is set, an
# object is added for each program.

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
export each=$scratch/each
source=random_threads
[[ $more != objects ]] || source=random_objects
[[ $more != words ]] || source=random_words
"$heddle" cc -g -O1 -pthread -o random "$here/tests/programs/$source.c" ||
	exit 1

# SEARCH SEED: what it found into the file SEARCH.SEED; prints runs, "~" before
# them where it is complete but for neighbours in one word that several threads
# write, which no schedule can change, or "-" where it is not complete.
explore() {
	local command=(./random "$2" "$threads" "$operations" ${more:+"$more"})

	if [[ $more == words ]]; then
		rm -f "words.$1.$2"
		command=(./random "words.$1.$2" "$2" "$threads" "$operations")
	fi
	timeout $((seconds + 30)) "$heddle" explore --json -j 1 \
		--store "store.$2" --for "${seconds}s" --search "$1" \
		--classes "$1.$2" -- "${command[@]}" \
		> "out.$2" 2> /dev/null
	if [[ $more == words ]]; then
		mv "words.$1.$2" "$1.$2"
	else
		sort -o "$1.$2" "$1.$2"
	fi
	jq -r 'if .complete then "\(.schedules)"
		elif .left == 0 and (.why | length == 1 and
			(.[0] | contains("fields of a few bits")))
		then "~\(.schedules)" else "-" end' "out.$2" || echo -
}

# SEARCH SEARCH SEED RUNS RUNS: that they differ, if both are complete and do.
compare() {
	[[ $4 == - || $5 == - ]] || cmp -s "$1.$3" "$2.$3" || {
		echo "program $3: $1 and $2 differ"
		return 1
	}
}

# SEED: a line of runs, and on standard error what should not be.
program() {
	local mcm dpor dfs=- differ=false

	mcm=$(explore mcm "$1")
	dpor=$(explore dpor "$1")
	[[ $searches != *dfs* ]] || dfs=$(explore dfs "$1")
	[[ $mcm != - ]] || echo "program $1: mcm is not complete" >&2
	compare mcm dfs "$1" "$mcm" "$dfs" >&2 || differ=true
	compare mcm dpor "$1" "$mcm" "$dpor" >&2 || differ=true
	[[ $mcm == - || $dpor == - || ${mcm#\~} -le ${dpor#\~} ]] ||
		echo "program $1: mcm ${mcm#\~} runs, dpor ${dpor#\~}" >&2
	jq -cn --arg kind "${more:-threads}" --arg mcm "$mcm" \
		--arg dpor "$dpor" --arg dfs "$dfs" --argjson seed "$1" \
		--argjson threads "$threads" --argjson operations \
		"$operations" --argjson differ $differ '
		def runs: if . == "-" then null else ltrimstr("~") | tonumber
			end;
		{ kind: $kind, threads: $threads, operations: $operations,
		  seed: $seed, mcm: ($mcm | runs), dpor: ($dpor | runs),
		  dfs: ($dfs | runs), fields: ($mcm | startswith("~")),
		  differ: $differ }' >> "$each"
	echo "$1 $mcm $dpor $dfs"
	rm -rf "store.$1" "out.$1"
	[[ $more != words ]] || rm -f "mcm.$1" "dpor.$1" "dfs.$1"
}
export -f explore compare program

seq 1 "$programs" | xargs -P "$(nproc)" -I{} bash -c 'program {}' 2> told |
	awk -v with_dfs="$([[ $searches == *dfs* ]] && echo yes)" '
	$2 ~ /~/ { fields++ }
	{ gsub(/~/, "") }
	$2 != "-" { mcm++ }
	$3 != "-" { dpor++ }
	$4 != "-" { dfs++ }
	$2 != "-" && $3 != "-" {
		a += log($2); b += log($3); n++
		more += $2 > $3; fewer += $2 < $3
	}
	END {
		printf "%d programs: mcm complete on %d", NR, mcm
		if (fields)
			printf " (%d of them but for fields of a few bits)",
			       fields
		printf ", DPOR on %d", dpor
		if (with_dfs)
			printf ", dfs on %d", dfs
		printf ". "
		if (n)
			printf "Geometric mean of runs: mcm %.2f, DPOR %.2f " \
			       "(%d fewer, %d more).\n", exp(a / n), exp(b / n),
			       fewer, more
		else
			print ""
	}'
what=classes
[[ $more != words ]] || what=results
echo "Programs whose $what differ between two searches:" \
	"$(cut -d : -f 1 < <(grep differ told) | sort -u | wc -l)."
sort -u told >&2
[[ -z ${EACH:-} ]] || sort "$each" >> "$EACH"
