/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * root.h - directories that stand in for / (PERFCTR_ROOT), made of the texts in tests/data/zoo, or
 * by a test itself. Each line of such a text is a path, below /sys/bus/event_source/devices unless
 * it begins with a slash, a tab, and the file's line; \n in it is a newline.
 */
#ifndef PERFCTR_TESTS_ROOT_H
#define PERFCTR_TESTS_ROOT_H

#include <errno.h>
#include <ftw.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the library keeps of a machine, in programs that have its inner functions. */
void perfctr_offer_forget(void) __attribute__((weak));

static inline void root_forget(void)
{
	if (perfctr_offer_forget)
		perfctr_offer_forget();
}

#define ROOT_DEVICES "/sys/bus/event_source/devices/"

static char root[2048];

static inline void root_stop(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	abort();
}

/* The path in the root of a path in a text; its directories are made. */
static inline const char *root_path(const char *name)
{
	static char path[4096];
	char *slash;

	snprintf(path, sizeof(path), "%s%s%s", root, *name == '/' ? "" : ROOT_DEVICES, name);
	for (slash = path + strlen(root); (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			root_stop(path);
	}
	return path;
}

static inline void root_file(const char *name, const char *text, size_t length)
{
	FILE *file = fopen(root_path(name), "w");

	if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
		root_stop(name);
}

static inline void root_line(const char *name, const char *line)
{
	char text[256], *p = text;

	for (; *line && p < text + sizeof(text) - 2; line++) {
		if (line[0] == '\\' && line[1] == 'n')
			*p++ = '\n', line++;
		else
			*p++ = *line;
	}
	*p++ = '\n';
	root_file(name, text, (size_t)(p - text));
}

static inline void root_link(const char *name, const char *target)
{
	if (symlink(target, root_path(name)) < 0)
		root_stop(name);
}

/* An empty root, which PERFCTR_ROOT names from now on. */
static inline void root_make(void)
{
	const char *directory = getenv("TMPDIR");

	int n = snprintf(root, sizeof(root), "%s/zoo-XXXXXX", directory ? directory : "/tmp");

	if (n >= (int)sizeof(root) || !mkdtemp(root) || setenv("PERFCTR_ROOT", root, 1) < 0)
		root_stop(root);
	root_forget();
}

/* A root like the machine of this name. */
static inline void root_unpack(const char *machine)
{
	const char *srcdir = getenv("srcdir");
	char path[4096], line[512], *tab;
	FILE *file;

	root_make();
	snprintf(path, sizeof(path), "%s/tests/data/zoo/%s.txt", srcdir ? srcdir : ".", machine);
	file = fopen(path, "r");
	if (!file)
		root_stop(path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (*line == '#' || !tab)
			continue;
		*tab = '\0';
		root_line(line, tab + 1);
	}
	fclose(file);
}

static inline int root_remove_one(const char *path, const struct stat *status, int type,
				  struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void root_remove(void)
{
	if (nftw(root, root_remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		root_stop(root);
	root_forget();
}

#endif /* PERFCTR_TESTS_ROOT_H */
