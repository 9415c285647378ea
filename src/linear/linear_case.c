/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { BUDGET = 2000 }; /* serial executions for one judgement */

void judged_done(struct judged *j)
{
	for (uint32_t i = 0; i < j->orders; i++)
		free(j->names[i]);
	free(j->component);
	free(j->difference);
	free(j->reply);
	*j = (struct judged){ 0 };
}

void linear_case_done(struct linear_case *c)
{
	for (size_t i = 0; i < c->serials.count; i++) {
		vec_free(&c->serials.at[i].order);
		observed_free(c->serials.at[i].seen);
	}
	vec_free(&c->serials);
	for (size_t i = 0; i < c->executions.count; i++) {
		observed_free(c->executions.at[i].seen);
		judged_done(&c->executions.at[i].judged);
		captured_free(c->executions.at[i].captured);
		free(c->executions.at[i].repro);
	}
	vec_free(&c->executions);
	vec_free(&c->schedules);
}

/* ---- serial executions ---- */

static bool is_order(const struct serial *s, const struct observed *of,
		     const uint32_t *order)
{
	if (s->order.count != of->requests.count)
		return false;
	for (size_t i = 0; i < s->order.count; i++)
		if (s->order.at[i].thread != of->requests.at[order[i]].client ||
		    s->order.at[i].nth != of->requests.at[order[i]].nth)
			return false;
	return true;
}

static int serial_find(const struct linear_case *c, const struct observed *of,
		       const uint32_t *order, uint32_t seed)
{
	for (size_t i = 0; i < c->serials.count; i++)
		if (c->serials.at[i].seed == seed &&
		    is_order(&c->serials.at[i], of, order))
			return (int)i;
	return -1;
}

/* Nobody is interrupted: requests come one by one, and nothing else counts.
 * With the second seed time is ahead once (runtime/sleepers.h). */
static struct control_ask serial_ask(const struct linear_case *c,
				     const struct driver *d, uint32_t seed)
{
	struct control_ask ask = d->ask;

	ask.strategy = STRATEGY_PCT;
	ask.depth = 1;
	ask.length = c->length;
	ask.seed = seed;
	return ask;
}

static int serial_make(struct linear_case *c, struct driver *d,
		       const struct observed *of, const uint32_t *order,
		       uint32_t seed, struct err *err)
{
	struct control_ask ask = serial_ask(c, d, seed);
	struct serial s = { .seed = seed };

	s.seen = driver_run(d, c->input, &ask, order, of, err);
	if (!s.seen)
		return -1;
	for (size_t i = 0; i < of->requests.count; i++)
		vec_push(&s.order, (struct linear_place){
					   of->requests.at[order[i]].client,
					   of->requests.at[order[i]].nth });
	vec_push(&c->serials, s);
	if (!c->length)
		c->length = s.seen->points;
	return (int)c->serials.count - 1;
}

/* ---- the question ---- */

struct inquiry {
	struct linear_case *c;
	struct driver *d; /* NULL: nothing can be made */
	const struct linear_spec *s;
	const struct observed *seen;
	uint32_t seed;
	bool is_short; /* of executions that would have to be made */
};

static int serve(void *arg, const uint32_t *order, uint32_t count,
		 bool *was_known, struct err *err)
{
	struct inquiry *q = arg;
	int n = serial_find(q->c, q->seen, order, q->seed);

	(void)count;
	*was_known = n >= 0;
	if (n < 0 && !q->d) {
		q->is_short = true;
		return ORDERS_IMPOSSIBLE;
	}
	if (n < 0)
		n = serial_make(q->c, q->d, q->seen, order, q->seed, err);
	if (n < 0)
		return -1;
	return q->c->serials.at[n].seen->end == OBSERVED_WHOLE ?
		       n :
		       ORDERS_IMPOSSIBLE;
}

static const struct observed_request *request_like(
	const struct observed *o, const struct observed_request *r)
{
	for (size_t i = 0; i < o->requests.count; i++)
		if (o->requests.at[i].client == r->client &&
		    o->requests.at[i].nth == r->nth)
			return &o->requests.at[i];
	return NULL;
}

static bool reply_fits(const struct linear_spec *s,
		       const struct observed_request *a,
		       const struct observed_request *b)
{
	struct blob x, y;
	bool fits;

	if (!b || !blob_is_equal(a->input, b->input))
		return false;
	if (blob_is_equal(a->output, b->output))
		return true;
	x = fitting_reply(s, a->input, a->output);
	y = fitting_reply(s, b->input, b->output);
	fits = blob_is_equal(x, y);
	blob_done(&x);
	blob_done(&y);
	return fits;
}

static bool replies(void *arg, int execution, uint32_t request)
{
	const struct inquiry *q = arg;
	const struct observed_request *r = &q->seen->requests.at[request];

	return reply_fits(q->s, r,
			  request_like(q->c->serials.at[execution].seen, r));
}

static bool leaves(void *arg, int execution)
{
	const struct inquiry *q = arg;

	return fitting_state_fits(q->s, &q->seen->state,
				  &q->c->serials.at[execution].seen->state,
				  NULL);
}

static void question_make(const struct observed *o, const struct linear_spec *s,
			  struct orders_question *q)
{
	*q = (struct orders_question){ .count = (uint32_t)o->requests.count,
				       .budget = BUDGET };
	for (uint32_t i = 0; i < q->count; i++)
		for (uint32_t k = 0; k < q->count; k++) {
			const struct observed_request *a = &o->requests.at[i];
			const struct observed_request *b = &o->requests.at[k];

			if (i == k)
				continue;
			if ((a->end && a->end < b->begin) ||
			    (a->client == b->client && a->nth < b->nth))
				q->before[i] |= UINT32_C(1) << k;
			if (fitting_are_apart(s, a->input, b->input))
				q->apart[i] |= UINT32_C(1) << k;
		}
}

/* ---- the columns ---- */

static char *order_name(const struct observed *o, const uint32_t *order)
{
	char *name = xcalloc(1, o->requests.count * 24 + 1);

	for (size_t i = 0, n = 0; i < o->requests.count; i++) {
		const struct observed_request *r = &o->requests.at[order[i]];

		n += (size_t)sprintf(name + n, r->nth ? "%s%u.%u" : "%s%u",
				     i ? " " : "", r->client, r->nth + 1);
	}
	return name;
}

static bool outputs_fit(struct inquiry *q, int serial)
{
	for (uint32_t i = 0; i < q->seen->requests.count; i++)
		if (!replies(q, serial, i))
			return false;
	return true;
}

/* Of all serial executions of an order the one that fits best. */
static void column_fill(struct inquiry *q, struct judged *j,
			const uint32_t *order)
{
	uint32_t n = j->orders++;
	int best = -1;

	j->names[n] = order_name(q->seen, order);
	j->serials[n] = -1;
	for (uint32_t seed = 1; seed <= CASE_SEEDS; seed++) {
		int serial = serial_find(q->c, q->seen, order, seed);
		bool replies_fit, state_fits;

		if (serial < 0 ||
		    q->c->serials.at[serial].seen->end != OBSERVED_WHOLE)
			continue;
		replies_fit = outputs_fit(q, serial);
		state_fits = leaves(q, serial);

		j->outputs[n] |= replies_fit;
		j->states[n] |= state_fits;
		if (replies_fit + state_fits > best) {
			best = replies_fit + state_fits;
			j->serials[n] = serial;
		}
	}
}

/* How many components of the state differ. */
static uint32_t distance(const struct inquiry *q, const struct observed *serial)
{
	const struct components *a = &q->seen->state, *b = &serial->state;
	uint32_t count = 0;

	for (size_t i = 0; i < a->all.count; i++)
		count += !fitting_component_fits(
			q->s, &a->all.at[i],
			components_find(b, a->all.at[i].name));
	for (size_t i = 0; i < b->all.count; i++)
		count += !components_find(a, b->all.at[i].name) &&
			 !fitting_component_fits(q->s, NULL, &b->all.at[i]);
	return count;
}

/* The serial execution to compare with, for people: one whose replies fit, and
 * whose state is near. */
static const struct serial *nearest(struct inquiry *q)
{
	const struct serial *best = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < q->c->serials.count; i++) {
		const struct serial *s = &q->c->serials.at[i];
		uint32_t far;

		if (s->seen->end != OBSERVED_WHOLE ||
		    s->order.count != q->seen->requests.count)
			continue;
		far = distance(q, s->seen) +
		      (outputs_fit(q, (int)i) ? 0 : UINT32_C(1) << 16);
		if (far < least) {
			best = s;
			least = far;
		}
	}
	return best;
}

/* A reply that this request gets in no serial execution. */
static const struct observed_request *odd_reply(struct inquiry *q)
{
	for (uint32_t r = 0; r < q->seen->requests.count; r++) {
		bool fits = false;

		for (size_t i = 0; i < q->c->serials.count && !fits; i++)
			fits = replies(q, (int)i, r);
		if (!fits)
			return &q->seen->requests.at[r];
	}
	return NULL;
}

static void tell_reply(struct judged *j, const struct linear_spec *s,
		       const struct observed_request *odd)
{
	char *input = blob_escape(odd->input, 60);
	char *output = blob_escape(odd->output, 60);

	j->is_error = fitting_is_error(s, odd->output);
	j->reply = xasprintf("%s -> %s", input, output);
	free(input);
	free(output);
}

static void tell_state(struct inquiry *q, struct judged *j)
{
	const struct serial *near = nearest(q);
	const char *component;

	if (!near || fitting_state_fits(q->s, &q->seen->state,
					&near->seen->state, &component))
		return;
	j->component = xstrdup(component);
	j->difference = fitting_difference(q->s, component, &q->seen->state,
					   &near->seen->state);
}

static void describe(struct inquiry *q, const struct orders_question *question,
		     struct judged *j)
{
	uint32_t orders[CASE_ORDERS * ORDERS_REQUESTS];
	uint32_t count = orders_list(question, orders, CASE_ORDERS);
	const struct observed_request *odd = odd_reply(q);

	for (uint32_t i = 0; i < count; i++)
		column_fill(q, j, orders + (size_t)i * question->count);
	for (uint32_t i = 0; i < j->orders; i++)
		j->is_latent |= j->outputs[i];
	if (odd)
		tell_reply(j, q->s, odd);
	tell_state(q, j);
}

/* ---- serial executions that everybody needs ---- */

/* The requests of an input, before anything is known of them. */
static struct observed *observed_of(const struct linear_input *input)
{
	struct observed *o = observed_new();

	for (size_t i = 0; i < input->requests.count; i++) {
		const struct spec_request *r = &input->requests.at[i];
		uint32_t nth = 0;

		for (size_t k = 0; k < i; k++)
			nth += input->requests.at[k].client == r->client;
		vec_push(&o->requests, (struct observed_request){
					       .client = r->client,
					       .nth = nth,
					       .begin = 1,
					       .end = 2,
					       .input = blob_copy(r->text) });
	}
	return o;
}

static int prepare_order(struct linear_case *c, struct driver *d,
			 const struct linear_spec *s, const struct observed *of,
			 const uint32_t *order, struct err *err)
{
	const struct observed *seen[CASE_SEEDS];

	for (uint32_t seed = 1; seed <= CASE_SEEDS; seed++) {
		int n = serial_find(c, of, order, seed);

		if (n < 0)
			n = serial_make(c, d, of, order, seed, err);
		if (n < 0)
			return -1;
		seen[seed - 1] = c->serials.at[n].seen;
	}
	for (size_t i = 0; i < seen[0]->requests.count; i++)
		if (!reply_fits(s, &seen[0]->requests.at[i],
				request_like(seen[1],
					     &seen[0]->requests.at[i])))
			c->is_varied = true;
	if (!fitting_state_fits(s, &seen[0]->state, &seen[1]->state, NULL))
		c->is_varied = true;
	return 0;
}

static int prepare(struct linear_case *c, struct driver *d,
		   const struct linear_spec *s, const struct observed *of,
		   struct err *err)
{
	uint32_t orders[CASE_ORDERS * ORDERS_REQUESTS], count;
	struct orders_question q;

	if (of->requests.count > ORDERS_REQUESTS)
		return err_set(err, "%zu requests at once are more than %d",
			       of->requests.count, ORDERS_REQUESTS);
	question_make(of, s, &q);
	count = orders_list(&q, orders, CASE_ORDERS);
	for (uint32_t i = 0; i < count; i++)
		if (prepare_order(c, d, s, of, orders + (size_t)i * q.count,
				  err) < 0)
			return -1;
	return 0;
}

/* ---- judging ---- */

static enum judgement of_end(const struct observed *o)
{
	switch (o->end) {
	case OBSERVED_FAILED:
	case OBSERVED_SILENT:
		return JUDGED_FAILED;
	case OBSERVED_STRANGE:
		return JUDGED_UNKNOWN;
	default:
		break;
	}
	return o->lost || o->requests.count > ORDERS_REQUESTS ? JUDGED_UNKNOWN :
								JUDGED_FITS;
}

int linear_case_judge_one(struct linear_case *c, struct driver *d,
			  const struct linear_spec *s,
			  const struct observed *seen, struct judged *j,
			  struct err *err)
{
	struct inquiry q = { .c = c, .d = d, .s = s, .seen = seen };
	const struct orders_source source = {
		.arg = &q, .serve = serve, .replies = replies, .leaves = leaves
	};
	bool is_unknown = false;
	struct orders_question question;
	struct orders_result r;

	*j = (struct judged){ .judgement = of_end(seen) };
	if (j->judgement != JUDGED_FITS)
		return 0;
	/* In process it shows only now which requests there are. */
	if (d && !c->input && prepare(c, d, s, seen, err) < 0)
		return -1;
	question_make(seen, s, &question);
	for (q.seed = 1; q.seed <= (c->is_varied ? CASE_SEEDS : 1); q.seed++) {
		if (orders_search(&question, &source, &r, err) < 0)
			return -1;
		if (r.answer == ORDERS_FIT)
			return 0;
		is_unknown |= r.answer == ORDERS_UNKNOWN || q.is_short;
	}
	j->judgement = is_unknown ? JUDGED_UNKNOWN : JUDGED_WRONG;
	if (!is_unknown)
		describe(&q, &question, j);
	return 0;
}

int linear_case_judge(struct linear_case *c, struct driver *d,
		      const struct linear_spec *s, struct err *err)
{
	for (size_t i = 0; i < c->executions.count; i++) {
		struct execution *e = &c->executions.at[i];

		judged_done(&e->judged);
		if (linear_case_judge_one(c, d, s, e->seen, &e->judged, err) <
		    0)
			return -1;
	}
	return 0;
}

/* ---- making ---- */

int linear_case_prepare(struct linear_case *c, struct driver *d,
			const struct linear_spec *s, struct err *err)
{
	struct observed *of;
	int rc;

	if (!c->input)
		return 0;
	of = observed_of(c->input);
	rc = prepare(c, d, s, of, err);
	observed_free(of);
	return rc;
}

static void schedule_note(struct linear_case *c, uint64_t schedule)
{
	for (size_t i = 0; i < c->schedules.count; i++)
		if (c->schedules.at[i] == schedule)
			return;
	vec_push(&c->schedules, schedule);
}

static struct execution *execution_find(struct linear_case *c, uint64_t hash)
{
	for (size_t i = 0; i < c->executions.count; i++)
		if (c->executions.at[i].hash == hash)
			return &c->executions.at[i];
	return NULL;
}

int linear_case_add(struct linear_case *c, struct driver *d,
		    const struct linear_spec *s, const struct control_ask *ask,
		    struct err *err)
{
	struct observed *seen = driver_run(d, c->input, ask, NULL, NULL, err);
	struct execution new = { .count = 1 }, *known;

	if (!seen)
		return -1;
	c->made++;
	schedule_note(c, seen->schedule);
	new.hash = observed_hash(seen);
	known = execution_find(c, new.hash);
	if (known) {
		known->count++;
		observed_free(seen);
		return 0;
	}
	new.seen = seen;
	/* Before serial executions come over it. */
	new.captured = captured_take(&d->worker);
	if (linear_case_judge_one(c, d, s, seen, &new.judged, err) < 0) {
		captured_free(new.captured);
		observed_free(seen);
		return -1;
	}
	if (new.judged.judgement == JUDGED_FITS) {
		captured_free(new.captured);
		new.captured = NULL;
	}
	vec_push(&c->executions, new);
	return 0;
}
