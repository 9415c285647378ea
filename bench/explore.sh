#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tables 2 and 3 of RV-CAUSAL's paper: schedules until the bug is found, and
# until the fixed program is explored. What the paper printed stands beside what
# heddle's four searches need, deadlocks not asked for. Sizes were chosen so that
# our CHESS needs about as many schedules as the paper's; so it gets the time it
# needs where the paper's came to an end, everything else a limit. Where several
# fit, it is the one that fits both tables and is nearest in the second, and for
# Logger that of the bug's published test, one record and one change; none of
# Allocation's fits both. Those that fit as well stand below the tables with what
# mcm needs for them.
# Then random programs, small enough that depth first comes to an end; the two
# solvers against each other; what a question and a schedule take. Prints
# Markdown.
#
#	bench/explore.sh [--quick | SECONDS [PROGRAMS]]

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
HEDDLE=$BUILD/heddle
export HEDDLE BUILD
seconds=${1:-3}
programs=${2:-210}
patience=120
[[ $seconds != --quick ]] || { seconds=0.1 programs=5 patience=0.1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name in the paper | subject | its size for Table 2 | for Table 3 | to the bug:
# DFS, CHESS, RV-CAUSAL | to the end: the same
programs() {
	cat <<'END'
BubbleSort|bubble_sort|50 1 4|50 1 4|timeout|166|9|timeout|115827|103
Airline|airline|1 1|1 1|7|42|3|timeout|8309|17
Account|account|1 3|1 3|196|14|4|timeout|819|5
Allocation|alloc_vector|1 1 1|1 1 1 3|timeout|15|2|timeout|16311|22
Lang|lang_buffer|30 26|30 26|timeout|18|20|timeout|9990|334
Pool|object_pool|2 1 2|2 1 2|timeout|128|164|timeout|timeout|timeout
Log4J1|logger_appender|2 1|2 1|123|8|3|329|329|3
Log4J2|logger_writer|1 2|1 2|20|29|5|timeout|timeout|9
Logger|logger_filter|1 1 1 2|1 1 1 2|20|9|3|577|138|2
Figure 2|three_threads|2 1|2 1||58478|||||
Figure 2, 7 rounds|three_threads|7 1|2 1||58478|||||
END
}

# Other sizes whose CHESS is within twice the paper's to the end:
# name | fixed subject and its size
others() {
	cat <<'END'
Allocation|alloc_vector|6 1 1
Log4J1|logger_appender|1 1
Logger|logger_filter|2 1 1 2
END
}

# SEARCH SECONDS FILE PROGRAM ARGUMENT...: into FILE the number of schedules, or
# that time was up.
schedules() {
	local search=$1 limit file=$3 status=0

	limit=$(awk -v s="$2" 'BEGIN { print s * 1000 "ms" }')
	shift 3
	timeout 180 "$HEDDLE" explore --json --search "$search" -j 1 \
		--no-deadlocks --store "$file.store" --for "$limit" -- "$@" \
		> "$file.json" 2> /dev/null < /dev/null || status=$?
	case $status in
	0 | 1) ;;
	3) echo -n "> " ;;
	*) echo -n "failed" ;;
	esac > "$file"
	grep -o '"schedules": [0-9]*' "$file.json" | grep -o '[0-9]*$' >> "$file"
}
export -f schedules

# TWIN SIZE COLUMN: a line for each cell of a table: in which columns its sizes
# stand, and the paper's figures begin.
cells() {
	local row search limit

	while IFS='|' read -r -a row; do
		[[ -n ${row[$3 + 1]:-} ]] || continue
		for search in chess dfs dpor mcm; do
			limit=$seconds
			[[ $search != chess || ${row[$3 + 1]} == timeout ]] ||
				limit=$patience
			echo "$search $limit $search$1.${row[1]}.${row[$2]// /_}" \
				"./heddle-gcc/${row[1]}$1 ${row[$2]}"
		done
	done < <(programs)
}

# FILE: how many classes a search saw.
classes() {
	grep -o '"classes": [0-9]*' "$1.json" | grep -o '[0-9]*$'
}

# The same, and whether the program is explored to its end: the table.
table() {
	local row search to_end=$4

	echo "| program | paper: DFS | CHESS | RV-CAUSAL |" \
		"ours: DFS | CHESS | DPOR | mcm |${to_end:+ classes |}"
	echo "|---|--:|--:|--:|--:|--:|--:|--:|${to_end:+--:|}"
	while IFS='|' read -r -a row; do
		[[ -n ${row[$3 + 1]:-} ]] || continue
		echo -n "| ${row[0]} (${row[$2]}) | ${row[$3]:-} |"
		echo -n " ${row[$3 + 1]:-} | ${row[$3 + 2]:-} |"
		for search in dfs chess dpor mcm; do
			echo -n " $(cat "$search$1.${row[1]}.${row[$2]// /_}")"
			echo -n " |"
		done
		[[ -z $to_end ]] || echo -n " $(classes \
			"mcm$1.${row[1]}.${row[$2]// /_}") |"
		echo
	done < <(programs)
}

# Cells of the other sizes, and a sentence about each.
other_cells() {
	local row search

	while IFS='|' read -r -a row; do
		for search in chess mcm; do
			echo "$search $patience other.$search.${row[1]}" \
				"./heddle-gcc/${row[1]}.fixed ${row[2]}"
		done
	done < <(others)
}

other_sizes() {
	local row

	while IFS='|' read -r -a row; do
		echo "${row[0]} (${row[2]}): CHESS $(< "other.chess.${row[1]}")," \
			"mcm $(< "other.mcm.${row[1]}")."
	done < <(others)
}

# PROGRAM ARGUMENT...: a row of how fast mcm is.
rate() {
	"$HEDDLE" explore --json -j 1 --no-deadlocks --store rate.store \
		--for 10s -- "$@" 2> /dev/null |
		awk -F'[:,]' -v name="${*/.\/heddle-gcc\//}" '
		/"schedules"/ { runs = $2 }
		/"seconds"/ && !seconds { seconds = $2 }
		END {
			printf "| %s | %d | %.2f | %.0f |\n", name, runs,
			       seconds, runs / seconds
		}'
}

cd "$scratch" || exit 2
mapfile -t subjects < <(programs | cut -d'|' -f2 | sort -u)
"$here/subjects/build.sh" . -f heddle-gcc "${subjects[@]}" > build.log 2>&1 ||
	{ cat build.log >&2; exit 1; }
{ cells .fixed 3 7; cells "" 2 4; other_cells; } |
	xargs -P "$(nproc)" -L 1 bash -c 'schedules "$@"' schedules
echo "Schedules until the bug is found (Table 2); \`>\`: not within" \
	"$seconds s, so many were run. Sizes of the subjects stand in" \
	"brackets. Deadlocks were not asked for."
echo
table "" 2 4 ""
echo
echo "Schedules until the fixed program is explored (Table 3). Classes: how" \
	"many combinations of values its threads can read; nothing that runs" \
	"each of them needs fewer schedules."
echo
table .fixed 3 7 yes
echo
echo "Other sizes that fit the paper's CHESS: $(other_sizes | paste -sd ' ')"
echo
"$here/bench/explore_random.sh" "$programs" 2 3 5 2>&1
echo
echo "Others, with tries, recursive locks, lists of blocks, fields of a few" \
	"bits, and threads of threads:"
echo
"$here/bench/explore_random.sh" $((programs / 3)) 2 4 2 \
	"mcm dpor dfs" objects 2>&1
"$here/bench/explore_random.sh" $((programs / 3)) 3 5 2 \
	"mcm dpor" objects 2>&1
echo
echo "Larger ones, with read-write locks, signals and single bytes as well:"
echo
"$here/bench/explore_random.sh" $((programs / 3)) 4 8 2 "mcm dpor" more 2>&1
echo
[[ $patience != 120 ]] || {
	echo "Questions to both solvers, with the same answers, all schedules" \
		"simulated: $("$BUILD/tests/test_causal_z3" 2>&1 |
			awk '/ asked,/ { n += $1 } /FAILED/ { n = "failed" }
			END { print n }')."
	echo
	"$BUILD/bench/bench_order" 4 100 8 3 8
	"$BUILD/bench/bench_order" 4 300 8 3 1 | tail -n +3
	echo
}
echo "| two threads | schedules | s | schedules a second |"
echo "|---|--:|--:|--:|"
rate ./heddle-gcc/alloc_vector.fixed 5 1 1
rate ./heddle-gcc/alloc_vector.fixed 4 1
rate ./heddle-gcc/lang_buffer.fixed 30 26
