#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# peers.sh [--quick] [NAME...]: what other tools find in the subjects, or in
# these of them, and how long that takes them: plain repetition (stress),
# ThreadSanitizer of gcc and clang, Helgrind, DRD, and beside them heddle. Each
# tool runs the program again and again until it reports something or the
# program fails, but not longer than a limit; then its fixed twin as well, since
# a report about a program without the bug does not tell. Prints tables in
# Markdown, keeps all numbers in results/peers.json, one object a line.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
limit=1
seed=1
if [[ ${1:-} == --quick ]]; then
	shift
	limit=1
	[[ $# -gt 0 ]] || set -- shared_counter table_log treiber_aba
fi
# The other strategies of heddle are in the table of subjects.
tools=(stress tsan-gcc tsan-clang helgrind drd observe pct surw expose)
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/peers-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

now_ms() {
	echo "$((${EPOCHREALTIME/[.,]/} / 1000))"
}

# Sets words, those before a command, and flavour, how it was built. A tool's own
# status is 66, so that the program's can be told from it.
choose() {
	words=()
	case $1 in
	stress) flavour=gcc ;;
	tsan-*)
		flavour=$1
		words=(setarch -R env "TSAN_OPTIONS=exitcode=66:halt_on_error=1")
		;;
	helgrind | drd)
		flavour=gcc
		words=(valgrind -q "--tool=$1" --error-exitcode=66)
		;;
	*) flavour=heddle-gcc ;;
	esac
}

# TOOL PROGRAM...: one run of a foreign tool: held, report, failure, or hang if
# it had to be ended; only of a program that deadlocks that is a failure.
run_once() {
	local status

	shift
	timeout -s KILL $((10 * limit)) "${words[@]}" "$@" < /dev/null \
		> /dev/null 2>&1
	status=$?
	case $status in
	0) echo held ;;
	66) echo report ;;
	2) echo impossible ;;
	137) [[ $failure == *deadlock* ]] && echo failure || echo hang ;;
	*) echo failure ;;
	esac
}

# TOOL PROGRAM...: the same of heddle, which repeats by itself.
heddle_once() {
	local tool=$1 options

	shift
	case $tool in
	observe) options=(run --observe --fail-on any) ;;
	expose) options=("$tool" --budget "${limit}s" --seed "$seed") ;;
	*) options=(run --strategy "$tool" --seed "$seed" --for "${limit}s"
		-n 100000) ;;
	esac
	timeout -s KILL $((10 * limit + 60)) "$HEDDLE" "${options[@]}" \
		--store "$own/store" -- "$@" < /dev/null > "$own/out" 2>&1
	case $?.$tool in
	0.*) echo held ;;
	1.observe)
		grep -q 'exited with status 0' "$own/out" && echo report ||
			echo failure
		;;
	1.*) echo failure ;;
	*) echo unknown ;;
	esac
	rm -rf "$own/store"
}

# TOOL PROGRAM...: an object: what came of it, after how long and how many runs.
search() {
	local tool=$1 began outcome=held runs=0 passed=0

	shift
	choose "$tool"
	set -- "$work/$flavour/$1" "${@:2}"
	began=$(now_ms)
	while [[ $outcome == held && $passed -lt $((1000 * limit)) ]]; do
		case $tool in
		observe) outcome=$(heddle_once "$tool" "$@") ;;
		stress | tsan-* | helgrind | drd)
			outcome=$(run_once "$tool" "$@")
			;;
		*)
			outcome=$(heddle_once "$tool" "$@")
			passed=$((1000 * limit))
			;;
		esac
		runs=$((runs + 1))
		[[ $outcome == held ]] || break
		[[ $passed -ge $((1000 * limit)) ]] ||
			passed=$(($(now_ms) - began))
	done
	jq -cn --arg outcome "$outcome" --argjson runs $runs \
		--argjson ms $(($(now_ms) - began)) '{ $outcome, $runs, $ms }'
}

# What it makes of the fixed twin, in one run: any report is one too many.
twin() {
	local tool=$1

	shift
	choose "$tool"
	set -- "$work/$flavour/$1.fixed" "${@:2}"
	case $tool in
	observe) heddle_once "$tool" "$@" ;;
	tsan-* | helgrind | drd) run_once "$tool" "$@" ;;
	*) echo held ;;
	esac
}

subject() {
	local tool found=() held=()

	for tool in "${tools[@]}"; do
		found+=("\"$tool\":$(search "$tool" "$@")")
		held+=("\"$tool\":\"$(twin "$tool" "$@")\"")
	done
	jq -cn --arg name "$name" --arg kind "$kind" --argjson seed $seed \
		--argjson found "{$(IFS=,; echo "${found[*]}")}" \
		--argjson fixed "{$(IFS=,; echo "${held[*]}")}" \
		'{ $name, $kind, $seed, $found, $fixed }'
}

"$subjects/build.sh" "$work" -f gcc -f tsan-gcc -f tsan-clang -f heddle-gcc \
	"$@" || exit 1
columns=(name kind failure arguments)

# N: every other subject, beginning with the Nth; what they need is in a
# directory of their own.
half() {
	local own=$work/half$1 name kind failure arguments

	mkdir -p "$own"
	while IFS=$'\t' read -r -u 3 "${columns[@]}"; do
		[[ $arguments != - ]] || arguments=
		# shellcheck disable=SC2086
		subject "$name" $arguments
	done 3< <("$subjects/list.sh" "${columns[@]}" -- "${@:2}" |
		awk -v n="$1" 'NR % 2 == n % 2') > "$own/results"
}

half 1 "$@" &
half 2 "$@"
wait
paste -d '\n' "$work"/half[12]/results | sed '/^$/d' > "$results/peers.json"

cat <<-EOT
Seconds until a tool reported something or the program failed (*F*), on the
sizes that each subject takes by itself; at most $limit s of repetition, two
subjects at a time. A report that the tool makes of the fixed twin too is in
brackets. Seeds of heddle begin with $seed.

| subject | kind |$(printf ' %s |' "${tools[@]}")
|---|---|$(printf -- '---|%.0s' "${tools[@]}")
EOT
jq -r --argjson limit $limit '
	def seconds: if . < 1000 then . / 10 | round / 100
		else . / 100 | round / 10 end;
	def cell($twin): if .outcome == "held" then "> \($limit) s"
		elif .outcome == "failure" then "\(.ms | seconds) F"
		elif .outcome == "report" and $twin == "report"
			then "(\(.ms | seconds))"
		elif .outcome == "report" then "\(.ms | seconds)"
		else .outcome end;
	. as $all | "| \(.name) | \(.kind) | " + ([.found | to_entries[] |
		.key as $tool | .value | cell($all.fixed[$tool])] | join(" | ")) +
	" |"' "$results/peers.json"
cat <<-EOT

| of $(wc -l < "$results/peers.json") subjects |$(printf ' %s |' "${tools[@]}")
|---|$(printf -- '---|%.0s' "${tools[@]}")
EOT
# A row of counts: title, condition on outcome and twin.
count() {
	jq -rs --arg title "$1" ". as \$all | (.[0].found | keys_unsorted) |
		map(. as \$tool | [\$all[] | .found[\$tool].outcome as \$outcome |
			.fixed[\$tool] as \$twin | select($2)] | length |
			tostring) | \"| \(\$title) | \" + join(\" | \") + \" |\"" \
		"$results/peers.json"
}
count "the program failed" '$outcome == "failure"'
count "a report, none of the twin" '$outcome == "report" and $twin != "report"'
count "a report of both" '$outcome == "report" and $twin == "report"'
count "a report of the twin alone" '$outcome != "report" and $twin == "report"'
count "nothing" '$outcome == "held"'
