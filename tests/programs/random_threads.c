/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small program that nobody wrote: its threads do what a seed says. They read
 * and write a few variables, with and without locks, by atomic operations,
 * depending on what they read; main reads every variable when they are joined.
 * It cannot fail and cannot deadlock.
 *
 * random_threads SEED THREADS OPERATIONS [more]: at most so many of each; with
 * a fourth word also read-write locks, single bytes, and counts that are waited
 * for
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, OPERATIONS = 16, VARIABLES = 3, LOCKS = 2 };

enum what {
	READ,
	WRITE,	   /* a number */
	WRITE_SUM, /* of what was read so far */
	WRITE_IF,  /* only if the last read got this number */
	ADD,	   /* atomically */
	EXCHANGE,  /* atomically, if it is this number */
	LOCKED,	   /* an increment */
	TRIED,	   /* the same, if the lock is free */
	POST,
	TAKE,	      /* only where enough are posted */
	RAISE,	      /* a flag, and signal */
	AWAIT,	      /* the flag */
	BASIC,	      /* so many kinds without the fourth word */
	GIVE = BASIC, /* one, and signal */
	GET,	      /* only where enough are given */
	LOOK,	      /* under a lock for readers */
	CHANGE,	      /* under the lock for writers */
	WRITE_BYTE,   /* one of a variable's */
	READ_BYTE,
	KINDS
};

struct operation {
	enum what what;
	int variable, number, lock;
};

struct actor {
	struct operation operations[OPERATIONS];
	int count;
};

static struct actor actors[THREADS];
static volatile int plain[VARIABLES];
static _Atomic int atomics[VARIABLES];
static pthread_mutex_t locks[LOCKS] = { PTHREAD_MUTEX_INITIALIZER,
					PTHREAD_MUTEX_INITIALIZER };
static int guarded[LOCKS];
static sem_t tokens;
static pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t flag_raised = PTHREAD_COND_INITIALIZER;
static int flag;
static pthread_mutex_t gift_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gift_there = PTHREAD_COND_INITIALIZER;
static int gifts;
static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static int pages;

static unsigned long state;

static int chance(int n)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (int)((state >> 33) % (unsigned long)n);
}

static void locked_add(const struct operation *o)
{
	guarded[o->lock] += o->number;
	pthread_mutex_unlock(&locks[o->lock]);
}

static void flag_await(void)
{
	pthread_mutex_lock(&flag_lock);
	while (!flag)
		pthread_cond_wait(&flag_raised, &flag_lock);
	pthread_mutex_unlock(&flag_lock);
}

static void flag_raise(void)
{
	pthread_mutex_lock(&flag_lock);
	flag = 1;
	pthread_cond_broadcast(&flag_raised);
	pthread_mutex_unlock(&flag_lock);
}

static void gift_give(void)
{
	pthread_mutex_lock(&gift_lock);
	gifts++;
	pthread_cond_signal(&gift_there);
	pthread_mutex_unlock(&gift_lock);
}

static void gift_get(void)
{
	pthread_mutex_lock(&gift_lock);
	while (!gifts)
		pthread_cond_wait(&gift_there, &gift_lock);
	gifts--;
	pthread_mutex_unlock(&gift_lock);
}

static int book_look(void)
{
	int seen;

	pthread_rwlock_rdlock(&book);
	seen = pages;
	pthread_rwlock_unlock(&book);
	return seen;
}

static void book_change(int number)
{
	pthread_rwlock_wrlock(&book);
	pages += number;
	pthread_rwlock_unlock(&book);
}

static volatile char *byte_of(const struct operation *o)
{
	return (volatile char *)&plain[o->variable] + o->lock;
}

static void synchronise(const struct operation *o)
{
	switch (o->what) {
	case LOCKED:
		pthread_mutex_lock(&locks[o->lock]);
		locked_add(o);
		break;
	case TRIED:
		if (pthread_mutex_trylock(&locks[o->lock]) == 0)
			locked_add(o);
		break;
	case POST:
		sem_post(&tokens);
		break;
	case TAKE:
		sem_wait(&tokens);
		break;
	case RAISE:
		flag_raise();
		break;
	case GIVE:
		gift_give();
		break;
	case GET:
		gift_get();
		break;
	case CHANGE:
		book_change(o->number);
		break;
	default:
		flag_await();
	}
}

/* The number that was read last comes back. */
static int operate(const struct operation *o, int last, int sum)
{
	int expected = o->number;

	switch (o->what) {
	case READ:
		return plain[o->variable];
	case WRITE:
		plain[o->variable] = o->number;
		return last;
	case WRITE_SUM:
		plain[o->variable] = sum + 1;
		return last;
	case WRITE_IF:
		if (last == o->number)
			plain[o->variable] = 7;
		return last;
	case ADD:
		return atomic_fetch_add(&atomics[o->variable], o->number);
	case EXCHANGE:
		return atomic_compare_exchange_strong(&atomics[o->variable],
						      &expected, 5);
	case LOOK:
		return book_look();
	case WRITE_BYTE:
		*byte_of(o) = (char)o->number;
		return last;
	case READ_BYTE:
		return *byte_of(o);
	default:
		synchronise(o);
		return last;
	}
}

static void *actor_run(void *arg)
{
	const struct actor *a = arg;
	int last = 0, sum = 0;

	for (int i = 0; i < a->count; i++) {
		last = operate(&a->operations[i], last, sum);
		sum += last;
	}
	return NULL;
}

/* What was posted and given by the first thread, and not taken yet. */
struct stock {
	int posts, gifts;
};

static int is_waiting(enum what what)
{
	return (what >= POST && what <= AWAIT) || what == GIVE || what == GET;
}

/* Who waits is never the first thread, and gets what that one made. */
static enum what supplied(enum what what, int number, struct stock *stock)
{
	if (number == 0) {
		if (what == TAKE)
			what = POST;
		if (what == AWAIT)
			what = RAISE;
		if (what == GET)
			what = GIVE;
		stock->posts += what == POST;
		stock->gifts += what == GIVE;
	} else if ((what == TAKE && --stock->posts < 0) ||
		   (what == GET && --stock->gifts < 0)) {
		what = READ;
	}
	return what;
}

static void make_actor(struct actor *a, int operations, int number, int kinds,
		       struct stock *stock)
{
	a->count = 1 + chance(operations);
	for (int i = 0; i < a->count; i++) {
		struct operation *o = &a->operations[i];

		*o = (struct operation){ .what = (enum what)chance(kinds),
					 .variable = chance(VARIABLES - 1),
					 .number = chance(3),
					 .lock = chance(LOCKS) };
		/* What waits is seldom. */
		if (is_waiting(o->what) && chance(3))
			o->what = (enum what)chance(WRITE_IF + 1);
		o->what = supplied(o->what, number, stock);
		if (o->what == AWAIT)
			a->operations[i].number = -1;
	}
}

/* A flag that somebody waits for is raised by the first thread. */
static void make_flag(int threads)
{
	for (int t = 1; t < threads; t++)
		for (int i = 0; i < actors[t].count; i++)
			if (actors[t].operations[i].what == AWAIT) {
				actors[0].operations[0].what = RAISE;
				return;
			}
}

int main(int argc, char **argv)
{
	int most = argc > 2 ? atoi(argv[2]) : 2;
	int operations = argc > 3 ? atoi(argv[3]) : 3;
	int kinds = argc > 4 ? KINDS : BASIC;
	int threads, sum = 0;
	struct stock stock = { 0 };
	pthread_t ids[THREADS];

	state = (unsigned long)(argc > 1 ? atoi(argv[1]) : 1) * 7919;
	if (most < 2 || most > THREADS || operations < 1 ||
	    operations > OPERATIONS)
		return 2;
	chance(2);
	sem_init(&tokens, 0, 0);
	threads = 2 + chance(most - 1);
	for (int i = 0; i < threads; i++)
		make_actor(&actors[i], operations, i, kinds, &stock);
	make_flag(threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, actor_run, &actors[i]);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < VARIABLES; i++)
		sum += plain[i] + atomic_load(&atomics[i]);
	for (int i = 0; i < LOCKS; i++)
		sum += guarded[i];
	printf("%d\n", sum + gifts + pages);
	return 0;
}
