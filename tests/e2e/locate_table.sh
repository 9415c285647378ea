#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Small programs of every row of LOCON's Table 1, tests/programs/rowNN_*: the
# first suspect is confirmed, its row is the one in the name, and the switches of
# the shrunk schedule bring it about. Their twins hold.

. "$(dirname "$0")/lib.sh"

for file in "$SOURCE"/tests/programs/row[0-9][0-9]_*; do
	name=$(basename "${file%.*}")
	row=$((10#${name:3:2}))
	compiler=cc
	[[ $file == *.cc ]] && compiler=c++
	run 0 "$HEDDLE" "$compiler" -g -O1 -o "$name" "$file" -pthread
	run 0 "$HEDDLE" "$compiler" -g -O1 -DFIXED -o "$name-fixed" "$file" \
		-pthread
	run 0 "$HEDDLE" run --strategy random -n 200 -- "./$name-fixed"
	run 1 "$HEDDLE" run --strategy random -n 2000 -- "./$name"
	run 1 "$HEDDLE" locate --json --native 0 --delayed 0 "$name-1"
	got=$(jq -r '.suspects[0] | "\(.confirmed) \(.row) \(.agrees)"' out)
	[[ $got == "true $row true" ]] ||
		fail "$name: $got, $(jq -r '.suspects[0].sentence' out)"
done

finish
