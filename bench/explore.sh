#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tables 2 and 3 of RV-CAUSAL's paper: schedules until the bug is found, and
# until the fixed program is explored. What the paper printed stands beside what
# heddle's four searches need, deadlocks not asked for, each with a limit of
# time. Prints Markdown.
#
#	bench/explore.sh [--quick | SECONDS]

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
HEDDLE=$BUILD/heddle
export HEDDLE BUILD
seconds=${1:-60}
[[ $seconds != --quick ]] || seconds=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name in the paper | subject | its arguments | to the bug: DFS, CHESS,
# RV-CAUSAL | to the end: the same
programs() {
	cat <<'END'
Airline|airline|2 2|7|42|3|timeout|8309|17
Account|account|1|196|14|4|timeout|819|5
Allocation|alloc_vector|1 1|timeout|15|2|timeout|16311|22
BubbleSort|bubble_sort|5 3|timeout|166|9|timeout|115827|103
Lang|lang_buffer|4|timeout|18|20|timeout|9990|334
Pool|object_pool|1 1|timeout|128|164|timeout|timeout|timeout
Log4J1|logger_appender|1|123|8|3|329|329|3
Log4J2|logger_writer|1|20|29|5|timeout|timeout|9
Logger|logger_filter|1 1|20|9|3|577|138|2
Figure 2|three_threads|||58478|||
END
}

# SEARCH PROGRAM ARGUMENT...: the number of schedules, or that time was up.
schedules() {
	local search=$1 status=0

	shift
	timeout $((seconds + 30)) "$HEDDLE" explore --json --search "$search" \
		-j 1 --no-deadlocks --for "${seconds}s" -- "$@" \
		> out 2> err < /dev/null || status=$?
	case $status in
	0 | 1) ;;
	3) echo -n "> " ;;
	*) echo -n "failed" && return ;;
	esac
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*$'
}

# TWIN COLUMN: a table; COLUMN is where the paper's figures begin.
table() {
	local name subject arguments rest figures

	echo "| program | paper: DFS | CHESS | RV-CAUSAL |" \
		"ours: DFS | CHESS | DPOR | mcm |"
	echo "|---|--:|--:|--:|--:|--:|--:|--:|"
	while IFS='|' read -r name subject arguments rest; do
		IFS='|' read -r -a figures <<< "$rest|"
		echo -n "| $name | ${figures[$2]:-} | ${figures[$2 + 1]:-} |"
		echo -n " ${figures[$2 + 2]:-} |"
		for search in dfs chess dpor mcm; do
			# shellcheck disable=SC2086
			echo -n " $(schedules $search \
				"./heddle-gcc/$subject$1" $arguments) |"
		done
		echo
	done < <(programs)
}

cd "$scratch" || exit 2
mapfile -t subjects < <(programs | cut -d'|' -f2)
"$here/subjects/build.sh" . -f heddle-gcc "${subjects[@]}" > build.log 2>&1 ||
	{ cat build.log >&2; exit 1; }
echo "Schedules until the bug is found (Table 2); \`>\`: not within" \
	"$seconds s, so many were run."
echo
table "" 0
echo
echo "Schedules until the fixed program is explored (Table 3)."
echo
table .fixed 3
