/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"

#include "format/rng.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	DEVICE_SIZE = 1 << 18, /* how much a device has to give */
	DRAWN = 16,	       /* bytes of AT_RANDOM */
};

static struct rng streams[CONTROL_THREADS];

static void bytes_copy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}

static void bytes_draw(struct rng *rng, void *to, size_t size)
{
	for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
		uint64_t word = rng_next(rng);
		size_t left = size - done;

		bytes_copy((uint8_t *)to + done, &word,
			   left < sizeof(word) ? left : sizeof(word));
	}
}

void chance_begin(void)
{
	struct rng rng = rng_seeded(0);
	void *drawn = (void *)getauxval(AT_RANDOM);

	chance_ids_begin();
	/* libc has taken from it what it wanted. */
	if (drawn)
		bytes_draw(&rng, drawn, DRAWN);
}

void chance_fill(struct thread *t, void *to, size_t size)
{
	struct rng *rng = &streams[t->number];

	if (!rng->state)
		*rng = rng_fork(0, t->number + 1);
	bytes_draw(rng, to, size);
}

/* The thread that draws, NULL when it is to have real numbers. */
static struct thread *drawer(void)
{
	return controlled ? guest_self() : NULL;
}

EXPORT ssize_t getrandom(void *to, size_t size, unsigned int flags)
{
	struct thread *t = drawer();

	if (!t)
		return real.getrandom(to, size, flags);
	chance_fill(t, to, size);
	return (ssize_t)size;
}

EXPORT int getentropy(void *to, size_t size)
{
	enum { MOST = 256 };
	struct thread *t = drawer();

	if (!t || size > MOST)
		return real.getentropy(to, size);
	chance_fill(t, to, size);
	return 0;
}

EXPORT uint32_t arc4random(void)
{
	struct thread *t = drawer();
	uint32_t drawn;

	if (!t)
		return real.arc4random();
	chance_fill(t, &drawn, sizeof(drawn));
	return drawn;
}

EXPORT void arc4random_buf(void *to, size_t size)
{
	struct thread *t = drawer();

	if (t)
		chance_fill(t, to, size);
	else
		real.arc4random_buf(to, size);
}

EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
	struct thread *t = drawer();
	uint64_t drawn;

	if (!t)
		return real.arc4random_uniform(bound);
	chance_fill(t, &drawn, sizeof(drawn));
	return bound ? (uint32_t)(drawn % bound) : 0;
}

/* std::random_device, which asks the processor. */
EXPORT_MEMBER unsigned int _ZNSt13random_device9_M_getvalEv(void *device);
EXPORT unsigned int _ZNSt13random_device9_M_getvalEv(void *device)
{
	struct thread *t = drawer();
	unsigned int drawn;

	if (!t)
		return real._ZNSt13random_device9_M_getvalEv(device);
	chance_fill(t, &drawn, sizeof(drawn));
	return drawn;
}

/* ---- devices ---- */

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static bool is_device(const char *path)
{
	return is_same(path, "/dev/urandom") || is_same(path, "/dev/random");
}

/* A file without a name, with as much as a program will ever read. */
int chance_open(const struct thread *t, const char *path, int flags)
{
	uint8_t part[1024];
	struct rng rng = rng_fork(0, UINT64_C(1) << 32 | t->number);
	bool shut = flags & O_CLOEXEC;
	long fd;

	if (!is_device(path))
		return -1;
	fd = SYS_2(SYS_memfd_create, "random", shut ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -1;
	for (size_t done = 0; done < DEVICE_SIZE; done += sizeof(part)) {
		bytes_draw(&rng, part, sizeof(part));
		SYS_3(SYS_write, fd, part, sizeof(part));
	}
	SYS_3(SYS_lseek, fd, 0, SEEK_SET);
	return (int)fd;
}

static FILE *stream_open(const char *path, const char *mode)
{
	struct thread *t = drawer();
	int fd;

	if (!t || !is_device(path))
		return NULL;
	guest_enter(t);
	fd = chance_open(t, path, 0);
	guest_leave(t);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	FILE *stream = stream_open(path, mode);
	char room[CHANCE_PATH];

	if (stream)
		return stream;
	return real.fopen(chance_path(path, room, CALLER), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	FILE *stream = stream_open(path, mode);
	char room[CHANCE_PATH];

	if (stream)
		return stream;
	return real.fopen64(chance_path(path, room, CALLER), mode);
}
