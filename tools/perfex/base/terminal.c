// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/base/width.h"

/* ---- the stream ---- */

static struct {
	FILE *stream, *file;
	char half[8]; /* a letter's first bytes */
	size_t size;  /* number of bytes in it */
} now;

/* Writes the text's plain form at once, since stderr has no buffer. Returns how much was whole. */
static size_t write_plain(const char *text, size_t n)
{
	char *plain = NULL;
	size_t size = 0, done;
	FILE *memory;

	for (done = text_ascii(text, n); done < n && text[done] == '\n';
	     done += text_ascii(text + done, n - done))
		done++;
	if (done == n) { /* as it mostly is */
		fwrite(text, 1, n, now.file);
		return n;
	}
	memory = need(open_memstream(&plain, &size));

	done = text_plain(memory, text, n);
	if (fclose(memory) != 0)
		need(NULL);
	fwrite(plain, 1, size, now.file);
	free(plain);
	return done;
}

/* Part of a text, which may begin and end in a letter's middle. */
static ssize_t write_part(void *cookie, const char *part, size_t size)
{
	char *text = need(malloc(now.size + size + 1));
	size_t n = now.size + size, done;

	(void)cookie;
	memcpy(text, now.half, now.size);
	memcpy(text + now.size, part, size);
	text[n] = '\0';
	done = write_plain(text, n);
	now.size = n - done;
	memcpy(now.half, text + done, now.size);
	free(text);
	return (ssize_t)size;
}

FILE *terminal_open(FILE *file)
{
	const cookie_io_functions_t functions = { .write = write_part };

	now.file = file;
	now.size = 0;
	if (!now.stream) { /* each interval opens it */
		now.stream = need(fopencookie(NULL, "w", functions));
		__fsetlocking(now.stream, FSETLOCKING_BYCALLER); /* no thread shares it */
	}
	return now.stream;
}

void terminal_close(FILE *stream)
{
	fflush(stream);
	for (; now.size; now.size--)
		fputc('?', now.file);
}

/* Returns the stream behind this one. */
static FILE *file_of(FILE *file)
{
	return file == now.stream ? now.file : file;
}

void terminal_command(FILE *file, const char *command)
{
	fflush(file);
	fputs(command, file_of(file));
}

int terminal_is_one(FILE *file)
{
	return width_has(fileno(file_of(file)));
}

int terminal_columns(FILE *file)
{
	return width_of(fileno(file_of(file)));
}

/* ---- colours ---- */

/* https://no-color.org: the variable counts if it is not empty. */
static bool has_colours(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(no && *no) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       terminal_is_one(file);
}

void colour_begin(FILE *file, enum colour colour)
{
	static const char *const codes[] = { "", "\033[31m", "\033[33m" };

	if (colour != COLOUR_NONE && has_colours(file))
		terminal_command(file, codes[colour]);
}

void colour_end(FILE *file, enum colour colour)
{
	if (colour != COLOUR_NONE && has_colours(file))
		terminal_command(file, "\033[0m");
}

/* ---- lines that fit ---- */

struct fit fit_begin(FILE *file, int indent)
{
	return (struct fit){ .file = file, .columns = terminal_columns(file), .indent = indent };
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
	/* A text that is too long even for a line of its own is broken here. */
	if (!fit_has_room(fit, text) && fit->used > fit->indent) {
		fit_next(fit);
		text += strspn(text, " ");
	}
	fit->used += text_terminal(fit->file, text, 0);
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
