/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that failed. Most failures of a campaign are the same few again, so
 * runs with equal keys are counted and not looked at closer: copying a run out
 * and finding its functions costs more than making a hundred others.
 */
#include "trial/campaign_inner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What the outputs come to, for a run that is well so far. */
static int look_at_outputs(struct hand *h, const struct control_result *r,
			   enum outcome_kind *kind, char **why, struct err *err)
{
	const struct outputs *o = h->c->o->outputs;
	size_t size;
	char *text;
	int rc;

	if (!outputs_is_needed(o) ||
	    (*kind != OUTCOME_NONE &&
	     !(*kind == OUTCOME_EXIT && o->judges_status)))
		return 0;
	text = worker_printed(&h->worker, WORKER_OUTPUT, &size);
	rc = outputs_judge(o, text, size, WEXITSTATUS(r->wait_status), why,
			   err);
	free(text);
	if (rc < 0)
		return -1;
	*kind = (enum outcome_kind)rc;
	return 0;
}

/* Counts a failure that is known, unless this run comes before the one that
 * is kept. */
static bool is_known(struct campaign *c, uint64_t key, uint64_t index)
{
	struct failure *f;
	uint32_t n;

	n = *keymap_at(&c->keys, key, 0);
	if (!n)
		return false;
	f = &c->result->failures.at[n - 1];
	if (index < f->index)
		return false;
	f->count++;
	return true;
}

static size_t find_identity(const struct campaign *c, const char *identity)
{
	size_t i;

	for (i = 0; i < c->result->failures.count; i++)
		if (strcmp(c->result->failures.at[i].verdict.identity,
			   identity) == 0)
			break;
	return i;
}

static void failure_add(struct campaign *c, uint64_t key, struct failure *new)
{
	size_t n = find_identity(c, new->verdict.identity);

	if (n == c->result->failures.count) {
		vec_push(&c->result->failures, *new);
	} else {
		struct failure *old = &c->result->failures.at[n];

		new->count += old->count;
		if (new->index < old->index) {
			failure_done(old);
			*old = *new;
		} else {
			old->count = new->count;
			failure_done(new);
		}
	}
	*keymap_at(&c->keys, key, 0) = (uint32_t)n + 1;
}

static void judge(struct hand *h, uint64_t key, uint64_t index,
		  enum outcome_kind kind, const struct remark *words)
{
	struct campaign *c = h->c;
	struct failure f = { .index = index, .count = 1 };
	bool is_broken;

	f.captured = captured_take(&h->worker);
	/* A run that learned had a point at every access. */
	if (f.captured->ask.flags & CONTROL_LEARN)
		f.captured->ask.flags |= CONTROL_ALL;
	oracle_tell(f.captured, kind, words, &f.verdict);
	is_broken = f.verdict.status == EXIT_BROKEN;
	pthread_mutex_lock(&c->lock);
	failure_add(c, key, &f);
	if (is_broken && !c->o->all_failures && index < c->limit)
		c->limit = index + 1;
	pthread_mutex_unlock(&c->lock);
}

static void found(struct hand *h, uint64_t index, enum outcome_kind kind,
		  const struct remark *words)
{
	struct campaign *c = h->c;
	uint64_t key = oracle_key(h->worker.region, words) + (uint64_t)kind;
	bool known;

	pthread_mutex_lock(&c->lock);
	known = index >= c->limit || is_known(c, key, index);
	pthread_mutex_unlock(&c->lock);
	if (!known)
		judge(h, key, index, kind, words);
}

/* As identities are: numbers are those of lines, and of blocks. */
static bool is_same_but_for_numbers(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a && *b) {
		size_t n = strspn(a, digits), m = strspn(b, digits);

		if (!n != !m || (!n && *a != *b))
			return false;
		a += n ? n : 1;
		b += m ? m : 1;
	}
	return *a == *b;
}

/* The read and the write of "x++" are one race, and one run that has it. */
static bool is_counted(const struct racing *races, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_same_but_for_numbers(races->all.at[i].identity,
					    races->all.at[n].identity))
			return true;
	return false;
}

int found_look(struct hand *h, uint64_t index, const struct control_result *r,
	       struct err *err)
{
	const struct racing *races = &h->worker.races;
	enum outcome_kind kind = oracle_kind(r->outcome, r->wait_status);
	struct remark words = { 0 };

	if (look_at_outputs(h, r, &kind, &words.text, err) < 0)
		return -1;
	if (kind != OUTCOME_NONE)
		found(h, index, kind, &words);
	else
		for (size_t i = 0; i < races->all.count; i++)
			if (!is_counted(races, i))
				found(h, index, OUTCOME_RACE,
				      &races->all.at[i]);
	free(words.text);
	return 0;
}
