/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/syncmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum sync_class sync_class_of(unsigned int kind)
{
	if (kind >= EVENT_ATOMIC_LOAD && kind <= EVENT_ATOMIC_CAS_FAIL)
		return SYNC_ATOMIC;
	if (kind >= EVENT_MUTEX_INIT && kind <= EVENT_SPIN_UNLOCK)
		return SYNC_MUTEX;
	if (kind >= EVENT_RWLOCK_INIT && kind <= EVENT_RWLOCK_FAIL)
		return SYNC_RWLOCK;
	if (kind >= EVENT_COND_INIT && kind <= EVENT_COND_BROADCAST)
		return SYNC_COND;
	if (kind >= EVENT_SEM_INIT && kind <= EVENT_SEM_FAIL)
		return SYNC_SEM;
	if (kind >= EVENT_BARRIER_INIT && kind <= EVENT_BARRIER_LEAVE)
		return SYNC_BARRIER;
	if (kind == EVENT_ONCE_DONE || kind == EVENT_ONCE_PASS)
		return SYNC_ONCE;
	if (kind == EVENT_NOTE_RELEASE || kind == EVENT_NOTE_ACQUIRE)
		return SYNC_NOTE;
	return SYNC_NONE;
}

void syncmap_init(struct syncmap *m, void (*over)(void *, uint32_t), void *self)
{
	memset(m, 0, sizeof(*m));
	granules_init(&m->granules);
	m->count = 1;
	m->over = over;
	m->self = self;
}

void syncmap_done(struct syncmap *m)
{
	granules_done(&m->granules);
	free(m->nodes);
	memset(m, 0, sizeof(*m));
}

static uint32_t node_find(const struct syncmap *m, uint32_t node, uint64_t addr,
			  enum sync_class class)
{
	while (node &&
	       (m->nodes[node].addr != addr || m->nodes[node].class != class))
		node = m->nodes[node].next;
	return node;
}

static uint32_t node_new(struct syncmap *m)
{
	uint32_t n = m->free;

	if (n) {
		m->free = m->nodes[n].next;
		return n;
	}
	if (m->count >= m->room) {
		m->room = m->room ? m->room * 2 : 64;
		m->nodes = xrealloc(m->nodes, m->room * sizeof(*m->nodes));
	}
	return m->count++;
}

uint32_t *syncmap_at(struct syncmap *m, uint64_t addr, enum sync_class class)
{
	uint32_t *slot = granule_at(&m->granules, addr);
	uint32_t n = node_find(m, *slot, addr, class);

	if (!n) {
		n = node_new(m);
		m->nodes[n] = (struct sync_node){ .addr = addr,
						  .next = *slot,
						  .class = class };
		*slot = n;
	}
	return &m->nodes[n].number;
}

uint32_t syncmap_find(struct syncmap *m, uint64_t addr, enum sync_class class)
{
	uint32_t *slot = granule_peek(&m->granules, addr);
	uint32_t n = slot ? node_find(m, *slot, addr, class) : 0;

	return n ? m->nodes[n].number : 0;
}

/* Takes the node that `link` names out of its list. */
static void node_end(struct syncmap *m, uint32_t *link)
{
	uint32_t n = *link;

	*link = m->nodes[n].next;
	if (m->over && m->nodes[n].number)
		m->over(m->self, m->nodes[n].number);
	m->nodes[n].next = m->free;
	m->free = n;
}

static void end_object(struct syncmap *m, uint64_t addr, enum sync_class class)
{
	uint32_t *link = granule_peek(&m->granules, addr);

	while (link && *link) {
		struct sync_node *n = &m->nodes[*link];

		if (n->addr == addr && n->class == class) {
			node_end(m, link);
			return;
		}
		link = &n->next;
	}
}

struct range {
	struct syncmap *map;
	uint64_t addr, end;
};

static void end_granule(void *self, uint64_t addr, uint32_t *slot)
{
	struct range *r = self;
	uint32_t *link = slot;

	(void)addr;
	while (*link) {
		struct sync_node *n = &r->map->nodes[*link];

		if (n->addr >= r->addr && n->addr < r->end)
			node_end(r->map, link);
		else
			link = &n->next;
	}
}

void syncmap_feed(struct syncmap *m, const struct event *e)
{
	struct range r = { m, e->addr, granules_end(e->addr, e->size) };

	switch (e->kind) {
	case EVENT_MUTEX_DESTROY:
	case EVENT_SPIN_DESTROY:
	case EVENT_RWLOCK_DESTROY:
	case EVENT_COND_DESTROY:
	case EVENT_SEM_DESTROY:
	case EVENT_BARRIER_DESTROY:
	case EVENT_MUTEX_INIT:
	case EVENT_SPIN_INIT:
	case EVENT_RWLOCK_INIT:
	case EVENT_COND_INIT:
	case EVENT_SEM_INIT:
	case EVENT_BARRIER_INIT:
		end_object(m, e->addr, sync_class_of(e->kind));
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_MAP:
	case EVENT_UNMAP:
		granules_walk(&m->granules, e->addr, e->size, end_granule, &r);
		granules_drop(&m->granules, e->addr, e->size);
		break;
	default:
		break;
	}
}
