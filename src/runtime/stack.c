/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include "runtime/control.h"
#include "runtime/values.h"

/*
 * Call stacks. Function entry pushes, exit pops; that is all most calls ever
 * cost. Only when an event is recorded do the calls on the stack become nodes
 * of one tree, shared by all threads and kept in the region; a node is found by
 * its parent and its site in a hash table that only grows.
 */

enum {
	TABLE_LOG = 21, /* twice the nodes */
	TABLE_SIZE = 1 << TABLE_LOG,
	/* In front of the table stands a page for the first few hundred nodes:
	 * a short run, of which there are thousands, would otherwise touch a
	 * page for each. A key has sixteen places there, all in one group. */
	NEAR_SIZE = 256,
	NEAR_GROUP = 16,
};

/* key: parent << 32 | site, plus 1 so that 0 is empty. node: 0 until the
 * thread that claimed the key has decided. */
struct table_entry {
	_Atomic uint64_t key;
	_Atomic uint32_t node;
};

static struct table_entry *_Atomic near_table, *_Atomic table;

static const uint32_t node_unknown = UINT32_MAX;

static struct table_entry *table_get(struct table_entry *_Atomic *which,
				     size_t size)
{
	struct table_entry *at = atomic_load(which);
	struct table_entry *none = NULL;

	if (at)
		return at;
	at = guest_map(size * sizeof(*at));
	if (at && !atomic_compare_exchange_strong(which, &none, at))
		return none;
	return at;
}

/* A call that stands in the chain already is recursion: its first node serves
 * again, so that the tree of a recursive program stays small. */
static uint32_t chain_find(uint32_t node, uint32_t site)
{
	while (node) {
		if (region->stacks[node].site == site)
			return node;
		node = region->stacks[node].parent;
	}
	return 0;
}

static uint32_t node_new(uint32_t parent, uint32_t site)
{
	/* Two counters: `taken` gives places away, stack_count tells the tool
	 * how many are filled, in order. */
	static _Atomic uint32_t taken; /* but for the root */
	uint32_t node = atomic_fetch_add(&taken, 1) + 1;
	uint32_t filled = node;

	if (node >= REGION_STACKS) {
		atomic_store(&taken, REGION_STACKS);
		guest_note("more than a million different call stacks; later "
			   "events have none");
		return node_unknown;
	}
	region->stacks[node] =
		(struct region_stack){ .parent = parent, .site = site };
	while (!atomic_compare_exchange_weak(&region->stack_count, &filled,
					     node + 1)) {
		filled = node;
		__builtin_ia32_pause();
	}
	return node;
}

/* Is this the entry of the key? An empty one becomes it: `*is_new`, and the
 * caller decides on the node. */
static bool entry_is(struct table_entry *e, uint64_t key, bool *is_new)
{
	uint64_t found = 0;

	/* Without a look before, which would be a page fault more in a run
	 * that is young. */
	*is_new = atomic_compare_exchange_strong(&e->key, &found, key);
	return *is_new || found == key;
}

/* Entries are never emptied, so a key that found its group full, and went on
 * to the large table, will find it full again. */
static struct table_entry *entry_find(uint64_t key, bool *is_new)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t at = (hash >> 32) % (NEAR_SIZE / NEAR_GROUP) * NEAR_GROUP;
	struct table_entry *entries = table_get(&near_table, NEAR_SIZE);

	for (uint32_t i = 0; entries && i < NEAR_GROUP; i++)
		if (entry_is(&entries[at + i], key, is_new))
			return &entries[at + i];
	entries = table_get(&table, TABLE_SIZE);
	if (!entries)
		return NULL;
	at = hash >> (64 - TABLE_LOG);
	while (!entry_is(&entries[at], key, is_new))
		at = (at + 1) & (TABLE_SIZE - 1);
	return &entries[at];
}

static uint32_t node_child(uint32_t parent, uint32_t site)
{
	uint64_t key = ((uint64_t)parent << 32 | site) + 1;
	bool is_new = false;
	struct table_entry *e = entry_find(key, &is_new);
	uint32_t node;

	if (!e)
		return NO_STACK;
	if (is_new) {
		node = chain_find(parent, site);
		if (!node)
			node = node_new(parent, site);
		atomic_store(&e->node, node);
	} else {
		while (!(node = atomic_load(&e->node)))
			__builtin_ia32_pause();
	}
	return node == node_unknown ? NO_STACK : node;
}

static uint32_t child_of(struct thread *t, uint32_t parent, uintptr_t pc)
{
	uint32_t at = stack_memo_at(pc, parent);
	struct stack_memo *m = controlled && !recording ?
				       &t->memo_few[at % STACK_MEMO_FEW] :
				       &t->memo[at];
	/* That the node of a call is 0 means also that nobody has asked yet. */
	uint32_t known = parent ? parent : STACK_NONE;

	if (m->pc != pc || m->parent != known) {
		/* A call by the guest (of a thread's function, of a handler)
		 * is none of the program's. */
		m->node = module_is_guest(pc) ?
				  parent :
				  node_child(parent, module_site(pc));
		m->parent = known;
		m->pc = m->node == NO_STACK ? 0 : pc;
	}
	return m->node;
}

/* The node of the innermost call: from the nearest call that has one. */
static uint32_t call_node(struct thread *t)
{
	struct call *c = t->top;
	uint32_t node = 0;

	if (c > t->base && c->stack)
		return c->stack;
	while (c > t->base && !c->stack)
		c--;
	if (c > t->base)
		node = c->stack;
	while (c < t->top) {
		c++;
		node = child_of(t, node, c->pc);
		c->stack = node;
	}
	return node;
}

uint32_t stack_node(struct thread *t, uintptr_t pc)
{
	uint32_t node = child_of(t, call_node(t), pc);

	if (unlikely((size_t)(t->top - t->base) > t->deepest)) {
		t->deepest = (uint32_t)(t->top - t->base);
		region->threads[t->number].deepest = node;
	}
	return node;
}

void stack_unwind(struct thread *t, uintptr_t frame)
{
	/* Calls made on another stack (a signal's, a coroutine's) say nothing
	 * about this one. */
	if (frame < t->stack_low || frame >= t->stack_high)
		return;
	while (t->top > t->base && t->top->frame < frame)
		t->top--;
}

/* ---- hooks ---- */

static void call_push(struct call *c, uintptr_t pc, uintptr_t frame)
{
	c->pc = pc;
	c->frame = frame;
	c->stack = 0;
	c->header = 0;
	c->loops = c[-1].loops;
	c->began = c[-1].began;
}

/* The calls move to a larger array. Not in a handler of a signal, which may
 * have struck where somebody has a pointer to them in hand. */
static bool calls_grow(struct thread *t)
{
	size_t depth = (size_t)(t->top - t->base);
	size_t room = t->limit - t->base < CALLS_FIRST ? CALLS_FIRST :
							 CALLS_MOST;
	struct call *more;

	if (t->limit - t->base >= CALLS_MOST || signal_is_handled())
		return false;
	guest_enter(t);
	more = guest_map(room * sizeof(*more));
	if (more) {
		for (size_t i = 0; i <= depth; i++)
			more[i] = t->base[i];
		t->base = more;
		t->top = more + depth;
		t->limit = more + room;
	}
	guest_leave(t);
	return more;
}

static COLD void call_overflow(struct thread *t, uintptr_t pc, uintptr_t frame)
{
	if (!t->alive)
		return;
	if (t->overflow || !calls_grow(t)) {
		t->overflow++;
		return;
	}
	call_push(t->top + 1, pc, frame);
	t->top++;
}

EXPORT HOT void __tsan_func_entry(void *pc);
EXPORT HOT void __tsan_func_entry(void *pc)
{
	struct thread *t = self;
	struct call *c;

	if (unlikely(!t)) {
		if (likely(!gate_is_open()))
			return;
		t = life_adopt();
		if (!t)
			return;
	}
	c = t->top + 1;
	if (unlikely(c >= t->limit)) {
		call_overflow(t, (uintptr_t)pc,
			      (uintptr_t)__builtin_dwarf_cfa());
		return;
	}
	call_push(c, (uintptr_t)pc, (uintptr_t)__builtin_dwarf_cfa());
	t->top = c;
}

EXPORT HOT void __tsan_func_exit(void);
EXPORT HOT void __tsan_func_exit(void)
{
	struct thread *t = self;

	if (unlikely(!t))
		return;
	values_settle();
	if (unlikely(t->overflow)) {
		t->overflow--;
		return;
	}
	if (likely(t->top > t->base))
		t->top--;
}
