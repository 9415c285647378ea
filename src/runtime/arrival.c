/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/arrival.h"

/* A ring, in which every trampoline takes a place of its own. */

enum { ARRIVALS = 256 };

static struct arrival ring[ARRIVALS];
static _Atomic uint32_t places;
static uint32_t oldest; /* everything before it was taken */

void arrival_put(uint32_t thread, const siginfo_t *info)
{
	struct arrival *a = &ring[atomic_fetch_add(&places, 1) % ARRIVALS];

	if (atomic_load(&a->is_there))
		return;
	a->thread = thread;
	a->info = *info;
	/* Pairs with the load in arrival_take. */
	atomic_store(&a->is_there, 1);
}

bool arrival_take(int signal, struct arrival *taken)
{
	for (uint32_t i = 0; i < ARRIVALS; i++) {
		struct arrival *a = &ring[(oldest + i) % ARRIVALS];

		if (!atomic_load(&a->is_there) ||
		    (signal && a->info.si_signo != signal))
			continue;
		taken->thread = a->thread;
		taken->info = a->info;
		atomic_store(&a->is_there, 0);
		if (!signal)
			oldest += i + 1;
		return true;
	}
	return false;
}
