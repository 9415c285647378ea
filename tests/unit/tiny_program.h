/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TINY_PROGRAM_H
#define HEDDLE_TINY_PROGRAM_H

/*
 * Random programs for the tiny machine, put together of what real ones are made
 * of: critical sections, flags that are waited for and flags that are only
 * looked at, conditions, queues, semaphores, barriers, locks of atomics and
 * words that look like one, blocks whose address is handed on. Each has several
 * sides, and which thread takes which side is drawn: so there are programs that
 * use them well and programs that do not.
 */

#include "tiny_machine.h"

/* Variables: the first two are data. */
enum {
	TINY_FLAG = 2,
	TINY_READY, /* under the mutex, with the condition */
	TINY_HEAD,
	TINY_TAIL,
	TINY_WORD,
	TINY_POINTER,
	TINY_BLOCK = TINY_VARS - 1,
};

static inline unsigned int tiny_draw(struct tiny_program *p, unsigned int n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (unsigned int)((p->random >> 11) % n);
}

static inline struct tiny_op *tiny_add(struct tiny_program *p, unsigned int t,
				       unsigned int kind, unsigned int object)
{
	struct tiny_op *op = &p->op[t][p->count[t]++];

	*op = (struct tiny_op){ .kind = (uint8_t)kind,
				.object = (uint8_t)object };
	return op;
}

static inline void tiny_data(struct tiny_program *p, unsigned int t)
{
	tiny_add(p, t, tiny_draw(p, 2) ? TINY_READ : TINY_WRITE,
		 tiny_draw(p, 3) == 0);
}

static inline void tiny_some_data(struct tiny_program *p, unsigned int t)
{
	for (unsigned int n = 1 + tiny_draw(p, 2); n; n--)
		tiny_data(p, t);
}

/* ---- sections ---- */

static inline void tiny_section(struct tiny_program *p, unsigned int t,
				unsigned int enter, unsigned int leave)
{
	tiny_add(p, t, enter, 0);
	tiny_some_data(p, t);
	tiny_add(p, t, leave, 0);
}

/* `is_lock`: who finds the word taken tries again. */
static inline void tiny_word(struct tiny_program *p, unsigned int t,
			     bool is_lock)
{
	struct tiny_op *op = tiny_add(p, t, TINY_EXCHANGE, TINY_WORD);

	op->to = (uint8_t)(p->count[t] - is_lock);
	tiny_some_data(p, t);
	tiny_add(p, t, TINY_STORE, TINY_WORD);
}

/* ---- flags ---- */

/* Until it is set, or some times. */
static inline void tiny_spin(struct tiny_program *p, unsigned int t,
			     bool is_atomic, bool ends)
{
	uint8_t first = p->count[t];
	struct tiny_op *op =
		tiny_add(p, t, is_atomic ? TINY_LOAD : TINY_TEST, TINY_FLAG);

	op->to = (uint8_t)(first + 2);
	op = tiny_add(p, t, ends ? TINY_TURN : TINY_GO, 0);
	op->to = first;
	op->value = is_atomic ? 6 : 20;
}

/* Again and again, whatever it is. */
static inline void tiny_glance(struct tiny_program *p, unsigned int t,
			       bool is_atomic)
{
	uint8_t first = p->count[t];
	struct tiny_op *op =
		tiny_add(p, t, is_atomic ? TINY_LOAD : TINY_TEST, TINY_FLAG);

	op->to = (uint8_t)(first + 1);
	op = tiny_add(p, t, TINY_TURN, 0);
	op->to = first;
	op->value = (uint8_t)(is_atomic ? 2 + tiny_draw(p, 4) : 20);
}

static inline void tiny_look(struct tiny_program *p, unsigned int t,
			     unsigned int kind)
{
	struct tiny_op *op = tiny_add(p, t, kind, TINY_FLAG);

	op->to = (uint8_t)(p->count[t] + 1);
	tiny_data(p, t);
}

static inline void tiny_set(struct tiny_program *p, unsigned int t,
			    unsigned int kind, unsigned int var)
{
	tiny_add(p, t, kind, var)->value = 1;
}

/* ---- conditions ---- */

static inline void tiny_await(struct tiny_program *p, unsigned int t,
			      uint8_t loop)
{
	tiny_add(p, t, TINY_COND_WAIT, 0);
	tiny_add(p, t, TINY_COND_WAKE, 0)->to = loop;
}

static inline void tiny_wait_ready(struct tiny_program *p, unsigned int t)
{
	uint8_t loop;

	tiny_add(p, t, TINY_LOCK, 0);
	loop = p->count[t];
	tiny_add(p, t, TINY_TEST, TINY_READY)->to = (uint8_t)(loop + 3);
	tiny_await(p, t, loop);
	tiny_add(p, t, TINY_UNLOCK, 0);
}

static inline void tiny_make_ready(struct tiny_program *p, unsigned int t)
{
	tiny_add(p, t, TINY_LOCK, 0);
	tiny_set(p, t, TINY_WRITE, TINY_READY);
	tiny_add(p, t, TINY_BROADCAST, 0);
	tiny_add(p, t, TINY_UNLOCK, 0);
}

static inline void tiny_put(struct tiny_program *p, unsigned int t)
{
	tiny_add(p, t, TINY_LOCK, 0);
	tiny_add(p, t, TINY_READ, TINY_TAIL);
	tiny_add(p, t, TINY_WRITE, TINY_TAIL)->value = TINY_MORE;
	tiny_add(p, t, TINY_SIGNAL, 0);
	tiny_add(p, t, TINY_UNLOCK, 0);
}

static inline void tiny_take(struct tiny_program *p, unsigned int t)
{
	struct tiny_op *op;
	uint8_t loop;

	tiny_add(p, t, TINY_LOCK, 0);
	loop = p->count[t];
	tiny_add(p, t, TINY_READ, TINY_HEAD);
	op = tiny_add(p, t, TINY_COMPARE, TINY_TAIL);
	op->than = TINY_HEAD;
	op->to = (uint8_t)(loop + 4);
	tiny_await(p, t, loop);
	tiny_add(p, t, TINY_WRITE, TINY_HEAD)->value = TINY_MORE;
	tiny_add(p, t, TINY_UNLOCK, 0);
}

/* ---- blocks ---- */

static inline void tiny_hand_on(struct tiny_program *p, unsigned int t)
{
	p->has_block = true;
	tiny_add(p, t, TINY_ALLOC, 0);
	tiny_add(p, t, TINY_WRITE, TINY_BLOCK);
	tiny_add(p, t, TINY_READ, TINY_BLOCK);
	tiny_set(p, t, TINY_WRITE, TINY_POINTER);
	tiny_add(p, t, TINY_READ, TINY_BLOCK);
}

static inline void tiny_use_block(struct tiny_program *p, unsigned int t)
{
	uint8_t at = p->count[t];
	struct tiny_op *op = tiny_add(p, t, TINY_TEST, TINY_POINTER);

	op->to = (uint8_t)(at + 2);
	tiny_add(p, t, TINY_GO, 0)->to = (uint8_t)(at + 4);
	tiny_add(p, t, TINY_READ, TINY_BLOCK);
	tiny_add(p, t, TINY_WRITE, TINY_BLOCK);
}

/* ---- threads ---- */

enum { TINY_THEMES = 13 };

/* One side of a theme. */
static inline void tiny_side(struct tiny_program *p, unsigned int t,
			     unsigned int theme, unsigned int side)
{
	switch (theme) {
	case 0:
		tiny_section(p, t, TINY_LOCK, TINY_UNLOCK);
		break;
	case 1:
		tiny_section(p, t, side ? TINY_RDLOCK : TINY_WRLOCK,
			     TINY_RWUNLOCK);
		break;
	case 2:
		tiny_word(p, t, true);
		break;
	case 3:
		tiny_word(p, t, false);
		break;
	case 4:
		tiny_section(p, t, TINY_WAIT, TINY_POST);
		break;
	case 5:
		tiny_add(p, t, side ? TINY_WAIT : TINY_POST, 0);
		break;
	case 6:
	case 7:
		if (side)
			tiny_spin(p, t, theme == 6, tiny_draw(p, 3) == 0);
		else
			tiny_set(p, t, theme == 6 ? TINY_STORE : TINY_WRITE,
				 TINY_FLAG);
		break;
	case 8:
		if (side)
			tiny_look(p, t, TINY_TEST);
		else
			tiny_set(p, t, TINY_WRITE, TINY_FLAG);
		break;
	case 9:
		if (side)
			tiny_wait_ready(p, t);
		else
			tiny_make_ready(p, t);
		break;
	case 10:
		if (side)
			tiny_take(p, t);
		else
			tiny_put(p, t);
		break;
	case 11:
		if (side || p->has_block)
			tiny_use_block(p, t);
		else
			tiny_hand_on(p, t);
		break;
	default:
		if (side)
			tiny_glance(p, t, tiny_draw(p, 2));
		else
			tiny_set(p, t, TINY_STORE, TINY_FLAG);
		break;
	}
}

static inline void tiny_worker(struct tiny_program *p, unsigned int t,
			       const unsigned int *themes, unsigned int side)
{
	for (unsigned int i = 0; i < 2; i++) {
		if (tiny_draw(p, 3))
			tiny_data(p, t);
		/* mostly one gives and the other takes */
		tiny_side(p, t, themes[i],
			  tiny_draw(p, 4) ? side : tiny_draw(p, 2));
		if (p->parties && i == 0) {
			tiny_add(p, t, TINY_ENTER, 0);
			tiny_add(p, t, TINY_LEAVE, 0);
		}
		tiny_some_data(p, t);
	}
}

static inline void tiny_make(struct tiny_program *p, uint64_t seed)
{
	unsigned int themes[2];

	memset(p, 0, sizeof(*p));
	p->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 8; i++)
		tiny_draw(p, 2);
	themes[0] = (unsigned int)(seed % TINY_THEMES);
	themes[1] = tiny_draw(p, 3) ? themes[0] : tiny_draw(p, TINY_THEMES);
	p->initial = themes[0] == 4 || themes[1] == 4 || tiny_draw(p, 4) == 0;
	p->parties = tiny_draw(p, 4) ? 0 : 2;
	tiny_data(p, 0);
	tiny_add(p, 0, TINY_CREATE, 1);
	tiny_add(p, 0, TINY_CREATE, 2);
	tiny_worker(p, 1, themes, 0);
	tiny_worker(p, 2, themes, 1);
	if (tiny_draw(p, 2))
		tiny_side(p, 0, themes[1], tiny_draw(p, 2));
	tiny_data(p, 0);
	if (tiny_draw(p, 2))
		tiny_add(p, 0, TINY_JOIN, 1);
	tiny_data(p, 0);
}

#endif
