/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HOOKED_H
#define HEDDLE_HOOKED_H

/*
 * Whether a finished program has hooks. One without them runs, and under
 * observation shows nothing: the worst kind of silence. So heddle cc looks at
 * what it linked.
 *
 * A program that does nothing (int main(void) { return 0; }, as configure
 * scripts have them) has no access to hook, yet counts as hooked if one of its
 * parts was compiled for it. gcc links an object of its own that calls
 * __tsan_init, so for gcc's programs that name alone says nothing and the
 * linked files are asked.
 */

#include "base/err.h"

#include <stdbool.h>

enum hooked_answer {
	HOOKED_NO,
	HOOKED_START, /* refers to __tsan_init and to no other hook */
	HOOKED_YES,
	HOOKED_UNKNOWN, /* not a program or shared object of ELF */
};

/* By the symbols the file leaves to others. */
enum hooked_answer hooked_program(const char *path);

/* A file that is linked: object, archive, bitcode. True if anything in it was
 * compiled with hooks or will be when it is linked (gcc's LTO), or if it
 * cannot be told. */
bool hooked_input(const char *path);

#endif
