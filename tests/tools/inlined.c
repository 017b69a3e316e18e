// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * inlined.c - prints the functions that are inlined at addresses of a program, one by one from its
 * standard input, as perfex finds them: "address;outer;inner"; with a second argument the lines of
 * the source, "address;file:line". tests/inlined.sh calls it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/sample/inlined.h"

#define MOST 1000000

static uint64_t address[MOST];
static size_t n, printed;

static void print_plain(size_t end)
{
	for (; printed < end; printed++)
		printf("0x%llx\n", (unsigned long long)address[printed]);
}

static void print(void *arg, size_t number, const char *names, size_t size)
{
	const char *name;

	(void)arg;
	print_plain(number);
	printf("0x%llx", (unsigned long long)address[printed++]);
	for (name = names; name < names + size; name += strlen(name) + 1)
		printf(";%s", name);
	putchar('\n');
}

static int open_here(const void *arg, const char *path)
{
	(void)arg;
	return elf_open_file(path);
}

int main(int argc, char **argv)
{
	struct elf_source source = { -1, argc > 1 ? argv[1] : "", open_here, NULL };
	unsigned long long one;

	source.fd = elf_open_file(source.path);
	while (n < MOST && scanf("%llx", &one) == 1)
		address[n++] = one;
	if (source.fd < 0 ||
	    !(argc > 2 ? inlined_lines : inlined_find)(&source, address, n, print, NULL))
		return 1;
	print_plain(n);
	inlined_end();
	close(source.fd);
	return 0;
}
