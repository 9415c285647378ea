/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WATCHDOG_H
#define HEDDLE_WATCHDOG_H

/*
 * A thread that has the turn may fall asleep in the kernel where control does
 * not reach: in a library that makes system calls of its own, for instance.
 * Nobody else could go on, not even whoever would wake it. The watchdog, in the
 * process that watches the run (the server, or the tool), notices, takes the
 * turn away and sends another thread to decide. The run goes on, but is not
 * under control any more: its verdict is unknown, unless it broke.
 *
 * The thread may wake up at the very moment. So the watchdog first proposes:
 * the holder becomes NO_THREAD and `lost` LOST_PROPOSED. If the thread is still
 * asleep then, and has been all the time, it will see that when it wakes up:
 * the turn is taken. If it is not, either the proposal is withdrawn, or the
 * thread has seen it already and agreed.
 *
 * A thread that has the turn may also run for ever without a point. In code of
 * the program that is a loop in which nothing can change, and a hang. But a
 * thread of a library that was built without hooks may do its work there and
 * never ask anybody. From outside nobody can tell the two apart; so the thread
 * is asked whether it is *deaf*, by a signal, and gives the turn away if no
 * code of the program is on its stack (runtime/hang.h). One that never was at a
 * point is asked soon, any other when the run would else be called hung: it may
 * just compute.
 */

#include "format/event.h"
#include "format/put.h"
#include "format/region.h"

#include <stdbool.h>
#include <stddef.h>

enum lost_state {
	LOST_NONE,
	LOST_PROPOSED,
	LOST_AGREED, /* by the thread; it waits for the turn */
	LOST_TAKEN,
};

/* What the watchdog saw when it last looked. */
struct watchdog {
	uint64_t points;
	uint64_t switches; /* of the thread, by the kernel's count */
	uint32_t holder;
	bool is_suspect;
	bool has_asked;
};

/* What differs between the two sides. */
struct watchdog_means {
	/* Reads a file; returns the bytes, or less than 0. */
	long (*read)(const char *path, char *room, size_t size);
	/* Sends this signal to one thread. */
	void (*kick)(uint32_t pid, uint32_t tid, int signal);
};

/* Threads wait for their turn in a futex of their own process, so it takes a
 * signal to wake one from here: one that the guest has a handler for, which
 * does nothing unless it was asked for more (runtime/hang.h). */
enum { WATCHDOG_SIGNAL = 64 };

/* ---- the state of a thread ---- */

/* A file of the kernel about a thread, with a zero byte behind; empty if it
 * cannot be read. */
static inline void watchdog_read(uint32_t pid, uint32_t tid, const char *file,
				 const struct watchdog_means *means, char *room,
				 size_t size)
{
	char path[64], *end = put_number(put_text(path, "/proc/"), pid);
	long n;

	put_text(put_number(put_text(end, "/task/"), tid), file);
	n = means->read(path, room, size - 1);
	room[n > 0 ? n : 0] = '\0';
}

/* The text behind "\n<name>:" and blanks, or NULL. */
static inline const char *watchdog_field(const char *text, const char *name)
{
	for (; *text; text++) {
		const char *a = text + 1, *b = name;

		if (*text != '\n')
			continue;
		while (*b && *a == *b)
			a++, b++;
		if (*b || *a != ':')
			continue;
		for (a++; *a == '\t' || *a == ' '; a++)
			;
		return a;
	}
	return NULL;
}

static inline bool watchdog_sleeps(uint32_t pid, uint32_t tid,
				   const struct watchdog_means *means,
				   uint64_t *switches)
{
	char text[4096];
	const char *state, *count;

	watchdog_read(pid, tid, "/status", means, text, sizeof(text));
	state = watchdog_field(text, "State");
	count = watchdog_field(text, "voluntary_ctxt_switches");
	if (!state || !count)
		return false;
	for (*switches = 0; *count >= '0' && *count <= '9'; count++)
		*switches = *switches * 10 + (uint64_t)(*count - '0');
	/* Not D, which is a disk that is slow. */
	return *state == 'S';
}

/* ---- runs that are free ---- */

/* In a perturbed run nobody has the turn: the run is stuck when every thread
 * sleeps in a futex without a limit, and none has moved since the last look. */
struct watchdog_stuck {
	uint64_t sum;	/* of all switches of all threads */
	uint32_t quiet; /* looks without a change */
};

enum { WATCHDOG_STUCK = 3 };

/* "202 0xaddr 0xop 0xval 0xtimeout ...": a futex, and the timeout is 0. */
static inline bool watchdog_waits(uint32_t pid, uint32_t tid,
				  const struct watchdog_means *means)
{
	char text[512];
	const char *p = text;

	watchdog_read(pid, tid, "/syscall", means, text, sizeof(text));
	if (p[0] != '2' || p[1] != '0' || p[2] != '2' || p[3] != ' ')
		return false;
	for (int i = 0; i < 4 && *p; i++) {
		while (*p && *p != ' ')
			p++;
		while (*p == ' ')
			p++;
	}
	return p[0] == '0' && p[1] == 'x' && p[2] == '0' && p[3] == ' ';
}

static inline bool watchdog_is_stuck(struct watchdog_stuck *w, uint32_t pid,
				     const struct region *r,
				     const struct watchdog_means *means)
{
	uint32_t count = atomic_load(&r->thread_count);
	uint64_t sum = 0, switches;
	bool any = false;

	for (uint32_t i = 0; i < count && i < REGION_THREADS; i++) {
		uint32_t tid = r->threads[i].kernel_tid;

		/* One that is not born yet will do something. */
		if (!tid) {
			w->quiet = 0;
			return false;
		}
		if (atomic_load(&r->threads[i].end_stamp))
			continue;
		if (!watchdog_sleeps(pid, tid, means, &switches) ||
		    !watchdog_waits(pid, tid, means)) {
			w->quiet = 0;
			return false;
		}
		any = true;
		sum += switches;
	}
	w->quiet = any && sum == w->sum ? w->quiet + 1 : 0;
	w->sum = sum;
	return w->quiet >= WATCHDOG_STUCK;
}

/* ---- memory ---- */

/* Does the process hold more than `most` bytes of memory of its own? */
static inline bool watchdog_is_fat(uint32_t pid, uint64_t most,
				   const struct watchdog_means *means)
{
	char path[64], text[4096];
	const char *digits;
	uint64_t kib = 0;
	long n;

	if (!most)
		return false;
	put_text(put_number(put_text(path, "/proc/"), pid), "/status");
	n = means->read(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	digits = watchdog_field(text, "RssAnon");
	for (; digits && *digits >= '0' && *digits <= '9'; digits++)
		kib = kib * 10 + (uint64_t)(*digits - '0');
	return kib > most >> 10;
}

#define WATCHDOG_FAT "more memory than a run may use (--memory)"

/* ---- taking the turn ---- */

/* One that waits for its turn. */
static inline uint32_t watchdog_deputy(const struct control *c, uint32_t holder)
{
	for (uint32_t n = 0; n < c->run.thread_count; n++) {
		uint8_t state = c->threads[n].state;

		if (n != holder &&
		    (state == THREAD_READY || state == THREAD_BLOCKED ||
		     state == THREAD_ASLEEP))
			return n;
	}
	return NO_THREAD;
}

static inline void watchdog_hand_over(struct region *r, uint32_t pid,
				      uint32_t deputy,
				      const struct watchdog_means *means)
{
	enum { TURN_IS_LOST = 3 }; /* TURN_LOST of the guest */

	atomic_store(&r->control.threads[deputy].turn, TURN_IS_LOST);
	means->kick(pid, r->threads[deputy].kernel_tid, WATCHDOG_SIGNAL);
}

static inline void watchdog_take(struct region *r, const struct watchdog *w,
				 uint32_t pid, uint32_t deputy,
				 const struct watchdog_means *means)
{
	struct control *c = &r->control;
	uint32_t proposed = LOST_PROPOSED;
	uint64_t switches = 0;
	bool is_asleep;

	c->run.lost_thread = w->holder;
	atomic_store(&c->run.lost, LOST_PROPOSED);
	atomic_store(&c->run.holder, NO_THREAD);
	is_asleep = watchdog_sleeps(pid, r->threads[w->holder].kernel_tid,
				    means, &switches) &&
		    switches == w->switches && c->run.points == w->points;
	if (atomic_compare_exchange_strong(&c->run.lost, &proposed,
					   is_asleep ? LOST_TAKEN :
						       LOST_NONE) &&
	    !is_asleep)
		atomic_store(&c->run.holder, w->holder);
	else
		watchdog_hand_over(r, pid, deputy, means);
}

/* The run is over: what is its outcome, if the turn was taken away? A run that
 * came to no end says nothing then; nor does one that hangs and has threads
 * that may wait in libc since before control began, where nobody wakes them. */
static inline void watchdog_settle(struct control_run *run, int wait_status)
{
	struct outcome *o = &run->outcome;

	if (!run->lost_count && run->has_strangers && o->kind == OUTCOME_HANG) {
		o->kind = OUTCOME_UNCONTROLLED;
		put_text(o->text, "a thread that a constructor started "
				  "waits where control does not reach");
	}
	if (!run->lost_count || (o->kind != OUTCOME_HANG &&
				 (o->kind != OUTCOME_NONE || wait_status != 0)))
		return;
	o->kind = OUTCOME_UNCONTROLLED;
	o->thread = run->lost_thread;
	o->stack = run->lost_stack;
	put_text(o->text, run->ran_away ?
				  "a thread ran where control does not "
				  "reach" :
				  "a thread slept where control does not "
				  "reach");
}

/* How long the holder may be without a point until it is asked. */
static inline uint64_t watchdog_patience(const struct region *r,
					 uint32_t holder)
{
	enum { NEWBORN_MS = 1000, BEFORE_HANG_MS = 250 };
	const struct control *c = &r->control;
	uint64_t hang = c->ask.hang_ms;

	if (atomic_load(&r->instrumented) &&
	    c->threads[holder].kind == EVENT_THREAD_BEGIN)
		return NEWBORN_MS;
	if (!hang)
		return UINT64_MAX;
	return hang > BEFORE_HANG_MS ? hang - BEFORE_HANG_MS : hang / 2;
}

static inline void watchdog_ask(struct region *r, uint32_t pid, uint32_t holder,
				const struct watchdog_means *means)
{
	atomic_store(&r->control.run.deaf, holder + 1);
	means->kick(pid, r->threads[holder].kernel_tid, WATCHDOG_SIGNAL);
}

/* To be called now and then while the run `pid` is under way, and was at no
 * point for `quiet` milliseconds. */
static inline void watchdog_look(struct watchdog *w, struct region *r,
				 uint32_t pid, uint64_t quiet,
				 const struct watchdog_means *means)
{
	struct control *c = &r->control;
	uint32_t holder = atomic_load(&c->run.holder), deputy;
	uint64_t points = c->run.points, switches = 0;
	bool is_asleep, has_asked;

	if (holder >= CONTROL_THREADS || atomic_load(&c->run.napping) ||
	    atomic_load(&c->run.lost) != LOST_NONE)
		return;
	is_asleep = watchdog_sleeps(pid, r->threads[holder].kernel_tid, means,
				    &switches);
	deputy = watchdog_deputy(c, holder);
	if (w->is_suspect && is_asleep && deputy != NO_THREAD &&
	    w->holder == holder && w->points == points &&
	    w->switches == switches) {
		watchdog_take(r, w, pid, deputy, means);
		is_asleep = false;
	}
	has_asked = w->has_asked && w->points == points;
	if (!has_asked && quiet >= watchdog_patience(r, holder) &&
	    deputy != NO_THREAD) {
		watchdog_ask(r, pid, holder, means);
		has_asked = true;
	}
	*w = (struct watchdog){ .points = points,
				.switches = switches,
				.holder = holder,
				.is_suspect = is_asleep,
				.has_asked = has_asked };
}

#endif
