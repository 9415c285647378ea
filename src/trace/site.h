/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_H
#define HEDDLE_SITE_H

/*
 * Sites and locations for people. A site (event.h, region.h) becomes a chain
 * of frames, innermost first: the inlined functions, then the function that
 * holds them. Resolved by libdw from the module's file or its separate debug
 * file; memoised. A module whose file changed since the run (another build
 * id) is not trusted: its sites are shown as module+offset. Code that the
 * compiler gave no line, having moved it, gets the line of its function.
 *
 * The resolver owns every string it hands out until it is freed.
 */

#include "trace/trace.h"

struct frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown */
	int line, column;     /* 0: unknown */
	const char *module;   /* path */
	uint64_t offset;      /* in the module's file addresses */
	bool inlined;	      /* into the next frame of the chain */
};

struct site_chain {
	size_t count; /* at least 1 for a known site */
	const struct frame *frames;
};

/* The frame of a chain that its author would name: of functions that were
 * inlined into each other the innermost that is not of a header of the system,
 * since a line of std::mutex tells nobody which lock it was. */
const struct frame *site_chain_told(const struct site_chain *chain);

/* Is it code that a library brought, as a template in a header perhaps? */
bool frame_is_of_library(const struct frame *f);

/* Of a stack, innermost first, what its reader wants to see: the innermost
 * frame and all that are not of C++ itself; everything where none is not. In
 * `room`, for `most` frames at most, or the whole itself. */
struct site_chain stack_of_user(const struct site_chain *whole,
				struct frame *room, size_t most);

struct sites;

/* What sites and stacks refer to: tables of a region, as they are or read
 * back. */
struct site_tables {
	const struct region_module *modules;
	uint32_t module_count;
	const struct region_stack *stacks;
	uint32_t stack_count;
};

/* The trace, or the tables, must outlive the resolver. */
struct sites *sites_new(const struct trace *t);
struct sites *sites_new_from(const struct site_tables *tables);
void sites_free(struct sites *s);

/* `is_return`: the site is a return address (a call in a stack), so the call
 * is the instruction before it. The innermost node of an access event's stack
 * is a return address too: of the call to our hook. */
struct site_chain site_resolve(struct sites *s, uint32_t site, bool is_return);

/* A whole stack node, innermost first, inlined frames included; recursion is
 * folded by the guest, so this always ends. Memoised. */
struct site_chain stack_resolve(struct sites *s, uint32_t stack);

/* The innermost site of a stack, and the stack of its caller; 0: none is
 * known. */
uint32_t stack_site(const struct sites *s, uint32_t stack);
uint32_t stack_parent(const struct sites *s, uint32_t stack);

/* The place of an address of code in memory; no frame where no module has
 * it. */
struct site_chain code_resolve(struct sites *s, uint64_t addr);

/* The outermost function of a stack that is not of a library; if it has none,
 * the one that its thread must have come to. NULL: unknown. */
const struct frame *stack_outermost(struct sites *s, uint32_t stack);

/* What a thread runs: its function, or the first of the user's that the library
 * called which made it, without the "operator()" of a lambda. NULL: unknown.
 * The caller frees. */
char *thread_function(struct sites *s, const struct region_thread *t);

/* The variable in whose memory an address lies, when it lies in a module's
 * data: "table.count" or "counts[3].hits" as far as the debug information
 * goes, else "symbol+8", else NULL. */
const char *global_name(struct sites *s, uint64_t addr, uint64_t size);

/* The module in whose code or data an address lies, as "name+0x1234", or
 * NULL. The caller frees. */
char *address_name(const struct sites *s, uint64_t addr);

/* The same of a site, which is the same in every run of a program. */
char *site_name(struct sites *s, uint32_t site);

/* Which modules could not be used and why, one sentence each, found so far:
 * gone, or changed since the run. */
size_t sites_warnings(const struct sites *s);
const char *sites_warning_text(const struct sites *s, size_t n);

#endif
