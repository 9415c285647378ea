/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/world.h"

#include "runtime/descriptor.h"
#include "runtime/requests.h"
#include "runtime/sys.h"

#include <linux/futex.h>

bool world_is_apart;

static enum world_answer ask(enum world_word word)
{
	struct linear_block *w = &region->linear;
	uint32_t mine, answered;

	atomic_store(&w->word, word);
	atomic_store(&control->run.napping, 1);
	/* Pairs with the tool's wait. The answer has the number of what was
	 * said: one to a run that was killed meanwhile is not for us. */
	mine = atomic_fetch_add(&w->said, 1) + 1;
	SYS_3(SYS_futex, &w->said, FUTEX_WAKE, 1);
	while ((answered = atomic_load(&w->answered)) != mine)
		SYS_4(SYS_futex, &w->answered, FUTEX_WAIT, answered, NULL);
	atomic_store(&control->run.napping, 0);
	return (enum world_answer)atomic_load(&w->answer);
}

/* The process ends here and now: what the program would do on its way out is no
 * part of the run. */
_Noreturn static void end(void)
{
	for (;;)
		SYS_1(SYS_exit_group, 0);
}

/* What comes before the requests is no place for a strategy's few changes. */
void world_begin(void)
{
	if (!world_is_played())
		return;
	control->run.origin = UINT64_MAX / 2;
	world_is_apart = true;
	ask(WORLD_BEGINS);
}

bool world_idle(bool has_deadline)
{
	region->linear.has_deadline = has_deadline;
	for (;;) {
		switch (ask(WORLD_IDLE)) {
		case WORLD_TIME:
			return false;
		case WORLD_TELL:
			requests_tell();
			break;
		case WORLD_START:
			control->run.origin = control->run.points;
			world_is_apart = false;
			return true;
		case WORLD_REST:
			world_is_apart = true;
			return true;
		case WORLD_END:
			end();
		default:
			return true;
		}
	}
}

void world_wrote(int fd)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (!t ||
	    !atomic_load_explicit(&region->linear.wants_writes,
				  memory_order_relaxed) ||
	    descriptor_sort(fd) != DESCRIPTOR_SOCKET ||
	    descriptor_is_inside(fd))
		return;
	guest_enter(t);
	if (ask(WORLD_WROTE) == WORLD_END)
		end();
	blocking_changed = true;
	guest_leave(t);
}
