#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# subjects.sh [--quick] [NAME...]: the programs of subjects/, or these of them:
# how often each fails when nobody controls it, in how many schedules of each
# strategy it fails, and whether its fixed twin holds. Prints tables in
# Markdown, keeps all numbers in results/subjects.json, one object a line.
#
# Fails when a subject that is listed as rare is certainly not, when fewer than
# twenty are rare (not asked of --quick, which has too few runs to tell), when
# one is not found in 10,000 schedules by any strategy, or when a fixed twin
# breaks.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
native_runs=1000
native_limit=2
schedules=2000
fixed_schedules=10000
seed=1
if [[ ${1:-} == --quick ]]; then
	shift
	native_runs=100
	native_limit=0.5
	schedules=300
	fixed_schedules=200
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

# The object of one subject.
subject() {
	local program=$work/heddle-gcc/$name strategy found=() held=()
	local runs

	for strategy in "${strategies[@]}"; do
		runs=$schedules
		[[ $strategy != "$listed" || $budget -lt $runs ]] ||
			runs=$budget
		found+=("\"$strategy\":$(campaign "$strategy" $runs \
			"$program" "$@")")
	done
	for strategy in random pct pos; do
		held+=("\"$strategy\":$(campaign "$strategy" \
			$fixed_schedules "$program.fixed" "$@")")
	done
	jq -cn --arg name "$name" --arg bugs "$bugs" --arg kind "$kind" \
		--arg rare "$rare" --argjson seed $seed \
		--argjson native "$(native "$work/gcc/$name" "$@")" \
		--argjson found "{$(IFS=,; echo "${found[*]}")}" \
		--argjson fixed "{$(IFS=,; echo "${held[*]}")}" \
		'{ $name, $bugs, $kind, rare: ($rare == "yes"), $seed,
		   $native, $found, $fixed }'
}

"$subjects/build.sh" "$work" -f gcc -f heddle-gcc "$@" || exit 1
columns=(name bugs kind arguments strategy budget rare)
while IFS=$'\t' read -r -u 3 name bugs kind arguments listed budget rare; do
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
and POS the fixed twin held.

| subject | bug | kind | native | at most | random | PCT | POS | SURW | fixed |
|---|---|---|---|---|---|---|---|---|---|
EOT
jq -r '
	def cell: if . == null then "no number"
		elif .failing == 0 then "0 of \(.runs)"
		else "\(.failing) of \(.runs), \(.first)" end;
	def percent: . * 10000 | round / 100 | "\(.) %";
	"| \(.name) | \(.bugs) | \(.kind) " +
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

rare=$(which_ones '.native.upper <= 0.01')
common=$(which_ones '.rare and .native.lower > 0.01')
lost=$(which_ones 'all(.found[]; .failing == 0 or .first > 10000)')
broken=$(which_ones 'any(.fixed[]; .verdict != "held")')
printf '\nRare, failing natively in at most 1 %% of runs (95 %%): %d of %d.\n' \
	"$(wc -w <<< "$rare")" "$(wc -l < "$results/subjects.json")"
for bad in "listed as rare, but not so:$common" \
	"found by no strategy:$lost" "broken though fixed:$broken"; do
	[[ -z ${bad#*:} ]] || { failed=1; echo "**${bad%%:*}**: ${bad#*:}"; }
done
if [[ $# -eq 0 && $native_runs -ge 400 && $(wc -w <<< "$rare") -lt 20 ]]; then
	echo "**fewer than twenty**"
	failed=1
fi
exit $failed
