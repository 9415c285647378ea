/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is what broke the bug that was kept? The paper asks a person. Three things
 * speak for it or against it.
 *
 * The failure: it has the same identity (kind, message, functions; in another
 * build lines may have other numbers); or it is of the same kind at least (a
 * crash being as good as the heap misuse that causes it), at the same place at
 * best, where another condition is another place.
 *
 * The signature: its events came about in their order before it, or it came by
 * the very schedule that was kept; or the failure that is kept has a signature
 * of its own like one of the old failure's.
 *
 * The pairs of accesses that were located as the cause of the one and of the
 * other, and confirmed by experiments (blamed.h).
 *
 * None of them alone is proof: an exit status is the same for many bugs, a
 * signature that was widened matches what has nothing to do with it, and of
 * several pairs that belong to a bug any may have been confirmed. The first two
 * give a rung of a ladder from *another bug* to *the same*; the others move it
 * up or down. Pairs that have nothing in common move it furthest: an experiment
 * has shown that without that order the failure does not come.
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

/* The condition of a failed assertion, as it stands in the message. */
static const char *claim_of(const char *identity, size_t *size)
{
	const char *from = strchr(identity, '`');
	const char *to = from ? strstr(from, "' failed") : NULL;

	*size = to ? (size_t)(to - from) : 0;
	return to ? from : NULL;
}

/* Two checks of one function may have nothing to do with each other. */
static bool is_other_claim(const char *a, const char *b)
{
	size_t x_size, y_size;
	const char *x = claim_of(a, &x_size), *y = claim_of(b, &y_size);

	return x && y && (x_size != y_size || memcmp(x, y, x_size) != 0);
}

static bool is_complete(const struct regress *r)
{
	const struct regress_result *result = r->result;

	if (!result->signatures.all.count || r->o->method != REGRESS_SIMILAR)
		return false;
	return r->report.reached ==
	       result->signatures.all.at[result->signature].count;
}

static void look(struct regress *r)
{
	struct sameness *s = &r->result->same;
	const struct regress_result *result = r->result;
	const struct repro *old = r->again.repro;
	const char *identity = r->verdict.identity;
	size_t runs = result->iterations.count;

	s->is_telling = is_telling(r->verdict.kind);
	s->is_ordered = is_complete(r);
	s->is_followed = result->iterations.at[runs - 1].kind ==
			 ITERATION_REPLAY;
	if (again_is_kept_one(&r->again, &r->verdict))
		s->failure = FAILURE_SAME;
	else if (family(r->verdict.kind) != family(old->outcome))
		s->failure = FAILURE_OTHER;
	else
		s->failure = is_same_place(identity, old->identity) &&
					     !is_other_claim(identity,
							     old->identity) ?
				     FAILURE_PLACE :
				     FAILURE_KIND;
}

/* The kept schedule gave the kept failure. */
static bool is_replayed(const struct sameness *s)
{
	return s->is_followed && s->failure == FAILURE_SAME;
}

/* ---- the ladder ---- */

enum rung {
	RUNG_OTHER_CERTAIN,
	RUNG_OTHER_LIKELY,
	RUNG_OTHER_POSSIBLE,
	RUNG_SAME_POSSIBLE,
	RUNG_SAME_LIKELY,
	RUNG_SAME_CERTAIN,
};

/* By the failure, and by the events that came before it. */
static int rung_first(const struct sameness *s)
{
	bool is_ordered = s->is_ordered || s->is_followed;

	if (s->failure == FAILURE_SAME && is_ordered)
		return RUNG_SAME_CERTAIN;
	if (s->failure == FAILURE_PLACE ||
	    (s->failure == FAILURE_SAME && s->is_telling) ||
	    (s->failure == FAILURE_KIND && is_ordered))
		return RUNG_SAME_LIKELY;
	if (s->failure == FAILURE_SAME)
		return RUNG_SAME_POSSIBLE;
	return is_ordered ? RUNG_OTHER_POSSIBLE : RUNG_OTHER_LIKELY;
}

/* By a signature of its own, if it is a failure of the same kind. */
static int rung_signed(const struct sameness *s, int rung)
{
	if (!s->is_signed || s->failure == FAILURE_OTHER)
		return rung;
	return rung < RUNG_SAME_LIKELY ? RUNG_SAME_LIKELY : rung + 1;
}

/* By the pairs. That the same thing broke weighs more if it says where. */
static int rung_paired(const struct sameness *s, int rung)
{
	bool is_same = s->failure == FAILURE_SAME;

	switch (s->pairs) {
	case PAIRS_SAME:
	case PAIRS_SIGNED:
		return rung + 1;
	case PAIRS_OTHER:
		rung -= is_same && s->is_telling ? 2 : 3;
		return is_same && rung < RUNG_OTHER_LIKELY ? RUNG_OTHER_LIKELY :
							     rung;
	default:
		return rung;
	}
}

static enum rung rung_of(const struct sameness *s)
{
	int rung = rung_first(s);

	if (is_replayed(s))
		return RUNG_SAME_CERTAIN;
	rung = rung_signed(s, rung);
	/* No more than certain before pairs speak against it. */
	if (rung > RUNG_SAME_CERTAIN)
		rung = RUNG_SAME_CERTAIN;
	rung = rung_paired(s, rung);
	if (rung < RUNG_OTHER_CERTAIN)
		return RUNG_OTHER_CERTAIN;
	return rung > RUNG_SAME_CERTAIN ? RUNG_SAME_CERTAIN : (enum rung)rung;
}

/* ---- words ---- */

/* Maple has the profile's interleavings in the place of a signature. */
static const char *way_of(const struct regress_result *r)
{
	const struct regress_iteration *last =
		&r->iterations.at[r->iterations.count - 1];

	if (r->method == REGRESS_MAPLE)
		return last->kind == ITERATION_PROFILE ?
			       ", in a run of the profile" :
			       ", by an interleaving of the profile";
	if (r->same.is_followed)
		return ", by the kept schedule";
	return r->same.is_ordered ?
		       ", after the signature's events in their order" :
		       ", by another way than the signature's";
}

static void say_failure(const struct regress_result *r, FILE *out)
{
	const struct sameness *s = &r->same;
	static const char *const failures[] = {
		[FAILURE_OTHER] = "another kind of failure",
		[FAILURE_KIND] = "a failure of the same kind elsewhere",
		[FAILURE_PLACE] = "a failure of the same kind and place",
		[FAILURE_SAME] = "the same failure",
	};

	fputs(s->failure == FAILURE_SAME && !s->is_telling ?
		      "the same kind of failure" :
		      failures[s->failure],
	      out);
	fputs(way_of(r), out);
	if (s->is_signed)
		fputs("; its own signature is like the old one's", out);
}

static void say_pair(const struct blamed *b, size_t at, FILE *out)
{
	const struct blamed_pair *p = &b->all.at[at];

	fprintf(out, "%s in %s, then %s in %s", p->head.kind, p->head.where,
		p->tail.kind, p->tail.where);
}

static void say_pairs(const struct sameness *s, FILE *out)
{
	static const char *const texts[] = {
		[PAIRS_OTHER] = "other accesses cause it: ",
		[PAIRS_NEAR] = "another pair of such accesses causes it: ",
		[PAIRS_SIGNED] = "events of the signature cause it: ",
		[PAIRS_SAME] = "the same pair of accesses causes it: ",
	};

	if (s->pairs == PAIRS_NONE)
		return;
	fputs("; ", out);
	if (s->pairs == PAIRS_UNKNOWN) {
		fprintf(out, "pairs of accesses are not compared: %s",
			s->unknown);
		return;
	}
	fputs(texts[s->pairs], out);
	say_pair(&s->now, s->now_at, out);
	if (s->pairs == PAIRS_SAME || s->pairs == PAIRS_SIGNED)
		return;
	fputs("; before it was ", out);
	say_pair(&s->was, s->was_at, out);
}

static char *words_of(const struct regress_result *r)
{
	const struct sameness *s = &r->same;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	if (is_replayed(s)) {
		fprintf(out, "the kept %s the kept failure",
			r->is_by_rules ? "rules give" : "schedule gives");
	} else {
		say_failure(r, out);
		say_pairs(s, out);
	}
	fclose(out);
	return text;
}

void regress_judge(struct regress *r)
{
	static const enum regress_sure sure[] = {
		[RUNG_OTHER_CERTAIN] = REGRESS_CERTAIN,
		[RUNG_OTHER_LIKELY] = REGRESS_LIKELY,
		[RUNG_OTHER_POSSIBLE] = REGRESS_POSSIBLE,
		[RUNG_SAME_POSSIBLE] = REGRESS_POSSIBLE,
		[RUNG_SAME_LIKELY] = REGRESS_LIKELY,
		[RUNG_SAME_CERTAIN] = REGRESS_CERTAIN,
	};
	struct regress_result *result = r->result;
	enum rung rung;

	look(r);
	rung = rung_of(&result->same);
	result->verdict = rung >= RUNG_SAME_POSSIBLE ? REGRESS_SAME :
						       REGRESS_OTHER;
	result->sure = sure[rung];
	free(result->why);
	result->why = words_of(result);
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

void regress_compare_signatures(struct regress *r, const struct signatures *new)
{
	struct regress_result *result = r->result;

	result->same.is_signed = r->o->method == REGRESS_SIMILAR &&
				 have_like(&result->signatures, new);
}
