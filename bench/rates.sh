#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# rates.sh [--quick]: how many events a second are decoded and searched for
# races, the best of three runs on one core, as a table in Markdown. All three
# are in results/rates.json, an object for each row.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
events=20000000
[[ ${1:-} != --quick ]] || events=5000000

mkdir -p "$here/results"
: > "$here/results/rates.json"

# TITLE BAR PATTERN COMMAND...: a row, with the largest number that the pattern
# finds in three runs of a command.
row() {
	local title=$1 bar=$2 pattern=$3

	shift 3
	for _ in 1 2 3; do
		timeout 300 "$@"
	done | sed -n "s|.*$pattern.*|\1|p" |
		jq -cs --arg title "$title" --argjson bar "$bar" \
			'{ name: $title, runs: ., at_least: $bar }' |
		tee -a "$here/results/rates.json" |
		jq -r '(.runs | max) as $best | "| \(.name) | \($best) | " +
			"\(.at_least) | \(if $best >= .at_least then "kept"
			else "**missed**" end) |"'
}

decode=$BUILD/bench/bench_decode
race=$BUILD/bench/bench_race
cat <<-EOF
| million events a second and core | measured | at least | |
|---|---|---|---|
EOF
row "decoding a trace, thread by thread" 20 \
	', read \([0-9.]*\) M/s' "$decode" $events
row "decoding a trace, in the order of stamps" 20 \
	'in order \([0-9.]*\) M/s' "$decode" $events
for threads in 2 4 16; do
	row "finding races, $threads threads" 3 \
		' \([0-9.]*\) million events/s' "$race" $threads \
		$((events / 2))
done
