/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A printer thread sleeps until there is a job. Whoever submits one puts it
 * into the tray and wakes the printer, but holds the lock of the tray only
 * while it puts: the printer may have looked, and not be asleep yet.
 *
 * bug:      a lost wake-up
 * kind:     atomicity violation around a condition variable
 * threads:  main, 1 printer, 2 that submit
 * failure:  deadlock: the printer sleeps though there are jobs
 * accesses: read of tray.count, write of it and signal by another, wait
 * natively: rare, one unlock and one lock between look and wait
 * twins:    -DFIXED looks and waits under the same lock
 * sizes:    jobs of each thread
 */
#include <stdatomic.h>

#include "subject.h"

#define CLERKS 2

struct tray {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int count;
	unsigned pages;
};

static struct tray tray = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .filled = PTHREAD_COND_INITIALIZER };
static int jobs;

static void tray_put(unsigned pages)
{
	pthread_mutex_lock(&tray.lock);
	tray.count++;
	tray.pages += pages;
	pthread_mutex_unlock(&tray.lock);
	pthread_cond_signal(&tray.filled);
}

#ifdef FIXED
static unsigned tray_take(void)
{
	unsigned pages;

	pthread_mutex_lock(&tray.lock);
	while (tray.count == 0)
		pthread_cond_wait(&tray.filled, &tray.lock);
	tray.count--;
	pages = tray.pages;
	tray.pages = 0;
	pthread_mutex_unlock(&tray.lock);
	return pages;
}
#else
static int tray_is_empty(void)
{
	int is_empty;

	pthread_mutex_lock(&tray.lock);
	is_empty = tray.count == 0;
	pthread_mutex_unlock(&tray.lock);
	return is_empty;
}

static unsigned tray_take(void)
{
	unsigned pages;

	while (tray_is_empty()) {
		pthread_mutex_lock(&tray.lock);
		pthread_cond_wait(&tray.filled, &tray.lock);
		pthread_mutex_unlock(&tray.lock);
	}
	pthread_mutex_lock(&tray.lock);
	tray.count--;
	pages = tray.pages;
	tray.pages = 0;
	pthread_mutex_unlock(&tray.lock);
	return pages;
}
#endif

static void *clerk_run(void *arg)
{
	unsigned number = *(unsigned *)arg;

	for (int i = 0; i < jobs; i++)
		tray_put(subject_work(number + (unsigned)i, 5000) % 30 + 1);
	return NULL;
}

static void *printer_run(void *arg)
{
	unsigned *printed = arg;

	for (int i = 0; i < CLERKS * jobs; i++) {
		*printed += tray_take();
		subject_work(*printed, 2000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned numbers[CLERKS] = { 10, 20 }, printed = 0;
	pthread_t clerks[CLERKS], printer;

	jobs = subject_size(argc, argv, 1, 2);
	subject_start(&printer, printer_run, &printed);
	for (int i = 0; i < CLERKS; i++)
		subject_start(&clerks[i], clerk_run, &numbers[i]);
	for (int i = 0; i < CLERKS; i++)
		pthread_join(clerks[i], NULL);
	pthread_join(printer, NULL);
	printf("%u pages\n", printed);
	return 0;
}
