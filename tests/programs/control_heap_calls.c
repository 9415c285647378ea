/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: what the first argument says is done to a block that is too small, or
 * was freed; with a second argument to one that is neither, and all is well.
 *
 * Functions of libc, and calls of the kernel, touch memory for the program.
 */
#define _GNU_SOURCE

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 32 };

static int ends[2]; /* of sockets */
static FILE *full;  /* of a file */
static FILE *through;

/* ---- into a block: of 16 bytes, or of 32 ---- */

static void fill_read(char *to)
{
	read(ends[0], to, SIZE);
}

static void fill_readv(char *to)
{
	char first[8];
	struct iovec parts[] = { { first, sizeof(first) },
				 { to, SIZE - sizeof(first) } };

	readv(ends[0], parts, 2);
}

static void fill_recv(char *to)
{
	recv(ends[0], to, SIZE, 0);
}

static void fill_recv_all(char *to)
{
	recv(ends[0], to, SIZE, MSG_WAITALL);
}

static void fill_recvfrom(char *to)
{
	recvfrom(ends[0], to, SIZE, 0, NULL, NULL);
}

static void fill_recvmsg(char *to)
{
	struct iovec part = { to, SIZE };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	recvmsg(ends[0], &message, 0);
}

static void fill_pread(char *to)
{
	pread(fileno(full), to, SIZE, 0);
}

static void fill_fread(char *to)
{
	fread(to, 1, SIZE, full);
}

static void fill_fread_waited(char *to)
{
	fread(to, 1, SIZE, through);
}

static void fill_fgets(char *to)
{
	fgets(to, SIZE, full);
}

static void fill_fscanf(char *to)
{
	char some[8];
	int n;

	fscanf(full, "%2c%*[^ ]%n %31[^!]", some, &n, to);
}

static void fill_fscanf_number(char *to)
{
	rewind(full);
	fputs("7 7.5 ", full);
	rewind(full);
	fscanf(full, "%hhd %lf", to, (double *)(void *)(to + 12));
}

static void fill_sprintf(char *to)
{
	sprintf(to, "%025d", 1);
}

/* ---- from a block: of 32 bytes, freed or not ---- */

static void tell_write(char *from)
{
	write(ends[1], from, SIZE);
}

static void tell_writev(char *from)
{
	struct iovec part = { from, SIZE };

	writev(ends[1], &part, 1);
}

static void tell_send(char *from)
{
	send(ends[1], from, SIZE, 0);
}

static void tell_sendto(char *from)
{
	sendto(ends[1], from, SIZE, 0, NULL, 0);
}

static void tell_sendmsg(char *from)
{
	struct iovec part = { from, SIZE };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	sendmsg(ends[1], &message, 0);
}

static void tell_pwrite(char *from)
{
	pwrite(fileno(full), from, SIZE, 0);
}

static void tell_puts(char *from)
{
	puts(from);
}

static void tell_fputs(char *from)
{
	fputs(from, full);
}

static void tell_fwrite(char *from)
{
	fwrite(from, 4, SIZE / 4, full);
}

static void tell_printf(char *from)
{
	printf("%d %5.1f%% %*d %.*s\n", 7, 0.5, 3, 1, 5, from);
}

static void tell_fprintf(char *from)
{
	fprintf(full, "%c %Lf %zu %p %s\n", 'c', 0.5L, sizeof(from), from,
		from);
}

static void tell_snprintf(char *from)
{
	char text[2 * SIZE];

	snprintf(text, sizeof(text), "%-10s", from);
}

static void tell_by_list(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}

static void tell_vprintf(char *from)
{
	tell_by_list("%ld %s\n", 1L, from);
}

static void tell_asprintf(char *from)
{
	char *text;

	if (asprintf(&text, "%s", from) >= 0)
		free(text);
}

static void tell_dprintf(char *from)
{
	dprintf(ends[1], "%s", from);
}

static void tell_atoi(char *from)
{
	if (atoi(from) > 0)
		abort();
}

static void tell_strtod(char *from)
{
	char *end;

	if (strtod(from, &end) > 0 || end != from)
		abort();
}

static void tell_sscanf(char *from)
{
	char word[SIZE];

	if (sscanf(from, "%31s", word) != 1)
		abort();
}

static const struct {
	const char *name;
	void (*act)(char *);
	int is_filled;
} acts[] = {
	{ "read", fill_read, 1 },
	{ "readv", fill_readv, 1 },
	{ "recv", fill_recv, 1 },
	{ "recv-all", fill_recv_all, 1 },
	{ "recvfrom", fill_recvfrom, 1 },
	{ "recvmsg", fill_recvmsg, 1 },
	{ "pread", fill_pread, 1 },
	{ "fread", fill_fread, 1 },
	{ "fread-waited", fill_fread_waited, 1 },
	{ "fgets", fill_fgets, 1 },
	{ "fscanf", fill_fscanf, 1 },
	{ "fscanf-number", fill_fscanf_number, 1 },
	{ "sprintf", fill_sprintf, 1 },
	{ "write", tell_write, 0 },
	{ "writev", tell_writev, 0 },
	{ "send", tell_send, 0 },
	{ "sendto", tell_sendto, 0 },
	{ "sendmsg", tell_sendmsg, 0 },
	{ "pwrite", tell_pwrite, 0 },
	{ "puts", tell_puts, 0 },
	{ "fputs", tell_fputs, 0 },
	{ "fwrite", tell_fwrite, 0 },
	{ "printf", tell_printf, 0 },
	{ "fprintf", tell_fprintf, 0 },
	{ "snprintf", tell_snprintf, 0 },
	{ "vprintf", tell_vprintf, 0 },
	{ "asprintf", tell_asprintf, 0 },
	{ "dprintf", tell_dprintf, 0 },
	{ "atoi", tell_atoi, 0 },
	{ "strtod", tell_strtod, 0 },
	{ "sscanf", tell_sscanf, 0 },
};

static void prepare(void)
{
	const char text[SIZE + 1] = "some text of thirty-two letters.";

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	write(ends[1], text, SIZE);
	through = fdopen(ends[0], "r");
	full = tmpfile();
	fputs(text, full);
	rewind(full);
}

int main(int argc, char **argv)
{
	int is_well = argc > 2;

	prepare();
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		int is_small = acts[i].is_filled && !is_well;
		char *block;

		if (strcmp(argv[1], acts[i].name) != 0)
			continue;
		block = malloc(is_small ? SIZE / 2 : SIZE);
		memset(block, 0, is_small ? SIZE / 2 : SIZE);
		strcpy(block, "letters");
		if (!acts[i].is_filled && !is_well)
			free(block);
		acts[i].act(block);
		return 0;
	}
	return 9;
}
