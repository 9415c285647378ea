/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOG_H
#define HEDDLE_LOG_H

/*
 * Conversation on standard error. The room a line comes from is the directory
 * of its source file, so nothing has to be registered:
 *
 *	HEDDLE_LOG=warn,trial:debug
 *
 * Default is warn; -v makes it info. Any thread may log; a line is written in
 * one go.
 */

#include "base/err.h"

#include <stdbool.h>

enum log_level {
	LOG_NONE,
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

#define log_error(...) log_write(LOG_ERROR, __FILE__, __VA_ARGS__)
#define log_warn(...) log_write(LOG_WARN, __FILE__, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __FILE__, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __FILE__, __VA_ARGS__)

void log_write(enum log_level level, const char *file, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Takes a text like that of HEDDLE_LOG; NULL is the default. The text must
 * live on. */
MUST_USE int log_setup(const char *text, struct err *err);

/* At least info, whatever log_setup said. */
void log_more(void);

bool log_is_on(enum log_level level, const char *file);

#endif
