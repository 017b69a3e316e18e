/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdw.h - libdw of the elfutils, which is loaded where it is needed: few runs need it, and it
 * takes a fifth of perfex's start-up with it.
 */
#ifndef PERFCTR_TOOLS_LIBDW_H
#define PERFCTR_TOOLS_LIBDW_H

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

#define LIBDW_FUNCTIONS(each)                                                                      \
	each(dwfl_begin) each(dwfl_end) each(dwfl_report_begin) each(dwfl_report_elf)              \
		each(dwfl_report_end) each(dwfl_linux_proc_report) each(dwfl_linux_proc_find_elf)  \
			each(dwfl_standard_find_debuginfo) each(dwfl_addrmodule) each(             \
				dwfl_module_addrname) each(dwfl_module_nextcu) each(dwarf_haspc)   \
				each(dwarf_getsrc_die) each(dwarf_linesrc) each(dwarf_lineno)      \
					each(dwfl_pid) each(dwfl_attach_state) each(               \
						dwfl_thread_state_register_pc)                     \
						each(dwfl_thread_state_registers) each(            \
							dwfl_getthread_frames) each(dwfl_frame_pc) \
							each(dwfl_module_eh_cfi)                   \
								each(dwfl_module_dwarf_cfi)

/* Its functions, after libdw_load(). */
extern struct libdw {
#define LIBDW_MEMBER(name) __typeof__(name) *name;
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
} dw;
#endif

/* Returns NULL, or why it can't be used. */
const char *libdw_load(void);

#endif /* PERFCTR_TOOLS_LIBDW_H */
