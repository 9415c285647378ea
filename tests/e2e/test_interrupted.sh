#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An interrupt ends heddle test, with the story so far, whatever it does at that
# moment; and no process is left.

. "$(dirname "$0")/lib.sh"

# A name that nothing else on this machine has.
name=held$$
build "$name" "$SOURCE/tests/programs/bug_lost_update_fixed.c"

# Waits until the program was seen so often, and interrupts.
interrupt() {
	local heddle=$1 looks=$2 found=0

	while kill -0 "$heddle" 2> gone && [[ $found -lt $looks ]]; do
		pgrep -x "$name" > pids && found=$((found + 1))
	done
	kill -TERM "$heddle"
}

for looks in 1 10 30; do
	"$HEDDLE" test --budget 50s -- "./$name" > out 2> err < /dev/null &
	heddle=$!
	interrupt $heddle $looks
	status=0
	wait $heddle || status=$?
	[[ $status -eq 0 ]] || fail "status $status: $(cat err)"
	has out "nothing broke until SIGTERM"
	! pgrep -x "$name" > pids || fail "left behind: $(cat pids)"
done
finish
