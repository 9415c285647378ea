/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes memory until somebody stops it.
 *
 * expect: unknown limit reached
 */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	for (;;) {
		char *block = malloc(1 << 20);

		if (!block)
			return 0;
		memset(block, 1, 1 << 20);
	}
}
