#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a search might take for everything although it is not. Every schedule
# one by one is the truth; a search that needs fewer breaks the program as well,
# or says why it does not know.

. "$(dirname "$0")/lib.sh"

build corners "$SOURCE/tests/programs/explore_corners.c"
for name in mixed left beside yields goes_on remade; do
	for search in mcm dpor dfs; do
		run 1 "$HEDDLE" explore --search "$search" -- ./corners "$name"
	done
done
for name in waiting timed writers destroyed; do
	for search in dpor dfs; do
		run 1 "$HEDDLE" explore --search "$search" -- ./corners "$name"
	done
	run 3 "$HEDDLE" explore -- ./corners "$name"
	has out "unknown: not complete"
	has out "because: "
done
# No schedule tears such a write, but the machine does.
for search in mcm dpor; do
	run 3 "$HEDDLE" explore --search "$search" -- ./corners neighbours
	has out "fields of a few bits that share a word"
done
for name in locked flag alone made; do
	for search in mcm dpor; do
		run 0 "$HEDDLE" explore --search "$search" -- ./corners "$name"
		has out "held: complete: "
	done
done
finish
