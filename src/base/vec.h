/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VEC_H
#define HEDDLE_VEC_H

/*
 * A growing array of any type:
 *
 *	VEC(struct finding) found = {0};
 *	vec_push(&found, f);
 *	for (size_t i = 0; i < found.count; i++) use(&found.at[i]);
 *	vec_free(&found);
 *
 * The zero value is an empty vector. The vector owns its array, not what the
 * elements point to. Pushing may move the elements.
 */

#include "base/xalloc.h"

#include <stdlib.h>

#define VEC(type)                                                              \
	struct {                                                               \
		type *at;                                                      \
		size_t count, room;                                            \
	}

#define vec_reserve(v, n)                                                      \
	do {                                                                   \
		if ((v)->room < (n)) {                                         \
			size_t vec_room_ = (v)->room ? (v)->room : 8;          \
			while (vec_room_ < (n))                                \
				vec_room_ *= 2;                                \
			(v)->at = xrealloc((v)->at,                            \
					   vec_room_ * sizeof(*(v)->at));      \
			(v)->room = vec_room_;                                 \
		}                                                              \
	} while (0)

#define vec_push(v, ...)                                                       \
	do {                                                                   \
		vec_reserve((v), (v)->count + 1);                              \
		(v)->at[(v)->count++] = (__VA_ARGS__);                         \
	} while (0)

#define vec_free(v)                                                            \
	do {                                                                   \
		free((v)->at);                                                 \
		(v)->at = NULL;                                                \
		(v)->count = (v)->room = 0;                                    \
	} while (0)

#endif
