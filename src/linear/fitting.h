/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FITTING_H
#define HEDDLE_FITTING_H

/*
 * Comparing a concurrent execution with a serial one, as a spec says: replies
 * without what is to be ignored, with their lines sorted where order does not
 * count; components by their rule.
 *
 * A spec may be NULL: then everything has to be equal.
 */

#include "linear/linear_spec.h"
#include "linear/observed.h"

/* A reply as it is compared. The caller owns it. */
struct blob fitting_reply(const struct linear_spec *s, struct blob input,
			  struct blob reply);

/* The last rule whose name fits. */
enum fitting_kind fitting_kind(const struct linear_spec *s,
			       const char *component);

bool fitting_component_fits(const struct linear_spec *s,
			    const struct component *concurrent,
			    const struct component *serial);

/* Does the whole state fit? `component` (may be NULL) is the first that does
 * not, NULL when all do. */
bool fitting_state_fits(const struct linear_spec *s,
			const struct components *concurrent,
			const struct components *serial,
			const char **component);

/* A sentence on how the two differ; the caller frees. */
char *fitting_difference(const struct linear_spec *s, const char *component,
			 const struct components *concurrent,
			 const struct components *serial);

bool fitting_is_error(const struct linear_spec *s, struct blob reply);

/* Do two requests concern different objects, so that their order does not
 * matter? */
bool fitting_are_apart(const struct linear_spec *s, struct blob a,
		       struct blob b);

#endif
