/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_MODEL_H
#define HEDDLE_TRACE_MODEL_H

/*
 * A run (run_trace.h) as the causal model wants it (causal_trace.h): memory cut
 * into locations, locks and the like numbered, a wait for a condition as two
 * events. And back: a schedule of events as the order of threads that the guest
 * follows.
 *
 * Left out is what cannot matter in this trace: memory that one thread alone
 * touches or nobody writes. A lock that one thread takes and another lets go is
 * a variable here, which a thread that locks exchanges from 0 to 1.
 *
 * A read that gets what nobody wrote was preceded by a write from outside, by
 * code without hooks; the model gets such a write, and `outside` counts them,
 * because then nothing is complete.
 */

#include "explore/causal.h"
#include "explore/run_trace.h"

enum { NO_LINE = 0xffffffff };

/* Why there may be more than the model knows. */
enum model_gap {
	GAP_OUTSIDE = 1,   /* writes that no hook told */
	GAP_TIME = 2,	   /* waits with a time: they end one way only */
	GAP_KIND = 4,	   /* points that are not modelled */
	GAP_HANDED = 8,	   /* locks handed over that conditions use */
	GAP_UNREAD = 16,   /* values that could not be read, or too wide */
	GAP_CUT = 32,	   /* the trace is not whole */
	GAP_WINDOW = 64,   /* longer than the model takes at once */
	GAP_CHOICES = 128, /* reads of many parts, not all combinations */
	GAP_BARRIER = 256, /* who meets whom at a barrier is not varied */
	GAP_WAITING = 512, /* threads that waited when the run ended */
	GAP_REMADE = 1024, /* locks made or destroyed while in others' hands */
	GAP_BLENDS = 2048, /* writes that others come in between */
};

struct trace_model {
	struct causal_trace causal;
	VEC(uint32_t) lines;  /* by event: its line, or NO_LINE */
	uint32_t *event_of;   /* by line: its event, or NO_LINE */
	uint32_t **events_in; /* by thread, by length of history: events */
	/* By thread, by line of history: no event, and it follows at once when
	 * the event before it has taken place. */
	bool **follows;
	uint32_t begin;	       /* of the window: its first line */
	uint32_t *given;       /* by thread: lines of its history before that */
	VEC(uint64_t) address; /* of each location; 0: a lock */
	VEC(uint8_t) sizes;    /* of each location */
	uint32_t outside;
	uint32_t gaps; /* enum model_gap */
};

/* The first lines of windows, which overlap by half. A window begins where
 * nobody is inside of a barrier, or woken and not yet awake. */
struct trace_windows {
	uint32_t *at;
	size_t count, room;
};

void trace_model_windows(const struct run_trace *t, uint32_t window,
			 struct trace_windows *out);

/* Of `window` lines from `begin` on, what is before it as it was; window 0: of
 * all the rest. Events that are farther apart are not exchanged, and the gaps
 * say so. */
struct trace_model *trace_model_new(const struct run_trace *t, uint32_t begin,
				    uint32_t window);
void trace_model_free(struct trace_model *m, const struct run_trace *t);

/* May this read get that value, or would it have to wait? */
bool trace_model_may_get(const struct trace_model *m, const struct run_trace *t,
			 const struct causal_target *target);

/* What the target's line would read, as run_trace_read tells it. */
uint64_t trace_model_read(const struct trace_model *m,
			  const struct run_trace *t,
			  const struct causal_target *target);

/* Would it read eight bytes of zeros where it read something else? */
bool trace_model_is_null(const struct trace_model *m, const struct run_trace *t,
			 const struct causal_target *target);

/* The order for the guest. */
struct thread_order {
	struct traced_order *at;
	size_t count, room;
};

/* The last step may have another result than in the trace. The last `open`
 * steps come one right after the other, but for the end of a thread. */
void trace_model_order(const struct trace_model *m, const struct run_trace *t,
		       const struct causal_schedule *s, size_t open,
		       struct thread_order *out);

#endif
