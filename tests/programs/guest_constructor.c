/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before main and after it: constructors and destructors allocate, lock, and
 * start threads.
 *
 * count: 2 thread-create
 * count: 2 thread-join
 */
#include "guest_check.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *made;
static int sum;

static void *work(void *text)
{
	pthread_mutex_lock(&mutex);
	sum++;
	pthread_mutex_unlock(&mutex);
	return strdup(text);
}

static char *work_in_thread(char *text)
{
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, NULL, work, text) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	return result;
}

__attribute__((constructor)) static void before(void)
{
	made = work_in_thread("before");
}

__attribute__((destructor)) static void after(void)
{
	char *text = work_in_thread("after");

	CHECK(strcmp(text, "after") == 0 && sum == 2);
	free(text);
	free(made);
	passed();
}

int main(void)
{
	CHECK(strcmp(made, "before") == 0 && sum == 1);
	return 0;
}
