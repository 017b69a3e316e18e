// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/door.h"
#include "tools/perfex/base/text.h"

static struct {
	FILE *door, *file;
	char half[8]; /* a letter's first bytes */
	size_t size;  /* of these */
} now;

/* Part of a text, which may begin and end in a letter's middle. */
static ssize_t write_part(void *cookie, const char *part, size_t size)
{
	char *text = need(malloc(now.size + size + 1));
	size_t n = now.size + size, done;

	(void)cookie;
	memcpy(text, now.half, now.size);
	memcpy(text + now.size, part, size);
	text[n] = '\0';
	done = text_plain(now.file, text, n);
	now.size = n - done;
	memcpy(now.half, text + done, now.size);
	free(text);
	return (ssize_t)size;
}

FILE *door_open(FILE *file)
{
	const cookie_io_functions_t functions = { .write = write_part };

	now.file = file;
	now.size = 0;
	now.door = need(fopencookie(NULL, "w", functions));
	return now.door;
}

void door_close(FILE *door)
{
	fclose(door);
	for (; now.size; now.size--)
		fputc('?', now.file);
	now.door = NULL;
}

/* What is behind it. */
static FILE *file_of(FILE *file)
{
	return file == now.door ? now.file : file;
}

void door_command(FILE *file, const char *command)
{
	fflush(file);
	fputs(command, file_of(file));
}

int door_is_terminal(FILE *file)
{
	int fd = fileno(file_of(file));

	return fd >= 0 && isatty(fd);
}

int door_columns(FILE *file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!door_is_terminal(file))
		return 0;
	if (ioctl(fileno(file_of(file)), TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}
