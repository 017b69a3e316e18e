// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of functions: their first and last bytes, the edges of segments, and of several names one.
 */
#include <stdint.h>
#include <stdio.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/symbols.h"

static void add(struct symbols *symbols, uint64_t start, uint64_t end, int rank, const char *name)
{
	symbols_add(symbols, start, end, rank, name, strlen(name));
}

/* NULL: there is none. */
static void found_is(const struct symbols *symbols, uint64_t offset, const char *name,
		     uint64_t into)
{
	uint64_t is = UINT64_MAX;
	const char *found = symbols_find(symbols, offset, &is);

	ck_assert_pstr_eq(found, name);
	if (name)
		ck_assert_uint_eq(is, into);
}

/* A function's end is the next byte's, and no part of it. */
START_TEST(edges)
{
	struct symbols *symbols = symbols_new();

	found_is(symbols, 0, NULL, 0);
	add(symbols, 0x200, 0x210, 1, "second");
	add(symbols, 0x100, 0x110, 1, "first");
	add(symbols, 0x210, 0x211, 1, "third, of one byte");
	add(symbols, 0x300, 0x300, 1, "empty");
	add(symbols, UINT64_MAX - 1, UINT64_MAX, 1, "last");
	symbols_end(symbols, SYMBOLS_NESTED);
	ck_assert_uint_eq(symbols_number(symbols), 5);
	found_is(symbols, 0xFF, NULL, 0);
	found_is(symbols, 0x100, "first", 0);
	found_is(symbols, 0x10F, "first", 0xF);
	found_is(symbols, 0x110, NULL, 0);
	found_is(symbols, 0x1FF, NULL, 0);
	found_is(symbols, 0x200, "second", 0);
	found_is(symbols, 0x20F, "second", 0xF);
	found_is(symbols, 0x210, "third, of one byte", 0);
	found_is(symbols, 0x211, NULL, 0);
	found_is(symbols, 0x300, NULL, 0);
	found_is(symbols, UINT64_MAX - 1, "last", 0);
	found_is(symbols, UINT64_MAX, NULL, 0);
	symbols_free(symbols);
}
END_TEST

/* Of several names of a place the one of the highest rank; of the same rank always the same. */
START_TEST(names)
{
	struct symbols *symbols = symbols_new();

	add(symbols, 0x100, 0x110, 2, "highest");
	add(symbols, 0x100, 0x110, 0, "lowest");
	add(symbols, 0x100, 0x110, 1, "between");
	add(symbols, 0x200, 0x210, 1, "a");
	add(symbols, 0x200, 0x210, 1, "b");
	add(symbols, 0x300, 0x310, 1, "b");
	add(symbols, 0x300, 0x310, 1, "a");
	symbols_add(symbols, 0x400, 0x410, 1, "cut off here", 7);
	symbols_end(symbols, SYMBOLS_NESTED);
	found_is(symbols, 0x101, "highest", 1);
	found_is(symbols, 0x200, "a", 0);
	found_is(symbols, 0x300, "a", 0);
	found_is(symbols, 0x400, "cut off", 0);
	symbols_free(symbols);
}
END_TEST

/* One inside of another has its own part, and the other one what is before and after it. */
START_TEST(nested)
{
	struct symbols *symbols = symbols_new();

	add(symbols, 0x100, 0x200, 1, "outer");
	add(symbols, 0x110, 0x150, 1, "middle");
	add(symbols, 0x120, 0x130, 1, "inner");
	add(symbols, 0x140, 0x148, 1, "second inner");
	add(symbols, 0x1F0, 0x210, 1, "over its end");
	add(symbols, 0x300, 0x302, 2, "short, at the beginning");
	add(symbols, 0x300, 0x310, 1, "long");
	add(symbols, 0x400, 0x402, 1, "alone");
	symbols_add_open(symbols, 0x500, 0x600, 1, "open", 4);
	symbols_add_open(symbols, 0x500, 0x600, 2, "open, too", 9);
	add(symbols, 0x510, 0x520, 1, "next");
	symbols_add_open(symbols, 0x530, 0x540, 1, "to its limit", 12);
	symbols_add_open(symbols, 0x550, 0x560, 1, "to its limit, the last", 22);
	symbols_end(symbols, SYMBOLS_NESTED);
	found_is(symbols, 0x10F, "outer", 0xF);
	found_is(symbols, 0x11F, "middle", 0xF);
	found_is(symbols, 0x12F, "inner", 0xF);
	found_is(symbols, 0x130, "middle", 0x20);
	found_is(symbols, 0x147, "second inner", 7);
	found_is(symbols, 0x148, "middle", 0x38);
	found_is(symbols, 0x150, "outer", 0x50);
	found_is(symbols, 0x1EF, "outer", 0xEF);
	found_is(symbols, 0x1F0, "over its end", 0);
	found_is(symbols, 0x20F, "over its end", 0x1F);
	found_is(symbols, 0x210, NULL, 0);
	found_is(symbols, 0x301, "short, at the beginning", 1);
	found_is(symbols, 0x302, "long", 2);
	found_is(symbols, 0x402, NULL, 0);
	found_is(symbols, 0x50F, "open, too", 0xF);
	found_is(symbols, 0x510, "next", 0);
	found_is(symbols, 0x520, NULL, 0);
	found_is(symbols, 0x53F, "to its limit", 0xF);
	found_is(symbols, 0x540, NULL, 0);
	found_is(symbols, 0x55F, "to its limit, the last", 0xF);
	found_is(symbols, 0x560, NULL, 0);
	symbols_free(symbols);
}
END_TEST

/* An assembler's label is shown where there is no function, up to what comes next. */
START_TEST(labels)
{
	struct symbols *symbols = symbols_new();

	add(symbols, 0x100, 0x200, 0, "function");
	symbols_add_label(symbols, 0x110, 0x1000, 2, "within", 6);
	symbols_add_label(symbols, 0x1F8, 0x1000, 2, "over its end", 12);
	symbols_add_label(symbols, 0x220, 0x1000, 1, "local", 5);
	symbols_add_label(symbols, 0x220, 0x1000, 2, "global", 6);
	symbols_add_open(symbols, 0x300, 0x1000, 2, "open", 4);
	symbols_add_label(symbols, 0x310, 0x1000, 2, "in an open one", 14);
	add(symbols, 0x400, 0x410, 2, "next");
	symbols_add_label(symbols, 0x420, 0x430, 2, "last", 4);
	symbols_end(symbols, SYMBOLS_NESTED);
	found_is(symbols, 0x111, "function", 0x11);
	found_is(symbols, 0x1FF, "function", 0xFF);
	found_is(symbols, 0x200, "over its end", 8);
	found_is(symbols, 0x21F, "over its end", 0x27);
	found_is(symbols, 0x2FF, "global", 0xDF);
	found_is(symbols, 0x3FF, "open", 0xFF);
	found_is(symbols, 0x410, NULL, 0);
	found_is(symbols, 0x42F, "last", 0xF);
	found_is(symbols, 0x430, NULL, 0);
	symbols_free(symbols);
}
END_TEST

#define LAYERS 300
#define PLACES 500

/* Of the functions that have an address the highest one is shown, wherever it begins and ends. */
START_TEST(layers)
{
	struct symbols *symbols = symbols_new();
	struct {
		uint64_t start, end;
	} is[LAYERS];
	unsigned int i, at, n, chance = 1;
	char name[16];

	for (i = 0; i < LAYERS; i++) {
		chance = chance * 1103515245 + 12345;
		is[i].start = (chance >> 16) % PLACES;
		is[i].end = is[i].start + (chance >> 8) % 40; /* also none */
		snprintf(name, sizeof(name), "%u", i);
		add(symbols, is[i].start, is[i].end, (int)i, name);
	}
	symbols_end(symbols, SYMBOLS_LAYERED);
	for (at = 0; at < PLACES + 50; at++) {
		unsigned int top = LAYERS;

		for (i = n = 0; i < LAYERS; i++)
			if (is[i].start <= at && at < is[i].end)
				top = i, n++;
		snprintf(name, sizeof(name), "%u", top);
		found_is(symbols, at, n ? name : NULL, n ? at - is[top].start : 0);
		ck_assert_int_eq(symbols_layer(symbols, at), n > 1 ? (int)top : -1);
	}
	symbols_free(symbols);
}
END_TEST

/* Offsets of a file are at addresses by its segments: the last byte of one, and none after it. */
START_TEST(segments)
{
	struct symbols *symbols = symbols_new();

	symbols_add_segment(symbols, 0x1000, 0x100, 0x401000);
	symbols_add_segment(symbols, 0x2000, 0x10, 0x602000);
	add(symbols, 0x401000, 0x402000, 1, "code");
	add(symbols, 0x602000, 0x603000, 1, "more");
	add(symbols, 0x1100, 0x3000, 1, "by an offset that is no address");
	symbols_end(symbols, SYMBOLS_NESTED);
	found_is(symbols, 0xFFF, NULL, 0);
	found_is(symbols, 0x1000, "code", 0);
	found_is(symbols, 0x10FF, "code", 0xFF);
	found_is(symbols, 0x1100, NULL, 0);
	found_is(symbols, 0x2000, "more", 0);
	found_is(symbols, 0x200F, "more", 0xF);
	found_is(symbols, 0x2010, NULL, 0);
	symbols_free(symbols);
}
END_TEST

/* As many segments as a file can have, the last one first, and one around many others. */
START_TEST(many_segments)
{
	struct symbols *symbols = symbols_new();
	uint64_t i, round;

	for (i = 65533; i > 0; i--)
		symbols_add_segment(symbols, 0x1000000 + i * 0x100, 0x80, i * 0x1000);
	symbols_add_segment(symbols, 0x1000000, 0x10000, 0x80000000);
	add(symbols, 0, 0x70000000, 1, "small");
	add(symbols, 0x80000000, 0x90000000, 1, "large");
	symbols_end(symbols, SYMBOLS_NESTED);
	for (round = 0; round < 10; round++)
		for (i = 0x101; i < 65534; i++) {
			found_is(symbols, 0x1000000 + i * 0x100, "small", i * 0x1000);
			found_is(symbols, 0x1000080 + i * 0x100, NULL, 0);
		}
	found_is(symbols, 0x1000001, "large", 1);
	found_is(symbols, 0x1000101, "small", 0x1001);
	found_is(symbols, 0x1000180, "large", 0x180);
	symbols_free(symbols);
}
END_TEST

/* Room for names and symbols grows, and none is lost. */
START_TEST(many)
{
	struct symbols *symbols = symbols_new();
	char name[32];
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		add(symbols, 16 * i, 16 * i + 16, 1, name);
	}
	symbols_end(symbols, SYMBOLS_NESTED);
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		found_is(symbols, 16 * i + 15, name, 15);
	}
	found_is(symbols, 16 * 5000, NULL, 0);
	symbols_free(symbols);
}
END_TEST

/* Names that fill the room which there is to the last byte; a sanitizer sees one more. */
START_TEST(full)
{
	struct symbols *symbols = symbols_new();
	char name[4097];
	size_t n;

	memset(name, 'n', sizeof(name));
	for (n = 4090; n < 4097; n++) {
		symbols_add(symbols, n, n + 1, 1, "a", 1);
		symbols_add(symbols, n, n + 1, 2, name, n);
		symbols_free(symbols);
		symbols = symbols_new();
	}
	symbols_free(symbols);
}
END_TEST

UNIT_MAIN("symbols", 20, edges, names, nested, labels, layers, segments, many_segments, many, full)
