/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/regress_inner.h"

int regress_maple(struct regress *r, struct err *err)
{
	(void)r;
	return err_set(err, "not yet");
}
