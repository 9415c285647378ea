#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A block that is freed in another way than it was made is an invalid free under
# control; not so where the program brings new or delete of its own.

. "$(dirname "$0")/lib.sh"

program=$SOURCE/tests/programs/control_new_delete.cc

compile() {
	timeout 60 "$HEDDLE" c++ -g -O0 -std=c++17 -w -pthread "$@" "$program" ||
		fail "cannot build $*"
}

breaks() {
	local how=$1 words=$2

	run 1 "$HEDDLE" run --strategy random -n 1 -- ./forms "$how"
	has out "invalid free of a block of $words in mismatch"
	has out 'the block was allocated by thread 0 (main)'
}

compile -o forms
run 0 "$HEDDLE" run --strategy random -n 20 --seed 1 -- ./forms
breaks new-free '4 bytes allocated by new and freed by free'
breaks new-realloc '4 bytes allocated by new and freed by free'
breaks array-free '12 bytes allocated by new[] and freed by free'
breaks array-delete '12 bytes allocated by new[] and freed by delete'
breaks new-array '1 bytes allocated by new and freed by delete[]'
breaks malloc-delete '12 bytes allocated by malloc and freed by delete'
breaks malloc-array '12 bytes allocated by malloc and freed by delete[]'
breaks large '1048576 bytes allocated by new[] and freed by free'

for own in 1 2; do
	compile -o own -DOWN_NEW=$own
	run 0 "$HEDDLE" run --strategy random -n 5 --seed 1 -- ./own
	for how in new-free malloc-delete; do
		run 0 "$HEDDLE" run --strategy random -n 5 -- ./own $how
	done
done
finish
