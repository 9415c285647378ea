/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAIR_RUN_H
#define HEDDLE_PAIR_RUN_H

/*
 * The access pairs of one run (format/pair_block.h), with names that mean the
 * same in every run: a place of code is a module and an address in its file, a
 * thread its path in the tree of creations ("0.1": the second child of the main
 * thread), a calling context the places of its calls.
 *
 * Names are numbers of a struct pair_names that all runs of an analysis share
 * and that must outlive them. A run owns its pairs. Nothing here is shared
 * between threads.
 */

#include "analysis/keymap.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/pair_block.h"
#include "format/region.h"
#include "trial/code_loops.h"

#include <stdbool.h>
#include <stdio.h>

enum { PAIR_RUN_VERSION = 1 };

struct pair_place {
	uint32_t module; /* of pair_names; from 0 */
	uint64_t address;
	/* For people; NULL and 0: unknown. */
	char *function, *file;
	int line;
};

/* A way of calls: the innermost place and what it was called from. */
struct pair_way {
	uint32_t place;
	uint32_t outer; /* 0: none */
};

struct pair_names {
	const struct code_loops *loops; /* of the program, or NULL */
	VEC(char *) modules;
	VEC(struct pair_place) places; /* number 0 is "unknown" */
	VEC(struct pair_way) ways;     /* number 0 is the empty one */
	VEC(char *) threads;
	struct keymap place_map, way_map;
};

struct pair_end {
	uint32_t place;
	uint32_t way; /* 0: not known */
	uint16_t thread;
	uint16_t loop;	/* the innermost, its own or of a caller; 0: none */
	uint32_t count; /* accesses of its thread up to this one */
	uint32_t began; /* the same when the iteration began */
	uint8_t kind;	/* enum pair_access */
};

struct pair_line {
	struct pair_end head, tail;
	uint32_t before; /* place, 0: none */
	uint8_t before_kind;
	uint32_t times;
	uint64_t addr;
	uint64_t first, last;
};

struct pair_run {
	char *name;    /* for people */
	char *command; /* program, arguments and input, as one word each */
	char *build;   /* of the program, in hex; "" where it has none */
	char *failure; /* its identity; NULL: the run held */
	VEC(struct pair_line) pairs; /* by first occurrence */
	uint64_t lost;		     /* for which there was no room */
	bool is_exact;		     /* from a run under control */
	bool has_loops;
	bool is_calm; /* nothing was done to make its threads meet */
};

/* The site of a place in a run that has these modules; 0: none. */
uint32_t pair_place_site(const struct pair_names *n, uint32_t place,
			 const struct region_module *modules, uint32_t count);

struct pair_names *pair_names_new(void);
void pair_names_free(struct pair_names *n);

uint32_t pair_module(struct pair_names *n, const char *name);
uint32_t pair_place_number(struct pair_names *n, uint32_t module,
			   uint64_t address);
uint32_t pair_way_number(struct pair_names *n, uint32_t place, uint32_t outer);
uint32_t pair_thread_number(struct pair_names *n, const char *path);

/* The path of a thread of a run, from the region's table; the caller frees. */
char *pair_thread_path(const struct region_thread *threads, uint32_t count,
		       uint32_t number);

/* What the numbers of the run are called that the region has seen last. */
struct pair_taking {
	struct pair_names *names;
	const struct region *region;
	VEC(uint32_t) modules;
	VEC(uint32_t) threads; /* number + 1 */
	VEC(uint32_t) nodes;   /* way + 1 */
	uint32_t program;      /* the module that loops are known of */
};

struct pair_taking pair_taking_begin(struct pair_names *n,
				     const struct region *r);
uint16_t pair_taking_thread(struct pair_taking *k, uint32_t number);
uint32_t pair_taking_way(struct pair_taking *k, uint32_t node);
void pair_taking_end(struct pair_taking *k);

/* Takes the pairs of the run that the region has seen last. */
struct pair_run *pair_run_take(struct pair_names *n, const struct region *r);
struct pair_run *pair_run_new(void);
void pair_run_free(struct pair_run *run);

/* ---- pair_text.c: as a file ---- */

void pair_run_write(const struct pair_run *run, const struct pair_names *n,
		    FILE *out);
MUST_USE struct pair_run *pair_run_read(struct pair_names *n, const char *text,
					size_t size, const char *name,
					struct err *err);

static inline bool pair_is_write(uint8_t kind)
{
	return kind != PAIR_READ;
}

#endif
