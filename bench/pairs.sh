#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# pairs.sh [--quick]: LOCON's Figures 5, 7 and 8. The first: how the set of
# different access pairs grows with passing runs: free ones, free ones with
# random delays, and controlled ones. The second: how long it takes to read the
# runs, and to find the pairs of the bug. The third: how many suspects are left
# with fewer passing runs. Prints tables in Markdown, keeps all numbers in
# results/pairs*.json and draws docs/pairs.svg and docs/suspects.svg, if there
# is gnuplot.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
plot=$here/../docs/pairs.svg
suspects_plot=$here/../docs/suspects.svg
# FFT, RADIX, Pbzip2, Transmission, Apache, MySQL.
kernels=(fft radix compressor event_loop httpd_log proc_info)
# Those of its Table 3.
located=(shared_counter bank_account circular_list string_buffer log_sweep
	binlog_order binlog_relay compressor event_loop fft downloader httpd_cache
	httpd_log server_fields binlog_rotate proc_info)
runs=60
seed=1
if [[ ${1:-} == --quick ]]; then
	kernels=(radix httpd_log)
	located=(shared_counter)
	runs=10
	plot=$results/pairs.svg
	suspects_plot=$results/suspects.svg
fi
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/pairs-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# NAME: finds the failure of a subject as its list says, and keeps it.
find_failure() {
	local name=$1 strategy budget

	rm -rf "$work/store"
	IFS=$'\t' read -r strategy budget < <("$subjects/list.sh" strategy budget \
		-- "$name")
	timeout 120 "$HEDDLE" run --strategy "$strategy" -n "$budget" \
		--seed $seed --store "$work/store" -- "$work/heddle-gcc/$name" \
		< /dev/null > /dev/null 2>&1
	[[ $? -eq 1 ]] || echo "pairs: $name did not break" >&2
}

# OPTION...: heddle locate on that failure, as JSON.
locate() {
	timeout 180 "$HEDDLE" locate --json --no-experiments --seed $seed \
		--for 10s --store "$work/store" "$@" 2> "$work/err" ||
		[[ $? -le 1 ]] || cat "$work/err" >&2
}

# NAME: how pairs gather: natively, with delays, controlled.
gather() {
	local way native delayed

	find_failure "$1"
	for way in N:$runs:0 R:0:$runs C:0:0; do
		IFS=: read -r way native delayed <<< "$way"
		locate --runs $runs --native "$native" --delayed "$delayed" \
			"$1-1" | jq -c --arg name "$1" --arg way "$way" \
			--argjson seed $seed '{ $name, $way, $seed,
			new: .runs.new_pairs }'
	done
}

# NAME: what is left of the suspects with so many passing runs.
narrow() {
	local count file

	find_failure "$1"
	rm -rf "$work/saved" "$work/some"
	locate --runs $runs --save "$work/saved" "$1-1" > /dev/null
	for count in 1 2 5 10 20 40 $runs; do
		[[ $count -le $runs ]] || continue
		rm -rf "$work/some"
		mkdir -p "$work/some"
		while read -r file; do
			cp "$file" "$work/some"
		done < <(find "$work/saved/pass" -type f | sort -V | head -n $count)
		mkdir -p "$work/saved/$count"
		ln -sfn "$work/some" "$work/saved/$count/pass"
		ln -sfn "$work/saved/fail" "$work/saved/$count/fail"
		"$BUILD/bench/bench_locate" saved "$work/saved/$count" \
			> "$work/times" || exit 1
		locate --pass "$work/some" --fail "$work/saved/fail" \
			> "$work/located"
		jq -c --arg name "$1" --argjson runs $count --argjson seed $seed \
			--slurpfile times "$work/times" \
			'{ $name, $runs, $seed, had: $times[0].passing,
			   read_s: $times[0].read_s,
			   localise_s: $times[0].localise_s, procedure, level,
			   suspects: .suspect_count, pairs: .all_pairs }' \
			"$work/located"
	done
}

# Figure 5.
draw() {
	jq -r '"\"\(.name)-\(.way)\"", (.new as $new |
		range(0; $new | length) | "\(. + 1) \($new[0:. + 1] | add)"),
		"\n"' "$results/pairs.json" > "$work/data"
	gnuplot <<-EOT
	set terminal svg size 640,400 font "sans-serif,12" background "white"
	set output "$plot"
	set xlabel "passing runs"
	set ylabel "different access pairs"
	set yrange [0:*]
	set key outside right top noenhanced
	set grid ytics lc rgb "#dddddd"
	set border 3
	set tics nomirror
	plot for [i=0:$((3 * ${#kernels[@]} - 1))] "$work/data" index i using 1:2 \
		with lines lw 2 lc int(i / 3) + 1 dt i % 3 + 1 title columnheader(1)
	EOT
}

# Figure 8; as runs grow by more than themselves, on a logarithmic scale.
draw_suspects() {
	jq -rs 'group_by(.name)[] | "\"\(.[0].name)\"",
		(sort_by(.runs)[] | "\(.runs) \(.suspects // 0)"), "\n"' \
		"$results/pairs-runs.json" > "$work/data"
	gnuplot <<-EOT
	set terminal svg size 640,400 font "sans-serif,12" background "white"
	set output "$suspects_plot"
	set xlabel "passing runs"
	set ylabel "pairs (I, II) or coupled pairs (III) that are left"
	set logscale x
	set xtics (1, 2, 5, 10, 20, 40, 60)
	set yrange [0:*]
	set key outside right top noenhanced
	set grid ytics lc rgb "#dddddd"
	set border 3
	set tics nomirror
	plot for [i=0:$((${#located[@]} - 1))] "$work/data" index i using 1:2 \
		with linespoints lw 2 pt (i % 7) + 1 ps 0.5 lc int(i % 8) + 1 \
		dt int(i / 8) + 1 title columnheader(1)
	EOT
}

"$subjects/build.sh" "$work" -f heddle-gcc "${kernels[@]}" "${located[@]}" ||
	exit 1
for name in "${kernels[@]}"; do
	gather "$name"
done > "$results/pairs.json"
for name in "${located[@]}"; do
	narrow "$name"
done > "$results/pairs-runs.json"
undrawn=
if command -v gnuplot > /dev/null; then
	draw
	draw_suspects
else
	undrawn="The plots were not made anew: there is no gnuplot."
fi

cat <<-EOT
Seed $seed. Different access pairs after so many passing runs: free (N), free with
random delays (R), controlled (C); at most $runs, and no more once the last ones
brought nothing new.

| subject | way | after 1 | 2 | 5 | 10 | 20 | the last | runs |
|---|---|---|---|---|---|---|---|---|
EOT
jq -r '.new as $new | def after($n): $new[0:$n] | add // 0;
	"| \(.name) | \(.way) | \(after(1)) | \(after(2)) " +
	"| \(after(5)) | \(after(10)) | \(after(20)) | \($new | add // 0) " +
	"| \($new | length) |"' "$results/pairs.json"
cat <<-EOT

Suspects that are left with so many passing runs, up to the first procedure that
has some; with the most runs, milliseconds to read them from files and to find the
suspects, procedure after procedure (Figure 7's two steps):

| subject | procedure | level | 1 run | 2 | 5 | 10 | 20 | 40 | $runs | pairs | reading, ms | finding, ms |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOT
jq -rs 'group_by(.name)[] | sort_by(.runs) | . as $all |
	def with($n): [$all[] | select(.runs == $n) | .suspects // 0][0] // "";
	def ms: . * 1000000 | round / 1000;
	"| \(.[0].name) | \(.[-1].procedure // "none") | \(.[-1].level // "") " +
	"| \(with(1)) | \(with(2)) | \(with(5)) | \(with(10)) | \(with(20)) " +
	"| \(with(40)) | \(.[-1].suspects // 0) | \(.[-1].pairs) " +
	"| \(.[-1].read_s | ms) | \(.[-1].localise_s | ms) |"' \
	"$results/pairs-runs.json"
[[ -z $undrawn ]] || printf '\n%s\n' "$undrawn"
