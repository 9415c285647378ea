/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with a handler for exit, and with a destructor if DESTRUCTOR is
 * defined; BARE, to be built without the files that compilers add to modules,
 * with a destructor alone.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control_parting.h"

void part(const char *word)
{
	int fd = open(getenv("PARTING"), O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd < 0 || write(fd, word, strlen(word)) < 0)
		abort();
	close(fd);
}

#ifdef BARE
__attribute__((destructor)) static void end(void)
{
	part(" alone");
}
#else
static void handle(void)
{
	part(" library");
}

__attribute__((constructor)) static void begin(void)
{
	atexit(handle);
}
#endif

#ifdef DESTRUCTOR
__attribute__((destructor)) static void end(void)
{
	part(" destructor");
}
#endif
