/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/race_groups.h"
#include "report/wording.h"

enum { THREADS_SHOWN = 40, ALSO_SHOWN = 8 };

/* A report on its way to a stream. */
struct page {
	const struct report *r;
	FILE *out;
	const char *bold, *red, *dim, *off;
};

/* ---- parts that recur ---- */

static void put_thread(const struct page *p, uint32_t thread)
{
	char *start = word_start(p->r->trace, p->r->sites, thread);

	fprintf(p->out, "thread %" PRIu32, thread);
	if (thread == 0)
		fputs(" (main thread)", p->out);
	else if (start)
		fprintf(p->out, " (%s)", start);
	free(start);
}

/* A stack without libc's part at its bottom, which starts every thread and
 * tells nothing. */
static struct site_chain own_stack(const struct page *p, uint32_t stack)
{
	struct site_chain c = stack_resolve(p->r->sites, stack);

	while (c.count > 1 && c.frames[c.count - 1].module &&
	       strncmp(word_file(c.frames[c.count - 1].module), "libc.so", 7) ==
		       0)
		c.count--;
	return c;
}

/* What libraries have in their headers is left out; report_json.c tells it. */
static void put_stack(const struct page *p, uint32_t stack, const char *indent)
{
	enum { MOST = 128 };
	struct frame room[MOST];
	struct site_chain whole = own_stack(p, stack);
	struct site_chain c = stack_of_user(&whole, room, MOST);

	if (c.count == 0)
		fprintf(p->out, "%s%s(no stack is known)%s\n", indent, p->dim,
			p->off);
	for (size_t i = 0; i < c.count; i++) {
		fprintf(p->out, "%s#%zu ", indent, i);
		word_frame(&c.frames[i], p->out);
		fputs(c.frames[i].inlined ? " (inlined)\n" : "\n", p->out);
	}
}

/* The innermost place alone, of the user's. */
static void put_place(const struct page *p, uint32_t stack)
{
	struct site_chain c = stack_resolve(p->r->sites, stack);

	if (c.count)
		word_frame(site_chain_told(&c), p->out);
	else
		fputs("an unknown place", p->out);
}

static void put_location(const struct page *p, const struct location *where,
			 uint64_t addr, uint64_t size)
{
	char *name = location_name(where, addr, size, p->r->sites);

	fputs(name, p->out);
	free(name);
}

/* ---- the run ---- */

static void put_threads(const struct page *p)
{
	const struct trace *t = p->r->trace;
	uint32_t count = trace_threads(t);

	fprintf(p->out, "%sthreads%s\n", p->bold, p->off);
	for (uint32_t i = 0; i < count && i < THREADS_SHOWN; i++) {
		const struct region_thread *who = trace_thread(t, i);

		fputs("  ", p->out);
		put_thread(p, i);
		if (who->parent != NO_THREAD) {
			fprintf(p->out, ", created by thread %" PRIu32 " at ",
				who->parent);
			put_place(p, who->stack);
		} else if (i > 0) {
			fputs(", creation not seen", p->out);
		}
		putc('\n', p->out);
	}
	if (count > THREADS_SHOWN)
		fprintf(p->out, "  and %" PRIu32 " more\n",
			count - THREADS_SHOWN);
}

static void put_number(const struct page *p, const char *name, uint64_t n,
		       const char *rest)
{
	fprintf(p->out, "  %-16s %" PRIu64 "%s\n", name, n, rest);
}

static void put_numbers(const struct page *p)
{
	const struct run_summary *s = p->r->summary;
	const struct trace_info *info = trace_info(p->r->trace);
	const struct trace_end *end = trace_end(p->r->trace);

	fprintf(p->out, "%srecorded%s\n", p->bold, p->off);
	put_number(p, "events", s->events, "");
	put_number(p, "accesses", s->accesses, "");
	put_number(p, "atomic accesses", s->atomics, "");
	put_number(p, "shared places", s->shared_objects,
		   " used by two threads or more, one of them writing");
	put_number(p, "sites", s->sites, " of accesses");
	put_number(p, "call stacks", s->stacks, " of accesses");
	fprintf(p->out, "  %-16s %" PRIu64 ", acquired %" PRIu64 " times\n",
		"locks", s->locks, s->acquisitions);
	fprintf(p->out, "  %-16s %" PRIu64 " of %" PRIu64 " bytes in all\n",
		"allocations", s->allocations, s->allocated_bytes);
	if (info->flags & REGION_RECORD_ALL)
		fprintf(p->out, "  %-16s nothing (--all)\n", "left out");
	else
		fprintf(p->out,
			"  %-16s accesses to memory that no other thread could "
			"use then (--all)\n",
			"left out");
	if (end && end->lost)
		put_number(p, "lost", end->lost,
			   " events that could not be recorded");
	if (info->stamps_per_second && s->last_stamp > s->first_stamp)
		fprintf(p->out, "  %-16s %.6f s\n", "time",
			(double)(s->last_stamp - s->first_stamp) /
				(double)info->stamps_per_second);
}

static void put_invisible(const struct page *p)
{
	const struct trace *t = p->r->trace;
	bool any = false;

	for (uint32_t i = 0; i < trace_modules(t); i++) {
		const struct region_module *m = trace_module(t, i);

		if (!word_is_invisible(m))
			continue;
		if (!any)
			fprintf(p->out,
				"%snot built with heddle cc%s, so what they do "
				"to memory is not seen\n",
				p->bold, p->off);
		any = true;
		fprintf(p->out, "  %s\n", m->path);
	}
}

static void put_remarks(const struct page *p)
{
	const struct report *r = p->r;

	for (uint32_t i = 0; i < trace_notes(r->trace); i++)
		fprintf(p->out, "%snote:%s %s\n", p->bold, p->off,
			trace_note(r->trace, i));
	for (size_t i = 0; i < trace_missing(r->trace); i++)
		fprintf(p->out, "%smissing:%s %s\n", p->bold, p->off,
			trace_missing_text(r->trace, i));
	for (size_t i = 0; i < sites_warnings(r->sites); i++)
		fprintf(p->out, "%snote:%s %s\n", p->bold, p->off,
			sites_warning_text(r->sites, i));
}

/* ---- races ---- */

static void put_locks(const struct page *p, const struct race_access *a)
{
	for (size_t i = 0; i < a->lock_count; i++) {
		const struct held_lock *l = &a->locks[i];

		fprintf(p->out, "    %sholding %s ", p->dim, word_lock(l));
		put_location(p, &l->where, l->addr, word_lock_size(l));
		fputs(", acquired at ", p->out);
		put_place(p, l->stack);
		fprintf(p->out, "%s\n", p->off);
	}
}

static void put_access(const struct page *p, const struct race_access *a,
		       const char *word)
{
	fprintf(p->out, "  %s%s of %" PRIu64 " byte%s by ", word,
		word_access(a), a->size, a->size == 1 ? "" : "s");
	put_thread(p, a->thread);
	putc('\n', p->out);
	put_stack(p, a->stack, "    ");
	put_locks(p, a);
}

static void put_times(const struct page *p, const struct race_finding *f)
{
	if (f->count > 1)
		fprintf(p->out, " (%" PRIu64 " times)", f->count);
	putc('\n', p->out);
}

static void put_race(const struct page *p, const struct race_finding *f)
{
	fprintf(p->out, "\n%srace%s on %s", p->red, p->off, p->bold);
	put_location(p, &f->where, f->addr, f->size);
	fputs(p->off, p->out);
	put_times(p, f);
	put_access(p, &f->second, "");
	put_access(p, &f->first, "unordered with an earlier ");
}

/* A further race of the same group: what differs. */
static void put_also(const struct page *p, const struct race_finding *f)
{
	char *name = location_name(&f->where, f->addr, f->size, p->r->sites);
	const char *place = name + race_object_length(name);

	fputs("  also ", p->out);
	if (*place == ',')
		place += strspn(place, ", ");
	if (*place)
		fprintf(p->out, "on %s: ", place);
	fprintf(p->out, "%s at ", word_access(&f->second));
	put_place(p, f->second.stack);
	fprintf(p->out, ", earlier %s at ", word_access(&f->first));
	put_place(p, f->first.stack);
	put_times(p, f);
	free(name);
}

/* The race `n`, and those it is the first of. */
static void put_group(const struct page *p, const size_t *first, size_t n)
{
	size_t more = 0;

	put_race(p, &p->r->races[n]);
	for (size_t i = n + 1; i < p->r->race_count; i++) {
		if (first[i] != n)
			continue;
		if (more++ < ALSO_SHOWN)
			put_also(p, &p->r->races[i]);
	}
	if (more > ALSO_SHOWN)
		fprintf(p->out,
			"  and %zu more between the same functions (--json "
			"tells all)\n",
			more - ALSO_SHOWN);
}

static void put_races(const struct page *p)
{
	size_t *first = race_groups(p->r);

	for (size_t i = 0; i < p->r->race_count; i++)
		if (first[i] == i)
			put_group(p, first, i);
	free(first);
}

/* ---- lock cycles ---- */

static void put_held(const struct page *p, const struct held_lock *l)
{
	fprintf(p->out, "%s ", word_lock(l));
	put_location(p, &l->where, l->addr, word_lock_size(l));
}

static void put_edge(const struct page *p, const struct lockcycle_edge *e)
{
	fputs("  ", p->out);
	put_thread(p, e->thread);
	fputs(" acquired ", p->out);
	put_held(p, &e->wanted);
	fputs(" at\n", p->out);
	put_stack(p, e->wanted.stack, "    ");
	fputs("    while it held ", p->out);
	put_held(p, &e->held);
	fputs(", acquired at\n", p->out);
	put_stack(p, e->held.stack, "    ");
}

static void put_cycle(const struct page *p, const struct lockcycle_finding *f)
{
	fprintf(p->out,
		"\n%slock cycle%s: %zu threads could wait for each other for "
		"ever\n",
		p->red, p->off, f->edge_count);
	for (size_t i = 0; i < f->edge_count; i++)
		put_edge(p, &f->edges[i]);
}

/* ---- all of it ---- */

static void put_verdict(const struct page *p)
{
	const struct report *r = p->r;

	fprintf(p->out, "%s%s%s: the program %s; ",
		r->verdict == EXIT_HELD ? p->bold : p->red,
		verdict_text(r->verdict), p->off, r->ending);
	word_count(r->race_count, "race", "races", p->out);
	fputs(", ", p->out);
	word_count(r->cycle_count, "lock cycle", "lock cycles", p->out);
	if (r->suppressed)
		fprintf(p->out, ", %" PRIu64 " suppressed", r->suppressed);
	if (r->name)
		fprintf(p->out, "; see it again: heddle show %s", r->name);
	putc('\n', p->out);
}

void report_text(const struct report *r, bool is_colourful, FILE *out)
{
	struct page p = {
		.r = r, .out = out, .bold = "", .red = "", .dim = "", .off = ""
	};

	if (is_colourful) {
		p.bold = "\033[1m";
		p.red = "\033[1;31m";
		p.dim = "\033[2m";
		p.off = "\033[0m";
	}
	put_threads(&p);
	put_numbers(&p);
	put_invisible(&p);
	put_races(&p);
	for (size_t i = 0; i < r->cycle_count; i++)
		put_cycle(&p, &r->cycles[i]);
	if (r->cycles_were_cut)
		fputs("\nThere may be more lock cycles.\n", out);
	putc('\n', out);
	/* Last, because finding names is what brings warnings of sites. */
	put_remarks(&p);
	put_verdict(&p);
}
