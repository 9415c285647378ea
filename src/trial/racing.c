/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/racing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "format/rng.h"
#include "trial/standing.h"

/* ---- words ---- */

static const char *access_word(const struct race_access *a)
{
	if (a->kind == EVENT_FREE)
		return "free";
	if (a->is_atomic)
		return a->is_write ? "atomic write" : "atomic read";
	return a->is_write ? "write" : "read";
}

static bool is_of_libc(const struct frame *f)
{
	const char *slash = f->module ? strrchr(f->module, '/') : NULL;

	return slash && strncmp(slash, "/libc.so", 8) == 0;
}

/* With `how`, or the place alone. */
static char *side_text(struct sites *s, const struct race_access *a,
		       const char *how)
{
	struct site_chain chain = stack_resolve(s, a->stack);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(how, out);
	if (chain.count) {
		fputs(*how ? " in " : "in ", out);
		standing_frame(&chain.frames[0], out);
	}
	fclose(out);
	return text;
}

/* Which side came first is a matter of the schedule. Both are freed. */
static char *sides_text(const struct race_finding *f, struct sites *s, char *a,
			char *b)
{
	char *name = location_name(&f->where, f->addr, f->size, s);
	bool in_order = strcmp(a, b) <= 0;
	char *text = xasprintf("on %s: %s, %s", name, in_order ? a : b,
			       in_order ? b : a);

	free(name);
	free(a);
	free(b);
	return text;
}

static char *text_of(const struct race_finding *f, struct sites *s)
{
	return sides_text(f, s, side_text(s, &f->first, access_word(&f->first)),
			  side_text(s, &f->second, access_word(&f->second)));
}

/* The read and the write of "x++" race with another thread's, and that is one
 * bug: whether it reads or writes is not what tells races apart. */
static const char *essence(const struct race_access *a)
{
	return a->kind == EVENT_FREE ? "free" : "";
}

static char *identity_of(const struct race_finding *f, struct sites *s)
{
	return sides_text(f, s, side_text(s, &f->first, essence(&f->first)),
			  side_text(s, &f->second, essence(&f->second)));
}

/* As what it is waited for. */
static unsigned int lock_event(const struct held_lock *l)
{
	switch (l->kind) {
	case LOCK_SPIN:
		return EVENT_SPIN_LOCK;
	case LOCK_RWLOCK:
		return l->is_read ? EVENT_RWLOCK_RDLOCK : EVENT_RWLOCK_WRLOCK;
	case LOCK_SEMAPHORE:
		return EVENT_SEM_WAIT;
	default:
		return EVENT_MUTEX_LOCK;
	}
}

static void print_lock(struct sites *s, const struct held_lock *l, FILE *out)
{
	static const char global[] = "global ";
	unsigned int event = lock_event(l);
	struct site_chain chain = stack_resolve(s, l->stack);
	char *name = location_name(&l->where, l->addr,
				   standing_object_size(event), s);
	bool is_global = strncmp(name, global, sizeof(global) - 1) == 0;

	fprintf(out, "      holds %s %s", standing_object(event),
		name + (is_global ? sizeof(global) - 1 : 0));
	if (chain.count) {
		fputs(", taken in ", out);
		standing_frame(&chain.frames[0], out);
	}
	putc('\n', out);
	free(name);
}

static void print_side(struct sites *s, const struct race_access *a, FILE *out)
{
	struct site_chain chain = stack_resolve(s, a->stack);

	fprintf(out, "  %s by thread %" PRIu32 "\n", access_word(a), a->thread);
	for (size_t i = 0; i < chain.count; i++) {
		if (is_of_libc(&chain.frames[i]))
			continue;
		fprintf(out, "      %s ", i ? "by" : "at");
		standing_frame(&chain.frames[i], out);
		putc('\n', out);
	}
	for (size_t i = 0; i < a->lock_count; i++)
		print_lock(s, &a->locks[i], out);
}

static bool holds(const struct race_access *a, uint64_t lock)
{
	for (size_t i = 0; i < a->lock_count; i++)
		if (a->locks[i].addr == lock)
			return true;
	return false;
}

/* Two readers may both hold a lock, and race. */
static const char *missing(const struct race_finding *f)
{
	for (size_t i = 0; i < f->first.lock_count; i++)
		if (holds(&f->second, f->first.locks[i].addr))
			return "a lock that both hold keeps neither out";
	return f->first.lock_count || f->second.lock_count ?
		       "no lock is held by both" :
		       "no lock is held";
}

static char *details_of(const struct race_finding *f, struct sites *s)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_side(s, &f->first, out);
	print_side(s, &f->second, out);
	fprintf(out, "  nothing orders the two: %s\n", missing(f));
	fclose(out);
	return text;
}

/* ---- what is known ---- */

static uint64_t side_key(const struct trace *t, const struct race_access *a)
{
	uint64_t key = (uint64_t)a->thread << 32 | (uint64_t)a->kind << 1 |
		       a->is_write;
	uint32_t node = a->stack;

	while (node && node < trace_stacks(t)) {
		const struct region_stack *at = trace_stack(t, node);

		key = rng_mix(key + at->site);
		node = at->parent < node ? at->parent : 0;
	}
	for (size_t i = 0; i < a->lock_count; i++)
		key = rng_mix(key + a->locks[i].addr + a->locks[i].is_read) +
		      a->locks[i].stack;
	return key;
}

static struct remark *remember(struct racing *r, const struct trace *t,
			       const struct race_finding *f, struct sites **s)
{
	uint64_t where = rng_mix(f->addr ^ (uint64_t)f->where.kind << 56);
	uint32_t *n = keymap_at(&r->keys, side_key(t, &f->first) ^ where,
				side_key(t, &f->second));

	if (*n)
		return &r->known.at[*n - 1];
	if (!*s)
		*s = sites_new(t);
	vec_push(&r->known, (struct remark){ text_of(f, *s), identity_of(f, *s),
					     details_of(f, *s) });
	*n = (uint32_t)r->known.count;
	return &r->known.at[*n - 1];
}

/* ---- the trace ---- */

static int trace_look(struct racing *r, const char *path, struct err *err)
{
	const struct analysis_options wanted = { .races = true };
	struct trace *t = trace_open(path, err);
	struct analysis_result *found = t ? analyse(t, &wanted, err) : NULL;
	struct sites *s = NULL;
	int rc = found ? 0 : -1;

	for (size_t i = 0; found && i < found->race_count; i++)
		vec_push(&r->all, *remember(r, t, &found->races[i], &s));
	sites_free(s);
	analysis_free(found);
	if (t)
		trace_close(t);
	return rc;
}

static int memory_file(struct racing *r, struct err *err)
{
	r->fd = memfd_create("heddle-trace", MFD_CLOEXEC);
	if (r->fd < 0)
		return err_set(err, "cannot make a memory file: %s",
			       strerror(errno));
	return 0;
}

static char *trace_path(const struct racing *r)
{
	return r->path ? xstrdup(r->path) :
			 xasprintf("/proc/self/fd/%d", r->fd);
}

static void memory_file_close(struct racing *r)
{
	if (!r->path)
		close(r->fd);
}

int racing_begin(struct racing *r, struct drain *d, struct err *err)
{
	struct trace_info info = { .mode = d->region->mode, .command = "" };
	char *path;

	if (!r->path && memory_file(r, err) < 0)
		return -1;
	path = trace_path(r);
	d->writer = trace_create(path, &info, err);
	free(path);
	if (d->writer)
		return 0;
	memory_file_close(r);
	return -1;
}

int racing_end(struct racing *r, struct drain *d, bool is_wanted,
	       struct err *err)
{
	char *path = trace_path(r);
	int rc = 0;

	if (is_wanted || r->path) {
		rc = drain_finish(d, err);
		if (rc == 0 && is_wanted)
			rc = trace_look(r, path, err);
	} else {
		if (d->writer)
			trace_abandon(d->writer);
		d->writer = NULL;
		drain_rest(d);
	}
	free(path);
	memory_file_close(r);
	return rc;
}

void racing_forget(struct racing *r)
{
	r->all.count = 0;
}

void racing_copy(struct racing *to, const struct racing *from)
{
	for (size_t i = 0; i < from->all.count; i++) {
		vec_push(&to->known,
			 (struct remark){ xstrdup(from->all.at[i].text),
					  xstrdup(from->all.at[i].identity),
					  xstrdup(from->all.at[i].details) });
		vec_push(&to->all, to->known.at[i]);
	}
}

void racing_done(struct racing *r)
{
	for (size_t i = 0; i < r->known.count; i++) {
		free(r->known.at[i].text);
		free(r->known.at[i].identity);
		free(r->known.at[i].details);
	}
	vec_free(&r->known);
	vec_free(&r->all);
	keymap_done(&r->keys);
}
