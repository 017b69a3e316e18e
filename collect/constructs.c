// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "collect/constructs.h"
#include "collect/place.h"

static const char *const kinds[] = {
	[PARALLEL] = "omp parallel",
	[LOOP] = "omp loop",
	[SECTIONS] = "omp sections",
	[SINGLE] = "omp single",
	[DISTRIBUTE] = "omp distribute",
	[TASKLOOP] = "omp taskloop",
	[TASK] = "omp task",
	[BARRIER] = "omp barrier",
	[WAIT] = "omp taskwait",
	[GROUP] = "omp taskgroup",
	[TEAMS] = "omp teams",
	[IDLE] = "omp idle",
};

/* ---- libraries, which may come and go ---- */

/*
 * A library may be loaded where another one was, whose constructs had the same addresses. So a
 * construct is known by its library, too, whose identity is asked again after each unloading. The
 * program itself stays.
 */
#define FOREVER UINT_MAX
static unsigned int generation; /* changes with each unloading */
static uintptr_t program_begin, program_size;

static bool is_in_program(const void *address)
{
	return (uintptr_t)address - program_begin < program_size;
}

/* The program comes first. */
static int find_program(struct dl_phdr_info *program, size_t size, void *arg)
{
	uintptr_t begin = UINTPTR_MAX, end = 0;
	unsigned int i;

	(void)size, (void)arg;
	for (i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &program->dlpi_phdr[i];
		uintptr_t at = program->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		begin = at < begin ? at : begin;
		end = at + part->p_memsz > end ? at + part->p_memsz : end;
	}
	program_begin = begin;
	program_size = end > begin ? end - begin : 0;
	return 1;
}

static int read_unloads(struct dl_phdr_info *library, size_t size, void *unloads)
{
	(void)size;
	*(unsigned int *)unloads = (unsigned int)library->dlpi_subs;
	return 1;
}

void constructs_look(const void *address)
{
	unsigned int unloads = 0;

	if (is_in_program(address))
		return;
	dl_iterate_phdr(read_unloads, &unloads);
	__atomic_store_n(&generation, unloads % FOREVER, __ATOMIC_RELEASE);
}

struct library {
	const void *address; /* in it */
	unsigned long identity;
};

static unsigned long hash(unsigned long so_far, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		so_far = (so_far ^ *byte++) * 16777619; /* FNV-1a */
	return so_far;
}

/* Whether a library has a part in its memory, which can be read. */
static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &info->dlpi_phdr[i];

		if (load->p_type == PT_LOAD && load->p_flags & PF_R &&
		    part->p_vaddr >= load->p_vaddr && part->p_memsz <= load->p_filesz &&
		    part->p_vaddr - load->p_vaddr <= load->p_filesz - part->p_memsz)
			return true;
	}
	return false;
}

/* Identifies a library by its name and place, and by its notes, which have its build ID. */
static int identify(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned long identity = hash(2166136261, info->dlpi_name, strlen(info->dlpi_name));
	struct library *library = arg;
	bool is_here = false;
	unsigned int i;

	(void)size;
	identity = hash(identity, &info->dlpi_addr, sizeof(info->dlpi_addr));
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD)
			is_here |= (uintptr_t)library->address - at < part->p_memsz;
		else if (part->p_type == PT_NOTE && is_loaded(info, part))
			identity = hash(identity, (const void *)at, part->p_memsz);
	}
	if (is_here)
		library->identity = identity;
	return is_here;
}

static unsigned long library_of(const void *address)
{
	struct library library = { .address = address };

	if (address && !is_in_program(address))
		dl_iterate_phdr(identify, &library);
	return library.identity;
}

/* ---- the table ---- */

/*
 * A hash table of all constructs. Threads look without the lock, since entries are added only, and
 * the pointer to one is written last.
 */
#define CONSTRUCTS 4096
static struct construct *constructs[CONSTRUCTS];
static struct construct all[CONSTRUCTS / 2];
static unsigned int nconstructs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The constructs for which there is no room. */
PERFCTR_REGION(others, "omp (others)");
static struct construct no_room[IDLE + 1];

static size_t slot_of(enum kind kind, const void *address)
{
	return ((uintptr_t)address * 11 + (uintptr_t)kind * 401) % CONSTRUCTS;
}

/* Whether the construct's library is still there, as far as that was asked. */
static bool is_current(const struct construct *construct)
{
	unsigned int now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
	unsigned int its = __atomic_load_n(&construct->generation, __ATOMIC_RELAXED);

	return its == now || its == FOREVER;
}

/* Returns the place of a construct, or of the one that it will be. */
static struct construct **find_slot(enum kind kind, const void *address)
{
	size_t slot = slot_of(kind, address);
	struct construct *found;

	while ((found = __atomic_load_n(&constructs[slot], __ATOMIC_ACQUIRE)) != NULL &&
	       (found->address != address || found->kind != kind || !is_current(found)))
		slot = (slot + 1) % CONSTRUCTS;
	return &constructs[slot];
}

/* Finds a construct whose library is loaded still, or again; NULL if there is no such construct. */
static struct construct *find_again(enum kind kind, const void *address, unsigned long library)
{
	size_t slot = slot_of(kind, address);
	struct construct *found;

	for (; (found = constructs[slot]) != NULL; slot = (slot + 1) % CONSTRUCTS)
		if (found->address == address && found->kind == kind && found->library == library)
			return found;
	return NULL;
}

/* Several constructs may have a line, as in a macro; GCC gives calls of its runtime no line. */
static void tell_apart(char name[PLACE_SIZE], enum kind kind)
{
	unsigned int i, same = 1;
	size_t length;

	name[PLACE_SIZE - 8] = '\0'; /* there is room for the number, then */
	length = strlen(name);
	for (i = 0; i < nconstructs; i++)
		same += all[i].kind == kind && !strncmp(all[i].region->name, name, length) &&
			(!all[i].region->name[length] || all[i].region->name[length + 1] == '#');
	if (same > 1)
		snprintf(name + length, PLACE_SIZE - length, " #%u", same);
}

static struct construct *new_construct(enum kind kind, const void *address, unsigned long library)
{
	struct construct *construct = &all[nconstructs];
	char name[PLACE_SIZE] = "";

	if (nconstructs == CONSTRUCTS / 2)
		return NULL;
	place_name(name, kinds[kind], address);
	tell_apart(name, kind);
	construct->region = perfctr_region_by_name(name);
	if (!construct->region) /* the library has no room for more names */
		construct->region = &others;
	construct->address = address;
	construct->library = library;
	construct->kind = kind;
	nconstructs++;
	return construct;
}

/* It is apart, so that construct_find() saves no registers. */
static __attribute__((noinline)) struct construct *add_construct(enum kind kind,
								 const void *address)
{
	unsigned long library = library_of(address);
	unsigned int now = library ? __atomic_load_n(&generation, __ATOMIC_ACQUIRE) : FOREVER;
	struct construct **slot, *construct;

	pthread_mutex_lock(&lock);
	construct = find_again(kind, address, library);
	if (construct) {
		__atomic_store_n(&construct->generation, now, __ATOMIC_RELAXED);
	} else if ((construct = new_construct(kind, address, library)) != NULL) {
		construct->generation = now;
		slot = find_slot(kind, address);
		__atomic_store_n(slot, construct, __ATOMIC_RELEASE);
	} else {
		construct = &no_room[kind];
		*construct = (struct construct){ .region = &others, .kind = kind };
	}
	pthread_mutex_unlock(&lock);
	return construct;
}

/* When names have used all ids up, it is too late for the one that stands for them. */
void constructs_begin(void)
{
	perfctr_region_by_name(others.name);
	dl_iterate_phdr(find_program, NULL);
}

struct construct *construct_find(enum kind kind, const void *address)
{
	struct construct *found = *find_slot(kind, address);

	return found ? found : add_construct(kind, address);
}
