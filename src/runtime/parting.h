/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PARTING_H
#define HEDDLE_PARTING_H

/*
 * The last thing that exit does for a program is to let the linker call the
 * destructors of all modules. Nearly no module has any: there is one function,
 * which every compiler puts into every module, and all it does is to look for
 * handlers that exit has run already. Coming by there writes to seven pages,
 * and that is a twentieth of a short run.
 *
 * So the modules are looked at first. If none has anything but that function,
 * which is recognised by its instructions, a run under control does without the
 * linker's last visit; if one has, everything is as ever. Handlers that modules
 * have registered run in any case, and in the same order; what the guest itself
 * does at the end comes after all of them.
 */

#pragma GCC visibility push(hidden)

/* Under control, in the guest's constructor, which is the first of all. */
void parting_begin(void);

/* Under control, before the first run: what is looked at is mapped then. */
void parting_prepare(void);

/* What libc is to call in place of the linker's function. */
typedef void parting_function(void);
parting_function *parting_instead(parting_function *linkers);

#pragma GCC visibility pop

#endif
