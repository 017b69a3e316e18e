/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* text.h - writes names and sentences from outside so that their reader can't misread them. */
#ifndef PERFCTR_TOOLS_TEXT_H
#define PERFCTR_TOOLS_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* A count times a scale, with all its digits. */
void text_scaled(FILE *file, uint64_t count, double scale);

/*
 * Write to memory: a number as "1,234,567", and what printf() writes for "%.*f", of up to 6 places,
 * in a tenth of its instructions. Return the length, as snprintf() does.
 */
size_t text_number(char *text, size_t size, uint64_t n);
size_t text_fixed(char *text, size_t size, double value, unsigned int places);

/* Writes "before", and a field of CSV, RFC 4180. */
void text_csv(FILE *file, const char *before, const char *text);

/* Writes "before", and a string of JSON; bytes that are not UTF-8 become U+FFFD. */
void text_json(FILE *file, const char *before, const char *text);

/* The value of a label, as OpenMetrics has it, in quotes. */
void text_label(FILE *file, const char *before, const char *text);

/* The bytes of the letter that text begins with; 0: it is a control character, or no UTF-8. */
size_t text_letter(const char *text);

/*
 * Write text for a person. Terminals obey control characters, of which there are more beyond ASCII
 * (C1, which are valid UTF-8, too), and invisible characters make one name look like another. So
 * only visible ones are printed, and a question mark for each of the others.
 */

/* Text with its lines. Returns the bytes that were printed: not half a letter at the end. */
size_t text_plain(FILE *file, const char *text, size_t size);

/* The number of bytes that a text begins with that are visible in ASCII. */
size_t text_ascii(const char *text, size_t size);

void text_blanks(FILE *file, int n);

/* Writes a word, padded with spaces to this width. Returns how many letters were written. */
int text_terminal(FILE *file, const char *text, int width);

/* Write a word with the padding before it, or cut off at this width. */
void text_right(FILE *file, const char *text, int width);
void text_cut(FILE *file, const char *text, int width);

/* Omits the first characters, if there are too many. */
void text_cut_front(FILE *file, const char *text, int width);

/* Returns the first place of the words, in any case of ASCII letters; NULL: there is none. */
const char *text_find(const char *text, const char *words);

/* The length of the first item of a list with commas: a name, or a group in braces. */
size_t text_item(const char *list);

/* Writes words with blanks between them. */
void text_words(FILE *file, char *const *words);

/* How many letters it has. */
int text_width(const char *text);

#endif /* PERFCTR_TOOLS_TEXT_H */
