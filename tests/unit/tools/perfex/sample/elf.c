// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files that samples name: programs, and what is none. Whatever it is, nothing of it stays open. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/elf.h"

static int open_here(const void *arg, const char *path)
{
	(void)arg;
	return elf_open_file(path);
}

static struct symbols *symbols_of(const char *file)
{
	const struct elf_source source = { elf_open_file(file), file, open_here, NULL };
	struct symbols *symbols = elf_symbols(&source);

	if (source.fd >= 0)
		close(source.fd);
	return symbols;
}

static size_t number_of(const char *file)
{
	struct symbols *symbols = symbols_of(file);
	size_t n = symbols_number(symbols);

	symbols_free(symbols);
	return n;
}

/* A file of these bytes. */
static size_t number_in(const void *bytes, size_t size)
{
	char name[] = "elf.XXXXXX";
	int fd = mkstemp(name);
	size_t n;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	n = number_of(name);
	unlink(name);
	return n;
}

START_TEST(no_programs)
{
	Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 } };

	ck_assert_uint_eq(number_of("/no/such/file"), 0);
	ck_assert_uint_eq(number_of("/dev/null"), 0);
	ck_assert_uint_eq(number_of("/"), 0);
	ck_assert_uint_eq(number_in("", 0), 0);
	ck_assert_uint_eq(number_in("#!/bin/sh\n", 10), 0);
	ck_assert_uint_eq(number_in(&head, 4), 0);
	ck_assert_uint_eq(number_in(&head, sizeof(head)), 0);
	ck_assert_uint_eq(number_in("!<arch>\n", 8), 0);
}
END_TEST

#ifdef HAVE_LIBELF

#define LONG 100000

/* A program of a table of symbols and their names, of which each section begins where it ends. */
struct made {
	Elf64_Ehdr head;
	Elf64_Shdr section[3];
	Elf64_Sym symbol[4];
	char names[4 * LONG];
};

static struct made *make(void)
{
	struct made *made = calloc(1, sizeof(*made));

	ck_assert_ptr_nonnull(made);
	made->head = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			     ELFDATA2LSB,
#else
			     ELFDATA2MSB,
#endif
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = offsetof(struct made, section),
		.e_ehsize = sizeof(made->head),
		.e_shentsize = sizeof(made->section[0]),
		.e_shnum = 3,
	};
	made->section[1] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct made, symbol),
		.sh_size = sizeof(made->symbol),
		.sh_link = 2,
		.sh_entsize = sizeof(made->symbol[0]),
		.sh_addralign = 8,
	};
	made->section[2] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct made, names),
		.sh_size = sizeof(made->names),
		.sh_addralign = 1,
	};
	return made;
}

/* Its third symbol, with a name of n letters. */
static size_t number_named(unsigned char type, uint16_t section, size_t n)
{
	struct made *made = make();
	size_t number;

	made->symbol[2] = (Elf64_Sym){
		.st_name = 1,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
		.st_shndx = section,
		.st_value = 0x1000,
		.st_size = 16,
	};
	memset(made->names + 1, 'n', n);
	number = number_in(made, sizeof(*made));
	free(made);
	return number;
}

/* Functions of the file itself, however long their names are. */
START_TEST(functions)
{
	ck_assert_uint_eq(number_named(STT_FUNC, 1, 5), 1);
	ck_assert_uint_eq(number_named(STT_GNU_IFUNC, 1, 5), 1);
	ck_assert_uint_eq(number_named(STT_OBJECT, 1, 5), 0);
	ck_assert_uint_eq(number_named(STT_FUNC, SHN_UNDEF, 5), 0);
	ck_assert_uint_eq(number_named(STT_FUNC, 1, 0), 0);
	ck_assert_uint_eq(number_named(STT_FUNC, 1, LONG), 1);
	ck_assert_uint_eq(number_named(STT_FUNC, 1, 4 * LONG - 2), 1);
	/* Names without an end are none. */
	ck_assert_uint_eq(number_named(STT_FUNC, 1, 4 * LONG - 1), 0);
}
END_TEST

/* One without a size goes on to the end of its section, which is here that of symbols. */
START_TEST(sizes)
{
	struct made *made = make();
	char name[] = "elf.XXXXXX";
	int fd = mkstemp(name);
	struct symbols *symbols;
	uint64_t into;

	ck_assert_int_ge(fd, 0);
	made->section[1].sh_addr = 0x1000;
	made->symbol[2] = (Elf64_Sym){
		.st_name = 1,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = 0x1000,
	};
	strcpy(made->names + 1, "first");
	made->symbol[3] = made->symbol[2];
	made->symbol[3].st_name = 10;
	made->symbol[3].st_value = 0x1020;
	made->symbol[3].st_size = 0x10;
	strcpy(made->names + 10, "second");
	ck_assert_int_eq(write(fd, made, sizeof(*made)), sizeof(*made));
	close(fd);
	symbols = symbols_of(name);
	unlink(name);
	ck_assert_uint_eq(symbols_number(symbols), 2);
	ck_assert_str_eq(symbols_find(symbols, 0x101F, &into), "first");
	ck_assert_uint_eq(into, 0x1F);
	ck_assert_str_eq(symbols_find(symbols, 0x102F, &into), "second");
	ck_assert_ptr_null(symbols_find(symbols, 0x1030, &into));
	symbols_free(symbols);
	free(made);
}
END_TEST

/* The header of tables that are larger than its own numbers can say, as a file with holes has. */
START_TEST(huge_tables)
{
	struct made *made = make();

	made->symbol[2] = (Elf64_Sym){
		.st_name = 1,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = 0x1000,
		.st_size = 16,
	};
	strcpy(made->names + 1, "first");
	ck_assert_uint_eq(number_in(made, sizeof(*made)), 1);
	made->head.e_phnum = PN_XNUM;
	made->head.e_phentsize = sizeof(Elf64_Phdr);
	ck_assert_uint_eq(number_in(made, sizeof(*made)), 0);
	made->head.e_phnum = 0;
	made->head.e_shnum = 0;
	made->section[0].sh_size = 3;
	ck_assert_uint_eq(number_in(made, sizeof(*made)), 0);
	free(made);
}
END_TEST

#define HOLES 1024

/* Notes in holes, and after them the build ID. */
struct noted {
	Elf64_Ehdr head;
	Elf64_Phdr segment[HOLES + 1];
	Elf64_Nhdr note;
	char name[4];
	uint8_t id[ELF_BUILD_ID];
};

/* Notes in holes are neither kept in memory nor looked at, and hide no build ID. */
START_TEST(notes_in_holes)
{
	static struct noted noted;
	char name[] = "elf.XXXXXX";
	int fd = mkstemp(name);
	uint8_t id[ELF_BUILD_ID];
	struct made *made = make();
	unsigned int i;

	ck_assert_int_ge(fd, 0);
	noted.head = made->head;
	noted.head.e_shoff = noted.head.e_shnum = 0;
	noted.head.e_phoff = offsetof(struct noted, segment);
	noted.head.e_phentsize = sizeof(noted.segment[0]);
	noted.head.e_phnum = HOLES + 1;
	for (i = 0; i < HOLES; i++)
		noted.segment[i] = (Elf64_Phdr){
			.p_type = PT_NOTE,
			.p_offset = (1 << 20) + 4 * i,
			.p_filesz = 256 << 20,
		};
	noted.segment[i] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_offset = offsetof(struct noted, note),
		.p_filesz = sizeof(noted) - offsetof(struct noted, note),
	};
	noted.note = (Elf64_Nhdr){ 4, ELF_BUILD_ID, NT_GNU_BUILD_ID };
	memcpy(noted.name, "GNU", 4);
	memset(noted.id, 7, sizeof(noted.id));
	ck_assert_int_eq(write(fd, &noted, sizeof(noted)), sizeof(noted));
	ck_assert_int_eq(ftruncate(fd, 512 << 20), 0);
	unlink(name);
	ck_assert_uint_eq(elf_build_id(fd, id), ELF_BUILD_ID);
	ck_assert_int_eq(memcmp(id, noted.id, sizeof(id)), 0);
	close(fd);
	free(made);
}
END_TEST

#define LINKED "\0.gnu_debuglink\0holes\0\0\0\0\0\0\0sum"

/* A debug file with holes, which has another sum for all that is known, is not read to its end. */
START_TEST(sums_of_holes)
{
	struct made *made = make();
	char file[] = "./elf.XXXXXX";
	int own = mkstemp(file), fd = open("holes", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	ck_assert_int_ge(own, 0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, made, sizeof(*made)), sizeof(*made));
	ck_assert_int_eq(ftruncate(fd, (off_t)100 << 30), 0);
	made->section[1].sh_type = SHT_PROGBITS;
	made->section[1].sh_name = 1;
	made->section[1].sh_offset = offsetof(struct made, names) + 16;
	made->section[1].sh_size = sizeof(LINKED) - 16;
	made->head.e_shstrndx = 2;
	memcpy(made->names, LINKED, sizeof(LINKED));
	ck_assert_int_eq(write(own, made, sizeof(*made)), sizeof(*made));
	ck_assert_uint_eq(number_of(file), 0);
	unlink(file);
	unlink("holes");
	close(own);
	close(fd);
	free(made);
}
END_TEST

#endif

/* This program has functions. */
START_TEST(a_program)
{
#ifdef HAVE_LIBELF
	ck_assert_uint_gt(number_of("/proc/self/exe"), 0);
#else
	ck_assert_uint_eq(number_of("/proc/self/exe"), 0);
#endif
}
END_TEST

/* Of this program itself. */
START_TEST(how_it_is_linked)
{
#ifdef HAVE_LIBELF
	struct elf_program program = { .needed = NULL };
	char *line, *rest;

	elf_read_program(&program, "/proc/self/exe", "main");
	ck_assert_ptr_nonnull(program.needed);
	ck_assert(program.defines);
	ck_assert_int_eq(program.is_static, !*program.needed);
	ck_assert_int_eq(program.is_static, !program.linker);
	ck_assert(program.is_static || access(program.linker, X_OK) == 0);
	free(program.linker);
	for (line = strtok_r(program.needed, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(strstr(line, ".so") != NULL, "\"%s\" is no library", line);
	free(program.needed);
	elf_read_program(&program, "/proc/self/exe", "no_such_function");
	ck_assert(!program.defines);
	free(program.needed);
	free(program.linker);
	/* What is no program leaves it as it is. */
	program.needed = NULL;
	program.defines = true;
	elf_read_program(&program, "/dev/null", "main");
	ck_assert(program.defines && !program.needed);
#endif
}
END_TEST

UNIT_MAIN("elf", 60, no_programs, a_program, how_it_is_linked
#ifdef HAVE_LIBELF
	  ,
	  functions, sizes, huge_tables, notes_in_holes, sums_of_holes
#endif
)
