/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/openmp.h"

#include "runtime/control.h"

static const char *const runtimes[] = { "libgomp.so", "libomp.so",
					"libiomp5.so" };

static const char *last_part(const char *path)
{
	const char *part = path;

	for (; *path; path++)
		if (*path == '/')
			part = path + 1;
	return part;
}

static bool begins_with(const char *text, const char *start)
{
	while (*start && *text == *start)
		text++, start++;
	return !*start;
}

static bool is_openmp(const struct region_module *m)
{
	const char *name = last_part(m->path);

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (begins_with(name, runtimes[i]))
			return true;
	return false;
}

void openmp_refuse(struct thread *t, uintptr_t pc)
{
	uint32_t count;

	/* A module that came since is looked for by this. */
	if (!module_site(pc))
		return;
	count = atomic_load(&region->module_count);
	for (uint32_t i = 0; i < count; i++) {
		const struct region_module *m = &region->modules[i];

		if (pc - m->base < m->size && is_openmp(m))
			control_fail(t, OUTCOME_UNCONTROLLED,
				     "OpenMP's threads cannot be controlled; "
				     "observe works",
				     pc);
	}
}
