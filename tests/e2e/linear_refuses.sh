#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Servers and specs that cannot be tested: one sentence, status 2, and nothing
# is left running.

. "$(dirname "$0")/lib.sh"

gcc -g -O1 -pthread -o odd "$SOURCE/tests/programs/linear_odd.c" ||
	fail "cannot build linear_odd.c"

# spec HOW LINE...
spec() {
	echo "start $PWD/odd $1 {socket}"
	echo "connect unix:{socket}"
	echo "reply line"
	echo "client 1 a"
	echo "client 2 b"
	shift
	printf '%s\n' "$@"
}

linear() {
	"$HEDDLE" linear -j 1 -n 5 "$@"
}
export -f linear
export HEDDLE

spec echo > a.spec
run 0 bash -c 'linear a.spec'
spec echo 'clinet 3 c' > a.spec
refused 'a.spec:6: no key is called clinet; is it client?' bash -c 'linear a.spec'
spec echo 'client 0 c' > a.spec
refused 'client wants a number from 1' bash -c 'linear a.spec'
spec echo 'ignore (' > a.spec
refused 'is no regular expression' bash -c 'linear a.spec'
spec echo 'rule x sometimes' > a.spec
refused 'rule wants a component and one of' bash -c 'linear a.spec'
printf 'connect tcp:80\n' > a.spec
refused 'start is missing' bash -c 'linear a.spec'
printf 'start x\nconnect tcp:80\n' > a.spec
refused 'has no requests' bash -c 'linear a.spec'
printf 'start ./nowhere\nconnect unix:{socket}\nclient 1 a\n' > a.spec
refused 'nowhere' bash -c 'linear a.spec'
refused 'options go before' "$HEDDLE" linear a.spec -n 3

spec never > a.spec
refused 'never got ready' bash -c 'linear a.spec'
spec dies > a.spec
refused 'exited with status 7 before it was ready: no configuration' \
	bash -c 'linear a.spec'
spec silent > a.spec
refused "has not answered 'a'" bash -c 'linear a.spec'
spec late 'patience 1s' > a.spec
refused 'was busy for 1.0 s' bash -c 'linear a.spec'
spec echo 'stop signal TERM' > a.spec
run 0 bash -c 'linear a.spec'
spec deaf 'stop signal TERM' > a.spec
refused 'does not end when it is told to' bash -c 'linear a.spec'

# A port that somebody has.
python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(60)' > port &
holder=$!
while [[ ! -s port ]]; do kill -0 $holder || break; done
printf 'start %s/odd echo x\nconnect tcp:%s\nclient 1 a\n' "$PWD" \
	"$(cat port)" > a.spec
refused 'is taken' bash -c 'linear a.spec'
kill $holder

# One that crashes, or gives no answer, only when requests meet: broken.
spec meet-crash > a.spec
run 1 bash -c 'linear -n 100 a.spec'
has out 'failed: '
spec meet-hang > a.spec
run 1 bash -c 'linear -n 100 a.spec'
has out 'failed: hang: no reply to'

pgrep -f "$PWD/odd" > /dev/null && fail "a server was left behind"
finish
