/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/trace_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace/text_line.h"

/* Fields that are 0 need not be said. */
static void put_hex(FILE *out, const char *name, uint64_t v)
{
	if (v != 0)
		fprintf(out, " %s=0x%" PRIx64, name, v);
}

static void put_number(FILE *out, const char *name, uint64_t v)
{
	if (v != 0)
		fprintf(out, " %s=%" PRIu64, name, v);
}

static bool is_earlier(const struct event *e)
{
	return e->kind == EVENT_EARLIER_READ || e->kind == EVENT_EARLIER_WRITE;
}

void trace_text_event(FILE *out, const struct event *e)
{
	unsigned int fields = event_fields(e->kind);

	fprintf(out, "%" PRIu32 " %s", e->thread, event_text(e->kind));
	if (fields & FIELD_ADDR)
		fprintf(out, " 0x%" PRIx64, e->addr);
	if (fields & FIELD_SIZE)
		fprintf(out, " size=%" PRIu64, e->size);
	if (is_earlier(e))
		fprintf(out, " by=%" PRIu32 " segment=%" PRIu64,
			earlier_thread(e->arg), earlier_segment(e->arg));
	else if (fields & FIELD_ARG)
		fprintf(out, " arg=%" PRIu64, e->arg);
	if (fields & FIELD_STAMP)
		fprintf(out, " stamp=%" PRIu64, e->stamp);
	put_number(out, "stack", e->stack);
	putc('\n', out);
}

static void put_info(FILE *out, const struct trace_info *info)
{
	const char *p = info->command, *end = p + info->command_size;

	fprintf(out, "heddle-trace %d\n", TRACE_VERSION);
	if (p < end) {
		fputs("command", out);
		for (; p < end; p += strlen(p) + 1) {
			putc(' ', out);
			text_put_quoted(out, p);
		}
		putc('\n', out);
	}
	fprintf(out,
		"run started=%" PRIu64 " stamps-per-second=%" PRIu64
		" mode=%" PRIu32 " flags=%" PRIu32 "\n",
		info->started, info->stamps_per_second, info->mode,
		info->flags);
}

static void put_module(FILE *out, uint32_t n, const struct region_module *m)
{
	fprintf(out, "module %" PRIu32 " ", n);
	text_put_quoted(out, m->path);
	put_hex(out, "base", m->base);
	put_hex(out, "bias", m->bias);
	put_hex(out, "size", m->size);
	put_hex(out, "site", m->site);
	if (m->build_id_size > 0)
		fputs(" build-id=", out);
	for (size_t i = 0; i < m->build_id_size; i++)
		fprintf(out, "%02x", m->build_id[i]);
	put_number(out, "instrumented", m->instrumented);
	putc('\n', out);
}

static void put_thread(FILE *out, uint32_t n, const struct region_thread *t)
{
	fprintf(out, "thread %" PRIu32, n);
	if (t->parent != NO_THREAD)
		fprintf(out, " parent=%" PRIu32, t->parent);
	put_number(out, "nth", t->nth);
	put_number(out, "tid", t->kernel_tid);
	put_number(out, "stack", t->stack);
	put_hex(out, "stack-low", t->stack_low);
	put_hex(out, "stack-high", t->stack_high);
	put_hex(out, "start", t->start);
	put_number(out, "deepest", t->deepest);
	put_number(out, "end", t->end_stamp);
	putc('\n', out);
}

static void put_tables(FILE *out, const struct trace *t)
{
	for (uint32_t n = 0; n < trace_modules(t); n++)
		put_module(out, n, trace_module(t, n));
	for (uint32_t n = 1; n < trace_stacks(t); n++)
		fprintf(out,
			"stack %" PRIu32 " parent=%" PRIu32 " site=0x%" PRIx32
			"\n",
			n, trace_stack(t, n)->parent, trace_stack(t, n)->site);
	for (uint32_t n = 0; n < trace_threads(t); n++)
		put_thread(out, n, trace_thread(t, n));
	for (uint32_t n = 0; n < trace_notes(t); n++) {
		fputs("note ", out);
		text_put_quoted(out, trace_note(t, n));
		putc('\n', out);
	}
}

static void put_end(FILE *out, const struct trace_end *end)
{
	if (!end)
		fputs("cut\n", out);
	else
		fprintf(out,
			"end closed=%" PRIu32 " status=%" PRId32
			" lost=%" PRIu64 "\n",
			end->closed, end->wait_status, end->lost);
}

int trace_text_write(FILE *out, struct trace *t, struct err *err)
{
	struct event e;

	put_info(out, trace_info(t));
	put_tables(out, t);
	trace_rewind(t);
	while (trace_next(t, &e))
		trace_text_event(out, &e);
	put_end(out, trace_end(t));
	for (size_t i = 0; i < trace_missing(t); i++)
		fprintf(out, "# %s\n", trace_missing_text(t, i));
	if (fflush(out) || ferror(out))
		return err_set(err, "cannot write the text of the trace: %s",
			       strerror(errno));
	return 0;
}
