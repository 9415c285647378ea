/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BISECT_H
#define HEDDLE_BISECT_H

/*
 * Searching by halves, in anything that is sorted:
 *
 *	size_t n = bisect(i, 0, spans.count, spans.at[i].low <= address);
 *
 * is the first i from 0 up for which the condition does not hold, or
 * spans.count if there is none. The condition names i itself; it holds for all
 * up to some place and for none from there on, and is asked about as many as a
 * halving takes.
 */

#include <stddef.h>

#define bisect(i, from, to, condition)                                         \
	({                                                                     \
		size_t bisect_low_ = (from), bisect_high_ = (to);              \
		while (bisect_low_ < bisect_high_) {                           \
			size_t i = bisect_low_ +                               \
				   (bisect_high_ - bisect_low_) / 2;           \
			if (condition)                                         \
				bisect_low_ = i + 1;                           \
			else                                                   \
				bisect_high_ = i;                              \
		}                                                              \
		bisect_low_;                                                   \
	})

#endif
