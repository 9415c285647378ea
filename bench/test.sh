#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test.sh [--quick|--default] [NAME...]: plain `heddle test` on the programs of
# subjects/, or these of them: after how many schedules and when each is broken,
# how long the whole job took, and whether its fixed twin holds. Prints a table
# in Markdown, keeps all numbers in results/test.json, one object a line.
#
# Programs with a bug get no option but where failures are kept, so the default
# budget; so do the fixed twins with --default, which takes up to an hour. Without
# it the twins get a second each, which fits make bench. --quick does that for six
# subjects.
#
# Fails when a subject is not broken, when a fixed twin is, or when the geometric
# mean of schedules to the first failure is above 10.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=${HEDDLE:-$BUILD/heddle}
subjects=$here/../subjects
results=$here/results
twins=(--budget 1s)
told="one second each"
case ${1:-} in
--quick)
	shift
	[[ $# -gt 0 ]] ||
		set -- shared_counter string_buffer compressor fft lock_order seqlock
	;;
--default)
	shift
	twins=()
	told="the default budget, a minute each"
	;;
esac
failed=0
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/test-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
programs=${PROGRAMS:-$work/programs}
[[ -d $programs ]] ||
	bash "$subjects/build.sh" "$programs" -f heddle-gcc "$@" || exit 2

# PROGRAM OPTION...: a test as an object.
tested() {
	local program=$1

	shift
	timeout 300 "$HEDDLE" test --json --store "$work/store" "$@" -- \
		"$program" < /dev/null 2> "$work/err" > "$work/out"
	[[ $? -le 1 ]] || cat "$work/err" >&2
	jq -c '{ verdict, text, first, first_seconds, schedules, seconds, complete,
		classes, races, exercised, feasible, way: .ways[-1].name }' \
		"$work/out" || echo null
	rm -rf "$work/store"
}

: > "$results/test.json"
echo "| subject | broken after | by | found | all of it | what | fixed twin |"
echo "|---|---|---|---|---|---|---|"
while IFS=$'\t' read -r name variants; do
	program=$programs/heddle-gcc/$name
	buggy=$(tested "$program")
	fixed=null
	[[ $variants != *fixed* ]] ||
		fixed=$(tested "$program.fixed" "${twins[@]}")
	jq -cn --arg name "$name" --argjson buggy "$buggy" \
		--argjson fixed "$fixed" '{ $name, $buggy, $fixed }' |
		tee -a "$results/test.json" | jq -r '
		def seconds: "\((. // 0) * 100 | round / 100) s";
		"| \(.name) | \(.buggy.first // "not found") | " +
		"\(.buggy.way) | \(.buggy.first_seconds | seconds) | " +
		"\(.buggy.seconds | seconds) | \(.buggy.text) | " +
		"\(if .fixed then "\(.fixed.verdict), \(.fixed.schedules)" +
		(if .fixed.complete then ", complete" else "" end) else "-" end) |"'
	[[ $(jq -r .verdict <<< "$buggy") == broken ]] || failed=1
	[[ $(jq -r '.verdict // "held"' <<< "$fixed") == held ]] || failed=1
done < <(bash "$subjects/list.sh" name twins -- "$@")

mean=$(jq -s '[.[] | .buggy.first // 100000 | log] | add / length | exp' \
	"$results/test.json")
echo
jq -rs --arg told "$told" '"\([.[] | select(.buggy.verdict == "broken")] | length)" +
	" of \(length) broken; " +
	"\([.[] | select(.fixed and .fixed.verdict == "held")] | length) of " +
	"\([.[] | select(.fixed)] | length) fixed twins held (\($told)), " +
	"\([.[] | select(.fixed.complete)] | length) of them on every schedule."' \
	"$results/test.json"
echo "Geometric mean of schedules to the first failure: ${mean:0:5} (at most 10)."
[[ $(jq -n "$mean <= 10") == true ]] || failed=1
exit $failed
