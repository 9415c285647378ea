/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/driver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "linear/client.h"
#include "trial/oracle.h"
#include "trial/trial.h"

enum { LEARNING_RUNS = 3 };

/* ---- starting ---- */

static char *replaced(const char *text, const char *what, const char *with)
{
	const char *at = strstr(text, what);
	char *rest, *all;

	if (!at)
		return xstrdup(text);
	rest = replaced(at + strlen(what), what, with);
	all = xasprintf("%.*s%s%s", (int)(at - text), text, with, rest);
	free(rest);
	return all;
}

static char *filled(const struct driver *d, const char *text, const char *port)
{
	char *socket = xasprintf("%s/socket", d->stage.base);
	const char *const pairs[][2] = { { "{socket}", socket },
					 { "{port}", port },
					 { "{dir}", d->stage.directory },
					 { "{here}", d->spec->here } };
	char *now = xstrdup(text);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		char *next = replaced(now, pairs[i][0], pairs[i][1]);

		free(now);
		now = next;
	}
	free(socket);
	return now;
}

/* Somebody else's server would answer in place of ours. */
static int check_address(const char *address, struct err *err)
{
	struct connection c;

	if (strncmp(address, "tcp:", 4) != 0 ||
	    connection_open(&c, address) < 0)
		return 0;
	connection_close(&c);
	return err_set(err,
		       "port %s is taken: another program answers there; say "
		       "{port} in start and connect to have a free one",
		       address + 4);
}

static int server_prepare(struct driver *d, char **address, struct err *err)
{
	char port[8];

	if (stage_init(&d->stage, d->spec, err) < 0)
		return -1;
	snprintf(port, sizeof(port), "%u", port_free());
	for (size_t i = 0; i < d->spec->start.count; i++)
		vec_push(&d->words, filled(d, d->spec->start.at[i], port));
	*address = filled(d, d->spec->connect, port);
	return check_address(*address, err);
}

static int start(struct driver *d, const struct driver_options *o,
		 const char *address, bool is_early, struct err *err)
{
	struct launch launch = {
		.guest = o->guest,
		.cpu = o->cpu,
		.mask = o->mask,
		.streams = { -1, -1, -1 },
		.is_fresh = o->is_fresh,
		.is_ready_idle = d->is_server && !is_early && !o->is_fresh,
		.is_before_main = is_early,
		.ready_ms = d->is_server ? d->spec->patience_ms : 0,
		.stop = &d->stop,
	};

	vec_push(&d->words, NULL);
	if (program_find(&d->program, d->words.at[0], err) < 0)
		return -1;
	launch.argv = d->words.at;
	launch.program = d->program.path;
	if (d->is_server)
		launch.directory = d->stage.directory;
	if (worker_start(&d->worker, &launch, o->cpu, err) < 0)
		return -1;
	d->player.stop = &d->stop;
	d->player.guest_pid = &d->worker.region->guest_pid;
	d->player.points = &d->worker.control->run.points;
	d->player.is_played = &d->worker.control->is_played;
	return d->is_server ?
		       player_start(&d->player, d->spec, &d->stage, address,
				    &d->worker.region->linear, err) :
		       0;
}

/* The directory changes where the program runs, not what it is. */
static void make_absolute(struct program *p)
{
	char *full = p->path ? realpath(p->path, NULL) : NULL;

	if (!full)
		return;
	free(p->path);
	p->path = full;
}

void driver_init(struct driver *d)
{
	d->worker.server = -1;
	d->worker.input = -1;
	d->worker.streams[0] = d->worker.streams[1] = -1;
	d->player = (struct player){ .own.fd = -1 };
	d->why_early = NULL;
}

void driver_stop(struct driver *d)
{
	/* The player reads memory that goes with the worker. */
	player_stop(&d->player);
	worker_stop(&d->worker);
	stage_done(&d->stage);
	program_done(&d->program);
	for (size_t i = 0; i < d->words.count; i++)
		free(d->words.at[i]);
	vec_free(&d->words);
	free(d->why_early);
	driver_init(d);
}

/* Makes it ready for runs; with is_early they begin before main. */
static int try_start(struct driver *d, const struct driver_options *o,
		     bool is_early, struct err *err)
{
	struct program seen = { 0 };
	char *address = NULL;
	int rc = 0;

	if (d->is_server)
		rc = server_prepare(d, &address, err);
	else
		for (char *const *a = o->argv; a && *a; a++)
			vec_push(&d->words, xstrdup(*a));
	if (rc == 0)
		rc = program_find(&seen, d->words.at[0], err);
	make_absolute(&seen);
	if (rc == 0 && d->is_server && strchr(d->words.at[0], '/')) {
		free(d->words.at[0]);
		d->words.at[0] = xstrdup(seen.path);
	}
	program_done(&seen);
	if (rc == 0)
		rc = start(d, o, address, is_early, err);
	free(address);
	return rc;
}

int driver_start(struct driver *d, const struct driver_options *o,
		 struct err *err)
{
	char *why;

	*d = (struct driver){ .spec = o->spec,
			      .is_server = !o->argv,
			      .ask = o->ask };
	driver_init(d);
	if (try_start(d, o, false, err) < 0)
		return -1;
	if (!d->worker.is_fresh || o->is_fresh)
		return 0;
	why = d->worker.why_fresh;
	d->worker.why_fresh = NULL;
	driver_stop(d);
	d->why_early = why;
	return try_start(d, o, true, err);
}

/* ---- what was seen ---- */

static char *words_of(const struct worker *w, enum outcome_kind kind)
{
	struct captured *c = captured_take(w);
	struct verdict v;
	char *words;

	oracle_tell(c, kind, NULL, &v);
	words = xstrdup(v.text);
	verdict_done(&v);
	captured_free(c);
	return words;
}

/* By the signal that was to stop it. */
static bool was_told_to_end(const struct driver *d, int status)
{
	return d->is_server && d->spec->stop == STOP_SIGNAL &&
	       player_was_stopping(&d->player) && WIFSIGNALED(status) &&
	       WTERMSIG(status) == d->spec->stop_signal;
}

static void judge_end(struct driver *d, struct observed *o)
{
	const struct control_result *r = &d->worker.control->results[0];
	enum outcome_kind kind = oracle_kind(r->outcome, r->wait_status);
	enum exit_status status = oracle_status(kind);

	if (kind == OUTCOME_NONE || was_told_to_end(d, r->wait_status))
		return;
	o->end = status == EXIT_BROKEN ? OBSERVED_FAILED : OBSERVED_STRANGE;
	free(o->words);
	o->words = words_of(&d->worker, kind);
}

static bool all_are_answered(const struct observed *o)
{
	for (size_t i = 0; i < o->requests.count; i++)
		if (!o->requests.at[i].end)
			return false;
	return true;
}

static char *last_words(const struct worker *w)
{
	size_t size;
	char *text = worker_printed(w, WORKER_ERRORS, &size), *line;

	while (size && text[size - 1] == '\n')
		text[--size] = '\0';
	line = strrchr(text, '\n');
	line = xasprintf("%s%s", size ? ": " : "", line ? line + 1 : text);
	free(text);
	return line;
}

static int died_early(const struct driver *d, struct err *err)
{
	const struct control_result *r = &d->worker.control->results[0];
	enum outcome_kind kind = oracle_kind(r->outcome, r->wait_status);
	struct ending e = ending_of(r->wait_status);
	bool is_ending = kind == OUTCOME_NONE || kind == OUTCOME_EXIT ||
			 kind == OUTCOME_SIGNAL;
	char *words = is_ending ? last_words(&d->worker) :
				  words_of(&d->worker, kind);
	int rc = err_set(err, "%s %s before it was ready%s%s", d->words.at[0],
			 is_ending ? e.text : "failed", is_ending ? "" : ": ",
			 words);

	free(words);
	return rc;
}

int driver_trouble(const struct driver *d, enum player_trouble trouble,
		   const char *words, struct err *err)
{
	const char *name = d->words.at[0];

	switch (trouble) {
	case PLAYER_NOT_READY:
		return err_set(err,
			       "%s never got ready: nothing listens at %s "
			       "(%s); say in `connect` where it does",
			       name, d->player.address,
			       *words ? words : "it is still busy");
	case PLAYER_SILENT:
		return err_set(err,
			       "%s waits and has not answered '%s'; a reply "
			       "ends as `reply` says, is that right? And "
			       "every client keeps a connection, probes and "
			       "set-ups have one more: has it a thread for "
			       "each?",
			       name, words);
	case PLAYER_LATE:
		return err_set(err,
			       "%s was busy for %.1f s and has not answered"
			       "%s%s%s; give it more with `patience`",
			       name, (double)d->spec->patience_ms / 1000,
			       *words ? " '" : "", words, *words ? "'" : "");
	case PLAYER_DEAF:
		return err_set(err,
			       "%s does not end when it is told to "
			       "(`stop`)",
			       name);
	default:
		return 0;
	}
}

/* The player's view. -1: what went wrong is no finding. */
static int take_server(struct driver *d, struct observed **o, bool is_serial,
		       int rc, struct err *err)
{
	bool was_ready = player_was_ready(&d->player);
	enum player_trouble trouble;
	char *words;

	*o = player_take(&d->player, &trouble, &words);
	if (trouble == PLAYER_SILENT && !is_serial && rc == 0 &&
	    !all_are_answered(*o) && (*o)->requests.count &&
	    (*o)->requests.at[0].begin) {
		(*o)->end = OBSERVED_SILENT;
		(*o)->words = xasprintf("hang: no reply to '%s'", words);
	} else if (trouble) {
		rc = driver_trouble(d, trouble, words ? words : "", err);
	} else if (rc == 0 && !was_ready) {
		rc = died_early(d, err);
	}
	free(words);
	return rc;
}

static void check_whole(const struct driver *d, struct observed *o)
{
	if (o->end != OBSERVED_WHOLE || all_are_answered(o))
		return;
	o->end = OBSERVED_FAILED;
	o->words = xstrdup(d->is_server ? "the server ended before all "
					  "requests were answered" :
					  "the program ended within a request");
}

/* ---- running ---- */

static void order_set(struct driver *d, const uint32_t *order,
		      const struct observed *like)
{
	struct linear_block *b = &d->worker.region->linear;

	b->order_count = 0;
	if (d->is_server || !order)
		return;
	for (size_t i = 0; i < like->requests.count && i < LINEAR_ORDER; i++)
		b->order[i] = (struct linear_place){
			like->requests.at[order[i]].client,
			like->requests.at[order[i]].nth
		};
	b->order_count = (uint32_t)like->requests.count;
}

void driver_set(struct driver *d, const struct linear_input *input,
		const uint32_t *order, const struct observed *like)
{
	if (d->is_server)
		player_set(&d->player, input, order);
	order_set(d, order, like);
}

static void collect(struct driver *d, struct observed *o, uint64_t seed)
{
	const struct control_result *r = &d->worker.control->results[0];
	uint64_t origin = d->worker.control->run.origin;

	observed_take_log(o, &d->worker.region->linear, !d->is_server);
	if (!o->end)
		judge_end(d, o);
	check_whole(d, o);
	observed_seal(o);
	o->seed = seed;
	o->schedule = r->schedule;
	if (!o->points)
		o->points = r->points;
	if (o->points > origin)
		o->points -= origin;
}

struct observed *driver_take(struct driver *d, bool is_serial, int rc,
			     uint64_t seed, struct err *err)
{
	struct observed *o = NULL;

	if (d->is_server)
		rc = take_server(d, &o, is_serial, rc, err);
	else
		o = observed_new();
	if (rc < 0) {
		observed_free(o);
		return NULL;
	}
	collect(d, o, seed);
	return o;
}

struct observed *driver_run(struct driver *d, const struct linear_input *input,
			    const struct control_ask *ask,
			    const uint32_t *order, const struct observed *like,
			    struct err *err)
{
	struct control_ask one = *ask;
	int rc;

	one.runs = 1;
	one.flags |= CONTROL_STOP;
	driver_set(d, input, order, like);
	rc = worker_runs(&d->worker, &one, err);
	d->made++;
	return driver_take(d, order != NULL, rc, one.seed, err);
}

int driver_learn(struct driver *d, const struct linear_input *input,
		 struct err *err)
{
	/* Without hooks there are no accesses to learn of. */
	if (!atomic_load(&d->worker.region->instrumented) &&
	    !d->worker.is_fresh)
		d->has_learned = true;
	for (int i = 0; i < LEARNING_RUNS && !d->has_learned; i++) {
		struct control_ask ask = d->ask;
		struct observed *o;

		ask.flags |= CONTROL_LEARN;
		ask.seed = (uint64_t)i + 1;
		o = driver_run(d, input, &ask, NULL, NULL, err);
		if (!o)
			return -1;
		observed_free(o);
	}
	d->has_learned = true;
	return 0;
}
