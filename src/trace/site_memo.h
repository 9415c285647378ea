/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_MEMO_H
#define HEDDLE_SITE_MEMO_H

/*
 * What was worked out before: a hash table from numbers other than 0 to
 * pointers. It owns neither. Nothing is ever taken out.
 */

#include <stddef.h>
#include <stdint.h>

/* The zero value is empty. */
struct memo {
	struct memo_slot {
		uint64_t key; /* 0: free */
		const void *value;
	} * slots;
	size_t count, room; /* room is a power of two */
};

/* The value kept under a key, or NULL. */
const void *memo_get(const struct memo *m, uint64_t key);
void memo_put(struct memo *m, uint64_t key, const void *value);
void memo_done(struct memo *m);

#endif
