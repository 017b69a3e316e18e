/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* text.h - names and sentences of others, written so that whoever reads them understands them. */
#ifndef PERFCTR_TOOLS_TEXT_H
#define PERFCTR_TOOLS_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* A count times a scale, with all its digits. */
void text_scaled(FILE *file, uint64_t count, double scale);

/* What stands before it, and a field of CSV, RFC 4180. */
void text_csv(FILE *file, const char *before, const char *text);

/* The same, and a string of JSON; what is no UTF-8 becomes U+FFFD. */
void text_json(FILE *file, const char *before, const char *text);

/* The value of a label, as OpenMetrics has it, in quotes. */
void text_label(FILE *file, const char *before, const char *text);

/* The bytes of the letter that text begins with; 0: it is a control character, or no UTF-8. */
size_t text_letter(const char *text);

/*
 * For a person. Terminals obey control characters, of which there are more beyond ASCII (C1, which
 * are valid UTF-8, too), and letters that can't be seen make one name look like another. So only
 * what can be seen is printed, and a question mark for each of the others.
 */

/* Text with its lines. Returns the bytes that were printed: not half a letter at the end. */
size_t text_plain(FILE *file, const char *text, size_t size);

/* A word, filled up with spaces to so many letters; or cut off beyond them. */
void text_terminal(FILE *file, const char *text, int width);
void text_cut(FILE *file, const char *text, int width);

/* Without its first letters, if there are more. */
void text_cut_front(FILE *file, const char *text, int width);

/* How many letters it has. */
int text_width(const char *text);

#endif /* PERFCTR_TOOLS_TEXT_H */
