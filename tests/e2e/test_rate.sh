#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that only runs on all processors show, since runs under control have
# more points than allowed, is kept by rules: heddle test says that it comes at
# a rate, and why, and offers no debugger.

. "$(dirname "$0")/lib.sh"

build free "$SOURCE/tests/programs/story_free.c"

# Free runs go as the machine lets them.
for _ in 1 2 3 4 5; do
	timeout 60 "$HEDDLE" test -b 10s --max-points 20000 -- ./free \
		> out 2> err
	status=$?
	[[ $status -ne 1 ]] || break
done
[[ $status -eq 1 ]] || fail "status $status: $(cat out err)"
has out 'broken: abort'
has out 'comes again at a rate'
has out 'heddle replay free-1 --times 100'
hasnt out '--gdb'
has out 'note: the program makes too many accesses'
finish
