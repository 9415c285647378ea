#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# rates.sh [--quick]: how many events a second are decoded and searched for
# races, the best of three runs on one core, as a table in Markdown.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
events=20000000
[[ ${1:-} != --quick ]] || events=5000000

# Prints the largest number that the pattern finds in three runs of a command.
best() {
	local pattern=$1

	shift
	for _ in 1 2 3; do
		timeout 300 "$@"
	done | sed -n "s|.*$pattern.*|\1|p" | sort -n | tail -n 1
}

row() {
	printf '| %s | %s | %s | %s |\n' "$1" "$2" "$3" \
		"$(awk -v rate="$2" -v bar="${3:-0}" 'BEGIN {
			print (rate + 0 >= bar ? "kept" : "**missed**") }')"
}

decode=$BUILD/bench/bench_decode
race=$BUILD/bench/bench_race
cat <<-EOF
| million events a second and core | measured | at least | |
|---|---|---|---|
EOF
row "decoding a trace, thread by thread" \
	"$(best ', read \([0-9.]*\) M/s' "$decode" $events)" 20
row "decoding a trace, in the order of stamps" \
	"$(best 'in order \([0-9.]*\) M/s' "$decode" $events)" 20
for threads in 2 4 16; do
	row "finding races, $threads threads" \
		"$(best ' \([0-9.]*\) million events/s' "$race" $threads \
			$((events / 2)))" 3
done
