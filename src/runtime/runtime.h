/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

/*
 * libheddle.so, the guest: it lives in somebody else's process.
 *
 * Ground rules
 *
 * - Include only format/. No stdio, no allocation from libc, no lock of libc.
 *   Memory comes from guest_map(); it is mapped, never given back piecemeal.
 * - Real functions only through real.h.
 * - Nothing is written to the program's descriptors, errno is the program's
 *   (every wrapper leaves it as the real function left it).
 * - While a thread works inside the guest, its `inside` is not 0: hooks that
 *   fire then (in a function of libc we called) pass through, and signal
 *   handlers of the program are put off until it is 0 again. Never call a
 *   function that may block, or that runs code of the program, while inside.
 * - A wrapper does the real thing in every case: idle, inside, unknown thread.
 *   Observing must not change a result.
 * - What we cannot handle is said with guest_note(), never passed over.
 * - Everything exported stands in exports.map; everything else is hidden.
 *
 * States. *Idle*: no HEDDLE_TRIAL for this process; `self` stays NULL in every
 * thread and hooks return at once. *Recording*: `gate` is open, every thread
 * that calls us has a `self`. A child made by fork is idle: struct thread lies
 * in memory that fork wipes, so even a raw fork cannot write in our name.
 *
 * The way of an event: a front end (compiler hook, wrapper, annotation) ->
 * filter.c for plain accesses -> record.c, which gives the stamp, the stack
 * node (stack.c) and puts the bytes into the thread's slot of the region.
 */

#include "format/codec.h"
#include "format/event.h"
#include "format/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
/*
 * For a member function of C++: a pointer to one that has an odd address is
 * taken for the place of a virtual function, and -O1 aligns none.
 */
#define EXPORT_MEMBER EXPORT __attribute__((aligned(16)))
#define HOT __attribute__((hot))
#define COLD __attribute__((cold, noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Where the program called us; to be used in the exported function itself. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

#pragma GCC visibility push(hidden)

enum {
	STACK_MEMO = 1024,
	/* Of them, those that a thread uses which does not record. */
	STACK_MEMO_FEW = 16,
	/* Room for calls that have not returned: under control at first, at
	 * first otherwise, and when that has not been enough. */
	CALLS_FEW = 24,
	CALLS_FIRST = 1 << 11,
	CALLS_MOST = 1 << 22,
	LOOP_DEPTH = 64,
};

#define STACK_NONE UINT32_MAX

/* One call that has not returned. */
struct call {
	uintptr_t pc;	 /* return address into the caller */
	uintptr_t frame; /* stack pointer of the callee, for longjmp */
	uint32_t stack;	 /* node, 0 until somebody asks */
	/* pairs_loops.c. The hook of the loop that the call itself is in, the
	 * lower half of its address; 0: of none. */
	uint32_t header;
	uint32_t loops; /* that the thread is in, here and in its callers */
	uint32_t began; /* the first access of the iteration; 0: no loop */
};

/* A thread as the guest knows it. Written by its own thread only, but for
 * `pending`. All zero in the child of a fork. */
struct thread {
	/* What the shadow holds for this thread now: incarnation and segment,
	 * as in shadow.h. First, because every access compares it. */
	uint64_t tag;
	struct call *top; /* the innermost call; base when there is none */
	struct call *limit;
	struct call *base;
	uint32_t inside;
	uint32_t ignoring; /* depth of heddle_ignore regions */
	uint32_t number;
	uint32_t alive;	       /* 1; 0 tells a wiped copy */
	uint32_t overflow;     /* calls that found no room in the array */
	uint32_t deepest;      /* calls that there were at most, when looked */
	_Atomic uint32_t fate; /* life.c: ended, forgotten */
	struct thread *next;   /* life.c: free ones */

	/* record.c */
	struct codec codec;
	struct region_slot *slot;
	uint8_t *put, *put_end, *put_begin;
	uint32_t sequence;
	uint32_t events;     /* in the slot, without those of the run */
	uint32_t until_time; /* accesses until the next TIME event */
	struct {
		uintptr_t next; /* the address that would extend it, or 0 */
		uint8_t *count_at;
		uint32_t count; /* 0: a single access so far */
		uint32_t stack;
		uintptr_t pc;  /* of record_run_at, or 0 */
		uint32_t call; /* the node of the call there */
		uint8_t code;
	} run;
	struct {
		uintptr_t next;
		uint64_t arg;
		uint8_t *size_at;
		uint32_t size;
		uint32_t stack;
		uint8_t kind;
	} told;
	uint64_t recorded; /* plain accesses, for the first full ones */

	/* order.c: segments, and what must have happened before */
	uint32_t incarnation;
	uint32_t word_segment; /* the present one, as words have it */
	uint32_t word_first; /* the first of this thread in this incarnation */
	uint32_t slow;	     /* the fast path is off; see order_slow */
	uint64_t segment;    /* all releases so far */
	uint64_t *before;    /* by incarnation: which of its segments are
				  ordered before us by creation and joining;
				  see order.h. NULL under control, where
				  nothing is left out. */

	/* access_atomic.c: the last load, to leave out its idle repetition */
	struct {
		uintptr_t addr, pc;
		const uint8_t *put;
		uint32_t changes;
	} spin;

	/* pairs.h: accesses so far, and the loops the thread is in, each with
	 * what the call had when it came to it */
	uint32_t pair_count;
	uint64_t pair_tag; /* what words of its accesses begin with */
	struct loop_frame {
		uint32_t loop, header, began;
	} * loops;
	struct pair_memo *pair_memo; /* pairs_table.c */

	uint64_t writes; /* under control: those that hooks told of */
	uint32_t call;	 /* control.c: the next access of a call of libc */
	uint64_t allocations;
	uint32_t children;
	_Atomic uint64_t pending; /* signals put off, bit signo-1 */
	uintptr_t stack_low, stack_high;

	/* stack.c: the last few (node, pc) pairs asked for; STACK_MEMO of
	 * them, or those close by */
	struct stack_memo {
		uintptr_t pc;
		uint32_t parent; /* STACK_NONE: of no call */
		uint32_t node;
	} * memo, memo_few[STACK_MEMO_FEW];
};

/* Hooks of this thread pass through: it is inside, or ignoring. One look. */
static inline bool thread_is_deaf(const struct thread *t)
{
	uint64_t both;

	_Static_assert(offsetof(struct thread, ignoring) ==
			       offsetof(struct thread, inside) + 4,
		       "one word");
	__builtin_memcpy(&both, &t->inside, sizeof(both));
	return both;
}

/* NULL: idle, or a thread we have not met (guest_self meets it). */
extern __thread struct thread *self __attribute__((tls_model("initial-exec")));

/* Open while threads are known: observed, or under control. It opens when the
 * thread that opens it is known and all is set up: threads may be running
 * already (a constructor of the program has started them), and whoever finds it
 * open is met, and goes the way that `controlled` and `recording` say. */
extern bool gate;

static inline bool gate_is_open(void)
{
	/* Pairs with the release in gate_open. */
	return __atomic_load_n(&gate, __ATOMIC_ACQUIRE);
}

static inline void gate_open(void)
{
	/* Pairs with the acquire in gate_is_open. */
	__atomic_store_n(&gate, true, __ATOMIC_RELEASE);
}

/* Events are recorded. */
extern bool recording;

extern struct region *region;

/* ---- attach.c: start ---- */

/* Idempotent; called by the constructor, by __tsan_init, and by any wrapper
 * that is reached before both. */
void guest_init(void);

/* Zeroed memory that is never given back; NULL when there is none (then the
 * caller goes without, and a note says so). */
void *guest_map(size_t size);

/* Under control, before the first run: what small pieces are taken from. */
void guest_map_prepare(void);

/* Keeps memory of ours out of core dumps, and empties it in a forked child,
 * which would otherwise record in the parent's name and pay for the copy. */
void guest_hide(void *at, size_t size);

/* The same for all memory from guest_map: is a forked child to have it? */
void guest_keep(bool is_kept);

/* Is this memory the guest's own: variables of our module, or from guest_map?
 * (Of the first few thousand maps; later ones are not remembered.) */
bool guest_owns(uintptr_t addr);

/* Says something to the tool, once for each text. */
void guest_note(const char *text);

/* ---- life.c: threads come and go ---- */

/* Registers the calling thread, whose creation we did not see. NULL when the
 * gate is closed or the thread has already ended for us. */
COLD struct thread *life_adopt(void);

/* Registers the first thread of all, which is about to open the gate. */
struct thread *life_first(void);

/* The calling thread when it should record now, else NULL: idle, inside the
 * guest, or past its end. */
static inline struct thread *guest_self(void)
{
	struct thread *t = self;

	if (unlikely(!t)) {
		if (likely(!gate_is_open()))
			return NULL;
		t = life_adopt();
		if (!t)
			return NULL;
	}
	return likely(t->alive && !t->inside) ? t : NULL;
}

/* In the creator, before the real creation: a new thread with its number, its
 * place in the tree and what is ordered before it; records THREAD_CREATE.
 * NULL when out of memory. If the creation then fails, the thread is given to
 * life_cancel. */
struct thread *life_prepare(struct thread *creator, const void *start,
			    uintptr_t pc);
void life_cancel(struct thread *t);

/* In the new thread, first thing. */
void life_begin(struct thread *t);

/* In a thread, last thing: records THREAD_END, hands over its slot; from now
 * on hooks of this thread pass through. */
void life_end(void);

/* In the joiner, after the real join: records THREAD_JOIN of thread number
 * `number` and orders its life before what follows. */
void life_join(struct thread *t, uint32_t number, uintptr_t pc);

/* Nobody will join thread `number` (it was detached): forget it when it has
 * ended. */
void life_forget(uint32_t number);

/* At the orderly end of the process. */
void life_close(void);

/* ---- record.c ---- */

/* Records an event. The kind says which fields count. A release is recorded
 * before the real operation, an acquire after it. Marks the thread as inside,
 * and leaves errno alone. */
void record(struct thread *t, enum event_kind kind, const volatile void *addr,
	    uint64_t size, uint64_t arg, uintptr_t pc);

/* The same for an event whose stack node the caller has. */
void record_at(struct thread *t, enum event_kind kind, uint64_t addr,
	       uint64_t size, uint64_t arg, uint32_t stack);

/* A plain access that was found worth recording. */
void record_access(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		   uint32_t stack);

/* Records an access that only continues a run, at a fraction of the cost; false
 * when it does not. The thread must be inside: a handler that came between the
 * look and the record would end the run. */
bool record_again(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		  uintptr_t pc);

/* The run that the access just recorded may begin was made at `pc`. */
static inline void record_run_at(struct thread *t, uintptr_t pc)
{
	t->run.pc = pc;
	t->run.call = t->top->stack;
}

/* An access that was left out at its time; the thread must be inside. */
void record_earlier(struct thread *t, bool is_write, uint64_t addr,
		    uint32_t size, uint64_t arg, uint32_t stack);

/* Hands the thread's slot to the tool. */
void record_flush(struct thread *t);

/* ---- access_plain.c: plain accesses of any size, filtered ---- */

void access_range(struct thread *t, const volatile void *addr, size_t size,
		  bool is_write, uintptr_t pc);

/* A call of libc that touches memory by itself. access_call comes first, before
 * anything there is looked at; under control others may go on now, and not
 * again until the call returns, so that it is one step; a call that writes says
 * where. Then a part for each range that it reads or writes, before it does; of
 * what is read, afterwards will do. */
void access_call(struct thread *t, const volatile void *addr, bool is_write,
		 uintptr_t pc);

/* The same for one that reads, where its thread may not be known. */
static inline void access_call_reads(struct thread *t,
				     const volatile void *addr, uintptr_t pc)
{
	if (unlikely(t))
		access_call(t, addr, false, pc);
}

/* The same for one that copies: of both, where others are likelier to be. */
void access_call_copies(struct thread *t, const volatile void *to,
			const volatile void *from, uintptr_t pc);
void access_part(struct thread *t, const volatile void *addr, size_t size,
		 bool is_write, uintptr_t pc);

/* The same of what is read up to a place that depends on what is read: a string
 * to its end; two texts to where they differ. */
void access_text(struct thread *t, const volatile void *addr, size_t size,
		 uintptr_t pc);
void access_texts(struct thread *t, const volatile void *a,
		  const volatile void *b, size_t size, uintptr_t pc);

/* A block begins its life: it counts as written by the thread that got it, so
 * that filling it costs nothing. Large blocks are only forgotten. */
void access_claim(struct thread *t, const volatile void *addr, size_t size,
		  uintptr_t pc);

/* Memory begins or ends its life: forget what the shadow knows of it. */
void access_forget(const volatile void *addr, size_t size);

/* ---- stack.c ---- */

uint32_t stack_node(struct thread *t, uintptr_t pc);

/* Where there are more calls than ever, the region is told, as stack_node does
 * in any case. Threads whose function is the program's never have more. */
static inline void stack_look(struct thread *t, uintptr_t pc)
{
	if (unlikely((size_t)(t->top - t->base) > t->deepest))
		stack_node(t, pc);
}

static inline uint32_t stack_memo_at(uintptr_t pc, uint32_t parent)
{
	return ((uint32_t)pc ^ parent * 9) & (STACK_MEMO - 1);
}

/* The same where it is remembered and the thread uses the whole of its memo;
 * false: it is not, or there is none. A handler may change the memo meanwhile:
 * the node is read first. */
static inline bool stack_recall(const struct thread *t, uintptr_t pc,
				uint32_t *node)
{
	uint32_t parent = t->top->stack;
	const struct stack_memo *m = &t->memo[stack_memo_at(pc, parent)];

	*node = m->node;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return m->pc == pc && m->parent == parent;
}

/* The stack pointer was set to `frame` by longjmp: the calls below it are
 * over. */
void stack_unwind(struct thread *t, uintptr_t frame);

/* ---- module.c ---- */

/* Looks for modules that came since the last look. Called at start and after
 * dlopen. */
void module_scan(void);

/* The site of an address of code, 0 when it lies in no known module (after a
 * new look). */
uint32_t module_site(uintptr_t pc);

/* Does the address lie in a known module that calls our hooks? */
bool module_is_instrumented(uintptr_t pc);

/* Does a module call heddle_ready? */
extern bool module_wants_ready;

/* Is this code of our own? */
bool module_is_guest(uintptr_t pc);

/* ---- signal.c ---- */

/* Called when `inside` came back to 0 and signals were put off. */
COLD void signal_deliver_pending(struct thread *t);

/* Is the calling thread in a handler? */
bool signal_is_handled(void);

static inline void guest_enter(struct thread *t)
{
	t->inside++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void guest_leave(struct thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (--t->inside == 0 &&
	    unlikely(atomic_load_explicit(&t->pending, memory_order_relaxed)))
		signal_deliver_pending(t);
}

#pragma GCC visibility pop

#endif
