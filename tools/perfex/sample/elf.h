/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf.h - reads function names from ELF files, by libelf if there was one when perfex was built.
 * The files are those that a program mapped, so that their contents are not trusted.
 */
#ifndef PERFCTR_TOOLS_ELF_H
#define PERFCTR_TOOLS_ELF_H

#include <stdbool.h>
#include "tools/perfex/sample/symbols.h"

/*
 * Returns no names if it is no ELF file. If a file has names only for the dynamic linker, its debug
 * file is read, by its build id.
 */
struct symbols *elf_symbols(const char *file);

/* How a program is linked. */
struct elf_program {
	char *needed;	/* the names of libraries that it asks for, a line each; NULL: not known */
	bool is_static; /* it has no dynamic linker */
	bool defines;	/* the function that was asked for is in it */
};

/* Leaves it as it is if the file is no program; the caller frees what it needs. */
void elf_read_program(struct elf_program *program, const char *file, const char *function);

/* Opened to be read if it is a file still; else -1. A pipe or a device is not even opened. */
int elf_open_file(const char *file);

#endif /* PERFCTR_TOOLS_ELF_H */
