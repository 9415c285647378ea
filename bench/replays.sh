#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every failure that heddle finds in the programs of its own tests, replayed a
# hundred times: same verdict, same schedule? And is the same seed the same
# schedule? Prints Markdown. Programs that need arguments, or never end, have
# no failures here and are left out.
#
#	bench/replays.sh [--quick | RUNS [TIMES]]

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$here/build}
heddle=$BUILD/heddle
[[ ${1:-} != --quick ]] || set -- 20 10
runs=${1:-100}
times=${2:-100}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

build() {
	local source=$1 compiler=cc

	[[ $source == *.cc ]] && compiler=c++
	"$heddle" $compiler -g -O1 -I"$here/include" -o prog "$source" \
		> /dev/null 2>&1
}

programs=0 kept=0 exact=0
echo "| program | failure | reproduced |"
echo "|---|---|---|"
for source in "$here"/tests/programs/*.c "$here"/tests/programs/*.cc; do
	name=$(basename "${source%.*}")
	rm -rf prog .heddle
	build "$source" || continue
	programs=$((programs + 1))
	# One at a time: some use names that all processes share.
	timeout 60 "$heddle" run --strategy random -n "$runs" --all-failures -j 1 \
		--hang 3s -- ./prog > /dev/null 2>&1 < /dev/null
	while read -r failure verdict; do
		result=$(timeout 120 "$heddle" replay --times "$times" \
			"$failure" 2> /dev/null | tail -n 1)
		kept=$((kept + 1))
		[[ $result == "reproduced $times of $times" ]] &&
			exact=$((exact + 1))
		echo "| $name | ${verdict:0:60} | $result |"
	done < <("$heddle" list 2> /dev/null)
done
echo
echo "$programs programs, $kept failures, $exact of them reproduced" \
	"$times of $times times."
