// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arch/events.h"
#include "arch/x86/msrs.h"
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/json.h"
#include "lib/base/letters.h"
#include "lib/base/nearest.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/modifiers.h"
#include "lib/names/vendor.h"

enum { EVENTS_MAX = 65536, TEXT_MAX = 160, FILE_MAX = 16 << 20 };

/* Bits of an event select. */
#define EDGE 0x00040000u
#define ANY  0x00200000u
#define INV  0x00800000u

/* ---- one object ---- */

/* The members that matter. */
enum key {
	NAME,
	BRIEF,
	PUBLIC,
	UNIT,
	CODE,
	UMASK,
	UMASK_EXT,
	CMASK,
	EDGE_DETECT,
	ANY_THREAD,
	INVERT,
	MSR_INDEX,
	MSR_VALUE,
	COUNTER,
	COUNTER_HT_OFF,
	ARM_NAME,
	ARM_CODE,
	ARM_TEXT,
	KEYS
};
static const char keys[KEYS][20] = {
	[NAME] = "EventName",
	[BRIEF] = "BriefDescription",
	[PUBLIC] = "PublicDescription",
	[UNIT] = "Unit",
	[CODE] = "EventCode",
	[UMASK] = "UMask",
	[UMASK_EXT] = "UMaskExt",
	[CMASK] = "CounterMask",
	[EDGE_DETECT] = "EdgeDetect",
	[ANY_THREAD] = "AnyThread",
	[INVERT] = "Invert",
	[MSR_INDEX] = "MSRIndex",
	[MSR_VALUE] = "MSRValue",
	[COUNTER] = "Counter",
	[COUNTER_HT_OFF] = "CounterHTOff",
	/* Arm's own files have these. */
	[ARM_NAME] = "name",
	[ARM_CODE] = "code",
	[ARM_TEXT] = "description",
};

struct member {
	const char *text; /* NULL: there is none */
	size_t length;
};

struct object {
	struct perfctr_vendor *vendor;
	struct member member[KEYS];
	const char *reason;
};

/* A letter that is not ASCII becomes '?', and one that controls a blank: terminals show them. */
static size_t make_plain(char *text, size_t length)
{
	char *to = text;
	size_t i;

	for (i = 0; i < length; i++)
		if ((text[i] & 0xC0) != 0x80)
			*to++ = (unsigned char)text[i] < ' '	? ' '
				: (unsigned char)text[i] <= '~' ? text[i]
								: '?';
	return (size_t)(to - text);
}

/* Takes a member; if several have one name, the first counts. */
static void take_member(struct object *object, const struct perfctr_json *json)
{
	struct member *member;
	unsigned int i;

	for (i = 0; json->name && i < KEYS; i++) {
		member = &object->member[i];
		if (member->text || strcmp(json->name, keys[i]) != 0)
			continue;
		member->text = json->text;
		member->length = make_plain(json->text, json->length);
	}
}

/* Returns the member's number, up to "most"; of a list with commas, the first. 0 if absent. */
static SELDOM uint64_t number(struct object *object, enum key key, uint64_t most)
{
	const struct member *member = &object->member[key];
	char digits[24], *end;
	uint64_t value = 0;
	size_t length;

	if (!member->length)
		return 0;
	length = strcspn(member->text, ",\"} \t\r\n");
	if (length > member->length)
		length = member->length;
	if (length < sizeof(digits) && isdigit((unsigned char)member->text[0])) {
		memcpy(digits, member->text, length);
		digits[length] = '\0';
		errno = 0;
		value = strtoull(digits, &end, digits[1] == 'x' || digits[1] == 'X' ? 16 : 10);
		if (!*end && !errno && value <= most)
			return value;
	}
	snprintf(object->vendor->reason, sizeof(object->vendor->reason),
		 "%s \"%.*s\" is not a number up to 0x%llx", keys[key],
		 (int)(length < 24 ? length : 24), member->text, (unsigned long long)most);
	object->reason = object->vendor->reason;
	return 0;
}

/*
 * Uncore units have PMUs of their own. Of a hybrid processor that shows a single core type it is
 * the P-cores: the others are switched off.
 */
static bool is_core(const struct object *object)
{
	const struct member *unit = &object->member[UNIT];
	const struct perfctr_vendor *vendor = object->vendor;
	const char *wanted = vendor->unit ? vendor->unit : "cpu_core";

	if (!unit->length)
		return vendor->own;
	return unit->length == strlen(wanted) && !memcmp(unit->text, wanted, unit->length);
}

/* A register beside the event select that perf_events has a place for. */
static bool is_known(const struct perfctr_cpu *cpu, uint64_t reg)
{
	return !reg || reg == OFFCORE_RSP0 || reg == OFFCORE_RSP1 || reg == PEBS_FRONTEND ||
	       reg == PEBS_LD_LAT || (cpu->omr && reg >= OMR_0 && reg < OMR_0 + 4);
}

static void encode_x86(struct object *object, struct perfctr_vendor_event *event)
{
	bool amd = object->vendor->cpu->rules == PERFCTR_RULES_K7;
	uint32_t code = (uint32_t)number(object, CODE, amd ? 0xFFF : 0xFF);
	/* Linux has the upper half, Intel's UMaskExt, in UMask. */
	uint32_t umask = (uint32_t)number(object, UMASK, amd ? 0xFF : 0xFFFF);

	event->high = amd ? code >> 8
			  : (umask & 0xFF00) | (uint32_t)number(object, UMASK_EXT, 0xFF) << 8;
	event->code = (code & 0xFF) | (umask & 0xFF) << 8 |
		      (uint32_t)number(object, CMASK, 255) << 24;
	event->code |= number(object, EDGE_DETECT, 1) ? EDGE : 0;
	event->code |= number(object, ANY_THREAD, 1) ? ANY : 0;
	event->code |= number(object, INVERT, 1) ? INV : 0;
	event->reg = (uint32_t)number(object, MSR_INDEX, 0xFFFFFFFF);
	event->value = event->reg ? number(object, MSR_VALUE, UINT64_MAX) : 0;
	event->pebs = event->reg == PEBS_LD_LAT;
	/* Intel's fixed counters are unit masks of event 0. */
	if (!amd && !code && umask > 0 && umask <= 8) {
		event->fixed = 1u << (umask - 1);
		event->code &= ANY;
	}
}

/* Adds the programmable counters of a list, "0,1,2,3". */
static uint32_t add_counters(const struct member *member, uint32_t set)
{
	const char *at = member->text, *end = at + member->length;
	unsigned int n;

	while (at < end) {
		if (!isdigit((unsigned char)*at))
			return set; /* "Fixed counter 1": its unit mask says so, too */
		for (n = 0; at < end && isdigit((unsigned char)*at); at++)
			n = n < 32 ? n * 10 + (unsigned int)(*at - '0') : 32;
		set |= n < 32 ? 1u << n : 0;
		while (at < end && (*at == ',' || *at == ' '))
			at++;
	}
	return set;
}

/* Where a core's threads share counters, a list names those that each has, another one all. */
static uint32_t counters_of(const struct object *object)
{
	uint32_t set = 0;

	if (object->member[COUNTER].length)
		set = add_counters(&object->member[COUNTER], set);
	if (set && object->member[COUNTER_HT_OFF].length)
		set = add_counters(&object->member[COUNTER_HT_OFF], set);
	return set ? set : 0xFFFFFFFF;
}

static void encode(struct object *object, struct perfctr_vendor_event *event)
{
	*event = (struct perfctr_vendor_event){ .counters = counters_of(object) };
	if (object->vendor->cpu->rules == PERFCTR_RULES_PMUV3)
		event->code = (uint32_t)number(object, CODE, 0xFFFF);
	else
		encode_x86(object, event);
}

static const char no_memory[] = "there is no memory";
static const char too_many[] = "there are more than 65536 events";

static const char *keep(struct perfctr_vendor *vendor, struct perfctr_vendor_event *event,
			const struct member *name, const struct member *text)
{
	size_t length = text->length, room = vendor->room ? 2 * vendor->room : 512;
	struct perfctr_vendor_event *events = vendor->events;

	if (vendor->n == EVENTS_MAX)
		return too_many;
	if (vendor->n == vendor->room) {
		events = realloc(vendor->events, room * sizeof(*events));
		if (!events)
			return no_memory;
		vendor->events = events;
		vendor->room = room;
	}
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	event->name = malloc(name->length + length + 2);
	if (!event->name)
		return no_memory;
	memcpy(event->name, name->text, name->length);
	event->name[name->length] = '\0';
	event->text = event->name + name->length + 1;
	if (length)
		memcpy(event->name + name->length + 1, text->text, length);
	event->name[name->length + 1 + length] = '\0';
	events[vendor->n++] = *event;
	return NULL;
}

/* A name; of Cascade Lake's offcore requests "OFFCORE_RESPONSE:request=ANY:response=ANY". */
static bool is_name(const char *text, size_t length)
{
	char plain[PERFCTR_NAME_SIZE];
	size_t i;

	if (length >= sizeof(plain) || (length && (text[0] == ':' || text[length - 1] == ':')))
		return false;
	for (i = 0; i < length; i++)
		plain[i] = text[i] == ':' || text[i] == '=' ? '_' : text[i];
	return perfctr_file_is_word(plain, length);
}

/* Arm's files, {"events":[{"name","code"}]}, have other members for the same. */
static void use_arms_names(struct object *object)
{
	struct member *member = object->member;

	if (member[NAME].text || !member[ARM_CODE].text)
		return;
	member[NAME] = member[ARM_NAME];
	member[CODE] = member[ARM_CODE];
	member[BRIEF] = member[ARM_TEXT];
}

/*
 * Objects without a name and a code are no events: headers, metrics, references to other files. But
 * Linux leaves the code 0 out, of Intel's fixed counters.
 */
static SELDOM const char *read_event(struct object *object)
{
	const struct member *name = &object->member[NAME], *text = &object->member[BRIEF];
	struct perfctr_vendor_event event;

	if (object->vendor->cpu->rules == PERFCTR_RULES_PMUV3)
		use_arms_names(object);
	if (!name->text || !is_core(object))
		return NULL;
	encode(object, &event);
	if (!object->member[CODE].text && !event.fixed)
		return NULL;
	if (!is_name(name->text, name->length))
		return "EventName is not a name";
	if (object->reason || !is_known(object->vendor->cpu, event.reg))
		return object->reason;
	if (!text->text)
		text = &object->member[PUBLIC];
	return keep(object->vendor, &event, name, text);
}

/* An entry that makes no sense is left out; what ends the reading of the file is returned. */
static const char *note_bad(struct perfctr_vendor *vendor, const char *reason, unsigned int line)
{
	if (!reason || reason == no_memory || reason == too_many)
		return reason;
	if (!vendor->bad) {
		vendor->bad = reason;
		vendor->bad_line = line;
	}
	return NULL;
}

/* Reads an object or array to its end, after the objects in it. */
static SELDOM const char *read_object(struct perfctr_vendor *vendor, struct perfctr_json *json)
{
	struct object object = { .vendor = vendor };
	const char *reason = NULL;

	while (!reason) {
		switch (perfctr_json_next(json)) {
		case PERFCTR_JSON_WRONG: return json->problem;
		case PERFCTR_JSON_END:
		case PERFCTR_JSON_CLOSE: return note_bad(vendor, read_event(&object), json->line);
		case PERFCTR_JSON_ARRAY:
		case PERFCTR_JSON_OBJECT: reason = read_object(vendor, json); break;
		default: take_member(&object, json);
		}
	}
	return reason;
}

static void forget(struct perfctr_vendor *vendor, size_t from)
{
	while (vendor->n > from)
		free(vendor->events[--vendor->n].name);
}

const char *perfctr_vendor_read(struct perfctr_vendor *vendor, char *text, size_t size,
				unsigned int *line)
{
	struct perfctr_json json = { .at = text, .end = text + size, .line = 1 };
	size_t from = vendor->n;
	const char *reason;

	vendor->bad = NULL;
	reason = read_object(vendor, &json);
	*line = reason ? json.line : vendor->bad_line;
	if (reason)
		forget(vendor, from);
	return reason ? reason : vendor->bad;
}

void perfctr_vendor_free(struct perfctr_vendor *vendor)
{
	forget(vendor, 0);
	free(vendor->events);
	vendor->events = NULL;
	vendor->room = 0;
}

/* ---- by name ---- */

/* A colon before a mask is a dot. */
static int letter(char c)
{
	return c == ':' ? '.' : perfctr_small(c);
}

static SELDOM int compare_names(const char *name, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && name[i] && letter(name[i]) == letter(text[i]);)
		i++;
	return i == length ? (unsigned char)name[i] : letter(name[i]) - letter(text[i]);
}

static SELDOM int compare(const void *first, const void *second)
{
	const struct perfctr_vendor_event *a = first, *b = second;
	int order = compare_names(a->name, b->name, strlen(b->name));

	return order ? order : (a->code > b->code) - (a->code < b->code);
}

/* Sorts the events; if several have one name, it keeps the first. */
void perfctr_vendor_sort(struct perfctr_vendor *vendor)
{
	struct perfctr_vendor_event *events = vendor->events;
	size_t i, n = 0;

	if (vendor->n)
		qsort(events, vendor->n, sizeof(*events), compare);
	for (i = 0; i < vendor->n; i++) {
		if (n && !compare_names(events[n - 1].name, events[i].name, strlen(events[i].name)))
			free(events[i].name);
		else
			events[n++] = events[i];
	}
	vendor->n = n;
}

static const struct perfctr_vendor_event *look(const struct perfctr_vendor *vendor,
					       const char *text, size_t length)
{
	size_t low = 0, high = vendor->n, middle;
	int order;

	while (low < high) {
		middle = (low + high) / 2;
		order = compare_names(vendor->events[middle].name, text, length);
		if (!order)
			return &vendor->events[middle];
		if (order > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* ---- the directory ---- */

/* The events in the directory: for each core PMU, if there are several, else for the only one. */
struct given {
	int n;
	bool shared; /* the core types share a PMU: an event is to be the same for all */
	struct perfctr_vendor of[PERFCTR_VARIANTS_MAX];
	struct perfctr_cpu cpu[PERFCTR_VARIANTS_MAX];
	struct perfctr_pmu core[PERFCTR_VARIANTS_MAX];
	char refused[PATH_MAX + 200]; /* why, if anything was */
};

/* Returns a file's text, and its size; NULL with errno. */
static char *read_text(const char *path, size_t *size)
{
	struct stat status;
	char *text = NULL;
	size_t used = 0;
	ssize_t n = 1;
	/* A pipe without a writer does not make us wait. */
	int fd = perfctr_call_open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	errno = EINVAL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		errno = EFBIG;
		if (status.st_size <= FILE_MAX)
			text = malloc((size_t)status.st_size + 1);
	}
	while (text && n > 0 && used < (size_t)status.st_size) {
		n = perfctr_call_read(fd, text + used, (size_t)status.st_size - used);
		used += n > 0 ? (size_t)n : 0;
	}
	if (text && n < 0) {
		free(text);
		text = NULL;
	}
	if (text)
		text[used] = '\0';
	*size = used;
	perfctr_call_close(fd);
	return text;
}

static void refuse(struct given *given, const char *path, const char *why)
{
	if (!given->refused[0])
		snprintf(given->refused, sizeof(given->refused), "PERFCTR_EVENTS: %s: %s", path,
			 why);
}

/* errno says why the file could not be read; for a passing reason it will be read again. */
static void note_trouble(struct given *given, const char *path)
{
	refuse(given, path, strerror(errno));
	perfctr_file_note();
}

static void read_one(struct given *given, struct perfctr_vendor *vendor, const char *directory,
		     const char *entry)
{
	char path[PATH_MAX], where[PATH_MAX + 16], *text;
	size_t length = strlen(entry), size;
	const char *reason;
	unsigned int line;

	if (length < 6 || strcmp(entry + length - 5, ".json") ||
	    snprintf(path, sizeof(path), "%s/%s", directory, entry) >= (int)sizeof(path))
		return;
	text = read_text(path, &size);
	if (!text) {
		note_trouble(given, path);
		return;
	}
	reason = perfctr_vendor_read(vendor, text, size, &line);
	snprintf(where, sizeof(where), "%s:%u", path, line);
	free(text);
	errno = ENOMEM;
	if (reason == no_memory)
		note_trouble(given, path);
	else if (reason)
		refuse(given, where, reason);
}

/*
 * Whether events that name no unit are this core type's, in a file whose name has the design of
 * one, as perfmon's have: alderlake_gracemont_core.json. In another file: as in its directory.
 */
static bool is_of_design(const struct perfctr_vendor *vendor, const char *entry)
{
	const char *end = strstr(entry, "_core"), *begin = end, *id = strrchr(vendor->cpu->id, '_');

	id = id ? id + 1 : vendor->cpu->id;
	while (begin && begin > entry && begin[-1] != '_')
		begin--;
	if (!begin || begin == entry)
		return vendor->own;
	return perfctr_letters_same(id, begin, (size_t)(end - begin));
}

static void read_directory(struct given *given, struct perfctr_vendor *vendor,
			   const char *directory)
{
	DIR *dir = perfctr_call_opendir(directory);
	bool own = vendor->own;
	struct dirent *entry;

	if (!dir) {
		/* The directories of single PMUs need not be there. */
		if (!vendor->unit || !vendor->own || errno != ENOENT)
			note_trouble(given, directory);
		return;
	}
	while (errno = 0, (entry = readdir(dir))) {
		vendor->own = is_of_design(vendor, entry->d_name);
		read_one(given, vendor, directory, entry->d_name);
		vendor->own = own;
	}
	if (errno)
		note_trouble(given, directory);
	perfctr_call_closedir(dir);
}

/* Whether its events have codes as the vendors' files have them. */
static bool has_codes(const struct perfctr_cpu *cpu)
{
	return cpu->rules == PERFCTR_RULES_ARCH || cpu->rules == PERFCTR_RULES_K7 ||
	       cpu->rules == PERFCTR_RULES_P6 || cpu->rules == PERFCTR_RULES_PMUV3;
}

/* The events of one core type. */
static void read_core(struct given *given, int i, const char *directory)
{
	struct perfctr_vendor *vendor = &given->of[i];
	char of_unit[PATH_MAX];

	vendor->cpu = &given->cpu[i];
	if (!has_codes(vendor->cpu))
		return;
	if (given->n > 1)
		vendor->unit = given->core[i].name;
	vendor->own = !vendor->unit;
	read_directory(given, vendor, directory);
	vendor->own = true;
	if (vendor->unit && snprintf(of_unit, sizeof(of_unit), "%s/%s", directory, vendor->unit) <
				    (int)sizeof(of_unit))
		read_directory(given, vendor, of_unit);
	perfctr_vendor_sort(vendor);
}

static void read_given(struct given *given, const char *directory)
{
	int i, n = perfctr_core_pmus(given->core);
	size_t events = 0;

	given->shared = n == 1 && perfctr_cores_share();
	if (given->shared)
		n = perfctr_core_types(given->core);
	given->n = n > 1 ? n : 1;
	for (i = 0; i < given->n && n >= 0; i++) {
		if (n > 1)
			perfctr_core_cpu(&given->core[i], &given->cpu[i]);
		else
			given->cpu[i] = *perfctr_this_cpu();
		read_core(given, i, directory);
		events += given->of[i].n;
	}
	/* A directory that nothing comes of is most likely the wrong one. */
	if (!events)
		refuse(given, directory,
		       "no file *.json there has an event of this processor's cores");
}

static void free_given(struct given *given)
{
	int i;

	for (i = 0; given && i < given->n; i++)
		perfctr_vendor_free(&given->of[i]);
	free(given);
}

/*
 * Reads the directory once. If it could not be read, perfctr_file_troubles() counts that, and the
 * next call tries again. Threads that come at the same time all read it, and the first result is
 * kept: a child of fork() could find a lock held for ever.
 */
static const struct given *all(void)
{
	static struct given nothing; /* not const: it would take space in the file */
	static struct given *found;
	struct given *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE), *read;
	const char *directory = secure_getenv("PERFCTR_EVENTS");
	unsigned int since = perfctr_file_troubles();
	int error = errno;

	if (known || !directory || !*directory)
		return known ? known : &nothing;
	read = calloc(1, sizeof(*read));
	if (read)
		read_given(read, directory);
	else
		perfctr_file_note();
	if (perfctr_file_troubles() == since &&
	    __atomic_compare_exchange_n(&found, &known, read, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		known = read;
	else
		free_given(read);
	errno = error;
	return known ? known : &nothing;
}

/* Of the two events of fixed counter 0 this one has a code of its own in perf_events. */
static bool is_prec_dist(const struct perfctr_vendor_event *event)
{
	return event->fixed == 1 &&
	       perfctr_letters_same("INST_RETIRED.PREC_DIST", event->name, strlen(event->name));
}

static int choose(const struct perfctr_vendor *vendor, const struct perfctr_vendor_event *event,
		  struct perfctr_event_choice *choice)
{
	const struct perfctr_cpu *cpu = vendor->cpu;

	*choice = (struct perfctr_event_choice){ .options = 1, .pebs = event->pebs };
	/* The kernel would leave these bits out, and count something else. */
	if (event->high & cpu->reserved >> 32)
		return perfctr_fail_choice(cpu, event->name, strlen(event->name),
					   "its event select has bits that this processor does "
					   "not have");
	choice->option[0].counters = event->fixed ? 0 : cpu->counters & event->counters;
	choice->option[0].fixed = event->fixed;
	choice->option[0].code = event->code;
	choice->option[0].high = event->high;
	choice->option[0].reg = event->reg;
	choice->option[0].value = is_prec_dist(event) ? 0x100 : event->value;
	return 1;
}

/* The longest name that a text begins with. */
static const struct perfctr_vendor_event *look_begin(const struct perfctr_vendor *vendor,
						     const char *text, size_t length, size_t *used)
{
	const struct perfctr_vendor_event *event = NULL;
	size_t end;

	for (end = length; vendor->n && end > 0 && !event; end--) {
		if (end < length && text[end] != ':')
			continue;
		event = look(vendor, text, end);
		*used = end;
	}
	return event;
}

/* A modifier that is neither the table's nor perf's, or is wrong. */
static int fail_modifier(enum perfctr_event_error error, const char *text, size_t length,
			 const char *part, size_t part_length)
{
	const char *why = error == PERFCTR_EVENT_MODIFIER
				  ? "is given twice, or its number is not one from 0 to 255"
				  : "is not a modifier (u, k, e, i, c=N)";

	if (error == PERFCTR_EVENT_NO_MASK && perfctr_is_late_edge(part, text + length))
		return perfctr_fail_late_edge(text, length, part);
	return perfctr_fail(EINVAL, "\"%.*s\" in \"%.*s\" %s", perfctr_shown(part_length), part,
			    perfctr_shown(length), text, why);
}

/*
 * Adds the modifiers that a table's event takes. *used is the length of the text with them; those
 * after it are perf's.
 */
static int modify(const struct perfctr_vendor *vendor, const struct perfctr_vendor_event *event,
		  const char *text, size_t length, struct perfctr_event_choice *choice,
		  size_t *used)
{
	const char *part;
	size_t n, from = *used;
	enum perfctr_event_error error;

	if (choose(vendor, event, choice) < 0)
		return -1;
	*used = length;
	error = perfctr_event_modify(text, from, length, choice, &part, &n);
	if (!error)
		return 0;
	if (error != PERFCTR_EVENT_NO_MASK || !perfctr_are_modifiers(part, text + length) ||
	    memchr(part, 'e', (size_t)(text + length - part)))
		return fail_modifier(error, text, length, part, n);
	*used = (size_t)(part - text) - 1;
	choose(vendor, event, choice);
	perfctr_event_modify(text, from, *used, choice, &part, &n);
	return 0;
}

static int attr_of(const struct given *given, int i, const struct perfctr_vendor_event *event,
		   const char *text, size_t length, struct perf_event_attr *attr, size_t *used)
{
	struct perfctr_event_choice choice;
	unsigned int precise;

	if (modify(&given->of[i], event, text, length, &choice, used) < 0)
		return -1;
	precise = choice.precise;
	if (*used < length && memchr(text + *used, 'p', length - *used))
		choice.precise = 1;
	if (perfctr_event_attr(given->of[i].cpu, &choice, event->name, strlen(event->name), attr) <
	    0)
		return -1;
	/* The caller adds those of the rest. */
	attr->precise_ip = precise & 3;
	if (given->n > 1)
		attr->type = given->core[i].type;
	return 1;
}

/* The event is in the files of all core types, with one code, or of none. */
static int parse_shared(const struct given *given, const char *text, size_t length,
			struct perf_event_attr *attr, size_t *used)
{
	const struct perfctr_vendor_event *event;
	struct perf_event_attr other;
	int i, n = 0;

	for (i = 0; i < given->n; i++) {
		event = look_begin(&given->of[i], text, length, used);
		if (!event)
			continue;
		other = *attr;
		if (attr_of(given, i, event, text, length, n ? &other : attr, used) < 0)
			return -1;
		if (n++ && (other.config != attr->config || other.config1 != attr->config1))
			return perfctr_fail_shared(event->name, strlen(event->name));
	}
	return n && n < given->n ? perfctr_fail_shared(text, length) : n > 0;
}

int perfctr_vendor_parse(const struct perfctr_pmu *core, const char *text, size_t length,
			 struct perf_event_attr *attr, size_t *used)
{
	const struct given *given = all();
	const struct perfctr_vendor_event *event;
	int i, found = 0;

	if (given->shared)
		return parse_shared(given, text, length, attr, used);
	for (i = 0; i < given->n && found <= 0; i++) {
		if (core && given->n > 1 && given->core[i].type != core->type)
			continue;
		event = look_begin(&given->of[i], text, length, used);
		if (event)
			found = attr_of(given, i, event, text, length, attr, used);
	}
	return found;
}

/* Returns the events of the core type that controls are for. */
static const struct perfctr_vendor *own(void)
{
	static const struct perfctr_vendor none;
	const struct given *given = all();
	int i;

	for (i = 0; i < given->n; i++)
		if (given->n == 1 || given->core[i].type == perfctr_this_type())
			return &given->of[i];
	return &none;
}

int perfctr_vendor_choose(const char *text, size_t length, struct perfctr_event_choice *choice,
			  size_t *used)
{
	const struct perfctr_vendor *vendor = own();
	const struct perfctr_vendor_event *event = look_begin(vendor, text, length, used);

	return event ? choose(vendor, event, choice) : 0;
}

const struct perfctr_vendor_event *perfctr_vendor_find(const char *name)
{
	const struct perfctr_vendor_event *event = NULL;
	const struct given *given = all();
	int i;

	for (i = 0; i < given->n && !event; i++)
		event = look(&given->of[i], name, strlen(name));
	return event;
}

const struct perfctr_vendor_event *perfctr_vendor_nth(size_t n)
{
	const struct given *given = all();
	int i;

	for (i = 0; i < given->n; i++) {
		if (n < given->of[i].n)
			return &given->of[i].events[n];
		n -= given->of[i].n;
	}
	return NULL;
}

const struct perfctr_vendor_event *perfctr_vendor_own(size_t n)
{
	const struct perfctr_vendor *vendor = own();

	return n < vendor->n ? &vendor->events[n] : NULL;
}

int perfctr_vendor_check(void)
{
	unsigned int since = perfctr_file_troubles();
	const char *refused = all()->refused;

	if (perfctr_file_check(since, "PERFCTR_EVENTS") < 0)
		return -1;
	return refused[0] ? perfctr_fail(EINVAL, "%s", refused) : 0;
}
