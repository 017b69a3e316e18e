// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/sample/libdw.h"

#ifdef HAVE_LIBDW
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <unistd.h>
#include "tools/perfex/sample/elf.h"

struct libdw dw;

const char *libdw_load(void)
{
	static void *library;

	if (!library)
		library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return "libdw is not installed (Debian: libdw1)";
#define FIND(name)                                                   \
	if (!(dw.name = (__typeof__(dw.name))dlsym(library, #name))) \
		return "libdw is older than 0.171";
	LIBDW_FUNCTIONS(FIND)
	return NULL;
}

/* How far from where its headers say the file is mapped; false: it is not a program of this kind.
 */
static bool find_bias(int fd, const struct libdw_place *place, unsigned int machine,
		      GElf_Addr *bias)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Ehdr kind;
	GElf_Phdr header;
	bool found = false;
	size_t i, n = 0;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &kind) &&
	    (!machine || (gelf_getclass(elf) == ELFCLASS64 && kind.e_machine == machine)) &&
	    elf_getphdrnum(elf, &n) != 0)
		n = 0;
	for (i = 0; i < n && !found; i++) {
		found = gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
			header.p_flags & PF_X &&
			(header.p_offset - place->offset < place->length ||
			 place->offset - header.p_offset < header.p_filesz);
		if (found)
			*bias = place->start - header.p_vaddr - (place->offset - header.p_offset);
	}
	elf_end(elf);
	return found;
}

bool libdw_report(Dwfl *dwfl, const char *path, int fd, const struct libdw_place *place,
		  unsigned int machine)
{
	GElf_Addr bias;
	int own;

	if (elf_is_huge(fd) || !find_bias(fd, place, machine, &bias))
		return false;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	/* The module has the descriptor, if there is one. */
	if (dw.dwfl_report_elf(dwfl, path, path, own, bias, true))
		return true;
	if (own >= 0)
		close(own);
	return false;
}

static int open_here(const void *arg, const char *path)
{
	(void)arg;
	return elf_open_file(path);
}

int libdw_find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word sum, char **found)
{
	const struct elf_source source = {
		.fd = file ? elf_open_file(file) : -1,
		.path = file,
		.open = open_here,
	};
	int fd = source.fd < 0 ? -1 : elf_debug_file(&source);

	(void)module, (void)data, (void)name, (void)base, (void)link, (void)sum, (void)found;
	if (source.fd >= 0)
		close(source.fd);
	return fd;
}
#else
const char *libdw_load(void)
{
	return "this perfex was built without libdw (Debian: libdw-dev)";
}
#endif
