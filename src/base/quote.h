/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_QUOTE_H
#define HEDDLE_QUOTE_H

/*
 * Words as one would type them to a shell (bash, zsh): blanks and other signs
 * that mean something to it are quoted, and whatever a terminal would take for
 * a command is spelled out, since words may come from a stranger's repro.
 */

#include <stdio.h>

void quote_word(const char *word, FILE *out);

#endif
