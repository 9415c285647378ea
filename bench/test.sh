#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test.sh [--quick] [NAME...]: plain `heddle test` on the programs of subjects/,
# or these of them: after how many schedules and in what time each is broken,
# and whether its fixed twin holds within the same budget. Prints a table in
# Markdown, keeps all numbers in results/test.json, one object a line.
#
# Fails when a subject is not broken within the default budget, when a fixed
# twin is, or when the geometric mean of schedules to the first failure is above
# 10. --quick gives the twins two seconds instead.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
twin_budget=60s
if [[ ${1:-} == --quick ]]; then
	shift
	twin_budget=2s
fi
failed=0
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/test-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
programs=${PROGRAMS:-$work/programs}
[[ -d $programs ]] ||
	bash "$subjects/build.sh" "$programs" -f heddle-gcc "$@" || exit 2

# PROGRAM OPTION...: a test as an object, without options of its own.
tested() {
	local program=$1

	shift
	timeout 300 "$HEDDLE" test --json --store "$work/store" "$@" -- \
		"$program" < /dev/null 2> "$work/err" > "$work/out"
	[[ $? -le 1 ]] || cat "$work/err" >&2
	jq -c '{ verdict, text, first, schedules, seconds, complete,
		way: .ways[-1].name }' "$work/out" || echo null
	rm -rf "$work/store"
}

: > "$results/test.json"
echo "| subject | broken after | by | seconds | what | fixed twin held |"
echo "|---|---|---|---|---|---|"
while IFS=$'\t' read -r name twins; do
	program=$programs/heddle-gcc/$name
	buggy=$(tested "$program")
	fixed=null
	[[ $twins != *fixed* ]] ||
		fixed=$(tested "$program.fixed" --budget "$twin_budget")
	jq -cn --arg name "$name" --argjson buggy "$buggy" \
		--argjson fixed "$fixed" '{ $name, $buggy, $fixed }' |
		tee -a "$results/test.json" | jq -r '"| \(.name) | " +
		"\(.buggy.first // "not found") | \(.buggy.way) | " +
		"\(.buggy.seconds * 100 | round / 100) | \(.buggy.text) | " +
		"\(if .fixed then "\(.fixed.verdict), \(.fixed.schedules)" +
		(if .fixed.complete then ", complete" else "" end) else "-" end) |"'
	[[ $(jq -r .verdict <<< "$buggy") == broken ]] || failed=1
	[[ $(jq -r '.verdict // "held"' <<< "$fixed") == held ]] || failed=1
done < <(bash "$subjects/list.sh" name twins -- "$@")

mean=$(jq -s '[.[] | .buggy.first // 100000 | log] | add / length | exp' \
	"$results/test.json")
echo
echo "Geometric mean of schedules to the first failure: ${mean:0:5} (at most 10)."
[[ $(jq -n "$mean <= 10") == true ]] || failed=1
exit $failed
