/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * terminal.h - output for a person, on a terminal or in a file that a terminal shows later: names
 * from outside can't have control characters that the terminal would obey. It also has colours, and
 * breaks lines to the terminal's width.
 */
#ifndef PERFCTR_TOOLS_TERMINAL_H
#define PERFCTR_TOOLS_TERMINAL_H

#include <stdio.h>

/* Another stream of the same file, by which all is printed until it is closed. There is one. */
FILE *terminal_open(FILE *file);
void terminal_close(FILE *stream);

/* Writes a command to the terminal, such as a colour, in either stream. */
void terminal_command(FILE *file, const char *command);

/* Whether either stream is that of a terminal; its columns, or 0 if it is none. */
int terminal_is_one(FILE *file);
int terminal_columns(FILE *file);

/* Colours are used only on a terminal that has them, unless NO_COLOR is set. */
enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_UNSURE };

/* Text that is printed between the two has the colour. */
void colour_begin(FILE *file, enum colour colour);
void colour_end(FILE *file, enum colour colour);

/*
 * A line that is being printed, with the number of columns left; text that does not fit continues
 * in an indented line.
 */
struct fit {
	FILE *file;
	int columns; /* of the terminal; 0: lines may have any length */
	int used;    /* columns used */
	int indent;  /* of continued lines */
};

struct fit fit_begin(FILE *file, int indent);

/* Notes that the line has this many characters already. */
void fit_used(struct fit *fit, int letters);

/* Whether text fits into the rest of the line. */
int fit_has_room(const struct fit *fit, const char *text);

/* Text in one piece, in a new line if it does not fit. */
void fit_put(struct fit *fit, const char *text);

/* Prints text whose words may go on in new lines. */
void fit_words(struct fit *fit, const char *text);

/* Lines, which go on in lines with this indent. */
void fit_lines(FILE *file, const char *text, int indent);

void fit_next(struct fit *fit);
void fit_end(struct fit *fit);

#endif /* PERFCTR_TOOLS_TERMINAL_H */
