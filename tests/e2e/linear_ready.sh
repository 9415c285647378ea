#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A server that has threads when it is ready is started once and forked with
# them: what it breaks is found and replays. One that cannot be forked there is
# forked before main, and that is said; nobody waits for ever for one that never
# gets ready.

. "$(dirname "$0")/lib.sh"

gcc -g -O1 -pthread -o pool "$SOURCE/tests/programs/linear_pool.c" ||
	fail "cannot build linear_pool.c"

# spec HOW LINE...
spec() {
	echo "start $PWD/pool $PWD/starts {socket} $1"
	echo 'connect unix:{socket}'
	echo 'reply line'
	echo 'client 1 add'
	echo 'client 2 add'
	echo 'probe number add'
	shift
	[[ $# -eq 0 ]] || printf '%s\n' "$@"
}

spec whole > a.spec
run 0 "$HEDDLE" linear -j 1 -n 50 a.spec
[[ $(wc -l < starts) -eq 1 ]] || fail "started $(wc -l < starts) times"
run 0 "$HEDDLE" linear -j 1 -n 10 --again --exec a.spec
[[ $(wc -l < starts) -gt 10 ]] || fail "not started for each run"
spec whole 'stop signal TERM' > a.spec
run 0 "$HEDDLE" linear -j 1 -n 5 a.spec

# Replies that are whole when the server waits, to several requests a client.
spec whole 'client 1 add' 'reply idle' > a.spec
run 0 "$HEDDLE" linear --json -j 1 -n 30 a.spec
[[ $(jq .varied out) -eq 0 ]] || fail "$(cat out)"

spec split > a.spec
run 1 "$HEDDLE" linear -j 1 -n 200 a.spec
has out 'is not linearizable'
repro=$(sed -n 's/.*heddle replay //p' out | head -n 1)
run 1 "$HEDDLE" replay --times 3 "$repro"
has out 'reproduced 3 of 3'

spec connected > a.spec
run 0 "$HEDDLE" linear -j 1 -n 5 a.spec
has out 'cannot be forked where it is ready (a connection was open)'
has out 'each run began before main'
spec restless 'patience 1s' > a.spec
refused 'before it was ready' "$HEDDLE" linear -j 1 -n 5 a.spec

pgrep -f "$PWD/pool" > /dev/null && fail "a server was left behind"
finish
