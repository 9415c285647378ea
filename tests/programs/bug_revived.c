/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of connections with counts of references. The last reference is
 * dropped outside of the lock, so another thread can still find the connection
 * and revive it before it is freed.
 *
 * expect: broken use after free, or double free
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conn {
	struct conn *next;
	char host[32];
	atomic_int refs;
	int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct conn *head;

static struct conn *conn_get(const char *host)
{
	pthread_mutex_lock(&lock);
	for (struct conn *c = head; c; c = c->next) {
		if (strcmp(c->host, host) == 0) {
			atomic_fetch_add(&c->refs, 1);
			pthread_mutex_unlock(&lock);
			return c;
		}
	}
	struct conn *c = calloc(1, sizeof(*c));
	snprintf(c->host, sizeof(c->host), "%s", host);
	atomic_init(&c->refs, 1);
	c->next = head;
	head = c;
	pthread_mutex_unlock(&lock);
	return c;
}

static void conn_put(struct conn *c)
{
	if (atomic_fetch_sub(&c->refs, 1) != 1)
		return;
	pthread_mutex_lock(&lock);
	for (struct conn **p = &head; *p; p = &(*p)->next) {
		if (*p == c) {
			*p = c->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	free(c);
}

static void *client(void *arg)
{
	const char *hosts[] = { "alpha", "beta" };
	for (int i = 0; i < 3; i++) {
		struct conn *c = conn_get(hosts[(i + (int)(long)arg) % 2]);
		c->uses++;
		conn_put(c);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, client, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
