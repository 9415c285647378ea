/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin comes and goes. It is found by the library path of the program that
 * loads it, its constructor uses memory and starts a thread, and what takes its
 * place later has the same addresses.
 *
 * also: guest_plugin_a.so -shared -fPIC -DPLUGIN=1
 * also: guest_plugin_b.so -shared -fPIC -DPLUGIN=2
 * with: -Wl,-rpath,$ORIGIN -ldl
 */
#include "guest_check.h"

#include <dlfcn.h>
#include <pthread.h>

#ifdef PLUGIN

static int *made;

static void *make(void *unused)
{
	made = malloc(sizeof(*made));
	*made = PLUGIN;
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, make, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

__attribute__((destructor)) static void end(void)
{
	free(made);
}

int plugin_answer(int n);
int plugin_answer(int n)
{
	return n ? plugin_answer(n - 1) : *made;
}

#else

static void *ask(void *handle)
{
	int (*answer)(int);

	*(void **)&answer = dlsym(handle, "plugin_answer");
	CHECK(answer);
	return (void *)(long)answer(5);
}

static void use(const char *name, long wanted)
{
	void *handle = dlopen(name, RTLD_NOW);
	pthread_t thread;
	void *got;

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(handle);
	CHECK(ask(handle) == (void *)wanted);
	CHECK(pthread_create(&thread, NULL, ask, handle) == 0);
	CHECK(pthread_join(thread, &got) == 0 && got == (void *)wanted);
	CHECK(dlclose(handle) == 0);
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		use("guest_plugin_a.so", 1);
		use("guest_plugin_b.so", 2);
	}
	CHECK(!dlopen("guest_plugin_c.so", RTLD_NOW) && dlerror());
	return passed();
}

#endif
