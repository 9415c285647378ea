#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# locate.sh [--quick] [NAME...]: LOCON's Table 4 on the programs of subjects/, the
# paper's figures beside ours. How many pairs a failing run has, how many of them
# are the cause and of how many variables, which procedure names the cause, how
# many suspects it leaves, how long that takes, whether the first was confirmed,
# with how many passing runs; beside, Falcon's patterns, its rank of the same pair
# and its time.
# Then the rows of Table 1 that Table 3 does not have, and how long analysing
# takes at size. Prints Markdown, keeps all numbers in results/locate.json, one
# object a line. (Its figures are in pairs.sh, what collecting costs, Table 5, in
# overhead.sh.)
#
# Fails when a subject is not located and confirmed, when more than five suspects
# are reported, or when analysing takes more than 60 s or 2 GiB.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
names=(shared_counter bank_account circular_list string_buffer log_sweep
	binlog_order binlog_relay compressor event_loop fft downloader httpd_cache
	httpd_log server_fields binlog_rotate proc_info late_state script_cache
	hazard_pointer on_duty mailbox_cancel table_log warehouse_audit rate_limit
	screen_mode)
pairs=1000000
if [[ ${1:-} == --quick ]]; then
	shift
	names=(shared_counter late_state fft)
	pairs=100000
fi
[[ $# -eq 0 ]] || names=("$@")
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/locate-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# Table 4 of the paper: variables, pairs in the failing run, those of the bug;
# procedure (suspects/rank); seconds. Then Falcon: patterns in the failing run, its
# rank, how many share the highest score; seconds.
declare -A printed=(
	[shared_counter]="1, 9, 2; I (2/1); 0.01"
	[bank_account]="1, 8, 2; I (2/1); 0.01"
	[circular_list]="3, 11, 5; III thread (6/1); 0.12"
	[string_buffer]="1, 8, 2; I (1/1); 0.01"
	[log_sweep]="1, 4, 1; I (1/1); 0.01"
	[binlog_order]="2, 3, 2; III thread (1/1); 0.15"
	[binlog_relay]="2, 32, 1; I (1/1); 0.01"
	[compressor]="1, 224, 1; I (1/1); 0.13"
	[event_loop]="1, 142, 1; II (60/1); 0.42"
	[fft]="2, 7187, 7; II (7/1); 8.1"
	[downloader]="2, 7027, 2; III loop (1/1); 33"
	[httpd_cache]="1, 16625, 1; I (1/1); 27.66"
	[httpd_log]="1, 1691, 2; I (2/1); 1.81"
	[server_fields]="2, 4899, 2; III loop (1/1); 388.3"
	[binlog_rotate]="1, 780977, 2; I (2/1); 740.8"
	[proc_info]="1, 5510, 1; I (1/1); 13.25"
)
declare -A printed_falcon=(
	[shared_counter]="3, 1, 2; 0.01" [bank_account]="2, 1, 1; 0.01"
	[circular_list]="14, no, 1; 0.01" [string_buffer]="3, no, 1; 0.01"
	[log_sweep]="4, 1, 2; 0.01" [binlog_order]="2, no, 1; 0.01"
	[binlog_relay]="8, 1, 1; 0.01" [compressor]="35, 1, 1; 0.01"
	[event_loop]="57, no, 5; 0.06" [fft]="50, no, 1; 0.03"
	[downloader]="37, no, 2; 0.01" [httpd_cache]="751, 9, 1; 2.33"
	[httpd_log]="658, 1, 26; 1.43" [server_fields]="563, no, 23; 1.23"
	[binlog_rotate]="1670, 1, 69; 10.66" [proc_info]="1730, 1, 282; 29.15"
)

# NAME: finds the failure as the list says, locates it, asks Falcon for the rank
# of the pair that was confirmed. One object.
locate() {
	local name=$1 strategy budget row

	IFS=$'\t' read -r strategy budget row < <("$subjects/list.sh" strategy \
		budget row -- "$name")
	timeout 120 "$HEDDLE" run --strategy "$strategy" -n "$budget" \
		--store "$work/store" -- "$work/heddle-gcc/$name" \
		< /dev/null > /dev/null 2>&1
	rm -rf "$work/saved"
	timeout 90 "$HEDDLE" locate --json --save "$work/saved" \
		--store "$work/store" "$name-1" \
		< /dev/null > "$work/locon.json" 2> /dev/null
	"$BUILD/bench/bench_locate" saved "$work/saved" > "$work/times" ||
		echo null > "$work/times"
	timeout 60 "$HEDDLE" locate --json --method falcon --most 100000 \
		--store "$work/store" "$name-1" < /dev/null \
		> "$work/falcon.json" 2> /dev/null
	jq -c --arg name "$name" --arg row "$row" --arg paper \
		"${printed[$name]:-}" --arg paper_falcon \
		"${printed_falcon[$name]:-}" --slurpfile times "$work/times" \
		--slurpfile falcon "$work/falcon.json" '
		def at: "\(.pairs[0].head.line) \(.pairs[0].tail.line)";
		.suspects[0] as $first | ($falcon[0].suspects // []) as $other |
		([$other[] | at] | index($first | at)) as $place |
		{ $name, $row, $paper, $paper_falcon, pairs: .failing_pairs,
		  cause: ([.suspects[] | select(.confirmed) | .pairs[] |
			{ head, tail } | map_values({ file, line, kind })] |
			unique | length),
		  variables: ([.suspects[] | select(.confirmed) |
			.pairs[].variable] | unique | length),
		  times: $times[0], procedure, level,
		  suspects: .suspect_count, reported: (.suspects | length),
		  confirmed: .confirmed, kind: $first.kind, found_row: $first.row,
		  runs: .runs.passing, saturated: .runs.saturated,
		  agrees: $first.agrees,
		  sentence: $first.sentence,
		  falcon: (if $place == null then null else
			([$other[] | select(.suspiciousness >
			  $other[$place].suspiciousness)] | length) + 1 end),
		  falcon_patterns: ($falcon[0].suspect_count // 0),
		  falcon_first: ([$other[] | select(.suspiciousness ==
			  $other[0].suspiciousness)] | length) }' \
		"$work/locon.json" || echo "{\"name\":\"$name\"}"
}

"$subjects/build.sh" "$work" -f heddle-gcc "${names[@]}" || exit 1
for name in "${names[@]}"; do
	locate "$name"
done > "$results/locate.json"

cat <<-EOT
As the paper's Table 4: variables of the cause, pairs in the failing run, those
of them that are the cause (ours: of all that is reported); the procedure that
names it (suspects it leaves / rank of the one that was confirmed); seconds from
the runs in files to the suspects. Falcon: patterns in the failing run, rank of
that pair, how many share the highest score; seconds (ours without reading). The
row is that of Table 1, as the subject is listed with and as the failing run shows
it. Reported are those that were confirmed, links of one interleaving as one. Last,
whether the switches of the shrunk schedule bring about what was named.

| subject | row | row found | located | the paper | Falcon | the paper | reported | passing runs | kind | confirmed | agrees with shrinking |
|---|---|---|---|---|---|---|---|---|---|---|---|
EOT
jq -r 'def seconds: if . == null then "-" elif . < 0.0001 then "< 0.0001"
		else . * 10000 | round / 10000 end;
	"| \(.name) | \(.row // "") | \(.found_row // "") " +
	"| \(.variables // 0), \(.pairs // ""), \(.cause // 0); " +
	"\(.procedure // "none") \(.level // "") (\(.suspects // 0)/1); " +
	"\(.times | if . then .read_s + .localise_s else null end | seconds) " +
	"| \(.paper // "") " +
	"| \(.falcon_patterns // 0), \(.falcon // "no"), " +
	"\(.falcon_first // 0); \(.times.falcon_s | seconds) " +
	"| \(.paper_falcon // "") | \(.reported // "") " +
	"| \(.runs // "") " +
	"| \(.kind // "") | \(.confirmed // false) | \(.agrees // false) |"' \
	"$results/locate.json"
bad=$(jq -r 'select(.confirmed != true or .reported > 5) | .name' \
	"$results/locate.json" | xargs)
[[ -z $bad ]] || { echo "**not confirmed: $bad**"; failed=1; }
bad=$(jq -r '((.paper // "" | capture("\\((?<m>[0-9]+)/").m | tonumber) // 5) as $m |
	select(.reported > ([$m, 5] | min)) | .name' "$results/locate.json" | xargs)
[[ -z $bad ]] || printf '\nReported are more than the paper has: %s.\n' "$bad"

cat <<-EOT

Analysing 100 passing runs:

| pairs in each run | digesting | I | II | III, loops | MiB |
|---|---|---|---|---|---|
EOT
for count in "$pairs" 20000; do
	"$BUILD/bench/bench_locate" "$count" 100 1 > "$work/size" || exit 1
	cat "$work/size" >> "$results/locate.json"
	jq -r '"| \(.pairs) | \(.digest_s) s | \(.one_s) s | \(.two_s) s | " +
		(if .pairs <= 20000 then "\(.three_s) s" else "" end) +
		" | \(.rss_mib) |"' "$work/size"
	jq -e '.digest_s + .one_s + .two_s + .three_s <= 60 and
		.rss_mib <= 2048' "$work/size" > /dev/null ||
		{ echo "**too slow or too large**"; failed=1; }
done
exit $failed
