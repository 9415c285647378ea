#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# replays.sh [--quick | RUNS [TIMES [SAME]]]: is control exact? Every program of
# our own tests, as it is without arguments. Each failure that heddle finds in
# it within RUNS schedules is replayed TIMES times: same verdict, same schedule,
# same output? A hang takes two seconds to be one, so hangs are replayed five
# times. And SAME runs of one seed, in servers of their own (as many as six
# seconds allow): are they the same, or is it told what is not controlled?
# Prints Markdown; status 1 when something was not exact. Two programs at a time;
# PROGRAMS, a pattern of names, chooses some of them. What came of each replay and
# of each repetition is an object in results/replays.json.

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
export here BUILD=${BUILD:-$here/build}
export heddle=$BUILD/heddle
every=1
if [[ ${1:-} == --quick ]]; then
	set -- 20 10 30
	every=12
fi
export runs=${1:-100} times=${2:-100} same=${3:-300} hangs=5
export scratch
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One program: lines "replay NAME VERDICT | RESULT" and "same NAME ...".
one() {
	local source=$1 compiler=cc name

	name=$(basename "${source%.*}")
	mkdir "$scratch/$name" && cd "$scratch/$name" || exit 2
	[[ $source == *.cc ]] && compiler=c++
	"$heddle" $compiler -g -O1 -I"$here/include" -o "$name" "$source" \
		> build.out 2>&1 || return 0
	echo "built $name"
	echo "same $name $(timeout 60 "$BUILD/bench/bench_same" "$same" 6 \
		"./$name" 2> same.err < /dev/null || tail -n 1 same.err)"
	timeout 60 "$heddle" run --strategy random -n "$runs" --for 5s \
		--all-failures -j 1 --hang 2s --memory 256M -- "./$name" \
		> run.out 2> run.err < /dev/null
	"$heddle" list 2> list.err | while read -r failure verdict; do
		local n=$times

		[[ $verdict != hang* || $times -lt $hangs ]] || n=$hangs
		echo "replay $name ${verdict:0:60} | $(timeout 60 "$heddle" \
			replay --times "$n" "$failure" 2> replay.err |
			tail -n 1)"
	done
}
export -f one

find "$here"/tests/programs -name "${PROGRAMS:-*}.c" -o \
	-name "${PROGRAMS:-*}.cc" | sort |
	awk -v every="$every" 'NR % every == 0' |
	xargs -P 2 -I {} bash -c 'one "$1" > "$scratch/$(basename "$1").lines"' _ {}
sort "$scratch"/*.lines > "$scratch/all"
mkdir -p "$here/bench/results"
jq -cR 'if startswith("replay ") then
		capture("^replay (?<name>[^ ]+) (?<failure>.*) [|] (?<told>.*)$")
	elif startswith("same ") then
		capture("^same (?<name>[^ ]+) (?<same>.*)$")
	else empty end' "$scratch/all" > "$here/bench/results/replays.json"

echo "| program | failure | |"
echo "|---|---|---|"
sed -n 's/^replay \([^ ]*\) /| \1 | /p' "$scratch/all" | sed 's/$/ |/'
echo
awk -v times="$times" -v same="$same" -v hangs="$hangs" '
$1 == "built" { programs++ }
$1 == "replay" {
	kept++
	often = $3 == "hang:" && times > hangs ? hangs : times
	hung += often < times
	exact += $0 ~ "reproduced " often " of " often "$"
}
$1 == "same" && $3 == $4 && $3 > 0 { equal++; full += $4 == same; next }
$1 == "same" {
	line = $0
	sub("^same [^ ]* ", "", line)
	if ($5 == "told")
		told = told sprintf("- %s: %s\n", $2, line)
	else
		wrong = wrong sprintf("- %s: %s\n", $2, line)
	others++
}
END {
	printf "%d programs, %d failures, %d of them reproduced %d of %d times",
		programs, kept, exact, times, times
	if (hung)
		printf " (%d of %d the %d that hang)", hangs, hangs, hung
	print "."
	printf "\nOf one seed all runs were the same for %d of %d programs, " \
		"%d runs each (fewer, in the time there was, for %d).\n",
		equal, programs, same, equal - full
	if (told)
		printf "\nNot the same, and told to be not controlled (same, " \
			"runs):\n\n%s", told
	if (wrong)
		printf "\n**Not the same, and not told** (same, runs):\n\n%s",
			wrong
	exit wrong != "" || exact < kept
}' "$scratch/all"
