/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/processors.h"

#include <sched.h>

#include "base/xalloc.h"

uint32_t processors_find(int **cpus)
{
	int first = sched_getcpu();
	uint32_t count = 0;
	cpu_set_t all;

	*cpus = xcalloc(CPU_SETSIZE + 1, sizeof(**cpus));
	if (first < 0)
		first = 0;
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		CPU_ZERO(&all);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		int at = (first + i) % CPU_SETSIZE;

		if (CPU_ISSET((size_t)at, &all))
			(*cpus)[count++] = at;
	}
	if (!count)
		(*cpus)[count++] = -1;
	return count;
}
