/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SETTLE_MS = 20 }; /* what TCP may take to carry a few bytes */

static int open_unix(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(to.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(to.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* Closed with a reset, so that the port is free for the next run. */
static int open_tcp(const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)atoi(port)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct linger linger = { .l_onoff = 1 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	return fd;
}

int connection_open(struct connection *c, const char *address)
{
	*c = (struct connection){ .fd = -1 };
	c->fd = strncmp(address, "unix:", 5) == 0 ? open_unix(address + 5) :
						    open_tcp(address + 4);
	return c->fd < 0 ? -1 : 0;
}

void connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	blob_done(&c->got);
	*c = (struct connection){ .fd = -1 };
}

void connection_send(struct connection *c, const struct linear_spec *s,
		     struct blob text)
{
	struct blob all = blob_copy(text);
	size_t done = 0;

	blob_append(&all, s->ending.at, s->ending.size);
	while (done < all.size) {
		ssize_t n = send(c->fd, all.at + done, all.size - done,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	blob_done(&all);
}

static void take_in(struct connection *c)
{
	char bytes[4096];
	ssize_t n;

	while (!c->is_closed) {
		n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n > 0) {
			blob_append(&c->got, bytes, (size_t)n);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		c->is_closed = true;
		blob_append(&c->got, "[closed]\n", 9);
	}
}

/* Its last line, without its end. */
static bool last_line_matches(const struct connection *c,
			      const struct pattern *p)
{
	size_t end = c->got.size - 1, begin;
	struct blob line;
	bool matches;

	if (end && c->got.at[end - 1] == '\r')
		end--;
	begin = end;
	while (begin && c->got.at[begin - 1] != '\n')
		begin--;
	line = blob_make(c->got.at + begin, end - begin);
	matches = pattern_matches(p, line.at);
	blob_done(&line);
	return matches;
}

static bool is_whole(const struct connection *c, const struct linear_spec *s,
		     bool is_idle)
{
	if (c->is_closed)
		return true;
	if (s->reply == REPLY_IDLE)
		return is_idle;
	if (!c->got.size || c->got.at[c->got.size - 1] != '\n')
		return false;
	return s->reply == REPLY_LINE || last_line_matches(c, &s->reply_end);
}

bool connection_has_reply(struct connection *c, const struct linear_spec *s,
			  bool is_idle)
{
	struct pollfd wanted = { .fd = c->fd, .events = POLLIN };

	take_in(c);
	if (is_whole(c, s, is_idle))
		return true;
	if (!is_idle || poll(&wanted, 1, SETTLE_MS) <= 0)
		return false;
	take_in(c);
	return is_whole(c, s, is_idle);
}

uint16_t port_free(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(a);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &size) < 0)
		a.sin_port = 0;
	if (fd >= 0)
		close(fd);
	return ntohs(a.sin_port);
}
