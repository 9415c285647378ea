/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds the reader of traces with bytes from a fuzzer (tests/fuzz/run.sh). The
 * first byte says what the others are:
 *
 *   even       a file as it is; sums stop nearly all damage at the door
 *   1 mod 4    a recipe for chunks, whose sums are put right, so that what
 *              lies behind the door is tested too
 *   3 mod 4    text
 *   and 4      print the trace as text and read it again
 *
 * Whatever comes out must be in order: stamps do not go back, all threads are
 * in the table, both ways through the file give as many events, and text that
 * was printed can be read.
 */
#include "trace/trace_layout.h"
#include "trace/trace_text.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_out(int fd, const void *bytes, size_t size)
{
	CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static void check_tables(const struct trace *t)
{
	CHECK(trace_threads(t) <= REGION_THREADS);
	CHECK(trace_stacks(t) >= 1 && trace_stacks(t) <= REGION_STACKS);
	for (uint32_t n = 1; n < trace_stacks(t); n++)
		CHECK(trace_stack(t, n)->parent < n);
	for (uint32_t n = 0; n < trace_threads(t); n++)
		CHECK(trace_thread(t, n)->parent == NO_THREAD ||
		      trace_thread(t, n)->parent < n);
	for (uint32_t n = 0; n < trace_notes(t); n++)
		CHECK(trace_note(t, n));
	CHECK(!trace_thread(t, trace_threads(t)));
	CHECK(!trace_stack(t, trace_stacks(t)));
}

static void check_events(struct trace *t)
{
	uint64_t last = 0, ordered = 0, unordered = 0;
	struct event e;

	for (; trace_next(t, &e); ordered++) {
		CHECK(e.stamp >= last);
		CHECK(e.thread < trace_threads(t));
		CHECK(e.kind < EVENT_KINDS);
		last = e.stamp;
	}
	trace_rewind(t);
	while (trace_next_unordered(t, &e))
		unordered++;
	CHECK(ordered == unordered);
	trace_rewind(t);
}

static void check_text(struct trace *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct trace *again;
	struct err err;

	CHECK(out && trace_text_write(out, t, &err) == 0);
	fclose(out);
	again = trace_from_text(text, &err);
	if (!again)
		fprintf(stderr, "%s\n%s\n", text, err.text);
	CHECK(again);
	free(text);
	trace_close(again);
}

static void check_trace(struct trace *t, bool with_text)
{
	if (!t)
		return;
	check_tables(t);
	check_events(t);
	for (size_t i = 0; i < trace_missing(t); i++)
		CHECK(trace_missing_text(t, i)[0]);
	if (with_text && trace_stacks(t) < 1000 && trace_threads(t) < 1000)
		check_text(t);
	trace_close(t);
}

static void check_file(int fd, bool with_text)
{
	char path[40];
	struct err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_trace(trace_open(path, &err), with_text);
}

/* ---- recipes ---- */

static void write_header(int fd)
{
	uint8_t header[HEADER_SIZE] = { 0 }, *p;

	memcpy(header, TRACE_MAGIC, TRACE_MAGIC_SIZE);
	p = layout_put32(header + TRACE_MAGIC_SIZE, TRACE_VERSION);
	layout_put32(p, HEADER_SIZE);
	layout_put64(header + HEADER_SUM_AT, XXH64(header, HEADER_SUM_AT, 0));
	write_out(fd, header, sizeof(header));
}

/* A recipe is: type, thread, sequence, count, 8 bytes of stamps, size of the
 * payload (16 bits), payload. */
static void write_chunk(int fd, struct layout_view *v)
{
	uint8_t chunk[CHUNK_HEADER + 70000], *p = chunk;
	const uint8_t *recipe = layout_take(v, 14), *payload;
	uint32_t packed, raw;

	if (!recipe)
		return;
	raw = recipe[12] | (uint32_t)recipe[13] << 8;
	if (raw > (size_t)(v->end - v->p))
		raw = (uint32_t)(v->end - v->p);
	payload = layout_take(v, raw);
	packed = (uint32_t)ZSTD_compress(chunk + CHUNK_HEADER, 70000, payload,
					 raw, 1);
	p = layout_put32(p, CHUNK_MAGIC);
	p = layout_put32(p, recipe[0] % 10);
	p = layout_put32(p, recipe[1]);
	p = layout_put32(p, recipe[2]);
	p = layout_put32(p, raw);
	p = layout_put32(p, packed);
	memset(p, 0, 16);
	memcpy(p, recipe + 4, 4);
	memcpy(p + 8, recipe + 8, 4);
	p = layout_put32(p + 16, recipe[3]);
	p = layout_put32(p, 0);
	p = layout_put64(p, XXH64(chunk + CHUNK_HEADER, packed, 0));
	layout_put64(p, XXH64(chunk, CHUNK_SUM_AT, 0));
	write_out(fd, chunk, CHUNK_HEADER + packed);
}

static void check_bytes(const uint8_t *data, size_t size, uint8_t way)
{
	struct layout_view v = { data, data + size, false };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	CHECK(fd >= 0);
	if (way % 4 == 1) {
		write_header(fd);
		while (!v.is_short)
			write_chunk(fd, &v);
	} else {
		write_out(fd, data, size);
	}
	check_file(fd, way & 4);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	struct err err;

	if (size == 0)
		return 0;
	if (data[0] % 4 != 3) {
		check_bytes(data + 1, size - 1, data[0]);
		return 0;
	}
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	check_trace(trace_from_text(text, &err), data[0] & 4);
	free(text);
	return 0;
}
