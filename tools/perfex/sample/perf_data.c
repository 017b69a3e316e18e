// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes perf.data. The file's layout is that of tools/perf/Documentation/perf.data-file-format.txt
 * in Linux: a header, one event's attributes, and records; then some of the optional features,
 * which describe the machine, in the order of their bits, each with a section.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/perf_data.h"

struct section {
	uint64_t offset, size;
};

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* perf's features, by their bits. */
enum {
	HEADER_BUILD_ID = 2,
	HEADER_HOSTNAME,
	HEADER_OSRELEASE,
	HEADER_VERSION,
	HEADER_ARCH,
	HEADER_NRCPUS,
	HEADER_CPUDESC,
	HEADER_TOTAL_MEM = 10,
	HEADER_CMDLINE,
	HEADER_EVENT_DESC,
	HEADER_BRANCH_STACK = 15, /* its section is empty */
	HEADER_SAMPLE_TIME = 21,
	HEADER_FEATURES,
};

int perf_data_begin(FILE *file)
{
	return fseek(file, sizeof(struct header) + sizeof(struct attr), SEEK_SET);
}

void perf_data_record(FILE *file, const struct perfctr_record *record)
{
	fwrite(record->bytes, record->size, 1, file);
}

/*
 * Fills in the words at the end of each record: process and thread, then time, id, stream and
 * processor, as far as samples have them. Zeros come before all times. Returns their size.
 */
static size_t trailer(const struct perf_event_attr *attr, uint32_t pid, uint32_t tid,
		      uint32_t words[10])
{
	static const uint64_t others = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				       PERF_SAMPLE_CPU;
	size_t n = 2 * (size_t)__builtin_popcountll(attr->sample_type & others);

	memset(words, 0, 10 * sizeof(*words));
	if (attr->sample_type & PERF_SAMPLE_TID) {
		words[0] = pid;
		words[1] = tid;
		n += 2;
	}
	return n * sizeof(*words);
}

#define KERNEL UINT32_MAX /* the "process" of the kernel's mappings */

/* Strings are filled up to a multiple of 8 bytes. */
static void put_record(FILE *file, const struct perf_event_attr *attr, uint32_t pid, uint32_t tid,
		       uint32_t type, const void *fixed, size_t size, const char *text)
{
	const bool is_kernel = pid == KERNEL;
	static const char zeros[8];
	size_t length = strlen(text) + 1, fill = -length & 7;
	uint32_t words[10];
	size_t end = trailer(attr, pid, tid, words);
	struct perf_event_header header = {
		.type = type,
		.misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		.size = (uint16_t)(sizeof(header) + size + length + fill + end),
	};

	fwrite(&header, sizeof(header), 1, file);
	fwrite(fixed, size, 1, file);
	fwrite(text, length, 1, file);
	fwrite(zeros, 1, fill, file);
	fwrite(words, 1, end, file);
}

void perf_data_mmap(FILE *file, const struct perf_event_attr *attr,
		    const struct perfctr_record_mmap *mmap)
{
	const struct {
		uint32_t pid, tid;
		uint64_t addr, length, offset;
		uint32_t major, minor;
		uint64_t inode, inode_generation;
		uint32_t prot, flags;
	} fixed = { mmap->pid,	 mmap->tid,   mmap->addr, mmap->length, mmap->offset, mmap->major,
		    mmap->minor, mmap->inode, 0,	  mmap->prot,	mmap->flags };

	if (strlen(mmap->file) < 4096)
		put_record(file, attr, mmap->pid, mmap->tid, PERF_RECORD_MMAP2, &fixed,
			   sizeof(fixed), mmap->file);
}

void perf_data_name(FILE *file, const struct perf_event_attr *attr, uint32_t pid, uint32_t tid,
		    const char *name)
{
	const uint32_t fixed[2] = { pid, tid };

	put_record(file, attr, pid, tid, PERF_RECORD_COMM, fixed, sizeof(fixed), name);
}

void perf_data_kernel(FILE *file, const struct perf_event_attr *attr, uint64_t start,
		      uint64_t length)
{
	const struct {
		uint32_t pid, tid;
		uint64_t addr, length, offset;
	} fixed = { KERNEL, 0, start, length, start };

	put_record(file, attr, KERNEL, KERNEL, PERF_RECORD_MMAP, &fixed, sizeof(fixed),
		   "[kernel.kallsyms]_text");
}

/* ---- features ---- */

static void put_number(FILE *file, uint32_t number)
{
	fwrite(&number, sizeof(number), 1, file);
}

/* Writes a string's size, rounded up to a multiple of 64, and as many bytes. */
static void put_string(FILE *file, const char *text)
{
	static const char zeros[64];
	size_t length = strlen(text) + 1, fill = -length & 63;

	put_number(file, (uint32_t)(length + fill));
	fwrite(text, 1, length, file);
	fwrite(zeros, 1, fill, file);
}

static void put_line(FILE *file, char *const *line)
{
	uint32_t n = 0;

	while (line[n])
		n++;
	put_number(file, n);
	while (*line)
		put_string(file, *line++);
}

/* One event, without ids. */
static void put_event(FILE *file, const struct perf_event_attr *attr, const char *name)
{
	struct perf_event_attr whole = *attr;

	whole.size = sizeof(whole);
	put_number(file, 1);
	put_number(file, sizeof(whole));
	fwrite(&whole, sizeof(whole), 1, file);
	put_number(file, 0);
	put_string(file, name);
}

static void put_memory(FILE *file)
{
	const uint64_t kib = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			     ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);

	fwrite(&kib, sizeof(kib), 1, file);
}

#define BUILD_ID_SIZE (1u << 15) /* the byte after 20 of an id has its size */

/* As records, with names that are filled up to a multiple of 64 bytes. */
static void put_build_ids(FILE *file, const struct perf_data_about *about)
{
	static const char zeros[64];
	size_t i, length, fill;

	for (i = 0; i < about->nfiles; i++) {
		const struct perf_data_file *one = &about->files[i];
		struct {
			struct perf_event_header header;
			uint32_t pid;
			uint8_t id[24];
		} record = { .pid = UINT32_MAX };

		length = strlen(one->name) + 1;
		fill = -length & 63;
		record.header.misc = (uint16_t)(BUILD_ID_SIZE |
						(*one->name == '[' ? PERF_RECORD_MISC_KERNEL
								   : PERF_RECORD_MISC_USER));
		record.header.size = (uint16_t)(sizeof(record) + length + fill);
		memcpy(record.id, one->id, sizeof(one->id));
		record.id[sizeof(one->id)] = (uint8_t)one->size;
		fwrite(&record, sizeof(record), 1, file);
		fwrite(one->name, 1, length, file);
		fwrite(zeros, 1, fill, file);
	}
}

static void put_times(FILE *file, const struct perf_data_about *about)
{
	fwrite(&about->first, sizeof(about->first), 1, file);
	fwrite(&about->last, sizeof(about->last), 1, file);
}

static void put_feature(FILE *file, unsigned int feature, const struct perf_event_attr *attr,
			const struct perf_data_about *about)
{
	switch (feature) {
	case HEADER_BUILD_ID: put_build_ids(file, about); break;
	case HEADER_SAMPLE_TIME: put_times(file, about); break;
	case HEADER_HOSTNAME: put_string(file, about->host); break;
	case HEADER_OSRELEASE: put_string(file, about->release); break;
	case HEADER_VERSION: put_string(file, about->version); break;
	case HEADER_ARCH: put_string(file, about->machine); break;
	case HEADER_NRCPUS:
		put_number(file, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
		put_number(file, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
		break;
	case HEADER_CPUDESC: put_string(file, about->processor); break;
	case HEADER_TOTAL_MEM: put_memory(file); break;
	case HEADER_CMDLINE: put_line(file, about->line); break;
	case HEADER_EVENT_DESC: put_event(file, attr, about->event); break;
	}
}

static uint64_t features_of(const struct perf_event_attr *attr, const struct perf_data_about *about)
{
	const uint64_t all = 1u << HEADER_HOSTNAME | 1u << HEADER_OSRELEASE | 1u << HEADER_VERSION |
			     1u << HEADER_ARCH | 1u << HEADER_NRCPUS | 1u << HEADER_CPUDESC |
			     1u << HEADER_TOTAL_MEM | 1u << HEADER_CMDLINE |
			     1u << HEADER_EVENT_DESC;

	return all |
	       (attr->sample_type & PERF_SAMPLE_BRANCH_STACK ? 1u << HEADER_BRANCH_STACK : 0) |
	       (about->nfiles ? 1u << HEADER_BUILD_ID : 0) |
	       (about->last ? 1u << HEADER_SAMPLE_TIME : 0);
}

/* Writes the features' sections after the end of the records. */
static void put_features(FILE *file, uint64_t end, uint64_t features,
			 const struct perf_event_attr *attr, const struct perf_data_about *about)
{
	struct section sections[HEADER_FEATURES];
	char *text = NULL;
	size_t size, n = (size_t)__builtin_popcountll(features), i = 0;
	unsigned int feature;
	FILE *all = need(open_memstream(&text, &size));

	for (feature = 0; feature < HEADER_FEATURES; feature++) {
		if (!(features >> feature & 1))
			continue;
		sections[i].offset = (uint64_t)ftell(all);
		put_feature(all, feature, attr, about);
		sections[i].size = (uint64_t)ftell(all) - sections[i].offset;
		sections[i++].offset += end + n * sizeof(*sections);
	}
	if (fclose(all) != 0)
		need(NULL);
	fwrite(sections, sizeof(*sections), n, file);
	fwrite(text, 1, size, file);
	free(text);
}

int perf_data_end(FILE *file, const struct perf_event_attr *attr,
		  const struct perf_data_about *about)
{
	struct header header = {
		.magic = "PERFILE2",
		.size = sizeof(header),
		.attr_size = sizeof(struct attr),
		.attrs = { sizeof(header), sizeof(struct attr) },
		.data = { sizeof(header) + sizeof(struct attr), 0 },
	};
	struct attr all = { .attr = *attr };
	long end = ftell(file);

	if (end < 0 || fseek(file, 0, SEEK_SET) < 0)
		return -1;
	header.data.size = (uint64_t)end - header.data.offset;
	all.attr.size = sizeof(all.attr);
	header.features[0] = features_of(attr, about);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(&all, sizeof(all), 1, file);
	if (fseek(file, end, SEEK_SET) < 0)
		return -1;
	put_features(file, (uint64_t)end, header.features[0], attr, about);
	return 0;
}
