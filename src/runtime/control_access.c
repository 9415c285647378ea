/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run under control does at accesses: points, what is learnt of their
 * places, and lines with values.
 */
#include "runtime/control.h"

#include "runtime/cancel.h"
#include "runtime/heap_control.h"
#include "runtime/learn.h"
#include "runtime/pairs.h"
#include "runtime/signal_control.h"
#include "runtime/spin.h"
#include "runtime/turn.h"
#include "runtime/values.h"
#include "runtime/world.h"

static void access_unseen(struct thread *t, enum event_kind kind,
			  uintptr_t addr, uintptr_t pc)
{
	t->inside++;
	spin_unseen(t, kind, (void *)addr, pc);
	t->inside--;
}

static void access_stand(struct thread *t, enum event_kind kind, uintptr_t addr,
			 uintptr_t pc)
{
	guest_enter(t);
	turn_point(t, kind, (void *)addr, pc);
	guest_leave(t);
}

/* With values every access is looked at, unless synchronisation alone is
 * wanted, and the told ones are points; true: it is told. */
static bool access_told(struct thread *t, uintptr_t addr, size_t size,
			bool is_write, uintptr_t pc)
{
	bool is_told;

	if (control->run.thread_count == 1 || control->ask.flags & CONTROL_SYNC)
		return false;
	is_told = values_watch(signal_actor(t), addr, size, is_write,
			       control_site(pc));
	if (!is_told || turn_live == 1)
		return is_told;
	access_stand(t, is_write ? EVENT_WRITE : EVENT_READ, addr, pc);
	return true;
}

/* Accesses carry no stamp; one on each side tells its place among those of the
 * threads that had the turn before and after. */
static void access_record(struct thread *t, uintptr_t addr, size_t size,
			  bool is_write, uintptr_t pc)
{
	guest_enter(t);
	record_at(t, EVENT_TIME, 0, 0, 0, NO_STACK);
	record_access(t, addr, size, is_write, stack_node(t, pc));
	record_at(t, EVENT_TIME, 0, 0, 0, NO_STACK);
	guest_leave(t);
}

static COLD void access_with_values(struct thread *t, uintptr_t addr,
				    size_t size, bool is_write, uintptr_t pc)
{
	enum event_kind kind = is_write ? EVENT_WRITE : EVENT_READ;
	bool is_told = access_told(t, addr, size, is_write, pc);

	t->writes += is_write;
	if (!is_told)
		access_unseen(t, kind, addr, pc);
	heap_control_touch(t, addr, size, pc);
	if (is_told) {
		guest_enter(t);
		values_access(t, kind, addr, size, pc);
		guest_leave(t);
	}
	if (recording)
		access_record(t, addr, size, is_write, pc);
}

static bool is_private(uint32_t site)
{
	return control->sites[site] == SITE_PRIVATE &&
	       !(control->ask.flags & CONTROL_ALL);
}

/* Without values: may others come before an access there? */
static bool access_has_point(uintptr_t pc)
{
	if (turn_live == 1 && !signal_expected)
		return false;
	if (cancel_anywhere)
		return true;
	if (control->ask.flags & CONTROL_SYNC)
		return false;
	return control->ask.flags & CONTROL_LEARN ||
	       (!world_is_apart && !is_private(control_site(pc)));
}

static void access_point(struct thread *t, uintptr_t addr, size_t size,
			 bool is_write, uintptr_t pc)
{
	enum event_kind kind = is_write ? EVENT_WRITE : EVENT_READ;

	t->writes += is_write;
	if (!access_has_point(pc)) {
		access_unseen(t, kind, addr, pc);
		return;
	}
	if (unlikely(control->ask.flags & CONTROL_LEARN))
		learn_access(signal_actor(t), addr, size, is_write,
			     control_site(pc));
	access_stand(t, kind, addr, pc);
}

static void access_note(struct thread *t, uintptr_t addr, size_t size,
			bool is_write, uintptr_t pc)
{
	if (unlikely(pairing))
		pairs_access(t, addr, size, is_write ? PAIR_WRITE : PAIR_READ,
			     pc);
	heap_control_touch(t, addr, size, pc);
	if (recording)
		access_record(t, addr, size, is_write, pc);
}

/* What the point let others do comes first: they may free the block. */
void control_access(struct thread *t, uintptr_t addr, size_t size,
		    bool is_write, uintptr_t pc)
{
	if (!t->alive || t->inside || t->ignoring)
		return;
	if (unlikely(values_on)) {
		access_with_values(t, addr, size, is_write, pc);
		return;
	}
	access_point(t, addr, size, is_write, pc);
	access_note(t, addr, size, is_write, pc);
}

/* ---- calls of libc ---- */

/* Of thread.call: how the next access of a call is told. */
enum call_state {
	CALL_UNSEEN, /* not at all: its place is not known to be shared */
	CALL_STANDS, /* by the line of the point before the call */
	CALL_ALONE,  /* by a line of its own: there was nobody for a point */
	CALL_GOES,   /* by a line that is bound to the one before */
};

static enum call_state call_with_values(struct thread *t, enum event_kind kind,
					uintptr_t addr, uintptr_t pc)
{
	bool is_told = control->run.thread_count > 1 &&
		       !(control->ask.flags & CONTROL_SYNC) &&
		       (control->sites[control_site(pc)] == SITE_SHARED ||
			control->ask.flags & CONTROL_ALL);

	if (!is_told || turn_live == 1) {
		access_unseen(t, kind, addr, pc);
		return is_told ? CALL_ALONE : CALL_UNSEEN;
	}
	access_stand(t, kind, addr, pc);
	return CALL_STANDS;
}

void control_call(struct thread *t, uintptr_t addr, bool is_write, uintptr_t pc)
{
	enum event_kind kind = is_write ? EVENT_WRITE : EVENT_READ;

	if (!t->alive || t->inside || t->ignoring)
		return;
	if (unlikely(values_on))
		t->call = call_with_values(t, kind, addr, pc);
	else if (access_has_point(pc))
		access_stand(t, kind, addr, pc);
	else
		access_unseen(t, kind, addr, pc);
}

void control_call_stands(struct thread *t)
{
	t->call = CALL_GOES;
}

/* True: its place is known to be shared by now. */
static bool part_learn(struct thread *t, uintptr_t addr, size_t size,
		       bool is_write, uintptr_t pc)
{
	uint32_t site = control_site(pc);

	if (values_on && control->run.thread_count > 1 &&
	    !(control->ask.flags & CONTROL_SYNC))
		return values_watch(signal_actor(t), addr, size, is_write,
				    site);
	if (!values_on && control->ask.flags & CONTROL_LEARN && turn_live > 1)
		learn_access(signal_actor(t), addr, size, is_write, site);
	return false;
}

static COLD void part_tell(struct thread *t, uintptr_t addr, size_t size,
			   bool is_write, uintptr_t pc)
{
	enum event_kind kind = is_write ? EVENT_WRITE : EVENT_READ;

	if (t->call == CALL_UNSEEN) {
		values_missed();
		return;
	}
	guest_enter(t);
	if (t->call == CALL_ALONE)
		values_access(t, kind, addr, size, pc);
	else
		values_part(t, kind, addr, size, pc, t->call == CALL_GOES);
	guest_leave(t);
	t->call = CALL_GOES;
}

static bool is_deaf(const struct thread *t)
{
	return !t->alive || t->inside || t->ignoring;
}

/* Everything but the telling; true: it is to be told. */
static bool part_touch(struct thread *t, uintptr_t addr, size_t size,
		       bool is_write, uintptr_t pc)
{
	bool is_told = part_learn(t, addr, size, is_write, pc);

	t->writes += is_write;
	access_note(t, addr, size, is_write, pc);
	return is_told;
}

/* What is read is told word by word: of many words at once there are more
 * combinations of values than can be asked for. */
static COLD void block_tell(struct thread *t, uintptr_t addr, size_t size,
			    uintptr_t pc)
{
	enum { BLOCK_WORDS = 1024, WORD = 8 };

	for (size_t done = 0, n; done < size; done += n) {
		n = done < BLOCK_WORDS ? WORD - ((addr + done) & (WORD - 1)) :
					 size - done;
		if (n > size - done)
			n = size - done;
		part_tell(t, addr + done, n, false, pc);
	}
}

void control_part(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		  uintptr_t pc)
{
	if (is_deaf(t) || !size || !part_touch(t, addr, size, is_write, pc))
		return;
	if (is_write)
		part_tell(t, addr, size, true, pc);
	else
		block_tell(t, addr, size, pc);
}

/* Of a text: bytes first; of a long one the rest at once, so that its end may
 * tell what comes before it. */
enum { TEXT_BYTES = 128 };

static size_t piece_size(size_t done, size_t size)
{
	return done < TEXT_BYTES ? 1 : size - done;
}

static COLD void text_tell(struct thread *t, uintptr_t addr, size_t size,
			   uintptr_t pc)
{
	for (size_t done = 0, n; done < size; done += n) {
		n = piece_size(done, size);
		part_tell(t, addr + done, n, false, pc);
	}
}

void control_text_read(struct thread *t, uintptr_t addr, size_t size,
		       uintptr_t pc)
{
	if (!is_deaf(t) && size && part_touch(t, addr, size, false, pc))
		text_tell(t, addr, size, pc);
}

void control_texts_read(struct thread *t, uintptr_t a, uintptr_t b, size_t size,
			uintptr_t pc)
{
	bool is_told;

	if (is_deaf(t) || !size)
		return;
	is_told = part_touch(t, a, size, false, pc);
	is_told |= part_touch(t, b, size, false, pc);
	for (size_t done = 0, n; is_told && done < size; done += n) {
		n = piece_size(done, size);
		part_tell(t, a + done, n, false, pc);
		part_tell(t, b + done, n, false, pc);
	}
}

void control_lent(struct thread *t, uintptr_t addr, size_t size, uintptr_t pc)
{
	if (!is_deaf(t) && size && part_learn(t, addr, size, false, pc))
		block_tell(t, addr, size, pc);
}

void control_lent_text(struct thread *t, uintptr_t addr, size_t size,
		       uintptr_t pc)
{
	if (!is_deaf(t) && size && part_learn(t, addr, size, false, pc))
		text_tell(t, addr, size, pc);
}

void control_block(struct thread *t, uintptr_t pc)
{
	t->inside++;
	spin_unseen(t, EVENT_TIME, NULL, pc);
	t->inside--;
}

/* It is a point in any case; but plain accesses to the same memory are only if
 * it is known to be shared. */
static void atomic_learn(const struct thread *t, enum event_kind kind,
			 uintptr_t addr, size_t size)
{
	bool is_write = kind != EVENT_ATOMIC_LOAD;

	if (!values_on && control->ask.flags & CONTROL_LEARN && turn_live > 1)
		learn_told(signal_actor(t), addr, size, is_write);
	if (values_on && control->run.thread_count > 1 &&
	    !(control->ask.flags & CONTROL_SYNC))
		values_told(signal_actor(t), addr, size, is_write);
}

void control_atomic(struct thread *t, enum event_kind kind,
		    const volatile void *addr, size_t size, uintptr_t pc)
{
	atomic_learn(t, kind, (uintptr_t)addr, size);
	if (turn_live > 1 || signal_expected)
		turn_point(t, kind, addr, pc);
	else
		spin_unseen(t, kind, addr, pc);
	heap_control_touch(t, (uintptr_t)addr, 1, pc);
	values_access(t, kind, (uintptr_t)addr, size, pc);
}
