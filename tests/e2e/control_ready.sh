#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs begin where the program is ready, with the threads it has by then: each
# goes on from where it waited, and the start is paid for once. Where a fork is
# not possible each run is started afresh, goes the same way, and the tool says
# why. A program that knows nothing of heddle is ready when it listens and all
# its threads wait.

. "$(dirname "$0")/lib.sh"

for program in ready ready_threads ready_idle; do
	build "$program" "$SOURCE/tests/programs/control_$program.c"
done
${CC:-gcc} -O1 -o unmodified "$SOURCE/tests/programs/control_ready_idle.c" \
	-pthread || fail "cannot build an unmodified program"

started() {
	[[ $(wc -l < starts) -eq $1 ]] || fail "started $(wc -l < starts) times"
	rm -f starts
}

# found: at which run, of the run before.
found() {
	sed -n 's/^broken: .* s, \([0-9]*\) schedules*$/\1/p' out
}

for how in '' early; do
	# shellcheck disable=SC2086
	run 0 "$HEDDLE" run --strategy random -n 20 -j 1 -- ./ready \
		"$PWD/starts" $how
	started 1
done
run 0 "$HEDDLE" run --strategy random -n 5 -j 1 -- ./ready "$PWD/starts" \
	connected
has err 'cannot be forked (a connection was open), so each run is started'
run 0 "$HEDDLE" run --strategy random -n 5 -j 1 -- ./ready "$PWD/starts" never
has err 'cannot be forked (it ended before it was ready), so each run is started'
rm -f starts

for strategy in random pct pos; do
	run 0 "$HEDDLE" run --strategy "$strategy" -n 100 -j 1 -- \
		./ready_threads "$PWD/starts"
	started 1
done
run 0 "$HEDDLE" run --strategy random --fail-on race -n 10 -j 1 -- \
	./ready_threads "$PWD/starts"
started 1

run 1 "$HEDDLE" run --strategy random -n 2000 -j 1 -- ./ready_threads \
	"$PWD/starts" order
served=$(found)
run 1 "$HEDDLE" replay --times 10 ready_threads-1
has out 'reproduced 10 of 10'
run 1 "$HEDDLE" run --strategy random --exec -n 2000 -j 1 --store other -- \
	./ready_threads "$PWD/starts" order
[[ $(found) == "$served" ]] || fail "run $served of a server, $(found) afresh"
rm -f starts

for program in ready_idle unmodified; do
	run 0 "$HEDDLE" run --strategy random --ready idle -n 5 -j 1 -- \
		"./$program" "$PWD/starts"
	started 1
done
finish
