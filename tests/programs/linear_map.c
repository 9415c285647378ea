/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads that put values into a map and count what they did, with state
 * told in every kind of component, as it changes and in a summary. With the
 * argument "split" the counter is read and written in two sections, and an
 * update is lost, which no reply shows.
 *
 * expect: linearizable; with "split" not, by the component counter alone
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "heddle.h"

enum { THREADS = 3, KEYS = 2 };

struct item {
	const char *name;
	long address_of_nothing; /* differs in every run: not told */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[KEYS], puts_made, is_split;

static void describe(struct heddle_element *to, const void *item)
{
	heddle_element_text(to, ((const struct item *)item)->name);
}

static void summary(void *arg)
{
	(void)arg;
	heddle_counter_set("counter", puts_made);
	heddle_bytes_set("bytes", values, sizeof(values));
}

static int put(int key, int value)
{
	struct item item = { key ? "one" : "zero", (long)&item };
	int old, made;

	pthread_mutex_lock(&lock);
	old = values[key];
	values[key] = value;
	heddle_map_put("map", &key, sizeof(key), &value, sizeof(value));
	heddle_multiset_replace("values", &old, sizeof(old), &value,
				sizeof(value));
	heddle_sequence_append("log", &value, sizeof(value));
	heddle_counter_add("sum", value);
	heddle_state_described("keys", HEDDLE_SET, HEDDLE_ADD, NULL, 0,
			       describe, &item);
	made = puts_made;
	if (is_split) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	puts_made = made + 1;
	pthread_mutex_unlock(&lock);
	return old;
}

static void *work(void *arg)
{
	int n = (int)(long)arg, old;
	char input[40], output[40];

	snprintf(input, sizeof(input), "put %d", n);
	heddle_request_begin(input, strlen(input));
	old = put(n % KEYS, n + 1);
	snprintf(output, sizeof(output), "was %d", old);
	heddle_request_end(output, strlen(output));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	is_split = argc > 1;
	heddle_state_summary(summary, NULL);
	for (long i = 0; i < KEYS; i++)
		heddle_multiset_add("values", &values[i], sizeof(values[i]));
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
