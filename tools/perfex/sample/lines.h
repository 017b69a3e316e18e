/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lines.h - the line of the source that an instruction comes from, by libdw. */
#ifndef PERFCTR_TOOLS_LINES_H
#define PERFCTR_TOOLS_LINES_H

#include <stddef.h>
#include <stdint.h>

struct Dwfl_Module;

/*
 * Writes "FILE:LINE" of an address in a module of libdw, without the file's directory; "" if there
 * is no debugging information. After libdw_load().
 */
void lines_print(char *text, size_t size, struct Dwfl_Module *module, uint64_t address);

/*
 * Does so for an offset in a program's or a library's file, which is open, by another process,
 * since the file may have any contents; "" also if fd is -1, if libdw can't be loaded, or needs
 * more than nine seconds. Such a file is not looked at again at once. Its path leads to debug
 * files.
 */
void lines_find(char *text, size_t size, int fd, const char *path, uint64_t offset);

/* Ends that process; another lines_find() begins one, and looks at each file. */
void lines_end(void);

#endif /* PERFCTR_TOOLS_LINES_H */
