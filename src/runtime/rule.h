/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RULE_H
#define HEDDLE_RULE_H

/*
 * Rules of order (format/order_rule.h) of the run that is under way. The turn
 * asks whether a rule holds a thread, and tells who goes on; the strategy sees
 * only threads that nothing holds. The schedule of such a run is an ordinary
 * one and replays without its rules.
 *
 * All functions are called by the thread that has the turn, inside the guest.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* How many rules are in force; 0: nothing here needs to be asked. */
extern uint32_t rule_count;

void rule_begin(void);

/* Thread `number` stands before something, for the `visit`-th time: must it
 * wait? */
bool rule_holds(uint32_t number, uint32_t visit);

/* It goes on. True: others may be free now. */
bool rule_goes_on(uint32_t number, uint32_t visit);

/* A point was made while somebody was held. True: it takes too long, and the
 * rules that hold somebody are broken. */
bool rule_tires(void);

/* Nobody else can go on: the rules that hold somebody are broken. */
void rule_break(void);

#pragma GCC visibility pop

#endif
