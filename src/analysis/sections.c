/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/sections.h"

void sections_init(struct sections *s, struct locksets *locks)
{
	*s = (struct sections){ .locks = locks };
	vec_push(&s->lists, (struct section_list){ 0 });
	vec_push(&s->sets, (struct section_set){ 0 });
}

void sections_done(struct sections *s)
{
	for (size_t i = 0; i < s->threads.count; i++)
		vec_free(&s->threads.at[i].open);
	vec_free(&s->threads);
	vec_free(&s->members);
	vec_free(&s->sets);
	keymap_done(&s->by_lock);
	vec_free(&s->lists);
	vec_free(&s->all);
}

static struct sections_thread *thread_at(struct sections *s, uint32_t thread)
{
	while (s->threads.count <= thread)
		vec_push(&s->threads, (struct sections_thread){ 0 });
	return &s->threads.at[thread];
}

static bool is_held(const struct section *k, const struct lock_hold *holds,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (holds[i].lock == k->lock && holds[i].section == k->number)
			return true;
	return false;
}

static void close_sections(struct sections *s, struct sections_thread *t,
			   const struct lock_hold *holds, size_t count,
			   uint64_t stamp)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->open.count; i++) {
		struct section *k = &s->all.at[t->open.at[i]];

		if (is_held(k, holds, count))
			t->open.at[kept++] = t->open.at[i];
		else
			k->end = stamp;
	}
	t->open.count = kept;
}

/* A new lock is always the innermost. */
static void open_section(struct sections *s, struct sections_thread *t,
			 const struct lock_hold *h)
{
	vec_push(&t->open, (uint32_t)s->all.count);
	vec_push(&s->all, (struct section){ .lock = h->lock,
					    .number = h->section,
					    .stack = h->stack,
					    .is_read = h->is_read,
					    .begin = h->stamp,
					    .end = UINT64_MAX });
}

void sections_feed(struct sections *s, const struct event *e)
{
	struct sections_thread *t = thread_at(s, e->thread);
	const struct lock_hold *holds;
	size_t count;

	holds = lockset_holds(s->locks, e->thread, &count);
	close_sections(s, t, holds, count, e->stamp);
	if (count > t->open.count)
		open_section(s, t, &holds[count - 1]);
	t->list = 0;
}

static uint32_t set_with(struct sections *s, uint32_t outer,
			 const struct section *k)
{
	uint32_t *n = keymap_at(&s->by_lock, outer,
				(uint64_t)k->lock << 1 | k->is_read);

	if (!*n) {
		*n = (uint32_t)s->sets.count;
		vec_push(&s->sets,
			 (struct section_set){ .outer = outer,
					       .lock = k->lock,
					       .is_read = k->is_read });
	}
	return *n;
}

static uint32_t make_list(struct sections *s, const struct sections_thread *t)
{
	struct section_list l = { .first = (uint32_t)s->members.count,
				  .count = (uint32_t)t->open.count };

	for (size_t i = 0; i < t->open.count; i++) {
		vec_push(&s->members, t->open.at[i]);
		l.set = set_with(s, l.set, &s->all.at[t->open.at[i]]);
	}
	vec_push(&s->lists, l);
	return (uint32_t)s->lists.count - 1;
}

uint32_t sections_now(struct sections *s, uint32_t thread)
{
	struct sections_thread *t;

	if (thread >= s->threads.count)
		return 0;
	t = &s->threads.at[thread];
	if (!t->list && t->open.count)
		t->list = make_list(s, t);
	return t->list;
}

bool section_excludes(const struct sections *s, const struct section *section,
		      uint32_t set)
{
	while (set) {
		const struct section_set *l = &s->sets.at[set];

		if (l->lock == section->lock)
			return !l->is_read || !section->is_read;
		set = l->outer;
	}
	return false;
}
