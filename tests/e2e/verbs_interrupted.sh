#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An interrupt ends every verb that lasts: it says what it has, in the status
# that is documented, and leaves neither a process nor a file.

. "$(dirname "$0")/lib.sh"

# Names that nothing else on this machine has.
name=goes$$
cat > goes.c <<'END_C'
#include <assert.h>
#include <pthread.h>

static int count;

static void *add(void *p)
{
	for (int i = 0; i < 20; i++)
		count++;
	return p;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	(void)argv;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	/* Given an argument, a lost update is an endless loop. */
	while (argc > 1 && count != 60)
		__asm__ volatile("");
	assert(count == 60);
	return 0;
}
END_C
build "$name" goes.c
build "held$$" "$SOURCE/tests/programs/bug_lost_update_fixed.c"
mkdir tmp

# started COMMAND: is the program there? Not what is left of the one before, which
# nobody may have waited for yet.
started() {
	for ((i = 0; i < 3000; i++)); do
		pgrep -r D,R,S,T -x "$1" > pids && return
		kill -0 "$tool" 2> gone || return
		read -rt 0.01 < /dev/zero
	done
}

# interrupted SIGNAL STATUS WORDS COMMAND...: the words are on standard output
# or error.
interrupted() {
	local signal=$1 wanted=$2 words=$3 status=0 began=$SECONDS

	shift 3
	TMPDIR=$PWD/tmp "$HEDDLE" "$@" > out 2> err < /dev/null &
	tool=$!
	started "$program"
	kill -s "$signal" "$tool"
	wait "$tool" || status=$?
	[[ $status -eq $wanted ]] ||
		fail "status $status instead of $wanted after SIG$signal: $*"
	cat out err > both
	has both "$words"
	[[ $((SECONDS - began)) -lt 40 ]] || fail "it went on and on: $*"
	alive=$(ps -C "$program" -o pid=,stat= | grep -v Z)
	[[ -z $alive ]] || fail "left behind by $*: $alive"
	[[ -z $(ls tmp) ]] || fail "left in the temporary directory by $*"
}

# The schedule that breaks it is kept at once; what is done to make it short
# and to know it again is not waited for.
program=$name
run 1 "$HEDDLE" run --strategy random -n 5000 -- "./$name"
repro=$name-1
many=1000000000
for signal in INT TERM HUP; do
	interrupted $signal 1 "interrupted by SIG$signal" \
		replay --times $many "$repro"
done
run 1 "$HEDDLE" run --strategy random -n 5000 --exec --store fresh -- "./$name"
interrupted TERM 1 'interrupted by SIGTERM' \
	replay --times $many --store fresh "$repro"
interrupted TERM 3 'interrupted by SIGTERM' locate "$repro"
interrupted INT 3 'interrupted by SIGINT' report --replays 1000
[[ ! -e .heddle/report ]] || fail "a page of half of it"
run 1 "$HEDDLE" show "$repro"

program=held$$
interrupted HUP 3 'interrupted by SIGHUP after' \
	regress -n $many --program "./$program" "$repro"
interrupted TERM 3 'interrupted by SIGTERM after' \
	regress -n $many --method maple --program "./$program" "$repro"
interrupted INT 3 'interrupted by SIGINT' explore --search dfs "./$program"
interrupted INT 3 'interrupted by SIGINT' \
	run --strategy random --for 50s -- "./$program"

interrupted TERM 3 'interrupted by SIGTERM after' \
	expose --method stress -b 50s -- "./$program"
program=map$$
build "$program" "$SOURCE/tests/programs/linear_map.c"
interrupted HUP 3 'interrupted' linear -n $many -- "./$program"

# A hangup is nothing to a verb that was started by nohup.
program=held$$
(trap '' HUP && exec "$HEDDLE" run --strategy random -n 3000 -- "./$program") \
	> out 2> err < /dev/null &
tool=$!
started "$program"
kill -s HUP "$tool"
wait "$tool"
status=$?
[[ $status -eq 0 ]] || fail "status $status in spite of nohup: $(cat out err)"
has out 'held: 3000 schedules'

# A run that hangs is not waited for, nor a check.
program=$name
run 1 "$HEDDLE" run --strategy random -n 5000 --hang 300ms --store hung -- \
	"./$name" hang
sed -i 's/^hang-ms .*/hang-ms 50000/' "hung/repros/$repro/repro"
for verb in 'replay' 'shrink' 'locate' 'regress --no-keep'; do
	read -ra words <<< "$verb"
	interrupted INT 3 'interrupted by SIGINT' \
		"${words[@]}" --store hung "$repro"
done
program=held$$
cp "$(command -v sleep)" "judge$$"
TMPDIR=$PWD/tmp setsid "$HEDDLE" run --strategy random \
	--check "./judge$$ 50" -- "./$program" > out 2> err < /dev/null &
tool=$!
started "judge$$"
# As the keyboard does: to all of the group.
kill -s INT -- "-$tool"
wait "$tool"
status=$?
[[ $status -eq 3 ]] || fail "status $status: $(cat out err)"
has out 'unknown: interrupted by SIGINT'
! pgrep -x "judge$$" > pids || fail "the check goes on: $(cat pids)"
finish
