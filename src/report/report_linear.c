/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_linear.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/xalloc.h"
#include "linear/linear_verdict.h"
#include "report/interleaving.h"
#include "report/wording.h"

enum { REQUEST_SHOWN = 200, STRETCHES = 12 };

enum exit_status report_linear_status(const struct linear_result *r)
{
	if (r->findings.count)
		return EXIT_BROKEN;
	return r->unknown || r->stopped_by ? EXIT_UNKNOWN : EXIT_HELD;
}

static const struct execution *execution_of(const struct linear_report *r,
					    const struct linear_finding *f)
{
	return &r->result->cases.at[f->of_case].executions.at[f->execution];
}

static const char *name_of(const struct linear_report *r,
			   const struct linear_finding *f)
{
	const struct linear_input *input =
		r->result->cases.at[f->of_case].input;

	return input ? input->name : r->options->argv[0];
}

/* ---- text ---- */

static void print_request(const struct observed_request *q, FILE *out)
{
	char *input = blob_escape(q->input, REQUEST_SHOWN);
	char *output = blob_escape(q->output, REQUEST_SHOWN);

	fprintf(out, "  %u", q->client);
	if (q->nth)
		fprintf(out, ".%u", q->nth + 1);
	fprintf(out, "  %s  ->  %s\n", input, q->end ? output : "(no reply)");
	free(input);
	free(output);
}

static void print_columns(const struct judged *j, FILE *out)
{
	if (!j->orders)
		return;
	fputs("  order ", out);
	for (uint32_t i = 0; i < j->orders; i++)
		fprintf(out, "  %c: %s", 'A' + (char)i, j->names[i]);
	fputs("\n  output", out);
	for (uint32_t i = 0; i < j->orders; i++)
		fprintf(out, "  %*s%s", (int)strlen(j->names[i]), "",
			j->outputs[i] ? "yes" : " no");
	fputs("\n  state ", out);
	for (uint32_t i = 0; i < j->orders; i++)
		fprintf(out, "  %*s%s", (int)strlen(j->names[i]), "",
			j->states[i] ? "yes" : " no");
	putc('\n', out);
}

static void print_again(const struct linear_report *r,
			const struct execution *e, FILE *out)
{
	if (!e->repro)
		return;
	fputs("; see it again: heddle replay ", out);
	if (r->store) {
		fputs("--store ", out);
		quote_word(r->store, out);
		putc(' ', out);
	}
	fputs(e->repro, out);
}

static void print_finding(const struct linear_report *r, size_t n, FILE *out)
{
	const struct linear_finding *f = &r->result->findings.at[n];
	const struct execution *e = execution_of(r, f);
	const struct judged *j = &e->judged;
	struct interleaving_style style = { .is_colourful = r->is_colourful,
					    .width = r->width,
					    .most = STRETCHES };

	fprintf(out, "%s: %s%s%s\n", name_of(r, f), judged_text(j),
		e->seen->words ? ": " : "",
		e->seen->words ? e->seen->words : "");
	for (size_t i = 0; i < e->seen->requests.count; i++)
		print_request(&e->seen->requests.at[i], out);
	print_columns(j, out);
	if (j->reply)
		fprintf(out, "  no serial order gives the reply: %s\n",
			j->reply);
	if (j->component)
		fprintf(out, "  component %s %s\n", j->component,
			j->difference);
	if (r->plans && r->plans[n])
		interleaving_print(r->plans[n], &style, out);
	fprintf(out, "  in %" PRIu64 " of %" PRIu64 " schedules", f->count,
		r->result->cases.at[f->of_case].made);
	print_again(r, e, out);
	fputs("\n\n", out);
}

uint64_t linear_flagged_inputs(const struct linear_result *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->findings.count; i++)
		count += !i || r->findings.at[i].of_case !=
				       r->findings.at[i - 1].of_case;
	return count;
}

uint64_t linear_varied_inputs(const struct linear_result *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->cases.count; i++)
		count += r->cases.at[i].is_varied;
	return count;
}

uint64_t linear_executions(const struct linear_result *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->cases.count; i++)
		count += r->cases.at[i].made;
	return count;
}

static void print_notes(const struct linear_report *r, FILE *out)
{
	const struct linear_result *result = r->result;

	if (result->why_early)
		fprintf(out,
			"the program cannot be forked where it is ready (%s): "
			"each run %s\n",
			result->why_early,
			result->is_fresh ? "was started afresh" :
					   "began before main");
	if (linear_varied_inputs(result)) {
		fputs("serial executions of the same order differ for ", out);
		word_count(linear_varied_inputs(result), "input", "inputs",
			   out);
		fputs("; any of them counts (say `ignore` for what varies)\n",
		      out);
	}
}

static void print_end(const struct linear_report *r, FILE *out)
{
	const struct linear_result *result = r->result;
	enum exit_status status = report_linear_status(result);

	fprintf(out, "%s: ", verdict_text(status));
	if (status == EXIT_BROKEN)
		fprintf(out, "%" PRIu64 " of ", linear_flagged_inputs(result));
	word_count(result->cases.count, "input", "inputs", out);
	if (status == EXIT_BROKEN)
		fputs(linear_flagged_inputs(result) == 1 ?
			      " is not linearizable" :
			      " are not linearizable",
		      out);
	if (result->unknown)
		fprintf(out, ", %" PRIu64 " executions without a verdict",
			result->unknown);
	fprintf(out, "; %" PRIu64 " executions", linear_executions(result));
	if (result->recorded)
		fprintf(out, " (%" PRIu64 " recorded before)",
			result->recorded);
	fprintf(out, ", %" PRIu64 " runs in %.1f s", result->runs,
		result->seconds);
	if (result->stopped_by)
		fputs("; interrupted", out);
	putc('\n', out);
}

void report_linear_text(const struct linear_report *r, FILE *out)
{
	for (size_t i = 0; i < r->result->findings.count; i++)
		print_finding(r, i, out);
	print_notes(r, out);
	print_end(r, out);
}
