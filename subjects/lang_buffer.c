/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that never change remember their hash, which is computed when somebody
 * first asks for it. It is computed in the very field in which it is kept, so
 * that another thread may see it half done.
 *
 * bug:      RV-CAUSAL Table 1, Lang
 * kind:     atomicity violation, one variable (LOCON row 7: W R W)
 * threads:  main and 2 readers
 * failure:  assertion: a text is not found under its hash
 * accesses: write of text->hash, read of text->hash by another, write of
 *           text->hash
 * natively: rare, a hash is computed once
 * twins:    -DFIXED computes it in a variable of its own and then keeps it
 * sizes:    texts, the last of them whose hash nobody asked for before
 */
#include <assert.h>
#include <string.h>

#include "subject.h"

#define READERS 2
#define BUCKETS 64

struct text {
	char characters[16];
	volatile unsigned hash;
	struct text *next;
};

static struct text *texts;
static struct text *buckets[BUCKETS];
static int count;

static unsigned text_hash(struct text *text)
{
#ifdef FIXED
	unsigned hash = text->hash;

	if (hash == 0) {
		hash = 17;
		for (const char *c = text->characters; *c; c++)
			hash = 37 * hash + (unsigned char)*c;
		text->hash = hash;
	}
	return hash;
#else
	if (text->hash == 0) {
		text->hash = 17;
		for (const char *c = text->characters; *c; c++)
			text->hash = 37 * text->hash + (unsigned char)*c;
	}
	return text->hash;
#endif
}

/* What main knows of the hash before anybody asks for it. */
static unsigned characters_hash(const char *characters)
{
	unsigned hash = 17;

	while (*characters)
		hash = 37 * hash + (unsigned char)*characters++;
	return hash;
}

static int table_has(struct text *wanted)
{
	struct text *text = buckets[text_hash(wanted) % BUCKETS];

	while (text && text != wanted)
		text = text->next;
	return text != NULL;
}

static void table_fill(void)
{
	for (int i = 0; i < count; i++) {
		struct text *text = &texts[i];
		unsigned bucket;

		snprintf(text->characters, sizeof(text->characters), "k%d",
			 i * 37);
		bucket = characters_hash(text->characters) % BUCKETS;
		text->next = buckets[bucket];
		buckets[bucket] = text;
	}
}

static void *reader_run(void *arg)
{
	int reader = *(int *)arg;

	for (int i = 0; i < count; i++) {
		int which = reader ? count - 1 - i : i;

		subject_work((unsigned)i, 3000);
		assert(table_has(&texts[which]));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[READERS] = { 0, 1 };
	pthread_t threads[READERS];
	int unknown;

	count = subject_size(argc, argv, 1, 3);
	unknown = subject_size(argc, argv, 2, count);
	if (unknown > count)
		return 2;
	texts = calloc((size_t)count, sizeof(*texts));
	if (!texts)
		return 2;
	table_fill();
	for (int i = 0; i < count - unknown; i++)
		text_hash(&texts[i]);
	for (int i = 0; i < READERS; i++)
		subject_start(&threads[i], reader_run, &numbers[i]);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("%d texts found\n", count);
	free(texts);
	return 0;
}
