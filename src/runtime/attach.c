/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/latch.h"
#include "runtime/pairs.h"
#include "runtime/parting.h"
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
bool recording;
struct region *region;

enum { ENV_MOST = 256 };

void guest_hide(void *at, size_t size)
{
	SYS_3(SYS_madvise, at, size, MADV_WIPEONFORK);
	SYS_3(SYS_madvise, at, size, MADV_DONTDUMP);
}

/* What guest_map has given. */
enum { RANGES = 1 << 12 };

static struct {
	uintptr_t low, size;
} ranges[RANGES];
static _Atomic uint32_t range_count;

static void range_add(uintptr_t low, size_t size)
{
	uint32_t n = atomic_fetch_add(&range_count, 1);

	if (n < RANGES) {
		ranges[n].low = low;
		ranges[n].size = size;
	}
}

bool guest_owns(uintptr_t addr)
{
	/* Where our module begins and ends, as the linker has it. */
	extern const char __ehdr_start[], _end[];
	uint32_t n = atomic_load(&range_count);

	if (addr >= (uintptr_t)__ehdr_start && addr < (uintptr_t)_end)
		return true;
	for (uint32_t i = 0; i < n && i < RANGES; i++)
		if (addr - ranges[i].low < ranges[i].size)
			return true;
	return false;
}

void guest_keep(bool is_kept)
{
	uint32_t n = atomic_load(&range_count);

	for (uint32_t i = 0; i < n && i < RANGES; i++)
		SYS_3(SYS_madvise, ranges[i].low, ranges[i].size,
		      is_kept ? MADV_KEEPONFORK : MADV_WIPEONFORK);
}

static void *pages_map(size_t size)
{
	long at = SYS_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	guest_hide((void *)at, size);
	range_add((uintptr_t)at, size);
	return (void *)at;
}

/* Where pieces come from: a run under control touches all it needs afresh, so
 * what it needs should lie on few pages, and these close together. Small pieces
 * come from the beginning, the last first, large ones from behind that. The
 * mapping is made in the server, and every run is born with it, empty. (It is
 * no more aligned than needed: so it is sorted among the small variables, whose
 * page is written to in any case.) */
static struct {
	struct latch latch;
	uintptr_t small, small_end; /* what is left of each */
	uintptr_t large, large_end;
} arena __attribute__((aligned(8)));

enum {
	ARENA = 64 << 20,
	ARENA_SMALL = 1 << 19,
	ARENA_LARGE = 1 << 14,	/* pieces from that size on */
	ARENA_PIECE = 40 << 20, /* larger ones are mapped by themselves */
	PAGE = 4096,
};

void guest_map_prepare(void)
{
	arena.small = (uintptr_t)pages_map(ARENA);
	if (!arena.small)
		return;
	arena.small_end = arena.large = arena.small + ARENA_SMALL;
	arena.large_end = arena.small + ARENA;
}

static void *small_take(size_t size)
{
	if (size > arena.small_end - arena.small)
		return NULL;
	arena.small_end -= size;
	return (void *)arena.small_end;
}

static void *large_take(size_t size)
{
	if (size > arena.large_end - arena.large)
		return NULL;
	arena.large += size;
	return (void *)(arena.large - size);
}

static void *arena_take(size_t size)
{
	void *at = NULL;

	latch_take(&arena.latch);
	if (size < ARENA_LARGE)
		at = small_take((size + 63) & -64UL);
	if (!at)
		at = large_take((size + PAGE - 1) & -(size_t)PAGE);
	latch_give(&arena.latch);
	return at;
}

void *guest_map(size_t size)
{
	void *at = NULL;

	if (arena.large_end && size <= ARENA_PIECE)
		at = arena_take(size);
	return at ? at : pages_map(size);
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

/* "<pid>:<path>" of this process: the path, else NULL. A debugger cannot know
 * the pid before: it says 0, and region_attach looks closer. */
static const char *trial_path(const char *value)
{
	long pid = 0;

	while (*value >= '0' && *value <= '9')
		pid = pid * 10 + (*value++ - '0');
	if (*value != ':' || (pid && pid != SYS_0(SYS_getpid)))
		return NULL;
	return value + 1;
}

/* Under a debugger the program may be started again and again. */
static bool is_debugged(const struct region *r)
{
	return r->mode == MODE_CONTROL && r->control.ask.flags & CONTROL_DEBUG;
}

static void region_renew(struct region *r)
{
	uint32_t before = atomic_load(&r->guest_pid);

	if (before && SYS_2(SYS_kill, before, 0) != -ESRCH)
		return;
	atomic_store(&r->guest_pid, 0);
	atomic_store(&r->module_count, 0);
	atomic_store(&r->thread_count, 0);
}

/* At the beginning of a page of page tables, so that a run needs fewer of
 * those. */
static long region_map(long fd)
{
	const long size = sizeof(struct region), table = 2 << 20;
	long room = SYS_6(SYS_mmap, 0, size + table, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long at = (room + table - 1) & -table;

	if (room < 0 && room > -4096)
		return room;
	if (at > room)
		SYS_2(SYS_munmap, room, at - room);
	if (room + table > at)
		SYS_2(SYS_munmap, at + ((size + 4095) & -4096L),
		      room + table - at);
	return SYS_6(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, fd, 0);
}

static struct region *region_attach(const char *path)
{
	struct region *r;
	uint32_t none = 0;
	long at, fd = SYS_3(SYS_open, path, O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return NULL;
	at = region_map(fd);
	SYS_1(SYS_close, fd);
	if (at < 0 && at > -4096)
		return NULL;
	r = (struct region *)at;
	if (r->magic != REGION_MAGIC || r->version != REGION_VERSION)
		return NULL;
	if (is_debugged(r))
		region_renew(r);
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
	if (region->mode != MODE_OBSERVE) {
		module_scan();
		control = &region->control;
		return;
	}
	if (region->flags & REGION_PAIRS ? !pairs_init() : !shadow_init()) {
		guest_note("the kernel does not give the recorder its address "
			   "space (ulimit -v?); nothing was recorded");
		return;
	}
	atomic_store(&region->stack_count, 1); /* the root */
	module_scan();
	recording = !(region->flags & REGION_PAIRS);
	life_first();
	if (!recording) {
		control_site_prepare();
		pairs_begin();
	}
	gate_open();
}

__attribute__((constructor(101))) static void attach(void)
{
	guest_init();
	if (control)
		parting_begin();
}

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
	guest_init();
}
