/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_unserial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/xalloc.h"
#include "report/wording.h"

enum { PLACES = 3 };

struct row {
	char *place[PLACES]; /* of P, R and C: as they would happen */
	char *gap, *distance;
};

/* ---- cells ---- */

static char *place_text(struct sites *s, const struct unserial_side *side)
{
	struct site_chain c = side->stack != NO_STACK ?
				      stack_resolve(s, side->stack) :
				      site_resolve(s, side->site, true);
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (!c.count)
		return xstrdup("?");
	out = open_memstream(&text, &size);
	CHECK(out);
	word_frame(&c.frames[0], out);
	CHECK(fclose(out) == 0);
	return text;
}

static char *time_text(const struct trace *t, uint64_t stamps)
{
	uint64_t second = trace_info(t)->stamps_per_second;
	double ns;

	if (stamps == UINT64_MAX)
		return xstrdup("-");
	if (!second)
		return xasprintf("%" PRIu64, stamps);
	ns = (double)stamps * 1e9 / (double)second;
	if (ns < 1e4)
		return xasprintf("%.0f ns", ns);
	if (ns < 1e7)
		return xasprintf("%.0f us", ns / 1e3);
	return xasprintf("%.0f ms", ns / 1e6);
}

static struct row make_row(const struct unserial_report *r,
			   const struct unserial_candidate *f)
{
	return (struct row){
		.place = { place_text(r->sites, &f->p),
			   place_text(r->sites, &f->r),
			   place_text(r->sites, &f->c) },
		.gap = f->instances ? time_text(r->trace, f->gap) :
				      xstrdup("-"),
		.distance = time_text(r->trace, f->distance),
	};
}

static void free_rows(struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned int j = 0; j < PLACES; j++)
			free(rows[i].place[j]);
		free(rows[i].gap);
		free(rows[i].distance);
	}
	free(rows);
}

/* ---- what became of it ---- */

static void print_lock(const struct unserial_report *r,
		       const struct held_lock *l, FILE *out)
{
	char *name =
		location_name(&l->where, l->addr, word_lock_size(l), r->sites);

	fprintf(out, "%s %s keeps R out", word_lock(l), name);
	free(name);
}

static void print_why(const struct unserial_report *r,
		      const struct unserial_candidate *f, FILE *out)
{
	fputs("pruned: ", out);
	switch (f->why) {
	case UNSERIAL_BEFORE:
		fputs("R is over before P", out);
		break;
	case UNSERIAL_AFTER:
		fputs("R comes after C", out);
		break;
	case UNSERIAL_LOCKED:
		print_lock(r, &f->lock, out);
		break;
	case UNSERIAL_FRESH:
		fputs("nobody else knows the block then", out);
		break;
	case UNSERIAL_FEASIBLE:
		break;
	}
}

void report_keepers(const struct unserial_candidate *f, const char *before,
		    FILE *out)
{
	for (int k = 0; k < UNSERIAL_KEEPERS; k++)
		if (f->keepers & 1u << k) {
			fprintf(out, "%s%s", before,
				unserial_keeper_text((enum unserial_keeper)k));
			before = " or ";
		}
}

static void print_status(const struct unserial_report *r,
			 const struct unserial_candidate *f, FILE *out)
{
	switch (f->status) {
	case UNSERIAL_OPEN:
		fputs("open", out);
		break;
	case UNSERIAL_LIKELY:
		fputs("likely ordered", out);
		report_keepers(f, " by ", out);
		break;
	case UNSERIAL_EXERCISED:
		fputs("exercised", out);
		break;
	case UNSERIAL_PRUNED:
		print_why(r, f, out);
		break;
	}
}

/* ---- the table ---- */

static void print_row(const struct unserial_report *r, size_t n,
		      const struct row *row, const int *width, FILE *out)
{
	const struct unserial_candidate *f = &r->result->at[n];
	char *name = location_name(&f->where, f->addr, 1, r->sites);

	if (f->status <= UNSERIAL_LIKELY)
		fprintf(out, "%4zu", n + 1);
	else
		fputs("   -", out);
	fprintf(out, "  %s  %-*s  %-*s  %-*s  %8s  %8s  ",
		unserial_pattern_text(f->pattern), width[0], row->place[0],
		width[1], row->place[1], width[2], row->place[2], row->gap,
		row->distance);
	print_status(r, f, out);
	fprintf(out, ", on %s\n", name);
	free(name);
}

static void print_table(const struct unserial_report *r, FILE *out)
{
	size_t count = r->result->count;
	struct row *rows = xcalloc(count + 1, sizeof(*rows));
	int width[PLACES] = { 1, 1, 1 };

	for (size_t i = 0; i < count; i++) {
		rows[i] = make_row(r, &r->result->at[i]);
		for (unsigned int j = 0; j < PLACES; j++) {
			int length = (int)strlen(rows[i].place[j]);

			width[j] = length > width[j] ? length : width[j];
		}
	}
	fprintf(out, "rank  P R C  %-*s  %-*s  %-*s  %8s  %8s  %s\n", width[0],
		"P", width[1], "R", width[2], "C", "gap", "distance", "status");
	for (size_t i = 0; i < count; i++)
		print_row(r, i, &rows[i], width, out);
	free_rows(rows, count);
}

/* ---- above it ---- */

/* Numbers that a person can read, or how long they are. */
static void print_size(const char *name, double log_10, FILE *out)
{
	if (log_10 < 0)
		fprintf(out, " %s 0", name);
	else if (log_10 < 6)
		fprintf(out, " %s %.0f", name, pow(10, log_10));
	else
		fprintf(out, " %s 10^%.0f", name, log_10);
}

static void print_sizes(const struct unserial_sizes *s, FILE *out)
{
	word_count(s->accesses, "access", "accesses", out);
	fputs(" to shared memory by ", out);
	word_count(s->threads, "thread", "threads", out);
	fputs(", tests to cover all:", out);
	print_size("ALL", s->all, out);
	print_size("TPAIR", s->tpair, out);
	print_size("PI", s->pi, out);
	print_size("UI", s->ui, out);
	putc('\n', out);
}

void report_unserial_head(const struct unserial_report *r, FILE *out)
{
	const struct unserial_result *all = r->result;

	print_sizes(&all->sizes, out);
	word_count(all->count, "unserializable interleaving",
		   "unserializable interleavings", out);
	fprintf(out,
		": %zu open, %zu likely ordered, %zu exercised, "
		"%zu pruned\n",
		all->by_status[UNSERIAL_OPEN], all->by_status[UNSERIAL_LIKELY],
		all->by_status[UNSERIAL_EXERCISED],
		all->by_status[UNSERIAL_PRUNED]);
}

void report_unserial(const struct unserial_report *r, FILE *out)
{
	report_unserial_head(r, out);
	if (!(trace_info(r->trace)->flags & REGION_RECORD_ALL))
		fputs("note: times and locks of some accesses are unknown; "
		      "heddle run --observe --all keeps them\n",
		      out);
	if (r->result->count)
		print_table(r, out);
}
