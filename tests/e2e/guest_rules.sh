#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The ground rules of the guest: each tests/programs/guest_* does, observed,
# exactly what it does alone, with the same output and the same status. The
# head of a program says what is more:
#
#	with: OPTION...		for its link
#	also: FILE OPTION...	build this from the same source first
#	count: N KIND		so many events of the kind
#	at least: N KIND
#	silent			nothing is found
#	note: WORDS		the guest says so
#
# gcc builds all of them, the other compilers those that compilers differ in.

. "$(dirname "$0")/lib.sh"

# head_lines SOURCE WORD: what follows "WORD: " in lines of the head.
head_lines() {
	sed -n "s,^\( \*\|//\) $2: ,,p" "$1"
}

compile() {
	local source=$1 target=$2 driver=(cc -std=gnu17 -D_GNU_SOURCE)

	shift 2
	[[ $source == *.cc ]] && driver=(c++ -std=c++20)
	timeout 60 "$HEDDLE" "${driver[@]}" -O1 -g -pthread -o "$target" \
		"$source" "$@" || fail "cannot build $source with $HEDDLE_CC"
}

build_all() {
	local source=$1 program=$2 file options

	while read -r file options; do
		# shellcheck disable=SC2086
		compile "$source" "$file" $options
	done < <(head_lines "$source" also)
	# shellcheck disable=SC2046
	compile "$source" "$program" $(head_lines "$source" with)
}

count_of() {
	awk -v kind="$1" '$2 == kind { n++ } END { print n + 0 }' dump
}

check_counts() {
	local number kind got

	while read -r number kind; do
		got=$(count_of "$kind")
		[[ $got -eq $number ]] ||
			fail "$2: $got of $kind instead of $number"
	done < <(head_lines "$1" count)
	while read -r number kind; do
		got=$(count_of "$kind")
		[[ $got -ge $number ]] ||
			fail "$2: $got of $kind, fewer than $number"
	done < <(head_lines "$1" "at least")
}

check() {
	local source=$1 program name

	name="$(basename "$source") ($HEDDLE_CC)"
	program=$(basename "${source%.*}")
	build_all "$source" "$program"
	run 0 "./$program"
	[[ $(cat out) == "as it should be" ]] || fail "$name alone: $(cat out)"
	[[ ! -s err ]] || fail "$name alone says: $(cat err)"
	run 0 "$HEDDLE" run --observe --dump --fail-on none --store store \
		-o dump -- "./$program"
	[[ $(cat out) == "as it should be" ]] ||
		fail "$name observed: $(cat out)"
	check_counts "$source" "$name"
	if grep -q '^ \* silent$' "$source"; then
		run 0 "$HEDDLE" run --observe --fail-on any --store store \
			-o summary -- "./$program"
	fi
	rm -rf store dump
}

for source in "$SOURCE"/tests/programs/guest_*.c \
	"$SOURCE"/tests/programs/guest_*.cc; do
	HEDDLE_CC=gcc check "$source"
done
for HEDDLE_CC in clang-14 clang-19; do
	command -v "$HEDDLE_CC" > /dev/null || continue
	for rule in longjmp.c exceptions.cc strings.c signals.c \
		tls_destructors.c annotations.c coroutines.c new_delete.cc; do
		HEDDLE_CC=$HEDDLE_CC check "$SOURCE/tests/programs/guest_$rule"
	done
done
finish
