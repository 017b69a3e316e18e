/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * terminal.h - how all that is meant for a person reaches a terminal, or a file that is shown on
 * one later: names of others have nothing in them that it obeys, whoever prints them. Colours, and
 * lines that fit it.
 */
#ifndef PERFCTR_TOOLS_TERMINAL_H
#define PERFCTR_TOOLS_TERMINAL_H

#include <stdio.h>

/* Another stream of the same file, by which all is printed until it is closed. There is one. */
FILE *terminal_open(FILE *file);
void terminal_close(FILE *stream);

/* What the terminal is to obey, such as a colour, in either stream. */
void terminal_command(FILE *file, const char *command);

/* Whether either stream is that of a terminal; its columns, or 0 if it is none. */
int terminal_is_one(FILE *file);
int terminal_columns(FILE *file);

/* Colours are for a person who sees them: on a terminal that has them, unless NO_COLOR is set. */
enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_UNSURE };

/* What is printed in between has the colour. */
void colour_begin(FILE *file, enum colour colour);
void colour_end(FILE *file, enum colour colour);

/* A line that is being printed; what would be broken anywhere goes on in a line of its own. */
struct fit {
	FILE *file;
	int columns; /* of the terminal; 0: lines may have any length */
	int used;    /* of these */
	int indent;  /* of the lines in which it goes on */
};

struct fit fit_begin(FILE *file, int indent);

/* The line has so many letters already. */
void fit_used(struct fit *fit, int letters);

/* Whether text fits into what the line has left. */
int fit_has_room(const struct fit *fit, const char *text);

/* Text in one piece, in a new line if it does not fit. */
void fit_put(struct fit *fit, const char *text);

/* Text whose words may go on in new lines. */
void fit_words(struct fit *fit, const char *text);

/* Lines, which go on in lines with this indent. */
void fit_lines(FILE *file, const char *text, int indent);

void fit_next(struct fit *fit);
void fit_end(struct fit *fit);

#endif /* PERFCTR_TOOLS_TERMINAL_H */
