// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
#include "text.h"

void text_scaled(FILE *file, uint64_t count, double scale)
{
	if (scale == 1)
		fprintf(file, "%llu", (unsigned long long)count);
	else
		fprintf(file, "%.15g", (double)count * scale);
}

void text_csv(FILE *file, const char *before, const char *text)
{
	fputs(before, file);
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* The length of the UTF-8 sequence that text begins with; 0 if it is none. */
static unsigned int utf8(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int n = *text < 0x80 ? 1 : *text < 0xE0 ? 2 : *text < 0xF0 ? 3 : 4, i;
	uint32_t letter = n == 1 ? *text : *text & (0xFFu >> (n + 1));

	for (i = 1; i < n; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		letter = letter << 6 | (text[i] & 0x3F);
	}
	/* Overlong forms, surrogates, and what is beyond Unicode. */
	if (*text >= 0xF8 || letter < least[n] || letter >> 11 == 0x1B || letter > 0x10FFFF)
		return 0;
	return n;
}

size_t text_letter(const char *text)
{
	const unsigned char *letter = (const unsigned char *)text;
	unsigned int n = utf8(letter);

	return *letter < ' ' || *letter == 0x7F || (*letter == 0xC2 && letter[1] < 0xA0) ? 0 : n;
}

void text_json(FILE *file, const char *before, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	unsigned int n;

	fprintf(file, "%s\"", before);
	while (*text) {
		n = utf8(text);
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (n == 0)
			fputs("\\ufffd", file);
		else if (!text_letter((const char *)text))
			fprintf(file, "\\u%04x", text[n - 1]);
		else
			fwrite(text, 1, n, file);
		text += n ? n : 1;
	}
	fputc('"', file);
}

void text_label(FILE *file, const char *before, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	unsigned int n;

	fprintf(file, "%s\"", before);
	for (; *text; text += n ? n : 1) {
		n = utf8(text);
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

void text_terminal(FILE *file, const char *text, int width)
{
	size_t left = strlen(text), length;
	mbstate_t state;
	wchar_t letter;

	memset(&state, 0, sizeof(state));
	for (; left; text += length, left -= length, width--) {
		length = mbrtowc(&letter, text, left, &state);
		if (length <= left && iswprint((wint_t)letter)) {
			fprintf(file, "%.*s", (int)length, text);
			continue;
		}
		if (length > left) {
			memset(&state, 0, sizeof(state));
			length = 1;
		}
		fputc('?', file);
	}
	while (width-- > 0)
		fputc(' ', file);
}
