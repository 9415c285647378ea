#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A kept failure in gdb: it stops where it fails, with the schedule in force,
# and goes from switch to switch in both directions.

. "$(dirname "$0")/lib.sh"
command -v gdb > /dev/null || exit 77

"$HEDDLE" cc -g -o lost "$SOURCE/tests/programs/bug_lost_update.c"
run 1 "$HEDDLE" run --strategy random -n 5000 -- ./lost
run 0 "$HEDDLE" shrink lost-1

gdb_session() {
	printf '%s\n' "$@" quit > commands
	timeout 60 "$HEDDLE" replay --gdb "$name" < commands > out 2> err
	[[ $? -eq 1 ]] || fail "gdb session ended otherwise: $(tail -n 3 err)"
}

name=lost-1
gdb_session 'print balance' 'print entries' 'heddle prev' 'heddle prev' \
	'heddle prev' 'print seen % 10' 'heddle threads' 'heddle next' \
	'print balance'
has out 'SIGABRT'
has out 'heddle: step 4 of 4, thread 0 (gdb'\''s 1)'
hasnt out '$1 = 60' # an update is lost
has out '$2 = 6'
has out 'heddle: step 2 of 4, thread 1 (gdb'\''s 2)'
has out '$3 = 0'
has out '* thread 1 (gdb'\''s 2) in deposit'
has out '  thread 0 (gdb'\''s 1) in main'
has out 'heddle: step 3 of 4, thread 2 (gdb'\''s 3)'

"$HEDDLE" cc -g -o abba "$SOURCE/tests/programs/bug_abba.c"
run 1 "$HEDDLE" run --strategy random -- ./abba
name=abba-1
gdb_session 'heddle threads' 'print a.__data.__lock' 'print b.__data.__lock'
has out 'SIGTRAP'
has out 'in both (bug_abba.c'
[[ $(grep -c 'thread [12] (.*) in both' out) -ge 2 ]] ||
	fail "not both threads are in both: $(cat out)"
finish
