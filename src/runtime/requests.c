/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/requests.h"

#include "runtime/turn.h"

#include "heddle.h"

/*
 * Requests and state (format/linear_block.h). Everything becomes an entry of
 * the log, with the bytes as the program gave them; hashing and comparing is
 * the tool's. The program's own functions, which describe an element or sum up
 * a state, are called with the thread inside the guest: its accesses and locks
 * are no points, so nobody else runs meanwhile.
 *
 * Only a run under control is told of; in any other process these return at
 * once.
 */

static struct linear_block *block(void)
{
	return &region->linear;
}

/* ---- the log ---- */

static void copy(uint8_t *to, const void *from, size_t size)
{
	const uint8_t *bytes = from;

	for (size_t i = 0; i < size; i++)
		to[i] = bytes[i];
}

static size_t length(const char *text)
{
	size_t n = 0;

	while (n < UINT16_MAX && text[n])
		n++;
	return n;
}

static void append(struct linear_entry e, const char *name, const void *key,
		   const void *value)
{
	struct linear_block *b = block();
	uint32_t used =
		atomic_load_explicit(&b->log_used, memory_order_relaxed);
	uint64_t size;
	uint8_t *to;

	e.name_size = name ? (uint16_t)length(name) : 0;
	size = sizeof(e) + e.name_size + (uint64_t)e.key_size + e.value_size;
	size = (size + 7) & ~UINT64_C(7);
	if (size > LINEAR_LOG - used) {
		b->lost++;
		return;
	}
	e.size = (uint32_t)size;
	to = b->log + used;
	copy(to, &e, sizeof(e));
	to += sizeof(e);
	copy(to, name, e.name_size);
	to += e.name_size;
	copy(to, key, e.key_size);
	to += e.key_size;
	copy(to, value, e.value_size);
	/* The tool reads up to here, when the run stands still or is over. */
	atomic_store_explicit(&b->log_used, used + (uint32_t)size,
			      memory_order_release);
}

/* The program's own code describes or sums up, inside. */
static bool is_telling;

/* The calling thread, inside, if it is to be told of. */
static struct thread *enter(void)
{
	struct thread *t = !controlled ? NULL :
			   is_telling  ? self :
					 guest_self();

	if (!t || t->number >= LINEAR_THREADS)
		return NULL;
	guest_enter(t);
	return t;
}

/* ---- requests ---- */

/* Whose request comes next in a serial execution? Behind the end of the order
 * anybody's. */
static bool is_next(uint32_t number, uint64_t object)
{
	const struct linear_block *b = block();
	const struct linear_place *p = &b->order[b->position];

	(void)object;
	if (b->is_active)
		return false;
	return b->position >= b->order_count ||
	       (p->thread == number && p->nth == b->made[number]);
}

/* True: it is to be told. A request inside a request is a part of it. */
static bool request_enter(struct thread *t, uintptr_t pc)
{
	struct linear_block *b = block();

	if (!b->order_count) {
		if (turn_live > 1)
			turn_point(t, EVENT_CALL, NULL, pc);
		return true;
	}
	if (b->is_active && b->active == t->number)
		return false;
	turn_await(t, EVENT_CALL, &b->position, pc, is_next, NO_DEADLINE);
	b->is_active = 1;
	b->active = t->number;
	return true;
}

EXPORT void heddle_on_request_begin(const void *input, size_t size)
{
	struct thread *t = enter();

	if (!t)
		return;
	if (request_enter(t, CALLER))
		append((struct linear_entry){ .kind = LINEAR_BEGIN,
					      .thread = t->number,
					      .nth = block()->made[t->number]++,
					      .value_size = (uint32_t)size },
		       NULL, NULL, input);
	guest_leave(t);
}

EXPORT void heddle_on_request_end(const void *output, size_t size)
{
	struct linear_block *b = block();
	struct thread *t = enter();

	if (!t)
		return;
	if (b->made[t->number])
		append((struct linear_entry){ .kind = LINEAR_FINISH,
					      .thread = t->number,
					      .nth = b->made[t->number] - 1,
					      .value_size = (uint32_t)size },
		       NULL, NULL, output);
	if (b->is_active && b->active == t->number) {
		b->is_active = 0;
		b->position++;
		turn_touch(&b->position);
	} else if (!b->order_count && turn_live > 1) {
		turn_point(t, EVENT_CALL, NULL, CALLER);
	}
	guest_leave(t);
}

/* ---- state ---- */

EXPORT void heddle_on_state(const char *name, int kind, int change,
			    const void *key, size_t key_size, const void *value,
			    size_t value_size)
{
	struct thread *t = enter();

	if (!t)
		return;
	append((struct linear_entry){ .kind = (uint8_t)kind,
				      .change = (uint8_t)change,
				      .thread = t->number,
				      .key_size = (uint32_t)key_size,
				      .value_size = (uint32_t)value_size },
	       name, key, value);
	guest_leave(t);
}

/* What describes an element puts its bytes here. */
enum { ELEMENT_MOST = 1 << 16 };

struct heddle_element {
	size_t used;
	uint8_t bytes[ELEMENT_MOST];
};

/* One thread at a time describes one. */
static struct heddle_element element;

EXPORT void heddle_on_element(struct heddle_element *to, const void *bytes,
			      size_t size)
{
	if (size > ELEMENT_MOST - to->used) {
		block()->lost++;
		return;
	}
	copy(to->bytes + to->used, bytes, size);
	to->used += size;
}

EXPORT void heddle_on_described(const char *name, int kind, int change,
				const void *key, size_t key_size,
				heddle_describe *describe, const void *item)
{
	struct thread *t = enter();
	bool was_telling;

	if (!t)
		return;
	was_telling = is_telling;
	is_telling = true;
	element.used = 0;
	describe(&element, item);
	is_telling = was_telling;
	append((struct linear_entry){ .kind = (uint8_t)kind,
				      .change = (uint8_t)change,
				      .thread = t->number,
				      .key_size = (uint32_t)key_size,
				      .value_size = (uint32_t)element.used },
	       name, key, element.bytes);
	guest_leave(t);
}

/* ---- summaries ---- */

static struct {
	heddle_summary *summary;
	void *arg;
} summaries[LINEAR_SUMMARIES];
static uint32_t summary_count;

EXPORT void heddle_on_summary(heddle_summary *summary, void *arg)
{
	if (summary_count == LINEAR_SUMMARIES) {
		guest_note("more summaries of the state than there is room "
			   "for: some are not called");
		return;
	}
	summaries[summary_count].summary = summary;
	summaries[summary_count++].arg = arg;
}

void requests_tell(void)
{
	struct linear_block *b = block();

	if (!summary_count || b->told_summaries)
		return;
	b->told_summaries = 1;
	append((struct linear_entry){ .kind = LINEAR_SUMMARY }, NULL, NULL,
	       NULL);
	is_telling = true;
	for (uint32_t i = 0; i < summary_count; i++)
		summaries[i].summary(summaries[i].arg);
	is_telling = false;
}

void requests_end(void)
{
	struct thread *t = enter();

	if (!t)
		return;
	requests_tell();
	guest_leave(t);
}

/* ---- runs ---- */

void requests_begin(void)
{
	struct linear_block *b = block();
	bool any = atomic_load(&b->log_used) || b->lost;

	atomic_store(&b->log_used, 0);
	b->lost = 0;
	b->told_summaries = 0;
	b->position = 0;
	b->is_active = 0;
	/* Every request is in the log, and nearly all programs have none. */
	for (uint32_t i = 0; any && i < LINEAR_THREADS; i++)
		if (b->made[i])
			b->made[i] = 0;
}
