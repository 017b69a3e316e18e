/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdw.h - libdw of the elfutils, which is loaded where it is needed: few runs need it, and it
 * takes a fifth of perfex's start-up with it.
 */
#ifndef PERFCTR_TOOLS_LIBDW_H
#define PERFCTR_TOOLS_LIBDW_H

#ifdef HAVE_LIBDW
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define LIBDW_FUNCTIONS(each) \
	each(dwfl_begin) each(dwfl_end) each(dwfl_report_begin) each(dwfl_report_elf) \
	each(dwfl_report_end) each(dwfl_addrmodule) each(dwfl_module_addrname) \
	each(dwfl_module_nextcu) each(dwfl_pid) \
	each(dwfl_attach_state) each(dwfl_thread_state_register_pc) \
	each(dwfl_thread_state_registers) each(dwfl_getthread_frames) each(dwfl_frame_pc) \
	each(dwfl_module_eh_cfi) each(dwfl_module_dwarf_cfi) \
	each(dwarf_begin) each(dwarf_end) each(dwarf_getelf) each(dwarf_getalt) \
	each(dwarf_next_unit) each(dwarf_offdie) each(dwarf_cu_info) each(dwarf_child) \
	each(dwarf_siblingof) each(dwarf_tag) each(dwarf_ranges) each(dwarf_attr_integrate) \
	each(dwarf_formstring) each(dwarf_haspc) each(dwarf_getsrc_die) each(dwarf_linesrc) \
	each(dwarf_lineno) each(dwelf_dwarf_gnu_debugaltlink) each(dwelf_elf_gnu_build_id)
/* clang-format on */

/* Its functions, after libdw_load(). */
extern struct libdw {
#define LIBDW_MEMBER(name) __typeof__(name) *name;
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
} dw;
#endif

#ifdef HAVE_LIBDW
/* Where a file is in memory. */
struct libdw_place {
	uint64_t start, length, offset;
};

/*
 * Reports a file that is open, and stays so, as a module at this place. False: it is no program, or
 * not one of the machine, in 64 bits, if that is not 0.
 */
bool libdw_report(Dwfl *dwfl, const char *path, int fd, const struct libdw_place *place,
		  unsigned int machine);

/*
 * Finds the debug file of a module, as the library's callback: by elf_debug_file(). The library's
 * own function would open whatever has the name, and so wait for a pipe, and ask other machines if
 * the environment has their addresses.
 */
int libdw_find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word sum, char **found);
#endif

/* Returns NULL, or why it can't be used. */
const char *libdw_load(void);

#endif /* PERFCTR_TOOLS_LIBDW_H */
