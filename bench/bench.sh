#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bench.sh [--quick] [TABLE...]: every table of tables.txt, or these of them.
# Writes each into docs/benchmarks.md as soon as it is made, between the two
# lines that mark its place, and leaves the rest of the document alone; keeps it
# in bench/results as well, as NAME.md and its cells as NAME.tables.json, where
# the scripts leave all single numbers as JSON.
# With --quick it takes less than five minutes, fetches nothing and does not
# touch the document.
#
# To add a table: a line in tables.txt, a script of that name that prints it,
# and its two marks in the document, with the words around them.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
results=$here/results
document=$here/../docs/benchmarks.md
quick=
failed=0
if [[ ${1:-} == --quick ]]; then
	quick=--quick
	shift
fi
mkdir -p "$results"

# ---- the machine ----

version() {
	command -v "$1" > /dev/null || { echo "no $1"; return; }
	"$@" --version 2>/dev/null | head -n 1
}

# Those of these packages that are there, with their versions.
packages() {
	dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "$@" \
		2> /dev/null | sed -n 's/^installed //p' | paste -sd , |
		sed 's/,/, /g'
}

load() {
	cut -d ' ' -f 1-3 /proc/loadavg
}

make_machine() {
	echo "- $("$BUILD/heddle" --version)"
	echo "- $(version gcc); $(version clang-14); $(version clang-19);" \
		"$(version valgrind); $(version gnuplot)"
	echo "- $(packages libbz2-1.0 libz3-4 libsqlite3-0 memcached)"
	echo "- Linux $(uname -r | sed s/-.*//), $(. /etc/os-release && echo "$PRETTY_NAME")"
	echo "- $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)," \
		"$(nproc) processors," \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' \
			/proc/meminfo) GiB"
	echo "- load when it began: $(load); seeds begin with 1 where a table" \
		"names no others"
}

# ---- tables ----

listed() {
	sed -e 's/#.*//' -e 's/|/ /g' "$here/tables.txt" |
		awk 'NF { print $1, $2, $3 }'
}

# Says what is missing for a table, if something is: name, need.
missing() {
	if [[ ! -x $here/$1.sh ]]; then
		echo "This table is not written yet."
		return
	fi
	case $2 in
	-) ;;
	real)
		[[ -d $here/cache/src/memcached ]] ||
			echo "The sources of real programs could not be had."
		;;
	plot)
		command -v gnuplot > /dev/null || echo "There is no gnuplot."
		;;
	*)
		"$BUILD/heddle" help "$2" > /dev/null 2>&1 ||
			echo "This table needs \`heddle $2\`, which is not there yet."
		;;
	esac
}

# The cells of Markdown tables, as JSON.
cells() {
	jq -Rnc '
		def cells: ltrimstr("|") | rtrimstr("|") | split("|") |
			map(gsub("^ +| +$"; ""));
		reduce inputs as $line ({ all: [], inside: false };
			if $line | startswith("|") | not then .inside = false
			elif .inside | not then
				.inside = true |
				.all += [{ columns: ($line | cells), rows: [] }]
			elif $line | test("^[|:-]+$") then .
			else .all[-1].rows += [$line | cells] end) | .all[]'
}

# Makes a table and tells how long that took: name, need.
make_table() {
	local name=$1 lack status=0 began=$SECONDS before

	before=$(load)
	lack=$(missing "$name" "$2")
	printf '\n## %s\n\n' "$name"
	if [[ -n $lack ]]; then
		echo "$lack" > "$results/$name.md"
	else
		# shellcheck disable=SC2086
		"$here/$name.sh" $quick > "$results/$name.md" || status=$?
	fi
	[[ -s $results/$name.md ]] ||
		echo "This table could not be made." > "$results/$name.md"
	cat "$results/$name.md"
	cells < "$results/$name.md" > "$results/$name.tables.json"
	[[ $status -eq 0 ]] || failed=1
	jq -cn --arg name "$name" --arg load "$before" --arg lack "$lack" \
		--argjson seconds $((SECONDS - began)) --argjson status $status \
		'{ $name, $seconds, $load, $status, $lack }' >> "$results/times.json"
	insert "$name"
}

# Puts the table of that name between its marks in the document.
insert() {
	[[ -z $quick ]] || return 0
	grep -qx -- "<!-- begin $1 -->" "$document" ||
		printf '\n## %s\n\n<!-- begin %s -->\n<!-- end %s -->\n' \
			"$1" "$1" "$1" >> "$document"
	awk -v name="$1" -v table="$results/$1.md" '
		$0 == "<!-- end " name " -->" { inside = 0 }
		!inside { print }
		$0 == "<!-- begin " name " -->" {
			inside = 1
			while ((getline line < table) > 0)
				print line
		}' "$document" > "$results/document" &&
		cat "$results/document" > "$document"
	rm -f "$results/document"
}

make_times() {
	cat <<-EOT
	| table | seconds | load before | |
	|---|---|---|---|
	EOT
	jq -r '"| \(.name) | \(.seconds) | \(.load) | \(
		if .lack != "" then "not made"
		elif .status != 0 then "a bar is missed" else "" end) |"' \
		"$results/times.json"
	echo
	jq -rs '"\(map(.seconds) | add / 60 * 10 | round / 10) minutes in all."' \
		"$results/times.json"
}

wanted=()
while read -r name fast need; do
	if [[ $# -gt 0 ]]; then
		[[ " $* " == *" $name "* ]] || continue
	elif [[ -n $quick && $fast != yes ]]; then
		continue
	fi
	wanted+=("$name $need")
done < <(listed)
if [[ ${#wanted[@]} -eq 0 || $# -gt ${#wanted[@]} ]]; then
	echo "bench: tables are: $(listed | cut -d ' ' -f 1 | xargs)" >&2
	exit 2
fi

rm -f "$results/times.json"
make_machine | tee "$results/machine.md"
[[ $# -gt 0 ]] || insert machine
if [[ -z $quick && " ${wanted[*]} " == *" real "* ]]; then
	"$here/fetch.sh" || failed=1
fi
for word in "${wanted[@]}"; do
	# shellcheck disable=SC2086
	make_table $word
done
make_times > "$results/times.md"
printf '\n## times\n\n'
cat "$results/times.md"
[[ $# -gt 0 ]] || insert times
exit $failed
