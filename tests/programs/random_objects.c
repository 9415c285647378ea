/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second small program that nobody wrote, of the things that
 * random_threads.c leaves out: spin locks, recursive mutexes, once, tokens that
 * are tried for, blocks of memory that are handed on by a list or by a pointer,
 * copies of structures, fields of a few bits, atomics of different sizes in one
 * word, threads of threads, a barrier that all meet at, and a gate that many
 * wait at. Main looks at everything when the threads are joined. It cannot fail
 * and cannot deadlock.
 *
 * random_objects SEED THREADS OPERATIONS: at most so many of each
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, OPERATIONS = 16, PARTS = 3, CHOSEN = 3 };

enum what {
	SPIN,	     /* an increment under a spin lock */
	SPIN_TRIED,  /* the same, if it is free */
	TWICE,	     /* an increment under a recursive mutex */
	ONCE,	     /* sets a variable if nobody has, and reads it */
	TOKEN_TRIED, /* one, if there is one, and back */
	PUSH,	     /* a block onto a list */
	POP,	     /* the newest block, and free it */
	PUBLISH,     /* a block by an atomic pointer */
	VISIT,	     /* what was published */
	COPY,	     /* a structure onto another */
	MIX,	     /* one part of such a structure */
	FIELD,	     /* some bits of a word */
	SWAP,	     /* the whole of an atomic word */
	HALF,	     /* adds to half of it */
	CHILD,	     /* a thread that does the next operation */
	OPEN,	     /* the gate */
	PASS,	     /* the gate */
	KINDS
};

struct operation {
	enum what what;
	int number;
};

struct actor {
	struct operation operations[OPERATIONS];
	int count;
	int meets; /* before this operation */
};

struct block {
	int value;
	struct block *next;
};

struct record {
	int parts[PARTS];
};

struct fields {
	unsigned low : 3, middle : 7, high : 6;
};

static struct actor actors[THREADS];
static pthread_spinlock_t spin;
static int spun;
static pthread_mutex_t again;
static int depth;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int first_value;
static sem_t tokens;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *list;
static struct block *_Atomic published;
static struct record records[2];
static volatile struct fields fields;
static union {
	_Atomic uint32_t whole;
	_Atomic uint16_t halves[2];
} word;
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static pthread_barrier_t meeting;
static int met;

static unsigned long state;

static int chance(int below)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (int)(state >> 33) % below;
}

/* ---- operations ---- */

static void spin_add(int is_tried)
{
	if (is_tried ? pthread_spin_trylock(&spin) : pthread_spin_lock(&spin))
		return;
	spun++;
	pthread_spin_unlock(&spin);
}

static void depth_add(void)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	depth++;
	pthread_mutex_unlock(&again);
	depth++;
	pthread_mutex_unlock(&again);
}

static void first_set(void)
{
	first_value++;
}

static int token_try(void)
{
	if (sem_trywait(&tokens))
		return 0;
	sem_post(&tokens);
	return 1;
}

static struct block *block_new(int value)
{
	struct block *b = malloc(sizeof(*b));

	b->value = value;
	b->next = NULL;
	return b;
}

static void list_push(int value)
{
	struct block *b = block_new(value);

	pthread_mutex_lock(&list_lock);
	b->next = list;
	list = b;
	pthread_mutex_unlock(&list_lock);
}

static int list_pop(void)
{
	struct block *b;
	int value = -1;

	pthread_mutex_lock(&list_lock);
	b = list;
	if (b)
		list = b->next;
	pthread_mutex_unlock(&list_lock);
	if (b)
		value = b->value;
	free(b);
	return value;
}

static int visit(void)
{
	struct block *b = atomic_load(&published);

	return b ? b->value++ : -1;
}

static void gate_open(void)
{
	pthread_mutex_lock(&gate_lock);
	is_open = 1;
	pthread_cond_broadcast(&gate_opened);
	pthread_mutex_unlock(&gate_lock);
}

static void gate_pass(void)
{
	pthread_mutex_lock(&gate_lock);
	while (!is_open)
		pthread_cond_wait(&gate_opened, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
}

static int operate(const struct operation *o, int last);

struct child {
	const struct operation *operation;
	int last;
};

static void *child_run(void *arg)
{
	struct child *c = arg;

	c->last = operate(c->operation, c->last);
	return NULL;
}

/* What comes next is done by both, and then once more. */
static int child(const struct operation *next, int last)
{
	struct child c = { next, last };
	pthread_t t;

	pthread_create(&t, NULL, child_run, &c);
	last = operate(next, last);
	pthread_join(t, NULL);
	return last + c.last;
}

static int operate(const struct operation *o, int last)
{
	switch (o->what) {
	case SPIN:
	case SPIN_TRIED:
		spin_add(o->what == SPIN_TRIED);
		return last;
	case TWICE:
		depth_add();
		return last;
	case ONCE:
		pthread_once(&once, first_set);
		return first_value;
	case TOKEN_TRIED:
		return token_try();
	case PUSH:
		list_push(o->number);
		return last;
	case POP:
		return list_pop();
	case PUBLISH:
		atomic_store(&published, block_new(o->number));
		return last;
	case VISIT:
		return visit();
	case COPY:
		memcpy(&records[o->number & 1], &records[!(o->number & 1)],
		       sizeof(records[0]));
		return last;
	case MIX:
		records[o->number & 1].parts[o->number] += 1 + last;
		return last;
	case FIELD:
		if (o->number & 1)
			fields.low++;
		else
			fields.high++;
		return fields.middle;
	case SWAP:
		return (int)atomic_exchange(&word.whole, (uint32_t)o->number);
	case HALF:
		return atomic_fetch_add(&word.halves[o->number & 1], 1);
	case CHILD:
		return child(o + 1, last);
	case OPEN:
		gate_open();
		return last;
	case PASS:
		gate_pass();
		return last;
	default:
		return last;
	}
}

static void *actor_run(void *arg)
{
	const struct actor *a = arg;
	int last = 0;

	for (int i = 0; i < a->count; i++) {
		if (i == a->meets && pthread_barrier_wait(&meeting))
			met = last;
		last = operate(&a->operations[i], last);
	}
	return NULL;
}

/* ---- programs ---- */

/* A few kinds make a program, or its threads would hardly ever meet. */
static enum what chosen[CHOSEN];

/* The first thread opens the gate before it waits for anybody. */
static void make_actor(struct actor *a, int operations, int number)
{
	a->count = 1 + chance(operations);
	for (int i = 0; i < a->count; i++) {
		struct operation *o = &a->operations[i];

		*o = (struct operation){ chosen[chance(CHOSEN)],
					 chance(PARTS) };
		if (number == 0 && o->what == PASS)
			o->what = OPEN;
		if (o->what == CHILD && i + 1 == a->count)
			o->what = TWICE;
		if (o->what == CHILD && i && a->operations[i - 1].what == CHILD)
			o->what = SPIN;
	}
	if (number)
		return;
	a->operations[0].what = OPEN;
	if (a->count == 1)
		a->operations[a->count++] = (struct operation){ TWICE, 0 };
}

static void make(int most, int operations, int *threads)
{
	int meets;

	for (int i = 0; i < CHOSEN; i++)
		chosen[i] = (enum what)chance(KINDS);
	*threads = 2 + chance(most - 1);
	meets = !chance(4);
	for (int i = 0; i < *threads; i++) {
		make_actor(&actors[i], operations, i);
		actors[i].meets = meets ? actors[i].count - 1 : -1;
	}
}

static void prepare(int threads)
{
	pthread_mutexattr_t recursive;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &recursive);
	sem_init(&tokens, 0, 1);
	pthread_barrier_init(&meeting, NULL, (unsigned)threads);
}

static long sum_up(void)
{
	struct fields f = fields;
	long sum = spun + depth + first_value + met;

	while (list)
		sum += list_pop();
	sum += visit();
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < PARTS; k++)
			sum += records[i].parts[k];
	return sum + f.low + f.middle + f.high + atomic_load(&word.whole);
}

int main(int argc, char **argv)
{
	int threads;
	pthread_t ids[THREADS];

	state = (unsigned long)(argc > 1 ? atoi(argv[1]) : 1) * 7919;
	make(argc > 2 ? atoi(argv[2]) : 2, argc > 3 ? atoi(argv[3]) : 3,
	     &threads);
	prepare(threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, actor_run, &actors[i]);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("%ld\n", sum_up());
	return 0;
}
