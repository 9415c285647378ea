/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRANGER_H
#define HEDDLE_STRANGER_H

/*
 * A repro may come from anybody: in an archive, in a repository. Before it is
 * read, everything in its directory is looked at without following anything:
 * there may be files and directories. A link would lead out of it, to what is
 * not the stranger's to show or, when the repro is shrunk, to overwrite; a pipe
 * would make the reader wait for ever.
 */

#include "base/err.h"

/* 0: the directory holds nothing but files and directories. */
MUST_USE int stranger_is_plain(const char *directory, struct err *err);

#endif
