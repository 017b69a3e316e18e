// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/helper.h"
#include "tools/perfex/sample/rust.h"

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

/* Writes what is shown of a name, with a 0; returns its size, 0: it is larger than the room. */
static size_t decode(const char *name, char *text, size_t room)
{
	int status;
	char *full = library(name, NULL, NULL, &status);
	const char *shown = full && strlen(full) < LONGEST_PACKET ? full : name;
	size_t n = strlen(shown) + 1;

	n = n <= room ? n : 0;
	memcpy(text, shown, n);
	free(full);
	return n;
}

/* The question is names with a 0 each; those of which the texts have no room are asked again. */
static size_t answer(char *packet, size_t n, int fd)
{
	static char names[LONGEST_PACKET + 1];
	const char *name = names;
	size_t used = 0, more = 1;

	(void)fd;
	memcpy(names, packet, n);
	for (; more && name < names + n; name += strlen(name) + 1) {
		more = decode(name, packet + used, LONGEST_PACKET - used);
		used += more;
	}
	return used;
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

/* Asks for names, some of the first of them; returns how many have got their text. */
static size_t ask(const char *const *names, char **texts, size_t n)
{
	static char packet[LONGEST_PACKET + 1];
	size_t size = 0, length, i;
	const char *text = packet;

	for (i = 0; i < n && (length = strlen(names[i]) + 1) <= LONGEST_PACKET - size; i++) {
		memcpy(packet + size, names[i], length);
		size += length;
	}
	size = helper_ask(&helper, packet, size, -1, packet, LONGEST_PACKET);
	packet[size] = '\0';
	for (n = i, i = 0; i < n && text < packet + size; i++, text += strlen(text) + 1)
		texts[i] = need(strdup(text));
	return i;
}

/*
 * Asks for all. If there is no answer, one of the names has ended the process, and another one gets
 * them one by one. The one that ends that, too, and those after it are shown as they are.
 */
static void ask_all(const char *const *names, char **texts, size_t n)
{
	size_t done = 0, got, most = n;

	while (done < n && helper.pid >= 0) {
		got = ask(names + done, texts + done, most < n - done ? most : n - done);
		done += got;
		if (!got && most > 1) {
			helper_end(&helper);
			most = 1;
		}
	}
	for (; done < n; done++)
		texts[done] = need(strdup(names[done]));
}

/* A name and its text's place. */
struct entry {
	const char *name;
	size_t place;
};

static int compare(const void *a, const void *b)
{
	const struct entry *one = a, *two = b;

	return strcmp(one->name, two->name);
}

/* Decodes a name without the library; NULL: it is the library's. */
static char *decode_here(const char *name)
{
	char full[LONGEST_PACKET];

	if (rust_demangle(name, full, sizeof(full)))
		return need(strdup(full));
	return strncmp(name, "_Z", 2) != 0 || strlen(name) >= LONGEST_PACKET ? need(strdup(name))
									     : NULL;
}

/* Decodes those that are sorted and different; "wanted" and "found" have room for as many. */
static void decode_sorted(const struct entry *entry, char **texts, size_t n, const char **wanted,
			  char **found)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (!(texts[entry[i].place] = decode_here(entry[i].name)))
			wanted[k++] = entry[i].name;
	ask_all(wanted, found, k);
	for (i = k = 0; i < n; i++)
		if (!texts[entry[i].place])
			texts[entry[i].place] = found[k++];
}

void demangle_all(const char *const *names, char **texts, size_t n)
{
	struct entry *all = need(calloc(n + 1, sizeof(*all)));
	struct entry *different = need(calloc(n + 1, sizeof(*different)));
	const char **wanted = need(calloc(n + 1, sizeof(*wanted)));
	char **found = need(calloc(n + 1, sizeof(*found)));
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		all[i] = (struct entry){ names[i], i };
	qsort(all, n, sizeof(*all), compare);
	for (i = 0; i < n; i++)
		if (!i || compare(&all[i - 1], &all[i]) != 0)
			different[k++] = all[i];
	decode_sorted(different, texts, k, wanted, found);
	for (i = 1; i < n; i++)
		if (compare(&all[i - 1], &all[i]) == 0)
			texts[all[i].place] = need(strdup(texts[all[i - 1].place]));
	free(all);
	free(different);
	free(wanted);
	free(found);
}

char *demangle(const char *name)
{
	char *text;

	demangle_all(&name, &text, 1);
	return text;
}
