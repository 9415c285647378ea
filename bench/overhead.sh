#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# overhead.sh [--quick]: what a program of two threads costs native, with idle
# hooks, observed, with access pairs and loops collected, and under gcc's thread
# sanitizer. The runs take turns, and of
# each the smallest number counts, for whatever else happens on the machine
# only adds. Prints tables in Markdown; bench/results/overhead.json has every
# run. pbzip2 takes part if fetch.sh has fetched it.
#
# The sanitizer looks for races but prints none, its own switch for benchmarks.
# Of observing, two costs are told: that of the program, and that of the tool,
# which takes the events away while the program runs and looks for races after.
# Status 1: a program did not do what it should, or something was found.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
results=$here/results
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$results"

rounds=5
megabytes=30
declare -A size=([matrix]=500 [hashtable]=2000000 [queue]=250000 [list]=20)
if [[ ${1:-} == --quick ]]; then
	rounds=3
	megabytes=5
	size=([matrix]=300 [hashtable]=300000 [queue]=50000 [list]=6)
fi
programs=(matrix hashtable queue list)
variants=(native idle observe pairs tsan)

fail() {
	echo "overhead: $*" >&2
	exit 1
}

build() {
	local source=$here/programs/$1.c flags=(-O2 -g -pthread)

	gcc "${flags[@]}" "$source" -o "$scratch/$1-native" &&
		gcc "${flags[@]}" -fsanitize=thread "$source" \
			-o "$scratch/$1-tsan" &&
		"$HEDDLE" cc "${flags[@]}" "$source" -o "$scratch/$1-idle" &&
		"$HEDDLE" cc --loops "${flags[@]}" "$source" \
			-o "$scratch/$1-pairs" ||
		fail "cannot build $1"
}

# Sets words to what runs a variant of a program.
choose() {
	words=("$scratch/$1-$2")
	case $2 in
	observe) words=("$HEDDLE" run --observe --store "$scratch/store"
		--keep 1 -o "$scratch/report" -- "$scratch/$1-idle") ;;
	pairs) words=("$BUILD/bench/bench_pairs" -l "${words[@]}") ;;
	tsan) words=(env TSAN_OPTIONS=report_bugs=0 "${words[@]}") ;;
	esac
	case $1 in
	pbzip2) words+=(-p2 -k -c "$scratch/data") ;;
	*) words+=("${size[$1]}") ;;
	esac
}

# All variants print the same, and nothing is found.
check() {
	local variant want got

	for variant in "${variants[@]}"; do
		choose "$1" "$variant"
		got=$(timeout 300 "${words[@]}" | cksum)
		want=${want:-$got}
		[[ $got == "$want" ]] || fail "$1: other output when $variant"
	done
	tail -n 1 "$scratch/report" | grep -q '^held.* 0 races, 0 lock cycles' ||
		fail "$1: $(tail -n 1 "$scratch/report")"
}

for program in "${programs[@]}"; do
	build "$program"
done
real=$here/cache/build
if [[ -d $here/cache/src/pbzip2 ]]; then
	"$here/build_real.sh" {native,tsan,heddle,loops}/pbzip2
fi
if [[ -x $real/heddle/pbzip2/pbzip2 && -x $real/tsan/pbzip2/pbzip2 ]]; then
	programs+=(pbzip2)
	for variant in native:native heddle:idle tsan:tsan loops:pairs; do
		cp "$real/${variant%:*}/pbzip2/pbzip2" \
			"$scratch/pbzip2-${variant#*:}"
	done
	"$BUILD/bench/mixed" $megabytes 1 > "$scratch/data" || exit 2
else
	echo "overhead: no pbzip2; bench/fetch.sh fetches it" >&2
fi
for program in "${programs[@]}"; do
	check "$program"
	for variant in "${variants[@]}"; do
		kind=plain
		[[ $variant != observe && $variant != pairs ]] || kind=tool
		choose "$program" "$variant"
		echo "$program $variant $kind ${words[*]}"
	done
done > "$scratch/list"
"$BUILD/bench/stopwatch" -n $rounds -t 300 < "$scratch/list" \
	> "$scratch/runs" || fail "not every run came to its end"
awk -F '\t' 'BEGIN { print "[" } {
	printf "%s{\"program\":\"%s\",\"variant\":\"%s\",\"round\":%d," \
		"\"status\":%d,\"wall\":%s,\"cpu\":%s,\"rss_kib\":%d," \
		"\"tool_cpu_during\":%s,\"tool_cpu_after\":%s," \
		"\"tool_rss_kib\":%d,\"total_wall\":%s,\"user\":%s}",
		(NR > 1 ? ",\n" : ""),
		$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
	} END { print "\n]" }' "$scratch/runs" > "$results/overhead.json"
awk -f "$here/overhead.awk" "$scratch/runs"
