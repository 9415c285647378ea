/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the heap keeps its promises, and errno. */
#include "guest_check.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static volatile size_t too_much = SIZE_MAX / 2;

static int is_aligned(const void *p, uintptr_t to)
{
	return p && (uintptr_t)p % to == 0;
}

static void blocks(void)
{
	char *p = malloc(10), *zeros = calloc(1000, 10), *old;

	CHECK(p && malloc_usable_size(p) >= 10);
	strcpy(p, "123456789");
	for (size_t n = 16; n < 1 << 22; n *= 2) {
		p = realloc(p, n);
		CHECK(p && strcmp(p, "123456789") == 0);
	}
	p = realloc(p, 10);
	CHECK(p && strcmp(p, "123456789") == 0);
	for (int i = 0; i < 10000; i++)
		CHECK(zeros[i] == 0);
	free(zeros);
	old = p;
	errno = 0;
	CHECK(!realloc(p, too_much) && errno == ENOMEM);
	CHECK(strcmp(old, "123456789") == 0);
	errno = 0;
	CHECK(!reallocarray(p, too_much, 4) && errno == ENOMEM);
	p = reallocarray(p, 100, 100);
	CHECK(p && strcmp(p, "123456789") == 0);
	errno = 0;
	CHECK(!malloc(too_much) && errno == ENOMEM);
	errno = 0;
	CHECK(!calloc(too_much, 4) && errno == ENOMEM);
	errno = 55;
	free(p);
	free(NULL);
	CHECK(errno == 55);
	p = realloc(NULL, 20);
	CHECK(p);
	CHECK(!realloc(p, 0));
	p = malloc(0);
	CHECK(p);
	free(p);
}

static void aligned(void)
{
	void *p = NULL,
	     *blocks[] = { memalign(256, 100), aligned_alloc(512, 1024),
			   valloc(10), pvalloc(10) };

	CHECK(is_aligned(blocks[0], 256) && is_aligned(blocks[1], 512));
	CHECK(is_aligned(blocks[2], 4096) && is_aligned(blocks[3], 4096));
	CHECK(malloc_usable_size(blocks[3]) >= 4096);
	for (int i = 0; i < 4; i++)
		free(blocks[i]);
	CHECK(posix_memalign(&p, 3, 10) == EINVAL && !p);
	CHECK(posix_memalign(&p, 128, 10) == 0 && is_aligned(p, 128));
	free(p);
}

static void mappings(void)
{
	const size_t page = 4096;
	char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	p[0] = 'a';
	p = mremap(p, 4 * page, 64 * page, MREMAP_MAYMOVE);
	CHECK(p != MAP_FAILED && p[0] == 'a' && p[63 * page] == 0);
	errno = 0;
	CHECK(munmap(p + 1, page) == -1 && errno == EINVAL);
	CHECK(p[0] == 'a');
	CHECK(munmap(p, 64 * page) == 0);
	errno = 0;
	CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		      MAP_FAILED &&
	      errno == EINVAL);
}

/* Blocks that one thread makes and another frees. */
static void *hand_over(void *at)
{
	char **place = at;

	free(*place);
	*place = strdup("from a thread");
	return at;
}

int main(void)
{
	char *block = strdup("from main");
	pthread_t thread;

	blocks();
	aligned();
	mappings();
	CHECK(pthread_create(&thread, NULL, hand_over, &block) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(strcmp(block, "from a thread") == 0);
	free(block);
	return passed();
}
