/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/locate_briefly.h"

#include "store/again.h"

enum { PASSING = 30 };

bool can_locate(const struct repro *r)
{
	if ((again_kind && again_kind->is(r)) || r->is_exec)
		return false;
	switch (r->outcome) {
	case OUTCOME_ASSERTION:
	case OUTCOME_ABORT:
	case OUTCOME_SIGNAL:
	case OUTCOME_EXIT:
	case OUTCOME_USE_AFTER_FREE:
	case OUTCOME_BEYOND_BLOCK:
	case OUTCOME_DOUBLE_FREE:
	case OUTCOME_INVALID_FREE:
		return true;
	default:
		return false;
	}
}

int locate_briefly(const char *store, const char *name, uint64_t ms,
		   bool allows_check, struct located *l, struct err *err)
{
	struct locate_options o = locate_defaults;

	o.gather.most = PASSING;
	o.gather.native = 0;
	o.gather.delayed = 0;
	o.gather.time_ms = ms / 2;
	o.time_ms = ms;
	o.allows_check = allows_check;
	return locate_repro(store, name, &o, NULL, l, err);
}
