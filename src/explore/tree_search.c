/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of all schedules: depth first, or by the number of preemptions.
 *
 * A schedule is the list of threads, line by line. Behind what it was told a
 * run goes on by itself; each line there at which another thread could have
 * gone on, or a signal could have woken another one, is a branch, told up to
 * there. So every schedule is made once.
 *
 * Depth first takes the branch that is farthest from the root. CHESS (Musuvathi
 * and Qadeer, Iterative Context Bounding, 2007) takes branches with fewer
 * preemptions first, up to a bound; a switch away from a thread that could not
 * go on, or that spins, is none. As published, branches with a preemption more
 * queue up and are served in the order they came; what follows from one of them
 * without a further preemption is done depth first before the next is taken.
 *
 * Finds: everything that any schedule shows, in the end; with a bound,
 * everything that so many preemptions show.
 * Misses: nothing else, but there are more schedules than anybody can run.
 * Wrong when: a run depends on more than its schedule.
 */
#include "explore/search_kind.h"

#include <string.h>

#include "analysis/keymap.h"
#include "format/event.h"

/* What a run did from where it left another one on, told thread by thread.
 * Branches of it, and runs that left it, hold it; so a schedule is kept once,
 * however many branches it has. */
struct limb {
	struct limb *before, *after; /* in the list of all */
	struct limb *parent;	     /* which it left, or NULL */
	uint32_t begin;		     /* its first line: those before are the
					parent's */
	uint32_t count;
	uint64_t holders;
	struct traced_order order[];
};

struct branch {
	struct limb *limb;
	uint32_t line;		  /* where it leaves the limb */
	struct traced_order last; /* what it does there */
};

struct branches {
	struct branch *at;
	size_t count, room;
	size_t taken; /* from the front */
};

enum { LEVELS = 65 };

struct tree {
	struct explorer *x;
	struct limb *limbs;		/* all of them */
	struct branches stack;		/* depth first */
	struct branches levels[LEVELS]; /* of chess, by preemptions */
	uint32_t level;			/* of what is on the stack */
	struct keymap classes;
	bool is_begun, is_out;
};

static bool is_chess(const struct tree *s)
{
	return s->x->o->search == SEARCH_CHESS;
}

static void *tree_new(struct explorer *x)
{
	struct tree *s = xcalloc(1, sizeof(*s));

	s->x = x;
	return s;
}

/* ---- limbs ---- */

static struct limb *limb_new(struct tree *s, const struct run_trace *t,
			     const struct branch *from)
{
	uint32_t begin = from && from->line < t->line_count ? from->line : 0;
	uint32_t count = t->line_count - begin;
	struct limb *l =
		xmalloc(sizeof(*l) + (size_t)count * sizeof(*l->order));

	*l = (struct limb){ .after = s->limbs, .begin = begin, .count = count };
	if (s->limbs)
		s->limbs->before = l;
	s->limbs = l;
	for (uint32_t i = 0; i < count; i++)
		l->order[i] =
			(struct traced_order){ t->lines[begin + i].thread,
					       t->lines[begin + i].other };
	if (begin) {
		l->parent = from->limb;
		l->parent->holders++;
	}
	return l;
}

/* Nobody may be left who holds it; then its parent may go as well. */
static void limb_drop(struct tree *s, struct limb *l)
{
	while (l && !l->holders) {
		struct limb *parent = l->parent;

		*(l->before ? &l->before->after : &s->limbs) = l->after;
		if (l->after)
			l->after->before = l->before;
		free(l);
		if (parent)
			parent->holders--;
		l = parent;
	}
}

/* The whole schedule of a branch. */
static void branch_order(const struct branch *b, struct thread_order *out)
{
	uint32_t end = b->line;

	vec_reserve(out, b->line + 1);
	out->count = b->line + 1;
	out->at[b->line] = b->last;
	for (const struct limb *l = b->limb; end; l = l->parent) {
		memcpy(&out->at[l->begin], l->order,
		       (end - l->begin) * sizeof(*out->at));
		end = l->begin;
	}
}

static void tree_free(void *search)
{
	struct tree *s = search;

	vec_free(&s->stack);
	for (int i = 0; i < LEVELS; i++)
		vec_free(&s->levels[i]);
	for (struct limb *l = s->limbs, *after; l; l = after) {
		after = l->after;
		free(l);
	}
	keymap_done(&s->classes);
	free(s);
}

/* ---- which is next ---- */

/* The newest of the stack, else the oldest with the fewest preemptions. */
static const struct branch *branch_take(struct tree *s)
{
	if (s->stack.count)
		return &s->stack.at[--s->stack.count];
	for (uint32_t i = 0; i < LEVELS; i++) {
		struct branches *b = &s->levels[i];

		if (b->taken == b->count)
			continue;
		s->level = i;
		return &b->at[b->taken++];
	}
	return NULL;
}

static enum job_answer tree_next(void *search, struct explore_job *job)
{
	struct tree *s = search;
	const struct branch *b;
	struct branch *own;

	if (!s->is_begun) {
		s->is_begun = true;
		return JOB_READY;
	}
	b = branch_take(s);
	if (!b)
		return JOB_NONE;
	own = xmalloc(sizeof(*own));
	*own = *b;
	branch_order(own, &job->order);
	job->from = own;
	return JOB_READY;
}

/* ---- branches ---- */

static void branch_add(struct tree *s, struct limb *limb, uint32_t line,
		       struct traced_order last, uint32_t preemptions)
{
	uint32_t bound = s->x->o->bound < LEVELS ? s->x->o->bound : LEVELS - 1;
	bool is_deeper = is_chess(s) && preemptions > s->level;
	struct branch b = { limb, line, last };

	if (is_chess(s) && preemptions > bound)
		return;
	limb->holders++;
	if (is_deeper)
		vec_push(&s->levels[preemptions], b);
	else
		vec_push(&s->stack, b);
}

static bool could(const struct traced *e, uint32_t thread)
{
	return thread < TRACED_THREADS && e->could >> thread & 1;
}

/* Does giving the turn to `thread` here take it from one that could go on? */
static bool is_preemption(const struct run_trace *t, uint32_t line,
			  uint32_t thread)
{
	uint32_t before = line ? t->lines[line - 1].thread : 0;

	return thread != before && could(&t->lines[line], before);
}

static void add_switches(struct tree *s, const struct run_trace *t,
			 struct limb *limb, uint32_t line, uint32_t preemptions)
{
	const struct traced *e = &t->lines[line];

	for (uint32_t n = 0; n < TRACED_THREADS; n++)
		if (n != e->thread && could(e, n))
			branch_add(s, limb, line,
				   (struct traced_order){ n, NO_THREAD },
				   preemptions + is_preemption(t, line, n));
}

/* A signal could have woken another one. */
static void add_wakes(struct tree *s, const struct run_trace *t,
		      struct limb *limb, uint32_t line, uint32_t preemptions)
{
	const struct traced *e = &t->lines[line];

	if (e->kind != EVENT_COND_SIGNAL || e->other == NO_THREAD)
		return;
	for (uint32_t n = e->other + 1; n < TRACED_THREADS; n++)
		if (e->was >> n & 1)
			branch_add(s, limb, line,
				   (struct traced_order){ e->thread, n },
				   preemptions);
}

static void tree_learn(void *search, struct explore_job *job,
		       struct run_trace *t)
{
	struct tree *s = search;
	uint32_t told = (uint32_t)job->order.count, preemptions = 0;
	uint32_t *class = keymap_at(&s->classes, run_trace_class(t), 0);
	const struct branch *from = job->from;
	struct limb *limb = limb_new(s, t, from);

	if (!*class)
		explorer_class(s->x, t);
	*class = 1;
	for (uint32_t i = 0; i < t->line_count; i++) {
		uint32_t here = is_preemption(t, i, t->lines[i].thread);

		if (i >= told)
			add_switches(s, t, limb, i, preemptions);
		preemptions += here;
		/* The branch of a signal is told whom it wakes. */
		if (i >= told ||
		    (i + 1 == told && job->order.at[i].pick == NO_THREAD))
			add_wakes(s, t, limb, i, preemptions);
	}
	limb_drop(s, limb);
	if (from) {
		from->limb->holders--;
		limb_drop(s, from->limb);
	}
	run_trace_free(t);
}

static uint64_t tree_left(void *search)
{
	const struct tree *s = search;
	uint64_t n = !s->is_begun + s->stack.count;

	for (int i = 0; i < LEVELS; i++)
		n += s->levels[i].count - s->levels[i].taken;
	return n;
}

const struct search_kind search_tree = { .new = tree_new,
					 .free = tree_free,
					 .next = tree_next,
					 .learn = tree_learn,
					 .left = tree_left };
