/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_GUEST_CHECK_H
#define HEDDLE_GUEST_CHECK_H

/* For the guest_* programs: each checks itself and ends with passed(). */

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                            \
	do {                                                                   \
		if (!(what)) {                                                 \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #what);                              \
			abort();                                               \
		}                                                              \
	} while (0)

static inline int passed(void)
{
	puts("as it should be");
	return 0;
}

#endif
