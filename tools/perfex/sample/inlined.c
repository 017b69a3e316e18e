// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/sample/inlined.h"

#if defined(HAVE_LIBDW) && defined(HAVE_LIBELF)
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/sample/helper.h"
#include "tools/perfex/sample/libdw.h"

#define MOST_ADDRESSES 4096	 /* of a question */
#define MOST_ENTRIES   200000000 /* of the debugging information of a file that are looked at */
#define DEEPEST	       1024	 /* entries within each other */
#define LONGEST	       60	 /* seconds that all files may take */

struct question {
	uint64_t file;	/* a number of its own, with whose first question comes the descriptor */
	uint64_t lines; /* they are asked for; 0: inlined functions */
	uint64_t address[MOST_ADDRESSES];
};

/* ---- in the process that reads debugging information: ranges of addresses ---- */

struct range {
	uint64_t low, high;
	uint64_t reach; /* the highest end of this range and those before it */
	size_t owner;
};

struct ranges {
	struct range *range;
	size_t n, room;
};

/* What is in a function, in the order of the file. */
struct call {
	Dwarf_Die die;
	size_t first, n; /* its ranges */
	size_t end;	 /* the next one that is not within it */
};

struct unit {
	Dwarf_Die die;
	bool is_read, is_deep;
	struct ranges ranges; /* of functions, which are the owners */
	Dwarf_Die *function;
	size_t n, room;
};

/* The file that was asked about last. */
static struct {
	uint64_t number;
	int fd;
	Dwarf *dwarf; /* NULL: it has no debugging information */
	size_t entries;
	struct ranges ranges; /* of units, which are the owners */
	struct unit *unit;
	size_t n, room;
	/* The function that was looked at last. */
	const Dwarf_Die *function;
	struct ranges inner;
	struct call *call;
	size_t ncalls, calls_room;
} file;

/* The process ends when memory does, and perfex does without it. */
static void *grow(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room * 2 + 64;
	array = reallocarray(array, *room, size);
	if (!array)
		_exit(1);
	return array;
}

/*
 * Linkers leave the addresses of functions that they have left out at 0 or 1, or at the end:
 * nothing of a process is there.
 */
static void add_range(struct ranges *ranges, uint64_t low, uint64_t high, size_t owner)
{
	if (low <= 1 || high <= low)
		return;
	ranges->range = grow(ranges->range, ranges->n, &ranges->room, sizeof(*ranges->range));
	ranges->range[ranges->n++] = (struct range){ low, high, 0, owner };
}

/* Adds the ranges of an entry; returns how many. */
static size_t add_ranges(struct ranges *ranges, Dwarf_Die *die, size_t owner)
{
	size_t before = ranges->n;
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	while ((next = dw.dwarf_ranges(die, next, &base, &low, &high)) > 0 &&
	       ++file.entries < MOST_ENTRIES)
		add_range(ranges, low, high, owner);
	return ranges->n - before;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *one = a, *two = b;

	if (one->low != two->low)
		return one->low < two->low ? -1 : 1;
	return one->owner < two->owner ? -1 : one->owner > two->owner;
}

static void sort_ranges(struct ranges *ranges)
{
	uint64_t reach = 0;
	size_t i;

	if (ranges->n)
		qsort(ranges->range, ranges->n, sizeof(*ranges->range), compare_ranges);
	for (i = 0; i < ranges->n; i++) {
		if (ranges->range[i].high > reach)
			reach = ranges->range[i].high;
		ranges->range[i].reach = reach;
	}
}

/* Returns the smallest range that an address is in, of these that are sorted; NULL: none. */
static const struct range *find_range(const struct ranges *ranges, uint64_t address)
{
	const struct range *best = NULL, *range;
	size_t low = 0, high = ranges->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ranges->range[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- && (range = &ranges->range[low])->reach > address &&
	       ++file.entries < MOST_ENTRIES)
		if (range->high > address &&
		    (!best || range->high - range->low < best->high - best->low))
			best = range;
	return best;
}

/* ---- the functions of a unit ---- */

static void add_function(struct unit *unit, Dwarf_Die *die)
{
	if (!add_ranges(&unit->ranges, die, unit->n))
		return;
	unit->function = grow(unit->function, unit->n, &unit->room, sizeof(*unit->function));
	unit->function[unit->n++] = *die;
}

/* Whether functions may be in it; a function in another one is only looked for if need be. */
static bool has_functions(int tag, bool is_deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine: return is_deep;
	default: return false;
	}
}

static void read_functions(struct unit *unit, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die child;
	int tag, more = depth < DEEPEST ? dw.dwarf_child(parent, &child) : 1;

	for (; more == 0 && ++file.entries < MOST_ENTRIES;
	     more = dw.dwarf_siblingof(&child, &child)) {
		tag = dw.dwarf_tag(&child);
		if (tag == DW_TAG_subprogram)
			add_function(unit, &child);
		if (has_functions(tag, unit->is_deep))
			read_functions(unit, &child, depth + 1);
	}
}

/* Whether opening it may wait, as that of a pipe does. */
static bool may_wait(const char *first, const char *second, const char *name)
{
	struct stat is;
	char *path;
	bool may;

	if (asprintf(&path, "%s/%s/%s", first, second, name) < 0)
		_exit(1);
	may = stat(path, &is) == 0 && !S_ISREG(is.st_mode);
	free(path);
	return may;
}

/* Writes the directory that the library takes for the file's. */
static void put_directory(char place[PATH_MAX])
{
	char path[32], *end;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file.fd);
	n = readlink(path, place, PATH_MAX - 1);
	place[n > 0 ? n : 0] = '\0';
	end = strrchr(place, '/');
	if (end)
		*end = '\0';
}

/*
 * Whether the library would wait for another file: it opens what has the name beside this one, or
 * in the directory of the compilation.
 */
static bool waits_for(const char *name, const char *directory)
{
	char place[PATH_MAX];

	if (*name == '/')
		return may_wait("", "", name);
	put_directory(place);
	return may_wait(place, "", name) ||
	       may_wait(*directory == '/' ? "" : place, directory, name);
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dw.dwarf_attr_integrate(die, name, &attribute) ? dw.dwarf_formstring(&attribute)
							      : NULL;
}

static bool waits_for_split(Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_dwo_name), *directory = text_of(die, DW_AT_comp_dir);

	name = name ? name : text_of(die, DW_AT_GNU_dwo_name);
	return name && waits_for(name, directory ? directory : "");
}

/* Most of it may be in a file of its own (-gsplit-dwarf). */
static void find_split(struct unit *unit)
{
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die, other;

	if (waits_for_split(&unit->die))
		return;
	if (dw.dwarf_cu_info(unit->die.cu, &version, &type, &die, &other, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton && other.cu)
		unit->die = other;
}

static const Dwarf_Die *find_function(struct unit *unit, uint64_t address)
{
	const struct range *range;

	if (!unit->is_read) {
		unit->is_read = true;
		find_split(unit);
		read_functions(unit, &unit->die, 0);
		sort_ranges(&unit->ranges);
	}
	range = find_range(&unit->ranges, address);
	if (range || unit->is_deep)
		return range ? &unit->function[range->owner] : NULL;
	unit->is_deep = true;
	unit->is_read = false;
	unit->n = unit->ranges.n = 0;
	file.function = NULL;
	return find_function(unit, address);
}

/* ---- the functions that are inlined in a function ---- */

static void read_calls(Dwarf_Die *parent, unsigned int depth);

/* What has no instructions of its own may still have entries with some within. */
static void read_call(Dwarf_Die *die, unsigned int depth)
{
	struct call call = { .die = *die, .first = file.inner.n };
	size_t place = file.ncalls;

	call.n = add_ranges(&file.inner, die, 0);
	if (call.n) {
		file.call = grow(file.call, place, &file.calls_room, sizeof(*file.call));
		file.call[file.ncalls++] = call;
	}
	read_calls(die, depth + 1);
	if (call.n)
		file.call[place].end = file.ncalls;
}

static void read_calls(Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die child;
	int more = depth < DEEPEST ? dw.dwarf_child(parent, &child) : 1;

	for (; more == 0 && ++file.entries < MOST_ENTRIES;
	     more = dw.dwarf_siblingof(&child, &child))
		switch (dw.dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine: read_call(&child, depth); break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block: read_calls(&child, depth + 1); break;
		}
}

static bool covers(const struct call *call, uint64_t address)
{
	const struct range *range = file.inner.range + call->first;
	size_t n = call->n;

	for (; n--; range++)
		if (range->low <= address && address < range->high)
			return true;
	return false;
}

/* Returns its name for linkers, of which C++ and Rust make whole names; NULL: it has no name. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	Dwarf_Attribute attribute;
	const char *name = NULL;
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !name; i++)
		if (dw.dwarf_attr_integrate(die, kinds[i], &attribute))
			name = dw.dwarf_formstring(&attribute);
	return name && *name ? name : NULL;
}

/*
 * Writes the names of those that an address is in, each within the one before; returns their size,
 * or room + 1.
 */
static size_t put_calls(uint64_t address, char *text, size_t room)
{
	size_t i = 0, end = file.ncalls, used = 0, n;
	const char *name;

	while (i < end && ++file.entries < MOST_ENTRIES) {
		struct call *call = &file.call[i];

		if (!covers(call, address)) {
			i = call->end;
			continue;
		}
		i++;
		end = call->end;
		name = name_of(&call->die);
		n = name ? strlen(name) + 1 : 0;
		if (n > room - used)
			return room + 1;
		if (n)
			memcpy(text + used, name, n);
		used += n;
	}
	return used;
}

static size_t put_names(uint64_t address, char *text, size_t room)
{
	const struct range *range = find_range(&file.ranges, address);
	const Dwarf_Die *function = range ? find_function(&file.unit[range->owner], address) : NULL;
	Dwarf_Die die;

	if (!function)
		return 0;
	if (function != file.function) {
		file.function = function;
		file.ncalls = file.inner.n = 0;
		die = *function;
		read_calls(&die, 0);
	}
	return put_calls(address, text, room);
}

/* ---- lines ---- */

/* Writes "FILE:LINE" without directories; returns its size, 0 if it is not known, or room + 1. */
static size_t put_line(uint64_t address, char *text, size_t room)
{
	const struct range *range = find_range(&file.ranges, address);
	Dwarf_Line *line = range ? dw.dwarf_getsrc_die(&file.unit[range->owner].die, address)
				 : NULL;
	const char *name = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL, *slash;
	char whole[4096];
	size_t n;
	int number;

	/* Line 0 says that the instruction is of none. */
	if (!name || dw.dwarf_lineno(line, &number) != 0 || !number)
		return 0;
	slash = strrchr(name, '/');
	n = (size_t)snprintf(whole, sizeof(whole), "%.4000s:%d", slash ? slash + 1 : name, number) +
	    1;
	if (n > room)
		return room + 1;
	memcpy(text, whole, n);
	return n;
}

/* ---- files ---- */

/*
 * Whether what dwz has put into another file is in the one that is found. libdw looks for it again
 * whenever a name is there, so that another one can't be taken away from it.
 */
static bool has_its_alternate(Dwarf *dwarf)
{
	const char *name;
	const void *wanted, *id;
	ssize_t n = dw.dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &wanted);
	Dwarf *other;

	if (n > 0 && waits_for(name, ""))
		return false;
	other = n > 0 ? dw.dwarf_getalt(dwarf) : NULL;
	return !other || (dw.dwelf_elf_gnu_build_id(dw.dwarf_getelf(other), &id) == n &&
			  memcmp(id, wanted, (size_t)n) == 0);
}

static void add_unit(const Dwarf_Die *die)
{
	struct unit unit = { .die = *die };

	if (!add_ranges(&file.ranges, &unit.die, file.n))
		return;
	file.unit = grow(file.unit, file.n, &file.room, sizeof(*file.unit));
	file.unit[file.n++] = unit;
}

static void read_units(void)
{
	Dwarf_Off offset = 0, next, type;
	size_t head;
	Dwarf_Half version;
	Dwarf_Die die;

	while (file.entries < MOST_ENTRIES &&
	       dw.dwarf_next_unit(file.dwarf, offset, &next, &head, &version, NULL, NULL, NULL,
				  NULL, &type) == 0 &&
	       next > offset) {
		if (dw.dwarf_offdie(file.dwarf, offset + head, &die))
			add_unit(&die);
		offset = next;
	}
	sort_ranges(&file.ranges);
}

static void close_file(void)
{
	size_t i;

	for (i = 0; i < file.n; i++) {
		free(file.unit[i].ranges.range);
		free(file.unit[i].function);
	}
	if (file.dwarf)
		dw.dwarf_end(file.dwarf);
	if (file.fd >= 0)
		close(file.fd);
	file.fd = -1;
	file.dwarf = NULL;
	file.function = NULL;
	file.n = file.ranges.n = file.entries = 0;
}

static void open_file(uint64_t number, int fd)
{
	close_file();
	file.number = number;
	file.fd = fd;
	if (fd >= 0)
		helper_as_owner(fd);
	file.dwarf = fd >= 0 ? dw.dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (file.dwarf && has_its_alternate(file.dwarf))
		read_units();
}

/*
 * The answer is names with a 0 each and another 0, for as many addresses as there is room for; the
 * names of one address that are larger than that are left out. It is empty, but for one character,
 * when the file takes too long.
 */
static size_t answer(char *packet, size_t n, int fd)
{
	static struct question question;
	size_t i, used = 0, more;

	memcpy(&question, packet, n < sizeof(question) ? n : sizeof(question));
	n = n < sizeof(question)
		    ? (n - offsetof(struct question, address)) / sizeof(question.address[0])
		    : MOST_ADDRESSES;
	if (question.file != file.number)
		open_file(question.file, fd);
	for (i = 0; i < n && used < LONGEST_PACKET && file.entries < MOST_ENTRIES; i++) {
		more = (question.lines ? put_line : put_names)(question.address[i], packet + used,
							       LONGEST_PACKET - 1 - used);
		if (file.entries >= MOST_ENTRIES)
			break; /* some of its names may be missing */
		if (more > LONGEST_PACKET - 1 - used) {
			if (used)
				break;
			more = 0;
		}
		used += more;
		packet[used++] = '\0';
	}
	if (!used)
		packet[used++] = '?';
	return used;
}

static bool prepare(void)
{
	file.fd = -1;
	return libdw_load() == NULL;
}

/* ---- in perfex ---- */

static struct helper helper = {
	.begin = prepare,
	.answer = answer,
	.megabytes = 4096,
	.seconds = 20,
};

static uint64_t spent; /* ns, by all files */

void inlined_end(void)
{
	helper_end(&helper);
	spent = 0;
}

/* Calls back with the names of an answer; returns how many addresses they are of. */
static size_t take_answer(char *packet, size_t size, size_t first, size_t most,
			  inlined_found *found, void *arg)
{
	const char *at = packet, *begin = packet, *end = packet + size;
	size_t i = 0;

	for (; at < end && i < most; at += strnlen(at, (size_t)(end - at)) + 1) {
		if (*at)
			continue;
		if (at > begin)
			found(arg, first + i, begin, (size_t)(at - begin));
		begin = at + 1;
		i++;
	}
	return i;
}

/* Asks about a file that is open. */
static bool ask_all(int fd, bool lines, const uint64_t *address, size_t n, inlined_found *found,
		    void *arg)
{
	static struct question question;
	static char packet[LONGEST_PACKET + 1];
	size_t done = 0, part, size;
	uint64_t begin;

	question.lines = lines;
	for (question.file++; done < n; fd = -1) {
		part = n - done < MOST_ADDRESSES ? n - done : MOST_ADDRESSES;
		memcpy(question.address, address + done, part * sizeof(*address));
		begin = clock_ns();
		size = spent < LONGEST * UINT64_C(1000000000)
			       ? helper_ask(&helper, &question,
					    offsetof(struct question, address[part]), fd, packet,
					    LONGEST_PACKET)
			       : 0;
		spent += clock_ns() - begin;
		packet[size] = '\0';
		part = take_answer(packet, size, done, part, found, arg);
		if (!part)
			return false;
		done += part;
	}
	return true;
}

static bool ask_of(const struct elf_source *source, bool lines, const uint64_t *address, size_t n,
		   inlined_found *found, void *arg)
{
	int fd = n ? elf_dwarf(source) : -1;
	bool all;

	if (fd < 0)
		return true;
	all = ask_all(fd, lines, address, n, found, arg);
	if (!all)
		helper_end(&helper); /* another file may do */
	close(fd);
	return all;
}

bool inlined_find(const struct elf_source *source, const uint64_t *address, size_t n,
		  inlined_found *found, void *arg)
{
	return ask_of(source, false, address, n, found, arg);
}

bool inlined_lines(const struct elf_source *source, const uint64_t *address, size_t n,
		   inlined_found *found, void *arg)
{
	return ask_of(source, true, address, n, found, arg);
}

#else

bool inlined_find(const struct elf_source *source, const uint64_t *address, size_t n,
		  inlined_found *found, void *arg)
{
	(void)source, (void)address, (void)n, (void)found, (void)arg;
	return true;
}

bool inlined_lines(const struct elf_source *source, const uint64_t *address, size_t n,
		   inlined_found *found, void *arg)
{
	(void)source, (void)address, (void)n, (void)found, (void)arg;
	return true;
}

void inlined_end(void)
{
}

#endif
