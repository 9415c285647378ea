/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FORCE_H
#define HEDDLE_FORCE_H

/*
 * Forcing: a small program of rules that a run is given, and what became of
 * them. It is a part of the region (region.h).
 *
 * A *rule* is a sequence of two to five events that should happen in this
 * order. An event is a place of code, with labels: events with the same label
 * of a thread are of one thread, events with different labels of different
 * ones; events with the same label of an object are on memory that they share.
 * So
 *
 *     read x (thread 0), write x (thread 1), write x (thread 0)
 *
 * is a lost update. A thread that comes to an event before it is due is
 * *held*, if the event allows it, until the events before it have *passed*
 * or time is up. One thread is held at a time, in the whole program, and each
 * rule holds only so often.
 *
 * The same rules are obeyed in two ways. A run that is *perturbed*
 * (MODE_PERTURB) goes freely on all processors: being held is sleeping for a
 * bounded time. A run under control (STRATEGY_FORCE) lets others have the turn,
 * as long as there are any.
 *
 * In a run only a *window* of the rules is obeyed, chosen by the seed: rules
 * w * window and following, with w = seed modulo the number of windows. Tallies
 * add up over the runs of a server; marks are of the last run.
 */

#include <stdatomic.h>
#include <stdint.h>

enum {
	FORCE_RULES = 1 << 12,
	FORCE_EVENTS = 5,
	FORCE_MARKS = 1 << 10,
	FORCE_PATCHES = 1 << 20,
	FORCE_HOLD_US = 200,	    /* how long, unless the rule says */
	FORCE_HOLD_US_MOST = 50000, /* what it may grow to */
	FORCE_HOLDS = 16,	    /* how often in a run */
	FORCE_SPENT_US = 60000,	    /* in vain in a run; then no more */
	FORCE_ANY_OBJECT = 0xff,
};

/* What an event does, several at once for an exchange; 0: anything. */
enum force_kind {
	FORCE_READ = 1,
	FORCE_WRITE = 2,
	FORCE_ACQUIRE = 4, /* takes a lock or waits for something */
	FORCE_RELEASE = 8,
	FORCE_OTHER = 16,
};

enum force_event_flag {
	FORCE_HOLD = 1, /* who comes too early is held here */
	FORCE_GATE = 2, /* and that is all it is for: it need not be passed, and
			   whoever passes it is not bound to the rule */
};

enum force_flag {
	FORCE_STACKS = 1, /* rules ask for call stacks: functions tell of their
			     entry and exit */
	FORCE_POISON = 2, /* memory that is freed is overwritten, so that who
			     still uses it falls */
	FORCE_BARE = 4,	  /* no hook is taken out of the program's code */
};

struct force_event {
	uint32_t site;
	uint32_t stack; /* hash of the calls, as force_stack_hash; 0: any */
	uint8_t kinds;	/* enum force_kind */
	uint8_t thread; /* label, below FORCE_EVENTS */
	uint8_t object; /* label, or FORCE_ANY_OBJECT */
	uint8_t flags;
};

struct force_rule {
	uint32_t count; /* of events */
	uint32_t hold_us;
	uint32_t holds; /* at most, in a run */
	struct force_event events[FORCE_EVENTS];
};

/* What became of a rule, over all runs. */
struct force_tally {
	uint32_t runs;	  /* in whose window it was */
	uint32_t begun;	  /* in how many its first event passed */
	uint32_t held;	  /* threads, altogether */
	uint32_t expired; /* of these, in vain */
	uint32_t forced;  /* runs in which all events passed, in order */
	uint32_t broken;  /* of these, those that ended badly, and no other rule
			     was forced; not counted without a server */
	uint32_t late_us; /* how late the other side was, at most */
	uint64_t last;	  /* seed of the last run that was forced */
	uint64_t first;	  /* seed of the first */
	uint64_t when;	  /* of the first, CLOCK_MONOTONIC in ns */
};

enum force_mark_what {
	FORCE_MARK_PASSED,
	FORCE_MARK_HELD,
	FORCE_MARK_EXPIRED,
	FORCE_MARK_FORCED,
	FORCE_MARK_NOISE,
};

/* Something that was done to the run. */
struct force_mark {
	uint64_t object;
	uint64_t microseconds; /* since the run began; under control: points */
	uint32_t rule;
	uint32_t thread;
	uint8_t event;
	uint8_t what;
};

/* How a call of a hook looks, and so what stands in its place when it is taken
 * out. `site` is behind the instruction, where a call returns to. */
enum force_patch_how {
	PATCH_CALL5, /* e8 */
	PATCH_CALL6, /* ff 15, or 67 e8 */
	PATCH_JUMP5, /* e9: the last thing a function does */
	PATCH_HOWS,
};

struct force_patch {
	uint32_t site;
	uint8_t how;
	uint8_t is_frame; /* of a function's entry or exit */
};

struct force {
	uint32_t rule_count;
	uint32_t window; /* 0: all rules in every run */
	uint32_t flags;
	/* Delays at operations of synchronisation, for comparison: how many
	 * of 65,536, and how long at most. */
	uint32_t noise_chance;
	uint32_t noise_us;
	uint32_t patch_count;
	uint32_t patched; /* by the guest, of these */
	_Atomic uint32_t mark_count;
	struct force_mark marks[FORCE_MARKS];
	struct force_rule rules[FORCE_RULES];
	struct force_tally tallies[FORCE_RULES];
	struct force_patch patches[FORCE_PATCHES];
};

/* The first rule of the window of this seed, and how many there are in it. */
static inline uint32_t force_window(const struct force *f, uint64_t seed,
				    uint32_t *count)
{
	uint32_t window = f->window ? f->window : f->rule_count;
	uint32_t windows, first;

	*count = 0;
	if (!f->rule_count)
		return 0;
	windows = (f->rule_count + window - 1) / window;
	first = (uint32_t)(seed % windows) * window;
	*count = f->rule_count - first < window ? f->rule_count - first :
						  window;
	return first;
}

/* The hash of a call stack, from the outermost call inwards. */
static inline uint32_t force_stack_hash(uint32_t hash, uint32_t site)
{
	return (hash ^ site) * UINT32_C(0x9e3779b1) + 1;
}

#endif
