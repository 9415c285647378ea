/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel loop of OpenMP.
 *
 * expect: unknown, in one sentence
 */
#include <stdio.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	return sum == 45 ? 0 : 1;
}
