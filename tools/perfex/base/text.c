// SPDX-License-Identifier: LGPL-2.1-or-later
#include <langinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
#include "lib/base/letters.h"
#include "lib/base/quote.h"
#include "tools/perfex/base/text.h"

void text_scaled(FILE *file, uint64_t count, double scale)
{
	if (scale == 1)
		fprintf(file, "%llu", (unsigned long long)count);
	else
		fprintf(file, "%.15g", (double)count * scale);
}

static void put_bytes(void *file, const char *bytes, size_t size)
{
	fwrite(bytes, 1, size, file);
}

void text_csv(FILE *file, const char *before, const char *text)
{
	fputs(before, file);
	perfctr_put_csv(put_bytes, file, text);
}

void text_json(FILE *file, const char *before, const char *text)
{
	fputs(before, file);
	perfctr_put_json(put_bytes, file, text);
}

size_t text_letter(const char *text)
{
	return perfctr_utf8_controls(text) ? 0 : perfctr_utf8_length(text);
}

void text_label(FILE *file, const char *before, const char *text)
{
	unsigned int n;

	fprintf(file, "%s\"", before);
	for (; *text; text += n ? n : 1) {
		n = perfctr_utf8_length(text);
		if (*text == '\n')
			fputs("\\n", file);
		else if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (n == 0)
			fputs("\xEF\xBF\xBD", file);
		else
			fwrite(text, 1, n, file);
	}
	fputc('"', file);
}

/* ---- numbers ---- */

/* Writes a number's digits, at least this many, up to the end. Returns the first one. */
static char *put_digits(char *end, uint64_t n, unsigned int least)
{
	for (; n || least; n /= 10, least -= least > 0)
		*--end = (char)('0' + n % 10);
	return end;
}

size_t text_number(char *text, size_t size, uint64_t n)
{
	char digits[20], *end = digits + sizeof(digits), *first = put_digits(end, n, 1);
	size_t k = 0;

	for (; first < end && k + 2 < size; first++) {
		text[k++] = *first;
		if (end - first > 1 && (end - first) % 3 == 1)
			text[k++] = ',';
	}
	text[k] = '\0';
	return k;
}

/*
 * A product up to here is off by at most 2^-13, so that only those this near to a half may be
 * rounded otherwise than the exact product is.
 */
#define LARGEST 0x1p40
#define NEAR	0x1p-12

/* Whether a product is rounded as an exact one would be, and to what. */
static bool round_product(double product, uint64_t *n)
{
	double part;

	if (!(product >= 0 && product < LARGEST))
		return false;
	*n = (uint64_t)product;
	part = product - (double)*n - 0.5;
	*n += part > 0;
	return part < -NEAR || part > NEAR;
}

size_t text_fixed(char *text, size_t size, double value, unsigned int places)
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	char digits[20], *end = digits + sizeof(digits), *first;
	size_t whole; /* digits before the point */
	uint64_t n;

	if (size < sizeof(digits) || signbit(value) || !round_product(value * powers[places], &n))
		return (size_t)snprintf(text, size, "%.*f", (int)places, value);
	first = put_digits(end, n, places + 1);
	whole = (size_t)(end - first) - places;
	memcpy(text, first, whole);
	text[whole] = '.';
	memcpy(text + whole + 1, first + whole, places);
	text[whole + !!places + places] = '\0';
	return whole + !!places + places;
}

/* ---- for a person ---- */

/*
 * Whether a character reverses its neighbours, or is invisible: a name could look like another one.
 */
static bool is_hidden(const char *text, unsigned int n)
{
	static const uint32_t ranges[][2] = {
		{ 0x061C, 0x061C }, { 0x180E, 0x180E }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
		{ 0x2060, 0x206F }, { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB }, { 0xE0000, 0xE0FFF },
	};
	uint32_t letter = (unsigned char)*text & (0xFFu >> (n + 1));
	unsigned int i;

	for (i = 1; i < n; i++)
		letter = letter << 6 | ((unsigned char)text[i] & 0x3F);
	for (i = 0; n > 1 && i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (letter >= ranges[i][0] && letter <= ranges[i][1])
			return true;
	return false;
}

/* Where the locale names no encoding, as in a container without LANG, terminals have UTF-8, too. */
static bool is_utf8(void)
{
	const char *codeset = nl_langinfo(CODESET);

	return !strcmp(codeset, "UTF-8") || !strncmp(codeset, "ANSI_X3.4", 9) ||
	       !strcmp(codeset, "ASCII") || !strcmp(codeset, "US-ASCII");
}

/* Decodes a character of an encoding other than UTF-8. */
static size_t foreign_letter(const char *text, size_t left, bool *shown)
{
	mbstate_t state;
	wchar_t letter;
	size_t length;

	memset(&state, 0, sizeof(state));
	length = mbrtowc(&letter, text, left, &state);
	*shown = length && length <= left && iswprint((wint_t)letter);
	return length == (size_t)-2 ? 0 : length && length <= left ? length : 1;
}

/* The bytes of text's first letter, and whether it is shown; 0: those that are left are too few. */
static size_t next_letter(const char *text, size_t left, bool *shown)
{
	const unsigned char *first = (const unsigned char *)text;
	size_t wanted = *first < 0xC0 ? 1 : *first < 0xE0 ? 2 : *first < 0xF0 ? 3 : 4;
	unsigned int n;

	/* ASCII is the same in all character sets that a locale may have. */
	*shown = *first >= ' ' && *first <= '~';
	if (*shown)
		return 1;
	if (!is_utf8())
		return foreign_letter(text, left, shown);
	if (*first < 0xF8 && wanted > left)
		return 0;
	n = perfctr_utf8_length(text);
	*shown = text_letter(text) && !is_hidden(text, n);
	return n ? n : 1;
}

/* Whether eight bytes are ASCII letters: from ' ' to '~'. */
static bool is_ascii(const char *text)
{
	const uint64_t ones = 0x0101010101010101, highs = 0x80 * ones;
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return !((word | (word + ones) | ~((word | highs) - ' ' * ones)) & highs);
}

size_t text_ascii(const char *text, size_t size)
{
	size_t n = 0;

	while (n + 8 <= size && is_ascii(text + n))
		n += 8;
	if (n && n + 8 > size && is_ascii(text + size - 8))
		return size;
	while (n < size && text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

size_t text_plain(FILE *file, const char *text, size_t size)
{
	size_t left = size, length;
	bool shown;

	for (; left; text += length, left -= length) {
		length = text_ascii(text, left);
		if (length) {
			fwrite(text, 1, length, file);
			continue;
		}
		length = next_letter(text, left, &shown);
		if (!length)
			break;
		if (shown || *text == '\n' || *text == '\t')
			fwrite(text, 1, length, file);
		else
			fputc('?', file);
	}
	return size - left;
}

int text_width(const char *text)
{
	size_t left = strlen(text), length;
	int width = (int)text_ascii(text, left);
	bool shown;

	for (text += width, left -= (size_t)width; left; text += length, left -= length, width++) {
		length = next_letter(text, left, &shown);
		if (!length)
			length = 1;
	}
	return width;
}

void text_blanks(FILE *file, int n)
{
	static const char blanks[] = "                                ";
	const int most = sizeof(blanks) - 1;

	for (; n > 0; n -= most)
		fwrite(blanks, 1, (size_t)(n < most ? n : most), file);
}

int text_terminal(FILE *file, const char *text, int width)
{
	size_t left = strlen(text), length = text_ascii(text, left);
	int letters = (int)length;
	bool shown;

	fwrite(text, 1, length, file);
	for (text += length, left -= length; left; text += length, left -= length, letters++) {
		length = next_letter(text, left, &shown);
		if (length && shown)
			fwrite(text, 1, length, file);
		else
			fputc('?', file);
		length = length ? length : 1;
	}
	text_blanks(file, width - letters);
	return letters < width ? width : letters;
}

void text_right(FILE *file, const char *text, int width)
{
	text_blanks(file, width - text_width(text));
	text_terminal(file, text, 0);
}

/* The letters of text that fit. */
static size_t bytes_of(const char *text, int width)
{
	size_t left = strlen(text), length, n = 0;
	bool shown;

	for (; left && width-- > 0; n += length, left -= length) {
		length = next_letter(text + n, left, &shown);
		if (!length)
			length = 1;
	}
	return n;
}

void text_cut_front(FILE *file, const char *text, int width)
{
	int cut = text_width(text) - width;

	if (cut > 0 && width >= 4) {
		fputs("...", file);
		text += bytes_of(text, cut + 3);
	}
	text_terminal(file, text, 0);
}

const char *text_find(const char *text, const char *words)
{
	size_t length = strlen(words);

	while (*text && perfctr_letters_compare(text, words, length) != 0)
		text++;
	return *text || !length ? text : NULL;
}

void text_cut(FILE *file, const char *text, int width)
{
	char *part;

	if (text_width(text) <= width || width < 4) {
		text_terminal(file, text, 0);
		return;
	}
	part = strndup(text, bytes_of(text, width - 3));
	text_terminal(file, part ? part : "", 0);
	fputs("...", file);
	free(part);
}

size_t text_item(const char *list)
{
	size_t n = perfctr_letters_until(list, ",{");

	while (list[n] == '{') {
		n += perfctr_letters_until(list + n, "}");
		n += perfctr_letters_until(list + n, ",{");
	}
	return n;
}

void text_words(FILE *file, char *const *words)
{
	for (; *words; words++)
		fprintf(file, "%s%s", *words, words[1] ? " " : "");
}
