/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going on where another exploration ended. Its runs are made again before
 * anything is asked. A question that had the answer no has it again, as long as
 * no run is missing that was known then; so those about which all was asked are
 * not asked again, if every one of them came to the same as then.
 */
#include "explore/search_kind.h"

#include "format/rng.h"
#include "trial/campaign_inner.h"

bool explorer_past_take(struct explorer *x, struct explore_job *job)
{
	const struct explored *run;

	if (x->past_at >= x->past.runs.count)
		return false;
	run = &x->past.runs.at[x->past_at++];
	for (size_t i = 0; i < run->order.count; i++)
		vec_push(&job->order, run->order.at[i]);
	job->is_past = true;
	job->done = run->done;
	x->past_out++;
	return true;
}

uint64_t explorer_done_mark(const struct explorer *x, uint64_t class)
{
	const struct explore_options *o = x->o;
	uint64_t asks = (uint64_t)o->window << 3 | (uint64_t)o->races << 2 |
			(uint64_t)o->no_deadlocks << 1 | o->skip_unused;

	return rng_mix(class ^ rng_mix(asks ^ (uint64_t)o->ask.flags << 40)) |
	       1;
}

void explorer_past_learn(struct explorer *x, const struct explore_job *job,
			 const struct run_trace *t)
{
	if (x->o->state)
		explore_state_add(&x->made, &job->order, job->done);
	if (!job->is_past || x->past_is_void)
		return;
	if (!job->is_diverged &&
	    (!job->done ||
	     job->done == explorer_done_mark(x, run_trace_class(t))))
		return;
	x->past_is_void = true;
	explore_state_reopen(&x->made);
}

void explorer_past_leave(struct explorer *x, const struct explore_job *job)
{
	if (!job->is_past)
		return;
	x->past_out--;
	/* It found no budget, so it is left for the next time. */
	if (!job->is_learned)
		explore_state_add(&x->made, &job->order,
				  x->past_is_void ? 0 : job->done);
}

/* Where it stops before all old runs were made again, they are still there. */
int explorer_write(struct explorer *x, struct err *err)
{
	/* Not before: runs of a search that begins anew came to something else
	 * because they showed too little. */
	if (x->past_is_void)
		explore_state_reopen(&x->past);
	return explore_state_write(&x->made, &x->past, x->past_at, x->o->state,
				   err);
}

/* A killed exploration loses little, and writing takes a twentieth of the time
 * at most. What cannot be written now is told at the end. */
void explorer_save(struct explorer *x)
{
	double now = campaign_now(), spent;
	struct err err;

	if (!x->o->state || x->is_stale || now < x->save_at)
		return;
	if (x->save_at > 0 && explorer_write(x, &err) < 0)
		return;
	spent = campaign_now() - now;
	x->save_at = now + (spent > 0.05 ? 20 * spent : 1);
}
