/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_KEYMAP_H
#define HEDDLE_KEYMAP_H

/*
 * Numbers by key: a hash table from two words to one 32-bit number, which is
 * never 0 for a key that is in. The zero value is an empty table. Keys are
 * not removed.
 */

#include <stddef.h>
#include <stdint.h>

struct keymap_entry {
	uint64_t a, b;
	uint32_t value; /* 0: free */
};

struct keymap {
	struct keymap_entry *at;
	size_t count, room;
};

/* The place of a key's number, for reading and writing; a new key starts at
 * 0 and counts only if the caller makes it something else before the next
 * call. Good until the next call. */
uint32_t *keymap_at(struct keymap *m, uint64_t a, uint64_t b);

/* The number of a key, 0 if it is not in. Nothing is added. */
uint32_t keymap_find(const struct keymap *m, uint64_t a, uint64_t b);

/* The key will be asked for soon: many questions in a row wait for memory, and
 * this lets them wait together. */
void keymap_expect(const struct keymap *m, uint64_t a, uint64_t b);

void keymap_done(struct keymap *m);

#endif
