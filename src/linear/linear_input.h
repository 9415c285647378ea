/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_INPUT_H
#define HEDDLE_LINEAR_INPUT_H

/*
 * An input: requests that clients make at the same time, and the set-up they
 * need, which is served one by one before. From a spec as it stands; or from a
 * script of sequential tests, whose requests are taken out in pairs (or more)
 * and made at the same time, after all that stood before them, as section 4.4
 * of the paper did by hand. A script has a request a line; an empty line begins
 * another test, from an empty server.
 */

#include "base/err.h"
#include "linear/linear_spec.h"

struct linear_input {
	char *name; /* "tests.txt:4,6", or of the spec */
	VEC(struct blob) setup;
	VEC(struct spec_request) requests; /* by client */
};

struct linear_inputs {
	VEC(struct linear_input) all;
	size_t repeated; /* that were left out, being known */
};

void linear_inputs_done(struct linear_inputs *inputs);

/* The input that the spec itself has, if it has one. */
void linear_inputs_add_spec(struct linear_inputs *inputs,
			    const struct linear_spec *s);

/* All sets of `size` requests of each test, in the order of the script. */
MUST_USE int linear_inputs_add_script(struct linear_inputs *inputs,
				      const struct linear_spec *s,
				      const char *text, const char *name,
				      uint32_t size, struct err *err);

/* Equal for inputs that ask the same. */
uint64_t linear_input_hash(const struct linear_input *input);

#endif
