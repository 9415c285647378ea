#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# soak.sh [RUNS]: many schedules of one program (200,000 unless told), and what
# they leave behind: nothing. Processes, descriptors, memory of tool and server,
# shared memory and files are counted early and again before the end. Prints a
# table in Markdown, keeps all counts in results/soak.json, an object each; status
# 1 when something has grown.
#
# The program has few schedules: the tool counts distinct ones, and remembers
# each.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
runs=${1:-200000}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/soak-XXXXXX") || exit 2
tool=
trap '[[ -z $tool ]] || kill "$tool" 2> /dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

# The tool and all that descends from it.
family() {
	local pid

	echo "$1"
	for pid in $(pgrep -P "$1"); do
		family "$pid"
	done
}

server() {
	pgrep -P "$tool" | head -n 1
}

field() {
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}

files() {
	{ find kept /dev/shm 2> /dev/null || true; } | wc -l
}

# One column: processes besides the run under way, descriptors and KiB of both.
# What a server has mapped beside its runs is in its resident memory; the memory
# they share is counted apart.
column() {
	local at

	at=$(server)
	family "$tool" | wc -l | awk '{ print ($1 > 3 ? $1 : "at most 3") }'
	find "/proc/$tool/fd" -mindepth 1 | wc -l
	# One more while it watches a run: the least of a few looks counts.
	for _ in {1..20}; do
		find "/proc/$at/fd" -mindepth 1 | wc -l
	done | sort -n | head -n 1
	field "$tool" RssAnon
	field "$at" RssAnon
	field "$tool" RssShmem
	files
}

"$BUILD/heddle" cc -g -O2 -o turns "$here/programs/turns.c" || exit 2
"$BUILD/heddle" run --strategy random -n "$runs" --seed 1 -j 1 --store kept \
	-- ./turns 2 4 > out 2> err &
tool=$!

begin=$SECONDS
warm=$((runs / 10000 + 2))
sleep $warm
column > first
cp first counts
while kill -0 "$tool" 2> /dev/null; do
	column > next 2> /dev/null && [[ $(wc -l < next) -eq 7 ]] &&
		cat next >> counts && mv next last
	sleep 2
done
wait "$tool"
status=$?
tool=
took=$((SECONDS - begin))
left=$(pgrep -cf "$scratch/turns" || true)

cat > names <<-EOF2
processes of the tool
descriptors of the tool
descriptors of the server
memory of the tool, KiB
memory of the server, KiB
shared memory, KiB
files
EOF2
mkdir -p "$here/results"
jq -cR . counts | jq -cs --rawfile names names --argjson runs "$runs" '
	($names | split("\n") | map(select(. != ""))) as $names |
	[range(0; length / 7 | floor) as $i | .[7 * $i:7 * $i + 7]] | .[] |
	[$names, .] | transpose | map({ key: .[0], value: (.[1] |
		tonumber? // .) }) | { $runs } + from_entries' \
	> "$here/results/soak.json"
tail -n 1 out
echo
echo "| after $runs schedules ($took s) | after ${warm} s | before the end | |"
echo "|---|---|---|---|"
failed=0
paste -d '|' names first last | awk -F '|' '{
	limit = $1 ~ /KiB/ ? $2 * 1.05 + 512 : $2
	kept = $1 ~ /^processes/ ? $2 == $3 : $3 <= limit
	printf "| %s | %s | %s | %s |\n", $1, $2, $3, kept ? "kept" : "**grown**"
	bad = bad || !kept
}
END { exit bad }' || failed=1
[[ $(grep -c "" last) -eq 7 ]] || failed=1
echo "| processes left behind | | $left | $([[ $left -eq 0 ]] && echo kept || echo '**left**') |"
[[ $left -eq 0 && $status -eq 0 ]] || failed=1
exit $failed
