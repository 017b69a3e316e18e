// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of events -> struct perf_event_attr. First the tables of names that every kernel knows,
 * then what this machine's kernel describes in sysfs and tracefs, then the grammar:
 *
 *	event = name [":" modifiers] | subsystem ":" tracepoint [":" modifiers]
 *	      | name of the processor's table {":" (mask | modifiers)}
 *	      | pmu "/" [term {"," term}] "/" [[":"] modifiers]
 *	term  = name of the PMU's events/ | field of its format/ ["=" number]
 *
 * "a:b" is an event with modifiers if a is a name by itself, else a tracepoint; if it is neither,
 * and b could be modifiers, a is what is misspelt. Every file read is taken for hostile: bounded,
 * and checked.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/names/event.h"
#include "lib/names/table.h"
#include "libperfctr.h"

#define DEVICES PERFCTR_DEVICES
/* With a precision: to the compiler, a name in an array may be as long as the array. */
#define EVENTS_OF DEVICES "/%.127s/events"
#define NAME_SIZE PERFCTR_NAME_SIZE
#define PATH_SIZE 512 /* of a path: some text of ours and two words */
#define TEXT_SIZE 512 /* of one file's text */

/* What asks the kernel: kept out of line, so that the look-ups before it need no stack. */
#define SLOW __attribute__((noinline, cold))

/* ---- names that every kernel knows: include/uapi/linux/perf_event.h ---- */

/* Arrays and not pointers, which the loader would have to relocate. */
struct known {
	char name[24];
	char description[48]; /* empty: a second name */
	uint32_t type;
	uint32_t config;
};

/* clang-format off */
#define HW(name, id, text) { name, text, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define SW(name, id, text) { name, text, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
/* clang-format on */

/* A second name of an event is not listed. */
static const struct known known[] = {
	HW("cycles", CPU_CYCLES, "core clock cycles"),
	HW("cpu-cycles", CPU_CYCLES, ""),
	HW("instructions", INSTRUCTIONS, "instructions retired"),
	HW("cache-references", CACHE_REFERENCES, "accesses to the last-level cache"),
	HW("cache-misses", CACHE_MISSES, "misses in the last-level cache"),
	HW("branches", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, ""),
	HW("branch-misses", BRANCH_MISSES, "branches that were predicted wrongly"),
	HW("bus-cycles", BUS_CYCLES, "bus clock cycles"),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles with nothing to issue"),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND, ""),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles that waited for resources"),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND, ""),
	HW("ref-cycles", REF_CPU_CYCLES, "cycles of the nominal clock while not halted"),
	SW("cpu-clock", CPU_CLOCK, "ns on the processor, by its clock"),
	SW("task-clock", TASK_CLOCK, "ns for which the task ran"),
	SW("page-faults", PAGE_FAULTS, "page faults"),
	SW("faults", PAGE_FAULTS, ""),
	SW("context-switches", CONTEXT_SWITCHES, "switches to another thread"),
	SW("cs", CONTEXT_SWITCHES, ""),
	SW("cpu-migrations", CPU_MIGRATIONS, "moves to another processor"),
	SW("migrations", CPU_MIGRATIONS, ""),
	SW("minor-faults", PAGE_FAULTS_MIN, "page faults served without input"),
	SW("major-faults", PAGE_FAULTS_MAJ, "page faults that had to wait for input"),
	SW("alignment-faults", ALIGNMENT_FAULTS, "unaligned accesses that the kernel mended"),
	SW("emulation-faults", EMULATION_FAULTS, "instructions that the kernel emulated"),
	SW("dummy", DUMMY, "nothing: a placeholder"),
	SW("bpf-output", BPF_OUTPUT, "outputs of BPF programs"),
	SW("cgroup-switches", CGROUP_SWITCHES, "switches to another cgroup's thread"),
};

#define LOAD	 1u /* 1 << PERF_COUNT_HW_CACHE_OP_* */
#define STORE	 2u
#define PREFETCH 4u

static const struct {
	char name[12];
	unsigned int id;
	unsigned int ops; /* that make sense */
} caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D, LOAD | STORE | PREFETCH },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I, LOAD | PREFETCH },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, LOAD | STORE | PREFETCH },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB, LOAD | STORE | PREFETCH },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB, LOAD },
	{ "branch", PERF_COUNT_HW_CACHE_BPU, LOAD },
	{ "node", PERF_COUNT_HW_CACHE_NODE, LOAD | STORE | PREFETCH },
};

/* By operation, then by result: all accesses, misses. */
static const char cache_uses[3][2][16] = {
	{ "loads", "load-misses" },
	{ "stores", "store-misses" },
	{ "prefetches", "prefetch-misses" },
};

/* ---- walking over names ---- */

/* A callback on each name of a kind; non-zero ends the walk. */
typedef int (*each_name)(void *arg, const struct perfctr_event_name *name);

static int walk_known(uint32_t type, const char *kind, each_name each, void *arg)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < ARRAY_SIZE(known) && result == 0; i++) {
		struct perfctr_event_name name = { known[i].name, kind, known[i].description };

		if (known[i].type == type && known[i].description[0])
			result = each(arg, &name);
	}
	return result;
}

static int walk_caches(each_name each, void *arg)
{
	char text[NAME_SIZE];
	struct perfctr_event_name name = { text, "cache", "" };
	unsigned int c, op, use;
	int result = 0;

	for (c = 0; c < ARRAY_SIZE(caches); c++) {
		for (op = 0; op < 3; op++) {
			for (use = 0; use < 2 && caches[c].ops & 1u << op && result == 0; use++) {
				snprintf(text, sizeof(text), "%.12s-%.16s", caches[c].name,
					 cache_uses[op][use]);
				result = each(arg, &name);
			}
		}
	}
	return result;
}

struct walk {
	each_name each;
	void *arg;
	const char *folder; /* of the PMU, or of the tracepoints' subsystem */
	const char *root;   /* of tracefs */
};

/* Files beside an event's own that say more about it. */
static bool is_annotation(const char *entry)
{
	const char *dot = strrchr(entry, '.');

	return dot && (!strcmp(dot, ".scale") || !strcmp(dot, ".unit") ||
		       !strcmp(dot, ".per-pkg") || !strcmp(dot, ".snapshot"));
}

static int walk_pmu_event(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE], text[TEXT_SIZE], full[2 * NAME_SIZE];
	struct perfctr_event_name name = { full, "pmu", text };

	if (is_annotation(entry))
		return 0;
	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", walk->folder, entry);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		text[0] = '\0';
	snprintf(full, sizeof(full), "%s/%s/", walk->folder, entry);
	return walk->each(walk->arg, &name);
}

static int walk_pmu(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE];

	walk->folder = entry;
	snprintf(path, sizeof(path), EVENTS_OF, entry);
	return perfctr_file_walk(path, walk_pmu_event, walk);
}

static const char *const tracing[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static int walk_tracepoint(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char full[2 * NAME_SIZE];
	struct perfctr_event_name name = { full, "tracepoint", "" };

	if (!strcmp(entry, "enable") || !strcmp(entry, "filter"))
		return 0;
	snprintf(full, sizeof(full), "%s:%s", walk->folder, entry);
	return walk->each(walk->arg, &name);
}

static int walk_subsystem(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE];

	walk->folder = entry;
	snprintf(path, sizeof(path), "%s/events/%s", walk->root, entry);
	return perfctr_file_walk(path, walk_tracepoint, walk);
}

/* Where both places show tracefs they show the same one. */
static int walk_tracepoints(each_name each, void *arg)
{
	struct walk walk = { .each = each, .arg = arg };
	char path[PATH_SIZE];
	unsigned int i;
	DIR *dir;

	for (i = 0; i < ARRAY_SIZE(tracing); i++) {
		snprintf(path, sizeof(path), "%s/events", tracing[i]);
		dir = perfctr_file_dir(path);
		if (!dir)
			continue;
		closedir(dir);
		walk.root = tracing[i];
		return perfctr_file_walk(path, walk_subsystem, &walk);
	}
	return 0;
}

/* The processor's table, and what only the other kinds of its cores have. */
static int walk_tables(each_name each, void *arg)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int result = perfctr_cpu_event_list(NULL, each, arg);

	if (result == 0)
		result = perfctr_cores_event_list(cores, perfctr_core_pmus(cores), each, arg);
	return result;
}

int perfctr_event_list(const char *kind, each_name each, void *arg)
{
	struct walk walk = { .each = each, .arg = arg };
	int result = 0;
	bool any = !kind;

	if (kind && strcmp(kind, "hardware") && strcmp(kind, "cache") && strcmp(kind, "software") &&
	    strcmp(kind, "cpu") && strcmp(kind, "pmu") && strcmp(kind, "tracepoint"))
		return perfctr_fail(EINVAL,
				    "\"%s\" is no kind of events; there are hardware, "
				    "cache, software, cpu, pmu and tracepoint",
				    kind);
	if (any || !strcmp(kind, "hardware"))
		result = walk_known(PERF_TYPE_HARDWARE, "hardware", each, arg);
	if (result == 0 && (any || !strcmp(kind, "software")))
		result = walk_known(PERF_TYPE_SOFTWARE, "software", each, arg);
	if (result == 0 && (any || !strcmp(kind, "cache")))
		result = walk_caches(each, arg);
	if (result == 0 && (any || !strcmp(kind, "cpu")) && perfctr_this_table())
		result = walk_tables(each, arg);
	if (result == 0 && (any || !strcmp(kind, "pmu")))
		result = perfctr_file_walk(DEVICES, walk_pmu, &walk);
	if (result == 0 && kind && !strcmp(kind, "tracepoint"))
		result = walk_tracepoints(each, arg);
	return result;
}

/* ---- the nearest right names ---- */

static int note_near(void *arg, const char *word)
{
	perfctr_nearest_note(arg, word);
	return 0;
}

static int note_near_entry(void *arg, const char *entry)
{
	return is_annotation(entry) ? 0 : note_near(arg, entry);
}

static int note_near_event(void *arg, const struct perfctr_event_name *name)
{
	return note_near(arg, name->name);
}

/* What the core PMUs have, by names that need no PMU. */
static void note_near_cores(struct perfctr_nearest *near)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_core_pmus(cores);
	char path[PATH_SIZE];

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), EVENTS_OF, cores[i].name);
		perfctr_file_walk(path, note_near_entry, near);
	}
	perfctr_cores_event_list(cores, n, note_near_event, near);
}

/* A word's length for a message, which has no room for every nonsense. */
static int shown(size_t length)
{
	return length > 100 ? 100 : (int)length;
}

static SLOW int fail_unknown(const char *word, size_t length)
{
	struct perfctr_nearest near = { .word = word, .length = length };
	char text[PERFCTR_NEAREST_TEXT];
	const char *remedy = "; \"perfex -l\" lists the events of this machine";
	size_t digits = 1;
	unsigned int i;

	while (digits < length && isxdigit((unsigned char)word[digits]))
		digits++;
	if (isdigit((unsigned char)word[0])) {
		remedy = "; a raw event code is written r and its hexadecimal digits, such as r1c2";
	} else if (tolower((unsigned char)word[0]) == 'r' && digits == length && length > 17) {
		remedy = "; a raw event code has at most 16 hexadecimal digits";
	} else {
		for (i = 0; i < ARRAY_SIZE(known); i++)
			note_near(&near, known[i].name);
		walk_caches(note_near_event, &near);
		perfctr_cpu_event_list(NULL, note_near_event, &near);
		note_near_cores(&near);
		perfctr_event_list("pmu", note_near_event, &near);
	}
	return perfctr_fail(EINVAL, "\"%.*s\" is not an event%s", shown(length), word,
			    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

/* ---- the machine's own descriptions ---- */

/* Find the entry that the word names, in any case of letters. 0, or -1. */
struct wanted {
	const char *word;
	size_t length;
	char *entry; /* NAME_SIZE bytes */
};

static int is_wanted(void *arg, const char *entry)
{
	struct wanted *wanted = arg;

	if (strlen(entry) != wanted->length || strncasecmp(entry, wanted->word, wanted->length))
		return 0;
	memcpy(wanted->entry, entry, wanted->length + 1);
	return 1;
}

static int find_entry(const char *folder, const char *word, size_t length, char *entry)
{
	struct wanted wanted = { word, length, entry };

	if (!perfctr_file_is_word(word, length))
		return -1;
	return perfctr_file_walk(folder, is_wanted, &wanted) ? 0 : -1;
}

/* Parse a number, decimal or 0x hexadecimal, that fills the text. */
static bool parse_number(const char *text, size_t length, uint64_t *number)
{
	char digits[32], *end;

	if (length == 0 || length >= sizeof(digits) || !isdigit((unsigned char)text[0]))
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	errno = 0;
	*number = strtoull(digits, &end, tolower((unsigned char)digits[1]) == 'x' ? 16 : 10);
	return errno == 0 && *end == '\0';
}

static __u64 *attr_word(struct perf_event_attr *attr, const char *name, size_t length)
{
	if (length == 6 && !strncasecmp(name, "config", 6))
		return &attr->config;
	if (length == 7 && !strncasecmp(name, "config1", 7))
		return &attr->config1;
	if (length == 7 && !strncasecmp(name, "config2", 7))
		return &attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	if (length == 7 && !strncasecmp(name, "config3", 7))
		return &attr->config3;
#endif
	return NULL;
}

/*
 * Put a value into the bits that a format file names, "config1:0-7,21" for example. 0; or -1 after
 * perfctr_fail() if the format is nonsense or the value too large.
 */
static int set_field(struct perf_event_attr *attr, const char *pmu, const char *field,
		     const char *format, uint64_t value)
{
	const char *p = strchr(format, ':');
	__u64 *word = p ? attr_word(attr, format, (size_t)(p - format)) : NULL;
	uint64_t rest = value, used = 0, bit;
	unsigned long low, high;
	unsigned int width = 0;
	char *end;

	if (!word)
		goto nonsense;
	do {
		if (!isdigit((unsigned char)*++p))
			goto nonsense;
		low = high = strtoul(p, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				goto nonsense;
			high = strtoul(end + 1, &end, 10);
		}
		if (low > high || high > 63)
			goto nonsense;
		p = end;
		for (; low <= high; low++, width++) {
			bit = UINT64_C(1) << low;
			if (used & bit)
				goto nonsense;
			used |= bit;
			*word = rest & 1 ? *word | bit : *word & ~bit;
			rest >>= 1;
		}
	} while (*p == ',');
	if (*p != '\0')
		goto nonsense;
	if (rest)
		return perfctr_fail(EINVAL,
				    "%s=0x%llx is too large: the field %s of the PMU %s "
				    "has %u bit%s",
				    field, (unsigned long long)value, field, pmu, width,
				    width == 1 ? "" : "s");
	return 0;
nonsense:
	return perfctr_fail(EINVAL,
			    "the kernel's description of the field %s of the PMU %s makes "
			    "no sense: \"%.60s\"",
			    field, pmu, format);
}

static int fail_term(const char *pmu, const char *term, size_t length)
{
	struct perfctr_nearest near = { .word = term, .length = length };
	char path[PATH_SIZE], text[PERFCTR_NEAREST_TEXT], remedy[NAME_SIZE + 64];

	snprintf(path, sizeof(path), EVENTS_OF, pmu);
	perfctr_file_walk(path, note_near_entry, &near);
	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu);
	perfctr_file_walk(path, note_near, &near);
	snprintf(remedy, sizeof(remedy), "; see " DEVICES "/%.60s/events and /format", pmu);
	return perfctr_fail(EINVAL, "\"%.*s\" is neither an event nor a field of the PMU %s%s",
			    shown(length), term, pmu,
			    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

/* One of comma-separated terms: name, or name=value. */
struct term {
	const char *name;
	size_t length;
	const char *value; /* NULL: none */
	size_t value_length;
};

/* Take the first term off the terms; false if there is none. */
static bool next_term(const char **terms, const char *end, struct term *term)
{
	const char *stop, *equals;

	if (*terms >= end)
		return false;
	stop = memchr(*terms, ',', (size_t)(end - *terms));
	if (!stop)
		stop = end;
	equals = memchr(*terms, '=', (size_t)(stop - *terms));
	term->name = *terms;
	term->length = (size_t)((equals ? equals : stop) - *terms);
	term->value = equals ? equals + 1 : NULL;
	term->value_length = equals ? (size_t)(stop - term->value) : 0;
	*terms = stop < end ? stop + 1 : end;
	return true;
}

/* Set one field. */
static int apply_term(struct perf_event_attr *attr, const char *pmu, const struct term *term)
{
	__u64 *word = term->value ? attr_word(attr, term->name, term->length) : NULL;
	char path[PATH_SIZE], field[NAME_SIZE], text[TEXT_SIZE];
	uint64_t value = 1;

	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu);
	if (!word && find_entry(path, term->name, term->length, field) < 0)
		return fail_term(pmu, term->name, term->length);
	if (term->value && !parse_number(term->value, term->value_length, &value))
		return perfctr_fail(EINVAL,
				    "\"%.*s\" has no number behind the =; write it in "
				    "decimal or with 0x",
				    shown(term->length + 1 + term->value_length), term->name);
	if (word) {
		*word = value;
		return 0;
	}
	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu, field);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return perfctr_fail(EINVAL, "%s can't be read: %s", path, strerror(errno));
	return set_field(attr, pmu, field, text, value);
}

/* Find the file in the PMU's events/ that the term names. */
static bool find_event(const char *pmu, const struct term *term, char *entry)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), EVENTS_OF, pmu);
	return !term->value && find_entry(path, term->name, term->length, entry) == 0 &&
	       !is_annotation(entry);
}

/* Apply the terms in an event's file; the user's have the values that it leaves open with "=?". */
static int apply_event(struct perf_event_attr *attr, const char *pmu, const char *event,
		       const char *user, const char *user_end)
{
	char path[PATH_SIZE], text[TEXT_SIZE];
	const char *terms = text, *rest;
	struct term term, given;
	bool found;

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", pmu, event);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return perfctr_fail(EINVAL, "%s can't be read: %s", path, strerror(errno));
	if (!text[0])
		return perfctr_fail(EINVAL,
				    "the kernel's description of the event %s of the PMU "
				    "%s is empty",
				    event, pmu);
	while (next_term(&terms, text + strlen(text), &term)) {
		if (term.value_length != 1 || *term.value != '?') {
			if (apply_term(attr, pmu, &term) < 0)
				return -1;
			continue;
		}
		for (found = false, rest = user; !found && next_term(&rest, user_end, &given);)
			found = given.value && given.length == term.length &&
				!strncasecmp(given.name, term.name, term.length);
		if (!found)
			return perfctr_fail(EINVAL,
					    "the event %s of the PMU %s needs a value for "
					    "%.*s: add ,%.*s=NUMBER",
					    event, pmu, shown(term.length), term.name,
					    shown(term.length), term.name);
	}
	return 0;
}

struct names {
	char *text;
	size_t size;
};

static int append_name(void *arg, const char *entry)
{
	struct names *names = arg;
	size_t used = strlen(names->text);

	snprintf(names->text + used, names->size - used, "%s%s", used ? ", " : "", entry);
	return 0;
}

static int fail_pmu(const char *word, size_t length)
{
	struct perfctr_nearest near = { .word = word, .length = length };
	char list[256] = "", text[PERFCTR_NEAREST_TEXT], remedy[300];
	struct names names = { list, sizeof(list) };

	perfctr_file_walk(DEVICES, append_name, &names);
	perfctr_file_walk(DEVICES, note_near, &near);
	snprintf(remedy, sizeof(remedy),
		 list[0] ? "; there are %s"
			 : "; %sthe kernel's list of PMUs, " DEVICES ", can't be read",
		 list);
	return perfctr_fail(ENOENT, "this machine has no PMU \"%.*s\"%s", shown(length), word,
			    perfctr_nearest_text(&near, remedy, text, sizeof(text)));
}

static int fail_type(const char *pmu)
{
	return perfctr_fail(ENOENT,
			    "the PMU %s can't be used: the kernel's " DEVICES "/%s/type has "
			    "no type number",
			    pmu, pmu);
}

/* The terms of the PMU with the right name pmu. */
static int parse_pmu_terms(const char *pmu, const char *terms, size_t length,
			   struct perf_event_attr *attr)
{
	const char *end = terms + length, *rest;
	char event[NAME_SIZE], path[PATH_SIZE];
	unsigned int events = 0;
	struct term term;
	long type;

	snprintf(path, sizeof(path), DEVICES "/%s/type", pmu);
	if (perfctr_file_number(path, &type) < 0 || type < 0 || type > INT32_MAX)
		return fail_type(pmu);
	attr->type = (uint32_t)type;
	/* The event first, wherever it stands: the user's own terms override what it sets. */
	for (rest = terms; next_term(&rest, end, &term);) {
		if (!find_event(pmu, &term, event))
			continue;
		if (++events > 1)
			return perfctr_fail(EINVAL,
					    "\"%.*s\" names more than one event of the PMU "
					    "%s; write each as an event of its own",
					    shown(length), terms, pmu);
		if (apply_event(attr, pmu, event, terms, end) < 0)
			return -1;
	}
	for (rest = terms; next_term(&rest, end, &term);)
		if (!find_event(pmu, &term, event) && apply_term(attr, pmu, &term) < 0)
			return -1;
	return 0;
}

static SLOW int parse_tracepoint(const char *subsystem, size_t subsystem_length, const char *name,
				 size_t length, struct perf_event_attr *attr)
{
	struct perfctr_nearest near = { .word = subsystem,
					.length = (size_t)(name + length - subsystem) };
	char path[PATH_SIZE], text[PERFCTR_NEAREST_TEXT];
	unsigned int i;
	DIR *dir;
	long id;

	if (!perfctr_file_is_word(subsystem, subsystem_length) ||
	    !perfctr_file_is_word(name, length))
		return fail_unknown(subsystem, near.length);
	for (i = 0; i < ARRAY_SIZE(tracing); i++) {
		snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/id", tracing[i],
			 (int)subsystem_length, subsystem, (int)length, name);
		if (perfctr_file_number(path, &id) == 0 && id >= 0) {
			attr->type = PERF_TYPE_TRACEPOINT;
			attr->config = (uint64_t)id;
			return 0;
		}
		if (errno == EACCES || errno == EPERM)
			goto forbidden;
		snprintf(path, sizeof(path), "%s/events", tracing[i]);
		dir = perfctr_file_dir(path);
		if (dir) {
			/* tracefs is here, and readable, and does not have it. */
			closedir(dir);
			walk_tracepoints(note_near_event, &near);
			return perfctr_fail(
				EINVAL, "\"%.*s\" is not an event%s", shown(near.length), near.word,
				perfctr_nearest_text(&near, "; \"perfex -L\" lists tracepoints",
						     text, sizeof(text)));
		}
		if (errno == EACCES || errno == EPERM)
			goto forbidden;
	}
	return perfctr_fail(ENOENT,
			    "\"%.*s\" is not an event, and tracepoints can't be looked up; "
			    "mount -t tracefs tracefs %s makes them known",
			    shown(near.length), near.word, tracing[0]);
forbidden:
	/* mode=755 alone would open the folders; the files in them are root's, with mode 0440. */
	return perfctr_fail(EACCES,
			    "\"%.*s\" can't be looked up: tracefs is readable for root "
			    "only; run as root, or mount -o remount,mode=750,gid=GROUP %s opens it "
			    "to a group",
			    shown(near.length), near.word, tracing[i]);
}

/* ---- one event ---- */

static bool same(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !strncasecmp(word, name, length);
}

/* r and 1 to 16 hexadecimal digits. */
static bool parse_raw(const char *word, size_t length, struct perf_event_attr *attr)
{
	uint64_t code = 0;
	size_t i;

	if (length < 2 || length > 17 || tolower((unsigned char)word[0]) != 'r')
		return false;
	for (i = 1; i < length; i++) {
		int c = tolower((unsigned char)word[i]);

		if (!isxdigit(c))
			return false;
		code = code << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = code;
	return true;
}

static bool parse_cache(const char *word, size_t length, struct perf_event_attr *attr)
{
	unsigned int c, op, use;

	for (c = 0; c < ARRAY_SIZE(caches); c++) {
		size_t n;

		if ((word[0] ^ caches[c].name[0]) & ~0x20)
			continue;
		n = strlen(caches[c].name);
		if (length <= n + 1 || word[n] != '-' || strncasecmp(word, caches[c].name, n))
			continue;
		for (op = 0; op < 3; op++) {
			for (use = 0; use < 2; use++) {
				if (!(caches[c].ops & 1u << op) ||
				    !same(word + n + 1, length - n - 1, cache_uses[op][use]))
					continue;
				attr->type = PERF_TYPE_HW_CACHE;
				attr->config = caches[c].id | op << 8 | use << 16;
				return true;
			}
		}
	}
	return false;
}

/* A name that every kernel knows, or a raw code. */
static bool parse_word(const char *word, size_t length, struct perf_event_attr *attr)
{
	uint16_t initials;
	unsigned int i;

	if (length < 2)
		return false;
	/* Most differ in the first two letters, which are small in the table. */
	memcpy(&initials, word, sizeof(initials));
	initials |= 0x2020;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (memcmp(known[i].name, &initials, sizeof(initials)) == 0 &&
		    same(word, length, known[i].name)) {
			attr->type = known[i].type;
			attr->config = known[i].config;
			return true;
		}
	}
	return parse_cache(word, length, attr) || parse_raw(word, length, attr);
}

/* ---- one event on one kind of core ---- */

/*
 * The kernel's generic events by the names that PMUv3's architected events have in an Arm PMU's
 * events/, which shows those that the core has; what is not here has no such event. As in the
 * kernel's arm_pmuv3.c, armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map; the first name that
 * is there counts.
 */
/* clang-format off */
#define ARM_HW(id, name) { PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, name }
#define ARM_CACHE(id, result, name) { \
	PERF_TYPE_HW_CACHE, \
	PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_RESULT_##result << 16, name }
/* clang-format on */
static const struct {
	uint32_t type, config;
	char name[24];
} architected[] = {
	ARM_HW(CPU_CYCLES, "cpu_cycles"),
	ARM_HW(INSTRUCTIONS, "inst_retired"),
	ARM_HW(CACHE_REFERENCES, "l1d_cache"),
	ARM_HW(CACHE_MISSES, "l1d_cache_refill"),
	ARM_HW(BRANCH_INSTRUCTIONS, "br_retired"),
	ARM_HW(BRANCH_INSTRUCTIONS, "pc_write_retired"),
	ARM_HW(BRANCH_MISSES, "br_mis_pred"),
	ARM_HW(BUS_CYCLES, "bus_cycles"),
	ARM_HW(STALLED_CYCLES_FRONTEND, "stall_frontend"),
	ARM_HW(STALLED_CYCLES_BACKEND, "stall_backend"),
	ARM_CACHE(L1D, ACCESS, "l1d_cache"),
	ARM_CACHE(L1D, MISS, "l1d_cache_refill"),
	ARM_CACHE(L1I, ACCESS, "l1i_cache"),
	ARM_CACHE(L1I, MISS, "l1i_cache_refill"),
	ARM_CACHE(DTLB, ACCESS, "l1d_tlb"),
	ARM_CACHE(DTLB, MISS, "l1d_tlb_refill"),
	ARM_CACHE(ITLB, ACCESS, "l1i_tlb"),
	ARM_CACHE(ITLB, MISS, "l1i_tlb_refill"),
	ARM_CACHE(LL, ACCESS, "ll_cache_rd"),
	ARM_CACHE(LL, MISS, "ll_cache_miss_rd"),
	ARM_CACHE(BPU, ACCESS, "br_pred"),
	ARM_CACHE(BPU, MISS, "br_mis_pred"),
};

#ifndef PERF_PMU_TYPE_SHIFT /* Linux 5.13 */
#define PERF_PMU_TYPE_SHIFT 32
#endif

static bool has_event(const char *pmu, const char *name, size_t length)
{
	const struct term term = { .name = name, .length = length };
	char entry[NAME_SIZE];

	return find_event(pmu, &term, entry);
}

/*
 * A generic event, on one of several core PMUs. Every kernel that has x86's hybrid PMUs (5.13)
 * takes the PMU's type in the upper half of config; Arm's PMUs do so since Linux 6.6, and on
 * others it is "no such event". PMUv3's events by their own codes are the same on all kernels. But
 * such a code is counted as zero by a core that does not have it: what events/ does not show is
 * not asked for. 1; 0: this core does not have it; -1 after perfctr_fail().
 */
static SLOW int generic_on_core(const struct perfctr_pmu *core, struct perf_event_attr *attr)
{
	uint64_t config = attr->config;
	unsigned int i;

	if (!has_event(core->name, architected[0].name, strlen(architected[0].name))) {
		attr->config |= (uint64_t)core->type << PERF_PMU_TYPE_SHIFT;
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(architected); i++) {
		const char *name = architected[i].name;

		if (architected[i].type != attr->type || architected[i].config != config ||
		    !has_event(core->name, name, strlen(name)))
			continue;
		attr->config = 0;
		return parse_pmu_terms(core->name, name, strlen(name), attr) < 0 ? -1 : 1;
	}
	return 0;
}

/*
 * What parse_word() found, on this core PMU (NULL: on the machine's only one). 1, 0, -1 as above.
 */
static int word_on_core(const struct perfctr_pmu *core, struct perf_event_attr *attr)
{
	if (!core || attr->type == PERF_TYPE_SOFTWARE)
		return 1;
	if (attr->type != PERF_TYPE_RAW)
		return generic_on_core(core, attr);
	attr->type = core->type;
	return 1;
}

/*
 * An event of a core PMU by a name that needs no PMU; NULL: of the first that has it. 1, 0, -1 as
 * above.
 */
static SLOW int parse_core_event(const struct perfctr_pmu *core, const char *word, size_t length,
				 struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = core ? 1 : perfctr_core_pmus(cores);

	for (i = 0; i < n; i++) {
		const char *pmu = core ? core->name : cores[i].name;

		if (has_event(pmu, word, length))
			return parse_pmu_terms(pmu, word, length, attr) < 0 ? -1 : 1;
	}
	return n < 0 ? -1 : 0;
}

/*
 * An event of which this processor's table said first (0 or -1), but that the table of another
 * kind of core may have: the same event may have other unit masks there. 1, 0, -1 as above.
 */
static SLOW int parse_other_tables(int first, const char *word, size_t length,
				   struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_this_table() ? perfctr_core_pmus(cores) : 0, found, result = first;

	for (i = 0; i < n; i++) {
		found = perfctr_core_table_parse(&cores[i], word, length, attr);
		if (found > 0)
			return 1;
		if (found < 0)
			result = -1;
	}
	/* The reason to be told is the first one's. */
	return first < 0 ? perfctr_table_parse(word, length, attr) : result;
}

#define MODIFIERS "ukhGHI"

static bool is_modifiers(const char *p, const char *end)
{
	while (p < end && strchr(MODIFIERS "p", *p))
		p++;
	return p == end;
}

static int parse_modifiers(const char *text, size_t length, struct perf_event_attr *attr)
{
	static const char letters[] = MODIFIERS;
	unsigned int seen = 0;
	const char *letter;
	size_t i;

	if (length == 0)
		return perfctr_fail(EINVAL,
				    "there is no modifier behind the colon; it takes "
				    "letters of \"%s\"",
				    letters);
	for (i = 0; i < length; i++) {
		letter = text[i] ? strchr(letters, text[i]) : NULL;
		if (text[i] == 'p') {
			if (attr->precise_ip == 3)
				return perfctr_fail(EINVAL, "the modifier p is given more than "
							    "three times");
			attr->precise_ip++;
			continue;
		}
		if (!letter)
			return perfctr_fail(EINVAL,
					    "\"%c\" in \":%.*s\" is no modifier; they are "
					    "u (user), k (kernel), h (hypervisor), G (guest), "
					    "H (host), I (not when idle)",
					    isprint((unsigned char)text[i]) ? text[i] : '?',
					    shown(length), text);
		if (seen & 1u << (letter - letters))
			return perfctr_fail(EINVAL, "the modifier %c is given twice", text[i]);
		seen |= 1u << (letter - letters);
	}
	if (seen & 7) {
		attr->exclude_user = !(seen & 1);
		attr->exclude_kernel = !(seen & 2);
		attr->exclude_hv = !(seen & 4);
	}
	if (seen & 0x18) {
		attr->exclude_host = !(seen & 0x10);
		attr->exclude_guest = !(seen & 8);
	}
	attr->exclude_idle = (seen & 0x20) != 0;
	return 0;
}

static const char *end_of_word(const char *event, size_t length)
{
	const char *colon = memchr(event, ':', length);

	return colon ? colon : event + length;
}

/*
 * An event by a name that needs no PMU, on this core PMU (NULL: wherever the kernel puts it);
 * *rest is set to what follows it. alone: what a table says against it is a mistake; else the name
 * is right for some kind of core, and this one does not have the event. 1, 0, -1 as above.
 */
static int parse_name(const struct perfctr_pmu *core, bool alone, const char *event, size_t length,
		      struct perf_event_attr *attr, const char **rest)
{
	bool own = memchr(event, '_', length);
	const char *end = event + length;
	int found;

	/* Words have no underscore and only modifiers behind them, unlike the processors' own. */
	if (!own) {
		*rest = end_of_word(event, length);
		own = *rest < end && !is_modifiers(*rest + 1, end);
		if (!own && parse_word(event, (size_t)(*rest - event), attr))
			return word_on_core(core, attr);
	}
	/* The table before sysfs, which costs system calls. It takes unit masks and modifiers. */
	found = core ? perfctr_core_table_parse(core, event, length, attr)
		     : perfctr_table_parse(event, length, attr);
	if (found < 0)
		found = !core ? parse_other_tables(found, event, length, attr) : alone ? -1 : 0;
	if (found > 0) {
		*rest = end;
		return 1;
	}
	*rest = end_of_word(event, length);
	if (own && found == 0 && parse_word(event, (size_t)(*rest - event), attr))
		return word_on_core(core, attr);
	if (found == 0)
		found = parse_core_event(core, event, (size_t)(*rest - event), attr);
	if (found == 0 && !core) {
		found = parse_other_tables(found, event, length, attr);
		if (found > 0)
			*rest = end;
	}
	return found;
}

static void begin(struct perf_event_attr *attr)
{
	/* Copied in fewer instructions than it is cleared. */
	static const struct perf_event_attr empty = { .size = sizeof(empty) };

	*attr = empty;
}

/* PMU/NAME/ with a name that needs no PMU, as in cpu_atom/cycles/. 1, 0, -1 as above. */
static int parse_named_core(const char *pmu, const char *word, size_t length,
			    struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	const char *rest;
	int i, n, found = 0;

	if (length == 0 || memchr(word, '=', length) || memchr(word, ',', length))
		return 0;
	n = perfctr_core_pmus(cores);
	for (i = 0; i < n; i++) {
		if (strcmp(cores[i].name, pmu) || has_event(pmu, word, length))
			continue;
		if (cores[i].type == UINT32_MAX)
			return fail_type(pmu);
		found = parse_name(n > 1 ? &cores[i] : NULL, true, word, length, attr, &rest);
		if (found > 0 && (rest != word + length || attr->type == PERF_TYPE_SOFTWARE))
			found = 0;
		if (found == 0)
			begin(attr);
	}
	return found;
}

static SLOW int parse_pmu(const char *pmu, size_t pmu_length, const char *terms, size_t length,
			  struct perf_event_attr *attr)
{
	char entry[NAME_SIZE];
	int found;

	if (!perfctr_file_is_word(pmu, pmu_length))
		return perfctr_fail(EINVAL, "\"%.*s\" can't be the name of a PMU",
				    shown(pmu_length), pmu);
	if (find_entry(DEVICES, pmu, pmu_length, entry) < 0)
		return fail_pmu(pmu, pmu_length);
	found = parse_named_core(entry, terms, length, attr);
	return found == 0 ? parse_pmu_terms(entry, terms, length, attr) : found < 0 ? -1 : 0;
}

/*
 * The event without its modifiers; *rest is set to what follows it. 1: it may be on any core PMU;
 * 0: it is on the one PMU that it names, or on none; -1 after perfctr_fail().
 */
static int parse_base(const char *event, size_t length, struct perf_event_attr *attr,
		      const char **rest)
{
	const char *end = event + length, *slash = memchr(event, '/', length), *close;
	const char *colon, *name;
	size_t word_length;
	int found;

	if (slash) {
		close = memchr(slash + 1, '/', (size_t)(end - slash - 1));
		if (!close)
			return perfctr_fail(EINVAL, "\"%.*s\" has no closing /", shown(length),
					    event);
		*rest = close + 1;
		return parse_pmu(event, (size_t)(slash - event), slash + 1,
				 (size_t)(close - slash - 1), attr);
	}
	found = parse_name(NULL, true, event, length, attr, rest);
	if (found)
		return found < 0 ? -1 : attr->type != PERF_TYPE_SOFTWARE;
	colon = memchr(event, ':', length);
	if (!colon)
		return fail_unknown(event, length);
	name = colon + 1;
	word_length = (size_t)(colon - event);
	colon = memchr(name, ':', (size_t)(end - name));
	*rest = colon ? colon : end;
	if (parse_tracepoint(event, word_length, name, (size_t)(*rest - name), attr) == 0)
		return 0;
	return is_modifiers(name, end) ? fail_unknown(event, word_length) : -1;
}

/* The modifiers behind an event that ends at rest. */
static int parse_rest(const char *event, size_t length, const char *rest,
		      struct perf_event_attr *attr)
{
	if (rest == event + length)
		return 0;
	if (*rest == ':')
		rest++;
	return parse_modifiers(rest, (size_t)(event + length - rest), attr);
}

/* A name is not wrong because no file that tells of it can be opened. -1. */
static int fail_look_up(const char *event, size_t length)
{
	int error = errno, fd = open("/", O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return perfctr_fail(errno,
				    "\"%.*s\" can't be looked up: no file descriptors are "
				    "left in this %s; raise the limit (%s)",
				    shown(length), event, errno == EMFILE ? "process" : "system",
				    errno == EMFILE ? "ulimit -n" : "sysctl fs.file-max");
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* As parse_base(), with the modifiers. */
static int parse_event(const char *event, size_t length, struct perf_event_attr *attr)
{
	const char *rest;
	int cores;

	begin(attr);
	if (length == 0)
		return perfctr_fail(EINVAL, "an event has no name");
	cores = parse_base(event, length, attr, &rest);
	if (cores < 0 || parse_rest(event, length, rest, attr) < 0)
		return fail_look_up(event, length);
	return cores;
}

int perfctr_event_parse_sampled(const char *event, size_t length, struct perf_event_attr *attr)
{
	return parse_event(event, length, attr) < 0 ? -1 : 0;
}

static int check_counted(const struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		return perfctr_fail(EINVAL,
				    "the modifier p (precise) is for sampling, not for counting; "
				    "leave it out");
	return 0;
}

int perfctr_event_parse(const char *event, size_t length, struct perf_event_attr *attr)
{
	return perfctr_event_parse_sampled(event, length, attr) < 0 ? -1 : check_counted(attr);
}

int perfctr_event_variants_sampled(const char *event, size_t length,
				   struct perfctr_variant *variants)
{
	const char *slash = memchr(event, '/', length), *rest;
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int any = parse_event(event, length, &variants->attr), i, n, found, count = 0;
	struct perf_event_attr *attr;

	variants->pmu[0] = '\0';
	if (any < 0)
		return -1;
	if (any == 0 && !slash)
		return 1;
	n = perfctr_core_pmus(cores);
	if (n <= 1)
		return n < 0 ? -1 : 1;
	if (any == 0) {
		for (i = 0; i < n; i++)
			if (same(event, (size_t)(slash - event), cores[i].name))
				strcpy(variants->pmu, cores[i].name);
		return 1;
	}
	for (i = 0; i < n; i++) {
		if (cores[i].type == UINT32_MAX)
			return fail_type(cores[i].name);
		attr = &variants[count].attr;
		begin(attr);
		found = parse_name(&cores[i], false, event, length, attr, &rest);
		if (found < 0 || (found > 0 && parse_rest(event, length, rest, attr) < 0))
			return -1;
		if (found)
			memcpy(variants[count++].pmu, cores[i].name, sizeof(cores[i].name));
	}
	if (count == 0)
		return perfctr_fail(ENOENT,
				    "no kind of core of this machine has the event "
				    "\"%.*s\"; \"perfex -l\" lists those that there are",
				    shown(length), event);
	return count;
}

int perfctr_event_variants(const char *event, size_t length, struct perfctr_variant *variants)
{
	int n = perfctr_event_variants_sampled(event, length, variants);

	return n < 0 || check_counted(&variants->attr) < 0 ? -1 : n;
}

int perfctr_event_check(const char *event)
{
	struct perf_event_attr attr;

	if (!event)
		return perfctr_fail(EINVAL, "perfctr_event_check() needs a name, not NULL");
	return perfctr_event_parse(event, strlen(event), &attr);
}
