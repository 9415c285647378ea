/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks on the stack, and stacks that threads leave to each other. */
#include "guest_check.h"

#include <alloca.h>
#include <pthread.h>
#include <string.h>

enum { LARGE = 3 << 20, HUGE_BLOCK = 40 << 20 };

static void use(size_t size, char byte)
{
	char *block = alloca(size);

	memset(block, byte, size);
	for (size_t i = 0; i < size; i += 4096)
		CHECK(block[i] == byte);
	CHECK(block[size - 1] == byte);
}

static void *work(void *size)
{
	use(*(size_t *)size, 'x');
	return size;
}

int main(void)
{
	size_t large = LARGE, huge = HUGE_BLOCK;
	pthread_attr_t attr;
	pthread_t thread;

	use(large, 'm');
	for (int i = 0; i < 4; i++) {
		CHECK(pthread_create(&thread, NULL, work, &large) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstacksize(&attr, 2 * huge) == 0);
	CHECK(pthread_create(&thread, &attr, work, &huge) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return passed();
}
