#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# curves.sh [--quick]: CTrigger's Figures 5 and 6, the study of why repetition is
# a poor test: which unserializable interleavings a program's free runs exercise,
# how many of them are the same in all runs, and how the set of all that were
# exercised grows; and whether the analysis calls the same ones feasible after
# every run (the stability that its section 8.4.1 tells of). Prints a table in
# Markdown, keeps the numbers of every run in results/curves.json, one object a
# line, and draws docs/interleavings.svg, if there is gnuplot.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
plot=$here/../docs/interleavings.svg
names=(httpd_cache httpd_log binlog_rotate script_cache compressor fft lu barnes
	radix)
runs=20
if [[ ${1:-} == --quick ]]; then
	runs=5
	plot=$results/interleavings.svg
fi
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/curves-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# The interleavings of a report, one a line: status, then pattern and places.
interleavings() {
	awk -F '  +' '$3 ~ /^[RW]-[RW]-[RW]$/ {
		status = $NF
		sub(/[,:].*/, "", status)
		sub(/^likely ordered.*/, "likely ordered", status)
		print status "\t" $3 "|" $4 "|" $5 "|" $6
	}' | sort -u
}

# NAME PROGRAM...: an object a run: exercised, new, all so far, and those that
# could have been.
study() {
	local name=$1 run

	shift
	: > "$work/seen"
	: > "$work/feasible"
	rm -f "$work/always"
	for ((run = 1; run <= runs; run++)); do
		timeout 60 "$HEDDLE" run --observe --all --fail-on none \
			--store "$work/store" -- "$@" > /dev/null 2>&1 < /dev/null
		timeout 60 "$HEDDLE" show --interleavings --store "$work/store" \
			2> /dev/null | interleavings > "$work/run"
		rm -rf "$work/store"
		sed -n 's/^exercised\t//p' "$work/run" | sort -u > "$work/now"
		sed -n 's/^\(exercised\|open\|likely ordered\)\t//p' "$work/run" |
			sort -u > "$work/set"
		sort -u "$work/set" "$work/feasible" > "$work/sum"
		cp "$work/sum" "$work/feasible"
		sort -u "$work/now" "$work/seen" > "$work/sum"
		cp "$work/sum" "$work/seen"
		[[ -e $work/always ]] || cp "$work/now" "$work/always"
		comm -12 "$work/now" "$work/always" > "$work/sum"
		cp "$work/sum" "$work/always"
		jq -cn --arg name "$name" --argjson run $run \
			--argjson exercised "$(wc -l < "$work/now")" \
			--argjson seen "$(wc -l < "$work/seen")" \
			--argjson always "$(wc -l < "$work/always")" \
			--argjson feasible "$(wc -l < "$work/feasible")" \
			--arg set "$(cksum < "$work/set")" '{ $name, $run,
				$exercised, $seen, $always, $feasible, $set }'
	done
}

draw() {
	jq -rs 'group_by(.name)[] | (.[-1].feasible) as $all |
		"\"\(.[0].name)\"", (.[] | "\(.run) \(100 * .seen / ([$all, 1] |
		max))"), "\n"' "$results/curves.json" > "$work/data"
	gnuplot <<-EOT
	set terminal svg size 640,360 font "sans-serif,12" background "white"
	set output "$plot"
	set xlabel "free runs"
	set ylabel "exercised of the feasible interleavings, %"
	set yrange [0:100]
	set xrange [1:$runs]
	set key outside right top noenhanced
	set grid ytics lc rgb "#dddddd"
	set border 3
	set tics nomirror
	plot for [i=0:$((${#names[@]} - 1))] "$work/data" index i using 1:2 \
		with lines lw 2 title columnheader(1)
	EOT
}

"$subjects/build.sh" "$work" -f heddle-gcc "${names[@]}" || exit 1
for name in "${names[@]}"; do
	study "$name" "$work/heddle-gcc/$name"
done > "$results/curves.json"
undrawn=
if command -v gnuplot > /dev/null; then
	draw
else
	undrawn="The plot was not made anew: there is no gnuplot."
fi

cat <<-EOT
$runs free runs of each, all accesses recorded. *In all runs*: exercised in every
one of them; *a run*: the fewest and the most that one exercised; then how many
had been exercised after so many runs, and how many could be at all, by the
analysis of all runs. *Sets*: how many different sets of feasible ones the
analyses of the single runs had.

| subject | in all runs | a run | after 1 | 2 | 5 | 10 | $runs | feasible | exercised | sets |
|---|---|---|---|---|---|---|---|---|---|---|
EOT
jq -rs 'group_by(.name)[] | . as $runs |
	def after($n): $runs[[$n, length] | min - 1].seen;
	"| \(.[0].name) | \(.[-1].always) " +
	"| \(map(.exercised) | "\(min) to \(max)") | \(after(1)) | \(after(2)) " +
	"| \(after(5)) | \(after(10)) | \(.[-1].seen) " +
	"| \(.[-1].feasible) " +
	"| \(100 * .[-1].seen / ([.[-1].feasible, 1] | max) | round) % " +
	"| \(map(.set) | unique | length) |"' \
	"$results/curves.json"
[[ -z $undrawn ]] || printf '\n%s\n' "$undrawn"
