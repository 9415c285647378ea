/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler starts a thread for every job and then notes that the job is
 * running. A job that is quick has noted by then that it is done.
 *
 * bug:      LOCON Table 1, row 3
 * kind:     order violation (W W: the first write is covered by the second)
 * threads:  main and 3 jobs
 * failure:  assertion: a job that has ended is not done
 * accesses: write of job->state (done) by the job, write of job->state
 *           (running) by main
 * natively: often, when a new thread is quick
 * twins:    -DPARTIAL keeps the state in a structure of its own, with a lock,
 *           but notes it as late; -DFIXED notes it before the thread is started
 * sizes:    jobs, rounds of work of one
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define JOBS_MAX 100

enum state { JOB_NEW, JOB_RUNNING, JOB_DONE };

#ifdef PARTIAL
struct status {
	pthread_mutex_t lock;
	unsigned changes;
	_Atomic enum state now;
};

struct job {
	unsigned result;
	int number;
	pthread_t thread;
	struct status status;
};

static void status_set(struct status *status, enum state state)
{
	pthread_mutex_lock(&status->lock);
	status->changes++;
	atomic_store(&status->now, state);
	pthread_mutex_unlock(&status->lock);
}
#else
struct job {
	_Atomic enum state state;
	int number;
	unsigned result;
	pthread_t thread;
};
#endif

static struct job jobs[JOBS_MAX];
static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned jobs_started;
static int effort;

static void statistics_count(void)
{
	pthread_mutex_lock(&statistics_lock);
	jobs_started++;
	pthread_mutex_unlock(&statistics_lock);
}

static void *job_run(void *arg)
{
	struct job *job = arg;

	statistics_count();
	job->result = subject_work((unsigned)job->number, (unsigned)effort);
#ifdef PARTIAL
	status_set(&job->status, JOB_DONE);
#else
	atomic_store(&job->state, JOB_DONE);
#endif
	return NULL;
}

static void job_submit(struct job *job, int number)
{
	job->number = number;
#if defined(PARTIAL)
	pthread_mutex_init(&job->status.lock, NULL);
	subject_start(&job->thread, job_run, job);
	status_set(&job->status, JOB_RUNNING);
#elif defined(FIXED)
	atomic_store(&job->state, JOB_RUNNING);
	subject_start(&job->thread, job_run, job);
#else
	subject_start(&job->thread, job_run, job);
	atomic_store(&job->state, JOB_RUNNING);
#endif
}

static unsigned job_finish(struct job *job)
{
	pthread_join(job->thread, NULL);
#ifdef PARTIAL
	assert(atomic_load(&job->status.now) == JOB_DONE);
#else
	assert(atomic_load(&job->state) == JOB_DONE);
#endif
	return job->result;
}

int main(int argc, char **argv)
{
	int count = subject_size(argc, argv, 1, 3);
	unsigned sum = 0;

	effort = subject_size(argc, argv, 2, 20000);
	if (count > JOBS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		job_submit(&jobs[i], i);
	for (int i = 0; i < count; i++)
		sum ^= job_finish(&jobs[i]);
	printf("%u jobs, %08x\n", jobs_started, sum);
	return 0;
}
