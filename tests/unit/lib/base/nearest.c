// SPDX-License-Identifier: LGPL-2.1-or-later
/* The nearest right names to a wrong one: which are near, and in which order they are named. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

static const char *nearest(const char *word, size_t n, const char *const *names)
{
	/* After the names is none. */
	struct {
		struct perfctr_nearest near;
		char after[PERFCTR_NAME_SIZE];
	} all = { { .word = word, .length = strlen(word) }, "after" };
	static char text[PERFCTR_NEAREST_TEXT];
	size_t i;

	for (i = 0; i < n; i++)
		perfctr_nearest_note(&all.near, names[i]);
	return perfctr_nearest_text(&all.near, "; nothing", text, sizeof(text));
}

#define NEAREST(word, expected, ...)                                                 \
	do {                                                                         \
		static const char *const names[] = { __VA_ARGS__ };                  \
                                                                                     \
		ck_assert_str_eq(nearest(word, ARRAY_SIZE(names), names), expected); \
	} while (0)

START_TEST(distances)
{
	/* A letter too many, too few, another one, two swapped; capitals don't matter. */
	NEAREST("cycle", "; did you mean cycles?", "cycles");
	NEAREST("cyccles", "; did you mean cycles?", "cycles");
	NEAREST("cycels", "; did you mean cycles?", "cycles");
	NEAREST("xycles", "; did you mean CYCLES?", "CYCLES");
	/* A third of the letters and one more may be wrong. */
	NEAREST("abc", "; did you mean axy?", "axy");
	NEAREST("abc", "; nothing", "xyz");
	NEAREST("abcdef", "; did you mean abcxyz?", "abcxyz");
	NEAREST("abcdef", "; nothing", "abwxyz");
	NEAREST("ab", "; did you mean xb?", "xb");
	NEAREST("ab", "; nothing", "xy");
	NEAREST("abcdef", "; did you mean abc?", "abc");
	NEAREST("abcdef", "; nothing", "ab");
	NEAREST("abcdef", "; did you mean abcdefghi?", "abcdefghi");
	NEAREST("abcdef", "; nothing", "abcdefghij");
	/* Others and more, or less, add up. */
	NEAREST("abcdef", "; nothing", "xycdefgh");
	NEAREST("abcdef", "; did you mean xbcdefgh?", "xbcdefgh");
	NEAREST("abcdefgh", "; nothing", "xycdef");
	NEAREST("abcdefgh", "; did you mean xbcdef?", "xbcdef");
	/* Insertions in front count as after. */
	NEAREST("abcdef", "; did you mean xyzabcdef?", "xyzabcdef");
	NEAREST("abcdef", "; did you mean def?", "def");
}
END_TEST

START_TEST(orders)
{
	/* The nearest first; the first of those that are as near; three at most; each once. */
	NEAREST("abcdef", "; did you mean abcdex, abcdxx or abcxxx?", "abcxxx", "abcdxx", "abcdex");
	NEAREST("abcdef", "; did you mean abcdex, abcdxx or abcxxx?", "abcdex", "abcdxx", "abcxxx",
		"abcyyy");
	NEAREST("abcdef", "; did you mean abcdex, abcdey or abcdez?", "abcxxx", "abcdex", "abcdey",
		"abcdez", "abcdew");
	NEAREST("abcdef", "; did you mean abcdex or abcdxx?", "abcdex", "abcdxx", "abcdex",
		"ABCDXX");
	NEAREST("abcdef", "; did you mean abcdxx or abcxxx?", "abcxxx", "abcdxx");
	NEAREST("abcdef", "; nothing", "");
	/* A word begins where it begins. */
	NEAREST(&"zabcdef"[1], "; did you mean abcdeg or zabcdef?", "abcdeg", "zabcdef");
}
END_TEST

/* The longest names, and one letter more. */
START_TEST(long_names)
{
	char word[PERFCTR_NAME_SIZE + 1], name[PERFCTR_NAME_SIZE + 1], expected[512];
	const char *names[] = { name };

	memset(word, 'w', sizeof(word));
	memset(name, 'w', sizeof(name));
	word[PERFCTR_NAME_SIZE - 1] = name[PERFCTR_NAME_SIZE - 1] = '\0';
	name[0] = 'x';
	snprintf(expected, sizeof(expected), "; did you mean %s?", name);
	ck_assert_str_eq(nearest(word, 1, names), expected);
	/* Neither the word nor the name may be longer. */
	word[PERFCTR_NAME_SIZE - 1] = 'w';
	word[PERFCTR_NAME_SIZE] = '\0';
	ck_assert_str_eq(nearest(word, 1, names), "; nothing");
	word[PERFCTR_NAME_SIZE - 1] = '\0';
	name[PERFCTR_NAME_SIZE - 1] = 'w';
	name[PERFCTR_NAME_SIZE] = '\0';
	ck_assert_str_eq(nearest(word, 1, names), "; nothing");
}
END_TEST

/* Three names of any length have room in the text. */
START_TEST(long_texts)
{
	struct perfctr_nearest near = { .word = "", .length = 0 };
	char text[PERFCTR_NEAREST_TEXT];
	unsigned int i;

	for (i = 0; i < PERFCTR_NEAREST; i++) {
		memset(near.name[i], 'a' + (int)i, PERFCTR_NAME_SIZE - 1);
		near.name[i][PERFCTR_NAME_SIZE - 1] = '\0';
	}
	perfctr_nearest_text(&near, "", text, sizeof(text));
	ck_assert_uint_eq(strlen(text), strlen("; did you mean ") + 3 * (PERFCTR_NAME_SIZE - 1) +
						strlen(",  or ?"));
	/* Cut off where there is less. */
	memset(text, 0, sizeof(text));
	perfctr_nearest_text(&near, "", text, 100);
	ck_assert_uint_eq(strlen(text), 99);
	memset(text, 0, sizeof(text));
	near.name[1][0] = '\0';
	perfctr_nearest_text(&near, "", text, strlen("; did you mean ") + PERFCTR_NAME_SIZE);
	ck_assert_uint_eq(strlen(text), strlen("; did you mean ") + PERFCTR_NAME_SIZE - 1);
}
END_TEST

UNIT_MAIN("nearest", 60, distances, orders, long_names, long_texts)
