/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VERDICT_H
#define HEDDLE_VERDICT_H

/*
 * How a run or a verb ended; verdict.def has the table. The value is the exit
 * status of the tool. FAILED is the tool's, never a program's.
 */

enum exit_status {
#define EXIT(name, status, text, meaning) EXIT_##name = (status),
#include "format/verdict.def"
#undef EXIT
};

static inline const char *verdict_text(enum exit_status status)
{
	switch (status) {
#define EXIT(name, status, text, meaning)                                      \
	case EXIT_##name:                                                      \
		return text;
#include "format/verdict.def"
#undef EXIT
	}
	return "?";
}

#endif
