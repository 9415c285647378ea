#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# again.sh [--quick] [NAME...]: what the record of each method is worth for
# seeing a failure again (Table 7 of CTrigger's paper): a method searches until
# the first failure and keeps it as it keeps failures, then that is replayed 20
# times. Stress, the program as gcc -O2 builds it, without hooks, keeps nothing:
# it is run 20 times more. Prints Markdown, keeps all numbers in
# results/again.json, one object a line.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
results=$here/results
limit=5
hang_limit=5
times=20
seed=1
methods=(stress pure sync race ctrigger)
paper=(httpd_cache httpd_log binlog_rotate script_cache compressor fft lu barnes)
if [[ ${1:-} == --quick ]]; then
	shift
	limit=1
	paper=(httpd_log lu)
fi
[[ $# -eq 0 ]] || paper=("$@")
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/again-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# The paper's seconds to reproduce, by the same methods.
declare -A printed=(
	[httpd_cache]="-, -, -, -, 76.2"
	[httpd_log]="no, -, 11664, 0.70, 1.3; > 66461.5"
	[binlog_rotate]="348.0, 5239.7, 10054, 0.90, 0.90; 386.7"
	[script_cache]="-, -, -, 5.44, 4.39"
	[compressor]="-, -, 0.43, 0.52, 0.44"
	[fft]="1658, 5633, -, -, 0.18; 9211"
	[lu]="562.3, no, -, -, 0.18; 3124"
	[barnes]="165.4, -, -, -, 0.45; 367.6"
)

# NAME METHOD: an object; again is null when there was nothing to see again.
reproduce() {
	local began again=null

	rm -rf "$work/store"
	timeout $((limit + 60)) "$HEDDLE" expose --method "$2" -b "${limit}s" \
		--seed $seed --store "$work/store" -- "$work/heddle-gcc/$1" \
		< /dev/null > /dev/null 2>&1
	began=$(date +%s%N)
	[[ ! -d $work/store/repros/$1-1 ]] ||
		again=$(timeout 120 "$HEDDLE" replay --store "$work/store" \
			--times $times "$1-1" 2> /dev/null < /dev/null |
			sed -n 's/^reproduced \([0-9]*\) of.*/\1/p')
	jq -cn --arg name "$1" --arg method "$2" --argjson again "${again:-0}" \
		--argjson times $times --argjson seed $seed \
		--argjson seconds $((($(date +%s%N) - began) / 1000000))e-3 \
		'{ $name, $method, $seed, $again, $times, $seconds }'
}

# NAME: the same of the program alone.
stressed() {
	local again=null failures=0 seconds=0

	read -r _ failures _ < <("$BUILD/bench/bench_native" first $limit \
		$hang_limit "$work/native/$1")
	[[ ${failures:-0} -eq 0 ]] ||
		read -r _ again _ _ _ seconds < <("$BUILD/bench/bench_native" \
			$times $hang_limit "$work/native/$1")
	jq -cn --arg name "$1" --argjson again "${again:-null}" \
		--argjson times $times --argjson seconds "${seconds:-0}" \
		'{ $name, method: "stress", $again, $times, $seconds }'
}

"$here/../subjects/build.sh" "$work" -f heddle-gcc -f native "${paper[@]}" \
	> /dev/null || exit 1
for name in "${paper[@]}"; do
	stressed "$name"
	for method in "${methods[@]:1}"; do
		reproduce "$name" "$method"
	done
done > "$results/again.json"

cat <<-EOT
Of $times replays of what a method found and kept (seed $seed), how many failed
again, and the seconds that one more failure takes; -: nothing was found in
$limit s. Stress, the program alone, without hooks, keeps nothing: of $times runs
more, how many failed. The paper (Table 7): seconds, in the same order; no: not
in a day; then the speedup over stress, where it tells one.

| subject |$(printf ' %s |' "${methods[@]}") paper |
|---|$(printf -- '---|%.0s' "${methods[@]}")---|
EOT
for name in "${paper[@]}"; do
	jq -rs --arg name "$name" --arg paper "${printed[$name]:-}" '
		def cell: if .again == null then "-"
			elif .again == 0 then "0"
			else "\(.again), \(.seconds / .again * 1000 |
				round / 1000)" end;
		"| \($name) | " + (map(select(.name == $name) | cell) |
			join(" | ")) + " | \($paper) |"' "$results/again.json"
done
