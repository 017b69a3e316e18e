// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/elf.h"

#ifdef HAVE_LIBELF
#include <gelf.h>

/* No compiler makes larger ones; a limit keeps a file with holes from causing endless work. */
#define LARGEST_SECTION ((uint64_t)1 << 29)

/* Names may share their ends; but all together are not much longer than their section. */
#define MOST_NAMES(size) (2 * (size) + ((size_t)16 << 20))

struct build_id {
	size_t n; /* 0: there is none */
	unsigned char byte[64];
};

/* Where the file's contents are in the program's memory, but for where it was loaded. */
static void read_segments(struct symbols *symbols, Elf *elf)
{
	size_t i, n;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			symbols_add_segment(symbols, header.p_offset, header.p_filesz,
					    header.p_vaddr);
}

static uint64_t section_end(Elf *elf, size_t index)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;

	return section && gelf_getshdr(section, &header) ? header.sh_addr + header.sh_size : 0;
}

static Elf_Data *read_data(Elf_Scn *section)
{
	GElf_Shdr header;

	return section && gelf_getshdr(section, &header) && header.sh_size <= LARGEST_SECTION
		       ? elf_getdata(section, NULL)
		       : NULL;
}

/* NULL also if it is too long to be one. */
static const char *find_name(const Elf_Data *strings, size_t offset)
{
	const char *name;
	size_t left;

	if (!strings->d_buf || offset >= strings->d_size)
		return NULL;
	name = (const char *)strings->d_buf + offset;
	left = strings->d_size - offset;
	return *name && memchr(name, '\0', left < LONGEST_NAME ? left : LONGEST_NAME) ? name : NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && (GELF_ST_TYPE(symbol->st_info) == STT_FUNC ||
						 GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC);
}

static void read_symbols(struct symbols *symbols, Elf *elf, Elf_Scn *section, size_t link)
{
	Elf_Data *data = read_data(section), *strings = read_data(elf_getscn(elf, link));
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i, n;
	size_t left, length;
	const char *name;
	GElf_Sym symbol;
	int rank;

	if (!data || !strings || size == 0)
		return;
	n = data->d_size / size;
	left = MOST_NAMES(strings->d_size);
	for (i = 0; i < n && i <= INT32_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
			continue;
		name = find_name(strings, symbol.st_name);
		if (!name)
			continue;
		length = strlen(name);
		if (length > left)
			break;
		left -= length;
		rank = (GELF_ST_BIND(symbol.st_info) != STB_LOCAL) + (*name != '_');
		if (symbol.st_size)
			symbols_add(symbols, symbol.st_value, symbol.st_value + symbol.st_size,
				    rank, name, length);
		else
			symbols_add_open(symbols, symbol.st_value,
					 section_end(elf, symbol.st_shndx), rank, name, length);
	}
}

/* Returns the section of a type, or NULL; and the index of its linked section. */
static Elf_Scn *find_section(Elf *elf, uint32_t type, size_t *link)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		*link = header.sh_link;
		return section;
	}
	return NULL;
}

/* ---- debug files ---- */

static void take_note(struct build_id *id, const Elf_Data *data, const GElf_Nhdr *note, size_t name,
		      size_t content)
{
	if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 ||
	    memcmp((const char *)data->d_buf + name, "GNU", 4) != 0 || !note->n_descsz ||
	    note->n_descsz > sizeof(id->byte))
		return;
	id->n = note->n_descsz;
	memcpy(id->byte, (const char *)data->d_buf + content, id->n);
}

static void read_build_id(struct build_id *id, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	id->n = 0;
	while (!id->n && (section = elf_nextscn(elf, section))) {
		size_t at = 0, name, content;
		GElf_Nhdr note;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = read_data(section);
		while (data && !id->n && (at = gelf_getnote(data, at, &note, &name, &content)) > 0)
			take_note(id, data, &note, name, content);
	}
}

static Elf *open_elf(const char *file, int *fd)
{
	Elf *elf = NULL;

	*fd = elf_open_file(file);
	if (*fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	if (*fd >= 0)
		close(*fd);
	return NULL;
}

static void close_elf(Elf *elf, int fd)
{
	elf_end(elf);
	close(fd);
}

/* Reads the debug file, if its own build id matches. */
static void read_debug_file(struct symbols *symbols, const struct build_id *id)
{
	char path[sizeof("/usr/lib/debug/.build-id//.debug") + 2 * sizeof(id->byte)];
	size_t i, link = 0;
	int n = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id->byte[0]), fd;
	struct build_id own;
	Elf_Scn *table;
	Elf *elf;

	for (i = 1; i < id->n; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", id->byte[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	elf = open_elf(path, &fd);
	if (!elf)
		return;
	read_build_id(&own, elf);
	table = find_section(elf, SHT_SYMTAB, &link);
	if (table && own.n == id->n && !memcmp(own.byte, id->byte, id->n))
		read_symbols(symbols, elf, table, link);
	close_elf(elf, fd);
}

/* Reads all symbols, or those of the debug file, or else those for the dynamic linker. */
static void read_all(struct symbols *symbols, Elf *elf)
{
	size_t link = 0;
	Elf_Scn *table = find_section(elf, SHT_SYMTAB, &link);
	struct build_id id = { .n = 0 };

	if (!table)
		read_build_id(&id, elf);
	if (id.n)
		read_debug_file(symbols, &id);
	if (!table && !symbols_number(symbols))
		table = find_section(elf, SHT_DYNSYM, &link);
	if (table)
		read_symbols(symbols, elf, table, link);
}

static void read_file(struct symbols *symbols, const char *file)
{
	int fd;
	Elf *elf = open_elf(file, &fd);

	if (!elf)
		return;
	read_segments(symbols, elf);
	read_all(symbols, elf);
	close_elf(elf, fd);
}

/* ---- how a program is linked ---- */

static bool has_interpreter(Elf *elf)
{
	GElf_Phdr header;
	size_t i, n;

	if (elf_getphdrnum(elf, &n) != 0)
		return true;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
			return true;
	return false;
}

static void read_needed(FILE *file, Elf *elf)
{
	size_t link = 0, size = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT), i;
	Elf_Scn *section = find_section(elf, SHT_DYNAMIC, &link);
	Elf_Data *data = read_data(section), *strings = read_data(elf_getscn(elf, link));
	const char *name;
	GElf_Dyn entry;

	for (i = 0; data && strings && size && i < data->d_size / size && i < INT32_MAX; i++) {
		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
			continue;
		name = find_name(strings, entry.d_un.d_val);
		if (name)
			fprintf(file, "%s\n", name);
	}
}

static bool defines(Elf *elf, const char *function)
{
	size_t link = 0, size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i;
	Elf_Scn *section = find_section(elf, SHT_SYMTAB, &link);
	Elf_Data *data = read_data(section), *strings = read_data(elf_getscn(elf, link));
	const char *name;
	GElf_Sym symbol;

	for (i = 0; data && strings && size && i < data->d_size / size && i < INT32_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
			continue;
		name = find_name(strings, symbol.st_name);
		if (name && !strcmp(name, function))
			return true;
	}
	return false;
}

void elf_read_program(struct elf_program *program, const char *file, const char *function)
{
	size_t size;
	FILE *needed;
	int fd;
	Elf *elf = open_elf(file, &fd);

	if (!elf)
		return;
	needed = need(open_memstream(&program->needed, &size));
	read_needed(needed, elf);
	if (fclose(needed) != 0)
		need(NULL);
	program->is_static = !has_interpreter(elf);
	program->defines = defines(elf, function);
	close_elf(elf, fd);
}
#else
void elf_read_program(struct elf_program *program, const char *file, const char *function)
{
	(void)program, (void)file, (void)function;
}

static void read_file(struct symbols *symbols, const char *file)
{
	(void)symbols, (void)file;
}
#endif

/* Finds the file before it opens it, since opening a device or a pipe has effects. */
int elf_open_file(const char *file)
{
	int place = open(file, O_PATH | O_CLOEXEC), fd = -1;
	struct stat stat;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && fstat(place, &stat) == 0 && S_ISREG(stat.st_mode))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (place >= 0)
		close(place);
	return fd;
}

struct symbols *elf_symbols(const char *file)
{
	struct symbols *symbols = symbols_new();

	read_file(symbols, file);
	symbols_end(symbols);
	return symbols;
}
