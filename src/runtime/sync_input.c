/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/heap_control.h"
#include "runtime/model_stdio.h"
#include "runtime/real.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Reading by stdio from what may have to be waited for: a pipe, a socket. The
 * real functions read inside libc, where nobody can let others go on. So what
 * they do is done here, byte by byte out of the stream's buffer; when that is
 * empty the descriptor is waited for first, and then libc fills it without
 * waiting. As in libc the stream is locked all the while.
 *
 * Streams over files, and everything that is not under control, are left to
 * the real functions.
 */

/* ---- one call ---- */

struct input {
	struct stream_use use;
	FILE *stream;
	bool is_waited; /* we do the work, and have locked it */
	uintptr_t pc;
};

static bool may_wait(const FILE *stream)
{
	enum descriptor_sort sort;

	if (stream->_fileno < 0)
		return false;
	sort = descriptor_sort(stream->_fileno);
	return sort != DESCRIPTOR_FILE && sort != DESCRIPTOR_BAD;
}

static struct input input_begin(FILE *stream, uintptr_t pc)
{
	struct input in = { .stream = stream, .pc = pc };

	if (likely(!controlled))
		return in;
	in.use = model_stream_enter(stream, pc);
	in.is_waited = in.use.thread && may_wait(stream);
	if (in.is_waited) {
		real.flockfile(stream);
		model_stream_held(stream, pc);
	}
	return in;
}

static void input_end(struct input *in)
{
	if (in->is_waited) {
		real.funlockfile(in->stream);
		model_stream_dropped(in->stream);
	}
	if (in->use.thread)
		model_stream_leave(&in->use);
}

/* Also when cancellation ends it. */
#define INPUT(stream)                                                          \
	struct input in __attribute__((cleanup(input_end))) =                  \
		input_begin(stream, CALLER)

static size_t buffered(const FILE *f)
{
	return f->_IO_read_ptr < f->_IO_read_end ?
		       (size_t)(f->_IO_read_end - f->_IO_read_ptr) :
		       0;
}

/* The next byte, or EOF. */
static int next(const struct input *in)
{
	FILE *f = in->stream;
	int error;

	if (!buffered(f) && !feof_unlocked(f)) {
		error = descriptor_wait(f->_fileno, POLLIN, in->pc);
		if (error) {
			f->_flags |= _IO_ERR_SEEN;
			errno = error;
			return EOF;
		}
	}
	return getc_unlocked(f);
}

/* ---- bytes ---- */

EXPORT int fgetc(FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? next(&in) : real.fgetc(stream);
}

#undef getc
EXPORT int getc(FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? next(&in) : real.getc(stream);
}

EXPORT int _IO_getc(FILE *stream);
EXPORT int _IO_getc(FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? next(&in) : real._IO_getc(stream);
}

EXPORT int getchar(void)
{
	INPUT(stdin);

	return in.is_waited ? next(&in) : real.getchar();
}

static size_t read_items(const struct input *in, char *to, size_t size,
			 size_t count)
{
	size_t done = 0;
	int c;

	if (!size || !count)
		return 0;
	while (done < size * count && (c = next(in)) != EOF)
		to[done++] = (char)c;
	return done / size;
}

/* So many items are there now. */
static size_t items_read(const void *to, size_t size, size_t count,
			 uintptr_t pc)
{
	heap_control_lent(to, size * count, pc);
	return count;
}

EXPORT size_t fread(void *to, size_t size, size_t count, FILE *stream)
{
	INPUT(stream);

	count = in.is_waited ? read_items(&in, to, size, count) :
			       real.fread(to, size, count, stream);
	return items_read(to, size, count, CALLER);
}

EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count,
			  FILE *stream);
EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count,
			  FILE *stream)
{
	INPUT(stream);

	if (in.is_waited && (!size || count <= room / size))
		count = read_items(&in, to, size, count);
	else
		count = real.__fread_chk(to, room, size, count, stream);
	return items_read(to, size, count, CALLER);
}

/* ---- lines ---- */

static char *read_line(const struct input *in, char *to, int size)
{
	int done = 0, c = 0;

	if (size <= 0)
		return NULL;
	while (done < size - 1 && c != '\n' && (c = next(in)) != EOF)
		to[done++] = (char)c;
	if (size > 1 && (!done || (c == EOF && ferror_unlocked(in->stream))))
		return NULL;
	to[done] = '\0';
	return to;
}

/* NULL: there was none. */
static char *line_read(char *line, uintptr_t pc)
{
	heap_control_lent_string(line, pc);
	return line;
}

EXPORT char *fgets(char *to, int size, FILE *stream)
{
	INPUT(stream);

	to = in.is_waited ? read_line(&in, to, size) :
			    real.fgets(to, size, stream);
	return line_read(to, CALLER);
}

EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *stream);
EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *stream)
{
	INPUT(stream);

	if (in.is_waited && (size <= 0 || (size_t)size <= room))
		to = read_line(&in, to, size);
	else
		to = real.__fgets_chk(to, room, size, stream);
	return line_read(to, CALLER);
}

static bool line_grow(char **line, size_t *room, size_t wanted)
{
	size_t more = *room * 2 > wanted ? *room * 2 : wanted;
	char *larger;

	if (*line && wanted <= *room)
		return true;
	if (more < 120)
		more = 120;
	larger = realloc(*line, more);
	if (!larger)
		return false;
	*line = larger;
	*room = more;
	return true;
}

static ssize_t read_until(const struct input *in, char **line, size_t *room,
			  int end)
{
	size_t done = 0;
	int c;

	if (!line || !room)
		return descriptor_fail(EINVAL);
	if (!*line)
		*room = 0;
	do {
		c = next(in);
		if (c == EOF)
			break;
		if (!line_grow(line, room, done + 2))
			return -1;
		(*line)[done++] = (char)c;
	} while (c != end);
	if (!done)
		return -1;
	(*line)[done] = '\0';
	return (ssize_t)done;
}

EXPORT ssize_t getline(char **line, size_t *room, FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? read_until(&in, line, room, '\n') :
			      real.getline(line, room, stream);
}

EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? read_until(&in, line, room, end) :
			      real.getdelim(line, room, end, stream);
}

EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *stream)
{
	INPUT(stream);

	return in.is_waited ? read_until(&in, line, room, end) :
			      real.__getdelim(line, room, end, stream);
}
