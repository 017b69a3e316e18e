// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/quote.h"

unsigned int perfctr_utf8_length(const char *word)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *text = (const unsigned char *)word;
	unsigned int n = *text < 0x80 ? 1 : *text < 0xE0 ? 2 : *text < 0xF0 ? 3 : 4, i;
	uint32_t letter = n == 1 ? *text : *text & (0xFFu >> (n + 1));

	for (i = 1; i < n; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		letter = letter << 6 | (text[i] & 0x3F);
	}
	/*
	 * This refuses the middle of a character, overlong forms, surrogates, and numbers beyond
	 * Unicode.
	 */
	if ((*text & 0xC0) == 0x80 || *text >= 0xF8 || letter < least[n] || letter >> 11 == 0x1B ||
	    letter > 0x10FFFF)
		return 0;
	return n;
}

bool perfctr_utf8_controls(const char *letter)
{
	const unsigned char *text = (const unsigned char *)letter;

	return *text < ' ' || *text == 0x7F || (*text == 0xC2 && text[1] < 0xA0);
}

/* The bytes of a string that JSON has as they are. */
static size_t plain_length(const char *word)
{
	size_t n = 0;
	unsigned int letter;

	while (word[n] && word[n] != '"' && word[n] != '\\') {
		letter = perfctr_utf8_length(word + n);
		if (!letter || perfctr_utf8_controls(word + n))
			break;
		n += letter;
	}
	return n;
}

void perfctr_put_json(perfctr_put *put, void *to, const char *word)
{
	size_t n;

	put(to, "\"", 1);
	for (; *word; word += n) {
		char escape[8];

		n = plain_length(word);
		if (n) {
			put(to, word, n);
			continue;
		}
		n = perfctr_utf8_length(word);
		if (*word == '"' || *word == '\\')
			snprintf(escape, sizeof(escape), "\\%c", *word);
		else
			snprintf(escape, sizeof(escape), "\\u%04x",
				 n ? (unsigned char)word[n - 1] : 0xFFFD);
		put(to, escape, strlen(escape));
		n = n ? n : 1;
	}
	put(to, "\"", 1);
}

void perfctr_put_csv(perfctr_put *put, void *to, const char *word)
{
	size_t n;

	if (!strpbrk(word, ",\"\r\n")) {
		put(to, word, strlen(word));
		return;
	}
	put(to, "\"", 1);
	for (; *word; word += n) {
		n = strcspn(word, "\"");
		/* A quote is written twice. */
		put(to, word, n + (word[n] == '"'));
		n += word[n] == '"';
		if (word[n - 1] == '"')
			put(to, "\"", 1);
	}
	put(to, "\"", 1);
}
