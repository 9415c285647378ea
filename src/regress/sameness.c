/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is what broke the bug that was kept? The paper asks a person. Three things
 * speak for it: the failure has the same identity (kind, message, functions);
 * it is of the same kind at least (a crash being as good as the heap misuse
 * that causes it), at the same place at best; and the signature's events came
 * about in their order before it. None of them alone is proof: an exit status
 * is the same for many bugs, and a signature that was widened matches what has
 * nothing to do with it.
 *
 * A failure that is kept gets signatures of its own, from its own run and,
 * where it was located, from the pairs that caused it. If one of them is like
 * one of the old failure's, the same events are at work, and one is surer of
 * it.
 */
#include "regress/regress_inner.h"

#include <stdlib.h>
#include <string.h>

/* Kinds that the same bug shows as, depending on who comes first. */
static int family(enum outcome_kind kind)
{
	switch (kind) {
	case OUTCOME_SIGNAL:
	case OUTCOME_USE_AFTER_FREE:
	case OUTCOME_BEYOND_BLOCK:
	case OUTCOME_DOUBLE_FREE:
	case OUTCOME_INVALID_FREE:
		return OUTCOME_SIGNAL;
	case OUTCOME_EXIT:
	case OUTCOME_OUTPUT:
	case OUTCOME_CHECK:
		return OUTCOME_EXIT;
	case OUTCOME_DEADLOCK:
	case OUTCOME_LIVELOCK:
	case OUTCOME_HANG:
		return OUTCOME_DEADLOCK;
	case OUTCOME_ASSERTION:
	case OUTCOME_ABORT:
		return OUTCOME_ASSERTION;
	default:
		return (int)kind;
	}
}

bool regress_is_alike(const struct verdict *a, const struct verdict *b)
{
	return family(a->kind) == family(b->kind);
}

/* An identity that says where, not only that. */
static bool is_telling(enum outcome_kind kind)
{
	return family(kind) != OUTCOME_EXIT;
}

/* The functions that an identity names behind its '@', the innermost ones of
 * the program's own code. */
static bool is_same_place(const char *a, const char *b)
{
	const char *x = strrchr(a, '@'), *y = strrchr(b, '@');

	return x && y && x[1] && strcmp(x, y) == 0;
}

static bool is_complete(const struct regress *r)
{
	const struct regress_result *result = r->result;

	if (!result->signatures.all.count || r->o->method != REGRESS_SIMILAR)
		return false;
	return r->report.reached ==
	       result->signatures.all.at[result->signature].count;
}

static void set(struct regress_result *result, enum regress_verdict verdict,
		enum regress_sure sure, const char *why)
{
	result->verdict = verdict;
	result->sure = sure;
	free(result->why);
	result->why = xstrdup(why);
}

void regress_judge(struct regress *r)
{
	struct regress_result *result = r->result;
	const struct repro *old = r->again.repro;
	enum outcome_kind kind = r->verdict.kind;
	bool is_identical = strcmp(r->verdict.identity, old->identity) == 0;
	bool is_alike = family(kind) == family(old->outcome);

	if (result->iterations.at[result->iterations.count - 1].kind ==
		    ITERATION_REPLAY &&
	    is_identical)
		set(result, REGRESS_SAME, REGRESS_CERTAIN,
		    "the kept schedule gives the kept failure");
	else if (is_identical && is_complete(r))
		set(result, REGRESS_SAME, REGRESS_CERTAIN,
		    "the same failure, after the signature's events in their "
		    "order");
	else if (is_identical && is_telling(kind))
		set(result, REGRESS_SAME, REGRESS_LIKELY,
		    "the same failure, by another way than the signature's");
	else if (is_alike && is_complete(r))
		set(result, REGRESS_SAME, REGRESS_LIKELY,
		    "a failure of the same kind elsewhere, after the "
		    "signature's events in their order");
	else if (is_alike && is_same_place(r->verdict.identity, old->identity))
		set(result, REGRESS_SAME, REGRESS_LIKELY,
		    "a failure of the same kind at the same place, by another "
		    "way than the signature's");
	else if (is_identical)
		set(result, REGRESS_SAME, REGRESS_POSSIBLE,
		    "the same kind of failure, by another way than the "
		    "signature's");
	else if (is_complete(r))
		set(result, REGRESS_OTHER, REGRESS_POSSIBLE,
		    "another kind of failure, though after the signature's "
		    "events in their order");
	else
		set(result, REGRESS_OTHER, REGRESS_LIKELY,
		    "another failure, by another way than the signature's");
}

/* ---- signatures of both ---- */

static bool is_like_event(const struct signature_event *a,
			  const struct signature_event *b)
{
	return hunt_operation(a->kind) == hunt_operation(b->kind) &&
	       a->thread == b->thread && a->object == b->object &&
	       (strcmp(a->function, b->function) == 0 ||
		(*a->source && strcmp(a->source, b->source) == 0));
}

static bool is_like(const struct signature *a, const struct signature *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t k = 0; k < a->count; k++)
		if (!is_like_event(&a->events[k], &b->events[k]))
			return false;
	return true;
}

static bool have_like(const struct signatures *a, const struct signatures *b)
{
	for (size_t i = 0; i < a->all.count; i++)
		for (size_t k = 0; k < b->all.count; k++)
			if (is_like(&a->all.at[i], &b->all.at[k]))
				return true;
	return false;
}

void regress_compare(struct regress *r, const struct signatures *new)
{
	struct regress_result *result = r->result;
	bool is_alike = family(r->verdict.kind) ==
			family(r->again.repro->outcome);
	const char *why = result->why;
	char *more;

	if (r->o->method != REGRESS_SIMILAR || !is_alike ||
	    result->sure == REGRESS_CERTAIN ||
	    !have_like(&result->signatures, new))
		return;
	more = xasprintf("%s; but its own signature is like the old one's",
			 why);
	set(result, REGRESS_SAME,
	    result->verdict == REGRESS_SAME && result->sure == REGRESS_LIKELY ?
		    REGRESS_CERTAIN :
		    REGRESS_LIKELY,
	    more);
	free(more);
}
