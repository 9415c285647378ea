/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STAGE_H
#define HEDDLE_STAGE_H

/*
 * The directory a server runs in. Before each run it is made what it was before
 * the first: files that were there have their old contents (in place, for the
 * server may have them open already), others are gone.
 */

#include "base/err.h"
#include "base/vec.h"
#include "linear/blob.h"
#include "linear/component.h"
#include "linear/linear_spec.h"

struct stage_file {
	char *path; /* below the directory */
	struct blob content;
	unsigned int mode;
};

struct stage {
	char *base;	 /* holds the socket as well */
	char *directory; /* where it runs */
	VEC(struct stage_file) files;
	bool is_kept;
};

/* An empty directory with copies of the spec's input files. */
MUST_USE int stage_init(struct stage *s, const struct linear_spec *spec,
			struct err *err);
void stage_done(struct stage *s);

/* The first time: remembers what is there. Later: makes it so again. */
void stage_reset(struct stage *s);

/* The files of the spec, as components. */
void stage_look(const struct stage *s, const struct linear_spec *spec,
		struct components *state);

#endif
