// SPDX-License-Identifier: LGPL-2.1-or-later
/* Others' words on a terminal and in files: what does not fit, what is in no encoding, edges. */
#include <locale.h>
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

UNIT_MAIN("text", 20, cut, labels, numbers, widths, halves, lines, writes, finds)
