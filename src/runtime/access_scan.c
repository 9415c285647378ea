/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"

#include "runtime/heap_control.h"
#include "runtime/real.h"

/*
 * What a format has made scanf write. Only so many of its conversions have been
 * assigned as the result says; the others have left memory alone.
 */

/* One conversion: %5ld, %*d, %[a-z]. */
struct conversion {
	bool is_dropped; /* nothing is assigned */
	bool is_made;	 /* %ms: into a new block, which is libc's doing */
	bool is_wide;	 /* %ls, %lc */
	size_t width;	 /* 0: none */
	size_t size;	 /* of an integer */
	size_t real;	 /* of a number with a point */
	char what;
};

static const char *width_read(const char *at, size_t *width)
{
	for (; *at >= '0' && *at <= '9'; at++)
		if (*width < SIZE_MAX / 16)
			*width = *width * 10 + (size_t)(*at - '0');
	return at;
}

static const char *length_read(const char *at, struct conversion *c)
{
	c->size = sizeof(int);
	c->real = sizeof(float);
	if (at[0] == 'h' && at[1] == 'h') {
		c->size = sizeof(char);
		return at + 2;
	}
	if (*at == 'h') {
		c->size = sizeof(short);
		return at + 1;
	}
	for (; *at && real.strchr("lqjztL", *at); at++) {
		c->size = sizeof(long);
		c->real = *at == 'L' ? sizeof(long double) : sizeof(double);
		c->is_wide = true;
	}
	return at;
}

/* Behind the bracket that ends a set; NULL: none does. */
static const char *set_skip(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	at = real.strchr(at, ']');
	return at ? at + 1 : NULL;
}

/* What follows the percent sign; NULL: it is none that we know. */
static const char *conversion_read(struct conversion *c, const char *at)
{
	*c = (struct conversion){ .is_dropped = *at == '*' };
	at = width_read(at + c->is_dropped, &c->width);
	c->is_made = *at == 'm';
	at = length_read(at + c->is_made, c);
	c->what = *at;
	if (!*at || !real.strchr("%diouxXpneEfFgGaAcs[", *at))
		return NULL;
	return *at == '[' ? set_skip(at + 1) : at + 1;
}

static void assigned_look(const struct conversion *c, const void *to,
			  uintptr_t pc)
{
	bool is_text = real.strchr("cs[", c->what);

	if (is_text && (c->is_made || c->is_wide))
		return;
	if (c->what == 'c')
		heap_control_lent(to, c->width ? c->width : 1, pc);
	else if (is_text)
		heap_control_lent_string(to, pc);
	else if (c->what == 'p')
		heap_control_lent(to, sizeof(void *), pc);
	else
		heap_control_lent(
			to, real.strchr("diouxXn", c->what) ? c->size : c->real,
			pc);
}

void scan_look(const char *format, va_list list, int assigned, uintptr_t pc)
{
	const char *at = format;
	struct conversion c;

	while (assigned > 0 && *(at = real.strchrnul(at, '%'))) {
		at = conversion_read(&c, at + 1);
		if (!at)
			return;
		if (c.is_dropped || c.what == '%')
			continue;
		assigned_look(&c, va_arg(list, void *), pc);
		assigned -= c.what != 'n';
	}
}
