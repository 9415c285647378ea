#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# breaks.sh [--quick]: real programs as released, and with a bug that they once
# had put back by a patch of ours (patches/), under each strategy: built with
# heddle cc, and as any compiler builds them, by preloading; and what heddle
# expose makes of them. Prints tables in Markdown, keeps all numbers in
# results/breaks.json and results/breaks-expose.json, one object a line.
#
# Fails when a released program breaks, when a bug is found by no strategy or not
# by heddle expose, or when a failure that was found does not come again.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
built=$here/cache/build
results=$here/results
seed=1
native_runs=300
limit=6
times=10
expose_limit=12
expose_times=20
quick=
if [[ ${1:-} == --quick ]]; then
	quick=yes
	native_runs=30
	limit=3
	expose_limit=4
fi
strategies=(random pct pos surw)
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/breaks-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# Sets command and options for a tree, and how many schedules of it are cheap.
choose() {
	local tree=$1

	released_schedules=300
	bug_schedules=1000
	options=()
	case $tree in
	*/pbzip2*)
		command=("$tree/pbzip2" -p2 -b1 -k -q -c data)
		options=(--expect want.bz2)
		;;
	*/memcached*)
		command=("$tree/driven")
		options=(--exec)
		released_schedules=100
		bug_schedules=300
		;;
	*) command=("$tree/driven") ;;
	esac
	[[ -z $quick ]] || released_schedules=20
}

# STRATEGY SCHEDULES: a campaign that ends with its first failure.
campaign() {
	local status name='' again=null

	timeout $((limit + 60)) "$HEDDLE" run --strategy "$1" -n "$2" \
		--for ${limit}s --seed $seed --json "${options[@]}" --store store \
		-- "${command[@]}" < /dev/null 2> err > campaign
	status=$?
	[[ $status -le 1 ]] || cat err >&2
	[[ -s campaign ]] || echo null > campaign
	if [[ $status -eq 1 ]]; then
		name=$("$HEDDLE" list --store store | head -n 1 | cut -d ' ' -f 1)
		again=$(timeout 120 "$HEDDLE" replay --store store --times $times \
			"$name" 2> /dev/null |
			sed -n 's/^reproduced \([0-9]*\) of.*/\1/p')
	fi
	jq -c --argjson again "${again:-0}" 'if . then { verdict, runs, seconds,
		first: ([.failures[].run + 1] | min),
		kind: .failures[0].kind, $again } else . end' campaign || echo null
	rm -rf store
}

# PROGRAM BUG WAY TREE: the object of one of them, all strategies.
program() {
	local strategy runs found=()

	choose "$4"
	runs=$bug_schedules
	[[ $2 != released ]] || runs=$released_schedules
	for strategy in "${strategies[@]}"; do
		found+=("\"$strategy\":$(campaign "$strategy" $runs)")
	done
	jq -cn --arg program "$1" --arg bug "$2" --arg way "$3" \
		--argjson seed $seed \
		--argjson found "{$(IFS=,; echo "${found[*]}")}" \
		'{ $program, $bug, $way, $seed, $found }'
}

# PROGRAM BUG TREE: without heddle, as often as there is time for.
stress() {
	choose "$3"
	"$BUILD/bench/bench_native" $native_runs 2 "${command[@]}" |
		jq -cR --arg program "$1" --arg bug "$2" 'split(" ") |
			map(tonumber) | { $program, $bug, way: "stress",
			runs: .[0], failures: .[1], upper: .[4],
			seconds: .[5] }'
}

# PROGRAM BUG TREE: what heddle expose finds in it, the time it has by this
# script being all there is for a released program.
expose() {
	local status name='' again=null

	choose "$3"
	timeout $((expose_limit + 60)) "$HEDDLE" expose -b ${expose_limit}s \
		--seed $seed --json "${options[@]}" --store store \
		-- "${command[@]}" < /dev/null 2> err > exposed
	status=$?
	[[ $status -le 1 ]] || cat err >&2
	[[ -s exposed ]] || echo '{}' > exposed
	if [[ $status -eq 1 ]]; then
		name=$("$HEDDLE" list --store store | head -n 1 | cut -d ' ' -f 1)
		again=$(timeout 120 "$HEDDLE" replay --store store --times $expose_times \
			"$name" 2> /dev/null < /dev/null |
			sed -n 's/^reproduced \([0-9]*\) of.*/\1/p')
	fi
	jq -c --arg program "$1" --arg bug "$2" --argjson again "${again:-0}" '
		(.bugs // [] | sort_by(.seconds)[0]) as $b |
		{ $program, $bug, verdict, runs, took: .seconds,
		  candidates: (.candidates // [] | length),
		  forced: ([.candidates // [] | .[] | select(.forced > 0)] | length),
		  seconds: $b.seconds, failure: $b.verdict,
		  kind: (if $b.candidate then .candidates[$b.candidate - 1].kind
			else null end), $again }' exposed
	rm -rf store
}

"$here/build_real.sh" native heddle || exit 2
seq 60000 | head -c 250000 > data
"$built/native/pbzip2/pbzip2" -p2 -b1 -k -q -c data > want.bz2 || exit 2
for bug in pbzip2 pbzip2+join pbzip2+broadcast memcached memcached+incr \
	c-blosc c-blosc+lock; do
	name=${bug%+*}
	what=${bug#"$name"}
	what=${what#+}
	program "$name" "${what:-released}" "heddle cc" "$built/heddle/$bug"
	program "$name" "${what:-released}" preloaded "$built/native/$bug"
	stress "$name" "${what:-released}" "$built/native/$bug"
done > "$results/breaks.json"
for bug in pbzip2 pbzip2+join pbzip2+broadcast memcached memcached+incr \
	c-blosc c-blosc+lock; do
	name=${bug%+*}
	what=${bug#"$name"}
	what=${what#+}
	expose "$name" "${what:-released}" "$built/heddle/$bug"
done > "$results/breaks-expose.json"

cat <<-EOT
Seeds begin with $seed. A campaign ends with its first failure (its number is
told), when the program held as many schedules as are told, or after $limit s.
*Stress*: without heddle.
$(for source in "$here"/cache/src/*/.version; do cat "$source"; done | xargs |
	sed 's/_/ /g; s/\([^ ]* [^ ]*\) /\1, /g').

| program | bug | way | random | PCT | POS | SURW | failure | again |
|---|---|---|---|---|---|---|---|---|
EOT
jq -r --argjson times $times '
	def cell: if . == null then "no number"
		elif .first then "\(.first)"
		elif .verdict == "held" then "held \(.runs)"
		else "\(.verdict) after \(.runs)" end;
	if .way == "stress" then "| \(.program) | \(.bug) | stress " +
		"| \(.failures) of \(.runs), at most " +
		"\(.upper * 1000 | round / 10) % | | | | | |"
	else "| \(.program) | \(.bug) | \(.way) | \(.found.random | cell) " +
	"| \(.found.pct | cell) | \(.found.pos | cell) | \(.found.surw | cell) " +
	"| \([.found[].kind // empty] | unique | join(", ")) " +
	"| \([.found[] | select(.again) | .again] | if length > 0 then
		"\(add) of \(length * $times)" else "" end) |" end' \
	"$results/breaks.json"

cat <<-EOT

\`heddle expose\`, $expose_limit s at most: *candidates*, and those that were
forced by the end; seconds to the first failure, and what was being forced then.

| program | bug | candidates | forced | runs | seconds | forcing | failure | again |
|---|---|---|---|---|---|---|---|---|
EOT
jq -r --argjson times $expose_times '
	def number: if . then . * 100 | round / 100 | tostring else "" end;
	"| \(.program) | \(.bug) | \(.candidates) | \(.forced) | \(.runs) " +
	"| \(if .seconds then .seconds | number else
		"\(.verdict), \(.took | number) s" end) | \(.kind // "") " +
	"| \(.failure // "") | \(if .again != null then
		"\(.again) of \($times)" else "" end) |"' \
	"$results/breaks-expose.json"

# Programs for which the condition is true.
which_ones() {
	jq -r "select(.way != \"stress\") | select($1) |
		\"\(.program)+\(.bug), \(.way)\"" "$results/breaks.json"
}

# The same of heddle expose.
exposed_ones() {
	jq -r "select($1) | \"\(.program)+\(.bug)\"" \
		"$results/breaks-expose.json"
}

failed=0
for bad in "released, but broken by expose:$(exposed_ones \
		'.bug == "released" and .verdict != "held"')" \
	"not exposed:$(exposed_ones \
		'.bug != "released" and .verdict != "broken"')" \
	"exposed, but did not come again:$(exposed_ones \
		".again != null and .again < $expose_times - 1")" \
	"released, but broken:$(which_ones \
		'.bug == "released" and any(.found[]; .verdict != "held")')" \
	"found by no strategy:$(jq -rs 'map(select(.found and .bug != "released")) |
		group_by([.program, .bug])[] |
		select(all(.[].found[]; .verdict != "broken")) |
		"\(.[0].program)+\(.[0].bug)"' "$results/breaks.json")" \
	"did not come again:$(which_ones \
		"any(.found[]; .again != null and .again != $times)")"; do
	[[ -z ${bad#*:} ]] || { failed=1; printf '\n**%s**: %s\n' "${bad%%:*}" "${bad#*:}"; }
done
exit $failed
