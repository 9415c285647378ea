/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to a trace. The tables are gathered in a region of our own, as the
 * guest does it, and written by the same functions.
 *
 * Successive lines of one thread, a burst, become one chunk that begins with
 * the stamp given last. So the order of the lines survives: among equal stamps
 * the order of the chunks in the file decides.
 */
#include "trace/trace_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/codec.h"
#include "trace/text_line.h"

enum { BURST_MAX = REGION_SLOT_BYTES / CODEC_MAX }; /* fits in a slot */

struct text_thread {
	uint64_t stamp; /* reached */
	uint32_t sequence;
	uint32_t children;
	bool is_described; /* by a line */
};

struct text_reader {
	struct text_line line;
	const char *path;
	struct trace_info info;
	VEC(char) command;
	struct trace_end end;
	bool is_cut;
	struct trace_writer *writer; /* once the head is over */
	struct region *region;	     /* only its tables are mapped */
	VEC(struct text_thread) threads;

	VEC(struct event) burst;
	uint64_t begin; /* of the burst */
	uint64_t now;	/* stamp given last */
	uint64_t top;	/* highest stamp so far */
};

static const struct text_field no_fields[] = { { NULL, NULL, 0 } };

/* ---- tables ---- */

static struct text_thread *want_thread(struct text_reader *r, uint32_t n)
{
	const struct text_thread unknown = { 0 };

	while (r->threads.count <= n) {
		r->region->threads[r->threads.count].parent = NO_THREAD;
		vec_push(&r->threads, unknown);
	}
	r->region->thread_count = (uint32_t)r->threads.count;
	return &r->threads.at[n];
}

/* A stack that no line describes is a place with its own number as site. */
static void want_stack(struct text_reader *r, uint32_t n)
{
	uint32_t count = r->region->stack_count;

	for (; count <= n; count++)
		r->region->stacks[count].site = count;
	r->region->stack_count = count;
}

static int read_thread(struct text_reader *r)
{
	uint64_t n, parent = NO_THREAD, nth = 0, tid = 0, stack = 0;
	uint64_t low = 0, high = 0, start = 0, deepest = 0, end = 0;
	const struct text_field fields[] = {
		{ "parent", &parent, REGION_THREADS - 1 },
		{ "nth", &nth, UINT32_MAX },
		{ "tid", &tid, UINT32_MAX },
		{ "stack", &stack, REGION_STACKS - 1 },
		{ "stack-low", &low, UINT64_MAX },
		{ "stack-high", &high, UINT64_MAX },
		{ "start", &start, UINT64_MAX },
		{ "deepest", &deepest, REGION_STACKS - 1 },
		{ "end", &end, UINT64_MAX },
		{ NULL, NULL, 0 },
	};

	if (line_number(&r->line, "a thread", REGION_THREADS - 1, &n) ||
	    line_fields(&r->line, fields))
		return -1;
	if (n < r->threads.count)
		return line_error(
			&r->line,
			"thread %" PRIu64
			" is known already: describe threads in order, before anything names them",
			n);
	if (parent != NO_THREAD && parent >= n)
		return line_error(&r->line,
				  "the parent of thread %" PRIu64
				  " must come before it",
				  n);
	want_thread(r, (uint32_t)n)->is_described = true;
	want_stack(r, (uint32_t)stack);
	want_stack(r, (uint32_t)deepest);
	r->region->threads[n] = (struct region_thread){
		.parent = (uint32_t)parent,
		.nth = (uint32_t)nth,
		.kernel_tid = (uint32_t)tid,
		.stack = (uint32_t)stack,
		.stack_low = low,
		.stack_high = high,
		.start = start,
		.deepest = (uint32_t)deepest,
		.end_stamp = end,
	};
	if (parent != NO_THREAD)
		r->threads.at[parent].children++;
	return 0;
}

static int read_stack(struct text_reader *r)
{
	uint64_t n, parent = 0, site = 0;
	const struct text_field fields[] = {
		{ "parent", &parent, REGION_STACKS - 1 },
		{ "site", &site, UINT32_MAX },
		{ NULL, NULL, 0 },
	};

	if (line_number(&r->line, "a stack", REGION_STACKS - 1, &n) ||
	    line_fields(&r->line, fields))
		return -1;
	if (n < r->region->stack_count)
		return line_error(
			&r->line,
			"stack %" PRIu64
			" is known already: describe stacks in order, before anything names them",
			n);
	if (parent >= n)
		return line_error(&r->line,
				  "the parent of stack %" PRIu64
				  " must come before it",
				  n);
	want_stack(r, (uint32_t)n);
	r->region->stacks[n].parent = (uint32_t)parent;
	r->region->stacks[n].site = (uint32_t)site;
	return 0;
}

static int take_build_id(struct text_reader *r, struct region_module *m)
{
	const char *hex = line_take(&r->line, "build-id");
	size_t size;

	if (!hex)
		return 0;
	size = strlen(hex);
	if (size % 2 != 0 || size / 2 > sizeof(m->build_id) ||
	    strspn(hex, "0123456789abcdef") != size)
		return line_error(&r->line,
				  "%s is no build id of at most %zu bytes", hex,
				  sizeof(m->build_id));
	m->build_id_size = (uint8_t)(size / 2);
	for (size_t i = 0; i < size; i++)
		m->build_id[i / 2] = (uint8_t)(m->build_id[i / 2] << 4 |
					       text_hex_digit(hex[i]));
	return 0;
}

static int read_module(struct text_reader *r)
{
	uint64_t n, size = 0, site = 0, instrumented = 0, base = 0, bias = 0;
	const struct text_field fields[] = {
		{ "base", &base, UINT64_MAX },
		{ "bias", &bias, UINT64_MAX },
		{ "size", &size, UINT32_MAX },
		{ "site", &site, UINT32_MAX },
		{ "instrumented", &instrumented, 1 },
		{ NULL, NULL, 0 },
	};
	struct region_module *m;
	const char *path;

	if (line_number(&r->line, "a module", REGION_MODULES - 1, &n))
		return -1;
	if (n != r->region->module_count)
		return line_error(&r->line,
				  "module %" PRIu32 " is next, not %" PRIu64,
				  r->region->module_count, n);
	m = &r->region->modules[n];
	path = line_word(&r->line);
	if (!path || strlen(path) >= sizeof(m->path))
		return line_error(
			&r->line,
			"a module needs a path of less than %zu bytes",
			sizeof(m->path));
	if (take_build_id(r, m) || line_fields(&r->line, fields))
		return -1;
	strcpy(m->path, path);
	m->base = base;
	m->bias = bias;
	m->size = (uint32_t)size;
	m->site = (uint32_t)site;
	m->instrumented = (uint8_t)instrumented;
	r->region->module_count++;
	return 0;
}

static int read_note(struct text_reader *r)
{
	uint32_t n = r->region->note_count;
	struct region_note *note = &r->region->notes[n];
	const char *text = line_word(&r->line);

	if (!text || strlen(text) >= sizeof(note->text))
		return line_error(&r->line,
				  "a note needs a text of less than %zu bytes",
				  sizeof(note->text));
	if (n == REGION_NOTES)
		return line_error(&r->line, "there are at most %d notes",
				  REGION_NOTES);
	strcpy(note->text, text);
	r->region->note_count++;
	return line_fields(&r->line, no_fields);
}

/* ---- the run ---- */

static int read_version(struct text_reader *r)
{
	uint64_t version;

	if (line_number(&r->line, "a version", UINT32_MAX, &version))
		return -1;
	if (version != TRACE_VERSION)
		return line_error(&r->line,
				  "the text has version %" PRIu64
				  " and this heddle reads version %d",
				  version, TRACE_VERSION);
	return line_fields(&r->line, no_fields);
}

static int read_command(struct text_reader *r)
{
	const char *word;

	while ((word = line_word(&r->line))) {
		do
			vec_push(&r->command, *word);
		while (*word++);
	}
	return 0;
}

static int read_run(struct text_reader *r)
{
	uint64_t mode = r->info.mode, flags = r->info.flags;
	const struct text_field fields[] = {
		{ "started", &r->info.started, UINT64_MAX },
		{ "stamps-per-second", &r->info.stamps_per_second, UINT64_MAX },
		{ "mode", &mode, UINT32_MAX },
		{ "flags", &flags, UINT32_MAX },
		{ NULL, NULL, 0 },
	};

	if (line_fields(&r->line, fields))
		return -1;
	r->info.mode = (uint32_t)mode;
	r->info.flags = (uint32_t)flags;
	return 0;
}

static int read_end(struct text_reader *r)
{
	const char *status = line_take(&r->line, "status");
	char *rest;
	uint64_t closed = 1;
	const struct text_field fields[] = {
		{ "closed", &closed, UINT32_MAX },
		{ "lost", &r->end.lost, UINT64_MAX },
		{ NULL, NULL, 0 },
	};

	/* Unlike other numbers it may be negative. */
	if (status) {
		r->end.wait_status = (int32_t)strtol(status, &rest, 10);
		if (rest == status || *rest)
			return line_error(&r->line,
					  "status must be a number, not %s",
					  status);
	}
	if (line_fields(&r->line, fields))
		return -1;
	r->end.closed = (uint32_t)closed;
	return 0;
}

static int read_cut(struct text_reader *r)
{
	r->is_cut = true;
	return line_fields(&r->line, no_fields);
}

/* ---- events ---- */

static uint8_t *encode(struct codec *codec, uint8_t *p, const struct event *e)
{
	if (e->kind <= EVENT_WRITE && e->size <= 16 &&
	    __builtin_popcountll(e->size) == 1)
		return codec_put_access(codec, p, e->kind == EVENT_WRITE,
					(unsigned int)__builtin_ctzll(e->size),
					e->addr, e->stack);
	return codec_put_event(codec, p, e);
}

static bool is_stamped(const struct event *e)
{
	return event_fields(e->kind) & FIELD_STAMP;
}

/* The stamp before the events of the burst: as late as what they say and what
 * their thread has reached allows. */
static uint64_t burst_begin(const struct text_reader *r)
{
	uint64_t reached = r->threads.at[r->burst.at[0].thread].stamp;
	uint64_t begin = r->begin;

	for (size_t i = 0; i < r->burst.count; i++)
		if (is_stamped(&r->burst.at[i])) {
			if (r->burst.at[i].stamp < begin)
				begin = r->burst.at[i].stamp;
			break;
		}
	return begin > reached ? begin : reached;
}

static int write_burst(struct text_reader *r)
{
	uint8_t bytes[BURST_MAX * CODEC_MAX], *p = bytes;
	uint32_t number = r->burst.at[0].thread;
	struct text_thread *thread = &r->threads.at[number];
	struct codec codec = { .stamp = burst_begin(r) };
	uint64_t begin = codec.stamp;

	for (size_t i = 0; i < r->burst.count; i++) {
		const struct event *e = &r->burst.at[i];

		if (is_stamped(e) && e->stamp < codec.stamp)
			return line_error(&r->line,
					  "thread %" PRIu32
					  " goes back from stamp %" PRIu64
					  " to %" PRIu64 ", here or before",
					  number, codec.stamp, e->stamp);
		p = encode(&codec, p, e);
	}
	thread->stamp = codec.stamp;
	r->burst.count = 0;
	return trace_write_events(r->writer, number, thread->sequence++, begin,
				  bytes, (size_t)(p - bytes), r->line.err);
}

/* Brings all that was read into the file. */
static int flush(struct text_reader *r)
{
	if (!r->writer) {
		r->info.command = r->command.at;
		r->info.command_size = r->command.count;
		r->writer = trace_create(r->path, &r->info, r->line.err);
	}
	if (!r->writer || trace_write_tables(r->writer, r->region, r->line.err))
		return -1;
	return r->burst.count > 0 ? write_burst(r) : 0;
}

static int find_kind(const char *word)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (strcmp(event_text((unsigned int)kind), word) == 0)
			return kind;
	return -1;
}

/* The fields of an event, each only if its kind has it. */
static int take_event(struct text_reader *r, struct event *e)
{
	unsigned int has = event_fields(e->kind);
	bool is_earlier = e->kind == EVENT_EARLIER_READ ||
			  e->kind == EVENT_EARLIER_WRITE;
	uint64_t stack = 0, by = 0, segment = 0;
	struct text_field fields[7] = { { "stack", &stack,
					  REGION_STACKS - 1 } };
	size_t n = 1;

	if (has & FIELD_ADDR &&
	    line_number(&r->line, "the address", UINT64_MAX, &e->addr))
		return -1;
	if (has & FIELD_SIZE)
		fields[n++] =
			(struct text_field){ "size", &e->size, UINT64_MAX };
	if (is_earlier) {
		fields[n++] = (struct text_field){ "by", &by, 0xffffff };
		fields[n++] = (struct text_field){ "segment", &segment,
						   UINT64_MAX >> 24 };
	} else if (has & FIELD_ARG) {
		fields[n++] = (struct text_field){ "arg", &e->arg, UINT64_MAX };
	}
	if (has & FIELD_STAMP)
		fields[n++] =
			(struct text_field){ "stamp", &e->stamp, UINT64_MAX };
	if (line_fields(&r->line, fields))
		return -1;
	e->stack = (uint32_t)stack;
	if (is_earlier)
		e->arg = earlier_arg((uint32_t)by, segment);
	return 0;
}

/* What an event tells of threads and stacks that no line described. */
static void learn(struct text_reader *r, const struct event *e)
{
	struct text_thread *thread = want_thread(r, e->thread);

	want_stack(r, e->stack);
	if (e->kind == EVENT_THREAD_END && !thread->is_described)
		r->region->threads[e->thread].end_stamp = e->stamp;
	if (e->kind != EVENT_THREAD_CREATE || e->arg < r->threads.count ||
	    e->arg >= REGION_THREADS)
		return;
	want_thread(r, (uint32_t)e->arg);
	r->region->threads[e->arg].parent = e->thread;
	r->region->threads[e->arg].nth = r->threads.at[e->thread].children++;
}

static int read_event(struct text_reader *r, uint64_t thread)
{
	const char *word = line_word(&r->line);
	int kind = word ? find_kind(word) : -1;
	struct event e = { .thread = (uint32_t)thread, .stamp = r->top + 1 };

	if (thread >= REGION_THREADS)
		return line_error(&r->line,
				  "a thread is beyond the limit of %d",
				  REGION_THREADS - 1);
	if (kind < 0)
		return line_error(
			&r->line,
			"%s is no kind of event; docs/formats.md lists them",
			word ? word : "nothing");
	e.kind = (uint8_t)kind;
	if (kind <= EVENT_ATOMIC_CAS_FAIL)
		e.size = 4;
	if (take_event(r, &e))
		return -1;
	if (r->burst.count > 0 &&
	    (r->burst.at[0].thread != e.thread ||
	     r->burst.count == BURST_MAX) &&
	    flush(r))
		return -1;
	learn(r, &e);
	if (r->burst.count == 0)
		r->begin = r->now;
	if (is_stamped(&e)) {
		r->now = e.stamp;
		r->top = e.stamp > r->top ? e.stamp : r->top;
	}
	vec_push(&r->burst, e);
	return 0;
}

/* ---- lines ---- */

static const struct {
	const char *word;
	int (*read)(struct text_reader *r);
	bool is_head; /* must come before everything else */
} line_kinds[] = {
	{ "heddle-trace", read_version, true },
	{ "command", read_command, true },
	{ "run", read_run, true },
	{ "module", read_module, false },
	{ "stack", read_stack, false },
	{ "thread", read_thread, false },
	{ "note", read_note, false },
	{ "end", read_end, false },
	{ "cut", read_cut, false },
};

static int read_line(struct text_reader *r)
{
	const char *word = line_word(&r->line);
	uint64_t thread;

	if (!word)
		return 0;
	if (text_is_number(word, &thread))
		return read_event(r, thread);
	for (size_t i = 0; i < sizeof(line_kinds) / sizeof(*line_kinds); i++) {
		if (strcmp(word, line_kinds[i].word) != 0)
			continue;
		if (line_kinds[i].is_head && (r->writer || r->burst.count > 0))
			return line_error(&r->line,
					  "%s must come before the events",
					  word);
		return line_kinds[i].read(r);
	}
	return line_error(&r->line, "a line cannot begin with %s", word);
}

static int read_lines(struct text_reader *r, FILE *in)
{
	char *text = NULL;
	size_t room = 0;
	int rc = 0;

	while (rc == 0 && getline(&text, &room, in) >= 0) {
		r->line.number++;
		rc = line_split(&r->line, text);
		if (rc == 0)
			rc = read_line(r);
	}
	free(text);
	if (rc == 0 && ferror(in))
		rc = err_set(r->line.err, "cannot read %s: %s", r->line.file,
			     strerror(errno));
	return rc == 0 ? flush(r) : rc;
}

/* Ends the file as the text said; after an error it is given up. */
static int finish(struct text_reader *r, int rc)
{
	if (rc == 0 && !r->is_cut)
		return trace_finish(r->writer, &r->end, r->line.err);
	trace_abandon(r->writer);
	return rc;
}

int trace_text_read(FILE *in, const char *name, const char *path,
		    struct err *err)
{
	const size_t size = offsetof(struct region, control);
	struct text_reader r = {
		.line = { .file = name, .err = err },
		.path = path,
		.info.mode = MODE_OBSERVE,
		.end.closed = 1,
	};
	int rc;

	r.region = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r.region == MAP_FAILED)
		return err_set(err, "cannot read %s: no memory for its tables",
			       name);
	want_stack(&r, NO_STACK);
	rc = finish(&r, read_lines(&r, in));
	munmap(r.region, size);
	vec_free(&r.line.words);
	vec_free(&r.command);
	vec_free(&r.threads);
	vec_free(&r.burst);
	return rc;
}

struct trace *trace_from_text(const char *text, struct err *err)
{
	char *copy = xstrdup(text);
	FILE *in = fmemopen(copy, strlen(text), "r");
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char *path = xasprintf("/proc/self/fd/%d", fd);
	struct trace *t = NULL;

	if (!in || fd < 0)
		err_set(err, "cannot make a trace in memory: %s",
			strerror(errno));
	else if (trace_text_read(in, "text", path, err) == 0)
		t = trace_open(path, err);
	if (in)
		fclose(in);
	if (fd >= 0)
		close(fd);
	free(path);
	free(copy);
	return t;
}
