/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BIND_H
#define HEDDLE_BIND_H

/*
 * Functions of libraries are bound when they are first called. In a run that
 * would be the first call each time, for every run is a fresh copy of the
 * server; so the server binds them before.
 *
 * What is bound is what the dynamic linker would find: a symbol of that name
 * and version, in the scope that all modules share. Where that is not certain
 * (no version, a scope of its own, a stub, nothing found) it is left to the
 * linker.
 */

#pragma GCC visibility push(hidden)

void bind_all(void);

#pragma GCC visibility pop

#endif
