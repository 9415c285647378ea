/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/resume.h"

#include "runtime/blocking.h"
#include "runtime/chance.h"
#include "runtime/learn.h"
#include "runtime/process.h"
#include "runtime/rebirth.h"
#include "runtime/requests.h"
#include "runtime/sys.h"
#include "runtime/values.h"
#include "runtime/world.h"

/* What the region held when the program was ready. */
static struct {
	uint32_t threads, notes, stacks;
	uint64_t now;
	struct control_thread *turns;
	struct region_thread *lives;
} kept;

const char *resume_prepare(struct thread *t)
{
	const char *why = rebirth_freeze(t);
	uint32_t count = control->run.thread_count;

	if (why)
		return why;
	kept.threads = count;
	kept.notes = atomic_load(&region->note_count);
	kept.stacks = atomic_load(&region->stack_count);
	kept.now = control->run.now;
	kept.turns = guest_map(count * sizeof(*kept.turns));
	kept.lives = guest_map(count * sizeof(*kept.lives));
	if (!kept.turns || !kept.lives)
		return "there was no memory";
	for (uint32_t n = 0; n < count; n++) {
		kept.turns[n] = control->threads[n];
		kept.lives[n] = region->threads[n];
	}
	guest_keep(true);
	return NULL;
}

static void region_put_back(const struct thread *t)
{
	control_reset();
	for (uint32_t n = 0; n < kept.threads; n++) {
		control->threads[n] = kept.turns[n];
		region->threads[n] = kept.lives[n];
	}
	control->run.thread_count = kept.threads;
	control->run.now = kept.now;
	control->run.holder = t->number;
	atomic_store(&region->thread_count, kept.threads);
	atomic_store(&region->note_count, kept.notes);
	atomic_store(&region->stack_count, kept.stacks);
}

/* Nobody else runs yet, so their beginnings can be told for them. */
static void births_record(void)
{
	for (uint32_t n = 0; recording && n < control->run.thread_count; n++) {
		const struct region_thread *r = &region->threads[n];
		struct thread *t = turn_is_live(n) ? turn_thread(n) : NULL;

		if (t)
			record_at(t, EVENT_THREAD_BEGIN, 0, 0, r->parent,
				  r->stack);
	}
}

static void begin(void)
{
	recording = control->ask.flags & CONTROL_RECORD;
	turn_begin_again();
	learn_begin();
	values_begin();
	births_record();
	world_begin();
}

bool resume_begin(struct thread *t)
{
	atomic_store(&region->guest_pid, (uint32_t)SYS_0(SYS_getpid));
	region_put_back(t);
	guest_keep(false);
	process_resides();
	chance_ids_begin();
	if (!rebirth_all(t))
		return false;
	begin();
	return true;
}

void resume_here(void)
{
	control->run.step_count = 0;
	control->run.switches = 0;
	control->run.schedule = 0;
	control->run.points = 0;
	requests_begin();
	begin();
}
