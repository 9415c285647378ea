/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_QUOTE_H
#define HEDDLE_QUOTE_H

/*
 * Words as one would type them to a shell (bash, zsh): blanks and other signs
 * that mean something to it are quoted, and whatever a terminal would take for
 * a command is spelled out, since words may come from a stranger's repro.
 */

#include <stdbool.h>
#include <stdio.h>

void quote_word(const char *word, FILE *out);

/* Text of several lines: whatever a terminal would take for a command becomes a
 * question mark. NULL is left alone. */
void quote_clean(char *text);

/* Has it only one line, and none of that? */
bool quote_is_clean(const char *text);

#endif
