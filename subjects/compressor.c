/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel block compressor on libbz2. Main cuts its data into blocks and
 * puts them into a queue, consumers compress them, main collects the results
 * in order, and when it has them all it deletes the queue, at whose lock the
 * consumers may still be. What was compressed is expanded again and compared.
 *
 * bug:      CTrigger Table 2, PBZIP2; LOCON Table 3, Pbzip2; RegressionMaple
 *           Figure 6
 * kind:     order violation (LOCON row 1: W R)
 * threads:  main and 2 consumers
 * failure:  null pointer dereference or use after free
 * accesses: write of fifo (NULL) by main, read of fifo by a consumer
 * natively: in one of 1,000 runs to some of 100, by machine and load
 * twins:    -DPARTIAL joins the last consumer only; -DFIXED joins all
 * sizes:    blocks, size of a block
 */
#include <bzlib.h>
#include <string.h>

#include "subject.h"

#define CONSUMERS 2

struct block {
	char *data;
	unsigned size;
	int is_ready;
};

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t not_empty;
	int *numbers;
	int head;
	int tail;
	int is_complete;
};

static struct queue *volatile fifo;
static struct block *output;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_more = PTHREAD_COND_INITIALIZER;
static char *input;
static int block_count;
static int block_size;

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		exit(2);
	return memory;
}

static struct queue *queue_new(int room)
{
	struct queue *queue = allocate(sizeof(*queue));

	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->not_empty, NULL);
	queue->numbers = allocate((size_t)room * sizeof(int));
	return queue;
}

static void queue_delete(struct queue *queue)
{
	pthread_mutex_destroy(&queue->mutex);
	pthread_cond_destroy(&queue->not_empty);
	free(queue->numbers);
	free(queue);
}

static void queue_put(struct queue *queue, int number)
{
	pthread_mutex_lock(&queue->mutex);
	queue->numbers[queue->tail++] = number;
	queue->is_complete = number == block_count - 1;
	if (queue->is_complete)
		pthread_cond_broadcast(&queue->not_empty);
	else
		pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->mutex);
}

/* -1: there will be no more. */
static int fifo_take(void)
{
	int number = -1;

	pthread_mutex_lock(&fifo->mutex);
	while (fifo->head == fifo->tail && !fifo->is_complete)
		pthread_cond_wait(&fifo->not_empty, &fifo->mutex);
	if (fifo->head < fifo->tail)
		number = fifo->numbers[fifo->head++];
	pthread_mutex_unlock(&fifo->mutex);
	return number;
}

static void block_compress(int number)
{
	unsigned size = (unsigned)block_size + (unsigned)block_size / 100 + 600;
	char *data = allocate(size);

	if (BZ2_bzBuffToBuffCompress(data, &size, input + number * block_size,
				     (unsigned)block_size, 1, 0, 30) != BZ_OK)
		exit(2);
	pthread_mutex_lock(&output_lock);
	output[number] = (struct block){ data, size, 1 };
	pthread_cond_signal(&output_more);
	pthread_mutex_unlock(&output_lock);
}

static void *consumer_run(void *arg)
{
	int number;

	while ((number = fifo_take()) >= 0)
		block_compress(number);
	return arg;
}

/* Waits for one block after the other, as a file is written. */
static size_t output_collect(void)
{
	size_t total = 0;

	for (int i = 0; i < block_count; i++) {
		pthread_mutex_lock(&output_lock);
		while (!output[i].is_ready)
			pthread_cond_wait(&output_more, &output_lock);
		total += output[i].size;
		pthread_mutex_unlock(&output_lock);
	}
	return total;
}

static void output_check(void)
{
	char *plain = allocate((size_t)block_size);

	for (int i = 0; i < block_count; i++) {
		unsigned size = (unsigned)block_size;

		if (BZ2_bzBuffToBuffDecompress(plain, &size, output[i].data,
					       output[i].size, 0, 0) != BZ_OK ||
		    size != (unsigned)block_size ||
		    memcmp(plain, input + i * block_size, size) != 0)
			subject_wrong("block %d is damaged", i);
		free(output[i].data);
	}
	free(plain);
}

static void input_make(void)
{
	size_t size = (size_t)block_count * (size_t)block_size;
	unsigned letter = 1;

	input = allocate(size);
	for (size_t i = 0; i < size; i++) {
		letter = subject_work(letter, 1);
		input[i] = (char)('a' + (letter >> 20) % 7);
	}
}

int main(int argc, char **argv)
{
	pthread_t consumers[CONSUMERS];
	size_t total;

	block_count = subject_size(argc, argv, 1, 3);
	block_size = subject_size(argc, argv, 2, 200);
	input_make();
	output = allocate((size_t)block_count * sizeof(*output));
	fifo = queue_new(block_count);
	for (int i = 0; i < CONSUMERS; i++)
		subject_start(&consumers[i], consumer_run, NULL);
	for (int i = 0; i < block_count; i++)
		queue_put(fifo, i);
	total = output_collect();
	output_check();
#if defined(FIXED)
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(consumers[i], NULL);
#elif defined(PARTIAL)
	pthread_join(consumers[CONSUMERS - 1], NULL);
#endif
	queue_delete(fifo);
	fifo = NULL;
	free(input);
	free(output);
	printf("%d blocks, %zu bytes\n", block_count, total);
	return 0;
}
