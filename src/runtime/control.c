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
