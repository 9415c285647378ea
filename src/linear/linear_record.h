/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_RECORD_H
#define HEDDLE_LINEAR_RECORD_H

/*
 * A case on disk: what was seen, serially and concurrently, without any
 * judgement, as JSON (docs/formats.md). A campaign that is interrupted goes on
 * from there, and one whose spec got another rule judges it anew.
 *
 * Bytes are written as text in which each byte is a character (Latin-1).
 */

#include "linear/linear_case.h"

/* Writes aside and renames, so a record is whole or not there. */
MUST_USE int linear_record_save(const struct linear_case *c, const char *path,
				struct err *err);

/* 1: read; 0: there is none, or it is damaged, and is made anew. */
int linear_record_load(struct linear_case *c, const char *path);

/* The same for one text; -1: it is no record. */
int linear_record_read(struct linear_case *c, const char *text, size_t size);

#endif
