#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs of the distribution that nobody rebuilt run under control too, at
# their synchronisation: compressors whose output must stay right in every
# schedule, and a server with a client from outside.

. "$(dirname "$0")/lib.sh"

seq 9000 > data

for command in "pigz -c -p 3 -b 32 data" "pbzip2 -c -p3 -b1 data" \
	"xz -c -T3 --block-size=20000 data"; do
	name=${command%% *}
	command -v "$name" > /dev/null || exit 77
	# What it writes must not depend on the schedule.
	$command > expected.packed
	for strategy in random pct; do
		# shellcheck disable=SC2086
		run 0 "$HEDDLE" run --strategy "$strategy" -n 15 \
			--expect expected.packed -- $command
		has out 'held: 15 schedules'
		hasnt out '(1 distinct)'
	done
done

command -v memcached > /dev/null || exit 77
socket=$PWD/cached
timeout 50 "$HEDDLE" run --strategy random -n 1 --hang 30s -- \
	memcached -A -u "$(id -un)" -s "$socket" -t 2 > served 2>&1 &
server=$!
python3 - "$socket" > answers << 'END' || fail "the client failed"
import socket, sys, time

client = socket.socket(socket.AF_UNIX)
client.settimeout(40)
for attempt in range(200):
    try:
        client.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.1)
client.sendall(b"set key 0 0 5\r\nvalue\r\nget key\r\n")
got = b""
while b"END" not in got:
    got += client.recv(4096)
print(got.decode())
client.sendall(b"shutdown\r\n")
END
wait "$server" || fail "memcached did not hold: $(cat served)"
has answers 'STORED'
has answers 'value'
has served 'held: 1 schedule'
finish
