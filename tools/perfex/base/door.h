/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * door.h - the door through which all that is meant for a person reaches a terminal, or a file that
 * is shown on one later: names of others have nothing in them that it obeys, whoever prints them.
 */
#ifndef PERFCTR_TOOLS_DOOR_H
#define PERFCTR_TOOLS_DOOR_H

#include <stdio.h>

/* Another stream of the same file, by which all is printed until it is closed. There is one. */
FILE *door_open(FILE *file);
void door_close(FILE *door);

/* What the terminal is to obey, such as a colour, in either stream. */
void door_command(FILE *file, const char *command);

/* Whether either stream is that of a terminal; its columns, or 0 if it is none. */
int door_is_terminal(FILE *file);
int door_columns(FILE *file);

#endif /* PERFCTR_TOOLS_DOOR_H */
