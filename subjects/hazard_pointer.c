/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration that readers use without a lock. A reader announces which
 * one it uses; who replaces it frees the old one unless some reader has
 * announced it, and else leaves it to the next replacement.
 *
 * bug:      LOCON Table 1, row 8
 * kind:     atomicity violation, two variables (Rx Wy / Wx Ry)
 * threads:  main, 2 readers, 1 that replaces
 * failure:  use after free
 * accesses: read of current, write of current and read of announced by the
 *           other, write of announced
 * natively: rare, a load and the next store
 * twins:    -DFIXED looks again at current once it is announced
 * sizes:    reads of each reader, replacements
 */
#include <stdatomic.h>

#include "subject.h"

#define READERS 2

struct configuration {
	unsigned generation;
	unsigned limit;
	struct configuration *retired;
};

struct reader {
	_Atomic(struct configuration *) announced;
	unsigned seen;
};

static _Atomic(struct configuration *) current;
static struct reader readers[READERS];
static struct configuration *retired;
static int reads;
static int replacements;

static struct configuration *configuration_new(unsigned generation)
{
	struct configuration *made = calloc(1, sizeof(*made));

	if (!made)
		exit(2);
	made->generation = generation;
	made->limit = subject_work(generation, 100) % 1000;
	return made;
}

static struct configuration *configuration_use(struct reader *reader)
{
	struct configuration *used = atomic_load(&current);

	atomic_store(&reader->announced, used);
#ifdef FIXED
	while (used != atomic_load(&current)) {
		used = atomic_load(&current);
		atomic_store(&reader->announced, used);
	}
#endif
	return used;
}

static void *reader_run(void *arg)
{
	struct reader *own = arg;

	for (int i = 0; i < reads; i++) {
		struct configuration *used = configuration_use(own);

		own->seen += used->limit + used->generation;
		atomic_store(&own->announced, NULL);
		subject_work(own->seen, 2500);
	}
	return NULL;
}

static int configuration_is_used(const struct configuration *old)
{
	for (int i = 0; i < READERS; i++)
		if (atomic_load(&readers[i].announced) == old)
			return 1;
	return 0;
}

/* Frees those of the retired that nobody uses. */
static void retired_sweep(void)
{
	struct configuration **link = &retired;

	while (*link) {
		struct configuration *old = *link;

		if (configuration_is_used(old)) {
			link = &old->retired;
			continue;
		}
		*link = old->retired;
		free(old);
	}
}

static void *replacer_run(void *arg)
{
	for (int i = 0; i < replacements; i++) {
		struct configuration *old;

		old = atomic_exchange(&current,
				      configuration_new((unsigned)i + 1));
		old->retired = retired;
		retired = old;
		retired_sweep();
		subject_work((unsigned)i, 2000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[READERS], replacer;

	reads = subject_size(argc, argv, 1, 2);
	replacements = subject_size(argc, argv, 2, 2);
	atomic_store(&current, configuration_new(0));
	for (int i = 0; i < READERS; i++)
		subject_start(&threads[i], reader_run, &readers[i]);
	subject_start(&replacer, replacer_run, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(replacer, NULL);
	retired_sweep();
	printf("generation %u\n", atomic_load(&current)->generation);
	free(atomic_load(&current));
	return 0;
}
