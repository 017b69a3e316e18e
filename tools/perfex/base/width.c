// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tools/perfex/base/width.h"

bool width_has(int fd)
{
	static int known = -1; /* each table asks several times */
	static bool has;

	if (fd < 0)
		return false;
	if (fd != known)
		has = isatty(fd);
	known = fd;
	return has;
}

int width_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!width_has(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}
