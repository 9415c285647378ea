/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mailbox for one message. Who posts sets the message and then the mark
 * that there is one; who cancels removes the message and, if there is a mark,
 * the mark with it.
 *
 * bug:      LOCON Table 1, row 11
 * kind:     atomicity violation, two variables (Wx Wy / Wx Ry)
 * threads:  main, 1 that posts, 1 that cancels
 * failure:  null pointer dereference (signal 11) when the mail is delivered
 * accesses: write of message, write of message and read of is_full by the
 *           other, write of is_full
 * natively: rare, a store and the next one
 * twins:    -DFIXED does both under the mailbox's lock
 * sizes:    letters, cancellations
 */
#include <stdatomic.h>

#include "subject.h"

struct letter {
	unsigned from;
	unsigned weight;
};

struct mailbox {
	pthread_mutex_t lock;
	_Atomic(struct letter *) message;
	_Atomic int is_full;
};

static struct mailbox mailbox = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct letter *letters;
static unsigned delivered;
static int letter_count;
static int cancellations;

static void mailbox_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&mailbox.lock);
#endif
}

static void mailbox_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&mailbox.lock);
#endif
}

static void mailbox_post(struct letter *letter)
{
	mailbox_enter();
	atomic_store(&mailbox.message, letter);
	atomic_store(&mailbox.is_full, 1);
	mailbox_leave();
}

/* Whether there was something to cancel. */
static int mailbox_cancel(void)
{
	int was_full;

	mailbox_enter();
	atomic_store(&mailbox.message, NULL);
	was_full = atomic_load(&mailbox.is_full);
	if (was_full)
		atomic_store(&mailbox.is_full, 0);
	mailbox_leave();
	return was_full;
}

static void *sender_run(void *arg)
{
	for (int i = 0; i < letter_count; i++) {
		letters[i].from = (unsigned)i;
		letters[i].weight = subject_work((unsigned)i, 3000) % 50;
		mailbox_post(&letters[i]);
	}
	return arg;
}

static void *canceller_run(void *arg)
{
	int *cancelled = arg;

	for (int i = 0; i < cancellations; i++) {
		subject_work((unsigned)i, 3500);
		*cancelled += mailbox_cancel();
	}
	return NULL;
}

/* When everybody has gone home. */
static void mailbox_deliver(void)
{
	if (atomic_load(&mailbox.is_full))
		delivered += atomic_load(&mailbox.message)->weight;
}

int main(int argc, char **argv)
{
	pthread_t sender, canceller;
	int cancelled = 0;

	letter_count = subject_size(argc, argv, 1, 2);
	cancellations = subject_size(argc, argv, 2, 2);
	letters = calloc((size_t)letter_count, sizeof(*letters));
	if (!letters)
		return 2;
	subject_start(&sender, sender_run, NULL);
	subject_start(&canceller, canceller_run, &cancelled);
	pthread_join(sender, NULL);
	pthread_join(canceller, NULL);
	mailbox_deliver();
	printf("%u grams, %d cancelled\n", delivered, cancelled);
	free(letters);
	return 0;
}
