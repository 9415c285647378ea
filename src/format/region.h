/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REGION_H
#define HEDDLE_REGION_H

/*
 * The region: memory shared by the tool and the guest, and the only thing that
 * passes between them while a program runs. The tool makes it (a sparse
 * memory file), names it in HEDDLE_TRIAL and maps it; the guest maps it before
 * the program's first instruction. The guest needs no descriptor, no file and
 * no room in the program's heap after that, and what it wrote is there for the
 * tool even when the program is killed.
 *
 *   HEDDLE_TRIAL = <pid>:<path>     pid: of the process that is to be observed;
 *                                   in any other process the guest stays idle
 *
 * Tables (threads, modules, stacks, notes) only grow: an entry is
 * filled first, then counted. Counts are raised with release and read with
 * acquire, and an entry below the count never changes, except where a field
 * says so.
 *
 * Slots carry events (codec.h) to the tool. A slot is FREE, then OPEN: owned by
 * one thread, which appends whole events and raises `used` with release; then
 * FULL: the tool copies it out and makes it FREE again. When the program is
 * gone the tool takes the OPEN slots as well. The slots of one thread carry
 * ascending `sequence` numbers from 0, so a missing one is noticed.
 */

#include "format/control_block.h"
#include "format/force.h"
#include "format/linear_block.h"
#include "format/traced.h"
#include "format/pair_block.h"

#include <stdatomic.h>
#include <stdint.h>

#define REGION_MAGIC UINT64_C(0x6e69676572646468) /* "hddregin" */

enum {
	REGION_THREADS = 1 << 16, /* in the life of a program */
	REGION_MODULES = 1 << 10,
	REGION_STACKS = 1 << 20,
	REGION_NOTES = 64,
	REGION_SLOTS = 1 << 13,
	REGION_SLOT_BYTES = 1 << 15,
	REGION_PATH = 1000,
};

enum region_mode {
	MODE_OBSERVE = 1,
	MODE_CONTROL = 2,
	MODE_PERTURB = 3, /* free, but for the rules in `force` */
};

enum region_flag {
	REGION_RECORD_ALL = 1, /* leave nothing out */
	REGION_PAIRS = 2,      /* access pairs are collected; in a free run
				  nothing else is */
};

/* What the guest says of one thread. Numbers are given in order of
 * registration; the name of a thread that is the same in every run is the
 * path of `nth` from the main thread. */
struct region_thread {
	uint32_t parent; /* NO_THREAD for one we did not see created */
	uint32_t nth;	 /* of its parent's children, from 0 */
	uint32_t kernel_tid;
	uint32_t stack; /* where it was created */
	uint64_t stack_low, stack_high;
	uint64_t start;	  /* address of the thread function */
	uint32_t deepest; /* its deepest stack, where start is no code that is
			     instrumented: a library called the program */
	_Atomic uint64_t end_stamp; /* 0 while it runs; written later */
};

/* An executable mapping. Sites are places in one flat space of 32 bits: the
 * byte at address base + k of the module is site `site` + k. */
struct region_module {
	uint64_t base; /* where its lowest segment is in memory */
	uint64_t bias; /* address in memory minus address in the file */
	uint32_t size;
	uint32_t site;
	uint8_t build_id[20];
	uint8_t build_id_size;
	uint8_t instrumented; /* calls our hooks */
	char path[REGION_PATH];
};

/* A node of the tree of calls. Node 0 is the root, no call at all. A stack is
 * read upwards: the site of the node is the innermost place, its parent's site
 * the call (its return address) that led there. Recursion is folded: a call
 * that already stands in the chain leads back to its first node. */
struct region_stack {
	uint32_t parent;
	uint32_t site; /* 0: unknown */
};

/* Something the tool must tell: a thing the guest met and cannot handle. */
struct region_note {
	char text[248];
};

enum slot_state {
	SLOT_FREE = 0,
	SLOT_OPEN = 1,
	SLOT_FULL = 2,
};

/* A line of cache each: the owners of neighbours write all the time. */
struct region_slot {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t used; /* bytes, whole events */
	uint32_t thread;
	uint32_t sequence;
	uint64_t first_stamp; /* stamps before the first event; codec.stamp
				 starts here */
	uint32_t events;      /* of a FULL slot: how many there are */
};

struct region {
	uint64_t magic;
	uint32_t version; /* REGION_VERSION of the build: a hash of format/ */
	uint32_t mode;
	uint32_t flags;
	uint32_t tool_pid;
	_Atomic uint32_t guest_pid;    /* 0 until the guest attached */
	_Atomic uint32_t closed;       /* the program ended in an orderly way */
	_Atomic uint32_t instrumented; /* the program calls our hooks */
	_Atomic uint32_t full_slots;   /* futex: raised by the guest with each
					FULL slot, the tool sleeps here */
	_Atomic uint32_t free_slots;   /* futex: raised by the tool with each
					FREE slot, threads wait here */
	_Atomic uint32_t slots_made;   /* slots below this were ever used */
	_Atomic uint64_t lost;	       /* events that could not be recorded */

	_Atomic uint32_t thread_count;
	_Atomic uint32_t module_count;
	_Atomic uint32_t stack_count;
	_Atomic uint32_t note_count;

	_Alignas(64) struct region_note notes[REGION_NOTES];
	struct region_module modules[REGION_MODULES];
	struct region_thread threads[REGION_THREADS];
	struct region_stack stacks[REGION_STACKS];
	_Alignas(4096) struct control control;
	struct region_slot slots[REGION_SLOTS];
	struct force force;
	_Alignas(4096) struct linear_block linear;
	_Alignas(4096) struct traced_area traced;
	_Alignas(4096) struct pair_block pairs;
	_Alignas(4096) uint8_t data[REGION_SLOTS][REGION_SLOT_BYTES];
};

#endif
