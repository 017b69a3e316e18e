// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of functions in ELF files, by libelf if there was one when perfex was built. Files are
 * those that the command mapped, so that anything may be in them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "die.h"
#include "symbols.h"

struct symbol {
	uint64_t start, end;
	int rank;	  /* of several names of one place the one of the highest rank is shown */
	const char *name; /* in the file's own strings */
};

struct segment {
	uint64_t offset, size, address;
};

struct symbols {
	struct symbol *symbol;
	size_t n;
	struct segment *segment;
	size_t nsegments;
	struct Elf *elf; /* NULL: there is none */
};

#ifdef HAVE_LIBELF
#include <gelf.h>

/* Beyond any compiler's, lest a file make of its holes, and of names in names, work without end. */
#define LARGEST_SECTION ((uint64_t)1 << 29)
#define LONGEST_NAME	8192

static int compare(const void *a, const void *b)
{
	const struct symbol *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	if (one->rank != two->rank)
		return one->rank - two->rank;
	return strcmp(two->name, one->name);
}

/* Where the file's contents are in the program's memory, but for where it was loaded. */
static void read_segments(struct symbols *symbols, Elf *elf)
{
	size_t i, n;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		symbols->segment = need(reallocarray(symbols->segment, symbols->nsegments + 1,
						     sizeof(*symbols->segment)));
		symbols->segment[symbols->nsegments++] =
			(struct segment){ header.p_offset, header.p_filesz, header.p_vaddr };
	}
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

static void read_section(struct symbols *symbols, Elf *elf, Elf_Scn *section, size_t link)
{
	Elf_Data *data = read_data(section), *strings = read_data(elf_getscn(elf, link));
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i, n, room = 0;
	const char *name;
	uint64_t end;
	GElf_Sym symbol;

	if (!data || !strings || size == 0)
		return;
	n = data->d_size / size;
	for (i = 0; i < n && i <= INT32_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
			continue;
		name = find_name(strings, symbol.st_name);
		if (!name)
			continue;
		if (symbols->n == room) {
			room = room * 2 + 256;
			symbols->symbol =
				need(reallocarray(symbols->symbol, room, sizeof(*symbols->symbol)));
		}
		/* One without a size goes on until the next one, but not beyond its section. */
		end = symbol.st_size ? symbol.st_value + symbol.st_size
				     : section_end(elf, symbol.st_shndx);
		symbols->symbol[symbols->n++] = (struct symbol){
			.start = symbol.st_value,
			.end = end,
			.rank = (GELF_ST_BIND(symbol.st_info) != STB_LOCAL) + (*name != '_'),
			.name = name,
		};
	}
	if (symbols->n)
		qsort(symbols->symbol, symbols->n, sizeof(*symbols->symbol), compare);
}

static void read_elf(struct symbols *symbols, int fd)
{
	Elf_Scn *section = NULL, *table = NULL;
	GElf_Shdr header;
	size_t strings = 0;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		return;
	symbols->elf = elf;
	if (elf_kind(elf) == ELF_K_ELF) {
		read_segments(symbols, elf);
		/* All symbols, or else those for the dynamic linker. */
		while ((section = elf_nextscn(elf, section))) {
			if (!gelf_getshdr(section, &header) ||
			    (header.sh_type != SHT_SYMTAB &&
			     (header.sh_type != SHT_DYNSYM || table)))
				continue;
			table = section;
			strings = header.sh_link;
			if (header.sh_type == SHT_SYMTAB)
				break;
		}
		if (table)
			read_section(symbols, elf, table, strings);
	}
	/* The file is closed now; what was read stays. */
	elf_cntl(elf, ELF_C_FDDONE);
}

static void end_elf(struct symbols *symbols)
{
	elf_end(symbols->elf);
}
#else
static void read_elf(struct symbols *symbols, int fd)
{
	(void)symbols, (void)fd;
}

static void end_elf(struct symbols *symbols)
{
	(void)symbols;
}
#endif

struct symbols *symbols_read(const char *file)
{
	struct symbols *symbols = need(calloc(1, sizeof(*symbols)));
	struct stat stat;
	/* It may be a pipe or a device by now. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		read_elf(symbols, fd);
	if (fd >= 0)
		close(fd);
	return symbols;
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset)
{
	const struct segment *segment;
	const struct symbol *found;
	size_t i, low = 0, high = symbols->n, middle;
	uint64_t address;

	for (i = 0; i < symbols->nsegments; i++) {
		segment = &symbols->segment[i];
		if (offset >= segment->offset && offset - segment->offset < segment->size)
			break;
	}
	if (i == symbols->nsegments)
		return NULL;
	address = offset - segment->offset + segment->address;
	/* The last one that begins there or before. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->symbol[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	found = &symbols->symbol[low - 1];
	return address < found->end ? found->name : NULL;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	end_elf(symbols);
	free(symbols->symbol);
	free(symbols->segment);
	free(symbols);
}
