/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PLAN_H
#define HEDDLE_PLAN_H

/*
 * A plan: what should happen in a run. The schedule a run took is a plan that
 * gives the same run again. As a file it is short readable text
 * (docs/formats.md), fit to be kept next to the program.
 *
 * In a process places of code are sites (region.h), which depend on what was
 * loaded in which order. In a plan they are module and address in its file, so
 * a plan means the same in every process that has loaded the same files, and
 * says so when it does not fit.
 *
 * Besides the steps a plan has the sites that were known to be private, for
 * they are no points: without them the same steps would be counted otherwise.
 *
 * A plan may have rules instead of steps (rules.h): events to bring into an
 * order. A run takes them in freely, on all processors, or under control.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/control_block.h"
#include "format/region.h"
#include "plan/rules.h"

#include <stdbool.h>
#include <stdio.h>

enum {
	PLAN_VERSION = 1,
	/* Of enum control_flag: what changes the meaning of a plan. */
	PLAN_FLAGS = CONTROL_SPURIOUS | CONTROL_ALL | CONTROL_SYNC,
};

/* Where no thread ever stands; 0 is where one stands that has no place. */
enum { NO_SITE = 0xffffffff };

struct plan_module {
	char *name; /* of its file, without directories */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: it has none */
};

struct plan_step {
	uint32_t thread;
	uint32_t module;  /* NO_MODULE: the step has no place */
	uint64_t address; /* in the module's file */
	uint32_t visit;
	uint32_t to;
	uint8_t what; /* enum step_what */
	uint8_t kind; /* enum event_kind */
	/* For people; NULL: unknown. */
	char *where;  /* "deposit bank.c:14" */
	char *source; /* "b = balance;" */
};

/* A place that was known to be private. */
struct plan_private {
	uint32_t module;
	uint64_t address;
};

/* What stays of a place when the program is built anew: which call it is of
 * those that a function makes from lines like this one. */
struct plan_place {
	uint32_t module;
	uint64_t address;
	char *symbol;	/* whose code it is, as the linker names it */
	char *function; /* whose line it is: it may have been inlined */
	char *text;	/* of the line, "": unknown */
	uint32_t nth;	/* from 1 */
	uint32_t line;	/* counted from that of the symbol's function */
};

struct plan {
	VEC(struct plan_module) modules;
	VEC(struct plan_step) steps;
	VEC(struct plan_private) privates;
	VEC(struct plan_place) places; /* of steps; as far as known */
	VEC(char *) threads;	       /* their names for people, by number */
	uint32_t flags;		       /* of PLAN_FLAGS */
	uint32_t processors;
	uint64_t seed; /* of the run it was taken from */
	struct rules rules;
};

struct plan *plan_new(void);
struct plan *plan_copy(const struct plan *p);
void plan_free(struct plan *p);

/* Frees what a step owns, when it is taken out of its plan. */
void plan_step_done(struct plan_step *s);

/* The place of a step, if it is known by name, or NULL. */
const struct plan_place *plan_place_of(const struct plan *p,
				       const struct plan_step *s);
/* Another of the same name, at another address. */
void plan_place_add(struct plan *p, const struct plan_place *like,
		    uint64_t address);
void plan_places_clear(struct plan *p);

/* Takes over what a run left. Modules come first. */
void plan_set_modules(struct plan *p, const struct region_module *modules,
		      uint32_t count);
void plan_set_steps(struct plan *p, const struct region_module *modules,
		    const struct step *steps, uint32_t count);
void plan_set_sites(struct plan *p, const struct region_module *modules,
		    const uint8_t *sites, uint32_t count);

/* Gives the plan to a run: fills control->plan, ask.plan_count, control->sites
 * and the flags of ask. Fails when the program has not loaded a module that
 * the plan needs. `is_other` (may be NULL) is set when a module is there but
 * was built anew. */
MUST_USE int plan_load(const struct plan *p, const struct region *region,
		       struct control *control, struct control_ask *ask,
		       bool *is_other, struct err *err);

/* The module (of the plan, NO_MODULE: none) a site of the run lies in, and
 * where in its file. `modules` are those the plan was given. */
uint32_t plan_site(const struct plan *p, const struct region_module *modules,
		   uint32_t site, uint64_t *address);

/* Gives the plan's rules to a run, as region->force; its sites are points. */
MUST_USE int plan_load_rules(const struct plan *p, struct region *region,
			     struct err *err);

/* Has the program loaded this module in another build, and which of its modules
 * is it? */
bool plan_module_is_anew(const struct plan_module *m,
			 const struct region *region, uint32_t *number);

/* Takes over the build of a module. */
void plan_module_set(struct plan_module *m, const struct region_module *build);

/* Has the program loaded the very modules the plan was made with? */
bool plan_is_of(const struct plan *p, const struct region *region);

/* The text form. `name` is what errors call the file. */
void plan_write(const struct plan *p, FILE *out);
MUST_USE struct plan *plan_read(const char *text, size_t size, const char *name,
				struct err *err);

/* Same modules, steps and privates; what is for people is not looked at. */
bool plan_is_equal(const struct plan *a, const struct plan *b);

const char *step_text(unsigned int what);

/* A strategy's name, and the strategy of a name: `otherwise` if none has it. */
const char *strategy_text(uint32_t strategy);
uint32_t strategy_named(const char *name, uint32_t otherwise);

/* Which accesses are points, by name ("all", "shared", "sync"): a flag of
 * enum control_flag, or 0. */
uint32_t points_named(const char *name);

#endif
