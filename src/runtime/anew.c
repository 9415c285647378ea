/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/anew.h"

#include "format/put.h"
#include "runtime/descriptor.h"
#include "runtime/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum sort {
	SORT_STAYS, /* shared with the server and all other runs */
	SORT_FILE,  /* has a position */
	SORT_PIPE,
	SORT_PAIR, /* of sockets */
	SORT_COUNTER,
	SORT_EPOLL,
	SORT_LISTENS,
};

enum { DESCRIPTORS = 1024, WATCHES = 1024 };

/* A descriptor of the server. `first` is the place of the first that is the
 * same thing, or the same pipe; its own for most. */
static struct known {
	int fd;
	enum sort sort;
	long status, flags; /* F_GETFL, F_GETFD */
	uint64_t inode;
	int64_t value; /* position, count */
	uint32_t first;
	int peer;
	bool is_inside;
} known[DESCRIPTORS];
static uint32_t known_count;

/* What the epolls look after. */
static struct watch {
	uint32_t epoll; /* place in `known` */
	int fd;
	struct epoll_event event;
} watches[WATCHES];
static uint32_t watch_count;

/* ---- texts of the kernel ---- */

static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with) {
		text++;
		with++;
	}
	return !*with;
}

static bool link_is(int fd, const char *what)
{
	char path[64], text[64];
	long n;

	put_number(put_text(path, "/proc/self/fd/"), (uint32_t)fd);
	n = SYS_3(SYS_readlink, path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return begins(text, what);
}

/* Calls `line` for each line of what the kernel says of a descriptor. */
static bool info_read(uint32_t at, bool (*line)(uint32_t at, const char *text))
{
	char path[64], text[512] = "";
	long n, fd;
	size_t used = 0;
	bool is_good = true;

	put_number(put_text(path, "/proc/self/fdinfo/"),
		   (uint32_t)known[at].fd);
	fd = SYS_3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while ((n = SYS_3(SYS_read, fd, text + used, sizeof(text) - 1 - used)) >
	       0) {
		size_t end = used + (size_t)n, from = 0;

		for (size_t i = 0; i < end; i++) {
			if (text[i] != '\n')
				continue;
			text[i] = '\0';
			is_good &= line(at, text + from);
			from = i + 1;
		}
		used = end - from < sizeof(text) - 1 ? end - from : 0;
		for (size_t i = 0; i < used; i++)
			text[i] = text[from + i];
	}
	SYS_1(SYS_close, fd);
	return is_good;
}

/* The number behind `name`, at which `*text` then stands. */
static bool field(const char **text, const char *name, uint32_t base,
		  uint64_t *value)
{
	const char *p = *text;

	while (*p && !begins(p, name))
		p++;
	if (!*p)
		return false;
	while (*name++)
		p++;
	while (*p == ' ' || *p == '\t')
		p++;
	for (*value = 0;; p++) {
		uint32_t digit =
			*p >= '0' && *p <= '9' ? (uint32_t)(*p - '0') :
			*p >= 'a' && *p <= 'f' ? (uint32_t)(*p - 'a') + 10 :
						 UINT32_MAX;

		if (digit >= base)
			break;
		*value = *value * base + digit;
	}
	*text = p;
	return true;
}

/* ---- looking ---- */

static bool counter_line(uint32_t at, const char *text)
{
	uint64_t value;

	if (field(&text, "eventfd-count:", 16, &value))
		known[at].value = (int64_t)value;
	return true;
}

static bool epoll_line(uint32_t at, const char *text)
{
	uint64_t fd, events, data;

	if (!field(&text, "tfd:", 10, &fd))
		return true;
	if (!field(&text, "events:", 16, &events) ||
	    !field(&text, "data:", 16, &data) || watch_count == WATCHES)
		return false;
	watches[watch_count++] = (struct watch){
		.epoll = at,
		.fd = (int)fd,
		.event = { .events = (uint32_t)events, .data.u64 = data }
	};
	return true;
}

static int option(int fd, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	SYS_6(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &size, 0);
	return value;
}

static bool has_peer(int fd)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);

	return SYS_3(SYS_getpeername, fd, &address, &size) == 0;
}

static const char *look_at_socket(struct known *k)
{
	int waiting = 0;

	if (option(k->fd, SO_ACCEPTCONN)) {
		k->sort = SORT_LISTENS;
		return NULL;
	}
	if (!has_peer(k->fd))
		return NULL;
	k->peer = descriptor_peer(k->fd);
	SYS_3(SYS_ioctl, k->fd, FIONREAD, &waiting);
	if (k->peer < 0)
		return "a connection was open";
	if (waiting)
		return "something was on its way between two sockets";
	k->sort = SORT_PAIR;
	return NULL;
}

static const char *look_at_other(uint32_t at)
{
	struct known *k = &known[at];

	if (link_is(k->fd, "anon_inode:[eventfd]")) {
		k->sort = SORT_COUNTER;
		info_read(at, counter_line);
	} else if (link_is(k->fd, "anon_inode:[eventpoll]")) {
		k->sort = SORT_EPOLL;
		if (!info_read(at, epoll_line))
			return "an epoll cannot be read";
	}
	return NULL;
}

/* The same open file, under another number? */
static bool is_same(const struct known *a, const struct known *b)
{
	enum { FILES = 0 }; /* KCMP_FILE */
	long me = SYS_0(SYS_getpid);

	if (a->sort != b->sort)
		return false;
	if (a->sort == SORT_PIPE)
		return a->inode == b->inode;
	if (a->sort != SORT_COUNTER && a->sort != SORT_EPOLL)
		return false;
	return SYS_6(SYS_kcmp, me, me, FILES, a->fd, b->fd, 0) == 0;
}

static const char *look_at(int fd)
{
	struct known *k = &known[known_count];
	struct stat s = { 0 };
	const char *why = NULL;
	uint32_t at = known_count;

	if (SYS_2(SYS_fstat, fd, &s) != 0)
		return NULL;
	if (known_count == DESCRIPTORS)
		return "more descriptors than can be told";
	*k = (struct known){ .fd = fd,
			     .status = SYS_2(SYS_fcntl, fd, F_GETFL),
			     .flags = SYS_2(SYS_fcntl, fd, F_GETFD),
			     .inode = s.st_ino,
			     .first = at,
			     .peer = -1,
			     .is_inside = descriptor_is_inside(fd) };
	switch (s.st_mode & S_IFMT) {
	case S_IFREG:
		k->sort = SORT_FILE;
		k->value = SYS_3(SYS_lseek, fd, 0, SEEK_CUR);
		break;
	case S_IFIFO:
		k->sort = SORT_PIPE;
		break;
	case S_IFSOCK:
		why = look_at_socket(k);
		break;
	default:
		why = look_at_other(at);
	}
	known_count++;
	for (uint32_t i = 0; i < at; i++)
		if (known[i].first == i && is_same(&known[i], k))
			k->first = i;
	return why;
}

static const char *look_at_all(void)
{
	char text[2048] = "";
	const char *why = NULL;
	long n, fd = SYS_3(SYS_open, "/proc/self/fd",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return NULL;
	while ((n = SYS_3(SYS_getdents64, fd, text, sizeof(text))) > 0) {
		for (long at = 0; at < n && !why;) {
			const struct dirent64 *d =
				(const struct dirent64 *)(text + at);
			uint64_t number = 0;
			const char *name = d->d_name;

			if (*name != '.' && field(&name, "", 10, &number) &&
			    number != (uint64_t)fd)
				why = look_at((int)number);
			at += d->d_reclen;
		}
	}
	SYS_1(SYS_close, fd);
	return why;
}

static struct known *find(int fd)
{
	for (uint32_t i = 0; i < known_count; i++)
		if (known[i].fd == fd)
			return &known[i];
	return NULL;
}

/* A pipe whose other end is elsewhere is not ours to make. */
static void pipes_judge(void)
{
	for (uint32_t i = 0; i < known_count; i++) {
		bool ends[2] = { false, false };

		if (known[i].sort != SORT_PIPE || known[i].first != i)
			continue;
		for (uint32_t j = i; j < known_count; j++)
			if (known[j].sort == SORT_PIPE && known[j].first == i)
				ends[(known[j].status & O_ACCMODE) != 0] = true;
		for (uint32_t j = i; j < known_count; j++)
			if (known[j].sort == SORT_PIPE && known[j].first == i &&
			    !(ends[0] && ends[1]))
				known[j].sort = SORT_STAYS;
	}
}

const char *anew_note(void)
{
	const char *why;

	known_count = 0;
	watch_count = 0;
	why = look_at_all();
	pipes_judge();
	for (uint32_t i = 0; i < known_count && !why; i++)
		if (known[i].sort == SORT_PAIR && !find(known[i].peer))
			why = "the other end of a pair of sockets was closed";
	return why;
}

/* ---- making ---- */

/* `from` takes the place of a known descriptor; it stays open. */
static bool take_place(int from, const struct known *k)
{
	if (SYS_3(SYS_dup3, from, k->fd,
		  k->flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0)
		return false;
	SYS_3(SYS_fcntl, k->fd, F_SETFL, k->status);
	if (k->is_inside)
		descriptor_made(k->fd);
	return true;
}

static bool pipe_make(uint32_t at)
{
	enum { MOST = 1 << 30 };
	int ends[2] = { -1, -1 };
	long room = SYS_2(SYS_fcntl, known[at].fd, F_GETPIPE_SZ);
	bool done = SYS_2(SYS_pipe2, ends, O_CLOEXEC) == 0;

	if (!done)
		return false;
	SYS_3(SYS_fcntl, ends[1], F_SETPIPE_SZ, room);
	/* What is in it comes along, and stays there for the next run. */
	for (uint32_t i = at; i < known_count; i++)
		if (known[i].first == at && known[i].sort == SORT_PIPE &&
		    (known[i].status & O_ACCMODE) == O_RDONLY) {
			SYS_4(SYS_tee, known[i].fd, ends[1], MOST,
			      2 /* SPLICE_F_NONBLOCK */);
			break;
		}
	for (uint32_t i = at; i < known_count; i++)
		if (known[i].first == at && known[i].sort == SORT_PIPE)
			done &= take_place(
				ends[(known[i].status & O_ACCMODE) != O_RDONLY],
				&known[i]);
	SYS_1(SYS_close, ends[0]);
	SYS_1(SYS_close, ends[1]);
	return done;
}

static bool pair_make(const struct known *k)
{
	const struct known *other = find(k->peer);
	int ends[2] = { -1, -1 };
	bool done;

	if (other->fd < k->fd)
		return true; /* Made with that one. */
	if (SYS_4(SYS_socketpair, option(k->fd, SO_DOMAIN),
		  option(k->fd, SO_TYPE) | SOCK_CLOEXEC,
		  option(k->fd, SO_PROTOCOL), ends) != 0)
		return false;
	done = take_place(ends[0], k) && take_place(ends[1], other);
	descriptor_paired(k->fd, other->fd);
	SYS_1(SYS_close, ends[0]);
	SYS_1(SYS_close, ends[1]);
	return done;
}

/* Counters and epolls, and their other names. */
static bool single_make(uint32_t at)
{
	struct known *k = &known[at];
	long fd;
	bool done = true;

	if (k->sort == SORT_COUNTER)
		fd = SYS_2(SYS_eventfd2, k->value,
			   EFD_CLOEXEC | (descriptor_is_semaphore(k->fd) ?
						  EFD_SEMAPHORE :
						  0));
	else
		fd = SYS_1(SYS_epoll_create1, EPOLL_CLOEXEC);
	if (fd < 0)
		return false;
	for (uint32_t i = at; i < known_count; i++)
		if (known[i].first == at)
			done &= take_place((int)fd, &known[i]);
	SYS_1(SYS_close, fd);
	return done;
}

static bool make(uint32_t at)
{
	const struct known *k = &known[at];

	if (k->sort == SORT_FILE && k->value >= 0)
		SYS_3(SYS_lseek, k->fd, k->value, SEEK_SET);
	if (k->first != at)
		return true;
	switch (k->sort) {
	case SORT_PIPE:
		return pipe_make(at);
	case SORT_PAIR:
		return pair_make(k);
	case SORT_COUNTER:
	case SORT_EPOLL:
		return single_make(at);
	default:
		return true;
	}
}

bool anew_make(void)
{
	bool done = true;

	for (uint32_t i = 0; i < known_count; i++)
		done &= make(i);
	/* When all that they look after is there. What was closed meanwhile is
	 * nobody's any more. */
	for (uint32_t i = 0; i < watch_count; i++) {
		struct epoll_event event = watches[i].event;

		SYS_4(SYS_epoll_ctl, known[watches[i].epoll].fd, EPOLL_CTL_ADD,
		      watches[i].fd, &event);
	}
	return done;
}

/* ---- connections ---- */

static bool is_there(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return SYS_3(SYS_poll, &one, 1, 0) == 1 && one.revents & POLLIN;
}

void anew_settle(void)
{
	for (uint32_t i = 0; i < known_count; i++)
		while (known[i].sort == SORT_LISTENS && is_there(known[i].fd)) {
			long fd = SYS_4(SYS_accept4, known[i].fd, NULL, NULL,
					SOCK_CLOEXEC);

			if (fd < 0)
				break;
			SYS_1(SYS_close, fd);
		}
}

bool anew_listens(void)
{
	anew_note();
	for (uint32_t i = 0; i < known_count; i++)
		if (known[i].sort == SORT_LISTENS)
			return true;
	return false;
}
