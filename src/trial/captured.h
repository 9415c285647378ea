/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAPTURED_H
#define HEDDLE_CAPTURED_H

/*
 * Everything about one run under control, copied out of the shared memory
 * before the next run overwrites it. Owned by whoever took it.
 */

#include "format/region.h"
#include "plan/plan.h"
#include "trace/site.h"
#include "trial/worker.h"

struct captured {
	struct control_ask ask; /* what was asked for */
	struct control_run run; /* how it went, outcome included */

	struct step *steps;
	uint32_t step_count;
	struct control_thread *threads; /* run.thread_count of them */
	struct region_thread *thread_table;
	uint32_t thread_table_count;
	struct region_module *modules;
	uint32_t module_count;
	struct region_stack *stacks;
	uint32_t stack_count;
	struct region_note *notes;
	uint32_t note_count;

	uint8_t *sites; /* enum site_state; of all sites of all modules */
	uint32_t site_count;

	/* What rules did to it. */
	struct force_mark *marks;
	uint32_t mark_count;

	/* It followed a plan and diverged: where the step that did not fit is,
	 * in the plan's words; NULL: unknown. */
	char *expected;

	/* Standard output and error, each with a zero byte behind. */
	char *output, *errors;
	size_t output_size, errors_size;

	struct racing races; /* if it was recorded */
};

struct captured *captured_take(const struct worker *w);
void captured_free(struct captured *c);

/* A resolver for its sites and stacks, to be freed before it. */
struct sites *captured_sites(const struct captured *c);

/* Its schedule, as a plan that gives the same run again. */
struct plan *captured_plan(const struct captured *c);

#endif
