/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/standing.h"

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "format/event.h"

/* ---- frames ---- */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct region_module *module_of(const struct captured *c,
					     uint32_t site)
{
	for (uint32_t i = 0; i < c->module_count; i++) {
		const struct region_module *m = &c->modules[i];

		if (site - m->site < m->size)
			return m;
	}
	return NULL;
}

static bool is_of_the_system(const struct region_module *m)
{
	const char *name = file_name(m->path);

	return strncmp(name, "libheddle.so", 12) == 0 ||
	       strncmp(name, "libc.so", 7) == 0 ||
	       strncmp(name, "ld-linux", 8) == 0 ||
	       strncmp(name, "linux-vdso", 10) == 0;
}

/* A node's parent stands before it; anything else is damage. */
static uint32_t stack_up(const struct captured *c, uint32_t node)
{
	uint32_t parent = c->stacks[node].parent;

	return parent < node ? parent : 0;
}

static size_t own_frames(const struct captured *c, struct sites *s,
			 uint32_t stack, bool is_strict,
			 const struct frame **frames, size_t most)
{
	size_t n = 0;

	for (uint32_t at = stack; at && at < c->stack_count;
	     at = stack_up(c, at)) {
		uint32_t site = c->stacks[at].site;
		const struct region_module *m = module_of(c, site);
		struct site_chain chain;

		if (!m || (is_strict ? !m->instrumented : is_of_the_system(m)))
			continue;
		chain = site_resolve(s, site, true);
		for (size_t i = 0; i < chain.count && n < most; i++)
			frames[n++] = &chain.frames[i];
	}
	return n;
}

size_t standing_own(const struct captured *c, struct sites *s, uint32_t stack,
		    const struct frame **frames, size_t most)
{
	size_t n = own_frames(c, s, stack, true, frames, most);

	return n ? n : own_frames(c, s, stack, false, frames, most);
}

void standing_frame(const struct frame *f, FILE *out)
{
	const char *module = f->module ? file_name(f->module) : "?";

	if (f->function)
		fputs(f->function, out);
	else
		fprintf(out, "%s+0x%" PRIx64, module, f->offset);
	if (f->file && f->line)
		fprintf(out, " (%s:%d)", file_name(f->file), f->line);
	else if (f->function)
		fprintf(out, " (%s)", module);
}

void standing_stack(const struct captured *c, struct sites *s, uint32_t stack,
		    FILE *out)
{
	enum { MOST = 64 };
	const struct frame *frames[MOST];
	size_t count = own_frames(c, s, stack, false, frames, MOST), own = 0;
	const char *before = "at";

	for (size_t i = 0; i < count; i++)
		own += !frame_is_of_library(frames[i]);
	for (size_t i = 0; i < count; i++) {
		if (own && frame_is_of_library(frames[i]))
			continue;
		fprintf(out, "      %s ", before);
		standing_frame(frames[i], out);
		putc('\n', out);
		before = "by";
	}
}

/* ---- threads ---- */

void standing_name(const struct captured *c, struct sites *s, uint32_t thread,
		   FILE *out)
{
	char *function = thread == 0 ? xstrdup("main") : NULL;

	if (thread && thread < c->thread_table_count)
		function = thread_function(s, &c->thread_table[thread]);
	fprintf(out, "thread %" PRIu32, thread);
	if (function)
		fprintf(out, " (%s)", function);
	free(function);
}

bool standing_waits(const struct control_thread *t)
{
	return t->state == THREAD_BLOCKED || t->state == THREAD_ASLEEP ||
	       t->state == THREAD_AWAY;
}

const char *standing_object(unsigned int kind)
{
	switch (kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_UNLOCK:
		return "mutex";
	case EVENT_SPIN_LOCK:
		return "spin lock";
	case EVENT_RWLOCK_RDLOCK:
		return "read lock";
	case EVENT_RWLOCK_WRLOCK:
		return "write lock";
	case EVENT_COND_WAIT:
	case EVENT_COND_WAKE:
		return "condition";
	case EVENT_SEM_WAIT:
		return "semaphore";
	case EVENT_BARRIER_ENTER:
	case EVENT_BARRIER_LEAVE:
		return "barrier";
	case EVENT_ONCE_PASS:
	case EVENT_ONCE_DONE:
		return "initialiser";
	case EVENT_FUTEX_WAIT:
	case EVENT_FUTEX_WOKEN:
		return "futex";
	default:
		return NULL;
	}
}

uint64_t standing_object_size(unsigned int kind)
{
	switch (kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_UNLOCK:
		return sizeof(pthread_mutex_t);
	case EVENT_SPIN_LOCK:
		return sizeof(pthread_spinlock_t);
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
		return sizeof(pthread_rwlock_t);
	case EVENT_COND_WAIT:
	case EVENT_COND_WAKE:
		return sizeof(pthread_cond_t);
	case EVENT_SEM_WAIT:
		return sizeof(sem_t);
	case EVENT_BARRIER_ENTER:
	case EVENT_BARRIER_LEAVE:
		return sizeof(pthread_barrier_t);
	default:
		return sizeof(int);
	}
}

static void object_print(struct sites *s, unsigned int kind, uint64_t object,
			 FILE *out)
{
	const char *name = global_name(s, object, standing_object_size(kind));

	fprintf(out, "%s ", standing_object(kind));
	if (name)
		fputs(name, out);
	else
		fprintf(out, "0x%" PRIx64, object);
}

static void holders_print(const struct captured *c, uint64_t object, FILE *out)
{
	const char *before = ", held by";

	for (uint32_t n = 0; n < c->run.thread_count; n++) {
		const struct control_thread *t = &c->threads[n];

		for (uint32_t i = 0; i < t->hold_count && i < CONTROL_HELD; i++)
			if (t->holds[i].object == object &&
			    t->state != THREAD_UNUSED) {
				fprintf(out, "%s thread %" PRIu32, before, n);
				before = " and";
			}
	}
}

static void wait_print(const struct captured *c, struct sites *s,
		       const struct control_thread *t, FILE *out)
{
	if (t->state == THREAD_READY) {
		fputs(t->spins ? " spins" :
		      (uint32_t)(t - c->threads) == c->run.holder ?
				 " had the turn" :
				 " could go on",
		      out);
	} else if (t->state == THREAD_OVER) {
		fputs(" has ended", out);
	} else if (t->state == THREAD_AWAY) {
		fputs(" is in a call of the system", out);
	} else if (t->kind == EVENT_THREAD_JOIN) {
		fprintf(out, " waits for the end of thread %" PRIu64,
			t->object);
	} else if (standing_object(t->kind)) {
		fputs(" waits for ", out);
		object_print(s, t->kind, t->object, out);
		holders_print(c, t->object, out);
	} else {
		fputs(t->state == THREAD_ASLEEP ? " sleeps" : " waits", out);
	}
}

/* The program takes a lock of C++ in its own code, whoever calls for it in
 * between. NULL: nothing is known. */
static const struct frame *taken_in(const struct captured *c, struct sites *s,
				    uint32_t stack)
{
	enum { MOST = 64 };
	const struct frame *frames[MOST];
	size_t count = standing_own(c, s, stack, frames, MOST);

	for (size_t i = 0; i < count; i++)
		if (!frame_is_of_library(frames[i]))
			return frames[i];
	return count ? frames[0] : NULL;
}

static void holds_print(const struct captured *c, struct sites *s,
			const struct control_thread *t, FILE *out)
{
	for (uint32_t i = 0; i < t->hold_count && i < CONTROL_HELD; i++) {
		const struct control_hold *h = &t->holds[i];
		const struct frame *frame;

		if (!standing_object(h->kind))
			continue;
		fputs("      holds ", out);
		object_print(s, h->kind, h->object, out);
		frame = taken_in(c, s, h->stack);
		if (frame) {
			fputs(", taken in ", out);
			standing_frame(frame, out);
		}
		putc('\n', out);
	}
}

void standing_threads(const struct captured *c, struct sites *s, FILE *out)
{
	for (uint32_t n = 0; n < c->run.thread_count; n++) {
		const struct control_thread *t = &c->threads[n];

		if (t->state == THREAD_UNUSED || t->state == THREAD_OVER)
			continue;
		fputs("  ", out);
		standing_name(c, s, n, out);
		wait_print(c, s, t, out);
		putc('\n', out);
		standing_stack(c, s, t->stack, out);
		holds_print(c, s, t, out);
	}
}
