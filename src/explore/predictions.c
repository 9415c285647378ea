/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/predictions.h"

static struct prediction *find(const struct predictions *p,
			       enum prediction_kind kind, uint32_t first,
			       uint32_t second)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->at[i].kind == kind && p->at[i].sites[0] == first &&
		    p->at[i].sites[1] == second)
			return &p->at[i];
	return NULL;
}

uint32_t predictions_add(struct predictions *p, enum prediction_kind kind,
			 uint32_t first, uint32_t second, uint64_t from)
{
	const struct prediction *known = find(p, kind, first, second);

	if (known)
		return (uint32_t)(known - p->at);
	vec_push(p, (struct prediction){ .kind = kind,
					 .sites = { first, second },
					 .from = from });
	return (uint32_t)p->count - 1;
}

bool predictions_has(const struct predictions *p, enum prediction_kind kind,
		     uint32_t first, uint32_t second)
{
	const struct prediction *known = find(p, kind, first, second);

	return known && known->state != PREDICTION_REFUTED;
}

void predictions_settle(struct predictions *p, uint32_t number,
			enum prediction_state state, uint64_t run)
{
	struct prediction *k = &p->at[number];

	k->runs++;
	if (k->state == PREDICTION_CONFIRMED || state == PREDICTION_OPEN)
		return;
	k->state = state;
	k->by = run;
}

bool prediction_is_met(enum prediction_kind kind, enum outcome_kind outcome,
		       bool is_elsewhere)
{
	switch (kind) {
	case PREDICTED_RACE:
		return !is_elsewhere;
	case PREDICTED_NULL:
		return outcome == OUTCOME_SIGNAL;
	case PREDICTED_FREED:
		return outcome == OUTCOME_USE_AFTER_FREE ||
		       outcome == OUTCOME_DOUBLE_FREE;
	case PREDICTED_CHECK:
		return outcome == OUTCOME_ASSERTION || outcome == OUTCOME_ABORT;
	case PREDICTED_DEADLOCK:
		return outcome == OUTCOME_DEADLOCK;
	default:
		return false;
	}
}

size_t predictions_count(const struct predictions *p,
			 enum prediction_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += p->at[i].state == state;
	return n;
}

const char *prediction_text(enum prediction_kind kind)
{
	static const char *const texts[] = {
		[PREDICTED_RACE] = "data race",
		[PREDICTED_NULL] = "null pointer",
		[PREDICTED_FREED] = "use after free",
		[PREDICTED_CHECK] = "failed check",
		[PREDICTED_DEADLOCK] = "deadlock",
	};

	return texts[kind];
}

const char *prediction_state_text(enum prediction_state state)
{
	static const char *const texts[] = {
		[PREDICTION_OPEN] = "not confirmed",
		[PREDICTION_REFUTED] = "refuted",
		[PREDICTION_CONFIRMED] = "confirmed",
	};

	return texts[state];
}

void predictions_done(struct predictions *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (int k = 0; k < 2; k++)
			free(p->at[i].places[k]);
	vec_free(p);
}
