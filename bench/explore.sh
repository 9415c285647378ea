#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tables 2 and 3 of RV-CAUSAL's paper: schedules until the bug is found, and
# until the fixed program is explored. What the paper printed stands beside what
# heddle's four searches need, deadlocks not asked for, each with a limit of
# time. Then random programs, small enough that depth first comes to an end.
# Prints Markdown.
#
#	bench/explore.sh [--quick | SECONDS [PROGRAMS]]

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
HEDDLE=$BUILD/heddle
export HEDDLE BUILD
seconds=${1:-3}
programs=${2:-200}
[[ $seconds != --quick ]] || { seconds=0.1 programs=5; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name in the paper | subject | its size for Table 2 | for Table 3 | to the bug:
# DFS, CHESS, RV-CAUSAL | to the end: the same
programs() {
	cat <<'END'
Airline|airline|2 2|2 2|7|42|3|timeout|8309|17
Account|account|1 3|1 2|196|14|4|timeout|819|5
Allocation|alloc_vector|1 1 1|2 1|timeout|15|2|timeout|16311|22
BubbleSort|bubble_sort|4 2|4 2|timeout|166|9|timeout|115827|103
Lang|lang_buffer|4|20|timeout|18|20|timeout|9990|334
Pool|object_pool|1 1 2|1 1 3|timeout|128|164|timeout|timeout|timeout
Log4J1|logger_appender|2 1|2 1|123|8|3|329|329|3
Log4J2|logger_writer|1 2|1 2|20|29|5|timeout|timeout|9
Logger|logger_filter|1 1 1|1 1 1|20|9|3|577|138|2
Figure 2|three_threads|2 1|2 1||58478||||
END
}

# SEARCH PROGRAM ARGUMENT...: the number of schedules, or that time was up.
schedules() {
	local search=$1 status=0

	shift
	timeout 60 "$HEDDLE" explore --json --search "$search" -j 1 \
		--no-deadlocks --for "$limit" -- "$@" \
		> out 2> err < /dev/null || status=$?
	case $status in
	0 | 1) ;;
	3) echo -n "> " ;;
	*) echo -n "failed" && return ;;
	esac
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*$'
}

# TWIN SIZE COLUMN: a table; in which columns its sizes stand, and the paper's
# figures begin.
table() {
	local row

	echo "| program | paper: DFS | CHESS | RV-CAUSAL |" \
		"ours: DFS | CHESS | DPOR | mcm |"
	echo "|---|--:|--:|--:|--:|--:|--:|--:|"
	while IFS='|' read -r -a row; do
		echo -n "| ${row[0]} (${row[$2]}) | ${row[$3]:-} |"
		echo -n " ${row[$3 + 1]:-} | ${row[$3 + 2]:-} |"
		for search in dfs chess dpor mcm; do
			# shellcheck disable=SC2086
			echo -n " $(schedules $search \
				"./heddle-gcc/${row[1]}$1" ${row[$2]}) |"
		done
		echo
	done < <(programs)
}

limit=$(awk -v s="$seconds" 'BEGIN { print s * 1000 "ms" }')
cd "$scratch" || exit 2
mapfile -t subjects < <(programs | cut -d'|' -f2)
"$here/subjects/build.sh" . -f heddle-gcc "${subjects[@]}" > build.log 2>&1 ||
	{ cat build.log >&2; exit 1; }
echo "Schedules until the bug is found (Table 2); \`>\`: not within" \
	"$seconds s, so many were run. Sizes of the subjects stand in" \
	"brackets. Deadlocks were not asked for."
echo
table "" 2 4
echo
echo "Schedules until the fixed program is explored (Table 3)."
echo
table .fixed 3 7
echo
"$here/bench/explore_random.sh" "$programs" 2 3 3
