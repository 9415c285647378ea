#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# linear.sh [--quick]: heddle linear on tabled (PIKE's Tables 1 and 2 and its
# false positives, beside the paper's), what starting up once is worth, memcached
# as the distribution has it and with an old bug put back, and SQLite in process.
# Prints tables in Markdown, keeps each report in results/linear/.
#
# Fails when a published bug is not found, when something of tabled is flagged with
# the bugs switched off, or when what is meant so is not flagged without its rule.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
tabled=$here/../subjects/tabled
results=$here/results/linear
inputs=340
schedules=100
cached_inputs=320
rounds=350000 # of start-up: half a second on a machine of today
failed=0
if [[ ${1:-} == --quick ]]; then
	inputs=40
	schedules=30
	cached_inputs=10
fi
mkdir -p "$results"
results=$(cd "$results" && pwd)
rm -f "$results"/*
work=$(mktemp -d "${TMPDIR:-/tmp}/linear-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

wrong() {
	echo "linear: $*" >&2
	failed=1
}

# NAME SPEC OPTION...: a report as JSON.
linear() {
	local name=$1 spec=$2

	shift 2
	timeout 3600 "$HEDDLE" linear --json -o "$results/$name.json" "$@" \
		"$spec" 2> "$name.err"
	[[ $? -le 1 ]] || wrong "$name: $(cat "$name.err")"
}

of() {
	jq -r "$2" "$results/$1.json"
}

# PROGRAM LINE...: its spec.
spec() {
	sed "s,{here}/tabled,$work/$1," "$tabled/tabled.spec"
	shift
	[[ $# -eq 0 ]] || printf '%s\n' "$@"
}

build() {
	gcc -g -O1 -pthread -I "$here/../include" "${@:2}" -o "$1" \
		"$tabled"/*.c || exit 2
}

build tabled.buggy
build tabled.fixed -DFIXED
"$HEDDLE" cc -g -O1 -pthread -o tabled.hooked -DFIXED "$tabled"/*.c || exit 2

# ---- Table 1 and 2 ----

spec tabled.buggy > buggy.spec
linear tabled buggy.spec -n $schedules --inputs $inputs \
	--from-tests "$tabled/tests.txt"

count() {
	of tabled "[.findings[] | select(.kind == \"$1\") | .input] | unique |
		length"
}

echo "PIKE, Table 1: inputs that trigger bugs; the paper's (1,550 inputs of"
echo "MySQL, 400 schedules each) and ours ($(of tabled .inputs) of tabled," \
	"$schedules each):"
cat <<-END

| external effect | not latent, paper | ours | latent, paper | ours |
|---|---|---|---|---|
| error | 2 | $(count error) | 0 | $(count 'error, latent') |
| semantic | 2 | $(count semantic) | 8 | $(count 'semantic, latent') |

PIKE, Table 2: of each pair of statements the input that was flagged most; EX is
the number of schedules, A and B the two serial orders. (The paper's rows of the
same kind: CREATE LIKE with INSERT SELECT, 9 of 400, no no, no yes; DROP with
SHOW, 238, no no, yes yes; SELECT with INSERT, 1 to 3, one yes, no no; TRUNCATE
with SELECT, 35, yes no, no no.)

| requests | EX | O_A | O_B | S_A | S_B | kind | component |
|---|---|---|---|---|---|---|---|
END
# shellcheck disable=SC2016
of tabled '
	def word: if . then "yes" else "no" end;
	[.findings[] | select(.kind != "failed") |
	 .pair = ([.requests[].request | split(" ") |
		if .[0] == "CREATE" or .[0] == "INSERT" then
			[.[0], .[2] | select(. == "CREATE" or . == "INSERT" or
				. == "LIKE" or . == "SELECT")] | join(" ")
		else .[0] end] | sort | join(", "))] |
	group_by(.pair + .kind) | map(max_by(.schedules)) |
	sort_by(.kind, -.schedules)[] |
	"| \([.requests[].request] | map("`" + . + "`") | join(", ")) | \(.schedules) | \(.orders[0].output | word) | \(.orders[1].output | word) | \(.orders[0].state | word) | \(.orders[1].state | word) | \(.kind) | \(.component // "") |"'

# ---- the published examples ----

cat <<-END

The published examples alone, with the paper's setting (\`--preset pike\`: 400
schedules, one change among 50,000 steps) and with ours (changes among as many
steps as there are, depth 3), 400 schedules:

| example | kind | pike | ours |
|---|---|---|---|
END
example() {
	local name=$1 kind=$2 pike ours

	shift 2
	spec tabled.buggy 'setup CREATE t1' 'setup INSERT t1 1 a' "$@" \
		> "$name.spec"
	linear "$name-pike" "$name.spec" --preset pike
	linear "$name" "$name.spec" -n 400
	pike=$(of "$name-pike" '[.findings[].schedules] | add // 0')
	ours=$(of "$name" '[.findings[].schedules] | add // 0')
	[[ $ours -gt 0 ]] || wrong "$name was not found"
	echo "| $name | $kind | $pike | $ours |"
}
example show-drop semantic 'client 1 SHOW t1' 'client 2 DROP t1'
example like-insert error 'client 1 CREATE t2 LIKE t1' \
	'client 2 INSERT t2 SELECT t1'
example select-insert 'semantic, latent' 'client 1 SELECT t1' \
	'client 2 INSERT t1 10 b'

# ---- false positives ----

spec tabled.fixed > fixed.spec
linear fixed fixed.spec -n $schedules --inputs $inputs \
	--from-tests "$tabled/tests.txt"
spec tabled.hooked > hooked.spec
linear hooked hooked.spec -n $schedules --inputs $inputs \
	--from-tests "$tabled/tests.txt"
for name in fixed hooked; do
	[[ $(of $name .flagged) -eq 0 ]] || wrong "$name: false positives"
done
cat <<-END

False positives, with the bugs switched off (the paper: 27 inputs of 1,550 after
two rules, about a third before). Without a rule the same executions are judged
again; none is made.

| rules | inputs | executions | flagged | made | executions/s |
|---|---|---|---|---|---|
| all, by preloading | $(of fixed .inputs) | $(of fixed .executions) | $(of fixed .flagged) | $(of fixed .executions) | $(of fixed '.runs / .seconds | floor') |
| all, built by heddle cc | $(of hooked .inputs) | $(of hooked .executions) | $(of hooked .flagged) | $(of hooked .executions) | $(of hooked '.runs / .seconds | floor') |
END
for rule in table-cache query-cache binlog; do
	grep -v "^rule $rule" fixed.spec > without.spec
	linear "without-$rule" without.spec -n $schedules --inputs $inputs \
		--from-tests "$tabled/tests.txt"
	echo "| without that of $rule | $(of "without-$rule" .inputs) |" \
		"$(of "without-$rule" .executions) |" \
		"$(of "without-$rule" .flagged) |" \
		"$(of "without-$rule" .runs) | |"
	[[ $(of "without-$rule" .flagged) -gt 0 ]] ||
		wrong "nothing is flagged without the rule of $rule"
done

# ---- starting once ----

spec tabled.fixed 'setup CREATE t1' 'client 1 INSERT t1 1 a' \
	'client 2 INSERT t1 2 b' | sed "s,^start .*,& $rounds," > slow.spec
linear once slow.spec -n 400 -j 1
linear each slow.spec -n 10 -j 1 --exec
cat <<-END

Starting up once: tabled with half a second of work before it is ready, one
worker, serial executions included.

| | runs | seconds | runs/s |
|---|---|---|---|
END
for name in once each; do
	of $name "\"| $name | \(.runs) | \(.seconds * 100 | floor / 100) | \(.runs / .seconds * 10 | floor / 10) |\""
done

# ---- memcached ----

# NAME PROGRAM INPUTS
cached() {
	sed "s,MEMCACHED,$2,; s,USER,$(id -un)," \
		"$here/linear/memcached.spec" > "$1.spec"
	# With a point at each access its start alone has more than a million.
	linear "$1" "$1.spec" -n $schedules --inputs "$3" \
		--max-points 100000000 \
		--from-tests "$here/linear/memcached.txt"
	of "$1" "\"| $1 | \(.inputs) | \(.executions) | \(.flagged) | \(.runs / .seconds | floor) |\""
}
cat <<-END

memcached, pairs of set, add, replace, append, prepend, incr, decr, cas, delete,
touch and gat, state by probes:

| | inputs | executions | flagged | runs/s |
|---|---|---|---|---|
END
if command -v memcached > /dev/null; then
	cached distribution memcached "$cached_inputs"
fi
built=$here/cache/build
[[ ! -x $built/heddle/memcached/memcached ]] ||
	cached hooked-memcached "$built/heddle/memcached/memcached" \
		$((cached_inputs / 10))
if [[ -x $built/native/memcached+incr/memcached ]]; then
	printf '%s\n' "start $built/native/memcached+incr/memcached -u $(id -un) -s {socket} -t 2" \
		'connect unix:{socket}' 'ending \r\n' 'reply idle' \
		'setup set n 0 0 1\r\n9' 'client 1 incr n 1' \
		'client 2 incr n 1' 'probe n get n' > incr.spec
	linear incr incr.spec -n 200
	of incr '"| incr once more unsafe | \(.inputs) | \(.executions) | \(.flagged) | \(.runs / .seconds | floor) |"'
	[[ $(of incr .flagged) -eq 1 ]] || wrong "the unsafe incr was not found"
fi

# What these are is in docs/methods.md.
if [[ -s $results/distribution.json ]]; then
	echo
	# shellcheck disable=SC2016
	of distribution '.findings[] | "- flagged: \([.requests[].request] |
		map("`" + . + "`") | join(" with ")) in \(.schedules) schedules"'
fi

# ---- SQLite ----

if "$HEDDLE" cc -g -O1 -pthread -o sqlite "$here/../examples/sqlite.c" \
	-lsqlite3 2> /dev/null; then
	cat <<-END

	SQLite in process (\`examples/sqlite.c\`), 400 schedules:

	| | flagged executions | runs/s |
	|---|---|---|
	END
	for way in '' careless; do
		name=sqlite${way:+-$way}
		# shellcheck disable=SC2086
		"$HEDDLE" linear --json -o "$results/$name.json" -n 400 -- \
			./sqlite $way
		of "$name" "\"| ${way:-one statement} | \([.findings[].schedules] | add // 0) | \(.runs / .seconds | floor) |\""
	done
	[[ $(of sqlite .flagged) -eq 0 ]] || wrong "SQLite is flagged"
	[[ $(of sqlite-careless .flagged) -eq 1 ]] ||
		wrong "the careless withdrawal was not found"
fi
exit $failed
