/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers of a program and of its library, which tell that they ran, and a
 * stream that is written when all is over.
 *
 * expect: held; each run tells of all of them, in order
 */
#include <stdio.h>
#include <stdlib.h>

#include "control_parting.h"

static void handle(void)
{
	part("\nprogram");
}

int main(void)
{
	atexit(handle);
	printf("not yet");
	return 0;
}
