#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# --exec: each run is a process of its own in a directory of its own, which has
# copies of the --input files and is gone afterwards; the same failures are
# found, and no process of a run outlives it.

. "$(dirname "$0")/lib.sh"
mkdir tmp
export TMPDIR=$PWD/tmp

# Counts in a file: were it the same file, the second run would see 2.
cat > files.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int shared;
static void *add(void *p) { shared++; return p; }
int main(int argc, char **argv)
{
	pthread_t a, b;
	int n = -1;
	FILE *f = fopen("count", "r+");

	(void)argv;
	if (!f || fscanf(f, "%d", &n) != 1 || n != 1)
		return 3;
	rewind(f);
	fprintf(f, "%d\n", n + 1);
	fclose(f);
	if (fopen("made", "r"))
		return 4;
	fclose(fopen("made", "w"));
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argc > 1 && shared != 2 ? 5 : 0;
}
END
build files files.c
mkdir given
echo 1 > given/count
exec_it=("$HEDDLE" run --strategy random -n 60 --exec --input given/count)

run 0 "${exec_it[@]}" -- ./files
has out 'held: 60 schedules'
[[ $(cat given/count) == 1 ]] || fail "the input itself was changed"
[[ ! -e made ]] || fail "a run wrote where heddle was started"
[[ -z $(ls -A tmp) ]] || fail "left behind: $(ls -A tmp)"

# A directory is given with all that is in it, and kept with a failure.
cat > deep.c <<'END'
#include <stdio.h>
int main(void)
{
	FILE *f = fopen("given/inner/word", "r+");
	int c = f ? getc(f) : 0;

	if (f) {
		rewind(f);
		putc('b', f);
		fclose(f);
	}
	return c == 'a' ? 5 : 6;
}
END
build deep deep.c
mkdir given/inner
echo a > given/inner/word
run 1 "$HEDDLE" run --strategy random -n 3 --exec --input given -- ./deep
has out 'broken: exit status 5'
rm -r given/inner
run 1 "$HEDDLE" replay --times 3 deep-1
has out 'reproduced 3 of 3'

run 1 "${exec_it[@]}" -j 1 -- ./files x
has out 'broken: exit status 5'
has out 'see it again: heddle replay files-1'
cp out first
run 1 "$HEDDLE" replay --times 5 files-1
has out 'reproduced 5 of 5'
mv first out
grep -vE ' s, ' out > one
run 1 "${exec_it[@]}" -j 2 -- ./files x
grep -vE ' s, ' out > two
cmp one two || fail "-j 2 finds another failure than -j 1"
[[ -z $(ls -A tmp) ]] || fail "left behind: $(ls -A tmp)"

run 1 "$HEDDLE" run --strategy random --exec -n 3 -- ./files
has out 'broken: exit status 3'
echo 'int main(void) { for (;;) __asm__ volatile(""); }' > stuck.c
build stuck stuck.c
run 1 "$HEDDLE" run --strategy random --exec -n 3 --hang 300ms -- ./stuck
has out 'broken: hang'

# Threads before main that nobody saw created are lost in a fork, so such a
# program is started afresh without being asked, where it is.
cat > early.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *wait_for_end(void *p)
{
	char c;

	return read(ends[0], &c, 1) == 0 ? p : NULL;
}
static pthread_t early;
__attribute__((constructor)) static void begin(void)
{
	int (*create)(pthread_t *, void *, void *(*)(void *), void *) =
		dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");

	if (pipe(ends) == 0)
		create(&early, NULL, wait_for_end, ends);
}
int main(void)
{
	return access("early.c", R_OK) != 0;
}
END
build early early.c
run 0 "$HEDDLE" run --strategy random -n 10 -- ./early
has err 'each run is started afresh'

# A program that leaves a process behind, in a session of its own.
cat > leaves.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	if (fork() == 0) {
		setsid();
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		for (;;)
			pause();
	}
	return 0;
}
END
build leaves leaves.c
run 0 "$HEDDLE" run --strategy random --exec -n 10 -- ./leaves
for exe in /proc/[0-9]*/exe; do
	[[ $(readlink "$exe" 2> /dev/null) != "$PWD/leaves" ]] ||
		fail "$exe outlives its campaign"
done
finish
