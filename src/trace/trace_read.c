/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a trace: one walk over the headers of its chunks, which reads the
 * tables and the end, and learns where each thread's chunks begin.
 */
#include "format/force.h"
#include "trace/trace_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MISSING_MAX = 64 };

/* ---- what is missing ---- */

void trace_miss(struct trace *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < t->missing.count; i++)
		if (strcmp(t->missing.at[i], text) == 0)
			return;
	if (t->missing.count < MISSING_MAX)
		vec_push(&t->missing, xstrdup(text));
	else
		t->missing_more++;
}

size_t trace_missing(const struct trace *t)
{
	return t->missing.count + (t->missing_more > 0);
}

const char *trace_missing_text(const struct trace *t, size_t n)
{
	CHECK(n < trace_missing(t));
	return n < t->missing.count ? t->missing.at[n] :
				      "more is missing than is listed here";
}

/* ---- the walk ---- */

static void walk_events(struct trace *t, const struct chunk *c)
{
	const struct track unknown = { 0 };
	struct track *track;

	if (c->thread >= REGION_THREADS) {
		trace_miss(t,
			   "a chunk names thread %" PRIu32
			   ", which cannot be: it is left out",
			   c->thread);
		return;
	}
	while (t->tracks.count <= c->thread)
		vec_push(&t->tracks, unknown);
	tables_want_thread(t, c->thread);
	track = &t->tracks.at[c->thread];
	if (track->first == 0) {
		track->first = c->offset;
		if (c->sequence > 0)
			trace_miss(t,
				   "the first %" PRIu32
				   " chunks of thread %" PRIu32 " are missing",
				   c->sequence, c->thread);
	} else if (c->sequence <= track->sequence) {
		trace_miss(t,
			   "chunk %" PRIu32 " of thread %" PRIu32
			   " stands behind chunk %" PRIu32 " and is left out",
			   c->sequence, c->thread, track->sequence);
		return;
	} else if (c->sequence != track->sequence + 1) {
		trace_miss(t,
			   "chunks %" PRIu32 " to %" PRIu32
			   " of thread %" PRIu32 " are missing",
			   track->sequence + 1, c->sequence - 1, c->thread);
	}
	track->last = c->offset;
	track->sequence = c->sequence;
	t->events += c->count;
}

static void walk_end(struct trace *t, const uint8_t *raw, uint32_t size)
{
	struct layout_view v = { raw, raw + size, false };

	t->end.closed = layout_take32(&v);
	t->end.wait_status = (int32_t)layout_take32(&v);
	t->end.lost = layout_take64(&v);
	t->end.events = layout_take64(&v);
	t->has_end = !v.is_short;
}

static void walk_chunk(struct trace *t, const struct chunk *c)
{
	uint8_t *raw;

	if (c->type == CHUNK_EVENTS) {
		walk_events(t, c);
		return;
	}
	/* Types of later additions are passed over. */
	if (c->type == 0 || c->type > CHUNK_END)
		return;
	raw = xmalloc((size_t)c->raw_size + 1);
	if (scan_payload(t, c, raw)) {
		if (c->type == CHUNK_END)
			walk_end(t, raw, c->raw_size);
		else
			tables_take(t, c, raw);
	}
	free(raw);
}

static void walk(struct trace *t)
{
	uint64_t offset = t->chunks_at;
	struct chunk c;

	while (scan_chunk(t, offset, &c)) {
		if (c.offset != offset)
			trace_miss(t,
				   "bytes %" PRIu64 " to %" PRIu64
				   " are damaged and passed over",
				   offset, c.offset - 1);
		walk_chunk(t, &c);
		offset = chunk_behind(&c);
	}
	if (offset < t->size)
		trace_miss(t,
			   "from byte %" PRIu64
			   " to the end of the file at %" PRIu64
			   " there is no whole chunk",
			   offset, t->size);
	if (!t->has_end)
		trace_miss(
			t,
			"the end is missing: the recording was cut off, by a kill or a full disk");
	else if (t->events != t->end.events)
		trace_miss(t,
			   "of %" PRIu64
			   " recorded events the file still holds %" PRIu64,
			   t->end.events, t->events);
}

/* ---- the header ---- */

/* A damaged header costs what it says of the run, no events. */
static void header_lost(struct trace *t)
{
	trace_miss(
		t,
		"the header of the file is damaged: command and time of the run are unknown");
	t->info = (struct trace_info){ 0 };
	t->chunks_at = TRACE_MAGIC_SIZE;
}

static bool take_command(struct trace *t, const uint8_t *header, uint64_t sum)
{
	size_t size = t->info.command_size;
	XXH64_state_t *state;
	bool is_whole;

	t->command = xmalloc(size + 1);
	if (pread(t->fd, t->command, size, HEADER_SIZE) != (ssize_t)size)
		return false;
	t->command[size] = '\0';
	state = XXH64_createState();
	XXH64_reset(state, 0);
	XXH64_update(state, header, HEADER_SUM_AT);
	XXH64_update(state, t->command, size);
	is_whole = XXH64_digest(state) == sum;
	XXH64_freeState(state);
	return is_whole;
}

static void take_header(struct trace *t, const uint8_t header[HEADER_SIZE])
{
	struct layout_view v = { header + TRACE_MAGIC_SIZE + 4,
				 header + HEADER_SIZE, false };
	uint32_t size = layout_take32(&v);

	t->chunks_at = size;
	t->info.stamps_per_second = layout_take64(&v);
	t->info.started = layout_take64(&v);
	t->info.mode = layout_take32(&v);
	t->info.flags = layout_take32(&v);
	t->info.command_size = layout_take32(&v);
	layout_take32(&v);
	if (t->info.command_size > COMMAND_MAX || size > t->size ||
	    size < HEADER_SIZE + t->info.command_size ||
	    !take_command(t, header, layout_take64(&v)))
		header_lost(t);
}

static int read_header(struct trace *t, struct err *err)
{
	uint8_t header[HEADER_SIZE] = { 0 };
	ssize_t got = pread(t->fd, header, sizeof(header), 0);
	uint32_t version;

	if (got < 0)
		return err_set(err, "cannot read trace %s: %s", t->path,
			       strerror(errno));
	if (got == 0)
		return err_set(
			err,
			"%s is empty: nothing was recorded; run the program again",
			t->path);
	if (memcmp(header, TRACE_MAGIC,
		   got < TRACE_MAGIC_SIZE ? (size_t)got : TRACE_MAGIC_SIZE) !=
	    0)
		return err_set(
			err,
			"%s is not a trace of heddle; name a file that heddle run recorded",
			t->path);
	if (got < TRACE_MAGIC_SIZE + 4)
		return err_set(
			err,
			"trace %s is cut off in its first bytes: nothing was recorded; run the program again",
			t->path);
	memcpy(&version, header + TRACE_MAGIC_SIZE, sizeof(version));
	if (version > TRACE_VERSION)
		return err_set(
			err,
			"trace %s has version %" PRIu32
			" and this heddle reads version %d: upgrade heddle to the one that recorded it",
			t->path, version, TRACE_VERSION);
	if (got < HEADER_SIZE)
		header_lost(t);
	else
		take_header(t, header);
	return 0;
}

/* ---- open and close ---- */

static int open_file(struct trace *t, struct err *err)
{
	struct stat st;

	t->fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (t->fd < 0 || fstat(t->fd, &st))
		return err_set(err, "cannot open trace %s: %s; %s", t->path,
			       strerror(errno),
			       errno == ENOENT ?
				       "name a file that heddle run recorded" :
				       "see that you may read it");
	if (S_ISDIR(st.st_mode))
		return err_set(
			err,
			"%s is a directory, not a trace; name a file that heddle run recorded",
			t->path);
	if (!S_ISREG(st.st_mode))
		return err_set(
			err,
			"%s is not a regular file; copy the trace into one first",
			t->path);
	t->size = (uint64_t)st.st_size;
	return read_header(t, err);
}

struct trace *trace_open(const char *path, struct err *err)
{
	const struct region_stack root = { 0 };
	struct trace *t = xcalloc(1, sizeof(*t));

	t->fd = -1;
	t->path = xstrdup(path);
	if (open_file(t, err)) {
		trace_close(t);
		return NULL;
	}
	t->info.command = t->info.command_size ? t->command : "";
	t->unpacker = ZSTD_createDCtx();
	CHECK(t->unpacker);
	vec_push(&t->stacks, root);
	walk(t);
	trace_rewind(t);
	return t;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	trace_rewind(t);
	spool_free_idle(t);
	vec_free(&t->heap);
	tables_free(t);
	vec_free(&t->tracks);
	for (size_t i = 0; i < t->missing.count; i++)
		free(t->missing.at[i]);
	vec_free(&t->missing);
	scan_free(t);
	ZSTD_freeDCtx(t->unpacker);
	if (t->fd >= 0)
		close(t->fd);
	vec_free(&t->packed);
	free(t->command);
	free(t->path);
	free(t);
}

/* ---- what one can ask ---- */

const struct trace_info *trace_info(const struct trace *t)
{
	return &t->info;
}

uint32_t trace_threads(const struct trace *t)
{
	return (uint32_t)t->threads.count;
}

const struct region_thread *trace_thread(const struct trace *t, uint32_t n)
{
	return n < t->threads.count ? &t->threads.at[n] : NULL;
}

uint32_t trace_modules(const struct trace *t)
{
	return (uint32_t)t->modules.count;
}

const struct region_module *trace_module(const struct trace *t, uint32_t n)
{
	return n < t->modules.count ? &t->modules.at[n] : NULL;
}

uint32_t trace_stacks(const struct trace *t)
{
	return (uint32_t)t->stacks.count;
}

const struct region_stack *trace_stack(const struct trace *t, uint32_t n)
{
	return n < t->stacks.count ? &t->stacks.at[n] : NULL;
}

uint32_t trace_calls_hash(const struct trace *t, uint32_t stack)
{
	enum { DEEPEST = 256 };
	uint32_t sites[DEEPEST], count = 0, hash = 0;

	for (uint32_t n = stack < trace_stacks(t) ?
				  trace_stack(t, stack)->parent :
				  0;
	     n && count < DEEPEST; n = trace_stack(t, n)->parent)
		sites[count++] = trace_stack(t, n)->site;
	if (count) /* who called the thread's first function */
		count--;
	while (count)
		hash = force_stack_hash(hash, sites[--count]);
	return hash;
}

uint32_t trace_notes(const struct trace *t)
{
	return (uint32_t)t->notes.count;
}

const char *trace_note(const struct trace *t, uint32_t n)
{
	return n < t->notes.count ? t->notes.at[n] : NULL;
}

const struct trace_end *trace_end(const struct trace *t)
{
	return t->has_end ? &t->end : NULL;
}

const struct region_module *trace_site_module(const struct trace *t,
					      uint32_t site, uint64_t *offset)
{
	for (size_t i = 0; i < t->modules.count; i++) {
		const struct region_module *m = &t->modules.at[i];

		if (site >= m->site && site - m->site < m->size) {
			*offset = site - m->site;
			return m;
		}
	}
	return NULL;
}
