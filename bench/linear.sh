#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# linear.sh [--quick]: heddle linear on tabled (PIKE's Tables 1 and 2 and its
# false positives, beside the paper's), what starting up once is worth, memcached
# as the distribution has it, built by heddle cc and with an old bug put back (a
# part of its pairs; linear_full.sh makes all of them), and SQLite in process.
# Prints tables in Markdown, keeps each report in results/linear/.
#
# Fails when a published bug is not found, when something of tabled is flagged with
# the bugs switched off, when what is meant so is not flagged without its rule, or
# when starting up once is worth less than it has to be.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/linear/lib.sh
. "$here/linear/lib.sh"
inputs=340
schedules=100
cached_inputs=40
starts=10
quick=
rounds=350000 # of start-up: half a second on a machine of today
if [[ ${1:-} == --quick ]]; then
	inputs=40
	schedules=30
	cached_inputs=5
	starts=2
	quick=yes
fi
prepare linear

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

PIKE, Table 2: the twelve inputs of the paper; EX is the number of schedules (of
400), A and B the two serial orders. The pair that is there twice worked on other
states. Ours: the most schedules (of $schedules) of an input with the same statements
and of the same kind, and how many such inputs were flagged; -: tabled has no such
statement.

| requests | EX | O_A | O_B | S_A | S_B | kind | ours: EX | inputs |
|---|---|---|---|---|---|---|---|---|
END
# EX, O_A, O_B, S_A, S_B, kind, statements as ours are called, as printed.
pike_rows() {
	cat <<-'END'
	9|no|no|no|yes|error|CREATE LIKE, INSERT SELECT|CREATE TABLE t2 LIKE t1; INSERT INTO t2 SELECT * FROM t1
	1|no|yes|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t3 VALUES (1,'1'),(2,'2'); SELECT DISTINCT t3.b FROM t3,t2,t1 WHERE t3.a=t1.b
	2|no|no|no|yes|error|CREATE LIKE, INSERT SELECT|CREATE TABLE t2 LIKE t1; INSERT INTO t2 SELECT * FROM t1
	35|yes|no|no|no|semantic, latent|SELECT, TRUNCATE|TRUNCATE TABLE t1; SELECT * FROM t2
	2|no|yes|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t1 (a) VALUES (10),(11),(12); SELECT a FROM t1
	3|yes|no|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t2 VALUES (2,0); SELECT STRAIGHT_JOIN * FROM t1, t2 FORCE (PRIMARY)
	238|no|no|yes|yes|semantic|DROP, SHOW|DROP TABLE t1; SHOW TABLE STATUS LIKE 't1'
	1|no|yes|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t1 VALUES (1,1,"00:06:15"); SELECT a,SEC_TO_TIME(SUM(t)) FROM t1 GROUP a,b
	17|no|no|no|no|semantic|-|CREATE TABLE t2 SELECT * FROM t1; DROP TABLE t2
	3|no|yes|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t1 (a) VALUES (REPEAT('a', 20)); SELECT LENGTH(a) FROM t1
	2|no|yes|no|no|semantic, latent|INSERT, SELECT|INSERT INTO t1 VALUES (80,'pendant'); SELECT COUNT(*) FROM t1 WHERE LIKE '%NDAN%'
	25|yes|no|no|yes|semantic, latent|DROP, OPTIMIZE|OPTIMIZE TABLE t1; DROP TABLE t1
	END
}
# Of a finding: its statements.
# shellcheck disable=SC2016
statements='([.requests[].request | split(" ") |
	if .[0] == "CREATE" or .[0] == "INSERT" then
		[.[0], .[2] | select(. == "CREATE" or . == "INSERT" or
			. == "LIKE" or . == "SELECT")] | join(" ")
	else .[0] end] | sort | join(", "))'
# shellcheck disable=SC2016
pike_rows | jq -rR --slurpfile ours "$results/tabled.json" '
	split("|") as $row | $row[:6] as [$ex, $oa, $ob, $sa, $sb, $kind] |
	[$ours[0].findings[] | select(.kind == $kind and
		'"$statements"' == $row[6])] as $same |
	"| `\($row[7] | sub("; "; "`, `"))` | \($ex) | \($oa) | \($ob) | \($sa) | \($sb) | \($kind) | \(
	if $row[6] == "-" then "-" else [$same[].schedules] | max // 0 end) | \(
	if $row[6] == "-" then "-" else [$same[].input] | unique | length
		end) |"'
cat <<-END

Of each pair of statements of ours the input that was flagged most:

| requests | EX | O_A | O_B | S_A | S_B | kind | component |
|---|---|---|---|---|---|---|---|
END
# shellcheck disable=SC2016
of tabled '
	def word: if . then "yes" else "no" end;
	[.findings[] | select(.kind != "failed") |
	 .pair = '"$statements"'] |
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
	[[ -n $quick || $(of "without-$rule" .flagged) -gt 0 ]] ||
		wrong "nothing is flagged without the rule of $rule"
done

# ---- starting once ----

# NAME WORDS: a row.
speed() {
	of "$1" "\"| $2 | \(.runs) | \(.seconds * 100 | floor / 100) | \(.runs / .seconds * 10 | floor / 10) |\""
}

spec tabled.fixed 'setup CREATE t1' 'client 1 INSERT t1 1 a' \
	'client 2 INSERT t1 2 b' | sed "s,^start .*,& $rounds," > slow.spec
linear once slow.spec -n 400 -j 1 --hang 1m
linear each slow.spec -n $starts -j 1 --hang 1m --exec --again
cat <<-END

Starting up once and forking where the server is ready, with its threads, against
starting it for each run (\`--exec\`): one worker, serial executions included.
tabled works for half a second before it is ready.

| | runs | seconds | runs/s |
|---|---|---|---|
END
speed once 'tabled, once'
speed each 'tabled, for each'
times=$(jq -rn --argjson a "$(of once '.runs / .seconds')" \
	--argjson b "$(of each '.runs / .seconds')" '$a / $b | floor')
if command -v memcached > /dev/null; then
	cached cached-once memcached -n 400 --inputs 1 -j 1 --store speed
	speed cached-once 'memcached, once'
	cached cached-each memcached -n 100 --inputs 1 -j 1 --exec \
		--store speed --again
	speed cached-each 'memcached, for each'
fi
echo
echo "tabled: $times times as many."
[[ $times -ge 20 ]] || wrong "starting once is worth $times times"

# ---- memcached ----

cat <<-END

Pairs of set, add, replace, append, prepend, incr, decr, cas, delete, touch and gat
of memcached, $cached_inputs of its script's 320, $schedules schedules each; state
by probes. The last two: two \`incr\` at once, with the unsafe incr put back.

END
cached_head
if command -v memcached > /dev/null; then
	cached distribution memcached -n $schedules --inputs $cached_inputs
	cached_row distribution 'as the distribution has it, by preloading'
fi
[[ -n $quick ]] || memcached_build
if [[ -x $built/heddle/memcached/memcached ]]; then
	cached hooked-memcached "$built/heddle/memcached/memcached" \
		-n $schedules --inputs $cached_inputs
	cached_row hooked-memcached 'built by heddle cc'
fi
for way in native heddle; do
	[[ -x $built/$way/memcached+incr/memcached ]] || continue
	printf '%s\n' "start $built/$way/memcached+incr/memcached -u $(id -un) -s {socket} -t 2" \
		'connect unix:{socket}' 'ending \r\n' 'reply idle' \
		'setup set n 0 0 1\r\n9' 'client 1 incr n 1' \
		'client 2 incr n 1' 'probe n get n' > incr.spec
	linear incr-$way incr.spec -n 200
	cached_row incr-$way "unsafe incr, $way, in $(of incr-$way \
		'[.findings[].schedules] | add // 0') schedules"
	[[ $(of incr-$way .flagged) -eq 1 ]] ||
		wrong "the unsafe incr was not found ($way)"
done
echo
for name in distribution hooked-memcached; do
	[[ ! -s $results/$name.json ]] || cached_flags $name "$name"
done

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
exit "$failed"
