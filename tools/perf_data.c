// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file's layout is that of tools/perf/Documentation/perf.data-file-format.txt in Linux: a
 * header, one event's attributes, and records; of the optional features only the one that has perf
 * report branches.
 */
#include <string.h>
#include "perf_data.h"

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

#define HAS_BRANCHES (1u << 15) /* a feature, whose section is empty */

int perf_data_begin(FILE *file)
{
	return fseek(file, sizeof(struct header) + sizeof(struct attr), SEEK_SET);
}

void perf_data_record(FILE *file, const struct perfctr_record *record)
{
	fwrite(record->bytes, record->size, 1, file);
}

/* What ends each record, in this order: whose it is, when it was. Zeros are before everything. */
static size_t trailer(const struct perf_event_attr *attr, uint32_t pid, uint32_t ids[4])
{
	size_t n = 0;

	memset(ids, 0, 4 * sizeof(*ids));
	if (attr->sample_type & PERF_SAMPLE_TID) {
		ids[0] = ids[1] = pid;
		n += 2;
	}
	if (attr->sample_type & PERF_SAMPLE_TIME)
		n += 2;
	return n * sizeof(*ids);
}

/* Strings are filled up to a multiple of 8 bytes. */
static void put_record(FILE *file, const struct perf_event_attr *attr, uint32_t pid, uint32_t type,
		       const void *fixed, size_t size, const char *text)
{
	static const char zeros[8];
	size_t length = strlen(text) + 1, fill = -length & 7;
	uint32_t ids[4];
	size_t end = trailer(attr, pid, ids);
	struct perf_event_header header = {
		.type = type,
		.misc = PERF_RECORD_MISC_USER,
		.size = (uint16_t)(sizeof(header) + size + length + fill + end),
	};

	fwrite(&header, sizeof(header), 1, file);
	fwrite(fixed, size, 1, file);
	fwrite(text, length, 1, file);
	fwrite(zeros, 1, fill, file);
	fwrite(ids, 1, end, file);
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
		put_record(file, attr, mmap->pid, PERF_RECORD_MMAP2, &fixed, sizeof(fixed),
			   mmap->file);
}

void perf_data_name(FILE *file, const struct perf_event_attr *attr, uint32_t pid, const char *name)
{
	const uint32_t fixed[2] = { pid, pid };

	put_record(file, attr, pid, PERF_RECORD_COMM, fixed, sizeof(fixed), name);
}

int perf_data_end(FILE *file, const struct perf_event_attr *attr)
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
	const struct section nothing = { (uint64_t)end + sizeof(nothing), 0 };

	if (end < 0 || fseek(file, 0, SEEK_SET) < 0)
		return -1;
	header.data.size = (uint64_t)end - header.data.offset;
	all.attr.size = sizeof(all.attr);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		header.features[0] = HAS_BRANCHES;
	fwrite(&header, sizeof(header), 1, file);
	fwrite(&all, sizeof(all), 1, file);
	if (fseek(file, end, SEEK_SET) < 0)
		return -1;
	if (header.features[0])
		fwrite(&nothing, sizeof(nothing), 1, file);
	return 0;
}
