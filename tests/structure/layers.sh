#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Who may include whom: a room includes itself and rooms to its right, the
# guest only format. And every header compiles alone.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
rooms=(cli report regress locate expose explore linear store trial analysis plan
	trace base format)
failed=0

fail() {
	echo "$*"
	failed=1
}

# Prints the rooms that files of room $1 may include.
visible_from() {
	local room found=

	if [[ $1 == runtime ]]; then
		echo runtime format
		return
	fi
	for room in "${rooms[@]}"; do
		[[ $room == "$1" ]] && found=yes
		[[ $found ]] && echo "$room"
	done
}

declare -A visible
for room in "${rooms[@]}" runtime; do
	visible[$room]=" $(visible_from "$room" | xargs) "
done

for directory in src/*/; do
	room=$(basename "$directory")
	[[ " ${rooms[*]} runtime " == *" $room "* ]] ||
		fail "src/$room: a room that the layer rule does not know"
done

checked=0
while IFS=: read -r file line text; do
	room=${file#src/}
	room=${room%%/*}
	target=${text#*\"}
	target=${target%%\"*}
	checked=$((checked + 1))
	# The annotations are the border between guest and program.
	[[ $room == runtime && $target == heddle.h ]] && continue
	if [[ $target != */* ]]; then
		fail "$file:$line: \"$target\" should be named from src/"
	elif [[ ${visible[$room]:-} != *" ${target%%/*} "* ]]; then
		fail "$file:$line: $room must not include $target"
	elif [[ ! -f src/$target ]]; then
		fail "$file:$line: there is no src/$target"
	fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src)
[[ $checked -gt 10 ]] || fail "only $checked includes seen: the check is blind"

# Ground rule of the guest: it shares no buffers and no locks with stdio.
# It stands in front of its functions, so one header knows their types.
grep -rnE '#[[:space:]]*include[[:space:]]*<stdio.h>' src/runtime src/format |
	grep -v '^src/runtime/real.h:' && fail "the guest must not use stdio"

alone() {
	local compiler=$1 header=$2

	shift 2
	echo "#include \"$header\"" |
		"$compiler" "$@" -fsyntax-only -Wall -Wextra -Werror \
			-D_GNU_SOURCE -Isrc -Iinclude - ||
		fail "$header does not compile alone with $compiler $*"
}

while read -r header; do
	alone gcc "${header#src/}" -std=gnu17 -x c
done < <(find src -name '*.h')
if [[ -f include/heddle.h ]]; then
	alone gcc heddle.h -std=c99 -pedantic -x c
	alone g++ heddle.h -std=c++11 -pedantic -x c++
fi

exit $failed
