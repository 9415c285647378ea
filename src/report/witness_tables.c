/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places and locations of a witness, each once.
 */
#include "report/witness.h"

#include <string.h>

#include "analysis/keymap.h"
#include "report/wording.h"

struct witness_tables {
	struct witness *w;
	struct keymap stacks;	 /* stack -> place */
	struct keymap calls;	 /* frame, place of its caller -> place */
	struct keymap locations; /* object and size -> location */
};

struct witness_tables *witness_tables_new(struct witness *w)
{
	struct witness_tables *t = xcalloc(1, sizeof(*t));

	t->w = w;
	return t;
}

void witness_tables_free(struct witness_tables *t)
{
	keymap_done(&t->stacks);
	keymap_done(&t->calls);
	keymap_done(&t->locations);
	free(t);
}

/* ---- places ---- */

/* Frames of libc and of the guest tell nothing. */
static bool is_of_the_system(const struct frame *f)
{
	static const char *const names[] = { "libc.so", "ld-linux",
					     "libheddle.so", "linux-vdso" };
	const char *name = f->module ? word_file(f->module) : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_of_program(const struct frame *f)
{
	return f->file && f->line && strncmp(f->file, "/usr/", 5) != 0 &&
	       !is_of_the_system(f);
}

/* A line of std::mutex tells nobody which lock it was: what is told begins in
 * the program's own code, if there is any. */
static size_t first_told(const struct site_chain *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_of_program(&c->frames[i]))
			return i;
	return 0;
}

static bool is_worth_telling(const struct frame *f)
{
	return (f->function || f->file) && !is_of_the_system(f);
}

static uint32_t place_add(struct witness_tables *t, const struct frame *f,
			  uint32_t outer)
{
	uint32_t *n = keymap_at(&t->calls,
				(uint64_t)(uintptr_t)f->function ^
					(uint64_t)(uintptr_t)f->file << 1 ^
					(uint64_t)f->line << 44,
				(uint64_t)outer << 32 | (uint32_t)f->column);

	if (*n)
		return *n - 1;
	vec_push(&t->w->places, (struct witness_place){ .function = f->function,
							.file = f->file,
							.line = f->line,
							.column = f->column,
							.outer = outer });
	*n = (uint32_t)t->w->places.count;
	return *n - 1;
}

uint32_t witness_place(struct witness_tables *t, uint32_t stack)
{
	uint32_t *known, place = WITNESS_NONE;
	struct site_chain c;

	if (stack == NO_STACK)
		return WITNESS_NONE;
	known = keymap_at(&t->stacks, stack, 0);
	if (*known)
		return *known - 1;
	c = stack_resolve(t->w->sites, stack);
	for (size_t i = c.count, first = first_told(&c); i-- > first;)
		if (is_worth_telling(&c.frames[i]))
			place = place_add(t, &c.frames[i], place);
	*known = place + 1;
	return place;
}

/* ---- locations ---- */

/* People know that a variable is a variable. */
static char *short_name(char *name)
{
	static const char prefix[] = "global ";

	if (strncmp(name, prefix, strlen(prefix)) == 0)
		memmove(name, name + strlen(prefix),
			strlen(name) - strlen(prefix) + 1);
	return name;
}

static uint64_t object_key(const struct location *where)
{
	return (uint64_t)where->kind << 60 ^ (uint64_t)where->owner << 40 ^
	       where->generation;
}

uint32_t witness_location(struct witness_tables *t,
			  const struct location *where, uint64_t addr,
			  uint64_t size)
{
	uint32_t *n = keymap_at(&t->locations, object_key(where),
				where->offset ^ size << 56);

	if (*n)
		return *n - 1;
	vec_push(&t->w->locations,
		 (struct witness_location){
			 .name = short_name(
				 location_name(where, addr, size, t->w->sites)),
			 .kind = where->kind,
			 .address = addr,
			 .size = size,
		 });
	*n = (uint32_t)t->w->locations.count;
	return *n - 1;
}
