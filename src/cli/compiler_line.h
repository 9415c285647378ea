/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMPILER_LINE_H
#define HEDDLE_COMPILER_LINE_H

/*
 * What a compiler's command line asks for, as far as heddle cc must know: how
 * far to go, with which files, and the options that touch hooks. The line is
 * only looked at; the compiler gets its words as they came.
 *
 * An option that can be taken back counts as the last word about it says. The
 * fields of type const char * hold the option as it was written, to be quoted
 * in a message, and NULL when it was not given. They point into `words`, which
 * the line owns.
 */

#include "cli/compiler_response.h"

#include <stdbool.h>

enum compiler_stage {
	STAGE_NONE, /* only a question (--version), or a mistake: hands off */
	STAGE_PREPROCESS,
	STAGE_COMPILE, /* to an object, assembly, precompiled header, nothing */
	STAGE_LINK,
};

enum compiler_input_kind {
	INPUT_SOURCE, /* of the C family, preprocessed or not */
	INPUT_HEADER,
	INPUT_ASSEMBLER,
	INPUT_LINKED,  /* object, archive, shared object, script */
	INPUT_LIBRARY, /* -l */
};

struct compiler_input {
	const char *path;
	enum compiler_input_kind kind;
};

struct compiler_line {
	struct compiler_words words;
	VEC(struct compiler_input) inputs;
	enum compiler_stage stage;
	const char *output; /* of -o, else NULL */

	const char *dry;	  /* -### */
	const char *shared;	  /* -shared */
	const char *relocatable;  /* -r: the result is an object again */
	const char *static_all;	  /* -static, -static-pie */
	const char *static_hooks; /* -static-libtsan */
	const char *bare;	  /* -nostdlib, -nodefaultlibs */
	const char *lto;	  /* -flto */
	const char *lld;	  /* -fuse-ld=lld */
	const char *other_width;  /* -m32, -mx32 */

	bool blocks;	      /* --blocks or --loops, ours */
	const char *thread;   /* -fsanitize=thread */
	const char *no_hooks; /* -fno-sanitize=thread or all, after that */
	const char *tuned;    /* a setting of the compiler's hooks */
	unsigned int rivals;  /* other sanitizers: bits of compiler_rivals[] */
};

/* Sanitizers that cannot go with hooks; NULL at the end. */
extern const char *const compiler_rivals[];

/* `argv` holds the words behind the compiler's name, `argc` of them. */
MUST_USE int compiler_line_init(struct compiler_line *line, int argc,
				char **argv, struct err *err);
void compiler_line_done(struct compiler_line *line);

bool compiler_line_has(const struct compiler_line *line,
		       enum compiler_input_kind kind);

#endif
