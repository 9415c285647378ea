/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INSTALL_H
#define HEDDLE_INSTALL_H

/*
 * Where the parts of heddle lie, seen from the running tool: beside it in a
 * build directory, below ../lib/heddle (and ../include) in an installed tree.
 * Nothing is compiled in, so a tree can be moved.
 */

#include "base/err.h"

/* The directory of the running tool, links resolved. The caller frees. */
MUST_USE char *install_directory(struct err *err);

/* The path of a part: "libheddle.so", "gcc/libtsan.so". The caller frees. */
MUST_USE char *install_find(const char *part, struct err *err);

#endif
