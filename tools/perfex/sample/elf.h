/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf.h - reads function names from ELF files, by libelf if there was one when perfex was built.
 * The files are those that a program mapped, so that their contents are not trusted.
 */
#ifndef PERFCTR_TOOLS_ELF_H
#define PERFCTR_TOOLS_ELF_H

#include <stdbool.h>
#include "tools/perfex/sample/symbols.h"

#define ELF_BUILD_ID 20 /* the most bytes of one that the kernel knows */

/* A file to read names from. */
struct elf_source {
	int fd;		  /* of the file; it stays open */
	const char *path; /* of the file, by which debug files are found */
	/* Opens a debug file, in what the file's process sees, or else here; -1: there is none. */
	int (*open)(const void *arg, const char *path);
	const void *arg;
};

/*
 * Returns no names if it is no ELF file. A file that has names only for the dynamic linker may have
 * a debug file, which is found by its build ID or by its name and sum (.gnu_debuglink), or more
 * names within (.gnu_debugdata).
 */
struct symbols *elf_symbols(const struct elf_source *source);

/*
 * Returns a descriptor of its own of the file, or of its debug file, that has DWARF; -1: there is
 * none.
 */
int elf_dwarf(const struct elf_source *source);

/* Returns a descriptor of the file's debug file, with DWARF or without; -1: there is none. */
int elf_debug_file(const struct elf_source *source);

/* Reads the build ID of a file that is open; returns its size, 0: it has none. */
uint32_t elf_build_id(int fd, uint8_t id[ELF_BUILD_ID]);

/* Whether it can read them: without libelf it finds none in any file. */
bool elf_knows_build_ids(void);

/* Whether it is an ELF file. */
bool elf_is(int fd);

/*
 * Whether it has more sections or segments than its header has numbers for, as no program has: in
 * a file with holes, tables of them may fill all memory.
 */
bool elf_is_huge(int fd);

/* How a program is linked. */
struct elf_program {
	char *needed;	/* the names of libraries that it asks for, a line each; NULL: not known */
	char *linker;	/* the file of its dynamic linker; NULL: not known */
	bool is_static; /* it has no dynamic linker */
	bool defines;	/* the function that was asked for is in it */
};

/* Leaves it as it is if the file is no program; the caller frees both texts. */
void elf_read_program(struct elf_program *program, const char *file, const char *function);

/* Opened to be read if it is a file still; else -1. A pipe or a device is not even opened. */
int elf_open_file(const char *file);

#endif /* PERFCTR_TOOLS_ELF_H */
