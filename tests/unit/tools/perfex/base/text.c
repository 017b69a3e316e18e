// SPDX-License-Identifier: LGPL-2.1-or-later
/* Others' words on a terminal and in files: what does not fit, what is in no encoding, edges. */
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"

static char text[256];

/* What a call writes. */
#define WRITES(wanted, call)                                                     \
	do {                                                                     \
		FILE *file = fmemopen(text, sizeof(text), "w");                  \
                                                                                 \
		ck_assert_ptr_nonnull(file);                                     \
		call;                                                            \
		fclose(file);                                                    \
		ck_assert_msg(!strcmp(text, wanted), "%s: \"%s\"", #call, text); \
	} while (0)

START_TEST(cut)
{
	WRITES("abcdefgh", text_cut(file, "abcdefgh", 8));
	WRITES("abcd...", text_cut(file, "abcdefgh", 7));
	WRITES("a...", text_cut(file, "abcdefgh", 4));
	WRITES("abcdefgh", text_cut(file, "abcdefgh", 3)); /* three dots would say nothing */
	WRITES("abcdefgh", text_cut_front(file, "abcdefgh", 8));
	WRITES("...efgh", text_cut_front(file, "abcdefgh", 7));
	WRITES("...h", text_cut_front(file, "abcdefgh", 4));
	WRITES("abcdefgh", text_cut_front(file, "abcdefgh", 3));
	WRITES("\xC3\xA4\xC3\xB6...",
	       text_cut(file, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4x", 5));
	WRITES("...\xC3\xA4x",
	       text_cut_front(file, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4x", 5));
}
END_TEST

START_TEST(labels)
{
	WRITES(",a=\"\"", text_label(file, ",a=", ""));
	WRITES("\"b\\\\c\\\"d\\ne\"", text_label(file, "", "b\\c\"d\ne"));
	WRITES("\"\xEF\xBF\xBD\xC3\xA4\"", text_label(file, "", "\xFF\xC3\xA4"));
}
END_TEST

/* A count of 64 bits has more digits than a double. */
START_TEST(numbers)
{
	WRITES("18446744073709551615", text_scaled(file, UINT64_MAX, 1));
	WRITES("9007199254740993", text_scaled(file, UINT64_C(9007199254740993), 1));
	WRITES("0.5", text_scaled(file, 500, 1e-3));
}
END_TEST

static void check_number(const char *wanted, uint64_t n)
{
	char number[32];

	ck_assert_uint_eq(text_number(number, sizeof(number), n), strlen(wanted));
	ck_assert_str_eq(number, wanted);
}

START_TEST(thousands)
{
	check_number("0", 0);
	check_number("999", 999);
	check_number("1,000", 1000);
	check_number("999,999", 999999);
	check_number("1,000,000", 1000000);
	check_number("18,446,744,073,709,551,615", UINT64_MAX);
}
END_TEST

static void check_fixed(double value)
{
	char wanted[400], got[400];
	unsigned int places;

	for (places = 0; places <= 6; places++) {
		size_t n = (size_t)snprintf(wanted, sizeof(wanted), "%.*f", (int)places, value);

		ck_assert_uint_eq(text_fixed(got, sizeof(got), value, places), n);
		ck_assert_str_eq(got, wanted);
	}
}

/* printf() is the judge: halves, which go to the even digit, and their neighbours included. */
START_TEST(fixed)
{
	const double odd[] = { 0, -0.0, -1.5, 0.5, 1.5, 2.5, 0.125, 0.375, 1e300, INFINITY, NAN };
	uint64_t seed = 1;
	unsigned int i;
	char small[4];

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		check_fixed(odd[i]);
	for (i = 0; i < 20000; i++) {
		double half = (double)(i + 0.5) / 1e3;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		check_fixed(half);
		check_fixed(nextafter(half, 0));
		check_fixed(nextafter(half, 1e9));
		check_fixed(ldexp((double)(seed >> 11), -(int)(seed & 63)));
	}
	ck_assert_uint_eq(text_fixed(small, sizeof(small), 12.345, 3),
			  6); /* cut, as by snprintf() */
	ck_assert_str_eq(small, "12.");
}
END_TEST

/* Eight bytes are judged at a time: each place of each byte, and lengths around eight. */
START_TEST(ascii)
{
	char letters[25];
	size_t size, i;
	int c;

	for (size = 0; size < sizeof(letters); size++)
		for (i = 0; i < size; i++)
			for (c = 0; c < 256; c++) {
				memset(letters, i % 2 ? '~' : ' ', sizeof(letters));
				letters[i] = (char)c;
				ck_assert_uint_eq(text_ascii(letters, size),
						  c >= ' ' && c <= '~' ? size : i);
			}
}
END_TEST

START_TEST(pads)
{
	WRITES("", text_blanks(file, 0));
	WRITES("", text_blanks(file, -3));
	WRITES("                                 |", (text_blanks(file, 33), fputc('|', file)));
	WRITES("  \xC3\xA4x", text_right(file, "\xC3\xA4x", 4));
	WRITES("abc", text_right(file, "abc", 2));
}
END_TEST

START_TEST(widths)
{
	ck_assert_int_eq(text_width(""), 0);
	ck_assert_int_eq(text_width("\xC3\xA4x"), 2);
	ck_assert_int_eq(text_width("\xC3"), 1);
	WRITES("?x  ", text_terminal(file, "\033x", 4));
	WRITES("??", text_terminal(file, "\xC3\xE2", 0));
	WRITES("?", text_terminal(file, "\xE2\x80\xAE", 0)); /* turns around what is after it */
}
END_TEST

/* A letter's first bytes wait for the others. */
START_TEST(halves)
{
	WRITES("a", ck_assert_uint_eq(text_plain(file, "a\xE2\x82", 3), 1));
	WRITES("a\xE2\x82\xAC\n", ck_assert_uint_eq(text_plain(file, "a\xE2\x82\xAC\n", 5), 5));
	WRITES("a?b\t", ck_assert_uint_eq(text_plain(file, "a\033b\t", 4), 4));
}
END_TEST

/* A line has so many letters, and not one more; what is longer than any begins one. */
START_TEST(lines)
{
	struct fit fit = { .columns = 10, .indent = 2 };

	fit_used(&fit, 5);
	ck_assert(fit_has_room(&fit, "12345"));
	ck_assert(!fit_has_room(&fit, "123456"));
	WRITES("12345\n  a", (fit = (struct fit){ .file = file, .columns = 10, .indent = 2 },
			      fit_used(&fit, 5), fit_put(&fit, "12345"), fit_put(&fit, " a")));
	WRITES("\n  123456789\n", (fit = (struct fit){ .file = file, .columns = 10, .indent = 2 },
				   fit_used(&fit, 5), fit_words(&fit, "123456789"), fit_end(&fit)));
	/* What is no terminal has lines of any length. */
	fit = (struct fit){ .used = 1000 };
	ck_assert(fit_has_room(&fit, "123456"));
}
END_TEST

static ssize_t count_write(void *cookie, const char *part, size_t size)
{
	unsigned int *n = cookie;

	(void)part;
	++*n;
	return (ssize_t)size;
}

/* A table reaches a stream without a buffer, as stderr is, in one piece, not letter by letter. */
START_TEST(writes)
{
	const cookie_io_functions_t functions = { .write = count_write };
	unsigned int n = 0, i;
	FILE *file = fopencookie(&n, "w", functions), *door;

	ck_assert_ptr_nonnull(file);
	setbuf(file, NULL);
	door = terminal_open(file);
	for (i = 0; i < 20; i++)
		fprintf(door, "a line, \xE2\x82\xAC, and \033\n");
	terminal_close(door);
	fclose(file);
	ck_assert_uint_eq(n, 1);
}
END_TEST

/* Words are found in any case, at the beginning, the end and after a part of themselves. */
START_TEST(finds)
{
	static const char name[] = "PAPAPI_tot_INS";

	ck_assert_ptr_eq(text_find(name, "papi_"), name + 2);
	ck_assert_ptr_eq(text_find(name, "pap"), name);
	ck_assert_ptr_eq(text_find(name, "TOT_ins"), name + 7);
	ck_assert_ptr_eq(text_find(name, ""), name);
	ck_assert_ptr_null(text_find(name, "inst"));
	ck_assert_ptr_null(text_find("", "i"));
	ck_assert_ptr_nonnull(text_find("", ""));
}
END_TEST

UNIT_MAIN("text", 20, cut, labels, numbers, thousands, fixed, ascii, pads, widths, halves, lines,
	  writes, finds)
