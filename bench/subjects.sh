#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# subjects.sh [--quick] [NAME...]: the programs of subjects/, or these of them:
# how often each fails when nobody controls it, in how many schedules of each
# strategy it fails, whether a partial fix fails, and whether its fixed twin
# holds. Prints tables in Markdown, keeps all numbers in results/subjects.json,
# one object a line.
#
# Fails when one does not build with gcc, clang and heddle cc without a warning,
# when a subject that is listed as rare is certainly not, when fewer than twenty
# are rare (not asked of --quick, which has too few runs to tell), when one is
# not found in 10,000 schedules by any strategy, or when a fixed twin breaks.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
native_runs=1000
native_limit=2
schedules=500
fixed_schedules=10000
fixed_long=200
points_long=20000
seed=1
if [[ ${1:-} == --quick ]]; then
	shift
	native_runs=100
	native_limit=0.5
	schedules=300
	fixed_schedules=200
	[[ $# -gt 0 ]] || set -- shared_counter log_sweep httpd_cache \
		script_cache compressor fft three_threads table_log lock_order \
		treiber_aba
fi
strategies=(random pct pos surw)
failed=0
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/subjects-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# STRATEGY RUNS PROGRAM...: a campaign as an object.
campaign() {
	local strategy=$1 runs=$2

	shift 2
	timeout 600 "$HEDDLE" run --strategy "$strategy" -n "$runs" \
		--seed $seed --all-failures --json --store "$work/store" \
		-- "$@" < /dev/null 2> "$work/err" > "$work/campaign"
	[[ $? -le 1 ]] || cat "$work/err" >&2
	jq -c '{ verdict, runs, distinct, seconds,
		failing: ([.failures[].count] | add // 0),
		first: ([.failures[].run + 1] | min),
		kinds: ([.failures[].kind] | unique) }' "$work/campaign" ||
		echo null
	rm -rf "$work/store"
}

# As bench_native prints it, as an object.
native() {
	"$BUILD/bench/bench_native" $native_runs $native_limit "$@" |
		jq -cR 'split(" ") | map(tonumber) | { runs: .[0],
			failures: .[1], rate: .[2], lower: .[3],
			upper: .[4], seconds: .[5] }'
}

# PROGRAM...: the most points that a run of some has.
points() {
	"$BUILD/bench/bench_reach" random 1 20 "$@" | cut -d ' ' -f 7
}

# The object of one subject.
subject() {
	local program=$work/heddle-gcc/$name strategy found=() held=()
	local runs points partial=null

	points=$(points "$program.fixed" "$@")

	for strategy in "${strategies[@]}"; do
		runs=$schedules
		[[ $strategy != "$listed" || $budget -lt $runs ]] ||
			runs=$budget
		found+=("\"$strategy\":$(campaign "$strategy" $runs \
			"$program" "$@")")
	done
	[[ $twins != *partial* ]] ||
		partial=$(campaign "$listed" "$budget" "$program.partial" "$@")
	runs=$fixed_schedules
	[[ ${points:-0} -le $points_long ]] || runs=$fixed_long
	for strategy in random pct pos; do
		held+=("\"$strategy\":$(campaign "$strategy" $runs \
			"$program.fixed" "$@")")
	done
	jq -cn --arg name "$name" --arg bugs "$bugs" --arg kind "$kind" \
		--arg rare "$rare" --argjson seed $seed \
		--argjson points "${points:-null}" --argjson partial "$partial" \
		--argjson native "$(native "$work/gcc/$name" "$@")" \
		--argjson found "{$(IFS=,; echo "${found[*]}")}" \
		--argjson fixed "{$(IFS=,; echo "${held[*]}")}" \
		'{ $name, $bugs, $kind, rare: ($rare == "yes"), $seed,
		   $points, $native, $found, $partial, $fixed }'
}

"$subjects/build.sh" "$work" "$@" || exit 1
columns=(name twins bugs kind arguments strategy budget rare)
while IFS=$'\t' read -r -u 3 name twins bugs kind arguments listed budget rare; do
	[[ $arguments != - ]] || arguments=
	# shellcheck disable=SC2086
	subject $arguments
	[[ ! -t 2 ]] || printf '\r%-40s' "$name" >&2
done 3< <("$subjects/list.sh" "${columns[@]}" -- "$@") \
	> "$results/subjects.json"
[[ ! -t 2 ]] || printf '\r%-40s\r' '' >&2

cat <<-EOT
Seeds begin with $seed. Of each strategy: how many of the schedules failed, and
which one was the first. Natively: how many of the runs failed, with the upper
limit of the rate (95 %, exact). Fixed: how many schedules of random walk, PCT
and POS the fixed twin held ($fixed_schedules of each, $fixed_long where a schedule has more
than $points_long points). Points: the most that a schedule of the fixed twin had.

| subject | bug | kind | points | native | at most | random | PCT | POS | SURW | fixed |
|---|---|---|---|---|---|---|---|---|---|---|
EOT
jq -r '
	def cell: if . == null then "no number"
		elif .failing == 0 then "0 of \(.runs)"
		else "\(.failing) of \(.runs), \(.first)" end;
	def percent: . * 10000 | round / 100 | "\(.) %";
	"| \(.name) | \(.bugs) | \(.kind) | \(.points) " +
	"| \(.native.failures) of \(.native.runs) " +
	"| \(.native.upper | percent) " +
	"| \(.found.random | cell) | \(.found.pct | cell) " +
	"| \(.found.pos | cell) | \(.found.surw | cell) " +
	"| \(if all(.fixed[]; .verdict == "held")
	     then [.fixed[].runs] | add | tostring
	     else "**broken**" end) |"' "$results/subjects.json"

# Names of the subjects for which the condition is true.
which_ones() {
	jq -r "select($1) | .name" "$results/subjects.json" | xargs
}

printf '\nBuilt by gcc and clang, natively and with heddle cc, without a warning: %d\n' \
	"$(find "$work"/{gcc,clang,heddle-gcc,heddle-clang} -type f | wc -l)"
echo "programs of $(wc -l < "$results/subjects.json") subjects."
jq -r 'select(.partial) | "The partial fix of \(.name) breaks in \(
	.partial.failing) of \(.partial.runs) schedules, first in \(
	.partial.first)."' "$results/subjects.json"
rare=$(which_ones '.native.upper <= 0.01')
common=$(which_ones '.rare and .native.lower > 0.01')
lost=$(which_ones 'all(.found[]; .failing == 0 or .first > 10000)')
broken=$(which_ones 'any(.fixed[]; .verdict != "held")')
whole=$(which_ones '.partial and .partial.failing == 0')
if [[ $native_runs -ge 400 ]]; then
	printf '\nRare, failing natively in at most 1 %% of runs (95 %%): %d of %d.\n' \
		"$(wc -w <<< "$rare")" "$(wc -l < "$results/subjects.json")"
fi
for bad in "listed as rare, but not so:$common" \
	"found by no strategy:$lost" "broken though fixed:$broken" \
	"not broken though fixed in part:$whole"; do
	[[ -z ${bad#*:} ]] || { failed=1; echo "**${bad%%:*}**: ${bad#*:}"; }
done
if [[ $# -eq 0 && $native_runs -ge 400 && $(wc -w <<< "$rare") -lt 20 ]]; then
	echo "**fewer than twenty**"
	failed=1
fi
exit $failed
