#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# expose.sh [--quick] [NAME...]: the tables of CTrigger's paper, its figures
# beside ours, on the programs of subjects/: how long each method takes to the
# first failure (Table 4), how often what was found comes again (Table 7), what
# pruning leaves (Table 8), whether the feasible set is the same in every
# profile, and what a perturbed run costs whose rules name nothing that
# executes. Prints Markdown, keeps all numbers in results/expose.json, one object
# a line.
#
# Stress is nothing but repetition of the program as gcc -O2 builds it, without
# hooks, which change its timing even when they are idle; two subjects at a time.
#
# Fails when a subject of the paper is not exposed in 10 s, or when what was found
# does not come again in 19 of 20 replays.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
subjects=$here/../subjects
results=$here/results
rounds=10
limit=10
stress_limit=20
hang_limit=5
pure_limit=12
profiles=20
times=20
paper=(httpd_cache httpd_log binlog_rotate script_cache compressor fft lu barnes)
kernels=(fft lu barnes radix)
programs=(matrix hashtable queue list)
declare -A size=([matrix]=500 [hashtable]=2000000 [queue]=250000 [list]=20)
if [[ ${1:-} == --quick ]]; then
	shift
	rounds=1
	stress_limit=1
	pure_limit=1
	profiles=2
	paper=(httpd_log script_cache lu)
	kernels=(lu)
	programs=(queue)
	size[queue]=50000
fi
[[ $# -eq 0 ]] || paper=("$@")
mkdir -p "$results"
work=$(mktemp -d "${TMPDIR:-/tmp}/expose-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
	echo "**$***"
	failed=1
}

# Table 4 of the paper: stress, Pure-Pin, sync, race, CTrigger; its speedup over
# stress; Table 7: CTrigger.
declare -A printed=(
	[httpd_cache]="> 1 week, no, no, no, 235.0; > 2573.6; 76.2"
	[httpd_log]="80604, no, 14976, 126, 63.6; 1267.4; 1.3"
	[binlog_rotate]="287, 5431, 3796, 3.5, 2.0; 143.5; 0.90"
	[script_cache]="no, no, no, 65759.6, 66.2; > 1305.1; 4.39"
	[compressor]="no, no, 32, 2.6, 2.6; > 9391.3; 0.44"
	[fft]="673, 2284, no, no, 0.94; 716.0; 0.18"
	[lu]="188.6, 3459, no, no, 4.2; 44.9; 0.18"
	[barnes]="248.7, no, no, no, 17.6; 14.1; 0.45"
)
# Table 8: instructions that access memory, potential ones, feasible, pruned.
declare -A printed_pruned=(
	[httpd_cache]="2551, 297, 157, 47.1 %"
	[httpd_log]="2551, 297, 157, 47.1 %"
	[binlog_rotate]="2257, 113, 25, 77.9 %"
	[script_cache]="2376, 76, 48, 36.8 %"
	[compressor]="149, 93, 25, 73.1 %" [fft]="311, 205, 21, 89.8 %"
	[lu]="377, 177, 7, 96.0 %" [barnes]="716, 470, 143, 69.6 %"
)

# NAME METHOD LIMIT SEED: seconds to the first failure, or null.
exposed() {
	rm -rf "$work/store"
	timeout $(($3 + 60)) "$HEDDLE" expose --method "$2" -b "${3}s" \
		--seed "$4" --json --store "$work/store" \
		-- "$work/heddle-gcc/$1" < /dev/null 2> "$work/err" \
		> "$work/out" || [[ $? -eq 1 ]] || cat "$work/err" >&2
	jq '.bugs[0].seconds // null' "$work/out" || echo null
}

# NAME: the same of the program alone, for each round a line; no round begins
# when stress_limit s have passed.
stressed() {
	local round failures took began=$SECONDS

	for ((round = 1; round <= rounds; round++)); do
		[[ $((SECONDS - began)) -lt $stress_limit ]] || break
		read -r _ failures took < <("$BUILD/bench/bench_native" \
			first $stress_limit $hang_limit "$work/native/$1")
		[[ ${failures:-0} -gt 0 ]] && echo "$took" || echo null
	done > "$work/stress.$1"
}

# The median of numbers; null counts as never.
median() {
	jq -s 'map(. // 1e9) | sort | .[length / 2 | floor] |
		if . == 1e9 then null else . * 10000 | round / 10000 end'
}

# NAME: instructions that access memory, as a watched run has them.
instructions() {
	rm -rf "$work/watched" "$work/watched.json"
	timeout 60 "$HEDDLE" run --observe --all --fail-on none --json \
		-o "$work/watched.json" --store "$work/watched" \
		-- "$work/heddle-gcc/$1" > /dev/null 2>&1 < /dev/null
	jq '[.. | objects | .sites? // empty] | max // null' \
		"$work/watched.json" 2> /dev/null || echo null
}

"$subjects/build.sh" "$work" -f heddle-gcc "${paper[@]}" "${kernels[@]}" \
	> /dev/null || exit 1
"$subjects/build.sh" "$work" -f native "${paper[@]}" > /dev/null || exit 1

# ---- exposing and reproducing ----

export -f stressed
export work rounds stress_limit hang_limit
printf '%s\n' "${paper[@]}" | xargs -P 2 -I {} bash -c 'stressed {}'
for name in "${paper[@]}"; do
	for method in ctrigger race sync pure; do
		most=$limit
		[[ $method != pure ]] || most=$pure_limit
		for ((seed = 1; seed <= rounds; seed++)); do
			one=$(exposed "$name" $method $most $((seed * 1000)))
			echo "$one"
			# What never fails is not worth ten tries.
			[[ $method == ctrigger || $one != null ]] || break
			# Nor is pure, which is in no bar, when it takes long.
			[[ $method != pure || ${one%.*} -lt 1 ]] || break
		done > "$work/seconds"
		# The repro of the last CTrigger search is kept for below.
		[[ $method != ctrigger ]] || {
			began=$(date +%s%N)
			again=$(timeout 200 "$HEDDLE" replay --store "$work/store" \
				--times $times "$name-1" 2> /dev/null < /dev/null |
				sed -n 's/^reproduced \([0-9]*\) of.*/\1/p')
			took=$((($(date +%s%N) - began) / 1000000))
			space=$(jq -c .space "$work/out")
		}
		jq -s -c --arg name "$name" --arg method $method \
			--argjson median "$(median < "$work/seconds")" \
			'{ $name, $method, $median, seconds: . }' "$work/seconds"
	done
	jq -s -c --arg name "$name" --argjson median \
		"$(median < "$work/stress.$name")" '{ $name, method: "stress",
		$median, seconds: . }' "$work/stress.$name"
	jq -cn --arg name "$name" --argjson again "${again:-0}" \
		--argjson took "${took:-0}" --argjson space "${space:-null}" \
		--argjson instructions "$(instructions "$name")" \
		'{ $name, method: "replay", $again, took: ($took / 1000),
		$space, $instructions }'
done > "$results/expose.json"

cat <<-EOT
Seconds to the first failure, medians of $rounds searches with the seeds 1000,
2000 and so on (at most $limit s; pure: $pure_limit s, once where that finds
nothing). Stress: the program alone, without hooks, built by gcc -O2, again and
again, two subjects at a time; at most $stress_limit s for one failure, and as
many rounds as begin in that time. Speedup: of expose over stress. *Again*: of
$times replays, and the seconds all of them took. The paper: stress, Pure-Pin,
sync, race, CTrigger; speedup over stress; reproducing.

| subject | stress | pure | sync | race | expose | speedup | again | paper |
|---|---|---|---|---|---|---|---|---|
EOT
cell() {
	jq -r --arg name "$1" --arg method "$2" 'select(.name == $name and
		.method == $method) | .median | if . then . * 100 | round / 100
		else "no" end' "$results/expose.json" |
		sed "$([[ $2 != stress ]] || echo "s/^no$/> $stress_limit s/")"
}
# NAME: how many times as long stress takes.
speedup() {
	jq -rs --arg name "$1" --argjson limit $stress_limit '
		[.[] | select(.name == $name)] |
		(.[] | select(.method == "ctrigger").median) as $ours |
		(.[] | select(.method == "stress").median) as $stress |
		if ($ours // 0) == 0 then "" else
			(if $stress == null then "> " else "" end) +
			"\(($stress // $limit) / $ours * 100 | round / 100)"
		end' "$results/expose.json"
}
for name in "${paper[@]}"; do
	again=$(jq -r --arg name "$name" 'select(.name == $name and .method ==
		"replay") | "\(.again), \(.took)"' "$results/expose.json")
	echo "| $name | $(cell "$name" stress) | $(cell "$name" pure) |" \
		"$(cell "$name" sync) | $(cell "$name" race) |" \
		"$(cell "$name" ctrigger) | $(speedup "$name") | $again |" \
		"${printed[$name]:-} |"
	[[ $(cell "$name" ctrigger) != no ]] || fail "$name: not exposed"
	[[ ${again%,*} -ge $((times - 1)) ]] || fail "$name: does not come again"
done

# ---- pruning ----

cat <<-EOT

Static instructions that access memory in a watched run, those that touch memory
of several threads, those of them that can be the end of an unserializable
interleaving, and what is pruned so; the same four of the paper's Table 8.
*Interleavings*: our candidates (P, C, R), and those pruned.

| subject | access | shared | feasible | pruned | interleavings | pruned | paper |
|---|---|---|---|---|---|---|---|
EOT
for name in "${paper[@]}"; do
	jq -r --arg name "$name" --arg paper "${printed_pruned[$name]:-}" '
		def percent(a; b): if b == 0 then "-" else
			"\((1 - a / b) * 1000 | round / 10) %" end;
		select(.name == $name and .method == "replay") |
		.instructions as $all | .space |
		"| \($name) | \($all // "") | \(.sites) | \(.sites_feasible) " +
		"| \(percent(.sites_feasible; .sites)) | \(.interleavings) " +
		"| \(percent(.interleavings - .pruned; .interleavings)) " +
		"| \($paper) |"' "$results/expose.json"
done

# ---- stability ----

# NAME: sums of the feasible ones as places: P, R and C, and the paper's unit, C.
feasible() {
	timeout 60 "$HEDDLE" expose --explain -b 2s --store "$work/stable" \
		-- "$work/heddle-gcc/$1" 2> /dev/null < /dev/null |
		awk -F '  +' '$3 ~ /^[RW]-[RW]-[RW]$/ && $4 !~ /;/ &&
			!/ pruned: / { print $3 "|" $4 "|" $5 "|" $6 }' |
		sort -u > "$work/set"
	echo "$(cksum < "$work/set") $(cut -d '|' -f 4 "$work/set" | sort -u |
		cksum)"
	rm -rf "$work/stable"
}

cat <<-EOT

The feasible set of the barrier kernels, from $profiles searches, each with its
own watched run: how many different ones, as interleavings (P, R, C) and as the
paper counts, instructions C. The paper ran each of its three kernels 20 times
and had one set of each.

| kernel | searches | sets of (P, R, C) | sets of C |
|---|---|---|---|
EOT
for name in "${kernels[@]}"; do
	for ((i = 0; i < profiles; i++)); do feasible "$name"; done > "$work/sums"
	echo "| $name | $profiles | $(cut -d ' ' -f 1,2 "$work/sums" | sort -u |
		wc -l) | $(cut -d ' ' -f 3,4 "$work/sums" | sort -u | wc -l) |"
done

# ---- cost ----

for name in "${programs[@]}"; do
	source=$here/programs/$name.c
	gcc -O2 -g -pthread "$source" -o "$work/$name-native" &&
		gcc -O2 -g -pthread -fsanitize=thread "$source" \
			-o "$work/$name-tsan" &&
		"$HEDDLE" cc -O2 -g -pthread "$source" -o "$work/$name" ||
		exit 1
	echo "$name native plain $work/$name-native ${size[$name]}"
	echo "$name tsan plain env TSAN_OPTIONS=report_bugs=0" \
		"$work/$name-tsan ${size[$name]}"
	echo "$name perturbed tool $HEDDLE expose --method stress -n 1" \
		"-- $work/$name ${size[$name]}"
done > "$work/commands"

# NAME PROGRAM ARGUMENT...: a program of bench/cache/build in these variants.
real() {
	local tree=$here/cache/build

	echo "$1 native plain $tree/native/$1/$2 ${*:3}"
	echo "$1 tsan plain env TSAN_OPTIONS=report_bugs=0 $tree/tsan/$1/$2 ${*:3}"
	echo "$1 perturbed tool $HEDDLE expose --method stress -n 1" \
		"-- $tree/heddle/$1/$2 ${*:3}"
}

if [[ $rounds -gt 1 && -d $here/cache/src/memcached ]]; then
	"$here/build_real.sh" {native,tsan,heddle}/{pbzip2,memcached} || exit 1
	"$BUILD/bench/mixed" 10 1 > "$work/data" || exit 2
	real pbzip2 pbzip2 -p2 -k -q -f "$work/data" >> "$work/commands"
	real memcached driven 30000 >> "$work/commands"
fi
cd "$work" || exit 2
"$BUILD/bench/stopwatch" -n $((rounds > 3 ? 5 : rounds)) -t 300 < "$work/commands" \
	> "$work/runs" || fail "not every run came to its end"
echo
echo "A perturbed run in which no rule names a place that executes: processor"
echo "seconds of the program, the least of each."
echo
echo "| program | native | perturbed | ThreadSanitizer | of native | of it |"
echo "|---|---|---|---|---|---|"
awk -F '\t' '{ k = $1 SUBSEP $2; names[$1] = 1
		if (!(k in least) || $6 < least[k]) least[k] = $6 }
	END { for (n in names) { a = least[n, "native"] + 1e-9
		b = least[n, "perturbed"]; c = least[n, "tsan"] + 1e-9
		printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", n, a, b, c,
			b / a, b / c } }' "$work/runs" | sort
exit $failed
