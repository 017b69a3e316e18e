// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
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

/* Notes of one file, of which build IDs are the first and small. Those of a hole have no end. */
#define MOST_NOTES ((uint64_t)16 << 20)

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

/* NULL: there is none. Strings end with a 0, so that no search for it is in vain. */
static const char *find_name(const Elf_Data *strings, size_t offset)
{
	const char *all = strings->d_buf;

	if (!all || offset >= strings->d_size || all[strings->d_size - 1])
		return NULL;
	return all[offset] ? all + offset : NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && (GELF_ST_TYPE(symbol->st_info) == STT_FUNC ||
						 GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC);
}

/*
 * Assemblers know no functions: there is a label in instructions if nobody has written ".type".
 * Those with a dollar tell code from data (arm64, RISC-V), and those with .L are compilers' own.
 */
static bool is_label(Elf *elf, const GElf_Sym *symbol, const char *name)
{
	Elf_Scn *section;
	GElf_Shdr header;

	if (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_shndx >= SHN_LORESERVE || *name == '$' || !strncmp(name, ".L", 2))
		return false;
	section = elf_getscn(elf, symbol->st_shndx);
	return section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR;
}

static void add_symbol(struct symbols *symbols, Elf *elf, const GElf_Sym *symbol, const char *name,
		       size_t length)
{
	int rank = (GELF_ST_BIND(symbol->st_info) != STB_LOCAL) + (*name != '_');

	if (!is_function(symbol))
		symbols_add_label(symbols, symbol->st_value, section_end(elf, symbol->st_shndx),
				  rank, name, length);
	else if (symbol->st_size)
		symbols_add(symbols, symbol->st_value, symbol->st_value + symbol->st_size, rank,
			    name, length);
	else
		symbols_add_open(symbols, symbol->st_value, section_end(elf, symbol->st_shndx),
				 rank, name, length);
}

static void read_symbols(struct symbols *symbols, Elf *elf, Elf_Scn *section, size_t link)
{
	Elf_Data *data = read_data(section), *strings = read_data(elf_getscn(elf, link));
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i, n;
	size_t left, length;
	const char *name;
	GElf_Sym symbol;

	if (!data || !strings || size == 0)
		return;
	n = data->d_size / size;
	left = MOST_NAMES(strings->d_size);
	for (i = 0; i < n && i <= INT32_MAX; i++) {
		name = gelf_getsym(data, (int)i, &symbol) ? find_name(strings, symbol.st_name)
							  : NULL;
		if (!name || !(is_function(&symbol) || is_label(elf, &symbol, name)))
			continue;
		length = strlen(name);
		if (length > left)
			break;
		left -= length;
		add_symbol(symbols, elf, &symbol, name, length);
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

/* ---- build IDs ---- */

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

static void read_notes(struct build_id *id, Elf_Data *data)
{
	size_t at = 0, name, content;
	GElf_Nhdr note;

	while (data && !id->n && (at = gelf_getnote(data, at, &note, &name, &content)) > 0)
		take_note(id, data, &note, name, content);
}

/* Whether this many bytes are left to be read, which then are fewer. */
static bool take_size(uint64_t *left, uint64_t size)
{
	if (size > *left)
		return false;
	*left -= size;
	return true;
}

/* By segments, as the kernel does, or else by sections: debug files have nothing in segments. */
static void read_build_id(struct build_id *id, Elf *elf)
{
	uint64_t left = MOST_NOTES;
	Elf_Scn *section = NULL;
	GElf_Phdr segment;
	GElf_Shdr header;
	size_t i, n = 0;

	id->n = 0;
	if (elf_getphdrnum(elf, &n) != 0)
		n = 0;
	for (i = 0; i < n && !id->n; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE &&
		    take_size(&left, segment.p_filesz))
			read_notes(id, elf_getdata_rawchunk(elf, (int64_t)segment.p_offset,
							    segment.p_filesz,
							    segment.p_align == 8 ? ELF_T_NHDR8
										 : ELF_T_NHDR));
	while (!id->n && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    take_size(&left, header.sh_size))
			read_notes(id, read_data(section));
}

/* Whether the first section's size, at this place of the file, is not 0. */
static bool has_first(int fd, const unsigned char *ident, uint64_t place, size_t size)
{
	const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	const char none[sizeof(uint64_t)] = "";
	char number[sizeof(uint64_t)];

	if ((ident[EI_DATA] == ELFDATA2LSB) != is_little)
		place = size == 8 ? __builtin_bswap64(place) : __builtin_bswap32((uint32_t)place);
	place += size == 8 ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size);
	return place <= INT64_MAX && pread(fd, number, size, (off_t)place) == (ssize_t)size &&
	       memcmp(number, none, size) != 0;
}

bool elf_is_huge(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} head;

	memset(&head, 0, sizeof(head));
	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.narrow))
		return false;
	if (head.ident[EI_CLASS] == ELFCLASS64)
		return head.wide.e_phnum == PN_XNUM ||
		       (!head.wide.e_shnum && head.wide.e_shoff &&
			has_first(fd, head.ident, head.wide.e_shoff, 8));
	return head.narrow.e_phnum == PN_XNUM ||
	       (!head.narrow.e_shnum && head.narrow.e_shoff &&
		has_first(fd, head.ident, head.narrow.e_shoff, 4));
}

static Elf *begin_elf(int fd)
{
	Elf *elf = NULL;

	if (fd >= 0 && !elf_is_huge(fd) && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

/* Takes the descriptor. */
static Elf *open_elf(int own, int *fd)
{
	Elf *elf = begin_elf(own);

	*fd = own;
	if (!elf && own >= 0)
		close(own);
	return elf;
}

static void close_elf(Elf *elf, int fd)
{
	elf_end(elf);
	close(fd);
}

uint32_t elf_build_id(int fd, uint8_t id[ELF_BUILD_ID])
{
	struct build_id all = { .n = 0 };
	Elf *elf = begin_elf(fd);

	if (elf)
		read_build_id(&all, elf);
	elf_end(elf);
	if (all.n > ELF_BUILD_ID)
		return 0;
	memcpy(id, all.byte, all.n);
	return (uint32_t)all.n;
}

bool elf_knows_build_ids(void)
{
	return true;
}

/* ---- debug files ---- */

/* What a file tells of its debug file. */
struct link {
	const char *path; /* the file's own */
	struct build_id id;
	const char *name; /* NULL: none */
	uint32_t sum;
};

/* The bytes of all files that are summed up, of which a file with holes may have any number. */
#define MOST_SUMMED ((uint64_t)16 << 30)

/* Whether a whole file has this sum, of zlib's crc32(). It may grow while it is read. */
static bool has_sum(int fd, uint32_t wanted)
{
	static uint64_t left = MOST_SUMMED;
	unsigned char buffer[65536];
	uint32_t table[256], sum = UINT32_MAX, i, bit;
	struct stat stat;
	off_t at = 0;
	ssize_t n, k;

	if (fstat(fd, &stat) < 0 || !take_size(&left, (uint64_t)stat.st_size))
		return false;
	for (i = 0; i < 256; i++)
		for (table[i] = i, bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320 : 0);
	for (; at < stat.st_size && (n = pread(fd, buffer, sizeof(buffer), at)) > 0; at += n)
		for (k = 0; k < n; k++)
			sum = table[(sum ^ buffer[k]) & 0xFF] ^ sum >> 8;
	return ~sum == wanted;
}

static Elf_Scn *find_named(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name)
						      : NULL;
		if (name && !strcmp(name, wanted))
			return section;
	}
	return NULL;
}

/* A name, zeros up to a multiple of four, and the sum. */
static void read_link(struct link *link, Elf *elf)
{
	Elf_Data *data = read_data(find_named(elf, ".gnu_debuglink"));
	size_t length;

	read_build_id(&link->id, elf);
	if (!data || !data->d_buf)
		return;
	length = strnlen(data->d_buf, data->d_size);
	length = (length + 4) & ~(size_t)3;
	if (length < 4 || length + 4 > data->d_size || strchr(data->d_buf, '/'))
		return;
	link->name = data->d_buf;
	memcpy(&link->sum, (const char *)data->d_buf + length, sizeof(link->sum));
}

/* A search for a debug file. */
struct search {
	const struct elf_source *source;
	struct link link;
	bool (*has)(Elf *elf);
	/* Takes what is looked for from the file; false: the file lacks it. */
	bool (*take)(const struct search *search, Elf *elf, int fd);
	void *arg;
};

/* Takes from a file, if it has the same build ID, or, where there are none, the sum. */
static bool try_file(const struct search *search, const char *path, bool by_sum)
{
	int fd;
	Elf *elf = open_elf(search->source->open(search->source->arg, path), &fd);
	const struct build_id *id = &search->link.id;
	struct build_id own;
	bool taken = false;

	if (!elf)
		return false;
	read_build_id(&own, elf);
	if (search->has(elf) && ((own.n && own.n == id->n && !memcmp(own.byte, id->byte, own.n)) ||
				 (by_sum && has_sum(fd, search->link.sum))))
		taken = search->take(search, elf, fd);
	close_elf(elf, fd);
	return taken;
}

static bool try_id(const struct search *search)
{
	const struct build_id *id = &search->link.id;
	char path[sizeof("/usr/lib/debug/.build-id//.debug") + 2 * sizeof(id->byte)];
	size_t i;
	int n = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id->byte[0]);

	if (!id->n)
		return false;
	for (i = 1; i < id->n; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", id->byte[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	return try_file(search, path, false);
}

/* Where gdb looks for a name: beside the file, in .debug there, and below /usr/lib/debug. */
static bool try_name(const struct search *search)
{
	static const char *const places[][2] = { { "", "/" },
						 { "", "/.debug/" },
						 { "/usr/lib/debug", "/" } };
	const struct link *link = &search->link;
	const char *slash = strrchr(link->path, '/');
	bool found = false;
	unsigned int i;
	char *path;

	for (i = 0; i < 3 && link->name && slash && !found; i++) {
		if (asprintf(&path, "%s%.*s%s%s", places[i][0], (int)(slash - link->path),
			     link->path, places[i][1], link->name) < 0)
			need(NULL);
		found = try_file(search, path, true);
		free(path);
	}
	return found;
}

static bool find_debug_file(struct search *search, Elf *elf)
{
	search->link = (struct link){ .path = search->source->path };
	read_link(&search->link, elf);
	return try_id(search) || try_name(search);
}

/* ---- names within, compressed ---- */

#define LARGEST_IMAGE ((size_t)256 << 20) /* bytes */

/* liblzma's; it is loaded where it is needed, as libdw does it. */
typedef int lzma_decoder(uint64_t *memory, uint32_t flags, const void *allocator, const uint8_t *in,
			 size_t *at, size_t size, uint8_t *out, size_t *out_at, size_t out_size);

#define LZMA_BUF_ERROR 10

static lzma_decoder *find_decoder(void)
{
	static lzma_decoder *decoder;
	void *library = decoder ? NULL : dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);

	if (library)
		decoder = (lzma_decoder *)(uintptr_t)dlsym(library, "lzma_stream_buffer_decode");
	return decoder;
}

/* Returns what was compressed, to be freed, and its size; NULL: it can't be told. */
static char *expand(const Elf_Data *data, size_t *n)
{
	lzma_decoder *decode = find_decoder();
	size_t size = data->d_size * 4 + 4096, at;
	char *image = NULL;
	int result = LZMA_BUF_ERROR;

	for (; decode && result == LZMA_BUF_ERROR && size <= LARGEST_IMAGE; size *= 4) {
		uint64_t memory = LARGEST_IMAGE;

		image = need(realloc(image, size));
		at = *n = 0;
		result = decode(&memory, 0, NULL, data->d_buf, &at, data->d_size, (uint8_t *)image,
				n, size);
	}
	if (result == 0)
		return image;
	free(image);
	return NULL;
}

/* Fedora's programs have an ELF file of their local functions in a section, compressed by xz. */
static void read_within(struct symbols *symbols, Elf *elf)
{
	Elf_Data *data = read_data(find_named(elf, ".gnu_debugdata"));
	size_t n, strings = 0;
	char *image = data && data->d_buf ? expand(data, &n) : NULL;
	Elf *inner = image ? elf_memory(image, n) : NULL;
	Elf_Scn *table = inner && elf_kind(inner) == ELF_K_ELF
				 ? find_section(inner, SHT_SYMTAB, &strings)
				 : NULL;

	if (table)
		read_symbols(symbols, inner, table, strings);
	elf_end(inner);
	free(image);
}

static bool has_symbols(Elf *elf)
{
	size_t strings;

	return find_section(elf, SHT_SYMTAB, &strings) != NULL;
}

static bool take_symbols(const struct search *search, Elf *elf, int fd)
{
	struct symbols *symbols = search->arg;
	size_t strings = 0, before = symbols_number(symbols);
	Elf_Scn *table = find_section(elf, SHT_SYMTAB, &strings);

	(void)fd;
	read_symbols(symbols, elf, table, strings);
	return symbols_number(symbols) != before;
}

/* Reads all symbols, or those of the debug file, or else those for the dynamic linker and within.
 */
static void read_all(struct symbols *symbols, Elf *elf, const struct elf_source *source)
{
	struct search search = {
		.source = source, .has = has_symbols, .take = take_symbols, .arg = symbols
	};
	size_t strings = 0;
	Elf_Scn *table = find_section(elf, SHT_SYMTAB, &strings);

	if (!table) {
		if (find_debug_file(&search, elf))
			return;
		read_within(symbols, elf);
		table = find_section(elf, SHT_DYNSYM, &strings);
	}
	if (table)
		read_symbols(symbols, elf, table, strings);
}

static bool has_dwarf(Elf *elf)
{
	return find_named(elf, ".debug_info") || find_named(elf, ".zdebug_info");
}

static bool has_anything(Elf *elf)
{
	(void)elf;
	return true;
}

static bool take_file(const struct search *search, Elf *elf, int fd)
{
	int *own = search->arg;

	(void)elf;
	*own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return *own >= 0;
}

/* Opens the debug file, or the file itself if it is one, that has something. */
static int open_with(const struct elf_source *source, bool (*has)(Elf *elf), bool itself)
{
	int fd = -1;
	struct search search = { .source = source, .has = has, .take = take_file, .arg = &fd };
	Elf *elf = begin_elf(source->fd);

	if (elf && itself && has(elf))
		take_file(&search, elf, source->fd);
	else if (elf)
		find_debug_file(&search, elf);
	elf_end(elf);
	return fd;
}

int elf_dwarf(const struct elf_source *source)
{
	return open_with(source, has_dwarf, true);
}

int elf_debug_file(const struct elf_source *source)
{
	return open_with(source, has_anything, false);
}

static void read_file(struct symbols *symbols, const struct elf_source *source)
{
	Elf *elf = begin_elf(source->fd);

	if (!elf)
		return;
	read_segments(symbols, elf);
	read_all(symbols, elf, source);
	elf_end(elf);
}

/* ---- how a program is linked ---- */

static char *read_name(int fd, const GElf_Phdr *header)
{
	char name[PATH_MAX + 1] = "";

	if (header->p_filesz > PATH_MAX ||
	    pread(fd, name, header->p_filesz, (off_t)header->p_offset) != (ssize_t)header->p_filesz)
		return NULL;
	return need(strdup(name));
}

static void read_linker(struct elf_program *program, Elf *elf, int fd)
{
	GElf_Phdr header;
	size_t i, n;

	program->is_static = false;
	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP) {
			program->linker = read_name(fd, &header);
			return;
		}
	program->is_static = true;
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
	Elf *elf = open_elf(elf_open_file(file), &fd);

	if (!elf)
		return;
	needed = need(open_memstream(&program->needed, &size));
	read_needed(needed, elf);
	if (fclose(needed) != 0)
		need(NULL);
	read_linker(program, elf, fd);
	program->defines = defines(elf, function);
	close_elf(elf, fd);
}
#else
bool elf_is_huge(int fd)
{
	(void)fd;
	return false;
}

void elf_read_program(struct elf_program *program, const char *file, const char *function)
{
	(void)program, (void)file, (void)function;
}

static void read_file(struct symbols *symbols, const struct elf_source *source)
{
	(void)symbols, (void)source;
}

int elf_dwarf(const struct elf_source *source)
{
	(void)source;
	return -1;
}

int elf_debug_file(const struct elf_source *source)
{
	(void)source;
	return -1;
}

uint32_t elf_build_id(int fd, uint8_t id[ELF_BUILD_ID])
{
	(void)fd, (void)id;
	return 0;
}

bool elf_knows_build_ids(void)
{
	return false;
}
#endif

bool elf_is(int fd)
{
	char magic[4];

	return pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4);
}

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

struct symbols *elf_symbols(const struct elf_source *source)
{
	struct symbols *symbols = symbols_new();

	read_file(symbols, source);
	symbols_end(symbols, SYMBOLS_NESTED);
	return symbols;
}
