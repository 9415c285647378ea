/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"

#include "runtime/heap_control.h"
#include "runtime/real.h"

#include <limits.h>

/* One conversion: %-5.3ld. */
struct conversion {
	int precision; /* -1: none */
	char length;   /* of "hh" H, of "ll" and its like l, or as written; 0 */
	char what;
};

static bool is_among(char c, const char *set)
{
	return c && real.strchr(set, c);
}

/* A number, or one that is an argument. NULL: it names its argument. */
static const char *number_read(const char *at, int *number, va_list list)
{
	if (*at == '*') {
		*number = va_arg(list, int);
		at++;
	} else {
		for (*number = 0; *at >= '0' && *at <= '9'; at++)
			if (*number < INT_MAX / 16)
				*number = *number * 10 + (*at - '0');
	}
	return *at == '$' || (*at >= '0' && *at <= '9') ? NULL : at;
}

/* All that are as wide as long are taken for it. */
static const char *length_read(const char *at, char *length)
{
	*length = 0;
	if (at[0] == 'h' && at[1] == 'h') {
		*length = 'H';
		return at + 2;
	}
	if (*at == 'h' || *at == 'L') {
		*length = *at;
		return at + 1;
	}
	while (is_among(*at, "lqjzZt")) {
		*length = 'l';
		at++;
	}
	return at;
}

/* What follows the percent sign; NULL: it is none that we know. */
static const char *conversion_read(struct conversion *c, const char *at,
				   va_list list)
{
	int width;

	while (is_among(*at, "-+ #0'I"))
		at++;
	at = number_read(at, &width, list);
	c->precision = -1;
	if (at && *at == '.')
		at = number_read(at + 1, &c->precision, list);
	if (!at)
		return NULL;
	at = length_read(at, &c->length);
	c->what = *at;
	return *at ? at + 1 : NULL;
}

void print_look(const void *at, size_t size, uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	heap_control_lent(at, size, pc);
	if (t)
		control_lent(t, (uintptr_t)at, size, pc);
}

static void text_look(const char *s, size_t size, uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	heap_control_lent(s, size, pc);
	if (t)
		control_lent_text(t, (uintptr_t)s, size, pc);
}

void print_look_string(const char *s, uintptr_t pc)
{
	if (controlled && s)
		text_look(s, real.strlen(s) + 1, pc);
}

/* What is no pointer to anything is left to libc to stumble over. */
static void string_look(const char *s, int most, uintptr_t pc)
{
	size_t n;

	if (most < 0) {
		print_look_string(s, pc);
		return;
	}
	n = s ? real.strnlen(s, (size_t)most) : 0;
	text_look(s, n < (size_t)most ? n + 1 : n, pc);
}

static size_t number_size(char length)
{
	switch (length) {
	case 'H':
		return sizeof(char);
	case 'h':
		return sizeof(short);
	case 'l':
		return sizeof(long);
	default:
		return sizeof(int);
	}
}

static void fraction_skip(bool is_long, va_list list)
{
	long double number = is_long ? va_arg(list, long double) :
				       va_arg(list, double);

	(void)number;
}

/* Takes the argument; false: we do not know how. All integers and pointers take
 * the same room. */
static bool argument_look(const struct conversion *c, va_list list,
			  uintptr_t pc)
{
	if (c->what == '%' || c->what == 'm')
		return true;
	if (is_among(c->what, "eEfFgGaA"))
		fraction_skip(c->length == 'L', list);
	else if (c->what == 's' && !c->length)
		string_look(va_arg(list, const char *), c->precision, pc);
	else if (c->what == 'n')
		heap_control_lent(va_arg(list, void *), number_size(c->length),
				  pc);
	else if (is_among(c->what, "diouxXcCpsS"))
		(void)va_arg(list, void *);
	else
		return false;
	return true;
}

void format_look(const char *format, va_list list, uintptr_t pc)
{
	struct conversion c;
	const char *at = format;

	heap_control_lent_string(format, pc);
	while (at && *(at = real.strchrnul(at, '%'))) {
		at = conversion_read(&c, at + 1, list);
		if (at && !argument_look(&c, list, pc))
			return;
	}
}
