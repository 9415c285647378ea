/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of the last signal, for runs in which it woke the waiter itself,
 * another, or nobody.
 */
#include "report/last_signal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITION = 64 };

static uint8_t kind_of(char c)
{
	switch (c) {
	case 'w':
		return EVENT_COND_WAIT;
	case 's':
		return EVENT_COND_SIGNAL;
	case 'b':
		return EVENT_COND_BROADCAST;
	default:
		return EVENT_COND_WAKE;
	}
}

static void place_add(struct witness *w, int line)
{
	vec_push(&w->places, (struct witness_place){ .file = "/a/b.c",
						     .line = line,
						     .outer = WITNESS_NONE });
}

/* "1w 0s 1k 2t": thread 1 waits, thread 0 signals, 1 is woken, the time of 2 is
 * over; each in a line of its own, from 10. In the end `waits` wait for the
 * condition, and `locks` for the mutex. */
static struct witness *witness_of(const char *text, const char *waits,
				  const char *locks)
{
	static char names[][8] = { "main", "one", "two" };
	struct witness *w = xcalloc(1, sizeof(*w));

	for (size_t i = 0; i < 3; i++)
		vec_push(&w->threads, names[i]);
	for (int n = 0; *text; text += 2 + (text[2] == ' '), n++) {
		place_add(w, 10 + n);
		vec_push(&w->steps,
			 (struct witness_step){
				 .thread = (uint32_t)(text[0] - '0'),
				 .kind = kind_of(text[1]),
				 .address = CONDITION,
				 .argument = text[1] == 't' ? ETIMEDOUT : 0,
				 .place = (uint32_t)n });
	}
	for (const char *c = waits; *c; c++)
		vec_push(&w->waits,
			 (struct witness_wait){ .thread = (uint32_t)(*c - '0'),
						.kind = EVENT_COND_WAIT,
						.joins = WITNESS_NONE });
	for (const char *c = locks; *c; c++)
		vec_push(&w->waits,
			 (struct witness_wait){ .thread = (uint32_t)(*c - '0'),
						.kind = EVENT_MUTEX_LOCK,
						.joins = WITNESS_NONE });
	return w;
}

static void done(struct witness *w)
{
	vec_free(&w->threads);
	vec_free(&w->places);
	vec_free(&w->steps);
	vec_free(&w->waits);
	free(w);
}

static void says(const char *text, const char *waits, const char *locks,
		 const char *sentence)
{
	struct witness *w = witness_of(text, waits, locks);
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	last_signals_print(w, out);
	fclose(out);
	assert_string_equal(got, sentence);
	free(got);
	done(w);
}

#define ONE "one waits at b.c:1"
#define AGAIN " for a signal that nobody gave again: the last, at b.c:1"

static void nobody_signals(void **state)
{
	(void)state;
	says("2s 1w", "", "", "");
	says("0s 1w", "2", "", "");
	says("0w 1w", "1", "", ONE "1 for a signal that nobody gave\n");
}

static void a_signal_is_lost(void **state)
{
	static const char lost[] = ONE
		"1 for a signal that came before, at b.c:10 (main)\n";

	(void)state;
	says("0s 1w", "1", "", lost);
	says("0b 1w", "1", "", lost);
	/* It was interrupted where it calls. */
	says("1w 0s", "1", "",
	     ONE "0 for a signal that came before, at b.c:11 (main)\n");
	/* The first one woke it, and nobody slept at the second. */
	says("1w 0s 0s 1k 1w", "1", "",
	     ONE "4 for a signal that came before, at b.c:12 (main)\n");
	/* Its time was over: no signal ended that wait. */
	says("1w 0s 1t 1w", "1", "",
	     ONE "3 for a signal that came before, at b.c:11 (main)\n");
}

static void a_signal_is_not_given_again(void **state)
{
	(void)state;
	says("1w 0s 1k 1w", "1", "",
	     ONE "3" AGAIN "1 (main), woke it before\n");
	says("1w 0b 1k 1w", "1", "",
	     ONE "3" AGAIN "1 (main), woke it before\n");
	/* By then it slept in its second wait, and not in its first. */
	says("1w 0s 1k 1w 0s 1k 1w", "1", "",
	     ONE "6" AGAIN "4 (main), woke it before\n");
	says("2w 0s 1w 2k", "1", "",
	     ONE "2" AGAIN "1 (main), woke another before\n");
	/* Either of them. */
	says("1w 2w 0s 0s 1k 2k 1w", "1", "",
	     ONE "6" AGAIN "3 (main), came before\n");
	says("1w 2w 0b 1k 2k 1w", "1", "",
	     ONE "5" AGAIN "2 (main), came before\n");
	/* Only the second one can have found it asleep. */
	says("2w 0s 1w 0s 2k 1k 1w", "1", "",
	     ONE "6" AGAIN "3 (main), woke it before\n");
}

static void a_signal_wakes_another(void **state)
{
	static const char another[] = ONE
		"0 for a signal that woke another, at b.c:12 (main)\n";

	(void)state;
	says("1w 2w 0s 2k", "1", "", another);
	/* Woken, it waits for the mutex. */
	says("1w 2w 0s", "1", "2", another);
	says("1w 2w 0s 2t", "1", "",
	     ONE "0 for a signal that came before, at b.c:12 (main)\n");
	/* All that slept were woken, so this one did not yet. */
	says("2w 1w 0b 2k", "1", "",
	     ONE "1" AGAIN "2 (main), woke another before\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_signals),
		cmocka_unit_test(a_signal_is_lost),
		cmocka_unit_test(a_signal_is_not_given_again),
		cmocka_unit_test(a_signal_wakes_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
