/* SPDX-License-Identifier: Apache-2.0 */
#include "report/last_signal.h"

#include <stdlib.h>

#include "report/culprit.h"

/* Where the thread began to wait; WITNESS_NONE: it is not told. */
static uint32_t began_to_wait(const struct witness *w,
			      const struct witness_wait *x)
{
	for (uint32_t i = (uint32_t)w->steps.count; i-- > 0;) {
		const struct witness_step *s = &w->steps.at[i];

		if (s->thread == x->thread && s->kind == EVENT_COND_WAIT)
			return i;
	}
	return WITNESS_NONE;
}

uint32_t last_signal(const struct witness *w, const struct witness_wait *x)
{
	uint32_t waits = began_to_wait(w, x);

	if (x->joins != WITNESS_NONE || waits == WITNESS_NONE ||
	    (x->kind != EVENT_COND_WAIT && x->kind != EVENT_COND_WAKE))
		return WITNESS_NONE;
	for (uint32_t i = (uint32_t)w->steps.count; i-- > 0;) {
		const struct witness_step *s = &w->steps.at[i];

		if ((s->kind == EVENT_COND_SIGNAL ||
		     s->kind == EVENT_COND_BROADCAST) &&
		    s->address == w->steps.at[waits].address)
			return i;
	}
	return WITNESS_NONE;
}

/* A broadcast would have woken all that waited, and a signal some thread: so
 * it came before, unless another thread woke. (That a thread waits is recorded
 * when it calls, and it may have been interrupted then.) */
static bool woke_another(const struct witness *w, uint32_t signal)
{
	const struct witness_step *s = &w->steps.at[signal];

	for (uint32_t i = signal + 1;
	     s->kind == EVENT_COND_SIGNAL && i < w->steps.count; i++)
		if (w->steps.at[i].kind == EVENT_COND_WAKE &&
		    w->steps.at[i].address == s->address)
			return true;
	return false;
}

static void sentence(const struct witness *w, const struct witness_wait *x,
		     uint32_t waits, FILE *out)
{
	uint32_t signal = last_signal(w, x);
	char *here = culprit_place(w, waits), *there;

	fprintf(out, "%s waits at %s for a signal that ",
		w->threads.at[x->thread], here);
	free(here);
	if (signal == WITNESS_NONE) {
		fputs(w->left_out ? "was not seen\n" : "nobody gave\n", out);
		return;
	}
	there = culprit_place(w, signal);
	fprintf(out, "%s %s (%s)\n",
		woke_another(w, signal) ? "woke another, at" :
					  "came before, at",
		there, w->threads.at[w->steps.at[signal].thread]);
	free(there);
}

void last_signals_print(const struct witness *w, FILE *out)
{
	for (size_t i = 0; w && i < w->waits.count; i++) {
		const struct witness_wait *x = &w->waits.at[i];
		uint32_t waits = began_to_wait(w, x);

		if (x->joins == WITNESS_NONE && waits != WITNESS_NONE &&
		    (x->kind == EVENT_COND_WAIT || x->kind == EVENT_COND_WAKE))
			sentence(w, x, waits, out);
	}
}
