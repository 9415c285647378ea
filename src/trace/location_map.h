/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATION_MAP_H
#define HEDDLE_LOCATION_MAP_H

/*
 * Objects in memory by address; no two overlap. Made for many millions that
 * come and go: a sorted list of leaves, each a sorted array. Finding is two
 * binary searches, the first in a list small enough for the cache. Adding
 * moves at most one leaf's entries, and once in many times, when a leaf is
 * split, the list of leaves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
	uint64_t low, high; /* high is the first address after it */
	uint64_t object;    /* where the object began: low, unless a part in
				front was given back */
	uint64_t size;	    /* of the object as it began */
	uint64_t generation;
	uint64_t since : 63; /* counts additions to all maps: the newer wins */
	uint64_t is_gone : 1;
	uint32_t owner;
	uint32_t stack;
};

struct extent_leaf;

/* The zero value is empty. */
struct extent_map {
	struct extent_branch {
		uint64_t low; /* of the first in the leaf */
		struct extent_leaf *leaf;
	} * at;
	size_t count, room;
};

/* The one that holds an address, or NULL. Valid until the map changes. One may
 * be shortened in place, from above. */
struct extent *extent_find(const struct extent_map *m, uint64_t addr);

/* The first one that ends after an address, or NULL. */
struct extent *extent_next(const struct extent_map *m, uint64_t addr);

/* It must not overlap any other, and not be empty. */
void extent_add(struct extent_map *m, struct extent e);

/* Takes out one that extent_find or extent_next has given. */
void extent_remove(struct extent_map *m, struct extent *e);

void extent_map_done(struct extent_map *m);

#endif
