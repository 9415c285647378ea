/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMPILER_H
#define HEDDLE_COMPILER_H

/*
 * The compiler behind heddle cc: gcc, or what HEDDLE_CC names. One name serves
 * both languages: of clang-19 the C++ side is clang++-19, of g++-12 the C side
 * is gcc-12. What is added to a command line depends on the family alone.
 */

#include "base/err.h"

#include <stdbool.h>

enum compiler_family {
	COMPILER_GCC,
	COMPILER_CLANG,
};

struct compiler {
	char *program; /* a path, or a name to be found in PATH */
	enum compiler_family family;
};

/* `wanted` is the value of HEDDLE_CC, NULL when unset. A name that does not
 * tell the family is run with -v, once. */
MUST_USE int compiler_init(struct compiler *c, const char *wanted, bool is_cxx,
			   struct err *err);
void compiler_done(struct compiler *c);

/* The name under which `program` compiles the other language, NULL when it
 * does not look like a compiler's name. The caller frees. */
char *compiler_sibling(const char *program, bool is_cxx);

#endif
