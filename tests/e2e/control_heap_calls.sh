#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What functions of libc and calls of the kernel touch for the program is
# misuse of the heap like any other, and no misuse where it is none.

. "$(dirname "$0")/lib.sh"

build calls "$SOURCE/tests/programs/control_heap_calls.c"

# breaks WORDS ACT...: found at the line of the program; and not where it is
# right.
breaks() {
	local words=$1

	shift
	for act in "$@"; do
		run 1 "$HEDDLE" run --strategy random -n 1 -- ./calls "$act"
		has out "$words"
		has out 'control_heap_calls.c:'
		run 0 "$HEDDLE" run --strategy random -n 1 -- \
			./calls "$act" well
	done
}

breaks 'access beyond a block of 16 bytes' read readv recv recv-all recvfrom \
	recvmsg pread fread fread-waited fgets fscanf fscanf-number sprintf
breaks 'use after free of a block of 32 bytes' write writev send sendto \
	sendmsg pwrite puts fputs fwrite printf fprintf snprintf vprintf \
	asprintf dprintf atoi strtod sscanf
finish
