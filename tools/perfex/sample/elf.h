/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf.h - names of functions in ELF files, by libelf if there was one when perfex was built. Files
 * are those that a program mapped, so that anything may be in them.
 */
#ifndef PERFCTR_TOOLS_ELF_H
#define PERFCTR_TOOLS_ELF_H

#include "tools/perfex/sample/symbols.h"

/*
 * Without any if it is no ELF file. Where a file has names for the dynamic linker only, those of
 * its debug file, which its build id names, are read.
 */
struct symbols *elf_symbols(const char *file);

/* Opened to be read if it is a file still; else -1. A pipe or a device is not even opened. */
int elf_open_file(const char *file);

#endif /* PERFCTR_TOOLS_ELF_H */
