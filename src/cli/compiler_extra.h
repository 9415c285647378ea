/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMPILER_EXTRA_H
#define HEDDLE_COMPILER_EXTRA_H

/*
 * What heddle cc adds to a command line. The rule: every access to memory that
 * the finished program makes is announced by a hook or made inside a function
 * the guest wraps. `before` goes in front of the user's words, where they can
 * overrule it (-g); `after` goes behind, because there they could take hooks
 * away.
 */

#include "cli/compiler.h"
#include "cli/compiler_line.h"

/* Directories of this installation. */
struct compiler_parts {
	char *guest;   /* has libheddle.so and gcc/libtsan.so */
	char *headers; /* has heddle.h; NULL when it need not be named */
};

struct compiler_extra {
	struct compiler_words before, after;
};

MUST_USE int compiler_parts_init(struct compiler_parts *parts, struct err *err);
void compiler_parts_done(struct compiler_parts *parts);

/* Fails, with a sentence for the user, when the line asks for what cannot be
 * done with hooks. */
MUST_USE int compiler_refuse(const struct compiler *compiler,
			     const struct compiler_line *line, struct err *err);

/* For a line that was not refused. */
void compiler_extra_init(struct compiler_extra *extra,
			 const struct compiler *compiler,
			 const struct compiler_line *line,
			 const struct compiler_parts *parts);
void compiler_extra_done(struct compiler_extra *extra);

#endif
