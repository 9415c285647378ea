/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/oracle.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "format/event.h"
#include "format/rng.h"
#include "trial/standing.h"

enum {
	OWN_FRAMES = 3, /* of a stack, in an identity */
};

/* ---- kinds ---- */

static const struct {
	enum exit_status status;
	const char *text;
} kinds[OUTCOMES] = {
#define OUTCOME(name, verdict, words)                                          \
	[OUTCOME_##name] = { EXIT_##verdict, words },
#include "format/outcome.def"
#undef OUTCOME
};

enum exit_status oracle_status(enum outcome_kind kind)
{
	return kind < OUTCOMES ? kinds[kind].status : EXIT_UNKNOWN;
}

const char *oracle_kind_text(enum outcome_kind kind)
{
	return kind < OUTCOMES ? kinds[kind].text : "?";
}

/* A signal that others send leaves the run unknown. */
static bool is_from_outside(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP ||
	       sig == SIGKILL;
}

enum outcome_kind oracle_kind(uint32_t outcome, int status)
{
	if (outcome != OUTCOME_NONE)
		return outcome;
	if (WIFSIGNALED(status))
		return is_from_outside(WTERMSIG(status)) ? OUTCOME_KILLED :
							   OUTCOME_SIGNAL;
	return WEXITSTATUS(status) ? OUTCOME_EXIT : OUTCOME_NONE;
}

/* ---- the key ---- */

static uint64_t key_add(uint64_t key, uint64_t part)
{
	return rng_mix(key ^ part) + part;
}

static uint64_t key_stack(uint64_t key, const struct region *r, uint32_t node)
{
	while (node && node < REGION_STACKS) {
		uint32_t parent = r->stacks[node].parent;

		key = key_add(key, r->stacks[node].site);
		node = parent < node ? parent : 0;
	}
	return key;
}

static uint64_t key_text(uint64_t key, const char *text, size_t most)
{
	for (const char *p = text; p < text + most && *p; p++)
		key = key_add(key, (unsigned char)*p);
	return key;
}

uint64_t oracle_key(const struct region *r, const struct remark *words)
{
	const struct control_run *run = &r->control.run;
	const struct outcome *o = &run->outcome;
	uint64_t key = key_add(o->kind, (uint64_t)(uint32_t)run->wait_status);

	key = key_add(key, (uint64_t)(uint32_t)o->signal);
	key = key_text(key, o->text, CONTROL_TEXT);
	if (words && words->text)
		key = key_text(key, words->text, strlen(words->text));
	key = key_stack(key, r, o->stack);
	if (o->kind != OUTCOME_DEADLOCK && o->kind != OUTCOME_LIVELOCK)
		return key;
	for (uint32_t n = 0; n < run->thread_count; n++) {
		const struct control_thread *t = &r->control.threads[n];

		key = key_add(key, (uint64_t)t->state << 32 | t->kind);
		if (standing_waits(t))
			key = key_stack(key, r, t->stack);
	}
	return key;
}

/* ---- one line ---- */

/* Everything at hand while a verdict is made. */
struct bench {
	const struct captured *c;
	const struct outcome *o;
	enum outcome_kind kind;
	struct sites *sites;
	const struct frame *own[OWN_FRAMES];
	size_t own_count;
	const struct remark *words; /* may be NULL */
	FILE *out;
};

/* Who only waits for another's end is no part of what holds them all up,
 * unless nobody does anything else. */
static uint32_t stuck_threads(const struct captured *c, uint32_t *others)
{
	uint32_t n = 0, all = 0;

	for (uint32_t i = 0; i < c->run.thread_count; i++) {
		const struct control_thread *t = &c->threads[i];
		bool is_stuck = standing_waits(t) || t->state == THREAD_READY;

		all += is_stuck;
		n += is_stuck && t->kind != EVENT_THREAD_JOIN;
	}
	*others = n ? all - n : 0;
	return n ? n : all;
}

static void print_place(const struct bench *b, const char *before)
{
	if (!b->own_count)
		return;
	fputs(before, b->out);
	standing_frame(b->own[0], b->out);
}

/* " (bank.c:31)", unless the message has said so itself. */
static void print_line(const struct bench *b)
{
	const struct frame *f = b->own_count ? b->own[0] : NULL;
	size_t size = strlen(b->o->text);
	const char *slash;

	if (!f || !f->file || !f->line || (size && b->o->text[size - 1] == ')'))
		return;
	slash = strrchr(f->file, '/');
	fprintf(b->out, " (%s:%d)", slash ? slash + 1 : f->file, f->line);
}

static void print_signal(const struct bench *b)
{
	int sig = b->o->signal ? b->o->signal : WTERMSIG(b->c->run.wait_status);
	const char *name = sigabbrev_np(sig);

	if (name)
		fprintf(b->out, "killed by SIG%s", name);
	else
		fprintf(b->out, "killed by signal %d", sig);
	if (b->o->signal && (sig == SIGSEGV || sig == SIGBUS))
		fprintf(b->out, " at address 0x%" PRIx64, b->o->addr);
	if (*b->o->text)
		fprintf(b->out, ", %s,", b->o->text);
	print_place(b, " in ");
}

static void print_stuck(const struct bench *b)
{
	uint32_t others, n = stuck_threads(b->c, &others);

	fprintf(b->out, "%s of %" PRIu32 " %s", kinds[b->kind].text, n,
		n == 1 ? "thread" : "threads");
	/* One alone looks odd above the places of several that wait. */
	if (n == 1 && others)
		fprintf(b->out, ", whose end %" PRIu32 " other%s", others,
			others == 1 ? " awaits" : "s await");
}

static void print_hang(const struct bench *b)
{
	const struct control_run *run = &b->c->run;
	struct site_chain chain = { 0 };

	if (*b->o->text)
		fprintf(b->out, "hang: %s", b->o->text);
	else
		fprintf(b->out, "hang: no point for %g s",
			(double)b->c->ask.hang_ms / 1000);
	if (b->o->thread < run->thread_count)
		chain = site_resolve(b->sites, b->c->threads[b->o->thread].site,
				     true);
	if (b->own_count) {
		print_place(b, " in ");
	} else if (chain.count) {
		fputs(" after ", b->out);
		standing_frame(&chain.frames[0], b->out);
	}
}

static bool is_heap_misuse(enum outcome_kind kind)
{
	return kind == OUTCOME_USE_AFTER_FREE || kind == OUTCOME_BEYOND_BLOCK ||
	       kind == OUTCOME_DOUBLE_FREE || kind == OUTCOME_INVALID_FREE;
}

static void print_heap(const struct bench *b)
{
	fputs(kinds[b->kind].text, b->out);
	if (b->o->block)
		fprintf(b->out, "%s of %" PRIu64 " bytes",
			b->kind == OUTCOME_BEYOND_BLOCK ? "" : " of a block",
			b->o->block_size);
	if (b->kind == OUTCOME_INVALID_FREE && *b->o->text)
		fprintf(b->out, " %s", b->o->text);
	print_place(b, " in ");
}

static void print_standing(const struct bench *b, uint32_t thread,
			   uint32_t site)
{
	struct site_chain chain = site_resolve(b->sites, site, true);

	fprintf(b->out, "thread %" PRIu32, thread);
	if (!site || !chain.count)
		return;
	fputs(" in ", b->out);
	standing_frame(&chain.frames[0], b->out);
}

/* Which step of the plan did not fit, and what there was instead. */
static void print_diverged(const struct bench *b)
{
	fprintf(b->out, "diverged at step %" PRIu32 " (expected ",
		b->o->step + 1);
	if (b->c->expected)
		fprintf(b->out, "thread %" PRIu32 " in %s",
			b->o->expected_thread, b->c->expected);
	else
		print_standing(b, b->o->expected_thread, b->o->expected_site);
	fputs(", saw ", b->out);
	print_standing(b, b->o->seen_thread, b->o->seen_site);
	putc(')', b->out);
	if (*b->o->text)
		fprintf(b->out, ": %s", b->o->text);
}

static const char *reason(const struct bench *b)
{
	return b->words && b->words->text ? b->words->text : b->o->text;
}

static void print_other(const struct bench *b)
{
	const char *why = reason(b);

	fputs(kinds[b->kind].text, b->out);
	if (*why) /* "data race on global x: ..." */
		fprintf(b->out, b->kind == OUTCOME_RACE ? " %s" : ": %s", why);
	if (b->kind == OUTCOME_UNCONTROLLED)
		print_place(b, ", in ");
}

static void print_text(const struct bench *b)
{
	switch (b->kind) {
	case OUTCOME_NONE:
		fputs("held", b->out);
		break;
	case OUTCOME_EXIT:
		fprintf(b->out, "exit status %d",
			WEXITSTATUS(b->c->run.wait_status));
		break;
	case OUTCOME_SIGNAL:
		print_signal(b);
		break;
	case OUTCOME_ASSERTION:
		fputs(*b->o->text ? b->o->text : "assertion failed", b->out);
		print_line(b);
		break;
	case OUTCOME_ABORT:
		print_other(b);
		print_place(b, " in ");
		break;
	case OUTCOME_DEADLOCK:
	case OUTCOME_LIVELOCK:
		print_stuck(b);
		break;
	case OUTCOME_HANG:
		print_hang(b);
		break;
	case OUTCOME_DIVERGED:
		print_diverged(b);
		break;
	default:
		if (is_heap_misuse(b->kind))
			print_heap(b);
		else
			print_other(b);
	}
}

/* ---- identity ---- */

static const char *essence(const struct bench *b)
{
	return b->words && b->words->identity ? b->words->identity : reason(b);
}

/* What varies from run to run is left out: addresses and numbers. */
static void print_without_numbers(const char *text, FILE *out)
{
	while (*text) {
		if (text[0] == '0' && text[1] == 'x') {
			text += 2;
			while (isxdigit((unsigned char)*text))
				text++;
			putc('#', out);
		} else if (isdigit((unsigned char)*text)) {
			while (isdigit((unsigned char)*text))
				text++;
			putc('#', out);
		} else {
			putc(*text++, out);
		}
	}
}

static void print_functions(const struct frame *const *frames, size_t count,
			    FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct frame *f = frames[i];

		if (f->function)
			fprintf(out, " %s", f->function);
		else
			fprintf(out, " +0x%" PRIx64, f->offset);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The threads in the order of their places, since which of two alike came
 * first is a matter of the schedule; and those at the same place once. */
static void print_waits(const struct bench *b)
{
	VEC(char *) all = { 0 };

	for (uint32_t n = 0; n < b->c->run.thread_count; n++) {
		const struct control_thread *t = &b->c->threads[n];
		const struct frame *own[OWN_FRAMES];
		size_t count, size;
		char *text;
		FILE *out;

		if (!standing_waits(t))
			continue;
		out = open_memstream(&text, &size);
		count = standing_own(b->c, b->sites, t->stack, own, OWN_FRAMES);
		fprintf(out, "%u", t->kind);
		print_functions(own, count, out);
		fclose(out);
		vec_push(&all, text);
	}
	if (all.count)
		qsort(all.at, all.count, sizeof(*all.at), by_text);
	for (size_t i = 0; i < all.count; i++)
		if (i == 0 || strcmp(all.at[i], all.at[i - 1]) != 0)
			fprintf(b->out, "; %s", all.at[i]);
	for (size_t i = 0; i < all.count; i++)
		free(all.at[i]);
	vec_free(&all);
}

/* Where exactly a thread was that does not come to an end is a matter of when
 * somebody looked. The function it all began with is not. */
static void print_outermost(const struct bench *b)
{
	enum { DEEPEST = 64 };
	const struct frame *own[DEEPEST];
	size_t count = standing_own(b->c, b->sites, b->o->stack, own, DEEPEST);

	fputs(" @", b->out);
	if (count)
		print_functions(&own[count - 1], 1, b->out);
}

static void print_identity(const struct bench *b)
{
	fprintf(b->out, "%s:", kinds[b->kind].text);
	switch (b->kind) {
	case OUTCOME_EXIT:
		fprintf(b->out, " %d", WEXITSTATUS(b->c->run.wait_status));
		break;
	case OUTCOME_SIGNAL:
		fprintf(b->out, " %d",
			b->o->signal ? b->o->signal :
				       WTERMSIG(b->c->run.wait_status));
		break;
	case OUTCOME_ASSERTION:
		fprintf(b->out, " %s", b->o->text);
		break;
	case OUTCOME_DEADLOCK:
	case OUTCOME_LIVELOCK:
		print_waits(b);
		return;
	case OUTCOME_OUTPUT: /* how wrong it is varies */
		return;
	case OUTCOME_HANG:
		print_outermost(b);
		return;
	default:
		putc(' ', b->out);
		print_without_numbers(essence(b), b->out);
	}
	fputs(" @", b->out);
	print_functions(b->own, b->own_count, b->out);
}

/* ---- details ---- */

static void print_block(const struct bench *b, const char *what,
			uint32_t thread, uint32_t stack)
{
	if (!stack)
		return;
	fprintf(b->out, "  the block was %s by ", what);
	standing_name(b->c, b->sites, thread, b->out);
	putc('\n', b->out);
	standing_stack(b->c, b->sites, stack, b->out);
}

static void print_failing_thread(const struct bench *b)
{
	if (!b->o->stack || b->o->thread == NO_THREAD)
		return;
	fputs("  ", b->out);
	standing_name(b->c, b->sites, b->o->thread, b->out);
	putc('\n', b->out);
	standing_stack(b->c, b->sites, b->o->stack, b->out);
}

static void print_details(const struct bench *b)
{
	if (b->kind == OUTCOME_DEADLOCK || b->kind == OUTCOME_LIVELOCK ||
	    b->kind == OUTCOME_HANG)
		standing_threads(b->c, b->sites, b->out);
	else
		print_failing_thread(b);
	if (b->words && b->words->details)
		fputs(b->words->details, b->out);
	if (is_heap_misuse(b->kind)) {
		print_block(b, "allocated", b->o->alloc_thread,
			    b->o->alloc_stack);
		print_block(b, "freed", b->o->free_thread, b->o->free_stack);
	}
	for (uint32_t i = 0; i < b->c->note_count; i++)
		fprintf(b->out, "  note: %s\n", b->c->notes[i].text);
	if (b->c->run.children)
		fprintf(b->out,
			"  note: the program forked %" PRIu32
			" processes, which ran free\n",
			b->c->run.children);
}

/* ---- all of it ---- */

static char *make(struct bench *b, void (*print)(const struct bench *))
{
	char *text;
	size_t size;

	b->out = open_memstream(&text, &size);
	CHECK(b->out);
	print(b);
	fclose(b->out);
	return text;
}

void oracle_tell(const struct captured *c, enum outcome_kind kind,
		 const struct remark *words, struct verdict *v)
{
	struct bench b = {
		.c = c, .o = &c->run.outcome, .kind = kind, .words = words
	};

	b.sites = captured_sites(c);
	b.own_count = standing_own(c, b.sites, b.o->stack, b.own, OWN_FRAMES);
	v->kind = kind;
	v->status = oracle_status(kind);
	v->text = make(&b, print_text);
	v->identity = make(&b, print_identity);
	v->details = make(&b, print_details);
	sites_free(b.sites);
}

static int judge_outputs(const struct captured *c, const struct outputs *o,
			 enum outcome_kind *kind, char **why, struct err *err)
{
	bool exits = *kind == OUTCOME_EXIT && o->judges_status;
	int rc;

	if (*kind != OUTCOME_NONE && !exits)
		return 0;
	rc = outputs_judge(o, c->output, c->output_size,
			   WEXITSTATUS(c->run.wait_status), why, err);
	if (rc >= 0)
		*kind = (enum outcome_kind)rc;
	return rc < 0 ? -1 : 0;
}

int oracle_judge(const struct captured *c, const struct outputs *outputs,
		 struct verdict *v, struct err *err)
{
	enum outcome_kind kind =
		oracle_kind(c->run.outcome.kind, c->run.wait_status);
	struct remark words = { 0 };

	*v = (struct verdict){ 0 };
	if (outputs_is_needed(outputs) &&
	    judge_outputs(c, outputs, &kind, &words.text, err) < 0)
		return -1;
	if (kind == OUTCOME_NONE && c->races.all.count)
		oracle_tell(c, OUTCOME_RACE, &c->races.all.at[0], v);
	else
		oracle_tell(c, kind, &words, v);
	free(words.text);
	return 0;
}

void verdict_done(struct verdict *v)
{
	free(v->text);
	free(v->identity);
	free(v->details);
	*v = (struct verdict){ 0 };
}
