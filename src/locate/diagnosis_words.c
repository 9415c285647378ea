/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A diagnosis in words: the kind of the bug, and one sentence of what is
 * missing in the program.
 */
#include <stdlib.h>
#include <string.h>

#include "locate/locate.h"

const char *bug_kind_text(enum bug_kind k)
{
	static const char *const texts[] = {
		[BUG_ORDER] = "order violation",
		[BUG_SINGLE] = "atomicity violation of one variable",
		[BUG_MULTI] = "atomicity violation of several variables",
	};

	return texts[k];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "a.c:31", "a.c:31-32" or "a.c:31 and b.c:5" */
static char *lines_of(const struct located_access *a,
		      const struct located_access *b)
{
	const struct located_access *low = a, *high = b;

	if (!a->file || !b->file)
		return xasprintf("%s and %s", a->where, b->where);
	if (strcmp(a->file, b->file) != 0)
		return xasprintf("%s:%d and %s:%d", base_name(a->file), a->line,
				 base_name(b->file), b->line);
	if (a->line > b->line) {
		low = b;
		high = a;
	}
	if (low->line == high->line)
		return xasprintf("%s:%d", base_name(low->file), low->line);
	return xasprintf("%s:%d-%d", base_name(low->file), low->line,
			 high->line);
}

static char *actions_of(const struct located_access *a, const char *x,
			const struct located_access *b, const char *y)
{
	if (strcmp(x, y) == 0 && strcmp(a->kind, b->kind) == 0)
		return xasprintf("the %ss of %s", a->kind, x);
	if (strcmp(x, y) == 0)
		return xasprintf("the %s and the %s of %s", a->kind, b->kind,
				 x);
	if (strcmp(a->kind, b->kind) == 0)
		return xasprintf("the %ss of %s and %s", a->kind, x, y);
	return xasprintf("the %s of %s and the %s of %s", a->kind, x, b->kind,
			 y);
}

static char *sentence_of_order(const struct located_pair *p)
{
	return xasprintf("nothing makes the %s of %s at %s come before the %s "
			 "at %s",
			 p->tail.kind, p->variable, p->tail.where, p->head.kind,
			 p->head.where);
}

static bool is_write(const struct located_access *a)
{
	return strcmp(a->kind, "write") == 0;
}

/* Which access of the other thread does harm between two of this one? A read
 * only between writes; else the other end of the cycle is meant. */
static const struct located_access *harmful_of(
	const struct located_access *first, const struct located_access *then,
	const struct located_access *near, const struct located_access *far)
{
	bool are_writes = is_write(first) && is_write(then);

	return is_write(near) || are_writes || !is_write(far) ? near : far;
}

/* Two accesses of one thread, and what came between. */
static char *sentence_of_single(const struct located_pair *p,
				const struct located_pair *other,
				bool is_before)
{
	const struct located_access *first = is_before ? &other->head :
							 &p->head;
	const struct located_access *then = is_before ? &p->tail : &other->tail;
	const struct located_access *remote =
		is_before ? harmful_of(first, then, &p->head, &other->tail) :
			    harmful_of(first, then, &p->tail, &other->head);
	char *what = actions_of(first, p->variable, then, p->variable);
	char *lines = lines_of(first, then);
	char *text = xasprintf("%s at %s must be atomic with the %s at %s",
			       what, lines, remote->kind, remote->where);

	free(what);
	free(lines);
	return text;
}

static char *sentence_of_multi(const struct located_pair *x,
			       const struct located_pair *y)
{
	bool is_back = strcmp(x->head.thread, y->tail.thread) == 0;
	const struct located_access *ay = is_back ? &y->tail : &y->head;
	const struct located_access *by = is_back ? &y->head : &y->tail;
	char *a = actions_of(&x->head, x->variable, ay, y->variable);
	char *b = actions_of(&x->tail, x->variable, by, y->variable);
	char *a_lines = lines_of(&x->head, ay);
	char *b_lines = lines_of(&x->tail, by);
	char *text = xasprintf("%s at %s must be atomic with %s at %s", a,
			       a_lines, b, b_lines);

	free(a);
	free(b);
	free(a_lines);
	free(b_lines);
	return text;
}

char *diagnosis_sentence(const struct diagnosis *d,
			 const struct located_pair *pair,
			 const struct located_pair *other)
{
	if (!other || d->kind == BUG_ORDER)
		return sentence_of_order(pair);
	if (d->kind == BUG_SINGLE)
		return sentence_of_single(pair, other, d->is_before);
	return sentence_of_multi(pair, other);
}
