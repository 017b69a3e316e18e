// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/sample/lines.h"

#ifdef HAVE_LIBDW
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/helper.h"
#include "tools/perfex/sample/libdw.h"

/*
 * Looks in one unit after the other: clang makes no table of addresses (.debug_aranges), by which
 * dwfl_module_getsrc() would find it.
 */
static Dwarf_Line *find_source(Dwfl_Module *module, Dwarf_Addr address)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias = 0;

	while ((unit = dw.dwfl_module_nextcu(module, unit, &bias)))
		if (dw.dwarf_haspc(unit, address - bias) > 0)
			return dw.dwarf_getsrc_die(unit, address - bias);
	return NULL;
}

void lines_print(char *text, size_t size, struct Dwfl_Module *module, uint64_t address)
{
	Dwarf_Line *line = find_source(module, address);
	const char *file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL, *slash;
	int number;

	*text = '\0';
	if (!file || dw.dwarf_lineno(line, &number) != 0)
		return;
	slash = strrchr(file, '/');
	snprintf(text, size, "%.60s:%d", slash ? slash + 1 : file, number);
}

/* ---- in the process that reads programs' files ---- */

struct question {
	uint64_t offset;
	char path[4096];
};

/* Finds where the file's segments want an offset of it to be; false: nowhere. */
static bool find_address(int fd, uint64_t offset, uint64_t *address)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Phdr segment;
	bool found = false;
	size_t i, n = 0;

	if (elf && (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) != 0))
		n = 0;
	for (i = 0; i < n && !found; i++) {
		found = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
			offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz;
		if (found)
			*address = segment.p_vaddr + (offset - segment.p_offset);
	}
	elf_end(elf);
	return found;
}

static void find_line(char *text, size_t size, Dwfl *dwfl, int fd, const struct question *question)
{
	uint64_t address = 0;
	bool found = find_address(fd, question->offset, &address);
	Dwfl_Module *module = NULL;

	dw.dwfl_report_begin(dwfl);
	if (found)
		module = dw.dwfl_report_elf(dwfl, question->path, question->path, fd, 0, true);
	if (!module)
		close(fd); /* else it is libdw's */
	if (dw.dwfl_report_end(dwfl, NULL, NULL) == 0 && module &&
	    dw.dwfl_addrmodule(dwfl, address) == module)
		lines_print(text, size, module, address);
}

/* The answer has a 0 at its end, since it is not to be empty. */
static size_t answer(char *packet, size_t n, int fd)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = libdw_find_debug_file };
	struct question question;
	Dwfl *dwfl;

	memcpy(&question, packet, n);
	*packet = '\0';
	if (fd >= 0)
		helper_as_owner(fd);
	dwfl = fd >= 0 ? dw.dwfl_begin(&callbacks) : NULL;
	if (dwfl) {
		find_line(packet, LONGEST_PACKET, dwfl, fd, &question);
		dw.dwfl_end(dwfl);
	} else if (fd >= 0) {
		close(fd);
	}
	return strlen(packet) + 1;
}

static bool prepare(void)
{
	return libdw_load() == NULL;
}

/* ---- in perfex ---- */

/* The file that was asked about last without an answer, which is not asked about again. */
static char bad[sizeof(((struct question *)NULL)->path)];

static struct helper helper = {
	.begin = prepare,
	.answer = answer,
	.megabytes = 4096,
	.seconds = 9,
};

void lines_end(void)
{
	helper_end(&helper);
	*bad = '\0';
}

void lines_find(char *text, size_t size, int fd, const char *path, uint64_t offset)
{
	struct question question = { .offset = offset };
	char line[LONGEST_PACKET];
	size_t n = strlen(path) + 1;

	*text = '\0';
	if (fd < 0 || n > sizeof(question.path) || !strcmp(path, bad))
		return;
	memcpy(question.path, path, n);
	n = helper_ask(&helper, &question, offsetof(struct question, path) + n, fd, line,
		       sizeof(line));
	if (n) {
		snprintf(text, size, "%.*s", (int)n - 1, line);
	} else {
		lines_end();
		strcpy(bad, path);
	}
}

#else

void lines_print(char *text, size_t size, struct Dwfl_Module *module, uint64_t address)
{
	(void)size, (void)module, (void)address;
	*text = '\0';
}

void lines_find(char *text, size_t size, int fd, const char *path, uint64_t offset)
{
	(void)size, (void)fd, (void)path, (void)offset;
	*text = '\0';
}

void lines_end(void)
{
}

#endif
