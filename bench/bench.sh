#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bench.sh [--quick]: every benchmark. Writes the tables into
# docs/benchmarks.md, between the lines that mark their places, and keeps them
# with all single runs in bench/results. With --quick it takes less than five
# minutes, fetches nothing and leaves the document alone.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
results=$here/results
document=$here/../docs/benchmarks.md
quick=${1:-}
failed=0
mkdir -p "$results"

version() {
	"$@" --version 2>/dev/null | head -n 1
}

machine() {
	echo "- $("$BUILD/heddle" --version)"
	echo "- $(version gcc); $(version clang-19)"
	echo "- Linux $(uname -r | sed s/-.*//), $(. /etc/os-release && echo "$PRETTY_NAME")"
	echo "- $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)," \
		"$(nproc) processors," \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' \
			/proc/meminfo) GiB"
	echo "- load when it began: $(cut -d ' ' -f 1-3 /proc/loadavg);" \
		"seed of the data: 1"
}

# Runs a benchmark and keeps its table: name, command.
table() {
	local name=$1

	shift
	printf '\n## %s\n\n' "$name"
	"$@" > "$results/$name.md" || failed=1
	cat "$results/$name.md"
}

# Puts the table of that name between its marks in the document.
insert() {
	[[ -s $results/$1.md ]] || return 0
	awk -v name="$1" -v table="$results/$1.md" '
		$0 == "<!-- end " name " -->" { inside = 0 }
		!inside { print }
		$0 == "<!-- begin " name " -->" {
			inside = 1
			while ((getline line < table) > 0)
				print line
		}' "$document" > "$results/document" &&
		cat "$results/document" > "$document"
}

if [[ $quick == --quick ]]; then
	if [[ -d $here/cache/src/pbzip2 ]]; then
		"$here/build_real.sh" {native,tsan,heddle}/pbzip2 || failed=1
	fi
	table machine machine
	table rates "$here/rates.sh" --quick
	table overhead "$here/overhead.sh" --quick
	table subjects "$here/subjects.sh" --quick
	table control "$here/control.sh" --quick
	table reach "$here/reach.sh" --quick
	exit $failed
fi
tables=(machine rates overhead subjects control reach soak)
table machine machine
if "$here/fetch.sh" && "$here/build_real.sh"; then
	table real "$here/run_real.sh"
	tables+=(real)
else
	failed=1
fi
table rates "$here/rates.sh"
table overhead "$here/overhead.sh"
table subjects "$here/subjects.sh"
table control "$here/control.sh"
table reach "$here/reach.sh"
table soak "$here/soak.sh"
for name in "${tables[@]}"; do
	insert $name
done
rm -f "$results/document"
exit $failed
