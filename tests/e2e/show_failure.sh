#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What is told of a kept failure belongs to the schedule that is kept, after it
# was cut down, and in lines of the program.

. "$(dirname "$0")/lib.sh"

# Three threads that do the same come to the same failure in several ways; of
# the first schedules some fail in other threads once they are cut down.
"$HEDDLE" cc -g -O1 -o cache "$SOURCE/tests/programs/bug_revived.c" -pthread
for seed in 1 2 3 4; do
	run 1 "$HEDDLE" run --strategy random --seed "$seed" --store "s$seed" \
		-- ./cache
	run 1 "$HEDDLE" show --store "s$seed" cache-1
	has out "see it again: heddle replay --store s$seed cache-1"
	grep '^  thread \|^  the block \|^      [ab][ty] ' out > shown
	run 1 "$HEDDLE" replay --store "s$seed" cache-1
	grep '^  thread \|^  the block \|^      [ab][ty] ' out > replayed
	[[ -s shown ]] || fail "nothing is told with seed $seed"
	cmp -s shown replayed ||
		fail "shown is not what is replayed: $(diff shown replayed)"
done

# A lock of std::mutex is told where the program takes it.
"$HEDDLE" c++ -g -O2 -o pool "$SOURCE/tests/programs/bug_late_stop.cc" -pthread
run 1 "$HEDDLE" run --strategy pct -n 5000 -- ./pool
run 1 "$HEDDLE" show pool-1
has out 'lines of bug_late_stop.cc'
hasnt out 'gthr-default.h'

# What is printed to be typed can be typed.
"$HEDDLE" cc -g -o lost "$SOURCE/tests/programs/bug_lost_update.c" -pthread
run 1 "$HEDDLE" run --strategy random -n 5000 --store 'my store' -- ./lost 'a b'
has out "see it again: heddle replay --store 'my store' lost-1"
run 1 "$HEDDLE" show --store 'my store' lost-1
has out "command:   ./lost 'a b'"
has out "see it again: heddle replay --store 'my store' lost-1"
run 1 "$HEDDLE" show 'my store/repros/lost-1'
has out "see it again: heddle replay 'my store/repros/lost-1'"
run 1 "$HEDDLE" replay 'my store/repros/lost-1'

# What is asked for is heeded or refused.
run 1 "$HEDDLE" show --output shown 'my store/repros/lost-1'
[[ ! -s out ]] || fail "printed in spite of --output: $(cat out)"
has shown "command:   ./lost 'a b'"
for wish in --json --dump --text --interleavings; do
	refused 'is for runs and traces' \
		"$HEDDLE" show $wish --store 'my store' lost-1
done
run 0 "$HEDDLE" shrink --store 'my store' lost-1
run 0 "$HEDDLE" shrink --store 'my store' lost-1
has out 'none can be left out'
hasnt out 'instead of'

# What a program printed is not obeyed by a terminal, and does not hide what is
# to be typed next.
cat > loud.c <<'EOF'
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 40000; i++)
		putchar(i % 256);
	fputs("\033]0;title\007 \x9b" "2J\n", stdout);
	fputs("\033[2J\x9b" "2J\n", stderr);
	return 1;
}
EOF
build loud loud.c
"$HEDDLE" run --strategy random -n 1 -- ./loud > out 2> err
LC_ALL=C sed -n '/^  standard/,$p' out | grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\x9b' &&
	fail "heddle run prints what a terminal obeys"
run 1 "$HEDDLE" show loud-1
LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|[\x00-\x7f][\x80-\x9f]' out &&
	fail "heddle show prints what a terminal obeys"
[[ $(wc -c < out) -lt 10000 ]] || fail "all of the output is shown"
has out 'more bytes (--all): .heddle/repros/loud-1/output'
has out 'see it again: heddle replay loud-1'
run 1 "$HEDDLE" show --all loud-1
[[ $(wc -c < out) -gt 40000 ]] || fail "--all does not show all"
finish
