#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What cannot be done with hooks is refused in one sentence that names the
# option, with status 2 and nothing written. What only sounds like it is done.

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

# refused WORD OPTION...: status 2, one line that has WORD, no file made.
refused() {
	local word=$1 status=0

	shift
	rm -f a.out main.o
	"$HEDDLE" cc "$@" > said 2>&1 || status=$?
	[[ $status -eq 2 ]] || fail "status $status for $*"
	[[ $(wc -l < said) -eq 1 ]] || fail "$*: not one line: $(cat said)"
	grep -q -- "^heddle: .*$word" said ||
		fail "$*: no word of $word: $(cat said)"
	[[ ! -e a.out && ! -e main.o ]] || fail "$* made something"
}

done_() {
	"$HEDDLE" cc "$@" > said 2>&1 || fail "status $? for $*: $(cat said)"
}

cat > main.c << 'END'
int count;
int main(void)
{
	count++;
	return 0;
}
END
echo '-static main.c' > response

for HEDDLE_CC in gcc clang-14 clang-19; do
	export HEDDLE_CC
	refused -static -static main.c
	refused -static @response
	refused -static-pie -static-pie main.c
	for rival in address hwaddress memory leak; do
		refused "-fsanitize=$rival" -fsanitize=$rival main.c
		refused "-fsanitize=$rival" -fsanitize=undefined,$rival -c main.c
	done
	refused -m32 -m32 -c main.c
	refused -mx32 -mx32 main.c
	if [[ $HEDDLE_CC == gcc ]]; then
		refused -static-libtsan -static-libtsan main.c
		refused tsan-instrument-func-entry-exit main.c \
			--param tsan-instrument-func-entry-exit=0
	else
		refused tsan-instrument -c main.c \
			-mllvm -tsan-instrument-memory-accesses=0
		refused fno-sanitize-thread -c main.c \
			-fno-sanitize-thread-memory-access
	fi

	done_ -static -c main.c
	done_ -static-libgcc main.c
	done_ -m32 -m64 -c main.c
	done_ -static --version

	# Obeying would leave a program that nothing can be seen of.
	for word in -fno-sanitize=thread -fno-sanitize=all; do
		done_ $word -c main.c
		nm main.o | grep -q __tsan_write4 || fail "$word was obeyed"
		grep -q "^heddle: $word" said || fail "$word: nothing said"
		done_ $word -fsanitize=thread -c main.c
		[[ ! -s said ]] || fail "$word taken back: $(cat said)"
	done
done

export HEDDLE_CC
HEDDLE_CC=no-such-gcc refused no-such-gcc main.c
HEDDLE_CC=no-such-compiler refused no-such-compiler main.c
HEDDLE_CC=$HEDDLE refused itself main.c
HEDDLE_CC=/bin/true refused /bin/true main.c
echo '@loop' > loop
HEDDLE_CC=gcc refused loop @loop main.c
exit $failed
