#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle cc takes every kind of command line that build systems give to a
# compiler, says nothing of its own, and what it builds runs by itself with its
# own output and exit status.

set -eu
HEDDLE=${HEDDLE:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

fail() {
	echo "${HEDDLE_CC:-gcc}: $*"
	failed=1
}

# Runs heddle cc: it must succeed in silence.
cc() {
	"$HEDDLE" cc -Wall -Wextra -Werror "$@" > said 2>&1 ||
		fail "status $?: heddle cc $*: $(head -3 said)"
	[[ ! -s said ]] || fail "noise: heddle cc $*: $(head -3 said)"
}

# Whether file $1 refers to hooks.
has_hooks() {
	nm "$1" 2> /dev/null | grep -q ' U __tsan_write4'
}

# After the command that made $1: it is there, and has hooks.
object() {
	has_hooks "$1" || fail "no hooks in $1"
	rm -f "$1"
}

# The same for a program, which also runs.
program() {
	local status=0

	[[ -e $1 ]] || { fail "no $1"; return; }
	has_hooks "$1" || fail "no hooks in $1"
	[[ $(env -i "./$1" a b 2>&1 || echo " $?") == "hello 1 3 7" ]] ||
		fail "$1 says $(env -i "./$1" a b 2>&1)"
	rm -f "$1"
}

cat > main.c << 'END'
#include <stdio.h>
#include <string.h>
int count;
int other(void);
int main(int argc, char **argv)
{
	char word[32];
	(void)argv;
	count++;
	strcpy(word, "hello");
	printf("%s %d %d", word, count, argc);
	return other();
}
END
cat > other.c << 'END'
static int calls = 6;
int other(void)
{
	return ++calls;
}
END
echo '#include "pre.h"' | cat - main.c > uses_pre.c
cat > plain.s << 'END'
	.globl other
other:	movl $7, %eax
	ret
	.section .note.GNU-stack,"",@progbits
END
cat > strict.c << 'END'
#include <string.h>
extern void clear(char *to);
void clear(char *to)
{
	__builtin_memset(to, 0, 8);
	memcpy(to, "abc", 4);
	to[1]++;
}
END
sed 's/\$7/$SEVEN/; 1i #define SEVEN 7' plain.s > preprocessed.S

for HEDDLE_CC in gcc clang-14 clang-19; do
	command -v "$HEDDLE_CC" > /dev/null || { fail "not installed"; continue; }
	export HEDDLE_CC

	# Objects, and programs of them.
	cc -c main.c other.c
	cc main.o other.o -o p
	program p
	cc main.o other.o
	program a.out
	cc -O2 main.c other.c -o p
	program p
	cc main.c other.o -op
	program p
	cc main.c other.c --output=p
	program p
	cc main.c other.c --output p
	program p
	"$(dirname "$HEDDLE")/heddle-cc" main.c other.c -o p
	program p

	# Assembly, ours and the compiler's.
	cc -S -O2 main.c -o main.s
	cc main.s other.c -o p
	program p
	cc -g -c main.s -o m.o
	object m.o
	cc main.c plain.s -o p
	program p
	cc main.c preprocessed.S -o p
	program p
	cc -c preprocessed.S plain.s
	cc -E preprocessed.S -o preprocessed.out

	# Preprocessing: the text is the program's, and compiles with hooks.
	cc -E main.c -o main.i
	cc main.i other.c -o p
	program p
	[[ $(echo 'left __SIZE_TYPE__ 1 right' | "$HEDDLE" cc -E -P -) == \
		"left long unsigned int 1 right" ]] || fail "-E -P changed text"
	cc -M main.c -o depends
	cc -MM -MF depends main.c
	[[ $(cat depends) == "main.o: main.c" ]] || fail "-MM: $(cat depends)"
	cc -MMD -MF depends -MT target -c main.c -o m.o
	[[ $(cat depends) == "target: main.c" ]] || fail "-MMD: $(cat depends)"
	object m.o
	cc -fsyntax-only main.c

	# Standard input, and languages by word.
	cc -x c -c - -o m.o < main.c
	object m.o
	cc -xc -o p - -x none other.o < main.c
	program p
	cp main.c main.odd
	cc -c -x c main.odd -o m.o
	object m.o

	# Archives and partly linked objects in between.
	ar rc parts.a other.o main.o
	cc parts.a -o p
	program p
	cc -L. -l:parts.a -o p
	program p
	cc -r -o both.o main.o other.o
	cc both.o -o p
	program p
	cc -nostdlib -no-pie -Wl,-r -o both.o main.o other.o
	cc both.o -o p
	program p

	# Shared objects, position independence, sections, stripping.
	cc -shared -fPIC other.c -o libother.so
	cc main.c -L. -lother -Wl,-rpath,"$PWD" -o p
	program p
	cc main.c ./libother.so -o p
	program p
	cc -no-pie -fno-pie main.c other.c -o p
	program p
	cc -pie -fPIE main.c other.c -o p
	program p
	cc -ffunction-sections -Wl,--gc-sections,--as-needed main.c other.c -o p
	program p
	cc -s main.c other.c -o p
	[[ -x p ]] || fail "-s made no program"

	# Response files, nested and quoted.
	echo '-DWORD="a b"' "'-DOTHER=1'" '-O2 @inner -o' p > outer
	printf 'main.c\n\tother.c\n' > inner
	cc @outer
	program p

	# A precompiled header is used: its text is gone.
	echo 'extern int count;' > pre.h
	if [[ $HEDDLE_CC == gcc ]]; then
		cc -x c-header pre.h -o pre.h.gch
		rm pre.h
		cc -Winvalid-pch uses_pre.c other.c -o p
		program p
		echo 'extern int count;' > pre.h
	else
		cc pre.h -o pre.pch
		cc -include-pch pre.pch main.c -c -o m.o
		object m.o
		rm pre.pch
	fi
	rm -f pre.h*

	# What sanitizers may go along, and the one that is ours already.
	for list in thread undefined thread,undefined; do
		cc -fsanitize=$list main.c other.c -o p
		program p
		cc -fsanitize=$list -c main.c -o m.o
		cc -fsanitize=$list m.o other.o -o p
		program p
	done
	cc -fsanitize=address -fno-sanitize=address main.c other.c -o p
	program p

	# Options of users that would take hooks away do not.
	cc -O2 -fno-plt -foptimize-sibling-calls -fbuiltin main.c other.c -o p
	objdump -d -j .text p | grep -q 'call .*<__tsan_write4@plt>' ||
		fail "hooks are not called through the plt"
	! objdump -d -j .text p | grep -q 'jmp .*<__tsan_func_exit' ||
		fail "a hook is jumped to"
	program p

	# Nothing that is added offends the strict.
	for standard in c89 c99 c11 gnu17; do
		cc -O2 -D_FORTIFY_SOURCE=2 -std=$standard -pedantic-errors \
			-Wnested-externs -Wredundant-decls -Wshadow -Wundef \
			-Wmissing-prototypes -c strict.c
		nm strict.o | grep -q '__tsan.*write' || fail "no hooks in strict.o"
	done

	# Debug information is added, unless refused.
	cc -c main.c -o m.o
	readelf -S m.o | grep -q '\.debug_line' || fail "no debug information"
	cc -g0 -c main.c -o m.o
	! readelf -S m.o | grep -q '\.debug_info' || fail "-g0 was not obeyed"

	# Questions go to the compiler as they are.
	for question in --version -dumpversion -dumpmachine -print-search-dirs \
		-print-file-name=libc.so -v; do
		"$HEDDLE" cc "$question" > mine 2>&1 ||
			fail "$question failed"
		"$HEDDLE_CC" "$question" > theirs 2>&1
		cmp -s mine theirs || fail "$question is answered otherwise"
	done
	"$HEDDLE" cc '-###' main.c other.c -o p > said 2>&1 || fail "-###"
	[[ ! -e p ]] || fail "-### built a program"
	"$HEDDLE" cc -v main.c other.c -o p > said 2>&1 || fail "-v"
	program p
	"$HEDDLE" cc -Wl,--version > said 2>&1 || fail "-Wl,--version"

	# Failures of the compiler are its own.
	status=0
	"$HEDDLE" cc no_such_file.c > mine 2>&1 || status=$?
	[[ $status -eq 1 ]] || fail "status $status for a missing file"
	grep -q "error: .*no_such_file.c" mine ||
		fail "a missing file: $(cat mine)"
	status=0
	"$HEDDLE" cc main.c -o > said 2>&1 || status=$?
	[[ $status -eq 1 ]] || fail "status $status for -o without a name"
	rm -f ./*.o ./*.so ./*.a
done
exit $failed
