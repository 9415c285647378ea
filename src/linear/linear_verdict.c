/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

const char *judged_text(const struct judged *j)
{
	if (j->judgement == JUDGED_FAILED)
		return "failed";
	if (j->is_error)
		return j->is_latent ? "error, latent" : "error";
	return j->is_latent ? "semantic, latent" : "semantic";
}

/* Not the name of the input: the same requests are the same failure. */
static char *identity_of(const struct linear_case *c, const struct execution *e)
{
	char *identity = xasprintf("linear: %016" PRIx64 ": %s",
				   c->input ? linear_input_hash(c->input) : 0,
				   judged_text(&e->judged));
	const char *more = e->judged.component ? e->judged.component :
			   e->seen->words      ? e->seen->words :
						 NULL;
	char *longer = more ? xasprintf("%s: %s", identity, more) : NULL;

	if (!longer)
		return identity;
	free(identity);
	return longer;
}

static char *verdict_of(const struct execution *e)
{
	if (e->seen->words)
		return xstrdup(e->seen->words);
	return xasprintf("not linearizable (%s)", judged_text(&e->judged));
}

static char *details_of(const struct execution *e)
{
	struct blob text = blob_make("", 0);
	char *line;

	for (size_t i = 0; i < e->seen->requests.count; i++) {
		const struct observed_request *q = &e->seen->requests.at[i];
		char *input = blob_escape(q->input, 200);
		char *output = blob_escape(q->output, 200);

		line = xasprintf("  %u  %s  ->  %s\n", q->client, input,
				 q->end ? output : "(no reply)");
		blob_append(&text, line, strlen(line));
		free(line);
		free(input);
		free(output);
	}
	if (e->judged.component) {
		line = xasprintf("  component %s %s\n", e->judged.component,
				 e->judged.difference);
		blob_append(&text, line, strlen(line));
		free(line);
	}
	return text.at;
}

void linear_verdict(const struct linear_case *c, const struct execution *e,
		    struct verdict *v)
{
	*v = (struct verdict){ .kind = OUTCOME_NONE,
			       .status = EXIT_HELD,
			       .text = xstrdup("linearizable"),
			       .identity = xstrdup(""),
			       .details = xstrdup("") };
	if (e->judged.judgement == JUDGED_FITS)
		return;
	free(v->text);
	free(v->identity);
	free(v->details);
	v->kind = OUTCOME_LINEAR;
	v->status = e->judged.judgement == JUDGED_UNKNOWN ? EXIT_UNKNOWN :
							    EXIT_BROKEN;
	v->text = verdict_of(e);
	v->identity = identity_of(c, e);
	v->details = details_of(e);
}
