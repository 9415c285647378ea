/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A third small program that nobody wrote: two words that threads read and
 * write plainly, atomically, in parts of all sizes, and as text through libc;
 * with locks that are flags, and threads that yield. What it comes to, the
 * words and all that threads have read, is a number below RESULTS, and is marked
 * in a file; so the results of two searches can be compared, whatever the
 * searches think of what they saw.
 *
 * random_words FILE SEED THREADS OPERATIONS: at most so many of each
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	THREADS = 4,
	OPERATIONS = 16,
	WORDS = 2,
	BYTES = 8,
	CHOSEN = 4,
	RESULTS = 1 << 20
};

enum what {
	LOAD,  /* plainly, of some size */
	STORE, /* the same */
	ADD,   /* plainly */
	ATOMIC_LOAD,
	ATOMIC_STORE,
	ATOMIC_ADD,
	EXCHANGE, /* if it is what was read last */
	LENGTH,	  /* of a text */
	NUMBER,	  /* that a text begins with */
	COMPARE,  /* of both words */
	FIND,	  /* a digit */
	PRINT,	  /* from a word, in memory of the thread's own */
	PRINT_TO, /* a word */
	COPY,	  /* one word to the other */
	FILL,	  /* a part of a word */
	TEXT,	  /* a new text */
	YIELD,
	FLAG,	 /* an increment under a lock that is a flag */
	TRY,	 /* an increment under a lock, if that is free */
	GUARDED, /* an increment under the lock */
	KINDS
};

struct operation {
	enum what what;
	unsigned number;
};

struct actor {
	struct operation operations[OPERATIONS];
	int count;
	uint64_t last; /* what it has read */
};

union word {
	uint64_t whole;
	uint32_t halves[2];
	uint16_t quarters[4];
	char bytes[BYTES];
};

static struct actor actors[THREADS];
static union word words[WORDS];
static atomic_flag flag = ATOMIC_FLAG_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flagged, guarded;
static unsigned long state;

static unsigned chance(unsigned below)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % below;
}

static uint64_t mix(uint64_t last, uint64_t read)
{
	uint64_t h = (last ^ read) * UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 29;
}

/* ---- operations ---- */

#define EACH_SIZE(w, n, do)                                                    \
	switch ((n) % 4) {                                                     \
	case 0:                                                                \
		do                                                             \
			((w)->whole);                                          \
		break;                                                         \
	case 1:                                                                \
		do                                                             \
			((w)->halves[(n) / 4 % 2]);                            \
		break;                                                         \
	case 2:                                                                \
		do                                                             \
			((w)->quarters[(n) / 4 % 4]);                          \
		break;                                                         \
	default:                                                               \
		do                                                             \
			((w)->bytes[(n) / 4 % 7]);                             \
		break;                                                         \
	}

/* Of an atomic operation and one that is not, on the same memory. */
static uint64_t touch(enum what what, union word *w, unsigned n, uint64_t last)
{
	uint64_t got = 0;

#define DO_LOAD(x) got = (uint64_t) * (volatile __typeof__(x) *)&(x)
#define DO_STORE(x) *(volatile __typeof__(x) *)&(x) = (__typeof__(x))('1' + n)
#define DO_ADD(x) (*(volatile __typeof__(x) *)&(x))++
#define DO_ATOMIC_LOAD(x)                                                      \
	got = (uint64_t)__atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define DO_ATOMIC_STORE(x)                                                     \
	__atomic_store_n(&(x), (__typeof__(x))('2' + n), __ATOMIC_SEQ_CST)
#define DO_ATOMIC_ADD(x)                                                       \
	got = (uint64_t)__atomic_fetch_add(&(x), 1, __ATOMIC_SEQ_CST)
#define DO_EXCHANGE(x)                                                         \
	do {                                                                   \
		__typeof__(x) was = (__typeof__(x))last;                       \
		got = __atomic_compare_exchange_n(&(x), &was,                  \
						  (__typeof__(x))('3' + n), 0, \
						  __ATOMIC_SEQ_CST,            \
						  __ATOMIC_SEQ_CST);           \
	} while (0)
	switch (what) {
	case LOAD:
		EACH_SIZE(w, n, DO_LOAD)
		return mix(last, got);
	case STORE:
		EACH_SIZE(w, n, DO_STORE)
		return last;
	case ADD:
		EACH_SIZE(w, n, DO_ADD)
		return last;
	case ATOMIC_LOAD:
		EACH_SIZE(w, n, DO_ATOMIC_LOAD)
		return mix(last, got);
	case ATOMIC_STORE:
		EACH_SIZE(w, n, DO_ATOMIC_STORE)
		return last;
	case ATOMIC_ADD:
		EACH_SIZE(w, n, DO_ATOMIC_ADD)
		return mix(last, got);
	default:
		EACH_SIZE(w, n, DO_EXCHANGE)
		return mix(last, got);
	}
}

/* The last byte of a word is always 0. */
static uint64_t text(enum what what, union word *w, unsigned n, uint64_t last)
{
	union word *other = &words[w == words];
	char own[32];
	const char *found;

	switch (what) {
	case LENGTH:
		return mix(last, strlen(w->bytes));
	case NUMBER:
		return mix(last, (uint64_t)atoi(w->bytes));
	case COMPARE:
		return mix(last, memcmp(w, other, BYTES) < 0);
	case FIND:
		found = strchr(w->bytes, '1' + (int)(n % 4));
		return mix(last, found ? (uint64_t)(found - w->bytes) : 9);
	case PRINT:
		snprintf(own, sizeof(own), "<%s>", w->bytes);
		return mix(last, (uint64_t)strlen(own) << 8 | (uint8_t)own[1]);
	case PRINT_TO:
		snprintf(w->bytes, BYTES, "%u", n % 4 * 7);
		return last;
	case COPY:
		memcpy(other, w, BYTES);
		return last;
	case FILL:
		memset(w->bytes + n % 4, '1' + (int)(n % 3), 1 + n % 3);
		return last;
	default:
		strcpy(w->bytes, n % 2 ? "12" : "3");
		return last;
	}
}

static void flag_add(void)
{
	while (atomic_flag_test_and_set(&flag))
		;
	flagged++;
	atomic_flag_clear(&flag);
}

static uint64_t operate(const struct operation *o, uint64_t last)
{
	union word *w = &words[o->number % WORDS];
	unsigned n = o->number / WORDS;

	switch (o->what) {
	case YIELD:
		sched_yield();
		return last;
	case FLAG:
		flag_add();
		return last;
	case TRY:
		if (pthread_mutex_trylock(&lock))
			return mix(last, 1);
		guarded += 2;
		pthread_mutex_unlock(&lock);
		return mix(last, 0);
	case GUARDED:
		pthread_mutex_lock(&lock);
		guarded = guarded * 2 + 1;
		pthread_mutex_unlock(&lock);
		return last;
	default:
		return o->what < LENGTH ? touch(o->what, w, n, last) :
					  text(o->what, w, n, last);
	}
}

static void *actor_run(void *arg)
{
	struct actor *a = arg;

	for (int i = 0; i < a->count; i++)
		a->last = operate(&a->operations[i], a->last);
	return NULL;
}

/* ---- programs ---- */

/* A few kinds make a program, or its threads would hardly ever meet. */
static void make(unsigned most, unsigned operations, unsigned *threads)
{
	enum what chosen[CHOSEN];

	for (int i = 0; i < CHOSEN; i++)
		chosen[i] = (enum what)chance(KINDS);
	*threads = 2 + chance(most - 1);
	for (unsigned i = 0; i < *threads; i++) {
		actors[i].count = 1 + (int)chance(operations);
		for (int k = 0; k < actors[i].count; k++)
			actors[i].operations[k] =
				(struct operation){ chosen[chance(CHOSEN)],
						    chance(16) };
	}
}

static unsigned result(unsigned threads)
{
	uint64_t h = mix((uint64_t)flagged, (uint64_t)guarded);

	for (int i = 0; i < WORDS; i++)
		h = mix(h, words[i].whole);
	for (unsigned i = 0; i < threads; i++)
		h = mix(h, actors[i].last);
	return (unsigned)(h % RESULTS);
}

static unsigned char *results_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, RESULTS) == 0)
		map = mmap(NULL, RESULTS, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0);
	if (map == MAP_FAILED)
		abort();
	close(fd);
	return map;
}

int main(int argc, char **argv)
{
	unsigned char *results;
	pthread_t ids[THREADS];
	unsigned threads;

	if (argc < 5)
		return 2;
	results = results_map(argv[1]);
	state = strtoul(argv[2], NULL, 10) * 7919;
	make((unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]), &threads);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, actor_run, &actors[i]);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	results[result(threads)] = 1;
	return 0;
}
