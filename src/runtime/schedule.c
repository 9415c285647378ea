/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/schedule.h"

#include "format/rng.h"
#include "runtime/blocking.h"
#include "runtime/spin.h"
#include "runtime/turn.h"

static void schedule_add(const struct step *s)
{
	struct control_run *run = &control->run;
	uint64_t parts = (uint64_t)s->thread << 40 ^ (uint64_t)s->site << 8 ^
			 s->what;

	run->schedule = rng_mix(run->schedule ^ parts) +
			((uint64_t)s->visit << 32 | s->to);
	if (run->step_count == CONTROL_STEPS)
		control_fail(turn_thread(s->thread), OUTCOME_LIMIT,
			     "more steps than a schedule can have",
			     control->threads[s->thread].pc);
	control->steps[run->step_count++] = *s;
	if (unlikely(run->step_count == control->ask.stop_step))
		control_trap();
	if (s->what > STEP_YIELD)
		spin_change();
}

void schedule_step(uint32_t thread, enum step_what what, uint32_t to,
		   uint32_t options)
{
	const struct control_thread *c = &control->threads[thread];

	schedule_add(&(struct step){
		.thread = thread,
		.site = c->site,
		.visit = turn_visit,
		.to = to,
		.what = (uint8_t)what,
		.kind = c->kind,
		.options = (uint16_t)options,
		.point = control->run.points,
	});
}
