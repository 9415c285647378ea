/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a stack is the user's. Between two functions of a program, and below
 * its threads, stand those that libraries have in their headers: templates of
 * std::function, of std::thread, of allocators. Nobody wants to read them.
 */
#include "trace/site.h"

#include <string.h>

static bool is_under(const char *path, const char *directory)
{
	return path && strncmp(path, directory, strlen(directory)) == 0;
}

static bool is_in_library(const struct frame *f)
{
	return is_under(f->module, "/usr/lib/") || is_under(f->module, "/lib");
}

bool frame_is_of_library(const struct frame *f)
{
	return is_under(f->file ? f->file : f->module, "/usr/") ||
	       is_in_library(f);
}

static const struct frame *outermost(const struct site_chain *c)
{
	for (size_t i = c->count; i--;)
		if (c->frames[i].function &&
		    !frame_is_of_library(&c->frames[i]))
			return &c->frames[i];
	return NULL;
}

static bool is_same_function(const struct site_chain *a,
			     const struct site_chain *b)
{
	const char *x = a->count ? a->frames[a->count - 1].function : NULL;
	const char *y = b->count ? b->frames[b->count - 1].function : NULL;

	return x && y && strcmp(x, y) == 0;
}

/* The user's function may have been inlined into the library's, behind the
 * place that was seen. */
static const struct frame *inlined_behind(struct sites *s, uint32_t site)
{
	enum { FAR = 4096 };
	const struct site_chain here = site_resolve(s, site, true);

	if (!site)
		return NULL;

	for (uint32_t i = 1; i < FAR; i++) {
		struct site_chain c = site_resolve(s, site + i, true);
		const struct frame *f = outermost(&c);

		if (!is_same_function(&here, &c))
			return NULL;
		if (f)
			return f;
	}
	return NULL;
}

/* The lowest call of a stack that code of the program makes, 0: none. */
static uint32_t bottom_of(struct sites *s, uint32_t stack)
{
	uint32_t bottom = 0;

	for (; stack; stack = stack_parent(s, stack)) {
		struct site_chain c =
			site_resolve(s, stack_site(s, stack), true);

		if (c.count && !is_in_library(&c.frames[0]))
			bottom = stack;
	}
	return bottom;
}

/* The one function that all stacks with the same bottom lead to: the bottom of
 * a thread of std::thread is code of the type of what it runs. */
static const struct frame *only_one_above(struct sites *s, uint32_t stack)
{
	enum { MOST = 1 << 16 };
	uint32_t bottom = bottom_of(s, stack);
	const struct frame *only = NULL;

	for (uint32_t i = 1; bottom && i < MOST && stack_site(s, i); i++) {
		struct site_chain c;
		const struct frame *f;

		if (bottom_of(s, i) != bottom)
			continue;
		c = stack_resolve(s, i);
		f = outermost(&c);
		if (f && only && strcmp(f->function, only->function) != 0)
			return NULL;
		only = f ? f : only;
	}
	return only;
}

const struct frame *stack_outermost(struct sites *s, uint32_t stack)
{
	struct site_chain c = stack_resolve(s, stack);
	const struct frame *f = outermost(&c);

	if (!f)
		f = inlined_behind(s, stack_site(s, stack));
	return f ? f : only_one_above(s, stack);
}

/* Code of C++ that the program did not write. What else libraries do between
 * two functions of the program (sort, raise a signal) tells something. */
static bool is_of_cxx(const struct frame *f)
{
	const char *slash = f->module ? strrchr(f->module, '/') : NULL;

	return is_under(f->file, "/usr/") ||
	       (slash && strncmp(slash, "/libstdc++.", 11) == 0);
}

struct site_chain stack_of_user(const struct site_chain *whole,
				struct frame *room, size_t most)
{
	struct site_chain own = { .frames = room };

	for (size_t i = 0; i < whole->count && own.count < most; i++) {
		const struct frame *f = &whole->frames[i];

		if (i && is_of_cxx(f))
			continue;
		room[own.count] = *f;
		own.count++;
	}
	if (own.count > 1 || !whole->count || !is_of_cxx(&whole->frames[0]))
		return own;
	return *whole;
}

/* What is called is the lambda. */
static size_t without_call(const char *name)
{
	static const char call[] = "(lambda)::operator()";
	size_t length = strlen(name), tail = sizeof(call) - 1;

	if (length < tail || strcmp(name + length - tail, call) != 0)
		return length;
	return length - strlen("::operator()");
}

char *thread_function(struct sites *s, const struct region_thread *t)
{
	const struct frame *f = NULL;
	struct site_chain c = code_resolve(s, t->start);

	if (c.count && c.frames[c.count - 1].function)
		f = &c.frames[c.count - 1];
	if ((!f || frame_is_of_library(f)) && t->deepest) {
		const struct frame *own = stack_outermost(s, t->deepest);

		f = own ? own : f;
	}
	return f ? strndup(f->function, without_call(f->function)) : NULL;
}
