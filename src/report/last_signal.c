/* SPDX-License-Identifier: Apache-2.0 */
#include "report/last_signal.h"

#include <stdlib.h>
#include <string.h>

#include "report/culprit.h"

static bool is_wait(uint8_t kind)
{
	return kind == EVENT_COND_WAIT || kind == EVENT_COND_WAKE;
}

static bool is_signal(const struct witness_step *s, uint64_t condition)
{
	return (s->kind == EVENT_COND_SIGNAL ||
		s->kind == EVENT_COND_BROADCAST) &&
	       s->address == condition;
}

/* Where the thread began to wait; WITNESS_NONE: it is not told. */
static uint32_t began_to_wait(const struct witness *w,
			      const struct witness_wait *x)
{
	if (x->joins != WITNESS_NONE || !is_wait(x->kind))
		return WITNESS_NONE;
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

	if (waits == WITNESS_NONE)
		return WITNESS_NONE;
	for (uint32_t i = (uint32_t)w->steps.count; i-- > 0;)
		if (is_signal(&w->steps.at[i], w->steps.at[waits].address))
			return i;
	return WITNESS_NONE;
}

/* ---- whom it woke ---- */

/* A wait for the condition that some signal ended. */
struct slept {
	uint32_t thread;
	size_t begin, end; /* steps; one that is open ends behind all */
	bool is_open;	   /* it did not end yet */
	bool is_taken;	   /* by an earlier signal */
	bool is_doubtful;  /* or by another one */
};

/* In the order in which they began. */
struct sleeps {
	struct slept *at;
	size_t count, room;
	size_t from; /* those before it are over */
};

static struct slept *open_of(struct sleeps *all, uint32_t thread)
{
	for (size_t i = all->count; i-- > 0;)
		if (all->at[i].thread == thread && all->at[i].is_open)
			return &all->at[i];
	return NULL;
}

/* One whose beginning was left out began before all others. */
static struct slept *begun_before(struct sleeps *all, uint32_t thread)
{
	vec_push(all, (struct slept){ 0 });
	memmove(all->at + 1, all->at, (all->count - 1) * sizeof(*all->at));
	all->at[0] = (struct slept){ .thread = thread };
	return &all->at[0];
}

static void sleep_end(struct sleeps *all, const struct witness_step *s,
		      size_t at)
{
	struct slept *open = open_of(all, s->thread);

	if (!open)
		open = begun_before(all, s->thread);
	open->is_open = false;
	open->end = at;
	/* Its time came, or it was cancelled: it took no signal. */
	open->is_taken = s->argument != 0;
}

static bool still_sleeps(const struct witness *w, uint32_t thread)
{
	for (size_t i = 0; i < w->waits.count; i++)
		if (w->waits.at[i].thread == thread)
			return is_wait(w->waits.at[i].kind);
	return false;
}

/* A thread that was woken, and then had to wait for the mutex, has not ended
 * its wait by the steps. */
static struct sleeps sleeps_of(const struct witness *w, uint64_t condition)
{
	struct sleeps all = { 0 };

	for (size_t i = 0; i < w->steps.count; i++) {
		const struct witness_step *s = &w->steps.at[i];

		if (s->address != condition)
			continue;
		if (s->kind == EVENT_COND_WAIT)
			vec_push(&all, (struct slept){ .thread = s->thread,
						       .begin = i + 1,
						       .end = w->steps.count,
						       .is_open = true });
		else if (s->kind == EVENT_COND_WAKE)
			sleep_end(&all, s, i);
	}
	for (size_t i = 0; i < all.count; i++)
		if (all.at[i].is_open)
			all.at[i].is_taken = still_sleeps(w, all.at[i].thread);
	return all;
}

static bool spans(const struct slept *s, size_t signal)
{
	return s->begin <= signal && signal < s->end;
}

static void from_move(struct sleeps *all, size_t signal)
{
	while (all->from < all->count && all->at[all->from].end < signal)
		all->from++;
}

/* Which of several a signal woke is not recorded: it is thought to be the one
 * that went on first, so that every wait that ended finds its signal. */
static void take(struct sleeps *all, size_t signal, bool is_broadcast)
{
	struct slept *first = NULL;

	from_move(all, signal);
	for (size_t i = all->from; i < all->count; i++) {
		struct slept *s = &all->at[i];

		if (s->begin > signal)
			break;
		if (s->is_taken || !spans(s, signal))
			continue;
		s->is_taken = is_broadcast;
		s->is_doubtful |= first && !is_broadcast;
		if (first && !is_broadcast)
			first->is_doubtful = true;
		if (!first || s->end < first->end)
			first = s;
	}
	if (first)
		first->is_taken = true;
}

enum woken { WOKE_NONE, WOKE_IT, WOKE_ANOTHER, WOKE_SOME };

static void signals_take(const struct witness *w, uint32_t before,
			 struct sleeps *all)
{
	uint64_t condition = w->steps.at[before].address;

	for (uint32_t i = 0; i < before; i++)
		if (is_signal(&w->steps.at[i], condition))
			take(all, i,
			     w->steps.at[i].kind == EVENT_COND_BROADCAST);
}

/* Whom the last signal woke, of all whom it may have woken. */
static enum woken woken_by(const struct witness *w, uint32_t signal,
			   uint32_t thread)
{
	struct sleeps all = sleeps_of(w, w->steps.at[signal].address);
	bool is_some = false, it = false, another = false;

	signals_take(w, signal, &all);
	for (size_t i = all.from; i < all.count; i++) {
		const struct slept *s = &all.at[i];

		if (!spans(s, signal) || (s->is_taken && !s->is_doubtful))
			continue;
		is_some |= !s->is_taken;
		it |= s->thread == thread;
		another |= s->thread != thread;
	}
	vec_free(&all);
	if (!is_some)
		return WOKE_NONE;
	return !it ? WOKE_ANOTHER : another ? WOKE_SOME : WOKE_IT;
}

/* ---- in words ---- */

/* A broadcast would have woken all that waited, and a signal some thread: one
 * that woke nobody came before. (That a thread waits is recorded when it calls,
 * and it may have been interrupted then.) */
static void signal_tell(const struct witness *w, uint32_t waits,
			uint32_t signal, FILE *out)
{
	static const char *const ends[] = {
		[WOKE_IT] = ", woke it before",
		[WOKE_ANOTHER] = ", woke another before",
		[WOKE_SOME] = ", came before",
	};
	const struct witness_step *s = &w->steps.at[signal];
	enum woken who = woken_by(w, signal, w->steps.at[waits].thread);
	bool is_since = signal > waits && s->kind == EVENT_COND_SIGNAL;
	const char *by = w->threads.at[s->thread];
	char *there = culprit_place(w, signal);

	if (who == WOKE_NONE)
		fprintf(out, "came before, at %s (%s)\n", there, by);
	else if (is_since)
		fprintf(out, "woke another, at %s (%s)\n", there, by);
	else
		fprintf(out, "nobody gave again: the last, at %s (%s)%s\n",
			there, by, ends[who]);
	free(there);
}

static void sentence(const struct witness *w, const struct witness_wait *x,
		     uint32_t waits, FILE *out)
{
	uint32_t signal = last_signal(w, x);
	char *here = culprit_place(w, waits);

	fprintf(out, "%s waits at %s for a signal that ",
		w->threads.at[x->thread], here);
	free(here);
	if (signal == WITNESS_NONE)
		fputs(w->left_out ? "was not seen\n" : "nobody gave\n", out);
	else
		signal_tell(w, waits, signal, out);
}

void last_signals_print(const struct witness *w, FILE *out)
{
	for (size_t i = 0; w && i < w->waits.count; i++) {
		const struct witness_wait *x = &w->waits.at[i];
		uint32_t waits = began_to_wait(w, x);

		if (waits != WITNESS_NONE)
			sentence(w, x, waits, out);
	}
}
