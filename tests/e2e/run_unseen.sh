#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What was not seen is said, in true words: a run of which nothing could be
# recorded has not held, and children of fork are not observed.

. "$(dirname "$0")/lib.sh"

build bank "$SOURCE/tests/programs/bank_in_turns.c"
# Enough for heddle and its region, but not for the guest's shadow.
run 3 bash -c 'ulimit -v 8000000; "$HEDDLE" run --observe -- ./bank'
has out 'nothing was recorded'
hasnt out 'not built with heddle cc'
grep -q '^unknown: ' out || fail "no verdict: $(tail -n 1 out)"
run 3 "$HEDDLE" show

cat > forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(0);
	return waitpid(child, &status, 0) == child ? status : 1;
}
END
build forks forks.c
run 0 "$HEDDLE" run --observe -- ./forks
has out 'note: the program made a child by fork'
finish
