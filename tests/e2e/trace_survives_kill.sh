#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# However a recording ends, its trace is read, has what was done until then, and
# says if something is missing. The program is killed, aborts or faults after so
# many operations; or the tool itself is killed.

. "$(dirname "$0")/lib.sh"

build kill_self "$SOURCE/tests/programs/kill_self.c"

# locks FILE: how many times the program took its lock, by the trace.
locks() {
	timeout 60 "$HEDDLE" show --dump "$1" > dump 2> err || true
	grep -c ' mutex-lock ' dump
}

# ends HOW COUNT STATUS WORDS: all that the program did is in the trace.
ends() {
	local how=$1 count=$2 status=$3 words=$4

	rm -f trace
	run "$status" "$HEDDLE" run --observe --trace trace -- \
		./kill_self "$how" "$count"
	has out "$words"
	hasnt out 'missing'
	run "$status" "$HEDDLE" show trace
	has out "$words"
	[[ $(locks trace) -eq $count ]] ||
		fail "$how after $count: $(locks trace) in the trace"
}

for count in 0 1 2 3 1000 1001 60000; do
	ends kill "$count" 3 'killed by SIGKILL'
done
for count in 0 1000; do
	ends abort "$count" 1 'killed by SIGABRT'
	ends fault "$count" 1 'killed by SIGSEGV'
	ends exit "$count" 0 'exited with status 0'
done

# start HOW COUNT: the tool and the program in the background, until the program
# has done the first 100000. Sets tool and program, their numbers.
start() {
	local word

	rm -f trace in said
	mkfifo in said
	"$HEDDLE" run --observe --trace trace -- ./kill_self "$1" "$2" \
		< in > said 2> err &
	tool=$!
	exec 9> in 8< said
	read -r -t 60 -u 8 word program || fail "the program did not start"
	[[ $word == first ]] || fail "the program said $word"
}

# cut_off: the trace is one that lacks its end.
cut_off() {
	local got

	run 3 "$HEDDLE" show trace
	has out 'missing: the end is missing: the recording was cut off'
	got=$(locks trace)
	[[ $got -gt 0 && $got -le 100000 ]] ||
		fail "$got of 100000 operations in a trace that was cut off"
}

# kill_tool: by its number, and only that.
kill_tool() {
	kill -KILL "$tool"
	wait "$tool" 2> /dev/null
}

# A program whose tool is gone goes too.
start wait 200000
kill_tool
timeout 30 tail --pid="$program" -f /dev/null ||
	{ fail "the program hangs"; kill -KILL "$program"; }
exec 9>&- 8<&-
cut_off

# One that does not must not wait for the tool, however much it still does.
# All that the region holds is full long before it is done.
all=$((24 << 20))
start outlive "$all"
kill_tool
exec 9>&-
read -r -t 100 -u 8 word count || fail "the program hangs without the tool"
[[ ${word:-} == all && ${count:-} -eq $all ]] ||
	fail "the program said ${word:-} ${count:-}"
timeout 30 tail --pid="$program" -f /dev/null ||
	{ fail "the program does not end"; kill -KILL "$program"; }
exec 8<&-
cut_off
finish
