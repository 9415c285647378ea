/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/player.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "linear/client.h"

enum phase {
	PHASE_READY,
	PHASE_SETUP,
	PHASE_CONNECT,
	PHASE_REQUESTS,
	PHASE_PROBES,
	PHASE_STATE,
	PHASE_STOP,
};

enum {
	TICK_MS = 50,
	/* Deadlines of the server's that are let pass before one gives up. */
	TIMES_MOST = 2000,
	STOPS_MOST = 200,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the run as it is played ---- */

static void connections_close(struct player *p)
{
	connection_close(&p->own);
	for (size_t i = 0; i < p->clients.count; i++)
		connection_close(&p->clients.at[i]);
	p->clients.count = 0;
	p->next.count = 0;
}

static bool is_unix(const struct player *p)
{
	return strncmp(p->address, "unix:", 5) == 0;
}

static void begin(struct player *p)
{
	connections_close(p);
	observed_free(p->seen);
	p->seen = observed_new();
	free(p->words);
	p->words = NULL;
	p->trouble = PLAYER_FINE;
	p->phase = PHASE_READY;
	p->at = 0;
	p->clock = 0;
	p->patience = TIMES_MOST;
	stage_reset(p->stage);
	if (is_unix(p) && !p->listens)
		unlink(p->address + 5);
	for (size_t i = 0; i < p->input->requests.count; i++) {
		const struct spec_request *r = &p->input->requests.at[i];
		uint32_t nth = 0;

		for (size_t k = 0; k < i; k++)
			nth += p->input->requests.at[k].client == r->client;
		vec_push(&p->seen->requests,
			 (struct observed_request){ .client = r->client,
						    .nth = nth,
						    .input = blob_copy(r->text),
						    .output =
							    blob_make("", 0) });
	}
}

static enum world_answer give_up(struct player *p, enum player_trouble trouble,
				 const char *words)
{
	p->trouble = trouble;
	free(p->words);
	p->words = xstrdup(words);
	connections_close(p);
	return WORLD_END;
}

/* Nothing has come, and nothing is to be sent: only time can help. */
static enum world_answer let_time_pass(struct player *p,
				       enum player_trouble trouble,
				       const char *words)
{
	if (!p->block->has_deadline || !p->patience)
		return give_up(p, trouble, words);
	p->patience--;
	return WORLD_TIME;
}

static void go_to(struct player *p, enum phase phase)
{
	p->phase = phase;
	p->at = 0;
	p->patience = TIMES_MOST;
}

/* ---- phases ---- */

static enum world_answer get_ready(struct player *p)
{
	if (connection_open(&p->own, p->address) < 0)
		return let_time_pass(p, PLAYER_NOT_READY, strerror(errno));
	go_to(p, PHASE_SETUP);
	return WORLD_GO_ON;
}

/* Takes the reply to what was last sent; false: it is not whole. */
static bool reply_take(struct player *p, struct connection *c,
		       struct blob *reply)
{
	if (!connection_has_reply(c, p->spec, true))
		return false;
	*reply = c->got;
	c->got = (struct blob){ 0 };
	if (!reply->at)
		*reply = blob_make("", 0);
	return true;
}

/* Set-up and probes: `at` counts sent and answered alternately. */
static enum world_answer one_by_one(struct player *p, struct blob text,
				    struct blob *reply, bool *is_answered)
{
	*is_answered = false;
	if (p->at % 2 == 0) {
		p->at++;
		connection_send(&p->own, p->spec, text);
		return WORLD_GO_ON;
	}
	if (!reply_take(p, &p->own, reply))
		return let_time_pass(p, PLAYER_SILENT, text.at);
	p->at++;
	p->patience = TIMES_MOST;
	*is_answered = true;
	return WORLD_GO_ON;
}

/* True: an answer is to be given; false: on to the next phase. */
static bool set_up(struct player *p, enum world_answer *answer)
{
	while (p->at / 2 < p->input->setup.count) {
		struct blob reply;
		bool is_answered;

		*answer = one_by_one(p, p->input->setup.at[p->at / 2], &reply,
				     &is_answered);
		if (!is_answered)
			return true;
		blob_done(&reply);
	}
	go_to(p, PHASE_CONNECT);
	return false;
}

static uint32_t client_count(const struct player *p)
{
	size_t count = p->input->requests.count;

	return count ? p->input->requests.at[count - 1].client : 0;
}

/* One after the other, so that the server meets them in one order. */
static bool let_connect(struct player *p, enum world_answer *answer)
{
	struct connection c = { .fd = -1 };

	if (p->clients.count == client_count(p)) {
		go_to(p, PHASE_REQUESTS);
		return false;
	}
	if (connection_open(&c, p->address) < 0) {
		*answer = let_time_pass(p, PLAYER_NOT_READY, strerror(errno));
		return true;
	}
	vec_push(&p->clients, c);
	vec_push(&p->next, 0);
	*answer = WORLD_GO_ON;
	return true;
}

static struct connection *client_of(struct player *p, size_t request)
{
	return &p->clients.at[p->input->requests.at[request].client - 1];
}

static void request_send(struct player *p, size_t request)
{
	p->seen->requests.at[request].begin = ++p->clock;
	connection_send(client_of(p, request), p->spec,
			p->input->requests.at[request].text);
}

/* The first request of this client that was not sent; SIZE_MAX: none. */
static size_t request_next(const struct player *p, uint32_t client)
{
	for (size_t i = 0; i < p->input->requests.count; i++)
		if (p->input->requests.at[i].client == client &&
		    !p->seen->requests.at[i].begin)
			return i;
	return SIZE_MAX;
}

static bool request_is_open(const struct player *p, size_t i)
{
	return p->seen->requests.at[i].begin && !p->seen->requests.at[i].end;
}

/* Takes what has come; sends what comes next. Returns how much was sent. */
static uint32_t replies_take(struct player *p, bool is_idle)
{
	uint32_t sent = 0, before = p->clock;

	for (size_t i = 0; i < p->input->requests.count; i++) {
		struct observed_request *r = &p->seen->requests.at[i];
		struct connection *c;
		size_t next;

		/* What is sent here the server has not seen. */
		if (!request_is_open(p, i) || r->begin > before)
			continue;
		c = client_of(p, i);
		if (!connection_has_reply(c, p->spec, is_idle))
			continue;
		blob_done(&r->output);
		r->output = c->got.at ? c->got : blob_make("", 0);
		c->got = (struct blob){ 0 };
		r->end = ++p->clock;
		next = p->order ? SIZE_MAX : request_next(p, r->client);
		if (next != SIZE_MAX) {
			request_send(p, next);
			sent++;
		}
	}
	return sent;
}

static const char *first_open(const struct player *p)
{
	for (size_t i = 0; i < p->input->requests.count; i++)
		if (request_is_open(p, i))
			return p->input->requests.at[i].text.at;
	return NULL;
}

static bool play_at_once(struct player *p, enum world_answer *answer)
{
	const char *open;

	if (!p->at) {
		for (uint32_t c = 1; c <= client_count(p); c++)
			if (request_next(p, c) != SIZE_MAX)
				request_send(p, request_next(p, c));
		p->at = 1;
		*answer = WORLD_START;
		return true;
	}
	*answer = WORLD_GO_ON;
	if (replies_take(p, true))
		return true;
	open = first_open(p);
	if (!open)
		return false;
	*answer = let_time_pass(p, PLAYER_SILENT, open);
	return true;
}

static bool play_in_order(struct player *p, enum world_answer *answer)
{
	const char *open;

	replies_take(p, true);
	open = first_open(p);
	if (open) {
		*answer = let_time_pass(p, PLAYER_SILENT, open);
		return true;
	}
	if (p->at == p->input->requests.count)
		return false;
	request_send(p, p->order[p->at]);
	*answer = p->at ? WORLD_GO_ON : WORLD_START;
	p->at++;
	return true;
}

static bool play(struct player *p, enum world_answer *answer)
{
	if (p->order ? play_in_order(p, answer) : play_at_once(p, answer))
		return true;
	p->seen->points = atomic_load(p->points);
	go_to(p, PHASE_PROBES);
	return false;
}

static bool probe(struct player *p, enum world_answer *answer)
{
	const struct linear_spec *s = p->spec;

	while (p->at / 2 < s->probes.count) {
		const struct spec_probe *probe = &s->probes.at[p->at / 2];
		struct blob reply;
		bool is_answered;

		*answer = one_by_one(p, probe->text, &reply, &is_answered);
		if (!is_answered)
			return true;
		component_add_lines(components_get(&p->seen->state, probe->name,
						   LINEAR_SEQUENCE),
				    "", reply);
		blob_done(&reply);
	}
	go_to(p, PHASE_STATE);
	return false;
}

static enum world_answer tell_state(struct player *p)
{
	stage_look(p->stage, p->spec, &p->seen->state);
	go_to(p, PHASE_STOP);
	return WORLD_TELL;
}

static enum world_answer stop(struct player *p)
{
	const struct linear_spec *s = p->spec;

	if (s->stop == STOP_END) {
		connections_close(p);
		return WORLD_END;
	}
	if (!p->at && s->stop == STOP_REQUEST)
		connection_send(&p->own, s, s->stop_request);
	if (!p->at && s->stop == STOP_SIGNAL)
		kill((pid_t)atomic_load(p->guest_pid), s->stop_signal);
	if (p->at++ < STOPS_MOST)
		return p->at > 1 && p->block->has_deadline ? WORLD_TIME :
							     WORLD_GO_ON;
	return give_up(p, PLAYER_DEAF, "");
}

static enum world_answer step(struct player *p)
{
	enum world_answer answer = WORLD_GO_ON;

	if (p->trouble)
		return WORLD_END;
	if (p->phase == PHASE_READY)
		return get_ready(p);
	if (p->phase == PHASE_SETUP && set_up(p, &answer))
		return answer;
	if (p->phase == PHASE_CONNECT && let_connect(p, &answer))
		return answer;
	if (p->phase == PHASE_REQUESTS && play(p, &answer))
		return answer;
	if (p->phase == PHASE_PROBES && probe(p, &answer))
		return answer;
	return p->phase == PHASE_STATE ? tell_state(p) : stop(p);
}

static enum world_answer idle(struct player *p)
{
	enum world_answer answer = step(p);

	return answer == WORLD_GO_ON && p->phase > PHASE_REQUESTS ? WORLD_REST :
								    answer;
}

static enum world_answer answer_to(struct player *p, enum world_word word)
{
	if (!p->input)
		return WORLD_END;
	switch (word) {
	case WORLD_BEGINS:
		begin(p);
		p->is_playing = true;
		return WORLD_GO_ON;
	case WORLD_WROTE:
		if (p->phase == PHASE_REQUESTS && p->at && !p->order)
			replies_take(p, false);
		return WORLD_GO_ON;
	default:
		return p->is_playing ? idle(p) : WORLD_END;
	}
}

/* ---- the thread ---- */

static void answer(struct player *p, uint32_t number)
{
	struct linear_block *b = p->block;

	pthread_mutex_lock(&p->lock);
	atomic_store(&b->answer,
		     answer_to(p, (enum world_word)atomic_load(&b->word)));
	p->asked_at = now();
	pthread_mutex_unlock(&p->lock);
	atomic_store(&b->answered, number);
	syscall(SYS_futex, &b->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Seconds that the server has computed in this run. */
static double cpu_of(const struct player *p)
{
	clockid_t clock;
	struct timespec t;

	if (clock_getcpuclockid((pid_t)atomic_load(p->guest_pid), &clock) ||
	    clock_gettime(clock, &t) < 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On a machine with much to do a server is late that has hardly run. */
static bool is_late(struct player *p)
{
	enum { TIMES_AT_MOST = 6 };
	double patience = (double)p->spec->patience_ms / 1000;
	double waited = now() - p->asked_at;

	if (p->cpu_at != p->asked_at) {
		p->cpu_at = p->asked_at;
		p->cpu = cpu_of(p);
	}
	return waited > patience && (cpu_of(p) - p->cpu > patience / 2 ||
				     waited > TIMES_AT_MOST * patience);
}

/* The server has not come to wait for us for too long. */
static void look_at_clock(struct player *p)
{
	pthread_mutex_lock(&p->lock);
	if (p->is_playing && p->phase != PHASE_STOP && !p->trouble &&
	    is_late(p)) {
		const char *open = p->phase == PHASE_REQUESTS ? first_open(p) :
								NULL;

		p->trouble = p->phase == PHASE_READY ? PLAYER_NOT_READY :
						       PLAYER_LATE;
		free(p->words);
		p->words = xstrdup(open ? open : "");
		atomic_store(p->stop, true);
	}
	pthread_mutex_unlock(&p->lock);
}

static void *work(void *arg)
{
	struct timespec tick = { .tv_nsec = TICK_MS * 1000000 };
	struct player *p = arg;
	uint32_t seen = p->said;

	while (!atomic_load(&p->is_over)) {
		if (atomic_load(&p->block->said) == seen) {
			syscall(SYS_futex, &p->block->said, FUTEX_WAIT, seen,
				&tick, NULL, 0);
			if (atomic_load(&p->block->said) == seen)
				look_at_clock(p);
			continue;
		}
		answer(p, ++seen);
	}
	return NULL;
}

int player_start(struct player *p, const struct linear_spec *spec,
		 struct stage *stage, const char *address,
		 struct linear_block *block, struct err *err)
{
	int rc;

	p->spec = spec;
	p->stage = stage;
	p->address = xstrdup(address);
	p->block = block;
	p->listens = is_unix(p) && access(p->address + 5, F_OK) == 0;
	p->own.fd = -1;
	p->seen = observed_new();
	pthread_mutex_init(&p->lock, NULL);
	/* A run may begin before the thread does. */
	p->said = atomic_load(&block->said);
	atomic_store(p->is_played, 1);
	rc = pthread_create(&p->thread, NULL, work, p);
	if (rc)
		return err_set(err, "cannot start a thread: %s", strerror(rc));
	p->is_started = true;
	return 0;
}

void player_stop(struct player *p)
{
	if (p->is_started) {
		atomic_store(&p->is_over, true);
		pthread_join(p->thread, NULL);
		pthread_mutex_destroy(&p->lock);
		connections_close(p);
	}
	vec_free(&p->clients);
	vec_free(&p->next);
	observed_free(p->seen);
	free(p->words);
	free(p->address);
}

void player_set(struct player *p, const struct linear_input *input,
		const uint32_t *order)
{
	bool has_several = false;

	pthread_mutex_lock(&p->lock);
	p->input = input;
	p->order = order;
	p->phase = PHASE_READY;
	p->trouble = PLAYER_FINE;
	p->asked_at = now();
	for (size_t i = 1; i < input->requests.count; i++)
		has_several |= input->requests.at[i].client ==
			       input->requests.at[i - 1].client;
	/* Who has made its only request does not react to replies. */
	atomic_store(&p->block->wants_writes, has_several && !order);
	pthread_mutex_unlock(&p->lock);
}

struct observed *player_take(struct player *p, enum player_trouble *trouble,
			     char **words)
{
	struct observed *seen;

	pthread_mutex_lock(&p->lock);
	p->is_playing = false;
	connections_close(p);
	seen = p->seen;
	p->seen = observed_new();
	*trouble = p->trouble;
	*words = p->words;
	p->words = NULL;
	pthread_mutex_unlock(&p->lock);
	return seen;
}

bool player_was_ready(const struct player *p)
{
	return p->phase != PHASE_READY;
}

bool player_was_stopping(const struct player *p)
{
	return p->phase == PHASE_STOP;
}
