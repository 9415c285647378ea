#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# ranking.sh [--quick]: CTrigger's Figures 10 and 11. The first: how the set of
# forced interleavings grows while heddle expose works, and which of them broke
# the program. The second: how long it takes to the bug when the rarest come
# first (by gap), and when they come as they were met. Prints tables in Markdown,
# keeps all numbers in results/ranking.json, and draws docs/coverage.svg, if there
# is gnuplot.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
plot=$here/../docs/coverage.svg
names=(httpd_cache httpd_log binlog_rotate script_cache compressor fft lu barnes)
curves=(httpd_cache compressor barnes)
budget=20
seeds=(1 2 3 4 5)
if [[ ${1:-} == --quick ]]; then
	names=(httpd_log script_cache)
	curves=(httpd_cache)
	budget=3
	seeds=(1)
	plot=$results/coverage.svg
fi
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/ranking-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# NAME RANK SEED [OPTION...]: what heddle expose says, with these.
expose() {
	local name=$1 rank=$2 seed=$3

	shift 3
	timeout $((budget + 60)) "$HEDDLE" expose --budget ${budget}s --rank "$rank" \
		--seed "$seed" --json --store "$work/store" "$@" \
		-- "$work/heddle-gcc/$name" < /dev/null 2> "$work/err" > "$work/out"
	[[ $? -le 1 ]] || cat "$work/err" >&2
	jq -c --arg name "$name" --arg rank "$rank" --argjson seed "$seed" \
		'{ $name, ranked: $rank, $seed, verdict, seconds, runs, space,
		   coverage, bugs, candidates: [.candidates[] |
			{ rank, state, runs, forced, seconds }] }' "$work/out"
	rm -rf "$work/store"
}

draw() {
	command -v gnuplot > /dev/null || return 0
	jq -r '"\"\(.name)\"", "0 0", (.coverage[] | "\(.seconds) \(.forced)"),
		"\n"' "$results/ranking-curves.json" > "$work/data"
	gnuplot <<-EOT
	set terminal svg size 640,360 font "sans-serif,12" background "white"
	set output "$plot"
	set xlabel "seconds"
	set ylabel "interleavings forced, beyond those of free runs"
	set yrange [0:*]
	set xrange [0:*]
	set key outside right top noenhanced
	set grid ytics lc rgb "#dddddd"
	set border 3
	set tics nomirror
	plot for [i=0:$((${#curves[@]} - 1))] "$work/data" index i using 1:2 \
		with steps lw 2 title columnheader(1)
	EOT
}

"$subjects/build.sh" "$work" -f heddle-gcc "${names[@]}" "${curves[@]}" || exit 1
for name in "${names[@]}"; do
	for seed in "${seeds[@]}"; do
		expose "$name" gap "$seed"
		expose "$name" first-come "$seed"
	done
done > "$results/ranking.json"
for name in "${curves[@]}"; do
	expose "$name" gap 1 --all-failures
done > "$results/ranking-curves.json"
draw

cat <<-EOT
Means of the seeds ${seeds[*]}; $budget s at most. *Rank*: of the interleaving
that broke the program, among those that may happen (none when it broke before
any was forced).

| subject | to force | rank by gap | seconds | rank first come | seconds | ratio |
|---|---|---|---|---|---|---|
EOT
jq -rs --argjson budget $budget '
	def mean: if length == 0 then null else add / length end;
	def seconds: map(([.bugs[].seconds] | min) // $budget) | mean;
	def missed: map(select(.bugs == [])) | length;
	def rank: map(. as $all | .bugs | sort_by(.seconds)[0] // {} | .candidate |
		select(. != null and . >= 0) | $all.candidates[.].rank) | mean |
		if . == null then "" else . * 10 | round / 10 | tostring end;
	def text: (seconds * 100 | round / 100 | tostring) +
		if missed > 0 then ", \(missed) of \(length) > \($budget) s"
		else "" end;
	group_by(.name)[] | map(select(.ranked == "gap")) as $gap |
	map(select(.ranked != "gap")) as $come |
	"| \($gap[0].name) | \($gap | map(.candidates | length) | mean | round) " +
	"| \($gap | rank) | \($gap | text) | \($come | rank) | \($come | text) " +
	"| \(($come | seconds) / ($gap | seconds) * 10 | round / 10) |"' \
	"$results/ranking.json"
cat <<-EOT

What a search that goes on after the first failure forced in $budget s:

| subject | to force | forced | broke the program | benign | seconds to the last |
|---|---|---|---|---|---|
EOT
jq -r '"| \(.name) | \(.candidates | length) " +
	"| \(.coverage[-1].forced // 0) " +
	"| \([.candidates[] | select(.state == "bug")] | length) " +
	"| \([.candidates[] | select(.state == "benign")] | length) " +
	"| \([.candidates[].seconds] | max * 100 | round / 100) |"' \
	"$results/ranking-curves.json"
