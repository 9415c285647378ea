#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What cannot be run or observed is refused in one sentence that names it,
# with status 2, and nothing is left behind.

. "$(dirname "$0")/lib.sh"

observe() {
	local words=$1

	shift
	refused "$words" "$HEDDLE" run --observe -- "$@"
	[[ ! -e .heddle ]] || fail "a refused run left .heddle: $*"
}

observe 'cannot run no-such-program: no such program in PATH' no-such-program
observe 'cannot run ./no-such-program: No such file' ./no-such-program
observe 'it is a directory' /tmp
mkdir prog.d
observe 'prog.d: it is a directory' ./prog.d

printf '#!/bin/sh\n' > plain
observe 'cannot run ./plain: it is not executable; try chmod +x' ./plain
observe 'the one here is ./plain' plain
printf '#!/no/such/shell\n' > script
chmod +x script
observe 'its interpreter /no/such/shell is missing' ./script
printf '#! /bin/sh\n\n# %s\n' 'script - temporary wrapper script for .libs/script' \
	> script
observe 'say libtool --mode=execute heddle' ./script
echo 'true' > words
chmod +x words
observe 'neither an ELF program nor a script' ./words

# The machine of an ELF file is at byte 18: 183 is AArch64.
cp "$(type -P true)" foreign
printf '\xb7' | dd of=foreign bs=1 seek=18 conv=notrunc status=none
observe 'cannot run ./foreign: it is a program for AArch64' ./foreign
head -c 40 "$(type -P true)" > damaged
chmod +x damaged
observe 'cannot run ./damaged: the file is damaged' ./damaged
echo 'int main(void) { return 0; }' > nothing.c
gcc -static -o static nothing.c || fail "cannot build a static program"
observe 'cannot observe ./static: it is statically linked' ./static
gcc -c nothing.c
chmod +x nothing.o
observe 'it is an object file' ./nothing.o

# The store.
echo > file
refused 'file/store' "$HEDDLE" run --observe --store file/store -- true
refused '--store names another' \
	"$HEDDLE" run --observe --store /proc/heddle -- true
[[ $(cat file) == "" ]] || fail "the file in the way of the store changed"
refused '/no/such/place/trace' \
	"$HEDDLE" run --observe --trace /no/such/place/trace -- true
refused 'no/such/suppressions' \
	"$HEDDLE" run --observe --suppress no/such/suppressions -- true
refused '/no/such/place/report' \
	"$HEDDLE" run --observe --output /no/such/place/report -- true
refused 'ulimit -f' bash -c 'ulimit -f 100; "$HEDDLE" run --observe -- true'
finish
