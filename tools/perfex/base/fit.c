// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/door.h"
#include "tools/perfex/base/fit.h"
#include "tools/perfex/base/text.h"

struct fit fit_begin(FILE *file, int indent)
{
	return (struct fit){ .file = file, .columns = door_columns(file), .indent = indent };
}

void fit_used(struct fit *fit, int letters)
{
	fit->used += letters;
}

int fit_has_room(const struct fit *fit, const char *text)
{
	return !fit->columns || fit->used + text_width(text) <= fit->columns;
}

void fit_next(struct fit *fit)
{
	fprintf(fit->file, "\n%*s", fit->indent, "");
	fit->used = fit->indent;
}

void fit_put(struct fit *fit, const char *text)
{
	/* What is too long for a line of its own gains nothing by it. */
	if (!fit_has_room(fit, text) && fit->used > fit->indent) {
		fit_next(fit);
		text += strspn(text, " ");
	}
	text_terminal(fit->file, text, 0);
	fit->used += text_width(text);
}

void fit_words(struct fit *fit, const char *text)
{
	size_t blanks, length;
	char *word;

	for (; *text; text += length) {
		blanks = strspn(text, " ");
		length = blanks + strcspn(text + blanks, " ");
		word = need(strndup(text, length));
		fit_put(fit, word);
		free(word);
	}
}

void fit_lines(FILE *file, const char *text, int indent)
{
	struct fit fit = fit_begin(file, indent);
	size_t length;
	char *line;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		line = need(strndup(text, length));
		fit_words(&fit, line);
		fit_end(&fit);
		free(line);
	}
}

void fit_end(struct fit *fit)
{
	fputc('\n', fit->file);
	fit->used = 0;
}
