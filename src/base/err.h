/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ERR_H
#define HEDDLE_ERR_H

/*
 * How failure travels. A function that can fail for a reason outside this
 * program (the user, the machine) returns -1 or NULL and has described it, in
 * one sentence that names the thing and the remedy, in the struct err it was
 * given as its last parameter. Callers may put words in front. main prints it,
 * once. On success an err is untouched.
 *
 * Our own mistakes are not errors: CHECK aborts.
 */

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

struct err {
	char text[1024];
};

/* Always return -1, so that one can write: return err_set(err, ...); */
int err_set(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Puts "words: " in front of what err says. */
int err_add(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

_Noreturn void check_failed(const char *file, int line, const char *condition);

#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))

#endif
