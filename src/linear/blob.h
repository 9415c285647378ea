/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BLOB_H
#define HEDDLE_BLOB_H

/*
 * Bytes with their number: requests, replies, elements. A zero byte stands
 * behind them, which is not counted. Whoever holds a blob owns its bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct blob {
	char *at;
	size_t size;
};

struct blob blob_make(const void *bytes, size_t size);
struct blob blob_text(const char *text);
struct blob blob_copy(struct blob b);
void blob_append(struct blob *b, const void *bytes, size_t size);
void blob_done(struct blob *b);

bool blob_is_equal(struct blob a, struct blob b);

/* By size first; for sorting. */
int blob_order(struct blob a, struct blob b);

uint64_t blob_hash(struct blob b);

/* The bytes of text in which \r, \n, \t, \\ and \xHH stand for others. NULL in
 * `at` when it is not well formed. */
struct blob blob_unescape(const char *text);

/* The other way, for people; at most so many bytes (0: all). The caller
 * frees. */
char *blob_escape(struct blob b, size_t most);

#endif
