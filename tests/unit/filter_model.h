/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FILTER_MODEL_H
#define HEDDLE_FILTER_MODEL_H

/*
 * The definition that the guest's filter is held against. A model knows every
 * access of a made-up program, with the vector clock its thread had, and beside
 * them those that passed the filter: kept ones, and earlier ones that were told
 * afterwards. On either list it finds the bytes with a race by comparing every
 * pair. One thread of the test plays all threads of the program.
 *
 * Memory is a few granules. A granule lives several lives, as memory that is
 * given back and out again; accesses of different lives have nothing to do
 * with each other.
 */

#include "runtime/filter.h"
#include "runtime/order.h"

#include <stdio.h>

enum {
	MODEL_THREADS = 24,
	MODEL_GRANULES = 4,
	MODEL_LOCKS = 3,
	MODEL_LIVES = 32,
	MODEL_ACCESSES = 4096,
};

struct model_clock {
	uint64_t at[MODEL_THREADS]; /* segments known to be over */
};

struct model_thread {
	struct thread guest;
	struct model_clock clock;
	bool is_running, is_over, is_known_over;
};

struct model_access {
	struct model_clock clock;
	uint64_t segment;
	uint32_t thread;
	uint32_t granule, life;
	uint32_t bytes;
	uint32_t node;
	bool is_write;
};

struct model {
	struct model_thread *threads;
	uint32_t thread_count, first_number;
	struct model_clock locks[MODEL_LOCKS];
	uint32_t lives[MODEL_GRANULES];
	/* In the order of time; an earlier access has the place in time of
	 * the access it tells of. */
	struct model_access *all, *passed;
	size_t *passed_time;
	size_t all_count, passed_count;
	bool is_wrong;
};

static uint64_t model_memory[MODEL_GRANULES + 8];

static uintptr_t model_address(uint32_t granule)
{
	return (uintptr_t)&model_memory[granule];
}

static void clock_join(struct model_clock *to, const struct model_clock *from)
{
	for (uint32_t i = 0; i < MODEL_THREADS; i++)
		if (from->at[i] > to->at[i])
			to->at[i] = from->at[i];
}

/* ---- what is told ---- */

static bool node_leads_to(uint32_t node, uint32_t leaf)
{
	while (leaf && leaf != node)
		leaf = region->stacks[leaf].parent;
	return leaf == node;
}

/* The last access that the told byte can mean; all_count when there is none. */
static size_t model_find(const struct model *m, const struct model_access *told,
			 bool *is_node_right)
{
	size_t found = m->all_count;

	*is_node_right = false;
	for (size_t i = m->all_count; i-- > 0;) {
		const struct model_access *a = &m->all[i];

		if (a->thread != told->thread || a->segment != told->segment ||
		    a->granule != told->granule || a->life != told->life ||
		    a->is_write != told->is_write || !(a->bytes & told->bytes))
			continue;
		if (found == m->all_count)
			found = i;
		*is_node_right |= node_leads_to(told->node, a->node);
	}
	return found;
}

static void model_pass(struct model *m, const struct model_access *a,
		       size_t time)
{
	if (m->passed_count == MODEL_ACCESSES) {
		m->is_wrong = true;
		return;
	}
	m->passed[m->passed_count] = *a;
	m->passed_time[m->passed_count++] = time;
}

static void model_tell(struct model *m, struct model_access told)
{
	bool is_node_right;
	size_t time = model_find(m, &told, &is_node_right);

	if (time == m->all_count || !is_node_right) {
		m->is_wrong = true;
		fprintf(stderr,
			"told of granule %u bytes %02x: a %s by thread %u "
			"in segment %llu at node %u, which there was not\n",
			told.granule, told.bytes,
			told.is_write ? "write" : "read", told.thread,
			(unsigned long long)told.segment, told.node);
		return;
	}
	told.clock = m->all[time].clock;
	model_pass(m, &told, time);
}

/* ---- races by the definition ---- */

struct model_races {
	uint8_t bytes[MODEL_GRANULES][MODEL_LIVES];
};

static void pair_compare(struct model_races *r, const struct model_access *a,
			 const struct model_access *b)
{
	if (a->granule == b->granule && a->life == b->life &&
	    a->thread != b->thread && (a->is_write || b->is_write) &&
	    a->segment >= b->clock.at[a->thread])
		r->bytes[a->granule][a->life] |= a->bytes & b->bytes;
}

static void model_races_all(const struct model *m, struct model_races *r)
{
	*r = (struct model_races){ 0 };
	for (size_t b = 0; b < m->all_count; b++)
		for (size_t a = 0; a < b; a++)
			pair_compare(r, &m->all[a], &m->all[b]);
}

static void model_races_passed(const struct model *m, struct model_races *r)
{
	*r = (struct model_races){ 0 };
	for (size_t b = 0; b < m->passed_count; b++)
		for (size_t a = 0; a < m->passed_count; a++)
			if (m->passed_time[a] < m->passed_time[b])
				pair_compare(r, &m->passed[a], &m->passed[b]);
}

static void model_print(const struct model *m)
{
	for (size_t i = 0; i < m->all_count; i++) {
		const struct model_access *a = &m->all[i];

		fprintf(stderr,
			"%4zu thread %2u segment %3llu %s granule %u "
			"life %u bytes %02x node %u\n",
			i, a->thread, (unsigned long long)a->segment,
			a->is_write ? "write" : "read ", a->granule, a->life,
			a->bytes, a->node);
	}
	for (size_t i = 0; i < m->passed_count; i++)
		fprintf(stderr, "passed: %zu bytes %02x\n", m->passed_time[i],
			m->passed[i].bytes);
}

/* Do both lists have races on the same bytes, and was all told true? */
static bool model_agrees(const struct model *m)
{
	struct model_races all, passed;
	bool is_equal = !m->is_wrong;

	model_races_all(m, &all);
	model_races_passed(m, &passed);
	for (uint32_t g = 0; g < MODEL_GRANULES; g++)
		for (uint32_t l = 0; l < MODEL_LIVES; l++) {
			if (all.bytes[g][l] == passed.bytes[g][l])
				continue;
			fprintf(stderr,
				"granule %u life %u: races on bytes "
				"%02x, after the filter on %02x\n",
				g, l, all.bytes[g][l], passed.bytes[g][l]);
			is_equal = false;
		}
	return is_equal;
}

/* ---- what threads do ---- */

static struct model_access model_access_now(const struct model *m,
					    uint32_t thread, uint32_t granule)
{
	const struct model_thread *t = &m->threads[thread];

	return (struct model_access){ .clock = t->clock,
				      .segment = t->guest.segment,
				      .thread = thread,
				      .granule = granule,
				      .life = m->lives[granule] };
}

/* The hooks' way: one look, then the filter. */
static bool guest_access(struct thread *t, uintptr_t addr, uint32_t bytes,
			 bool is_write, uint32_t node)
{
	const struct cell *c = shadow_find(addr);
	uint64_t word = is_write ? c->write : c->read;

	if (word_covers(word, t->tag, bytes))
		return false;
	if (!is_write && word_is_readers(word) &&
	    filter_knows_reader(t, word, bytes))
		return false;
	return filter_access(t, addr, bytes, is_write, node);
}

static void model_access(struct model *m, uint32_t thread, uint32_t granule,
			 uint32_t bytes, bool is_write, uint32_t node)
{
	struct model_access a = model_access_now(m, thread, granule);
	uintptr_t addr = model_address(granule);
	bool was_shared = shadow_find(addr)->write == SHARED;
	bool is_kept;

	a.bytes = bytes;
	a.is_write = is_write;
	a.node = node;
	if (m->all_count == MODEL_ACCESSES)
		return;
	m->all[m->all_count++] = a;
	is_kept = guest_access(&m->threads[thread].guest, addr, bytes, is_write,
			       node);
	if (is_kept)
		model_pass(m, &a, m->all_count - 1);
	if (was_shared && !is_kept) {
		fprintf(stderr, "an access to a shared granule was left out\n");
		m->is_wrong = true;
	}
}

static void model_release(struct model *m, uint32_t thread, uint32_t lock)
{
	struct model_thread *t = &m->threads[thread];

	t->clock.at[thread] = t->guest.segment + 1;
	clock_join(&m->locks[lock], &t->clock);
	order_release(&t->guest);
}

static void model_acquire(struct model *m, uint32_t thread, uint32_t lock)
{
	clock_join(&m->threads[thread].clock, &m->locks[lock]);
}

/* Memory begins anew: written by the thread that got it, or by nobody. */
static void model_begin_life(struct model *m, uint32_t thread, uint32_t granule,
			     bool is_claimed, uint32_t node)
{
	const struct thread *t = &m->threads[thread].guest;
	struct model_access a;
	uint64_t word = 0;

	if (m->lives[granule] + 1 == MODEL_LIVES ||
	    m->all_count == MODEL_ACCESSES)
		return;
	m->lives[granule]++;
	if (is_claimed && t->incarnation) {
		a = model_access_now(m, thread, granule);
		a.bytes = 0xff;
		a.is_write = true;
		a.node = node;
		m->all[m->all_count++] = a;
		word = (uint64_t)t->incarnation << WORD_INCARNATION_SHIFT |
		       (uint64_t)t->word_segment << WORD_SEGMENT_SHIFT |
		       WORD_BYTES | node;
	}
	shadow_fill(model_address(granule), 8, word);
}

/* A thread with this creator (UINT32_MAX: none that we saw). */
static uint32_t model_create(struct model *m, uint32_t creator)
{
	uint32_t n = m->thread_count;
	struct model_thread *t = &m->threads[n];
	struct thread *parent = NULL;

	if (n == MODEL_THREADS)
		return UINT32_MAX;
	m->thread_count++;
	t->guest = (struct thread){ .before = t->guest.before,
				    .number = m->first_number + n,
				    .alive = 1 };
	t->clock = (struct model_clock){ 0 };
	if (creator != UINT32_MAX) {
		struct model_thread *c = &m->threads[creator];

		c->clock.at[creator] = c->guest.segment + 1;
		t->clock = c->clock;
		order_release(&c->guest);
		parent = &c->guest;
	}
	order_begin(&t->guest, parent);
	t->is_running = true;
	return n;
}

/* Puts a thread behind most segments of its incarnation. */
static void model_age(struct model *m, uint32_t thread, uint32_t left)
{
	struct thread *t = &m->threads[thread].guest;
	uint32_t more = SEGMENTS - left - t->word_segment;

	if (!t->incarnation || t->word_segment >= SEGMENTS - left)
		return;
	t->word_segment += more;
	t->segment += more;
	order_slow(t, false);
}

static void model_end(struct model *m, uint32_t thread)
{
	struct model_thread *t = &m->threads[thread];

	t->clock.at[thread] = t->guest.segment + 1;
	order_release(&t->guest);
	t->is_running = false;
	t->is_over = true;
}

static void model_join(struct model *m, uint32_t joiner, uint32_t ended)
{
	struct model_thread *t = &m->threads[joiner];
	struct model_thread *e = &m->threads[ended];

	clock_join(&t->clock, &e->clock);
	order_join(&t->guest, &e->guest);
	order_recycle(&e->guest);
	e->is_known_over = true;
}

static void model_detach(struct model *m, uint32_t ended)
{
	order_recycle(&m->threads[ended].guest);
	m->threads[ended].is_known_over = true;
}

/* ---- the model itself ---- */

static void model_init(struct model *m)
{
	*m = (struct model){ 0 };
	m->threads = calloc(MODEL_THREADS, sizeof(*m->threads));
	m->all = calloc(MODEL_ACCESSES, sizeof(*m->all));
	m->passed = calloc(MODEL_ACCESSES, sizeof(*m->passed));
	m->passed_time = calloc(MODEL_ACCESSES, sizeof(*m->passed_time));
	for (uint32_t i = 0; i < MODEL_THREADS; i++)
		m->threads[i].guest.before = calloc(
			INCARNATIONS, sizeof(*m->threads[i].guest.before));
}

/* For the next program, with threads of new numbers. */
static void model_reset(struct model *m)
{
	for (uint32_t i = 0; i < m->thread_count; i++) {
		struct model_thread *t = &m->threads[i];

		if (!t->is_known_over)
			order_recycle(&t->guest);
		t->is_running = t->is_over = t->is_known_over = false;
	}
	m->first_number += m->thread_count;
	m->thread_count = 0;
	m->all_count = m->passed_count = 0;
	m->is_wrong = false;
	for (uint32_t i = 0; i < MODEL_LOCKS; i++)
		m->locks[i] = (struct model_clock){ 0 };
	for (uint32_t i = 0; i < MODEL_GRANULES; i++)
		m->lives[i] = 0;
	shadow_fill(model_address(0), sizeof(model_memory), 0);
}

static void model_done(struct model *m)
{
	model_reset(m);
	for (uint32_t i = 0; i < MODEL_THREADS; i++)
		free(m->threads[i].guest.before);
	free(m->threads);
	free(m->all);
	free(m->passed);
	free(m->passed_time);
}

#endif
