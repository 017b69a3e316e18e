// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/sample/lines.h"

#ifdef HAVE_LIBDW
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(each)                                                                        \
	each(dwfl_begin) each(dwfl_end) each(dwfl_report_begin) each(dwfl_report_elf)          \
		each(dwfl_report_end) each(dwfl_standard_find_debuginfo) each(dwfl_addrmodule) \
			each(dwfl_module_nextcu) each(dwarf_haspc) each(dwarf_getsrc_die)      \
				each(dwarf_linesrc) each(dwarf_lineno)

static struct {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
} dw;

bool lines_load(void)
{
	static bool all;
	void *library;

	if (all)
		return true;
	library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	all = library != NULL;
#define FIND(name) all = all && (dw.name = (__typeof__(dw.name))dlsym(library, #name)) != NULL;
	FUNCTIONS(FIND)
	return all;
}

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

/* Finds where the file's segments want an offset of it to be; false: nowhere. */
static bool find_address(const char *path, uint64_t offset, uint64_t *address)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), i;
	ElfW(Ehdr) head;
	ElfW(Phdr) segment = { .p_type = PT_NULL };
	bool found = false;

	if (fd < 0)
		return false;
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(segment))
		head.e_phnum = 0;
	for (i = 0; i < head.e_phnum && !found; i++) {
		off_t at = (off_t)head.e_phoff + i * (off_t)sizeof(segment);

		found = pread(fd, &segment, sizeof(segment), at) == (ssize_t)sizeof(segment) &&
			segment.p_type == PT_LOAD && offset >= segment.p_offset &&
			offset - segment.p_offset < segment.p_filesz;
	}
	close(fd);
	*address = segment.p_vaddr + (offset - segment.p_offset);
	return found;
}

void lines_find(char *text, size_t size, const char *path, uint64_t offset)
{
	static const Dwfl_Callbacks none;
	Dwfl_Callbacks callbacks = none;
	Dwfl_Module *module;
	uint64_t address;
	Dwfl *dwfl;

	*text = '\0';
	if (!find_address(path, offset, &address) || !lines_load())
		return;
	callbacks.find_debuginfo = dw.dwfl_standard_find_debuginfo;
	dwfl = dw.dwfl_begin(&callbacks);
	if (!dwfl)
		return;
	dw.dwfl_report_begin(dwfl);
	module = dw.dwfl_report_elf(dwfl, path, path, -1, 0, true);
	if (dw.dwfl_report_end(dwfl, NULL, NULL) == 0 && module &&
	    dw.dwfl_addrmodule(dwfl, address) == module)
		lines_print(text, size, module, address);
	dw.dwfl_end(dwfl);
}

#else

bool lines_load(void)
{
	return false;
}

void lines_print(char *text, size_t size, struct Dwfl_Module *module, uint64_t address)
{
	(void)size, (void)module, (void)address;
	*text = '\0';
}

void lines_find(char *text, size_t size, const char *path, uint64_t offset)
{
	(void)size, (void)path, (void)offset;
	*text = '\0';
}

#endif
