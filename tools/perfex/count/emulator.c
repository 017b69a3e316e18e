// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emulator.c - valgrind finds its tools in one directory, which VALGRIND_LIB names. That of
 * emulate/ has perfex's own tool and links to what valgrind needs beside. The tool contains the
 * core of one version of valgrind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/emulator.h"

bool emulator_needs(const struct events *events, int from, int to)
{
	unsigned int i;
	int column;

	for (i = 0; i < events->n; i++) {
		column = emulated_column(events, i);
		if (column >= from && column <= to)
			return true;
	}
	return false;
}

/* Reads the version that the tool is of; "": there is no tool. */
static void read_version(const char *directory, char *version, size_t room)
{
	char *name;
	FILE *file;

	if (asprintf(&name, "%s/version", directory) < 0)
		need(NULL);
	file = fopen(name, "re");
	if (!file || !fgets(version, (int)room, file))
		*version = '\0';
	version[strcspn(version, "\n")] = '\0';
	if (file)
		fclose(file);
	free(name);
}

/* Links lead nowhere if valgrind's package has gone, or was built elsewhere. */
static bool has_links(const char *directory)
{
	bool has;
	char *name;

	if (asprintf(&name, "%s/default.supp", directory) < 0)
		need(NULL);
	has = access(name, R_OK) == 0;
	free(name);
	return has;
}

static const char *tool_directory(void)
{
	const char *directory = getenv("PERFEX_VALGRIND");

	return directory && *directory ? directory : PKGLIBDIR "/valgrind";
}

void emulator_choose(struct emulator *emulator, const struct events *events, const char *version)
{
	const char *directory = tool_directory(), *other = getenv("VALGRIND_LIB");
	char built[64];

	*emulator = (struct emulator){ .tool = "callgrind", .times = "20 to 100" };
	if (emulator_needs(events, COLUMN_DR, COLUMN_DLMW) ||
	    emulator_needs(events, COLUMN_BCM, COLUMN_BCM) ||
	    emulator_needs(events, COLUMN_BIM, COLUMN_BIM))
		return;
	read_version(directory, built, sizeof(built));
	if (other && strcmp(other, directory) != 0)
		snprintf(emulator->slower, sizeof(emulator->slower), "VALGRIND_LIB is set");
	else if (!*built)
		snprintf(emulator->slower, sizeof(emulator->slower),
			 "perfex's tool, which is built where valgrind's libraries are, is not in "
			 "%s",
			 directory);
	else if (strcmp(built, version) != 0)
		snprintf(emulator->slower, sizeof(emulator->slower), "perfex's tool is of %s",
			 built);
	else if (!has_links(directory))
		snprintf(emulator->slower, sizeof(emulator->slower),
			 "the valgrind that perfex was built with is gone");
	else if (setenv("VALGRIND_LIB", directory, 1) < 0)
		need(NULL);
	else
		*emulator = (struct emulator){ "perfctr", "5 to 50", true, "" };
}
