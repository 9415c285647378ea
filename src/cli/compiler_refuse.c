/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_extra.h"

static const char *rival_of(const struct compiler_line *line)
{
	for (unsigned int i = 0; compiler_rivals[i]; i++)
		if (line->rivals >> i & 1)
			return compiler_rivals[i];
	return NULL;
}

static int refuse_link(const struct compiler *compiler,
		       const struct compiler_line *line, struct err *err)
{
	if (line->static_all)
		return err_set(err,
			       "%s cannot be used: the guest, libheddle.so, is "
			       "a shared object; link without it",
			       line->static_all);
	if (line->static_hooks && compiler->family == COMPILER_GCC)
		return err_set(err,
			       "%s cannot be used: it would link the "
			       "sanitizer's runtime in place of heddle's; "
			       "link without it",
			       line->static_hooks);
	return 0;
}

int compiler_refuse(const struct compiler *compiler,
		    const struct compiler_line *line, struct err *err)
{
	const char *rival = rival_of(line);

	if (line->stage == STAGE_NONE)
		return 0;
	if (rival)
		return err_set(err,
			       "-fsanitize=%s cannot be used: its hooks and "
			       "heddle's exclude each other; build without it",
			       rival);
	if (line->other_width)
		return err_set(err,
			       "%s cannot be used: heddle observes 64-bit "
			       "x86 programs only",
			       line->other_width);
	if (line->tuned)
		return err_set(err,
			       "%s cannot be used: it changes which hooks "
			       "the compiler places; build without it",
			       line->tuned);
	return line->stage == STAGE_LINK ? refuse_link(compiler, line, err) : 0;
}
