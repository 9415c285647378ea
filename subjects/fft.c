/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fast Fourier transform: processes share the butterflies of each stage and
 * meet between stages. After the last one each sums up the energy of its part
 * of the spectrum, main adds the sums and compares with the energy of the
 * signal.
 *
 * bug:      CTrigger Table 2, FFT; LOCON Table 3, FFT
 * kind:     order violation through a wrong macro (LOCON row 2: R W)
 * threads:  main and 2 processes
 * failure:  wrong result (exit status 1)
 * accesses: read of energy[last] by main, write of it by the last process
 * natively: in some of ten runs where processors are few, else rare
 * twins:    -DFIXED repairs WAIT_FOR_END, see wait_macros.h
 * sizes:    logarithm of the number of points
 */
#include <math.h>
#include <string.h>

#include "wait_macros.h"

#define PROCESSES 3

static double *real, *imaginary;
static double *cosines, *sines;
static double energy[PROCESSES];
static int points;
static int stages;

static double *vector_new(int size)
{
	double *vector = calloc((size_t)size, sizeof(double));

	if (!vector)
		exit(2);
	return vector;
}

static unsigned reversed(unsigned index)
{
	unsigned result = 0;

	for (int bit = 0; bit < stages; bit++)
		result |= ((index >> bit) & 1) << (stages - 1 - bit);
	return result;
}

/* A few waves on top of each other, in the order that the stages need. */
static double signal_make(void)
{
	double sum = 0;

	real = vector_new(points);
	imaginary = vector_new(points);
	for (int i = 0; i < points; i++) {
		double value = sin(0.7 * i) + 0.25 * cos(2.1 * i) + 0.1;

		real[reversed((unsigned)i)] = value;
		sum += value * value;
	}
	return sum;
}

static void twiddles_make(void)
{
	cosines = vector_new(points);
	sines = vector_new(points);
	for (int i = 0; i < points; i++) {
		cosines[i] = cos(-2 * M_PI * i / points);
		sines[i] = sin(-2 * M_PI * i / points);
	}
}

static void butterfly(int stage, int number)
{
	int half = 1 << stage, at = number % half;
	int low = (number / half) * 2 * half + at, high = low + half;
	int twiddle = at * (points / (2 * half));
	double re = real[high] * cosines[twiddle] -
		    imaginary[high] * sines[twiddle];
	double im = real[high] * sines[twiddle] +
		    imaginary[high] * cosines[twiddle];

	real[high] = real[low] - re;
	imaginary[high] = imaginary[low] - im;
	real[low] += re;
	imaginary[low] += im;
}

static void energy_sum(int process)
{
	double sum = 0;

	for (int i = process; i < points; i += PROCESSES)
		sum += real[i] * real[i] + imaginary[i] * imaginary[i];
	energy[process] = sum;
}

static void *slave_start(void *arg)
{
	int process = *(int *)arg;

	for (int stage = 0; stage < stages; stage++) {
		for (int i = process; i < points / 2; i += PROCESSES)
			butterfly(stage, i);
		BARRIER();
	}
	energy_sum(process);
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[PROCESSES] = { 0 };
	double signal, spectrum = 0;

	stages = subject_size(argc, argv, 1, 3);
	points = 1 << stages;
	signal = signal_make();
	twiddles_make();
	MAIN_INITENV(PROCESSES);
	for (int i = 1; i < PROCESSES; i++) {
		numbers[i] = i;
		CREATE(slave_start, &numbers[i]);
	}
	slave_start(&numbers[0]);
	/* Timing and statistics of the kernel. */
	subject_work(1, 200000);
	WAIT_FOR_END(PROCESSES - 1);
	for (int i = 0; i < PROCESSES; i++)
		spectrum += energy[i];
	if (fabs(spectrum / points - signal) > 1e-9 * signal)
		subject_wrong("energy %f of the spectrum, %f of the signal",
			      spectrum / points, signal);
	printf("%d points, energy %.6f\n", points, signal);
	return 0;
}
