#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# locate.sh [--quick] [NAME...]: LOCON's Table 4 on the programs of subjects/, the
# paper's figures beside ours. How many pairs a failing run has,
# which procedure names the cause, how many suspects it leaves, whether the first
# was confirmed, with how many passing runs; Falcon's rank of the same pair beside.
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

# Table 4 of the paper: pairs in the failing run; procedure (suspects/rank);
# Falcon's rank and how many share the highest score.
declare -A printed=(
	[shared_counter]="9; I (2/1); 1, 2" [bank_account]="8; I (2/1); 1, 1"
	[circular_list]="11; III thread (6/1); no, 1"
	[string_buffer]="8; I (1/1); no, 1" [log_sweep]="4; I (1/1); 1, 2"
	[binlog_order]="3; III thread (1/1); no, 1"
	[binlog_relay]="32; I (1/1); 1, 1" [compressor]="224; I (1/1); 1, 1"
	[event_loop]="142; II (60/1); no, 5" [fft]="7187; II (7/1); no, 1"
	[downloader]="7027; III loop (1/1); no, 2"
	[httpd_cache]="16625; I (1/1); 9, 1" [httpd_log]="1691; I (2/1); 1, 26"
	[server_fields]="4899; III loop (1/1); no, 23"
	[binlog_rotate]="780977; I (2/1); 1, 69"
	[proc_info]="5510; I (1/1); 1, 282"
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
	timeout 90 "$HEDDLE" locate --json --store "$work/store" "$name-1" \
		< /dev/null > "$work/locon.json" 2> /dev/null
	timeout 60 "$HEDDLE" locate --json --method falcon --most 100000 \
		--store "$work/store" "$name-1" < /dev/null \
		> "$work/falcon.json" 2> /dev/null
	jq -c --arg name "$name" --arg row "$row" --arg paper \
		"${printed[$name]:-}" --slurpfile falcon "$work/falcon.json" '
		def at: "\(.pairs[0].head.line) \(.pairs[0].tail.line)";
		.suspects[0] as $first | ($falcon[0].suspects // []) as $other |
		([$other[] | at] | index($first | at)) as $place |
		{ $name, $row, $paper, pairs: .failing_pairs, procedure, level,
		  suspects: .suspect_count, reported: (.suspects | length),
		  confirmed: .confirmed, kind: $first.kind, found_row: $first.row,
		  runs: .runs.passing, saturated: .runs.saturated,
		  agrees: $first.agrees,
		  sentence: $first.sentence,
		  falcon: (if $place == null then null else
			([$other[] | select(.suspiciousness >
			  $other[$place].suspiciousness)] | length) + 1 end),
		  falcon_first: ([$other[] | select(.suspiciousness ==
			  $other[0].suspiciousness)] | length) }' \
		"$work/locon.json" || echo "{\"name\":\"$name\"}"
}

"$subjects/build.sh" "$work" -f heddle-gcc "${names[@]}" || exit 1
for name in "${names[@]}"; do
	locate "$name"
done > "$results/locate.json"

cat <<-EOT
Pairs in the failing run; the procedure that names the cause (suspects it leaves /
rank of the one that was confirmed); Falcon: rank of that pair, how many share the
highest score. Each beside what the paper's Table 4 has. The row is that of Table 1,
as the subject is listed with and as the failing run shows it. Reported are those that
were confirmed, links of one interleaving as one. Last, whether the switches
of the shrunk schedule bring about what was named.

| subject | row | row found | pairs; procedure; Falcon | the paper | reported | passing runs | kind | confirmed | agrees with shrinking |
|---|---|---|---|---|---|---|---|---|---|
EOT
jq -r '"| \(.name) | \(.row // "") | \(.found_row // "") | \(.pairs // "") ; \(.procedure // "none") " +
	"\(.level // "") (\(.suspects // 0)/1); \(.falcon // "no"), " +
	"\(.falcon_first // 0) | \(.paper // "") | \(.reported // "") " +
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
