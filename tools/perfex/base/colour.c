// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/colour.h"
#include "tools/perfex/base/door.h"

/* https://no-color.org: the variable counts if it is not empty. */
static bool has_colours(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(no && *no) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       door_is_terminal(file);
}

void colour_begin(FILE *file, enum colour colour)
{
	static const char *const codes[] = { "", "\033[31m", "\033[33m" };

	if (colour != COLOUR_NONE && has_colours(file))
		door_command(file, codes[colour]);
}

void colour_end(FILE *file, enum colour colour)
{
	if (colour != COLOUR_NONE && has_colours(file))
		door_command(file, "\033[0m");
}
