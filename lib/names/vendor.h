/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vendor.h - events of the vendor's own files
 *
 * PERFCTR_EVENTS names a directory with JSON files (*.json) about this machine's processor, as
 * Intel publishes them, and as they lie in Linux's tools/perf/pmu-events. They are read when a name
 * is found nowhere else, or when names are listed. On a machine with several core types an event
 * belongs to the PMU in its member "Unit"; without one, to the PMU whose name the file's
 * subdirectory has, or whose design the file's name, as in alderlake_gracemont_core.json.
 */
#ifndef PERFCTR_LIB_NAMES_VENDOR_H
#define PERFCTR_LIB_NAMES_VENDOR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfctr_cpu;
struct perfctr_event_choice;
struct perfctr_pmu;

/* This is compiled for size: it rarely runs. */
#define SELDOM __attribute__((noinline, cold))

struct perfctr_vendor_event {
	char *name; /* with its text in the same memory */
	const char *text;
	uint32_t code, high, reg; /* as in struct perfctr_event_option */
	uint32_t counters, fixed; /* of these, all that the file does not exclude */
	bool pebs;		  /* counts only in precise sampling */
	uint64_t value;
};

/* Events sorted by name, without regard to case. */
struct perfctr_vendor {
	const struct perfctr_cpu *cpu;
	const char *unit; /* the PMU of its core type; NULL: there is one core type */
	bool own;	  /* has the events that name no unit */
	struct perfctr_vendor_event *events;
	size_t n, room;
	const char *bad; /* why an entry was left out; NULL: none was */
	unsigned int bad_line;
	char reason[80]; /* of a refusal that names a word */
};

/*
 * Add the events of a file's text of size bytes and a NUL, which is changed. NULL; or why it, or an
 * entry of it, is refused, in *line: of an entry the others are kept, else all of them are gone.
 * perfctr_vendor_sort() sorts them.
 */
const char *perfctr_vendor_read(struct perfctr_vendor *vendor, char *text, size_t size,
				unsigned int *line) SELDOM;
void perfctr_vendor_sort(struct perfctr_vendor *vendor) SELDOM;
void perfctr_vendor_free(struct perfctr_vendor *vendor) SELDOM;

/* ---- those of PERFCTR_EVENTS ---- */

/*
 * The event that a text begins with, and the modifiers that those of tables take, on this core PMU;
 * NULL: on the only one, or the first that has it. 1, with *used characters taken, after which
 * perf's modifiers stand; 0: there is none; -1 after perfctr_fail(): the processor can't count it,
 * or a modifier is wrong.
 */
int perfctr_vendor_parse(const struct perfctr_pmu *core, const char *text, size_t length,
			 struct perf_event_attr *attr, size_t *used) SELDOM;

/*
 * Does the same for a control, with the registers of this machine's processor; *used is the length
 * of the name. 1, 0, -1 as above.
 */
int perfctr_vendor_choose(const char *text, size_t length, struct perfctr_event_choice *choice,
			  size_t *used) SELDOM;

/* The event of this name, of the first PMU that has it; NULL: there is none. */
const struct perfctr_vendor_event *perfctr_vendor_find(const char *name) SELDOM;

/* The nth of all PMUs, or of the one that controls are for; NULL after the last. */
const struct perfctr_vendor_event *perfctr_vendor_nth(size_t n) SELDOM;
const struct perfctr_vendor_event *perfctr_vendor_own(size_t n) SELDOM;

/*
 * Checks the directory. 0; or -1 after perfctr_fail(): EINVAL, the directory can't be read, or a
 * file in it is refused; or as perfctr_file_check() does: there was no descriptor or memory to read
 * it, and the next call tries again.
 */
int perfctr_vendor_check(void) SELDOM;

#endif /* PERFCTR_LIB_NAMES_VENDOR_H */
