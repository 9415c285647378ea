/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies are accesses too.
 * race: global message
 */
#include "race_turns.h"

#include <string.h>

static char message[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *p)
{
	static const char text[64] = "a word";
	size_t volatile size = sizeof(text);

	be_busy();
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	memcpy(message, text, size);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return p;
}

int main(void)
{
	run_both(put, put);
	return lock.__data.__lock;
}
