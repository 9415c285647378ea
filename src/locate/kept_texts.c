/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/kept_texts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec :
					a->tv_nsec < b->tv_nsec;
}

/* Some files of a failure are written anew when it is shrunk, or was run again:
 * the oldest one tells when it was kept. False: nobody knows. */
static bool kept_at(const struct repro *r, struct timespec *when)
{
	static const char *const files[] = { "repro", "plan", "verdict",
					     "output" };
	bool any = false;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = xasprintf("%s/%s", r->path, files[i]);
		struct stat s;

		if (stat(path, &s) == 0 &&
		    (!any || is_before(&s.st_mtim, when))) {
			*when = s.st_mtim;
			any = true;
		}
		free(path);
	}
	return any;
}

static bool is_edited(const struct timespec *kept, const char *path)
{
	struct stat s;

	return path && stat(path, &s) == 0 && is_before(kept, &s.st_mtim);
}

/* "pay (till.c:6)", as plans have it. */
static const char *text_in(const struct plan *plan, const char *where)
{
	for (size_t i = 0; where && i < plan->steps.count; i++) {
		const struct plan_step *s = &plan->steps.at[i];

		if (s->where && s->source && strcmp(s->where, where) == 0)
			return s->source;
	}
	return NULL;
}

static void access_tell(struct located *l, struct located_access *a,
			const struct repro *r, const struct timespec *kept)
{
	const char *text;

	if (!is_edited(kept, a->file))
		return;
	l->is_edited = true;
	text = text_in(r->plan, a->where);
	free(a->source);
	a->source = text ? xstrdup(text) : NULL;
}

static void pair_tell(struct located *l, struct located_pair *p,
		      const struct repro *r, const struct timespec *kept)
{
	access_tell(l, &p->head, r, kept);
	access_tell(l, &p->tail, r, kept);
}

void kept_texts_tell(struct located *l, const struct repro *r)
{
	struct timespec kept = { 0 };

	if (!kept_at(r, &kept))
		return;
	for (size_t i = 0; i < l->suspects.count; i++) {
		struct located_suspect *s = &l->suspects.at[i];

		for (uint32_t k = 0; k < s->count; k++)
			pair_tell(l, &s->pairs[k], r, &kept);
		if (s->has_other)
			pair_tell(l, &s->other, r, &kept);
	}
}
