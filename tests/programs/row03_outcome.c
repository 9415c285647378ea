/* SPDX-License-Identifier: Apache-2.0 */
/* Row 3 of LOCON's Table 1, order W-W: whoever submits a job marks it as
 * pending, after it was handed over. -DFIXED marks it before. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { NONE, PENDING, DONE };

struct job {
	_Atomic int state;
	int input, output;
};

static struct job jobs[2];
static sem_t handed;

static void *server(void *arg)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&handed);
		jobs[i].output = jobs[i].input * 2;
		atomic_store(&jobs[i].state, DONE);
	}
	return arg;
}

static void submit(struct job *job, int input)
{
	job->input = input;
#ifdef FIXED
	atomic_store(&job->state, PENDING);
	sem_post(&handed);
#else
	sem_post(&handed);
	atomic_store(&job->state, PENDING);
#endif
}

int main(void)
{
	pthread_t thread;

	sem_init(&handed, 0, 0);
	pthread_create(&thread, NULL, server, NULL);
	submit(&jobs[0], 5);
	submit(&jobs[1], 6);
	pthread_join(thread, NULL);
	assert(atomic_load(&jobs[0].state) == DONE &&
	       atomic_load(&jobs[1].state) == DONE);
	return 0;
}
