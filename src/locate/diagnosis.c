/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "locate/locate.h"

/*
 * An order violation: in every passing run the two threads come to the memory
 * in the other order. An atomicity violation: some passing runs have the one
 * thread's accesses all before the other's, some all behind, and the failing
 * run has one between. The rows are those of Table 1 of the paper.
 */

const char *bug_kind_text(enum bug_kind k)
{
	static const char *const texts[] = {
		[BUG_ORDER] = "order violation",
		[BUG_SINGLE] = "atomicity violation of one variable",
		[BUG_MULTI] = "atomicity violation of several variables",
	};

	return texts[k];
}

/* ---- one pair ---- */

/* The places of the suspect in each of the two threads. */
struct sides {
	uint32_t head[2], tail[2];
};

static bool is_in(uint32_t place, const uint32_t *two)
{
	return place == two[0] || place == two[1];
}

/* Threads that run the same code: which of the two came first is told by the
 * first pair that they have there, whatever the places. */
static bool is_head_thread_first(const struct pair_run *run,
				 const struct pair_line *s)
{
	const struct pair_line *first = NULL;

	for (size_t i = 0; run->is_exact && i < run->pairs.count; i++) {
		const struct pair_line *p = &run->pairs.at[i];
		bool is_there = p->head.thread == s->head.thread &&
				p->tail.thread == s->tail.thread;
		bool is_back = p->head.thread == s->tail.thread &&
			       p->tail.thread == s->head.thread;

		if (p->addr == s->addr && (is_there || is_back) &&
		    (!first || p->first < first->first))
			first = p;
	}
	return first && first->head.thread == s->head.thread;
}

/* Do passing runs come to the memory with the head's thread first, and with
 * the tail's thread first? */
static void orders_seen(const struct gathered *g, const struct pair_line *s,
			const struct sides *sides, bool *head_first,
			bool *tail_first)
{
	for (size_t r = 0; r < g->passing.count; r++) {
		const struct pair_run *run = g->passing.at[r];

		if (is_head_thread_first(run, s))
			*head_first = true;
		for (size_t i = 0; i < run->pairs.count; i++) {
			const struct pair_line *p = &run->pairs.at[i];

			if (p->addr != s->addr && run->is_exact)
				continue;
			if (is_in(p->head.place, sides->head))
				*head_first = true;
			if (is_in(p->head.place, sides->tail) &&
			    is_in(p->tail.place, sides->head))
				*tail_first = true;
		}
	}
}

/* R W R and its like: no serial order gives the same. */
static bool is_unserializable(uint8_t a, uint8_t b, uint8_t c)
{
	return pair_is_write(b) || (pair_is_write(a) && pair_is_write(c));
}

static int single_row(uint8_t a, uint8_t b, uint8_t c)
{
	if (pair_is_write(a))
		return !pair_is_write(b) ? 7 : pair_is_write(c) ? 0 : 4;
	return pair_is_write(c) ? 5 : 6;
}

/* Does the pair lead back from the suspect, to an access that makes an
 * unserializable triple with it? */
static bool leads_back(const struct pair_line *p, const struct pair_line *s)
{
	return p->head.thread == s->tail.thread &&
	       p->tail.thread == s->head.thread &&
	       p->head.count >= s->tail.count &&
	       p->tail.count > s->head.count &&
	       is_unserializable(s->head.kind, s->tail.kind, p->tail.kind);
}

/* Does it lead to the suspect in the same way? */
static bool leads_there(const struct pair_line *p, const struct pair_line *s)
{
	return p->head.thread == s->tail.thread &&
	       p->tail.thread == s->head.thread &&
	       p->tail.count <= s->head.count &&
	       p->head.count < s->tail.count &&
	       is_unserializable(p->head.kind, s->head.kind, s->tail.kind);
}

static uint32_t apart(const struct pair_line *p, const struct pair_line *s)
{
	return p->tail.count > s->head.count ? p->tail.count - s->head.count :
					       s->tail.count - p->head.count;
}

/* The third access that makes an unserializable triple with the suspect in the
 * failing run; of several the nearest in its thread. */
static bool find_third(const struct gathered *g, const struct pair_line *s,
		       struct pair_line *third, int *row, bool *is_back)
{
	const struct pair_run *f = g->failing;
	uint32_t best = UINT32_MAX;

	for (size_t i = 0; i < f->pairs.count; i++) {
		const struct pair_line *p = &f->pairs.at[i];
		bool back = leads_back(p, s);

		if (p->addr != s->addr || (!back && !leads_there(p, s)) ||
		    apart(p, s) >= best)
			continue;
		best = apart(p, s);
		*is_back = back;
		*third = *p;
		*row = back ? single_row(s->head.kind, s->tail.kind,
					 p->tail.kind) :
			      single_row(p->head.kind, s->head.kind,
					 s->tail.kind);
	}
	return best != UINT32_MAX;
}

/* The failing run did not come to the third access: passing runs show what
 * the head's thread does there besides, after the head. */
static bool guess_third(const struct gathered *g, const struct pair_line *s,
			struct pair_line *third, int *row, bool *is_back)
{
	*is_back = true;
	for (size_t r = 0; r < g->passing.count; r++) {
		const struct pair_run *run = g->passing.at[r];

		for (size_t i = 0; i < run->pairs.count; i++) {
			const struct pair_line *p = &run->pairs.at[i];

			if (p->addr != s->addr ||
			    (p->tail.place != s->tail.place &&
			     p->tail.thread != s->tail.thread) ||
			    p->head.place == s->head.place ||
			    p->head.thread != s->head.thread ||
			    !is_unserializable(s->head.kind, s->tail.kind,
					       p->head.kind))
				continue;
			*row = single_row(s->head.kind, s->tail.kind,
					  p->head.kind);
			*third = pair_reversed(p);
			return true;
		}
	}
	return false;
}

static int order_row(const struct pair_line *s)
{
	if (!pair_is_write(s->head.kind))
		return 2;
	return pair_is_write(s->tail.kind) ? 3 : 1;
}

static void diagnose_one(const struct gathered *g, const struct pair_line *s,
			 bool holds_reversed, enum bug_kind *kind, int *row,
			 struct pair_line *third, bool *has_third)
{
	struct sides sides = { .head = { s->head.place, s->head.place },
			       .tail = { s->tail.place, s->tail.place } };
	bool head_first = false, tail_first = holds_reversed;
	bool is_back = false;

	*has_third = find_third(g, s, third, row, &is_back) ||
		     guess_third(g, s, third, row, &is_back);
	if (*has_third && is_back)
		sides.head[1] = third->tail.place;
	else if (*has_third)
		sides.tail[1] = third->head.place;
	orders_seen(g, s, &sides, &head_first, &tail_first);
	*has_third &= head_first && tail_first;
	*kind = *has_third ? BUG_SINGLE : BUG_ORDER;
	if (!*has_third)
		*row = order_row(s);
}

/* ---- two pairs ---- */

/* What a thread does to x, and then to y. */
struct steps {
	bool writes_x, writes_y;
	bool y_first;
};

static int multi_row(struct steps a, struct steps b)
{
	static const int rows[2][2][2] = {
		/* b: [writes x][writes y][y first], a writes both */
		[0][0] = { 10, 13 },
		[1][0] = { 11, 14 },
		[1][1] = { 12, 15 },
	};

	if (a.y_first)
		return 0;
	if (a.writes_x && a.writes_y)
		return rows[b.writes_x][b.writes_y][b.y_first];
	if (!a.writes_x && a.writes_y && b.writes_x && !b.writes_y)
		return b.y_first ? 9 : 8;
	return 0;
}

static struct steps steps_of(const struct pair_end *x, const struct pair_end *y)
{
	return (struct steps){ .writes_x = pair_is_write(x->kind),
			       .writes_y = pair_is_write(y->kind),
			       .y_first = y->count < x->count };
}

static struct steps swapped(struct steps s)
{
	return (struct steps){ .writes_x = s.writes_y,
			       .writes_y = s.writes_x,
			       .y_first = !s.y_first };
}

static int diagnose_two(const struct pair_line *x, const struct pair_line *y)
{
	bool is_back = x->head.thread == y->tail.thread;
	struct steps a = steps_of(&x->head, is_back ? &y->tail : &y->head);
	struct steps b = steps_of(&x->tail, is_back ? &y->head : &y->tail);
	int row = 0;

	/* Which variable is x, and which thread is the first, is ours to
	 * choose. */
	for (int i = 0; i < 4 && !row; i++) {
		struct steps p = i & 1 ? swapped(a) : a;
		struct steps q = i & 1 ? swapped(b) : b;

		row = i & 2 ? multi_row(q, p) : multi_row(p, q);
	}
	return row;
}

void diagnose(const struct gathered *g, const struct suspect *s,
	      bool holds_reversed, enum bug_kind *kind, int *row,
	      struct pair_line *third, bool *has_third)
{
	*row = 0;
	*has_third = false;
	if (s->count == 1) {
		diagnose_one(g, &s->pairs[0], holds_reversed, kind, row, third,
			     has_third);
		return;
	}
	*kind = BUG_MULTI;
	*row = diagnose_two(&s->pairs[0], &s->pairs[1]);
}

/* ---- in words ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "a.c:31", "a.c:31-32" or "a.c:31 and b.c:5" */
static char *lines_of(const struct located_access *a,
		      const struct located_access *b)
{
	const struct located_access *low = a, *high = b;

	if (!a->file || !b->file)
		return xasprintf("%s and %s", a->where, b->where);
	if (strcmp(a->file, b->file) != 0)
		return xasprintf("%s:%d and %s:%d", base_name(a->file), a->line,
				 base_name(b->file), b->line);
	if (a->line > b->line) {
		low = b;
		high = a;
	}
	if (low->line == high->line)
		return xasprintf("%s:%d", base_name(low->file), low->line);
	return xasprintf("%s:%d-%d", base_name(low->file), low->line,
			 high->line);
}

static char *actions_of(const struct located_access *a, const char *x,
			const struct located_access *b, const char *y)
{
	if (strcmp(x, y) == 0 && strcmp(a->kind, b->kind) == 0)
		return xasprintf("the %ss of %s", a->kind, x);
	if (strcmp(x, y) == 0)
		return xasprintf("the %s and the %s of %s", a->kind, b->kind,
				 x);
	if (strcmp(a->kind, b->kind) == 0)
		return xasprintf("the %ss of %s and %s", a->kind, x, y);
	return xasprintf("the %s of %s and the %s of %s", a->kind, x, b->kind,
			 y);
}

static char *sentence_of_order(const struct located_pair *p)
{
	return xasprintf("nothing makes the %s of %s at %s come before the %s "
			 "at %s",
			 p->tail.kind, p->variable, p->tail.where, p->head.kind,
			 p->head.where);
}

/* The local accesses are those of one thread, the remote one of the other. */
static char *sentence_of_single(const struct located_pair *p,
				const struct located_access *third)
{
	bool is_head_local = strcmp(third->thread, p->head.thread) == 0;
	const struct located_access *local = is_head_local ? &p->head :
							     &p->tail;
	const struct located_access *remote = is_head_local ? &p->tail :
							      &p->head;
	char *what = actions_of(is_head_local ? local : third, p->variable,
				is_head_local ? third : local, p->variable);
	char *lines = lines_of(local, third);
	char *text = xasprintf("%s at %s must be atomic with the %s at %s",
			       what, lines, remote->kind, remote->where);

	free(what);
	free(lines);
	return text;
}

static char *sentence_of_multi(const struct located_pair *p)
{
	bool is_back = strcmp(p[0].head.thread, p[1].tail.thread) == 0;
	const struct located_access *ay = is_back ? &p[1].tail : &p[1].head;
	const struct located_access *by = is_back ? &p[1].head : &p[1].tail;
	char *a = actions_of(&p[0].head, p[0].variable, ay, p[1].variable);
	char *b = actions_of(&p[0].tail, p[0].variable, by, p[1].variable);
	char *a_lines = lines_of(&p[0].head, ay);
	char *b_lines = lines_of(&p[0].tail, by);
	char *text = xasprintf("%s at %s must be atomic with %s at %s", a,
			       a_lines, b, b_lines);

	free(a);
	free(b);
	free(a_lines);
	free(b_lines);
	return text;
}

char *diagnosis_sentence(enum bug_kind kind, const struct located_pair *pairs,
			 const struct located_access *third)
{
	switch (kind) {
	case BUG_SINGLE:
		if (third)
			return sentence_of_single(&pairs[0], third);
		break;
	case BUG_MULTI:
		return sentence_of_multi(pairs);
	case BUG_ORDER:
		break;
	}
	return sentence_of_order(&pairs[0]);
}
