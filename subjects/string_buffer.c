/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of text with a lock each. One thread collects what others have
 * written by appending their buffers to its own, while they empty and refill
 * them. Appending asks for the length and then for the text, and gives up the
 * other's lock in between.
 *
 * bug:      LOCON Table 3, s_buffer
 * kind:     atomicity violation, one variable, no race (LOCON row 6: R W R)
 * threads:  main and 2
 * failure:  assertion: characters beyond the text are asked for
 * accesses: read of length, write of length by another, read of length
 * natively: rare, one call between unlocking and locking again
 * twins:    -DFIXED keeps the lock of the other buffer over both steps
 * sizes:    messages
 */
#include <assert.h>
#include <string.h>

#include "subject.h"

#define ROOM 256

struct buffer {
	pthread_mutex_t lock;
	size_t length;
	char text[ROOM];
};

static struct buffer notes = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct buffer minutes = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int messages;

static size_t buffer_length(struct buffer *buffer)
{
	size_t length;

	pthread_mutex_lock(&buffer->lock);
	length = buffer->length;
	pthread_mutex_unlock(&buffer->lock);
	return length;
}

/* Copies the first `count` characters; the lock is held. */
static void buffer_copy(struct buffer *buffer, char *to, size_t count)
{
	assert(count <= buffer->length);
	memcpy(to, buffer->text, count);
}

static void buffer_add(struct buffer *buffer, const char *text, size_t count)
{
	pthread_mutex_lock(&buffer->lock);
	if (count <= ROOM - buffer->length) {
		memcpy(buffer->text + buffer->length, text, count);
		buffer->length += count;
	}
	pthread_mutex_unlock(&buffer->lock);
}

static void buffer_clear(struct buffer *buffer)
{
	pthread_mutex_lock(&buffer->lock);
	buffer->length = 0;
	pthread_mutex_unlock(&buffer->lock);
}

static void buffer_append(struct buffer *to, struct buffer *from)
{
	char copy[ROOM];
	size_t count;

#ifdef FIXED
	pthread_mutex_lock(&from->lock);
	count = from->length;
	buffer_copy(from, copy, count);
	pthread_mutex_unlock(&from->lock);
#else
	count = buffer_length(from);
	pthread_mutex_lock(&from->lock);
	buffer_copy(from, copy, count);
	pthread_mutex_unlock(&from->lock);
#endif
	buffer_add(to, copy, count);
}

static void *speaker_run(void *arg)
{
	char message[32];

	for (int i = 0; i < messages; i++) {
		int count = snprintf(message, sizeof(message), "%d:%08x ", i,
				     subject_work((unsigned)i, 2000));

		buffer_clear(&notes);
		buffer_add(&notes, message, (size_t)count);
	}
	return arg;
}

static void *secretary_run(void *arg)
{
	for (int i = 0; i < messages; i++) {
		subject_work((unsigned)i, 1500);
		buffer_append(&minutes, &notes);
		if (buffer_length(&minutes) > ROOM / 2)
			buffer_clear(&minutes);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t speaker, secretary;

	messages = subject_size(argc, argv, 1, 3);
	subject_start(&speaker, speaker_run, NULL);
	subject_start(&secretary, secretary_run, NULL);
	pthread_join(speaker, NULL);
	pthread_join(secretary, NULL);
	printf("%zu characters in the minutes\n", buffer_length(&minutes));
	return 0;
}
