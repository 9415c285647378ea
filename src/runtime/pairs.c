/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"

#include "runtime/control.h"
#include "runtime/pairs_granules.h"
#include "runtime/turn.h"

bool pairing, pairing_plain;

bool pairs_init(void)
{
	return granules_init();
}

void pairs_begin(void)
{
	granules_begin();
	pairs_table_begin();
	pairing = true;
	pairing_plain = !control && region->pairs.flags & PAIRS_STACKS &&
			!(region->pairs.flags & PAIRS_DELAY);
	steered = true;
}

void pairs_forget(uintptr_t addr, size_t size)
{
	granules_forget(addr, size);
}

void pairs_claim(uintptr_t addr, size_t size)
{
	granules_forget(addr, size);
	if (!controlled)
		granules_expect(addr, size);
}

/* Under control: the tool wants to know where some accesses were made. */
static COLD void probes_look(const struct thread *t, uint32_t count)
{
	for (uint32_t i = 0; i < control->ask.probe_count; i++) {
		struct order_probe *p = &control->probes[i];
		const struct control_thread *c = &control->threads[t->number];

		if (p->thread != t->number || p->access != count ||
		    turn_live == 1)
			continue;
		p->site = c->site;
		p->visit = turn_visit;
		p->gate_site = c->hold_count ? c->gate_site : 0;
		p->gate_visit = c->hold_count ? c->gate_visit : 0;
	}
}

static inline uint32_t place_of(struct thread *t, uintptr_t pc)
{
	if (region->pairs.flags & PAIRS_STACKS)
		return stack_node(t, pc);
	return control_site(pc);
}

static void granules_access(struct thread *t, uintptr_t addr, size_t size,
			    const struct entry *made, bool is_write)
{
	uintptr_t end = addr + size;

	for (uintptr_t s = addr & ~(uintptr_t)7; s < end; s += 8) {
		uint32_t low = s < addr ? (uint32_t)(addr - s) : 0;
		uint32_t high = end - s < 8 ? (uint32_t)(end - s) : 8;
		uint64_t bytes = (0xffU >> (8 - (high - low))) << low;
		struct entry part = { .word = made->word |
					      bytes << PAIR_BYTES_SHIFT,
				      .at = made->at };
		struct granule *g = granule_get(s);

		if (unlikely(!g))
			return;
		if (is_write)
			granule_write(t, g, &part, s < addr ? addr : s);
		else
			granule_read(t, g, &part, s < addr ? addr : s);
	}
}

static inline uint64_t word_of(const struct thread *t, uint32_t place,
			       enum pair_access kind)
{
	return t->pair_tag | (uint64_t)place << PAIR_PLACE_SHIFT |
	       (uint64_t)kind << PAIR_KIND_SHIFT;
}

void pairs_access(struct thread *t, uintptr_t addr, size_t size,
		  enum pair_access kind, uintptr_t pc)
{
	struct entry made;

	/* Before the shadow is told: between that and the access a delay would
	 * make others come first unseen. */
	if (unlikely(region->pairs.flags & PAIRS_DELAY && !t->inside))
		pairs_delay(t);
	guest_enter(t);
	t->pair_count++;
	made.word = word_of(t, place_of(t, pc), kind);
	made.at = pairs_moment(t, t->pair_count);
	if (unlikely(control && control->ask.probe_count))
		probes_look(t, t->pair_count);
	granules_access(t, addr, size, &made, kind != PAIR_READ);
	guest_leave(t);
}
