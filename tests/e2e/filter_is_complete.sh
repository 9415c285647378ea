#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the recorder leaves out makes no difference: each tests/programs/race_*
# has races on the variables that its head comment names (blocks by "heap", a
# variable on a stack by "stack"), recorded as usual or in full, and built with
# FIXED it has none. With several compilers, where they are there.

. "$(dirname "$0")/lib.sh"

# Where the races of a run are, one to a line.
places() {
	grep -A 2 '^      "location": {' "$1" |
		awk -F '"' '
		$2 == "name" { name = $4 }
		$2 == "kind" { print $4 == "global" ? name : $4 }' |
		sed 's/\[[0-9]*\]$//' | sort -u
}

# observed NAME WANTED [OPTION...]
observed() {
	local name=$1 wanted=$2

	shift 2
	run 0 "$HEDDLE" run --observe --json "$@" -- "./$name"
	places out > got
	cmp -s "$wanted" got && return
	fail "$name${1:+ $1} has races on other places than it says:"
	diff "$wanted" got
}

# both COMPILER NAME SOURCE [OPTION...]: as it is, or fixed.
both() {
	local compiler=$1 name=$2 source=$3 wanted=$4

	shift 4
	[[ $source != *.cc ]] || set -- "$@" -lstdc++
	HEDDLE_CC=$compiler build "$name" "$source" "$@" 2> err
	[[ -x $name ]] || cat err
	observed "$name" "$wanted"
	observed "$name" "$wanted" --all
}

# program SOURCE [COMPILER]
program() {
	local source=$1 compiler=${2:-} name

	name=$(basename "${source%.*}")
	sed -n 's/^ \* race: //p' "$source" | sort -u > wanted
	both "$compiler" "$name" "$source" wanted
	grep -q FIXED "$source" "${source/_late.c/.c}" || return
	both "$compiler" "${name}_fixed" "$source" /dev/null -DFIXED
}

for source in "$SOURCE"/tests/programs/race_*.c*; do
	program "$source"
done
for compiler in clang-14 clang-19; do
	command -v "$compiler" > /dev/null || continue
	for name in late_field readers atomic; do
		program "$SOURCE/tests/programs/race_$name.c" "$compiler"
	done
done
finish
