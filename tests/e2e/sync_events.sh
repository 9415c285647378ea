#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each tests/programs/sync_* behaves the same alone and observed, and its
# threads record exactly the synchronisation that its head comment lists:
#
#	trace N: KIND[:ARG] ...	of thread N, in this order; errors by name,
#				"?" for an argument that chance decides
#	ignore: KIND ...	kinds that chance decides
#	count: N KIND[:ARG]	so many in all threads

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
HEDDLE=${HEDDLE:-$SOURCE/build/heddle}
scratch=$(mktemp -d) || exit 2
failed=0

finish() {
	if [[ $failed -eq 0 ]]; then
		rm -rf "$scratch"
	else
		echo "kept: $scratch"
	fi
	exit "$failed"
}

fail() {
	echo "$*"
	failed=1
}

# "N KIND[:ARG]" for each event the head comment wants, by thread.
wanted() {
	sed -n 's/^ \* trace \([0-9]*\): /\1 /p' "$1" |
		awk '{ for (i = 2; i <= NF; i++) print $1, $i }' |
		sort -s -n -k 1,1
}

# The same for what was recorded by the program itself: the unwinder and
# other libraries synchronise as well.
recorded() {
	local ignored
	ignored=$(sed -n 's/^ \* ignore: //p' "$2" | xargs)
	awk -v ignored="$ignored" '
	BEGIN {
		n = split("1 EPERM 4 EINTR 11 EAGAIN 16 EBUSY 22 EINVAL " \
			"35 EDEADLK 75 EOVERFLOW 110 ETIMEDOUT " \
			"125 ECANCELED 130 EOWNERDEAD 131 ENOTRECOVERABLE " \
			"256 tried 386 tried+EOWNERDEAD",
			words, " ")
		for (i = 1; i < n; i += 2)
			name[words[i]] = words[i + 1]
		n = split(ignored, words, " ")
		for (i = 1; i <= n; i++)
			skip[words[i]] = 1
	}
	$2 !~ /^(mutex|spin|rwlock|cond|sem|barrier|once|futex|note)-/ ||
	$2 in skip || / # .*lib[a-z_+]*\.so/ { next }
	{
		arg = ""
		if ($2 != "cond-wait" && match($0, / arg=[0-9]+/))
			arg = substr($0, RSTART + 5, RLENGTH - 5)
		if ($2 ~ /^(.*-fail|.*lock|cond-wake|futex-woken)$/ &&
		    arg in name)
			arg = name[arg]
		print $1, $2 (arg && arg != "0" ? ":" arg : "")
	}' "$1" | sort -s -n -k 1,1
}

# Prints where two such lists part.
compare() {
	paste -d '|' "$1" "$2" | awk -F '|' '
	{
		want = $1
		got = $2
		if (sub(/:\?$/, "", want))
			sub(/:.*/, "", got)
		if (want != got) {
			print "event " NR ": wanted \"" $1 "\", recorded \"" \
				$2 "\""
			exit 1
		}
	}'
}

count_matches() {
	local number event

	while read -r number event; do
		[[ $(cut -d ' ' -f 2 "$2" | grep -cFx "$event") == "$number" ]] ||
			return 1
	done < <(sed -n 's/^ \* count: //p' "$1")
}

check() {
	local source=$1 name program driver=(cc -std=gnu17 -D_GNU_SOURCE)

	name=$(basename "$source")
	program=$scratch/${name%.*}
	[[ $source == *.cc ]] && driver=(c++ -std=c++20)
	"$HEDDLE" "${driver[@]}" -O1 -g -o "$program" "$source" -pthread || {
		fail "$name does not compile"
		return
	}
	timeout 60 "$program" || fail "$name fails alone: status $?"
	timeout 60 "$HEDDLE" run --observe --dump --fail-on none \
		--store "$scratch/store" -o "$program.dump" -- "$program" ||
		fail "$name fails observed: status $?"
	wanted "$source" > "$program.wanted"
	recorded "$program.dump" "$source" > "$program.recorded"
	[[ -s $program.wanted ]] || fail "$name wants nothing"
	compare "$program.wanted" "$program.recorded" ||
		fail "$name: see $program.dump"
	count_matches "$source" "$program.recorded" ||
		fail "$name: another number of events than its head says"
}

for source in "$SOURCE"/tests/programs/sync_*.c \
	"$SOURCE"/tests/programs/sync_*.cc; do
	check "$source"
done
finish
