/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"

#include "runtime/apiece.h"
#include "runtime/cancel.h"
#include "runtime/bind.h"
#include "runtime/chance.h"
#include "runtime/chance_counter.h"
#include "runtime/hang.h"
#include "runtime/heap_control.h"
#include "runtime/heap_own.h"
#include "runtime/inherit.h"
#include "runtime/learn.h"
#include "runtime/pairs.h"
#include "runtime/parting.h"
#include "runtime/perturb.h"
#include "runtime/rule.h"
#include "runtime/process.h"
#include "runtime/settle.h"
#include "runtime/signal_control.h"
#include "runtime/spin.h"
#include "runtime/stacks.h"
#include "runtime/sys.h"
#include "runtime/turn.h"
#include "runtime/values.h"
#include "runtime/world.h"

#include <signal.h>

bool controlled;
struct control *control;

/* Nearly all sites are in one module; it needs no search. */
static struct {
	uintptr_t low, size;
	uint32_t site;
} main_module;

void control_site_prepare(void)
{
	const struct region_module *m = &region->modules[0];

	if (!atomic_load(&region->module_count))
		return;
	main_module.low = m->base;
	main_module.size = m->size;
	main_module.site = m->site;
}

uint32_t control_site(uintptr_t pc)
{
	uint32_t site;

	if (likely(pc - main_module.low < main_module.size))
		site = main_module.site + (uint32_t)(pc - main_module.low);
	else
		site = pc ? module_site(pc) : 0;
	return likely(site < CONTROL_SITES) ? site : 0;
}

/* ---- begin and end ---- */

void control_reset(void)
{
	struct control_run *run = &control->run;

	atomic_store(&region->guest_pid, (uint32_t)SYS_0(SYS_getpid));
	if (!main_module.size)
		control_site_prepare();

	run->step_count = 0;
	run->switches = 0;
	run->children = 0;
	run->thread_count = 0;
	run->schedule = 0;
	run->now = 0;
	run->points = 0;
	run->origin = 0;
	run->holder = 0;
	run->napping = 0;
	run->lost = 0;
	run->lost_count = 0;
	run->deaf = 0;
	run->has_strangers = 0;
	run->outcome = (struct outcome){ .kind = OUTCOME_NONE };
	atomic_store(&region->thread_count, 0);
	atomic_store(&region->note_count, 0);
	atomic_store(&region->stack_count, 1);
	atomic_store(&region->closed, 0);
}

void control_prepare(void)
{
	guest_map_prepare();
	apiece_prepare();
	process_prepare();
	parting_prepare();
	settle_prepare();
	stacks_prepare();
	heap_control_prepare();
	learn_prepare();
	if (region->flags & REGION_PAIRS && !pairs_init())
		guest_note("the kernel does not give the room that collecting "
			   "pairs needs (ulimit -v?)");
	control_site_prepare();
	counter_prepare();
	hang_begin();
	if (!(control->ask.flags & CONTROL_EXEC)) {
		bind_all();
		inherit_code();
	}
}

void control_begin(void)
{
	struct thread *t;

	control_reset();
	process_resides();
	recording = control->ask.flags & CONTROL_RECORD;
	t = life_first();
	if (!t)
		return;
	guest_enter(t);
	turn_begin(t);
	learn_begin();
	values_begin();
	rule_begin();
	if (pairs_are_asked())
		pairs_begin();
	chance_begin();
	counter_begin();
	signal_begin(t);
	controlled = true;
	steered = true;
	gate_open();
	guest_leave(t);
}

void control_leave(void)
{
	controlled = false;
	perturbing = false;
	pairing = false;
	steered = false;
}

/* ---- failing ---- */

void control_text(const char *part)
{
	char *text = control_outcome()->text;
	size_t n = 0;

	while (n < CONTROL_TEXT - 1 && text[n])
		n++;
	while (n < CONTROL_TEXT - 1 && *part)
		text[n++] = *part++;
	text[n] = '\0';
}

static void stacks_tell(const struct thread *t, uintptr_t pc)
{
	turn_tell_stacks();
	if (t && t->number < CONTROL_THREADS)
		control->threads[t->number].stack =
			stack_node((struct thread *)(uintptr_t)t, pc);
}

void control_tell(struct thread *t, enum outcome_kind kind, const char *text,
		  uintptr_t pc)
{
	struct outcome *o = control_outcome();

	if (o->kind != OUTCOME_NONE)
		return;
	o->kind = kind;
	o->thread = t ? t->number : NO_THREAD;
	o->point = control->run.points;
	if (text)
		control_text(text);
	stacks_tell(t, pc);
	o->stack = t && t->number < CONTROL_THREADS ?
			   control->threads[t->number].stack :
			   NO_STACK;
}

void control_trap(void)
{
	/* A thread that ends has blocked all signals. */
	const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
	uint64_t mask;

	if (!(control->ask.flags & CONTROL_DEBUG))
		return;
	SYS_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap, &mask, sizeof(mask));
	SYS_3(SYS_tgkill, SYS_0(SYS_getpid), SYS_0(SYS_gettid), SIGTRAP);
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

_Noreturn void control_fail(struct thread *t, enum outcome_kind kind,
			    const char *text, uintptr_t pc)
{
	if (t)
		t->inside++;
	values_settle();
	control_tell(t, kind, text, pc);
	control_trap();
	for (;;)
		SYS_1(SYS_exit_group, 0);
}

/* ---- accesses ---- */

static void access_unseen(struct thread *t, enum event_kind kind,
			  uintptr_t addr, uintptr_t pc)
{
	t->inside++;
	spin_unseen(t, kind, (void *)addr, pc);
	t->inside--;
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
	guest_enter(t);
	turn_point(t, is_write ? EVENT_WRITE : EVENT_READ, (void *)addr, pc);
	guest_leave(t);
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

static void access_point(struct thread *t, uintptr_t addr, size_t size,
			 bool is_write, uintptr_t pc)
{
	enum event_kind kind = is_write ? EVENT_WRITE : EVENT_READ;
	uint32_t site;

	t->writes += is_write;
	if (turn_live == 1 && !signal_expected) {
		access_unseen(t, kind, addr, pc);
		return;
	}
	if (control->ask.flags & CONTROL_SYNC && !cancel_anywhere) {
		access_unseen(t, kind, addr, pc);
		return;
	}
	site = control_site(pc);
	if (unlikely(control->ask.flags & CONTROL_LEARN))
		learn_access(signal_actor(t), addr, size, is_write, site);
	else if (!cancel_anywhere && (world_is_apart || is_private(site))) {
		access_unseen(t, kind, addr, pc);
		return;
	}
	guest_enter(t);
	turn_point(t, kind, (void *)addr, pc);
	guest_leave(t);
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
	if (unlikely(pairing))
		pairs_access(t, addr, size, is_write ? PAIR_WRITE : PAIR_READ,
			     pc);
	heap_control_touch(t, addr, size, pc);
	if (recording)
		access_record(t, addr, size, is_write, pc);
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
