/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "report/clean_text.h"
#include "report/wording.h"

/* ---- small things ---- */

static json_t *text(const char *s)
{
	return clean_json(s);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* JSON's numbers end where doubles do. */
static json_t *address(uint64_t a)
{
	char hex[20];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, a);
	return json_string(hex);
}

static json_t *frame(const struct frame *f)
{
	json_t *j = json_object();

	json_object_set_new(j, "function", text(f->function));
	json_object_set_new(j, "file", text(f->file));
	json_object_set_new(j, "line", json_integer(f->line));
	json_object_set_new(j, "column", json_integer(f->column));
	json_object_set_new(j, "module", text(f->module));
	json_object_set_new(j, "offset", address(f->offset));
	json_object_set_new(j, "inlined", json_boolean(f->inlined));
	return j;
}

static json_t *stack(const struct report *r, uint32_t node)
{
	struct site_chain c = stack_resolve(r->sites, node);
	json_t *j = json_array();

	for (size_t i = 0; i < c.count; i++)
		json_array_append_new(j, frame(&c.frames[i]));
	return j;
}

static json_t *location(const struct report *r, const struct location *where,
			uint64_t addr, uint64_t size)
{
	static const char *const kinds[] = {
		[LOCATION_UNKNOWN] = "unknown", [LOCATION_GLOBAL] = "global",
		[LOCATION_HEAP] = "heap",	[LOCATION_STACK] = "stack",
		[LOCATION_MAPPED] = "mapped",
	};
	char *name = location_name(where, addr, size, r->sites);
	json_t *j = json_object();

	json_object_set_new(j, "name", text(name));
	json_object_set_new(j, "kind", text(kinds[where->kind]));
	json_object_set_new(j, "address", address(addr));
	if (where->stack != NO_STACK)
		json_object_set_new(j, "allocated", stack(r, where->stack));
	free(name);
	return j;
}

/* ---- the run ---- */

static json_t *command(const struct trace_info *info)
{
	json_t *j = json_array();
	const char *p = info->command, *end = p + info->command_size;

	for (; p < end; p += strlen(p) + 1)
		json_array_append_new(j, text(p));
	return j;
}

static json_t *threads(const struct report *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < trace_threads(r->trace); i++) {
		const struct region_thread *t = trace_thread(r->trace, i);
		char *function = word_start(r->trace, r->sites, i);
		json_t *j = json_object();

		json_object_set_new(j, "number", number(i));
		json_object_set_new(j, "parent",
				    t->parent == NO_THREAD ? json_null() :
							     number(t->parent));
		json_object_set_new(j, "nth", number(t->nth));
		json_object_set_new(j, "tid", number(t->kernel_tid));
		json_object_set_new(j, "function", text(function));
		free(function);
		json_object_set_new(j, "created", stack(r, t->stack));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *modules(const struct trace *t)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < trace_modules(t); i++) {
		const struct region_module *m = trace_module(t, i);
		char id[2 * sizeof(m->build_id) + 1] = "";
		json_t *j = json_object();

		for (size_t k = 0;
		     k < m->build_id_size && k < sizeof(m->build_id); k++)
			sprintf(id + 2 * k, "%02x", m->build_id[k]);
		json_object_set_new(j, "path", text(m->path));
		json_object_set_new(j, "build_id", text(id));
		json_object_set_new(j, "instrumented",
				    json_boolean(m->instrumented));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *by_kind(const struct run_summary *s)
{
	json_t *j = json_object();

	for (unsigned int k = 0; k < EVENT_KINDS; k++)
		if (s->by_kind[k])
			json_object_set_new(j, event_text(k),
					    number(s->by_kind[k]));
	return j;
}

static json_t *summary(const struct report *r)
{
	const struct run_summary *s = r->summary;
	const struct trace_end *end = trace_end(r->trace);
	json_t *j = json_object();

	json_object_set_new(j, "events", number(s->events));
	json_object_set_new(j, "by_kind", by_kind(s));
	json_object_set_new(j, "threads", number(s->threads));
	json_object_set_new(j, "accesses", number(s->accesses));
	json_object_set_new(j, "atomics", number(s->atomics));
	json_object_set_new(j, "shared_granules", number(s->shared_granules));
	json_object_set_new(j, "shared_objects", number(s->shared_objects));
	json_object_set_new(j, "sites", number(s->sites));
	json_object_set_new(j, "stacks", number(s->stacks));
	json_object_set_new(j, "locks", number(s->locks));
	json_object_set_new(j, "acquisitions", number(s->acquisitions));
	json_object_set_new(j, "allocations", number(s->allocations));
	json_object_set_new(j, "allocated_bytes", number(s->allocated_bytes));
	json_object_set_new(j, "lost", end ? number(end->lost) : json_null());
	return j;
}

static json_t *notes(const struct report *r)
{
	json_t *j = json_array();

	for (uint32_t i = 0; i < trace_notes(r->trace); i++)
		json_array_append_new(j, text(trace_note(r->trace, i)));
	for (size_t i = 0; i < sites_warnings(r->sites); i++)
		json_array_append_new(j, text(sites_warning_text(r->sites, i)));
	return j;
}

static json_t *missing(const struct trace *t)
{
	json_t *j = json_array();

	for (size_t i = 0; i < trace_missing(t); i++)
		json_array_append_new(j, text(trace_missing_text(t, i)));
	return j;
}

/* ---- findings ---- */

static json_t *lock(const struct report *r, const struct held_lock *l)
{
	json_t *j = json_object();

	json_object_set_new(j, "kind", text(word_lock(l)));
	json_object_set_new(j, "number", number(l->lock));
	json_object_set_new(j, "location",
			    location(r, &l->where, l->addr, word_lock_size(l)));
	json_object_set_new(j, "stack", stack(r, l->stack));
	return j;
}

static json_t *race_side(const struct report *r, const struct race_access *a)
{
	json_t *j = json_object(), *locks = json_array();

	for (size_t i = 0; i < a->lock_count; i++)
		json_array_append_new(locks, lock(r, &a->locks[i]));
	json_object_set_new(j, "thread", number(a->thread));
	json_object_set_new(j, "kind", text(word_access(a)));
	json_object_set_new(j, "write", json_boolean(a->is_write));
	json_object_set_new(j, "atomic", json_boolean(a->is_atomic));
	json_object_set_new(j, "address", address(a->addr));
	json_object_set_new(j, "size", number(a->size));
	json_object_set_new(j, "stack", stack(r, a->stack));
	json_object_set_new(j, "locks", locks);
	return j;
}

static json_t *races(const struct report *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->race_count; i++) {
		const struct race_finding *f = &r->races[i];
		json_t *j = json_object();

		json_object_set_new(j, "location",
				    location(r, &f->where, f->addr, f->size));
		json_object_set_new(j, "size", number(f->size));
		json_object_set_new(j, "count", number(f->count));
		json_object_set_new(j, "first", race_side(r, &f->first));
		json_object_set_new(j, "second", race_side(r, &f->second));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *cycles(const struct report *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->cycle_count; i++) {
		const struct lockcycle_finding *f = &r->cycles[i];
		json_t *j = json_object(), *edges = json_array();

		for (size_t k = 0; k < f->edge_count; k++) {
			json_t *edge = json_object();

			json_object_set_new(edge, "thread",
					    number(f->edges[k].thread));
			json_object_set_new(edge, "held",
					    lock(r, &f->edges[k].held));
			json_object_set_new(edge, "wanted",
					    lock(r, &f->edges[k].wanted));
			json_array_append_new(edges, edge);
		}
		json_object_set_new(j, "edges", edges);
		json_object_set_new(j, "count", number(f->count));
		json_array_append_new(all, j);
	}
	return all;
}

/* ---- all of it ---- */

static void set_ending(json_t *all, const struct trace_end *end)
{
	int status = end ? end->wait_status : 0;

	json_object_set_new(all, "exit_status",
			    end && WIFEXITED(status) ?
				    json_integer(WEXITSTATUS(status)) :
				    json_null());
	json_object_set_new(all, "signal",
			    end && WIFSIGNALED(status) ?
				    text(sigabbrev_np(WTERMSIG(status))) :
				    json_null());
}

void report_json(const struct report *r, FILE *out)
{
	const struct trace_info *info = trace_info(r->trace);
	json_t *all = json_object();

	json_object_set_new(all, "format", text("heddle-run"));
	json_object_set_new(all, "version", json_integer(1));
	json_object_set_new(all, "verdict", text(verdict_text(r->verdict)));
	json_object_set_new(all, "ending", text(r->ending));
	set_ending(all, trace_end(r->trace));
	json_object_set_new(all, "run", text(r->name));
	json_object_set_new(all, "command", command(info));
	json_object_set_new(all, "started", number(info->started));
	json_object_set_new(all, "recorded_all",
			    json_boolean(info->flags & REGION_RECORD_ALL));
	json_object_set_new(all, "threads", threads(r));
	json_object_set_new(all, "modules", modules(r->trace));
	json_object_set_new(all, "summary", summary(r));
	json_object_set_new(all, "races", races(r));
	json_object_set_new(all, "lock_cycles", cycles(r));
	json_object_set_new(all, "lock_cycles_cut",
			    json_boolean(r->cycles_were_cut));
	json_object_set_new(all, "suppressed", number(r->suppressed));
	json_object_set_new(all, "notes", notes(r));
	json_object_set_new(all, "missing", missing(r->trace));
	json_dumpf(all, out, JSON_INDENT(2));
	putc('\n', out);
	json_decref(all);
}
