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
 * For a person, filled up with spaces to so many characters. Terminals obey control characters, of
 * which there are more beyond ASCII (C1, which are valid UTF-8, too). So only what the user's
 * locale can print is printed.
 */
void text_terminal(FILE *file, const char *text, int width);

#endif /* PERFCTR_TOOLS_TEXT_H */
