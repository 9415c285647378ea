/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/pair_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

uint32_t pair_place_site(const struct pair_names *n, uint32_t place,
			 const struct region_module *modules, uint32_t count)
{
	const struct pair_place *p = &n->places.at[place];

	for (uint32_t i = 0; i < count; i++) {
		const struct region_module *m = &modules[i];
		const char *slash = strrchr(m->path, '/');
		uint64_t k = p->address + m->bias - m->base;

		if (strcmp(slash ? slash + 1 : m->path,
			   n->modules.at[p->module]) == 0 &&
		    k < m->size)
			return m->site + (uint32_t)k;
	}
	return 0;
}

struct pair_names *pair_names_new(void)
{
	struct pair_names *n = xcalloc(1, sizeof(*n));

	vec_push(&n->places, (struct pair_place){ 0 });
	vec_push(&n->ways, (struct pair_way){ 0 });
	return n;
}

void pair_names_free(struct pair_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->modules.count; i++)
		free(n->modules.at[i]);
	for (size_t i = 0; i < n->threads.count; i++)
		free(n->threads.at[i]);
	for (size_t i = 0; i < n->places.count; i++) {
		free(n->places.at[i].function);
		free(n->places.at[i].file);
	}
	vec_free(&n->modules);
	vec_free(&n->threads);
	vec_free(&n->places);
	vec_free(&n->ways);
	keymap_done(&n->place_map);
	keymap_done(&n->way_map);
	free(n);
}

uint32_t pair_module(struct pair_names *n, const char *name)
{
	for (uint32_t i = 0; i < n->modules.count; i++)
		if (strcmp(n->modules.at[i], name) == 0)
			return i;
	vec_push(&n->modules, xstrdup(name));
	return (uint32_t)n->modules.count - 1;
}

uint32_t pair_place_number(struct pair_names *n, uint32_t module,
			   uint64_t address)
{
	uint32_t *number = keymap_at(&n->place_map, module, address);

	if (!*number) {
		*number = (uint32_t)n->places.count;
		vec_push(&n->places, (struct pair_place){ .module = module,
							  .address = address });
	}
	return *number;
}

uint32_t pair_way_number(struct pair_names *n, uint32_t place, uint32_t outer)
{
	uint32_t *number = keymap_at(&n->way_map, place, outer);

	if (!*number) {
		*number = (uint32_t)n->ways.count;
		vec_push(&n->ways,
			 (struct pair_way){ .place = place, .outer = outer });
	}
	return *number;
}

uint32_t pair_thread_number(struct pair_names *n, const char *path)
{
	for (uint32_t i = 0; i < n->threads.count; i++)
		if (strcmp(n->threads.at[i], path) == 0)
			return i;
	vec_push(&n->threads, xstrdup(path));
	return (uint32_t)n->threads.count - 1;
}

char *pair_thread_path(const struct region_thread *threads, uint32_t count,
		       uint32_t number)
{
	char *above, *path;

	if (number >= count)
		return xstrdup("?");
	/* A parent is there before its children. */
	if (threads[number].parent >= number)
		return number ? xasprintf("+%" PRIu32, number) : xstrdup("0");
	above = pair_thread_path(threads, count, threads[number].parent);
	path = xasprintf("%s.%" PRIu32, above, threads[number].nth);
	free(above);
	return path;
}

/* ---- from the region ---- */

static uint32_t take_site(struct pair_taking *k, uint32_t site)
{
	for (size_t i = 0; i < k->modules.count; i++) {
		const struct region_module *m = &k->region->modules[i];

		if (site && site - m->site < m->size)
			return pair_place_number(k->names, k->modules.at[i],
						 m->base - m->bias +
							 (site - m->site));
	}
	return 0;
}

struct pair_taking pair_taking_begin(struct pair_names *n,
				     const struct region *r)
{
	struct pair_taking k = { .names = n, .region = r };
	uint32_t count = atomic_load(&r->module_count);

	for (uint32_t i = 0; i < count; i++) {
		const char *slash = strrchr(r->modules[i].path, '/');

		vec_push(&k.modules,
			 pair_module(n,
				     slash ? slash + 1 : r->modules[i].path));
	}
	k.program = k.modules.count ? k.modules.at[0] : UINT32_MAX;
	return k;
}

void pair_taking_end(struct pair_taking *k)
{
	vec_free(&k->modules);
	vec_free(&k->threads);
	vec_free(&k->nodes);
}

uint16_t pair_taking_thread(struct pair_taking *k, uint32_t number)
{
	const struct region *r = k->region;
	uint32_t count = atomic_load(&r->thread_count);

	while (k->threads.count <= number)
		vec_push(&k->threads, 0);
	if (!k->threads.at[number]) {
		char *path = pair_thread_path(r->threads, count, number);

		k->threads.at[number] = pair_thread_number(k->names, path) + 1;
		free(path);
	}
	return (uint16_t)(k->threads.at[number] - 1);
}

/* A parent has a lower number. */
uint32_t pair_taking_way(struct pair_taking *k, uint32_t node)
{
	const struct region *r = k->region;
	uint32_t count = atomic_load(&r->stack_count), outer;

	if (!node || node >= count || node >= REGION_STACKS)
		return 0;
	while (k->nodes.count <= node)
		vec_push(&k->nodes, 0);
	if (!k->nodes.at[node]) {
		const struct region_stack *s = &r->stacks[node];

		outer = s->parent < node ? pair_taking_way(k, s->parent) : 0;
		k->nodes.at[node] = pair_way_number(k->names,
						    take_site(k, s->site),
						    outer) +
				    1;
	}
	return k->nodes.at[node] - 1;
}

/* Whoever is called in a loop is in it. A place is where a call returns to, so
 * the instruction before it is meant. */
static uint16_t loop_of(const struct pair_taking *k, uint32_t place,
			uint32_t way)
{
	const struct pair_names *n = k->names;

	if (!n->loops || !(k->region->pairs.flags & PAIRS_LOOPS))
		return 0;
	for (;;) {
		const struct pair_place *p = &n->places.at[place];
		uint16_t loop = 0;

		if (place && p->module == k->program)
			loop = code_loops_at(n->loops, p->address - 1);
		way = way ? n->ways.at[way].outer : 0;
		if (loop || !way)
			return loop;
		place = n->ways.at[way].place;
	}
}

static struct pair_end take_end(struct pair_taking *k, uint64_t word,
				uint64_t at)
{
	struct pair_end e = { .thread =
				      pair_taking_thread(k, pair_thread(word)),
			      .kind = (uint8_t)pair_kind(word),
			      .count = (uint32_t)(at >> 32),
			      .began = (uint32_t)at };

	if (k->region->pairs.flags & PAIRS_STACKS) {
		e.way = pair_taking_way(k, pair_place(word));
		e.place = k->names->ways.at[e.way].place;
	} else {
		e.place = take_site(k, pair_place(word));
	}
	e.loop = loop_of(k, e.place, e.way);
	return e;
}

static int compare_first(const void *a, const void *b)
{
	const struct pair_line *p = a, *q = b;

	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	return (p->tail.count > q->tail.count) -
	       (p->tail.count < q->tail.count);
}

struct pair_run *pair_run_new(void)
{
	return xcalloc(1, sizeof(struct pair_run));
}

static void take_pair(struct pair_taking *k, struct pair_run *run,
		      const struct access_pair *p)
{
	struct pair_line line = { .head = take_end(k, p->head, p->head_at),
				  .tail = take_end(k, p->tail, p->tail_at),
				  .times = p->count,
				  .addr = p->addr,
				  .first = p->first,
				  .last = p->last };

	if (p->before) {
		struct pair_end e = take_end(k, p->before, 0);

		line.before = e.place;
		line.before_kind = e.kind;
	}
	vec_push(&run->pairs, line);
}

struct pair_run *pair_run_take(struct pair_names *n, const struct region *r)
{
	struct pair_taking k = pair_taking_begin(n, r);
	struct pair_run *run = pair_run_new();
	uint32_t count = atomic_load(&r->pairs.count);

	for (uint32_t i = 0; i < count && i < PAIRS_MOST; i++)
		if (r->pairs.pairs[i].head)
			take_pair(&k, run, &r->pairs.pairs[i]);
	if (run->pairs.count)
		qsort(run->pairs.at, run->pairs.count, sizeof(*run->pairs.at),
		      compare_first);
	run->lost = atomic_load(&r->pairs.lost);
	run->is_exact = r->mode == MODE_CONTROL;
	run->has_loops = r->pairs.flags & PAIRS_LOOPS;
	pair_taking_end(&k);
	return run;
}

void pair_run_free(struct pair_run *run)
{
	if (!run)
		return;
	free(run->name);
	free(run->command);
	free(run->build);
	free(run->failure);
	vec_free(&run->pairs);
	free(run);
}
