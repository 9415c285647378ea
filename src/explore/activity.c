/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/activity.h"

static const double MOST = 1e100;
static const double FADE = 1 / 0.95;

void activity_init(struct activity *a)
{
	*a = (struct activity){ .step = 1 };
}

void activity_done(struct activity *a)
{
	vec_free(&a->score);
	vec_free(&a->place);
	vec_free(&a->heap);
}

static void put(struct activity *a, uint32_t place, uint32_t variable)
{
	a->heap.at[place] = variable;
	a->place.at[variable] = place;
}

static void sift_up(struct activity *a, uint32_t place)
{
	uint32_t variable = a->heap.at[place];
	double score = a->score.at[variable];

	while (place) {
		uint32_t parent = (place - 1) / 2;

		if (a->score.at[a->heap.at[parent]] >= score)
			break;
		put(a, place, a->heap.at[parent]);
		place = parent;
	}
	put(a, place, variable);
}

static void sift_down(struct activity *a, uint32_t place)
{
	uint32_t variable = a->heap.at[place];
	const double *score = a->score.at;

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= a->heap.count)
			break;
		if (child + 1 < a->heap.count &&
		    score[a->heap.at[child + 1]] > score[a->heap.at[child]])
			child++;
		if (score[a->heap.at[child]] <= score[variable])
			break;
		put(a, place, a->heap.at[child]);
		place = child;
	}
	put(a, place, variable);
}

void activity_grow(struct activity *a)
{
	vec_push(&a->score, 0);
	vec_push(&a->place, ACTIVITY_OUT);
	activity_insert(a, (uint32_t)(a->score.count - 1));
}

void activity_insert(struct activity *a, uint32_t variable)
{
	if (a->place.at[variable] != ACTIVITY_OUT)
		return;
	vec_push(&a->heap, variable);
	sift_up(a, (uint32_t)(a->heap.count - 1));
}

bool activity_pop(struct activity *a, uint32_t *variable)
{
	uint32_t last;

	if (!a->heap.count)
		return false;
	*variable = a->heap.at[0];
	a->place.at[*variable] = ACTIVITY_OUT;
	last = a->heap.at[--a->heap.count];
	if (a->heap.count) {
		put(a, 0, last);
		sift_down(a, 0);
	}
	return true;
}

/* Scores keep their order when all become small together. */
static void scale_down(struct activity *a)
{
	for (size_t i = 0; i < a->score.count; i++)
		a->score.at[i] /= MOST;
	a->step /= MOST;
}

void activity_bump(struct activity *a, uint32_t variable)
{
	a->score.at[variable] += a->step;
	if (a->score.at[variable] > MOST)
		scale_down(a);
	if (a->place.at[variable] != ACTIVITY_OUT)
		sift_up(a, a->place.at[variable]);
}

void activity_fade(struct activity *a)
{
	a->step *= FADE;
}
