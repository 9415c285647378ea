/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server with a registry of its sessions. A session that ends takes itself
 * out of the registry; who shuts the server down goes through the registry and
 * waits for each session that is still in there, with the registry locked.
 *
 * bug:      a lock and a join
 * kind:     deadlock between a mutex and the end of a thread
 * threads:  main and 3 sessions
 * failure:  deadlock
 * accesses: lock of the registry by main, lock of it by a session, join
 * natively: often, when sessions are slow
 * twins:    -DFIXED waits for all of them without the lock
 * sizes:    sessions, requests of each
 */
#include "subject.h"

#define SESSIONS_MAX 16

struct session {
	int number;
	int is_registered;
	int is_joined;
	unsigned served;
	pthread_t thread;
};

struct registry {
	pthread_mutex_t lock;
	struct session sessions[SESSIONS_MAX];
	int count;
	int open;
};

static struct registry registry = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int requests;

static void session_unregister(struct session *session)
{
	pthread_mutex_lock(&registry.lock);
	session->is_registered = 0;
	registry.open--;
	pthread_mutex_unlock(&registry.lock);
}

static void *session_run(void *arg)
{
	struct session *own = arg;

	for (int i = 0; i < requests; i++)
		own->served += subject_work((unsigned)(own->number + i), 500) &
			       1;
	session_unregister(own);
	return NULL;
}

static void session_open(int number)
{
	struct session *session = &registry.sessions[number];

	pthread_mutex_lock(&registry.lock);
	session->number = number;
	session->is_registered = 1;
	registry.open++;
	registry.count++;
	subject_start(&session->thread, session_run, session);
	pthread_mutex_unlock(&registry.lock);
}

/* Waits for the sessions that the registry has; how many those were. */
static int sessions_await(void)
{
	int waited = 0;

	for (int i = 0; i < registry.count; i++) {
		struct session *session = &registry.sessions[i];

		if (!session->is_registered)
			continue;
		pthread_join(session->thread, NULL);
		session->is_joined = 1;
		waited++;
	}
	return waited;
}

static int registry_close(void)
{
	int waited = 0;

#ifndef FIXED
	pthread_mutex_lock(&registry.lock);
	waited = sessions_await();
	pthread_mutex_unlock(&registry.lock);
#else
	(void)sessions_await;
#endif
	for (int i = 0; i < registry.count; i++)
		if (!registry.sessions[i].is_joined)
			pthread_join(registry.sessions[i].thread, NULL);
	return waited;
}

int main(int argc, char **argv)
{
	int sessions = subject_size(argc, argv, 1, 3);
	unsigned served = 0;
	int waited;

	requests = subject_size(argc, argv, 2, 2);
	if (sessions > SESSIONS_MAX)
		return 2;
	for (int i = 0; i < sessions; i++)
		session_open(i);
	/* The server's day. */
	subject_work(1, 1000000);
	waited = registry_close();
	for (int i = 0; i < sessions; i++)
		served += registry.sessions[i].served;
	printf("%u requests, waited for %d of %d\n", served, waited, sessions);
	return 0;
}
