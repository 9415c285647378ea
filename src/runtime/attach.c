/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/latch.h"
#include "runtime/real.h"
#include "runtime/shadow.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

/*
 * The first thing that runs: is this process to be observed? HEDDLE_TRIAL says
 * so, and names the process, so that children of it (system, popen, a shell
 * script) are left alone. It is read from the kernel's copy of the environment,
 * because libc's may not be set up yet.
 */

bool gate;
struct region *region;

enum { ENV_MOST = 256 };

void guest_hide(void *at, size_t size)
{
	SYS_3(SYS_madvise, at, size, MADV_WIPEONFORK);
	SYS_3(SYS_madvise, at, size, MADV_DONTDUMP);
}

void *guest_map(size_t size)
{
	long at = SYS_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	guest_hide((void *)at, size);
	return (void *)at;
}

void guest_note(const char *text)
{
	static struct latch latch;
	uint32_t count;
	size_t n = 0;

	if (!region)
		return;
	latch_take(&latch);
	count = atomic_load(&region->note_count);
	for (uint32_t i = 0; i < count; i++) {
		const char *old = region->notes[i].text;

		for (n = 0; text[n] && old[n] == text[n]; n++)
			;
		if (!text[n] && !old[n])
			goto out;
	}
	if (count < REGION_NOTES) {
		char *to = region->notes[count].text;

		for (n = 0; text[n] && n + 1 < sizeof(region->notes[0].text);
		     n++)
			to[n] = text[n];
		to[n] = '\0';
		atomic_store(&region->note_count, count + 1);
	}
out:
	latch_give(&latch);
}

/* ---- HEDDLE_TRIAL ---- */

/* Finds NAME=value in the environment the process was started with. */
static bool env_find(const char *name, char *value, size_t room)
{
	char buf[4096];
	long got;
	long fd =
		SYS_3(SYS_open, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
	size_t matched = 0, length = 0;
	enum { START, MATCH, SKIP, VALUE } state = START;

	if (fd < 0)
		return false;
	while ((got = SYS_3(SYS_read, fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < got; i++) {
			char c = buf[i];

			if (state == START) {
				matched = 0;
				state = MATCH;
			}
			if (state == VALUE) {
				value[length] = c;
				if (!c || ++length == room)
					goto found;
			} else if (!c) {
				state = START;
			} else if (state == MATCH) {
				if (!name[matched] && c == '=')
					state = VALUE;
				else if (name[matched] == c)
					matched++;
				else
					state = SKIP;
			}
		}
	}
	if (state != VALUE) {
		SYS_1(SYS_close, fd);
		return false;
	}
found:
	SYS_1(SYS_close, fd);
	if (length >= room)
		return false;
	value[length] = '\0';
	return true;
}

/* "<pid>:<path>" of this process: the path, else NULL. */
static const char *trial_path(const char *value)
{
	long pid = 0;

	while (*value >= '0' && *value <= '9')
		pid = pid * 10 + (*value++ - '0');
	if (*value != ':' || pid != SYS_0(SYS_getpid))
		return NULL;
	return value + 1;
}

static struct region *region_attach(const char *path)
{
	struct region *r;
	uint32_t none = 0;
	long at, fd = SYS_3(SYS_open, path, O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return NULL;
	at = SYS_6(SYS_mmap, 0, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	SYS_1(SYS_close, fd);
	if (at < 0 && at > -4096)
		return NULL;
	r = (struct region *)at;
	if (r->magic != REGION_MAGIC || r->version != REGION_VERSION)
		return NULL;
	SYS_3(SYS_madvise, at, sizeof(*r), MADV_DONTDUMP);
	if (!atomic_compare_exchange_strong(&r->guest_pid, &none,
					    (uint32_t)SYS_0(SYS_getpid))) {
		/* The same process after exec: its threads and modules are
		 * others, and the region has no room for two programs. */
		region = r;
		guest_note("the program replaced itself by exec; only the "
			   "first program was recorded");
		region = NULL;
		return NULL;
	}
	return r;
}

void guest_init(void)
{
	static bool done;
	char value[ENV_MOST];
	const char *path;

	if (done)
		return;
	done = true;
	real_init();
	if (!env_find("HEDDLE_TRIAL", value, sizeof(value)))
		return;
	path = trial_path(value);
	if (!path)
		return;
	region = region_attach(path);
	if (!region)
		return;
	if (!shadow_init()) {
		guest_note("the kernel does not give the recorder its address "
			   "space (ulimit -v?); nothing was recorded");
		return;
	}
	atomic_store(&region->stack_count, 1); /* the root */
	module_scan();
	gate = true;
	life_adopt();
}

__attribute__((constructor(101))) static void attach(void)
{
	guest_init();
}

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
	guest_init();
}
