/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_KEPT_TEXTS_H
#define HEDDLE_KEPT_TEXTS_H

/*
 * The build that failed may be located when its sources have been edited, as
 * they are once somebody mends them. Its lines are told with the text that they
 * had when the failure was kept, if the plan has it, or with none: what stands
 * there now is something else.
 */

#include "locate/locate.h"
#include "store/repro.h"

/* Sets l->is_edited as well. */
void kept_texts_tell(struct located *l, const struct repro *r);

#endif
