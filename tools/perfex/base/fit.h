/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fit.h - lines that fit the terminal: what would be broken anywhere goes on in a line of its own.
 */
#ifndef PERFCTR_TOOLS_FIT_H
#define PERFCTR_TOOLS_FIT_H

#include <stdio.h>

/* A line that is being printed. */
struct fit {
	FILE *file;
	int columns; /* of the terminal; 0: lines may have any length */
	int used;    /* of these */
	int indent;  /* of the lines in which it goes on */
};

struct fit fit_begin(FILE *file, int indent);

/* The line has so many letters already. */
void fit_used(struct fit *fit, int letters);

/* Whether text fits behind what the line has. */
int fit_has_room(const struct fit *fit, const char *text);

/* Text in one piece, in a new line if it does not fit. */
void fit_put(struct fit *fit, const char *text);

/* Text whose words may go on in new lines. */
void fit_words(struct fit *fit, const char *text);

/* Lines, which go on in lines with this indent. */
void fit_lines(FILE *file, const char *text, int indent);

void fit_next(struct fit *fit);
void fit_end(struct fit *fit);

#endif /* PERFCTR_TOOLS_FIT_H */
