#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# ranking.sh [--quick]: CTrigger's Tables 5, 6 and 9, Figures 10 and 11: where the
# time to a bug goes; how many of the feasible interleavings are covered, how the
# set of those that were forced grows while heddle expose works, and which of
# them broke the program; how many that the analysis leaves can really happen; how
# long it takes to the bug when the rarest come first (by gap), and when they come
# as they were met. Prints tables in Markdown, keeps all numbers in
# results/ranking*.json, and draws docs/coverage.svg, if there is gnuplot.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
plot=$here/../docs/coverage.svg
names=(httpd_cache httpd_log binlog_rotate script_cache compressor fft lu barnes)
budget=10
curve_budget=10
explore_budget=4
seeds=(1 2 3)
if [[ ${1:-} == --quick ]]; then
	names=(httpd_log script_cache)
	budget=3
	curve_budget=3
	explore_budget=2
	seeds=(1)
	plot=$results/coverage.svg
fi
# Tables 5, 6 and 9 of the paper: profiling, analysis, testing; feasible, covered
# by stress, covered in all, those that exposed a bug; left by the analysis,
# feasible by inspection.
printed=$(jq -cn '{
	httpd_cache: ["61.4, 1.1, 172.5", "65, 52, 65; 7",
		"157, 65, 41 %"],
	httpd_log: ["61.4, 1.1, 1.1", "65, 52, 65; 7",
		"157, 65, 41 %"],
	binlog_rotate: ["0.90, 0.10, 0.90", "25, 24, 25; 1",
		"25, 25, 100 %"],
	script_cache: ["8.0, 1.0, 57.2", "31, 11, 30; 2",
		"48, 31, 65 %"],
	compressor: ["0.56, 0.0006, 2.01", "18, 10, 15; 4",
		"25, 18, 72 %"],
	fft: ["0.52, 0.23, 0.19", "21, 13, 21; 5",
		"21, 21, 100 %"],
	lu: ["1.40, 2.58, 0.18", "7, 4, 7; 3",
		"7, 7, 100 %"],
	barnes: ["4.88, 7.81, 4.94", "100, 93, 100; 4",
		"143, 100, 70 %"] }')
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/ranking-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# NAME RANK SEED [OPTION...]: what heddle expose says, with these.
expose() {
	local name=$1 rank=$2 seed=$3 limit=$budget

	shift 3
	[[ $# -eq 0 ]] || limit=$curve_budget
	timeout $((limit + 60)) "$HEDDLE" expose --budget "${limit}s" --rank "$rank" \
		--seed "$seed" --json --store "$work/store" "$@" \
		-- "$work/heddle-gcc/$name" < /dev/null 2> "$work/err" > "$work/out"
	[[ $? -le 1 ]] || cat "$work/err" >&2
	jq -c --arg name "$name" --arg rank "$rank" --argjson seed "$seed" \
		'{ $name, ranked: $rank, $seed, verdict, seconds, runs, space,
		   observe_seconds, analyse_seconds,
		   coverage, bugs, candidates: [.candidates[] |
			{ kind, rank, state, runs, forced, seconds }],
		   told: ([.candidates[] | select(.forced > 0) |
			.interleaving // empty] as $forced |
			[.interleavings // [] | to_entries[] | .value + { forced:
				([.key + 1] | inside($forced)) } |
			{ status, c, name: "\(.pattern) \(.p) \(.r) \(.c)",
			  covered: (.forced or .status == "exercised") }]) }' \
		"$work/out"
	rm -rf "$work/store"
}

# NAME: interleavings that happened in a run of heddle explore, which tries one
# order of conflicting events after the other, as long as there is time.
explored() {
	timeout $((explore_budget + 60)) "$HEDDLE" explore --search dpor \
		--all-failures --for "${explore_budget}s" --json \
		--interleavings "$work/seen" --store "$work/store" \
		-- "$work/heddle-gcc/$1" > "$work/explored" 2> /dev/null < /dev/null
	jq -cn --arg name "$1" --rawfile seen "$work/seen" '{ $name,
		seen: ($seen | split("\n") | map(select(. != ""))) }'
	rm -rf "$work/store" "$work/seen"
}

# Figure 10: the curve of each, and on it the interleavings that broke the program,
# where they were forced first.
draw() {
	jq -r --argjson last $curve_budget '"\"\(.name)\"", "0.001 0",
		(.coverage[] | "\(.seconds) \(.covered)"),
		"\($last) \(.coverage | last // { covered: 0 } | .covered)",
		"\n"' "$results/ranking-curves.json" > "$work/data"
	jq -r '.coverage as $curve | "\"\(.name)\"", "1000 0",
		(.candidates[] | select(.state == "bug" and .seconds > 0) |
		.seconds as $at | ([$curve[] | select(.seconds <= $at)] | last //
		{ covered: 0 }).covered | "\($at) \(.)"), "\n"' \
		"$results/ranking-curves.json" > "$work/marks"
	gnuplot <<-EOT
	set terminal svg size 640,360 font "sans-serif,12" background "white"
	set output "$plot"
	set xlabel "seconds"
	set ylabel "feasible interleavings covered"
	set yrange [0:*]
	set logscale x
	set xrange [0.001:$curve_budget]
	set key outside right top noenhanced
	set grid ytics lc rgb "#dddddd"
	set border 3
	set tics nomirror
	plot for [i=0:$((${#names[@]} - 1))] "$work/data" index i using 1:2 \
		with steps lw 2 lc i + 1 title columnheader(1), \
		for [i=0:$((${#names[@]} - 1))] "$work/marks" index i \
		using 1:2 with points pt 7 ps 0.5 lc i + 1 notitle, \
		1 / 0 with points pt 7 ps 0.5 lc rgb "black" title "a bug"
	EOT
}

"$subjects/build.sh" "$work" -f heddle-gcc "${names[@]}" || exit 1
for name in "${names[@]}"; do
	for seed in "${seeds[@]}"; do
		expose "$name" gap "$seed"
		expose "$name" first-come "$seed"
	done
done > "$results/ranking.json"
for name in "${names[@]}"; do
	expose "$name" gap 1 --all-failures --explain
done > "$results/ranking-curves.json"
for name in "${names[@]}"; do
	explored "$name"
done > "$results/ranking-explored.json"
undrawn=
if command -v gnuplot > /dev/null; then
	draw
else
	undrawn="The plot was not made anew: there is no gnuplot."
fi

cat <<-EOT
Means of the seeds ${seeds[*]}; $budget s at most. *To force*: candidates.
*Rank*: of the one that broke the program first, in the order in which they are
tried (none when it broke before any was).

| subject | to force | rank by gap | seconds | rank first come | seconds | ratio |
|---|---|---|---|---|---|---|
EOT
jq -rs --argjson budget $budget '
	def mean: if length == 0 then null else add / length end;
	def seconds: map(([.bugs[].seconds] | min) // $budget) | mean;
	def missed: map(select(.bugs == [])) | length;
	def places: map(.bugs | sort_by(.seconds)[0] // {} | .candidate |
		select(. != null));
	def rank: places | mean |
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

Seconds that profiling, analysis and testing took to the first failure (means):

| subject | paper | profiling | analysis | testing |
|---|---|---|---|---|
EOT
jq -rs --argjson printed "$printed" '
	def mean: add / length;
	def text: . * 10000 | round / 10000;
	map(select(.ranked == "gap")) | group_by(.name)[] |
	"| \(.[0].name) | \($printed[.[0].name][0]) " +
	"| \(map(.observe_seconds) | mean | text) " +
	"| \(map(.analyse_seconds) | mean | text) " +
	"| \(map(.seconds - .observe_seconds - .analyse_seconds) | mean | text) |"' \
	"$results/ranking.json"
cat <<-EOT

Interleavings that the analysis calls feasible, how many of them one profile
exercised by itself, and how many a search that goes on after the first failure
forced of the others in $curve_budget s (paper: feasible, by stress, in all; those
that exposed a bug). *Broke*: of the candidates, how many broke the program when
they were forced, and how many of these are interleavings (the others are orders of
two accesses); then the place of the first in the list, and whether that is in its
first tenth (a part of one counts as one). What is not covered may be impossible for reasons that a trace does
not show: *C*, of the instructions that are the end of a feasible one, those of
which one was covered; *seen*, of the interleavings that happened when \`heddle
explore\` tried one order after the other for $explore_budget s, those that were covered
too:

| subject | paper | feasible | exercised | forced | covered | C | seen | broke | first | top |
|---|---|---|---|---|---|---|---|---|---|---|
EOT
jq -r --argjson printed "$printed" --slurpfile explored "$results/ranking-explored.json" '
	(.space.open + .space.likely + .space.exercised) as $all |
	(.coverage[-1].covered // .space.exercised) as $covered |
	"| \(.name) | \($printed[.name][1]) | \($all) | \(.space.exercised) " +
	"| \($covered - .space.exercised) " +
	"| \(100 * $covered / ([$all, 1] | max) | round) % " +
	([.told[] | select(.status != "pruned")] | group_by(.c)) as $ends |
	"| \([$ends[] | select(any(.covered))] | length) of \($ends | length) " +
	([.told[] | select(.covered) | .name]) as $named | .name as $name |
	($explored[] | select(.name == $name) | .seen) as $seen |
	"| \([$seen[] | select([.] | inside($named))] | length) of " +
	"\($seen | length) " +
	([.candidates | to_entries[] | select(.value.state == "bug")]) as $bad |
	([$bad[].key + 1]) as $broke |
	([$bad[].value | select(.kind == "interleaving")] | length) as $whole |
	"| \($broke | length), \($whole) | \($broke[0] // "-") of " +
	"\(.candidates | length) | " +
	(if $broke == [] then "-" elif $broke[0] <=
		(.candidates | length / 10 | ceil) then "yes" else "no" end) +
	" |"' \
	"$results/ranking-curves.json"
cat <<-EOT

Of what the analysis leaves, how much can happen: every one that did, in the
watched run, forced, or in an order that \`heddle explore\` tried. As the paper
counts (its Table 9: left by the analysis, feasible by inspection), by the
instruction C; and by interleavings (P, R, C). What did not happen is not known to
be impossible.

| subject | paper | C left | happened | part | interleavings left | happened | part |
|---|---|---|---|---|---|---|---|
EOT
jq -r --argjson printed "$printed" --slurpfile explored "$results/ranking-explored.json" '
	def part($of): if $of == 0 then "" else
		"\(100 * . / $of | round) %" end;
	def cells: (map(select(.)) | length) as $did | length as $left |
		"| \($left) | \($did) | \($did | part($left)) ";
	.name as $name |
	(reduce ($explored[] | select(.name == $name) | .seen[]) as $one
		({}; .[$one] = true)) as $seen |
	[.told[] | select(.status != "pruned") |
		{ c, happened: (.covered or $seen[.name]) }] as $left |
	"| \(.name) | \($printed[.name][2]) " +
	([$left | group_by(.c)[] | any(.happened)] | cells) +
	([$left[].happened] | cells) + "|"' "$results/ranking-curves.json"
[[ -z $undrawn ]] || printf '\n%s\n' "$undrawn"
