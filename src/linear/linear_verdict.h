/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_VERDICT_H
#define HEDDLE_LINEAR_VERDICT_H

/*
 * A judgement in words: its kind on the paper's two axes, and as a verdict like
 * any other.
 */

#include "linear/linear_case.h"
#include "trial/oracle.h"

/* "semantic, latent", "error", "failed" */
const char *judged_text(const struct judged *j);

/* verdict_done frees it. */
void linear_verdict(const struct linear_case *c, const struct execution *e,
		    struct verdict *v);

#endif
