/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that are made or destroyed while other threads may use them. The
 * causal model takes every lock for one that was always there; that is right
 * only where the lives of the threads alone keep all other uses before, or
 * after.
 */
#include "explore/lives.h"
#include "explore/trace_builder.h"

#include "format/event.h"

static bool every_use(const void *arg, uint32_t line, uint32_t other)
{
	(void)arg, (void)line, (void)other;
	return true;
}

void sync_find_remade(struct builder *b)
{
	struct lives l;

	lives_init(&l, b->t);
	for (uint32_t i = 0; i < b->t->line_count; i++)
		if (event_remakes(b->t->lines[i].kind) &&
		    lives_beside(&l, i, every_use, NULL)) {
			b->m->gaps |= GAP_REMADE;
			break;
		}
	lives_done(&l);
}
