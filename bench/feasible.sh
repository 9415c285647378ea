#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# feasible.sh [--quick]: is an interleaving pruned that can happen, and how many
# of those that can does heddle expose bring about? On programs that are small
# enough, heddle explore runs every order of conflicting events and tells which
# unserializable interleavings happened in some run: that is the whole feasible
# set, found without the analysis. Beside it, what one heddle expose says, with
# the time it has by this script: which of the set it pruned (none, or the
# script fails), and which it exercised or forced. Prints a table in Markdown,
# keeps all numbers in results/feasible.json, one object a line.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
programs=$here/../tests/programs
results=$here/results
budget=1
explored=6
randoms=${RANDOMS:-25}
left_out=()
names=(bug_lost_update bug_lost_update_fixed bug_if_for_while
	bug_if_for_while_fixed
	bug_wrong_waiter bug_rwlock_upgrade_fixed bug_missing_post_fixed
	bug_barrier_count_fixed busy_wait)
if [[ ${1:-} == --quick ]]; then
	names=(bug_lost_update busy_wait)
	randoms=1
fi
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/feasible-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# NAME COMMAND...: one object, or nothing where not every order could be run.
compare() {
	local name=$1

	shift
	rm -rf "$work/store"
	timeout $((explored + 30)) "$HEDDLE" explore --search dpor --all-failures \
		--for "${explored}s" --json --interleavings "$work/seen" \
		--store "$work/store" -- "$@" > "$work/explored" 2> /dev/null \
		< /dev/null
	if ! jq -e .complete "$work/explored" > /dev/null 2>&1; then
		left_out+=("$name")
		return
	fi
	timeout $((budget + 60)) "$HEDDLE" expose --all-failures --explain \
		-b "${budget}s" --json --store "$work/store" -- "$@" \
		> "$work/exposed" 2> /dev/null < /dev/null
	jq -c --arg name "$name" --rawfile seen "$work/seen" \
		--argjson schedules "$(jq .schedules "$work/explored")" '
		([.candidates[] | select(.forced > 0) | .interleaving // empty]) as $forced |
		([.interleavings | to_entries[] | { key:
			"\(.value.pattern) \(.value.p) \(.value.r) \(.value.c)",
			value: { status: .value.status, forced:
				([.key + 1] | inside($forced)) } }] | from_entries) as $told |
		($seen | split("\n") | map(select(. != ""))) as $all |
		{ name: $name, $schedules, feasible: ($all | length),
		  unmet: [$all[] | select($told[.] == null)],
		  lost: [$all[] | select($told[.].status == "pruned")],
		  missed: [$all[] | select($told[.] != null and
			$told[.].status != "pruned" and
			$told[.].status != "exercised" and
			($told[.].forced | not))],
		  told: ($told | length), seconds,
		  pruned: ([$told[] | select(.status == "pruned")] | length) }' \
		"$work/exposed"
}

for name in "${names[@]}"; do
	"$HEDDLE" cc -g -O1 -pthread -o "$work/$name" "$programs/$name.c" || exit 1
	compare "$name" "$work/$name"
done > "$results/feasible.json"
for ((seed = 1; seed <= randoms; seed++)); do
	awk -v seed=$seed -f "$here/random_body.awk" > "$work/random.c" &&
		"$HEDDLE" cc -g -O1 -pthread -o "$work/random" "$work/random.c" ||
		exit 1
	compare "random $seed" "$work/random"
done >> "$results/feasible.json"

cat <<-EOT
*Schedules*: that \`heddle explore --search dpor\` needed for every order of
conflicting events; *can happen*: unserializable interleavings that did, in one of
them; *met*: of these, the ones \`heddle expose\` knows of; *pruned*: what it calls
impossible, and *wrongly*, of those that can happen; *covered*: of those that can
happen, exercised in its watched run or forced within $budget s. Random programs are
made by \`random_body.awk\`; of those tried, ${#left_out[@]} had more orders than can
be run in $explored s and are left out.

| program | schedules | can happen | met | covered | pruned | wrongly |
|---|---|---|---|---|---|---|
EOT
jq -rs 'def row: (.feasible - (.unmet | length)) as $met |
	($met - (.missed | length) - (.lost | length)) as $covered |
	"| \(.name) | \(.schedules) | \(.feasible) | \($met) | \($covered) " +
	(if .feasible == 0 then "" else
		"(\(100 * $covered / .feasible | round) %) " end) +
	"| \(.pruned) | \(.lost | length) |";
	(.[] | row), ({ name: "**all**", schedules: (map(.schedules) | add),
		feasible: (map(.feasible) | add), unmet: (map(.unmet) | add),
		lost: (map(.lost) | add), missed: (map(.missed) | add),
		pruned: (map(.pruned) | add) } | row)' "$results/feasible.json"
if jq -es 'map(.lost | length) | add > 0' "$results/feasible.json" > /dev/null; then
	echo "**an interleaving that can happen was pruned**"
	failed=1
fi
exit $failed
