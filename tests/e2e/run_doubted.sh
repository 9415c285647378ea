#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What fails once and not again is not called broken: neither where runs get
# into each other's way, nor where a program does what nobody controls.

. "$(dirname "$0")/lib.sh"

# Fails while another run has the directory.
cat > alone.c << 'END'
#include <assert.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	assert(mkdir("mine", 0700) == 0);
	for (volatile int i = 0; i < 300000; i++)
		;
	rmdir("mine");
	return 0;
}
END
run 0 gcc -O1 -g -o alone alone.c
run 0 "$HEDDLE" run --strategy random -j 2 -n 400 -- ./alone
has out 'held: 400 schedules'
has out 'failed beside other runs (assertion'
has out 'one run at a time'
[[ ! -d .heddle/repros/alone-1 ]] || fail "it was kept"
rm -rf mine

# Fails the first time only.
cat > once.c << 'END'
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int fd = open("was-here", O_CREAT | O_EXCL | O_WRONLY, 0600);

	assert(fd < 0);
	return 0;
}
END
run 0 gcc -O1 -g -o once once.c
for jobs in 1 2; do
	rm -f was-here
	[[ $jobs -eq 1 ]] && status=3 || status=0
	run $status "$HEDDLE" run --strategy random -j $jobs -n 20 -- ./once
	hasnt out broken
done
rm -f was-here
run 3 "$HEDDLE" run --strategy random -j 1 -n 20 -- ./once
has out 'not again in 3 replays of its schedule'
rm -f was-here
run 3 "$HEDDLE" explore -j 1 -- ./once
has out 'not again in 3 replays of its schedule'

# And what comes again is broken, whatever its runs share.
sed 's/assert(fd < 0)/assert(fd >= 0)/' once.c > ever.c
run 0 gcc -O1 -g -o ever ever.c
run 1 "$HEDDLE" run --strategy random -j 2 -n 20 -- ./ever
run 1 "$HEDDLE" replay --times 5 ever-1
has out 'reproduced 5 of 5'
finish
