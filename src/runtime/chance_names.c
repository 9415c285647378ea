/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"

#include "format/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/*
 * Names of temporary files. libc draws them where nobody sees it; under control
 * each is drawn from a stream of its own, by thread and how many it has made,
 * so that a name that is taken changes no other. Runs that leave their files
 * behind make later ones draw again and, in the end, take what libc draws.
 *
 * mktemp, tmpnam and tempnam stay as they are, since they only look whether a
 * name is taken, and runs that go on side by side would get the same one.
 */

enum { LETTERS = 6, TRIES = 16 };

static uint32_t made[CONTROL_THREADS];

/* The place of the letters in a template, NULL when it has none. */
static char *letters_find(char *name, int suffix)
{
	size_t length = real.strlen(name);
	char *at;

	if (suffix < 0 || length < (size_t)suffix + LETTERS)
		return NULL;
	at = name + length - suffix - LETTERS;
	for (int i = 0; i < LETTERS; i++)
		if (at[i] != 'X')
			return NULL;
	return at;
}

static void letters_draw(char *at, struct rng *rng)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	for (int i = 0; i < LETTERS; i++)
		at[i] = letters[rng_below(rng, sizeof(letters) - 1)];
}

struct making {
	char *name;
	int suffix, flags;
	bool is_directory;
};

static int make_once(const struct making *m)
{
	int flags = (m->flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL;

	if (m->is_directory)
		return mkdir(m->name, S_IRWXU);
	return real.openat(AT_FDCWD, m->name, flags, S_IRUSR | S_IWUSR);
}

/* False: it is for libc to make. */
static bool make(const struct making *m, int *result)
{
	const uint64_t purpose = UINT64_C(3) << 56;
	struct thread *t = controlled ? guest_self() : NULL;
	char *at = t ? letters_find(m->name, m->suffix) : NULL;
	int kept = errno;
	struct rng rng;

	if (!at)
		return false;
	rng = rng_fork(0,
		       purpose | (uint64_t)t->number << 32 | made[t->number]++);
	for (int i = 0; i < TRIES; i++) {
		letters_draw(at, &rng);
		*result = make_once(m);
		if (*result >= 0)
			errno = kept;
		if (*result >= 0 || errno != EEXIST)
			return true;
	}
	for (int i = 0; i < LETTERS; i++)
		at[i] = 'X';
	guest_note("temporary files are left where the program makes others: "
		   "the names of these differ from run to run");
	return false;
}

#define MAKER(function, params, args, suffix, flags)                           \
	EXPORT int function params;                                            \
	EXPORT int function params                                             \
	{                                                                      \
		const struct making m = { name, suffix, flags, false };        \
		int fd;                                                        \
                                                                               \
		return make(&m, &fd) ? fd : real.function args;                \
	}

MAKER(mkstemp, (char *name), (name), 0, 0)
MAKER(mkstemp64, (char *name), (name), 0, 0)
MAKER(mkostemp, (char *name, int flags), (name, flags), 0, flags)
MAKER(mkostemp64, (char *name, int flags), (name, flags), 0, flags)
MAKER(mkstemps, (char *name, int suffix), (name, suffix), suffix, 0)
MAKER(mkstemps64, (char *name, int suffix), (name, suffix), suffix, 0)
MAKER(mkostemps, (char *name, int suffix, int flags), (name, suffix, flags),
      suffix, flags)
MAKER(mkostemps64, (char *name, int suffix, int flags), (name, suffix, flags),
      suffix, flags)

EXPORT char *mkdtemp(char *name)
{
	const struct making m = { .name = name, .is_directory = true };
	int rc;

	if (!make(&m, &rc))
		return real.mkdtemp(name);
	return rc == 0 ? name : NULL;
}

/* ---- names alone ---- */

static void names_differ(void)
{
	if (controlled && guest_self())
		guest_note("the program asks for names of temporary files "
			   "(mktemp, tmpnam), which differ from run to run");
}

EXPORT char *mktemp(char *name)
{
	names_differ();
	return real.mktemp(name);
}

EXPORT char *tmpnam(char name[L_tmpnam])
{
	names_differ();
	return real.tmpnam(name);
}

EXPORT char *tmpnam_r(char name[L_tmpnam])
{
	names_differ();
	return real.tmpnam_r(name);
}

EXPORT char *tempnam(const char *directory, const char *prefix)
{
	names_differ();
	return real.tempnam(directory, prefix);
}
