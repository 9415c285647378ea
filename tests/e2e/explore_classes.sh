#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# On programs that nobody wrote, every search comes to the same combinations of
# what threads do and read: maximal causality, exhaustive depth first, and
# partial-order reduction, and the first needs the fewest runs. A few programs
# here; bench/explore_random.sh takes hundreds.

. "$(dirname "$0")/lib.sh"

build random "$SOURCE/tests/programs/random_threads.c"
build objects "$SOURCE/tests/programs/random_objects.c"
build words "$SOURCE/tests/programs/random_words.c"

# Who comes last at a barrier is told so, and does something else.
cat > meet.c <<'END'
#include <pthread.h>
static pthread_barrier_t all;
static volatile int last, seen;
static void *meet(void *p)
{
	for (int i = 0; i < 2; i++)
		if (pthread_barrier_wait(&all))
			last = *(int *)p;
	seen += last;
	return p;
}
int main(void)
{
	int numbers[] = { 1, 2 };
	pthread_t a, b;

	pthread_barrier_init(&all, NULL, 2);
	pthread_create(&a, NULL, meet, &numbers[0]);
	pthread_create(&b, NULL, meet, &numbers[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return !seen;
}
END
build meet meet.c

# Complete, as far as schedules go: that neighbours in one word are written by
# several threads no schedule can change.
is_whole() {
	local why

	why=$(sed '1,/"why": \[/d; /\]/,$d' out)
	grep -q '"complete": true' out || {
		[[ $why == *"fields of a few bits"* && $why != *$'\n'* ]] &&
			grep -q '"left": 0,' out
	}
}

# classes SEARCH ARGUMENT...: into the file SEARCH; the number of schedules is
# printed.
classes() {
	local search=$1

	shift
	timeout 60 "$HEDDLE" explore -j 1 --json --search "$search" \
		--classes "$search" -- "$@" > out 2> err
	is_whole || fail "$search is not complete: $*" >&2
	sort -o "$search" "$search"
	grep -o '"schedules": [0-9]*' out | grep -o '[0-9]*'
}

for program in "./random 1 2 3" "./random 4 2 3" "./random 9 2 6" \
	"./random 19 2 6" "./random 110 3 3" "./random 106 3 3" \
	"./random 58 2 6 more" ./meet "./objects 11 2 3" "./objects 207 2 4" \
	"./objects 216 2 4" "./objects 226 2 4"; do
	# shellcheck disable=SC2086
	for search in mcm dfs dpor; do
		classes $search $program > "$search.runs"
	done
	cmp mcm dfs || fail "$program: mcm has other classes than dfs"
	cmp dpor dfs || fail "$program: dpor has other classes than dfs"
	[[ $(cat mcm.runs) -eq $(wc -l < mcm) ]] ||
		fail "$program: mcm ran a class twice"
done

# Larger ones, by the two that can. In the last four of the first kind a thread
# is awake already when it is signalled again, or readers share a lock; those of
# the second try for locks and tokens, write fields of a few bits, and have
# threads that create threads.
for program in "./random 18 3 5" "./random 23 3 5" "./random 25 3 5" \
	"./random 102 3 3" "./random 220 4 4" "./random 42 4 8" \
	"./random 58 2 6 more" "./random 21 4 8 more" "./objects 98 3 5" \
	"./objects 100 3 5" "./objects 75 3 5" "./objects 94 3 5" \
	"./objects 109 3 5"; do
	# shellcheck disable=SC2086
	for search in mcm dpor; do
		classes $search $program > "$search.runs"
	done
	cmp mcm dpor || fail "$program: mcm has other classes than dpor"
	[[ $(cat mcm.runs) -le $(cat dpor.runs) ]] ||
		fail "$program: mcm made more runs than dpor"
done

# What programs come to, whatever the searches think of it: in the second, what
# a string is depends on what is written meanwhile; in 40 text is printed that
# others print; in 1076 (of three threads) a thread leaves a run by a read that
# this run knows no other value of; in 1109 steps of several accesses race.
for program in "3 2 3" "21 2 3" "30 2 3" "40 2 3" "50 2 3" "104 2 3" \
	"113 2 3" "126 2 3" "155 2 3" "1076 3 4" "1062 3 4" "1109 3 4"; do
	for search in mcm dpor dfs; do
		[[ $program-$search != 1062*dfs ]] || continue
		rm -f "$search.words"
		# shellcheck disable=SC2086
		classes $search ./words "$search.words" $program > "$search.runs"
	done
	[[ $program == 1062* ]] || cmp dfs.words mcm.words ||
		fail "words $program: dfs and mcm came to different results"
	cmp dpor.words mcm.words ||
		fail "words $program: dpor and mcm came to different results"
	[[ $(cat mcm.runs) -le $(cat dpor.runs) ]] ||
		fail "words $program: mcm made more runs than dpor"
done
finish
