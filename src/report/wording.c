/* SPDX-License-Identifier: Apache-2.0 */
#include "report/wording.h"

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

const char *word_access(const struct race_access *a)
{
	if (a->kind == EVENT_FREE)
		return "free";
	if (a->is_atomic)
		return a->is_write ? "atomic write" : "atomic read";
	return a->is_write ? "write" : "read";
}

const char *word_lock(const struct held_lock *l)
{
	switch (l->kind) {
	case LOCK_MUTEX:
		return "mutex";
	case LOCK_SPIN:
		return "spin lock";
	case LOCK_RWLOCK:
		return l->is_read ? "read lock" : "write lock";
	case LOCK_SEMAPHORE:
		return "semaphore";
	}
	return "lock";
}

uint64_t word_lock_size(const struct held_lock *l)
{
	switch (l->kind) {
	case LOCK_MUTEX:
		return sizeof(pthread_mutex_t);
	case LOCK_SPIN:
		return sizeof(pthread_spinlock_t);
	case LOCK_RWLOCK:
		return sizeof(pthread_rwlock_t);
	case LOCK_SEMAPHORE:
		return sizeof(sem_t);
	}
	return 1;
}

char *word_start(const struct trace *t, struct sites *s, uint32_t thread)
{
	return thread < trace_threads(t) ?
		       thread_function(s, trace_thread(t, thread)) :
		       NULL;
}

const char *word_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void word_frame(const struct frame *f, FILE *out)
{
	if (f->function)
		fprintf(out, "%s ", f->function);
	if (!f->file) {
		fprintf(out, "%s+0x%" PRIx64,
			f->module ? word_file(f->module) : "?", f->offset);
		return;
	}
	fputs(word_file(f->file), out);
	if (f->line)
		fprintf(out, ":%d", f->line);
	if (f->line && f->column)
		fprintf(out, ":%d", f->column);
}

/* What the program asks of these is seen where it asks: the guest stands in
 * front of the functions that use the program's memory. */
static bool is_modelled(const char *name)
{
	static const char *const known[] = {
		"libheddle.so",	  "ld-linux",  "linux-vdso", "libc.so.",
		"libpthread.so.", "libdl.so.", "librt.so.",  "libgcc_s.so.",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(name, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

bool word_is_invisible(const struct region_module *m)
{
	const char *name = word_file(m->path);

	return !m->instrumented && *name && name[0] != '[' &&
	       !is_modelled(name);
}

void word_count(uint64_t n, const char *one, const char *many, FILE *out)
{
	fprintf(out, "%" PRIu64 " %s", n, n == 1 ? one : many);
}
