/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/lives.h"

#include "format/event.h"

void lives_init(struct lives *l, const struct run_trace *t)
{
	*l = (struct lives){
		.t = t,
		.threads = xcalloc(t->thread_count + 1, sizeof(*l->threads)),
		.ended = xcalloc(t->thread_count + 1, sizeof(*l->ended)),
	};
}

void lives_done(struct lives *l)
{
	free(l->threads);
	free(l->ended);
}

/* One line after the first. */
static void go_on(struct lives *l, const struct traced *e)
{
	if (e->kind == EVENT_THREAD_JOIN && l->ended[e->object])
		l->threads[e->thread] = true;
	if (!l->threads[e->thread])
		return;
	if (e->kind == EVENT_THREAD_CREATE && e->object)
		l->threads[e->object] = true;
	if (e->kind == EVENT_THREAD_END)
		l->ended[e->thread] = true;
}

/* One line before it. */
static void go_back(struct lives *l, const struct traced *e)
{
	if (e->kind == EVENT_THREAD_CREATE && e->object &&
	    l->threads[e->object])
		l->threads[e->thread] = true;
	if (e->kind == EVENT_THREAD_END && l->ended[e->thread])
		l->threads[e->thread] = true;
	if (e->kind == EVENT_THREAD_JOIN && l->threads[e->thread])
		l->ended[e->object] = true;
}

static void begin(struct lives *l, uint32_t line)
{
	for (uint32_t n = 0; n < l->t->thread_count; n++)
		l->threads[n] = l->ended[n] = false;
	l->threads[l->t->lines[line].thread] = true;
}

bool lives_beside(struct lives *l, uint32_t line, lives_matters *matters,
		  const void *arg)
{
	const struct traced *e = l->t->lines;

	begin(l, line);
	for (uint32_t i = line + 1; i < l->t->line_count; i++) {
		go_on(l, &e[i]);
		if (!l->threads[e[i].thread] &&
		    traced_conflicts(&e[line], &e[i]) && matters(arg, line, i))
			return true;
	}
	begin(l, line);
	for (uint32_t i = line; i-- > 0;) {
		go_back(l, &e[i]);
		if (!l->threads[e[i].thread] &&
		    traced_conflicts(&e[line], &e[i]) && matters(arg, line, i))
			return true;
	}
	return false;
}
