/* SPDX-License-Identifier: Apache-2.0 */
/* Row 8 of LOCON's Table 1, Rx Wy / Wx Ry: a user looks whether a device is
 * closing and then counts itself; who closes it says so and then looks whether
 * it has users. -DFIXED does either under a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct device {
	_Atomic int is_closing;
	_Atomic int users;
	int *registers;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device device;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#else
	(void)lock;
#endif
}

static void *user(void *arg)
{
	for (int i = 0; i < 2; i++) {
		enter();
		if (atomic_load(&device.is_closing)) {
			leave();
			break;
		}
		atomic_fetch_add(&device.users, 1);
		leave();
		*(int *)arg += device.registers[0];
		atomic_fetch_sub(&device.users, 1);
	}
	return NULL;
}

static void *closer(void *arg)
{
	int users;

	enter();
	atomic_store(&device.is_closing, 1);
	users = atomic_load(&device.users);
	leave();
	if (!users) {
		free(device.registers);
		device.registers = NULL;
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum = 0;

	device.registers = calloc(4, sizeof(int));
	pthread_create(&a, NULL, user, &sum);
	pthread_create(&b, NULL, closer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(device.registers);
	return 0;
}
