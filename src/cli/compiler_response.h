/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMPILER_RESPONSE_H
#define HEDDLE_COMPILER_RESPONSE_H

/*
 * Response files: a word @FILE of a command line stands for the words in FILE,
 * which may again name files. Compilers read them by themselves; we do so too,
 * in their way, only to know what is asked for. A file that cannot be read
 * leaves its word as it is.
 */

#include "base/err.h"
#include "base/vec.h"

/* Owns its words. */
struct compiler_words {
	VEC(char *) list;
};

/* Adds `word`, or the words it stands for. Fails when files name each other
 * without end. */
MUST_USE int compiler_words_add(struct compiler_words *words, const char *word,
				struct err *err);
void compiler_words_free(struct compiler_words *words);

#endif
