/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording.h"
#include "trace/trace_text.h"

/* ---- text ---- */

static void dump_text(const struct event *e, struct sites *s, FILE *out)
{
	struct site_chain c = stack_resolve(s, e->stack);
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);

	trace_text_event(f, e);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	fputs(line, out);
	if (c.count) {
		fputs(" # ", out);
		word_frame(&c.frames[0], out);
	}
	putc('\n', out);
	free(line);
}

/* ---- JSON ---- */

static void set_hex(json_t *j, const char *name, uint64_t v)
{
	char hex[20];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, v);
	json_object_set_new(j, name, json_string(hex));
}

static void set_number(json_t *j, const char *name, uint64_t v)
{
	json_object_set_new(j, name, json_integer((json_int_t)v));
}

static void set_place(json_t *j, struct sites *s, uint32_t stack)
{
	struct site_chain c = stack_resolve(s, stack);
	char *line = NULL;
	size_t size;
	FILE *f;

	if (!c.count)
		return;
	f = open_memstream(&line, &size);
	word_frame(&c.frames[0], f);
	fclose(f);
	json_object_set_new(j, "place", json_string(line));
	free(line);
}

static void dump_json(const struct event *e, struct sites *s, FILE *out)
{
	unsigned int fields = event_fields(e->kind);
	json_t *j = json_object();

	set_number(j, "thread", e->thread);
	json_object_set_new(j, "kind", json_string(event_text(e->kind)));
	if (fields & FIELD_ADDR)
		set_hex(j, "address", e->addr);
	if (fields & FIELD_SIZE)
		set_number(j, "size", e->size);
	if (e->kind == EVENT_EARLIER_READ || e->kind == EVENT_EARLIER_WRITE) {
		set_number(j, "by", earlier_thread(e->arg));
		set_number(j, "segment", earlier_segment(e->arg));
	} else if (fields & FIELD_ARG) {
		set_number(j, "arg", e->arg);
	}
	if (fields & FIELD_STAMP)
		set_number(j, "stamp", e->stamp);
	set_number(j, "stack", e->stack);
	set_place(j, s, e->stack);
	json_dumpf(j, out, JSON_COMPACT);
	putc('\n', out);
	json_decref(j);
}

void report_dump(struct trace *t, struct sites *s, bool as_json, FILE *out)
{
	struct event e;

	trace_rewind(t);
	while (!ferror(out) && trace_next(t, &e))
		if (as_json)
			dump_json(&e, s, out);
		else
			dump_text(&e, s, out);
}
