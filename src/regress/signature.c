/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/signature.h"

#include "format/event.h"

static void event_done(struct signature_event *e)
{
	free(e->module);
	free(e->function);
	free(e->holder);
	free(e->file);
	free(e->source);
	free(e->variable);
	for (size_t i = 0; i < e->frames.count; i++)
		free(e->frames.at[i]);
	vec_free(&e->frames);
}

void signature_done(struct signature *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		event_done(&s->events[i]);
	s->count = 0;
}

void signatures_done(struct signatures *s)
{
	for (size_t i = 0; i < s->all.count; i++)
		signature_done(&s->all.at[i]);
	vec_free(&s->all);
}

static bool is_same(const struct signature *x, const struct signature *y)
{
	bool is_same = x->count == y->count;

	for (uint32_t k = 0; is_same && k < x->count; k++) {
		const struct signature_event *a = &x->events[k];
		const struct signature_event *b = &y->events[k];

		is_same = a->address == b->address && a->kind == b->kind &&
			  a->object == b->object && a->thread == b->thread;
	}
	return is_same;
}

bool signatures_have(const struct signatures *all, const struct signature *s)
{
	for (size_t i = 0; i < all->all.count; i++)
		if (is_same(&all->all.at[i], s))
			return true;
	return false;
}

/* FNV-1a. */
uint32_t function_hash(const char *name)
{
	uint32_t hash = UINT32_C(2166136261);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
	return hash;
}

const char *operation_text(const struct signature_event *e)
{
	switch (hunt_operation(e->kind)) {
	case HUNT_READ:
		return "read";
	case HUNT_WRITE:
		return "write";
	case HUNT_LOCK:
		return "lock";
	case HUNT_UNLOCK:
		return "unlock";
	default:
		return event_text(e->kind);
	}
}
