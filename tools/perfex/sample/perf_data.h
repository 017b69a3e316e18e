/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf_data.h - writes samples as "perf record" does, for perf's report and script. */
#ifndef PERFCTR_TOOLS_PERF_DATA_H
#define PERFCTR_TOOLS_PERF_DATA_H

#include <libperfctr.h>
#include <linux/perf_event.h>
#include <stdio.h>

/* Leaves room for the header; -1: the file can't seek. */
int perf_data_begin(FILE *file);

/* Writes a record, as the kernel wrote it. */
void perf_data_record(FILE *file, const struct perfctr_record *record);

/* Records that the kernel did not write: a mapping, and a name, from before. */
void perf_data_mmap(FILE *file, const struct perf_event_attr *attr,
		    const struct perfctr_record_mmap *mmap);
void perf_data_name(FILE *file, const struct perf_event_attr *attr, uint32_t pid, const char *name);

/* The kernel's mapping, so that perf looks for its names. */
void perf_data_kernel(FILE *file, const struct perf_event_attr *attr, uint64_t start,
		      uint64_t length);

/* Where it was, and how; as perf's header has it. */
struct perf_data_about {
	const char *host, *release, *machine, *processor, *version, *event;
	char *const *line; /* the command line, NULL at its end */
};

/* Writes the header and features; -1: this failed. */
int perf_data_end(FILE *file, const struct perf_event_attr *attr,
		  const struct perf_data_about *about);

#endif /* PERFCTR_TOOLS_PERF_DATA_H */
