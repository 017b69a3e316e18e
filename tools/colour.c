// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "colour.h"

/* https://no-color.org: the variable counts if it is not empty. */
static bool has_colours(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(no && *no) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(fileno(file));
}

const char *colour_begin(FILE *file, enum colour colour)
{
	static const char *const codes[] = { "", "\033[31m", "\033[33m" };

	return has_colours(file) ? codes[colour] : "";
}

const char *colour_end(FILE *file, enum colour colour)
{
	return colour != COLOUR_NONE && has_colours(file) ? "\033[0m" : "";
}
