/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a trace: each chunk is packed in memory and put at the end of the
 * file by one call, so that a killed tool or a full disk costs the last chunk
 * at most. After a failed write the file is cut back to its last whole chunk
 * and every further call fails in the same words.
 */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "trace/event_bytes.h"
#include "trace/trace_layout.h"

enum {
	/* The tool must keep up with the program it drains. Level 1 packs to
	 * four fifths of this size, and takes a quarter more of the tool's
	 * time; below this the file grows faster than the time falls. */
	PACK_LEVEL = -3,
	/* A table's entry is smaller than this. */
	ENTRY_MAX = REGION_PATH + 256,
	HELD_MAX = 256,
};

/* A packed chunk that came before an earlier one of its thread: whoever looks
 * for full slots while threads fill them may see the second one first. It
 * waits, because readers rely on the order. */
struct held_chunk {
	uint32_t thread, sequence;
	uint8_t *bytes;
	size_t size;
};

struct trace_writer {
	int fd;
	char *path;
	uint64_t size; /* of the whole chunks in the file */
	uint64_t events;
	bool is_broken;
	struct err broken;
	ZSTD_CCtx *packer;
	uint8_t *chunk; /* CHUNK_HEADER + CHUNK_PACKED_MAX */
	uint8_t *raw;	/* CHUNK_RAW_MAX, for tables */

	/* How much of the region's tables is in the file. */
	uint32_t threads, modules, stacks, notes;
	VEC(uint32_t) running; /* threads written without their end */
	VEC(uint32_t) unborn;  /* threads written before their beginning */

	VEC(uint32_t) next; /* sequence, by thread */
	VEC(struct held_chunk) held;
};

/* ---- the file ---- */

/* Writing beyond the limit of file sizes raises SIGXFSZ, whose default ends
 * the process: hold it back, and take it away when it came from us. */
static ssize_t write_quietly(int fd, const uint8_t *p, size_t size)
{
	const struct timespec none = { 0 };
	sigset_t limit, before;
	ssize_t n;
	int saved;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	n = write(fd, p, size);
	saved = errno;
	if (n < 0 && saved == EFBIG && !sigismember(&before, SIGXFSZ))
		sigtimedwait(&limit, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return n;
}

static int write_all(int fd, const uint8_t *p, size_t size)
{
	while (size > 0) {
		ssize_t n = write_quietly(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static const char *remedy(int number)
{
	if (number == ENOSPC || number == EDQUOT)
		return "; make room or name another place";
	if (number == EFBIG)
		return "; raise the limit of file sizes (ulimit -f)";
	return "; name another place";
}

/* Remembers why the writer is of no more use. */
static int broken(struct trace_writer *w, int number, struct err *err)
{
	if (!w->is_broken) {
		w->is_broken = true;
		err_set(&w->broken,
			"cannot write trace %s: %s after %llu bytes%s; what is written stays readable",
			w->path, strerror(number), (unsigned long long)w->size,
			remedy(number));
	}
	*err = w->broken;
	return -1;
}

static int append(struct trace_writer *w, const uint8_t *p, size_t size,
		  struct err *err)
{
	int number;

	if (w->is_broken)
		return broken(w, 0, err);
	if (write_all(w->fd, p, size) == 0) {
		w->size += size;
		return 0;
	}
	number = errno;
	/* When cutting back fails too, the reader passes over the rest. */
	if (ftruncate(w->fd, (off_t)w->size) == 0)
		lseek(w->fd, (off_t)w->size, SEEK_SET);
	return broken(w, number, err);
}

/* ---- chunks ---- */

static void put_chunk_header(uint8_t *start, const struct chunk *c)
{
	uint8_t *p = start;

	p = layout_put32(p, CHUNK_MAGIC);
	p = layout_put32(p, c->type);
	p = layout_put32(p, c->thread);
	p = layout_put32(p, c->sequence);
	p = layout_put32(p, c->raw_size);
	p = layout_put32(p, c->packed_size);
	p = layout_put64(p, c->first_stamp);
	p = layout_put64(p, c->least_stamp);
	p = layout_put32(p, c->count);
	p = layout_put32(p, 0);
	p = layout_put64(p, c->payload_sum);
	layout_put64(p, XXH64(start, CHUNK_SUM_AT, 0));
}

/* Packs `raw` into w->chunk, sizes and sums filled in: the chunk's size. */
static size_t pack_chunk(struct trace_writer *w, struct chunk *c,
			 const void *raw, size_t size)
{
	uint8_t *payload = w->chunk + CHUNK_HEADER;
	size_t packed = ZSTD_compressCCtx(w->packer, payload, CHUNK_PACKED_MAX,
					  raw, size, PACK_LEVEL);

	CHECK(!ZSTD_isError(packed));
	c->raw_size = (uint32_t)size;
	c->packed_size = (uint32_t)packed;
	c->payload_sum = XXH64(payload, packed, 0);
	put_chunk_header(w->chunk, c);
	return CHUNK_HEADER + packed;
}

static int append_chunk(struct trace_writer *w, struct chunk *c,
			const void *raw, size_t size, struct err *err)
{
	return append(w, w->chunk, pack_chunk(w, c, raw, size), err);
}

/* ---- events, each thread's chunks in order ---- */

static uint32_t *next_sequence(struct trace_writer *w, uint32_t thread)
{
	while (w->next.count <= thread)
		vec_push(&w->next, 0);
	return &w->next.at[thread];
}

static void hold(struct trace_writer *w, const struct chunk *c, size_t size)
{
	struct held_chunk h = { .thread = c->thread,
				.sequence = c->sequence,
				.bytes = xmalloc(size),
				.size = size };

	memcpy(h.bytes, w->chunk, size);
	vec_push(&w->held, h);
}

static int append_held(struct trace_writer *w, const struct held_chunk *h,
		       struct err *err)
{
	*next_sequence(w, h->thread) = h->sequence + 1;
	return append(w, h->bytes, h->size, err);
}

/* The place in the list of the thread's next chunk, or the list's end. */
static size_t find_held(struct trace_writer *w, uint32_t thread)
{
	uint32_t next = *next_sequence(w, thread);
	size_t i = 0;

	while (i < w->held.count && (w->held.at[i].thread != thread ||
				     w->held.at[i].sequence != next))
		i++;
	return i;
}

/* Appends what waited for the thread's last chunk. */
static int release_next(struct trace_writer *w, uint32_t thread,
			struct err *err)
{
	int rc = 0;
	size_t i;

	while (rc == 0 && (i = find_held(w, thread)) < w->held.count) {
		struct held_chunk h = w->held.at[i];

		w->held.at[i] = w->held.at[--w->held.count];
		rc = append_held(w, &h, err);
		free(h.bytes);
	}
	return rc;
}

static int compare_held(const void *a, const void *b)
{
	const struct held_chunk *x = a, *y = b;

	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Appends all that is held, without waiting any longer. */
static int release_all(struct trace_writer *w, struct err *err)
{
	int rc = 0;

	if (w->held.count == 0)
		return 0;
	qsort(w->held.at, w->held.count, sizeof(*w->held.at), compare_held);
	for (size_t i = 0; i < w->held.count; i++) {
		if (rc == 0)
			rc = append_held(w, &w->held.at[i], err);
		free(w->held.at[i].bytes);
	}
	w->held.count = 0;
	return rc;
}

/* Appends the chunk of events in w->chunk when its turn has come. */
static int append_events(struct trace_writer *w, const struct chunk *c,
			 size_t size, struct err *err)
{
	/* A number the program has overwritten: the reader tells. */
	if (c->thread >= REGION_THREADS)
		return append(w, w->chunk, size, err);
	if (c->sequence > *next_sequence(w, c->thread)) {
		hold(w, c, size);
		return w->held.count < HELD_MAX ? 0 : release_all(w, err);
	}
	if (append(w, w->chunk, size, err))
		return -1;
	if (c->sequence == w->next.at[c->thread])
		w->next.at[c->thread]++;
	return w->held.count > 0 ? release_next(w, c->thread, err) : 0;
}

int trace_write_counted(struct trace_writer *w, uint32_t thread,
			uint32_t sequence, uint64_t first_stamp,
			const void *bytes, size_t size, uint32_t count,
			struct err *err)
{
	struct chunk c = {
		.type = CHUNK_EVENTS,
		.thread = thread,
		.sequence = sequence,
		.first_stamp = first_stamp,
		.count = count,
	};

	CHECK(size <= CHUNK_RAW_MAX);
	if (w->is_broken)
		return broken(w, 0, err);
	c.least_stamp = event_bytes_least_stamp(first_stamp, bytes, size);
	w->events += count;
	return append_events(w, &c, pack_chunk(w, &c, bytes, size), err);
}

int trace_write_events(struct trace_writer *w, uint32_t thread,
		       uint32_t sequence, uint64_t first_stamp,
		       const void *bytes, size_t size, struct err *err)
{
	return trace_write_counted(w, thread, sequence, first_stamp, bytes,
				   size, event_bytes_count(bytes, size), err);
}

/* ---- tables ---- */

static uint8_t *put_thread(uint8_t *p, const struct region *r, uint32_t n)
{
	const struct region_thread *t = &r->threads[n];

	p = layout_put32(p, t->parent);
	p = layout_put32(p, t->nth);
	p = layout_put32(p, t->kernel_tid);
	p = layout_put32(p, t->stack);
	p = layout_put64(p, t->stack_low);
	p = layout_put64(p, t->stack_high);
	return layout_put64(p, t->start);
}

static uint8_t *put_module(uint8_t *p, const struct region *r, uint32_t n)
{
	const struct region_module *m = &r->modules[n];
	size_t path = strnlen(m->path, sizeof(m->path) - 1);
	size_t id = m->build_id_size;

	if (id > sizeof(m->build_id))
		id = sizeof(m->build_id);
	p = layout_put64(p, m->base);
	p = layout_put64(p, m->bias);
	p = layout_put32(p, m->size);
	p = layout_put32(p, m->site);
	p = layout_put32(p, m->instrumented);
	p = layout_put32(p, (uint32_t)id);
	p = layout_put32(p, (uint32_t)path);
	memcpy(p, m->build_id, id);
	memcpy(p + id, m->path, path);
	return p + id + path;
}

static uint8_t *put_stack(uint8_t *p, const struct region *r, uint32_t n)
{
	p = layout_put32(p, r->stacks[n].parent);
	return layout_put32(p, r->stacks[n].site);
}

static uint8_t *put_note(uint8_t *p, const struct region *r, uint32_t n)
{
	const struct region_note *note = &r->notes[n];
	size_t size = strnlen(note->text, sizeof(note->text));

	p = layout_put32(p, (uint32_t)size);
	memcpy(p, note->text, size);
	return p + size;
}

/* Appends entries *written .. count of one table, in as many chunks as that
 * takes. */
static int append_table(struct trace_writer *w, enum chunk_type type,
			uint32_t *written, uint32_t count,
			uint8_t *put(uint8_t *p, const struct region *r,
				     uint32_t n),
			const struct region *region, struct err *err)
{
	while (*written < count) {
		struct chunk c = { .type = type, .thread = *written };
		uint8_t *p = w->raw, *full = w->raw + CHUNK_RAW_MAX - ENTRY_MAX;
		uint32_t n = *written;

		while (n < count && p < full)
			p = put(p, region, n++);
		c.count = n - *written;
		if (append_chunk(w, &c, w->raw, (size_t)(p - w->raw), err))
			return -1;
		*written = n;
	}
	return 0;
}

static uint64_t end_stamp(const struct region *region, uint32_t thread)
{
	/* Pairs with the store at the thread's end; 0 is told later. */
	return atomic_load_explicit(&region->threads[thread].end_stamp,
				    memory_order_acquire);
}

/* Appends the ends of threads that were still running at the last call. */
static int append_ends(struct trace_writer *w, const struct region *region,
		       struct err *err)
{
	struct chunk c = { .type = CHUNK_THREAD_ENDS };
	uint8_t *p = w->raw;
	size_t kept = 0;

	for (size_t i = 0; i < w->running.count; i++) {
		uint32_t thread = w->running.at[i];
		uint64_t stamp = end_stamp(region, thread);

		if (stamp == 0 || p + 16 > w->raw + CHUNK_RAW_MAX) {
			w->running.at[kept++] = thread;
			continue;
		}
		p = layout_put32(p, thread);
		p = layout_put32(p, region->threads[thread].deepest);
		p = layout_put64(p, stamp);
		c.count++;
	}
	w->running.count = kept;
	if (c.count == 0)
		return 0;
	return append_chunk(w, &c, w->raw, (size_t)(p - w->raw), err);
}

/* Appends the entries of threads that have begun since, before their events. */
static int append_births(struct trace_writer *w, const struct region *region,
			 struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->unborn.count; i++) {
		uint32_t thread = w->unborn.at[i], at = thread;

		if (!region->threads[thread].kernel_tid)
			w->unborn.at[kept++] = thread;
		else if (append_table(w, CHUNK_THREADS, &at, thread + 1,
				      put_thread, region, err))
			return -1;
	}
	w->unborn.count = kept;
	return 0;
}

/* A count of the region, which the program could have overwritten. */
static uint32_t grown_to(const _Atomic uint32_t *count, uint32_t limit)
{
	/* Pairs with the release by which the guest counts an entry. */
	uint32_t n = atomic_load_explicit(count, memory_order_acquire);

	return n < limit ? n : limit;
}

int trace_write_tables(struct trace_writer *w, const struct region *r,
		       struct err *err)
{
	uint32_t threads = grown_to(&r->thread_count, REGION_THREADS);
	uint32_t modules = grown_to(&r->module_count, REGION_MODULES);
	uint32_t stacks = grown_to(&r->stack_count, REGION_STACKS);
	uint32_t notes = grown_to(&r->note_count, REGION_NOTES);

	if (w->is_broken)
		return broken(w, 0, err);
	for (uint32_t n = w->threads; n < threads; n++) {
		vec_push(&w->running, n);
		if (!r->threads[n].kernel_tid)
			vec_push(&w->unborn, n);
	}
	if (append_births(w, r, err) ||
	    append_table(w, CHUNK_MODULES, &w->modules, modules, put_module, r,
			 err) ||
	    append_table(w, CHUNK_STACKS, &w->stacks, stacks, put_stack, r,
			 err) ||
	    append_table(w, CHUNK_THREADS, &w->threads, threads, put_thread, r,
			 err) ||
	    append_table(w, CHUNK_NOTES, &w->notes, notes, put_note, r, err))
		return -1;
	return append_ends(w, r, err);
}

/* ---- begin and end ---- */

static int append_header(struct trace_writer *w, const struct trace_info *info,
			 struct err *err)
{
	size_t size = info->command_size;
	uint8_t *header, *p;
	XXH64_state_t *sum;
	int rc;

	if (size > COMMAND_MAX)
		return err_set(
			err,
			"cannot write trace %s: a command line of %zu bytes is beyond the limit of %d",
			w->path, size, COMMAND_MAX);
	header = xmalloc(HEADER_SIZE + size);
	memcpy(header, TRACE_MAGIC, TRACE_MAGIC_SIZE);
	p = layout_put32(header + TRACE_MAGIC_SIZE, TRACE_VERSION);
	p = layout_put32(p, (uint32_t)(HEADER_SIZE + size));
	p = layout_put64(p, info->stamps_per_second);
	p = layout_put64(p, info->started);
	p = layout_put32(p, info->mode);
	p = layout_put32(p, info->flags);
	p = layout_put32(p, (uint32_t)size);
	layout_put32(p, 0);
	if (size > 0)
		memcpy(header + HEADER_SIZE, info->command, size);
	sum = XXH64_createState();
	XXH64_reset(sum, 0);
	XXH64_update(sum, header, HEADER_SUM_AT);
	XXH64_update(sum, header + HEADER_SIZE, size);
	layout_put64(header + HEADER_SUM_AT, XXH64_digest(sum));
	XXH64_freeState(sum);
	rc = append(w, header, HEADER_SIZE + size, err);
	free(header);
	return rc;
}

static void writer_free(struct trace_writer *w)
{
	ZSTD_freeCCtx(w->packer);
	vec_free(&w->running);
	vec_free(&w->unborn);
	vec_free(&w->next);
	for (size_t i = 0; i < w->held.count; i++)
		free(w->held.at[i].bytes);
	vec_free(&w->held);
	free(w->chunk);
	free(w->raw);
	free(w->path);
	free(w);
}

struct trace_writer *trace_create(const char *path,
				  const struct trace_info *info,
				  struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct trace_writer *w;

	if (fd < 0) {
		int number = errno;

		err_set(err, "cannot create trace %s: %s%s", path,
			strerror(number), remedy(number));
		return NULL;
	}
	w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	w->path = xstrdup(path);
	w->packer = ZSTD_createCCtx();
	CHECK(w->packer);
	w->chunk = xmalloc(CHUNK_HEADER + CHUNK_PACKED_MAX);
	w->raw = xmalloc(CHUNK_RAW_MAX);
	if (append_header(w, info, err)) {
		trace_abandon(w);
		return NULL;
	}
	return w;
}

int trace_finish(struct trace_writer *w, const struct trace_end *end,
		 struct err *err)
{
	struct chunk c = { .type = CHUNK_END, .count = 1 };
	uint8_t *p = w->raw;
	int rc;

	p = layout_put32(p, end->closed);
	p = layout_put32(p, (uint32_t)end->wait_status);
	p = layout_put64(p, end->lost);
	p = layout_put64(p, w->events);
	rc = release_all(w, err);
	if (rc == 0)
		rc = append_chunk(w, &c, w->raw, (size_t)(p - w->raw), err);
	if (close(w->fd) && rc == 0)
		rc = broken(w, errno, err);
	writer_free(w);
	return rc;
}

void trace_abandon(struct trace_writer *w)
{
	struct err ignored;

	if (!w)
		return;
	(void)!release_all(w, &ignored);
	close(w->fd);
	writer_free(w);
}
