/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/latch.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>

/*
 * Modules: which addresses of code belong to which file. New ones are looked
 * for when an address is met that belongs to none, so dlopen needs no wrapper;
 * it could not have one, for it searches the library path of whoever called
 * it. dlclose has one: what was unloaded must not answer for what is loaded in
 * its place.
 *
 * The dynamic linker is asked by dl_iterate_phdr, which holds a lock of its
 * own for a moment. It may be taken again by the thread that has it, and code
 * of the program is never run under it; so asking is safe inside a constructor
 * of a module being loaded, and in a handler of a signal.
 *
 * `spans` are the modules that are there now, sorted, for lookups by any
 * thread at any time: a writer makes `version` odd while it works, and a reader
 * who saw it change looks again.
 */

struct span {
	uintptr_t low, high;
	uint32_t site;
};

static struct {
	struct latch latch;
	_Atomic uint32_t version;
	uint32_t count;
	struct span spans[REGION_MODULES];
	unsigned long long adds, subs; /* as the dynamic linker counts */
	uint32_t next_site;
} modules = { .next_site = 1 };

/* ---- what a module says of itself ---- */

/* A module in memory, by its program headers. */
struct image {
	uintptr_t bias;
	const ElfW(Phdr) * headers;
	unsigned int count;
	uintptr_t low, high;
};

static void image_measure(struct image *m)
{
	m->low = UINTPTR_MAX;
	m->high = 0;
	for (unsigned int i = 0; i < m->count; i++) {
		const ElfW(Phdr) *h = &m->headers[i];
		uintptr_t from = m->bias + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		if (from < m->low)
			m->low = from;
		if (from + h->p_memsz > m->high)
			m->high = from + h->p_memsz;
	}
}

static bool has_bytes(const char *p, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != bytes[i])
			return false;
	return true;
}

static void note_read(const char *p, const char *end, struct region_module *to)
{
	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)p;
		const char *name = p + sizeof(*n);
		const char *id = name + ((n->n_namesz + 3) & ~3U);

		p = id + ((n->n_descsz + 3) & ~3U);
		if (n->n_type != NT_GNU_BUILD_ID || n->n_namesz != 4 ||
		    !has_bytes(name, "GNU", 4) || p > end ||
		    n->n_descsz > sizeof(to->build_id))
			continue;
		for (uint32_t i = 0; i < n->n_descsz; i++)
			to->build_id[i] = (uint8_t)id[i];
		to->build_id_size = (uint8_t)n->n_descsz;
	}
}

/* How many symbols there are. The newer table counts those that come before
 * its own, which are in chains that end with an odd word. */
static size_t symbol_count(const uint32_t *gnu_hash, const uint32_t *hash)
{
	const uint32_t *buckets, *chains;
	size_t last = 0;

	if (!gnu_hash)
		return hash ? hash[1] : 0;
	buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
	chains = buckets + gnu_hash[0];
	for (uint32_t i = 0; i < gnu_hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < gnu_hash[1])
		return gnu_hash[1];
	while (!(chains[last - gnu_hash[1]] & 1))
		last++;
	return last + 1;
}

/* The dynamic linker has added the bias to pointers already, but not where the
 * section is read-only. */
static const void *dynamic_pointer(const struct image *m, ElfW(Addr) value)
{
	return (const void *)(value < m->low ? value + m->bias : value);
}

bool module_wants_ready;

/* What the image wants of others: does it call our hooks? */
static bool image_calls_hooks(const struct image *m, const ElfW(Dyn) * d)
{
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	const uint32_t *gnu_hash = NULL, *hash = NULL;
	size_t count;
	bool calls = false;

	for (; d->d_tag != DT_NULL; d++) {
		const void *p = dynamic_pointer(m, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			symbols = p;
		else if (d->d_tag == DT_STRTAB)
			names = p;
		else if (d->d_tag == DT_GNU_HASH)
			gnu_hash = p;
		else if (d->d_tag == DT_HASH)
			hash = p;
	}
	if (!symbols || !names)
		return false;
	count = symbol_count(gnu_hash, hash);
	for (size_t i = 1; i < count; i++) {
		const char *name = names + symbols[i].st_name;

		if (symbols[i].st_shndx != SHN_UNDEF)
			continue;
		calls |= has_bytes(name, "__tsan_", 7);
		module_wants_ready |= has_bytes(name, "heddle_on_ready", 16);
	}
	return calls;
}

static void image_read(const struct image *m, struct region_module *to)
{
	for (unsigned int i = 0; i < m->count; i++) {
		const ElfW(Phdr) *h = &m->headers[i];
		const char *p = (const char *)(m->bias + h->p_vaddr);

		if (h->p_type == PT_NOTE)
			note_read(p, p + h->p_memsz, to);
		else if (h->p_type == PT_DYNAMIC)
			to->instrumented =
				image_calls_hooks(m, (const ElfW(Dyn) *)p);
	}
}

/* ---- names ---- */

static size_t path_put(char *path, size_t at, const char *text)
{
	while (*text && at + 1 < REGION_PATH)
		path[at++] = *text++;
	path[at] = '\0';
	return at;
}

/* The main program has no name here, and a library loaded by a relative path
 * has that: the tool would look in another directory. */
static void path_fill(char *path, const char *name)
{
	long n = 0;

	if (!*name) {
		n = SYS_3(SYS_readlink, "/proc/self/exe", path,
			  REGION_PATH - 1);
		path[n > 0 ? n : 0] = '\0';
		return;
	}
	if (*name != '/') {
		n = SYS_2(SYS_getcwd, path, REGION_PATH - 2);
		n = n > 0 ? (long)path_put(path, (size_t)n - 1, "/") : 0;
	}
	path_put(path, (size_t)n, name);
}

/* ---- the table ---- */

static bool same_module(const struct region_module *a,
			const struct region_module *b)
{
	size_t i = 0;

	while (a->path[i] && a->path[i] == b->path[i])
		i++;
	return a->path[i] == b->path[i] && a->base == b->base &&
	       a->size == b->size && a->build_id_size == b->build_id_size &&
	       has_bytes((const char *)a->build_id, (const char *)b->build_id,
			 a->build_id_size);
}

/* Gives the site of a module: that of its last time, when it was unloaded and
 * is back, else a new one. 0 when there is no room. */
static uint32_t module_place(struct region_module *m)
{
	uint32_t count = atomic_load(&region->module_count);

	for (uint32_t i = 0; i < count; i++)
		if (same_module(&region->modules[i], m))
			return region->modules[i].site;
	if (count == REGION_MODULES ||
	    modules.next_site > UINT32_MAX - m->size) {
		guest_note("more modules than can be told apart; places in "
			   "later ones are unknown");
		return 0;
	}
	m->site = modules.next_site;
	modules.next_site += m->size;
	region->modules[count] = *m;
	/* Pairs with the acquire of the tool: filled first, then counted. */
	atomic_store_explicit(&region->module_count, count + 1,
			      memory_order_release);
	return m->site;
}

static void span_insert(struct span s)
{
	uint32_t at = modules.count;

	if (at == REGION_MODULES)
		return;
	while (at && modules.spans[at - 1].low > s.low) {
		modules.spans[at] = modules.spans[at - 1];
		at--;
	}
	modules.spans[at] = s;
	modules.count++;
}

static void module_add(const struct dl_phdr_info *info)
{
	/* Too large for the stack of a thread that comes here by a hook. */
	static struct region_module found;
	struct image m = { .bias = info->dlpi_addr,
			   .headers = info->dlpi_phdr,
			   .count = info->dlpi_phnum };
	uint32_t site;

	image_measure(&m);
	if (m.high <= m.low || m.high - m.low > UINT32_MAX)
		return;
	found = (struct region_module){ .base = m.low,
					.bias = m.bias,
					.size = (uint32_t)(m.high - m.low) };
	path_fill(found.path, info->dlpi_name);
	image_read(&m, &found);
	if (found.instrumented)
		atomic_store(&region->instrumented, 1);
	site = module_place(&found);
	if (site)
		span_insert((struct span){ m.low, m.high, site });
}

static bool is_vdso(const struct dl_phdr_info *info)
{
	static const char name[] = "linux-vdso.so";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (info->dlpi_name[i] != name[i])
			return false;
	return true;
}

struct look {
	bool begun;
};

/* Locks are always taken in this order, the dynamic linker's first: the program
 * may hold that one (in a callback of its own) when a hook brings it here. */
static void look_begin(struct look *look, const struct dl_phdr_info *info)
{
	latch_take(&modules.latch);
	look->begun = true;
	modules.adds = info->dlpi_adds;
	modules.subs = info->dlpi_subs;
	/* Pairs with the loads in span_find. */
	atomic_fetch_add(&modules.version, 1);
	modules.count = 0;
}

static void look_end(const struct look *look)
{
	if (!look->begun)
		return;
	atomic_fetch_add(&modules.version, 1);
	latch_give(&modules.latch);
}

/* Stops at the first module when nothing was loaded or unloaded since. */
static int module_meet(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;

	(void)size;
	if (!look->begun) {
		if (modules.count && info->dlpi_adds == modules.adds &&
		    info->dlpi_subs == modules.subs)
			return 1;
		look_begin(look, info);
	}
	if (!is_vdso(info))
		module_add(info);
	return 0;
}

void module_scan(void)
{
	struct look look = { 0 };
	int kept = errno;

	dl_iterate_phdr(module_meet, &look);
	look_end(&look);
	errno = kept;
}

/* ---- lookup ---- */

static uint32_t span_search(uintptr_t pc)
{
	uint32_t low = 0, high = modules.count;

	if (high > REGION_MODULES)
		return 0;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (modules.spans[middle].high <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < modules.count && low < REGION_MODULES &&
	    pc >= modules.spans[low].low)
		return modules.spans[low].site +
		       (uint32_t)(pc - modules.spans[low].low);
	return 0;
}

static uint32_t span_find(uintptr_t pc)
{
	/* A writer takes microseconds; but a thread that crashed in the middle
	 * and asks from its handler must not wait for itself. */
	enum { PATIENCE = 1 << 16 };

	for (int i = 0; i < PATIENCE; i++) {
		uint32_t before = atomic_load_explicit(&modules.version,
						       memory_order_acquire);
		uint32_t site = span_search(pc);

		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) &&
		    before == atomic_load_explicit(&modules.version,
						   memory_order_relaxed))
			return site;
		__builtin_ia32_pause();
	}
	return 0;
}

uint32_t module_site(uintptr_t pc)
{
	uint32_t site = span_find(pc);

	if (likely(site))
		return site;
	module_scan();
	return span_find(pc);
}

bool module_is_instrumented(uintptr_t pc)
{
	uint32_t count = atomic_load(&region->module_count);

	for (uint32_t i = 0; i < count; i++) {
		const struct region_module *m = &region->modules[i];

		if (pc - m->base < m->size)
			return m->instrumented;
	}
	return false;
}

/* Both are made by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

bool module_is_guest(uintptr_t pc)
{
	return pc >= (uintptr_t)__ehdr_start && pc < (uintptr_t)etext;
}

EXPORT int dlclose(void *handle)
{
	int rc = real.dlclose(handle);
	struct thread *t = guest_self();

	if (t) {
		guest_enter(t);
		module_scan();
		guest_leave(t);
	}
	return rc;
}
