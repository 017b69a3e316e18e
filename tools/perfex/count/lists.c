// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/letters.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/lists.h"

enum { LARGEST = 1 << 20 };

static char *read_text(const char *path)
{
	char *text = need(malloc(LARGEST + 1));
	FILE *file = fopen(path, "r");
	size_t n;

	if (!file)
		die("-e @%s: %s", path, strerror(errno));
	n = fread(text, 1, LARGEST, file);
	if (ferror(file))
		die("-e @%s: %s", path, strerror(errno));
	if (!feof(file) && fgetc(file) != EOF)
		die("-e @%s: a list of events has at most %d bytes", path, LARGEST);
	fclose(file);
	text[n] = '\0';
	if (strlen(text) != n)
		die("-e @%s: it is no text", path);
	return text;
}

/* Makes blanks of comments, whose lines begin with '#'. */
static void blank_comments(char *text)
{
	char *line = text;

	while (*line) {
		char *first = line + strspn(line, " \t\r"), *end = line + strcspn(line, "\n");

		if (*first == '#')
			memset(first, ' ', (size_t)(end - first));
		line = *end ? end + 1 : end;
	}
}

/* Adds the text to the list, without the white space and the commas around it. */
static void add(FILE *list, const char *text, size_t length, bool group)
{
	while (length && strchr(" \t\r\n,", *text))
		text++, length--;
	while (length && strchr(" \t\r\n,", text[length - 1]))
		length--;
	if (!length)
		return;
	if (ftell(list) > 0)
		fputc(',', list);
	fprintf(list, group ? "{%.*s}" : "%.*s", (int)length, text);
}

/* ---- commands ---- */

/* The next word, by a shell's rules of quotes, in place. NULL: there is none. */
static char *next_word(char **rest)
{
	char *from = *rest + strspn(*rest, " \t\r\n"), *word = from, *to = from, quote = '\0';

	if (!*from)
		return NULL;
	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == quote)
			quote = '\0';
		else if (!quote && (*from == '\'' || *from == '"'))
			quote = *from;
		else if (quote != '\'' && *from == '\\' && from[1])
			*to++ = *++from;
		else
			*to++ = *from;
	}
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* The list that the words give: after -e, or in the same word. NULL: it is another word. */
static char *list_of(char *word, char **rest)
{
	if (!strcmp(word, "-e") || !strcmp(word, "--event"))
		return next_word(rest);
	if (!strncmp(word, "--event=", 8))
		return word + 8;
	return !strncmp(word, "-e", 2) && word[2] != '-' ? word + 2 : NULL;
}

/* Whether the first word of a line is a command's, or an option. */
static bool has_commands(const char *text)
{
	for (; text; text = strchr(text, '\n'), text += text != NULL) {
		const char *word = text + strspn(text, " \t\r");

		size_t n = strcspn(word, " \t\r\n");

		if (!strncmp(word, "-e", 2) || !strncmp(word, "--event", 7) ||
		    (word[n] == ' ' && n >= 4 && !strncmp(word + n - 4, "perf", 4) &&
		     (n == 4 || word[n - 5] == '/')))
			return true;
	}
	return false;
}

/* Cuts the text at the end of its command, a line that does not end in a backslash. Returns the
 * rest. */
static char *cut_command(char *text)
{
	char *end = text + strcspn(text, "\n");

	while (*end && end > text && end[-1] == '\\')
		end += 1 + strcspn(end + 1, "\n");
	if (*end)
		*end++ = '\0';
	return end;
}

static void add_commands(FILE *list, char *text)
{
	char *rest, *word, *found;

	for (; *text; text = rest) {
		rest = cut_command(text);
		/* After "--" comes what perf is to run. */
		while ((word = next_word(&text)) && strcmp(word, "--") != 0) {
			found = list_of(word, &text);
			if (found)
				add(list, found, strlen(found), false);
		}
	}
}

/* ---- groups and lines ---- */

static void add_groups(FILE *list, const char *text)
{
	while (*text) {
		const char *end = text + perfctr_letters_until(text, ";");
		size_t length = (size_t)(end - text);
		const char *comma = text + perfctr_letters_until(text, ",;");
		bool several = *comma == ',' && strspn(comma, " \t\r\n,") < (size_t)(end - comma);

		add(list, text, length, several && !memchr(text, '{', length));
		text = *end ? end + 1 : end;
	}
}

static void add_lines(FILE *list, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		add(list, text, length, false);
		text += length + (text[length] == '\n');
	}
}

/* White space within a list, as at the end of each of its lines, stands for nothing. */
static void drop_lines(char *list)
{
	for (; *list; list++)
		if (*list == '\n' || *list == '\r')
			*list = ' ';
}

char *lists_read(const char *path)
{
	char *text = read_text(path), *events = NULL;
	size_t size;
	FILE *list = need(open_memstream(&events, &size));

	blank_comments(text);
	if (has_commands(text))
		add_commands(list, text);
	else if (text[perfctr_letters_until(text, ";")])
		add_groups(list, text);
	else
		add_lines(list, text);
	if (fclose(list) != 0)
		need(NULL);
	free(text);
	drop_lines(events);
	if (!*events)
		die("-e @%s: there is no event in it", path);
	return events;
}
