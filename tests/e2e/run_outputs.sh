#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Standard input is read once and given to every run; what runs print is
# compared with --expect and judged by --check; both streams are kept apart,
# and a run that prints without end fills neither memory nor disk.

. "$(dirname "$0")/lib.sh"

# Copies its input, then two threads say a word each.
cat > words.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *say(void *word)
{
	pthread_mutex_lock(&m);
	puts(word);
	fputs("said\n", stderr);
	pthread_mutex_unlock(&m);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	char line[100];

	(void)argv;
	while (fgets(line, sizeof(line), stdin))
		fputs(line, stdout);
	pthread_create(&a, NULL, say, "one");
	pthread_create(&b, NULL, say, "two");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argc > 1 ? 5 : 0;
}
END
build words words.c
campaign=("$HEDDLE" run --strategy random -n 200)

printf 'input\none\ntwo\n' > wanted
echo input > input
run 1 "${campaign[@]}" --expect wanted -- ./words < input
has out "wrong output: line 2 is \`two' instead of \`one'"
has out '  | input'
run 1 "${campaign[@]}" --expect wanted --all-failures -- ./words < input
[[ $(grep -c '^broken: wrong output' out) -eq 1 ]] ||
	fail "wrong output is not one failure: $(cat out)"
run 1 "${campaign[@]}" --expect wanted -- ./words < /dev/null
has out "line 1 is"

# From a pipe, and what was expected comes true when order does not matter.
echo input | run 0 "${campaign[@]}" --check "grep -c '^[iot]'" -- ./words
has out 'held: 200 schedules'
echo input | run 0 "${campaign[@]}" --check 'grep -q input' -- ./words
echo input | run 1 "${campaign[@]}" --check 'grep -q said {output}' -- ./words
has out 'broken: check failed'
has out '  | said'
# The reason is the last line of what the command printed.
run 1 "${campaign[@]}" --check 'diff {output} wanted' -- ./words < input
has out 'broken: check failed: > two'

# A check that asks for the status judges it.
run 1 "${campaign[@]}" --check 'grep -q one' -- ./words x < input
has out 'broken: exit status 5'
run 0 "${campaign[@]}" --check 'test {status} -eq 5' -- ./words x < input
run 1 "${campaign[@]}" --check 'test {status} -eq 5' -- ./words < input

# What a program does before it is ready counts for every run.
cat > readies.c <<'END'
#include <heddle.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char line[6] = "";

	if (write(1, "early\n", 6) != 6 || read(0, line, 1) != 1)
		return 3;
	heddle_ready();
	if (read(0, line, 5) != 5)
		return 4;
	return printf("late %s", line) < 0;
}
END
build readies readies.c
printf 'early\nlate nput\n' > wanted-late
run 0 "${campaign[@]}" --expect wanted-late -- ./readies < input

# No shell: nothing is expanded, nothing is run besides.
# shellcheck disable=SC2016
run 1 "${campaign[@]}" --check 'test $HOME = x; touch made' -- ./words < input
[[ ! -e made ]] || fail "a shell ran the check command"

cat > floods.c <<'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[1000];
	int good = 0;

	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 40000; i++)
		good += fwrite(line, 1, sizeof(line), stdout) == sizeof(line);
	return good == 40000 && fflush(stdout) == 0 ? 0 : 9;
}
END
build floods floods.c
run 1 "${campaign[@]}" -- ./floods
has out 'broken: exit status 9'
[[ $(du -sm .heddle | cut -f 1) -le 40 ]] || fail "the store has grown"
finish
