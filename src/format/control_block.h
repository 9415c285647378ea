/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CONTROL_BLOCK_H
#define HEDDLE_CONTROL_BLOCK_H

/*
 * Control: what the tool asks of a program that runs one thread at a time, and
 * what comes back. It is a part of the region (region.h), in shared memory, so
 * that a run costs no file, no pipe and no process of the tool's.
 *
 * A *server* is the program, stopped before main; it forks once for each run.
 * (Without a server, `flags & CONTROL_EXEC`, the process is one run itself.)
 * The tool fills in `ask`, raises `asked` and wakes the server; the server
 * makes runs with the seeds ask.seed, ask.seed + 1, ... and puts one line
 * each into `results`, until ask.runs are made or one ended in a way the tool
 * must look at: then everything about that run is still here (run, steps,
 * threads, stacks, notes of the region). It then raises `answered`.
 *
 * A *point* is a place where the turn may pass to another thread: before every
 * access of a site that is not known to be private, before every operation of
 * synchronisation. A *step* is a point at which something was decided other
 * than going on; the steps of a run are its schedule. A step names its place by
 * thread, site and how often that thread has stood at that site, so that it
 * means the same in every process and in most rebuilds. A plan is a schedule
 * given back, in `plan`.
 *
 * `sites` has a byte for each place of code (the flat space of region.h):
 * what earlier runs learned of the accesses made there. It is the tool's to
 * reset and to freeze; all runs of one request see the same, unless
 * CONTROL_LEARN is set.
 */

#include "format/hunt.h"
#include "format/order_rule.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
	CONTROL_STEPS = 1 << 20,
	CONTROL_THREADS = 1 << 12,
	CONTROL_SITES = 1 << 26,
	CONTROL_RESULTS = 1 << 12,
	CONTROL_TEXT = 480,
	CONTROL_PROCESSORS = 2, /* that programs are told of, everywhere */
	CONTROL_HELD = 14,
	CONTROL_OBJECTS = 1 << 12,
	CONTROL_COUNTS = 1 << 16,
};

enum strategy_id {
#define STRATEGY(name, symbol, text, meaning) STRATEGY_##name,
#include "format/strategy.def"
#undef STRATEGY
	STRATEGIES
};

enum step_what {
#define STEP(name, text, to) STEP_##name,
#include "format/step.def"
#undef STEP
	STEP_WHATS
};

enum outcome_kind {
#define OUTCOME(name, verdict, text) OUTCOME_##name,
#include "format/outcome.def"
#undef OUTCOME
	OUTCOMES
};

enum control_flag {
	CONTROL_EXEC = 1,     /* no server: this process is the run */
	CONTROL_LEARN = 2,    /* runs write into `sites` */
	CONTROL_STOP = 4,     /* the tool looks at every run */
	CONTROL_SPURIOUS = 8, /* waits on conditions may end without cause */
	CONTROL_LOOSE = 16,   /* steps of the plan that do not fit are passed
				 over, instead of ending the run */
	CONTROL_RECORD = 32,  /* events are recorded as well */
	CONTROL_DEBUG = 64,   /* a debugger is there: no time limit, and the
				 run stops with SIGTRAP where it failed */
	CONTROL_ALL = 128,    /* every access is a point */
	CONTROL_QUIT = 256,   /* the server is to end */
	CONTROL_VALUES = 512, /* events are told with values (traced.h) */
	CONTROL_IDLE = 1024,  /* runs begin where the program listens and all
				 its threads wait */
	CONTROL_MAIN = 2048,  /* runs begin before main, wherever the program
				 is ready */
	CONTROL_PAIRS = 4096, /* access pairs are collected */
	CONTROL_SYNC = 8192,  /* no plain access is a point, whatever else is
				 said of them */
};

/* How far the server is. */
enum control_ready {
	READY_SERVING = 1, /* it waits for its first request */
	READY_REFUSED,	   /* it cannot serve: run it afresh */
	READY_COMING,	   /* on its way, under control, to where it is ready */
};

/* A byte of `sites`. */
enum site_state {
	SITE_NEW = 0,	  /* never met: a point */
	SITE_PRIVATE = 1, /* met, on memory that one thread used */
	SITE_SHARED = 2,

	SITE_STATE = 0x0f, /* those above */
	/* From this bit on: which events of the hunt (hunt.h) may be here. Such
	 * a site is a point whatever is known of it. */
	SITE_EVENTS = 4,
};

struct step {
	uint32_t thread;
	uint32_t site;
	uint32_t visit; /* from 1 */
	uint32_t to;
	uint8_t what;	  /* enum step_what */
	uint8_t kind;	  /* enum event_kind: what the thread stands before */
	uint16_t options; /* how many there were to choose from */
	uint32_t stack;	  /* node, 0: not asked for */
	uint64_t point;	  /* points before this one in the run */
};

enum thread_state {
	THREAD_UNUSED = 0,
	THREAD_READY,	/* eligible */
	THREAD_BLOCKED, /* until somebody does something */
	THREAD_ASLEEP,	/* blocked, but a time is set */
	THREAD_AWAY,	/* in a real call */
	THREAD_HELD,	/* it could go on, but a rule of order holds it */
	THREAD_OVER,
};

/* What a thread holds. */
struct control_hold {
	uint64_t object;
	uint32_t stack; /* where it got it */
	uint16_t kind;	/* EVENT_MUTEX_LOCK and its like */
	uint16_t depth; /* how often, for what can be had more than once */
};

/* A thread of this run, by its number. What it stands before. */
struct control_thread {
	_Atomic uint32_t turn; /* futex: 1 when it may go on */
	uint8_t state;	       /* enum thread_state */
	uint8_t kind;	       /* enum event_kind */
	uint8_t woken;	       /* by whom, for a wait: enum in turn.h */
	uint8_t spins;	       /* it was found spinning */
	uint32_t site;
	uint32_t place; /* among the eligible, in turn.c */
	uint64_t pc;
	uint64_t object;
	uint64_t deadline;  /* virtual nanoseconds, 0: none */
	uint64_t rank;	    /* for the strategy */
	uint64_t count;	    /* for the strategy */
	uint32_t stack;	    /* filled when the run failed */
	uint32_t gate_site; /* where it took the first of what it holds */
	uint32_t gate_visit;
	uint32_t hold_count;
	uint32_t is_joined;
	struct control_hold holds[CONTROL_HELD];
};

/* What the tool asks for. */
struct control_ask {
	uint32_t strategy; /* enum strategy_id */
	uint32_t depth;	   /* PCT */
	uint32_t flags;	   /* enum control_flag */
	uint32_t runs;	   /* at most CONTROL_RESULTS */
	uint64_t seed;
	uint64_t points_most; /* a run ends there: limit reached */
	uint64_t length;      /* points a run has, about; for PCT */
	uint64_t hang_ms;     /* wall clock without a point, 0: no limit */
	uint64_t memory_most; /* bytes, 0: no limit */
	uint32_t plan_count;
	uint32_t stop_step;   /* for a debugger: stop when so many steps are
			       made; 0: never */
	uint32_t processors;  /* how many the program is told there are */
	uint32_t rule_count;  /* of `rules` */
	uint32_t probe_count; /* of `probes` */
};

/* One line for each run. */
struct control_result {
	uint64_t seed;
	uint64_t schedule; /* hash of the steps */
	uint64_t points;
	uint32_t steps;
	uint32_t switches;
	int32_t wait_status;
	uint32_t outcome; /* enum outcome_kind */
};

struct outcome {
	uint32_t kind; /* enum outcome_kind */
	uint32_t thread;
	uint32_t stack; /* node */
	int32_t signal;
	uint64_t addr;
	uint64_t point;
	/* Heap misuse: where the block came from, and where it ended. */
	uint64_t block, block_size;
	uint32_t alloc_thread, alloc_stack;
	uint32_t free_thread, free_stack;
	/* Divergence: the step of the plan that did not fit. */
	uint32_t step;
	uint32_t expected_site, seen_site;
	uint32_t expected_thread, seen_thread;
	char text[CONTROL_TEXT];
};

/* The run that is under way, or the last one. */
struct control_run {
	_Atomic uint32_t pid;
	_Atomic uint32_t holder; /* who has the turn; NO_THREAD: it was taken
				    away (watchdog.h) */
	uint64_t seed;
	_Atomic uint64_t points;
	uint64_t schedule;
	uint64_t now;	 /* virtual nanoseconds since the start */
	uint64_t origin; /* the point from which strategies count */
	uint32_t step_count;
	uint32_t switches;
	uint32_t children; /* processes that the program forked */
	uint32_t thread_count;
	int32_t wait_status;
	_Atomic uint32_t napping; /* the holder waits for others */
	_Atomic uint32_t lost;	  /* enum lost_state of watchdog.h */
	uint32_t lost_thread;
	uint32_t has_strangers; /* threads that began before control did */
	uint32_t lost_count;	/* how often the turn was taken away */
	uint32_t lost_stack;	/* where, the last time */
	uint32_t ran_away;	/* the last one ran there, and did not sleep */
	_Atomic uint32_t deaf;	/* asked whether it is (watchdog.h), + 1 */
	struct outcome outcome;
};

static inline struct control_result control_result_of(
	const struct control_run *run)
{
	return (struct control_result){
		.seed = run->seed,
		.schedule = run->schedule,
		.points = run->points,
		.steps = run->step_count,
		.switches = run->switches,
		.wait_status = run->wait_status,
		.outcome = run->outcome.kind,
	};
}

/* How often a thread, with the threads it creates, stood before an object. */
struct control_count {
	uint64_t object; /* 0: free */
	uint64_t thread; /* its name over runs; 0: of the object itself */
	uint64_t first;	 /* of the object: the first thread that came */
	uint32_t run;	 /* in which `now` holds */
	uint32_t now;
	uint32_t most; /* in one run */
	uint32_t state;
};

/* What runs with CONTROL_LEARN counted, for strategies. Like `sites` it is the
 * tool's to reset and to copy. */
struct control_profile {
	uint32_t runs;
	uint32_t object_count;
	uint64_t objects[CONTROL_OBJECTS]; /* on which threads conflict */
	struct control_count counts[CONTROL_COUNTS]; /* a hash table */
};

/* What each run needs comes first: then a run of few threads touches one page
 * for all of it, and the first steps share the page of page tables. */
struct control {
	_Atomic uint32_t asked;	   /* futex: raised by the tool */
	_Atomic uint32_t answered; /* futex: raised by the server */
	_Atomic uint32_t result_count;
	_Atomic uint32_t ready;	    /* enum control_ready */
	_Atomic uint32_t is_played; /* the tool plays the world
				       (linear_block.h) */
	struct control_ask ask;
	struct control_run run;
	struct control_thread threads[CONTROL_THREADS];
	struct step steps[CONTROL_STEPS];
	struct control_result results[CONTROL_RESULTS];
	struct step plan[CONTROL_STEPS];
	uint8_t sites[CONTROL_SITES];
	struct order_rule rules[ORDER_RULES];
	struct order_probe probes[ORDER_PROBES];
	struct control_profile profile;
	struct hunt hunt;
};

#endif
