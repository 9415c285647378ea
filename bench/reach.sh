#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# reach.sh [--quick]: how often strategies make programs with known bugs fail,
# beside what their papers promise, as tables in Markdown. Status 1 when a
# promise is not kept. Seeds are fixed: the same tables on every machine. Each
# measurement is an object in results/reach.json.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/reach-XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
less=1
mkdir -p "$here/results"
: > "$here/results/reach.json"
[[ ${1:-} != --quick ]] || less=4

# NAME STRATEGY DEPTH RUNS [ARGUMENT]: the line of bench_reach.
reach() {
	local program=$scratch/$1 line

	if [[ ! -x $program ]]; then
		"$BUILD/heddle" cc -g -O1 -o "$program" \
			"$here/../tests/programs/reach_$1.c" || exit 2
	fi
	line=$(timeout 600 "$BUILD/bench/bench_reach" "$2" "$3" \
		$(($4 / less)) "$program" ${5:+"$5"}) || return
	jq -cR --arg name "$1" --arg strategy "$2" --arg depth "$3" \
		--arg argument "${5:-}" 'split(" ") | map(tonumber) | { $name,
		$argument, $strategy, depth: ($depth | tonumber), hits: .[0],
		runs: .[1], rate: .[2], lower: .[3], upper: .[4],
		threads: .[5], points: .[6] }' <<< "$line" \
		>> "$here/results/reach.json"
	echo "$line"
}

# The lower limit of PCT's rate and 1 / (n k^(d-1)).
bound() {
	local name=$1 depth=$2 runs=$3 line

	line=$(reach "$name" pct "$depth" "$runs") || exit 2
	awk -v d="$depth" '{
		bound = 1 / ($6 * $7 ^ (d - 1))
		kept = $4 >= bound
		printf "| %d | %d | %d | %d | %d | %.5f | %.5f | %.5f | %s |\n",
			d, $6, $7, $2, $1, $3, $4, bound,
			kept ? "kept" : "**missed**"
		exit !kept
	}' <<< "$line"
}

# Hits of some strategies (random walk is one of them), and whether the lower
# limit of the one named first is above the upper limit of random walk.
compare() {
	local strategies=$1 title=$2 name=$3 runs=$4 argument=${5:-}
	local strategy line

	for strategy in $strategies; do
		line=$(reach "$name" "$strategy" 2 "$runs" "$argument") || exit 2
		echo "$strategy $line"
	done | awk -v title="$title" '{
		if (!better)
			better = $1
		hits[$1] = $2; runs = $3; lower[$1] = $5; upper[$1] = $6
	}
	function cell(name) {
		return name in hits ? hits[name] : ""
	}
	END {
		kept = lower[better] > upper["random"]
		printf "| %s | %d | %s | %s | %s | %s | %s | %.5f | %.5f | %s |\n",
			title, runs, cell("random"), cell("pct"), cell("pos"),
			cell("surw"), better, lower[better], upper["random"],
			kept ? "kept" : "**missed**"
		exit !kept
	}'
}

failed=0
cat <<-EOF2
PCT on programs whose bug needs a certain depth d, with n threads and k points:

| d | n | k | runs | hits | rate | lower limit (99 %) | 1/(n k^(d-1)) | |
|---|---|---|---|---|---|---|---|---|
EOF2
bound depth1 1 8000 ||
	failed=1
bound depth2 2 16000 ||
	failed=1
bound depth3 3 48000 ||
	failed=1
cat <<-EOF2

What random walk does not find (PCT with depth 2):

| program | runs | random | pct | pos | surw | better | its lower limit | random's upper limit | |
|---|---|---|---|---|---|---|---|---|---|
EOF2
compare "pos random pct surw" "8 writers before one reader" writers 8000 ||
	failed=1
compare "surw random pct pos" "a long thread and a short one" long_short 8000 ||
	failed=1
compare "surw random pct pos" "two stages, 20 threads" two_stages 4000 20 ||
	failed=1
# A quarter of these runs would tell nothing.
if [[ $less -eq 1 ]]; then
	compare "surw random" "two stages, 50 threads" two_stages 2000 50 ||
		failed=1
	compare "surw random" "two stages, 100 threads" two_stages 8000 100 ||
		failed=1
fi
exit $failed
