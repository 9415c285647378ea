/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CONTROL_PARTING_H
#define HEDDLE_CONTROL_PARTING_H

/* Adds a word to what the run tells of its end. */
void part(const char *word);

#endif
