/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/apiece.h"

struct apiece *apiece;

bool apiece_prepare(void)
{
	if (!apiece)
		apiece = guest_map(REGION_THREADS * sizeof(*apiece));
	return apiece;
}
