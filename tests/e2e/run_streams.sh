#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The program has the streams, arguments, environment and descriptors it would
# have had without heddle, and its output stands before ours, unchanged.

. "$(dirname "$0")/lib.sh"

cat > talks.c <<'END'
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
extern char **environ;
int main(int argc, char **argv)
{
	sigset_t mask;
	char line[100];

	for (int i = 1; i < argc; i++)
		printf("argument '%s'\n", argv[i]);
	while (fgets(line, sizeof(line), stdin))
		printf("line %s", line);
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "HEDDLE_TRIAL=", 13))
			printf("variable %s\n", *e);
	sigprocmask(SIG_SETMASK, 0, &mask);
	for (int i = 1; i < 65; i++) {
		struct sigaction a;

		if (sigismember(&mask, i) == 1)
			printf("signal %d is blocked\n", i);
		if (sigaction(i, 0, &a) == 0 && a.sa_handler == SIG_IGN)
			printf("signal %d is ignored\n", i);
	}
	for (int fd = 3; fd < 100; fd++) {
		char path[40];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		f = fopen(path, "r");
		if (f && fileno(f) != fd)
			printf("descriptor %d is open\n", fd);
		if (f)
			fclose(f);
	}
	fputs("to standard error\n", stderr);
	return 0;
}
END
build talks talks.c
printf 'one\ntwo' > in
arguments=('' 'two words' -- --json '*')

run 0 bash -c './talks "$@" < in 5< in' - "${arguments[@]}"
mv out alone.out
mv err alone.err
has alone.out 'line two'
has alone.out 'descriptor 5 is open'
run 0 bash -c '"$HEDDLE" run --observe -- ./talks "$@" < in 5< in' \
	- "${arguments[@]}"
grep -v '^variable _=' alone.out > wanted
sed '/^==== heddle$/,$d' out | grep -v '^variable _=' > got
cmp wanted got || { fail "other output under heddle:"; diff wanted got; }
cmp alone.err err || fail "other errors under heddle: $(cat err)"

# Preloaded programs: what the user preloads stays, behind the guest.
run 0 env LD_PRELOAD="$BUILD/libheddle.so" \
	ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$HEDDLE" run --observe -- \
	sh -c 'echo "preload $LD_PRELOAD"'
has out "preload $BUILD/libheddle.so:$BUILD/libheddle.so"
has out 'was not built with heddle cc'

# A closed standard input, output or error is not filled with our own files.
run 0 bash -c '"$HEDDLE" run --observe --output report -- \
	sh -c "ls /proc/self/fd >&2" <&- >&-'
hasnt err pipe
finish
