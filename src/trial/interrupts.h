/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INTERRUPTS_H
#define HEDDLE_INTERRUPTS_H

/*
 * The signals by which people end a job (SIGINT, SIGTERM, SIGHUP, SIGQUIT), for
 * jobs of many parts: campaigns, watched runs, and work of our own in between.
 *
 * While they are held, an interrupt ends the part that is under way, by the
 * part's own means, and no later part begins; between two parts it waits for
 * the next. So none is lost, and none ends the tool before it has told its
 * story. Programs are started with the signals as they were before.
 *
 * A hangup that is ignored from the start (nohup) stays ignored.
 *
 * There is one set of signals a process, hence no object. The main thread holds
 * and releases, in pairs that may nest; whoever takes a signal tells it, from
 * any thread.
 */

#include <signal.h>

void interrupts_hold(void);
void interrupts_release(void);

void interrupts_fill(sigset_t *set);

/* The mask that a program is to be started with. To be asked before the part
 * that starts it blocks signals of its own. */
void interrupts_program_mask(sigset_t *mask);

/* A part has taken this one off the queue. */
void interrupts_tell(int signal);

/* The one that came while they were held, whether or not somebody has taken it;
 * 0: none, or they are not held. */
int interrupts_came(void);

#endif
