#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A program none of whose parts was compiled with hooks is an error, and does
# not stay. One hooked part is enough, and a part with nothing to hook counts
# if it was compiled for it: the probes of configure scripts must link.

set -eu
HEDDLE=${HEDDLE:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

fail() {
	echo "$HEDDLE_CC: $*"
	failed=1
}

refused() {
	local status=0

	"$HEDDLE" cc "$@" -o result > said 2>&1 || status=$?
	[[ $status -eq 2 ]] || fail "status $status for $*: $(cat said)"
	[[ $(wc -l < said) -eq 1 ]] && grep -q '^heddle: result has no hooks' said ||
		fail "$*: $(cat said)"
	[[ ! -e result ]] || fail "$*: the result is still there"
}

linked() {
	"$HEDDLE" cc "$@" -o result > said 2>&1 ||
		fail "status $? for $*: $(cat said)"
	[[ -e result ]] || fail "$*: no result"
	rm -f result
}

cat > adds.c << 'END'
int count;
int add(void)
{
	return count++;
}
END
echo 'int add(void); int main(void) { return add(); }' > main.c
echo 'int main(void) { return 0; }' > nothing.c
cat > nothing.s << 'END'
	.globl main
main:	xorl %eax, %eax
	ret
	.section .note.GNU-stack,"",@progbits
END

for HEDDLE_CC in gcc clang-14 clang-19; do
	export HEDDLE_CC
	"$HEDDLE_CC" -fPIC -c main.c -o main_plain.o
	"$HEDDLE_CC" -fPIC -c adds.c -o adds_plain.o
	"$HEDDLE_CC" -c nothing.c -o nothing_plain.o
	rm -f plain.a hooked.a
	ar rc plain.a adds_plain.o

	refused main_plain.o adds_plain.o
	refused nothing_plain.o
	refused main_plain.o plain.a
	refused main_plain.o adds_plain.o -lm -lpthread
	refused -shared adds_plain.o
	refused -nostdlib -shared adds_plain.o
	refused nothing.s
	echo main_plain.o adds_plain.o > response
	refused @response

	"$HEDDLE" cc -fPIC -c adds.c
	"$HEDDLE" cc -c nothing.c
	ar rc hooked.a adds.o nothing.o
	linked main_plain.o adds.o
	linked main_plain.o hooked.a
	linked -shared adds.o
	linked nothing.o
	linked nothing.c
	linked -O2 -s nothing.o
	linked -shared nothing.o
	linked hooked.a
	"$HEDDLE" cc -flto -c nothing.c -o nothing_lto.o
	linked -flto nothing_lto.o
	linked -nostdlib -shared adds.o

	# An object is not finished, and a question makes nothing.
	"$HEDDLE" cc -r main_plain.o adds_plain.o -o result || fail "-r"
	"$HEDDLE" cc -Wl,--version main_plain.o -o result > /dev/null 2>&1 ||
		fail "-Wl,--version"
	[[ -e result ]] || fail "a question removed what was there"
	"$HEDDLE" cc '-###' main_plain.o adds_plain.o > said 2>&1 ||
		fail "-### $(cat said)"
	"$HEDDLE" cc main_plain.o adds_plain.o -o /dev/null > said 2>&1 ||
		fail "/dev/null: $(cat said)"
	rm -f result
done
exit $failed
