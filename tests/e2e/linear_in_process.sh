#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle linear in process: threads of the program make requests, on a map of
# ours in each kind of component, and on a real library.

. "$(dirname "$0")/lib.sh"

build map "$SOURCE/tests/programs/linear_map.c"
run 0 "$HEDDLE" linear -n 60 -- ./map
has out 'held: 1 input'
# Replies and state may both be possible, but not together.
run 1 "$HEDDLE" linear --json -n 300 -- ./map split
jq -e '.findings[] | select(.component == "counter" and .requests[0].client)' \
	out > /dev/null || fail "not flagged for its counter: $(cat out)"
repro=$(jq -r '.findings[0].repro' out)
run 1 "$HEDDLE" replay --times 3 "$repro"
has out 'reproduced 3 of 3'
printf 'rule counter ignore\n' > rules
run 0 "$HEDDLE" linear --json -n 300 --rules rules -- ./map split
[[ $(jq .runs out) -eq 0 ]] || fail "judged anew by running"
# By itself, and under other verbs, the annotations do nothing.
run 0 ./map
run 0 "$HEDDLE" run --strategy pct -n 20 -- ./map split

echo '#include <sqlite3.h>' | gcc -fsyntax-only -x c - 2> /dev/null || finish
build sqlite "$SOURCE/examples/sqlite.c" -lsqlite3
run 0 "$HEDDLE" linear -n 60 -- ./sqlite
has out 'held: 1 input'
run 1 "$HEDDLE" linear -n 400 -- ./sqlite careless
has out 'take 70  ->  paid'
has out 'take 50  ->  paid'
finish
