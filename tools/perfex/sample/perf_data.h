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

/* Records that the kernel did not write: a mapping, and a thread's name, from before. */
void perf_data_mmap(FILE *file, const struct perf_event_attr *attr,
		    const struct perfctr_record_mmap *mmap);
void perf_data_name(FILE *file, const struct perf_event_attr *attr, uint32_t pid, uint32_t tid,
		    const char *name);

/* The kernel's mapping, so that perf looks for its names. */
void perf_data_kernel(FILE *file, const struct perf_event_attr *attr, uint64_t start,
		      uint64_t length);

/* A file with samples, or "[kernel.kallsyms]", by which perf finds the right file again. */
struct perf_data_file {
	const char *name;
	uint32_t size; /* of its build ID */
	uint8_t id[20];
};

/* Where it was, and how; as perf's header has it. */
struct perf_data_about {
	const char *host, *release, *machine, *processor, *version, *event;
	char *const *line; /* the command line, NULL at its end */
	const struct perf_data_file *files;
	size_t nfiles;
	uint64_t first, last; /* the times of samples; last is 0: there are none */
};

/* Writes the header and features; -1: this failed. */
int perf_data_end(FILE *file, const struct perf_event_attr *attr,
		  const struct perf_data_about *about);

#endif /* PERFCTR_TOOLS_PERF_DATA_H */
