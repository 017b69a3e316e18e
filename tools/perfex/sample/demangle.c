// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/helper.h"

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

/* ---- in the process that calls the library ---- */

static demangler *library;

static bool find_library(void)
{
	static const char *const names[] = { "libstdc++.so.6", "libc++abi.so.1" };
	void *file = NULL;
	unsigned int i;

	for (i = 0; i < 2 && !file; i++)
		file = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	library = file ? (demangler *)(uintptr_t)dlsym(file, "__cxa_demangle") : NULL;
	return library != NULL;
}

static size_t answer(char *name, size_t n)
{
	int status;
	char *full = library(name, NULL, NULL, &status);
	size_t length = full ? strlen(full) : 0;

	if (length && length <= LONGEST_NAME)
		memcpy(name, full, n = length);
	free(full);
	return n;
}

/* ---- in perfex ---- */

static struct helper helper = {
	.begin = find_library,
	.answer = answer,
	.megabytes = 256,
	.seconds = 3,
};

void demangle_end(void)
{
	helper_end(&helper);
}

char *demangle(const char *name)
{
	char full[LONGEST_NAME + 1];
	size_t n = 0;

	if (!strncmp(name, "_Z", 2) && strlen(name) < LONGEST_NAME)
		n = helper_ask(&helper, name, strlen(name), full, LONGEST_NAME);
	full[n] = '\0';
	return need(strdup(n ? full : name));
}
