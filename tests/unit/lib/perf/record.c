// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decoding of records: every type, whole, and cut off everywhere. */
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/record.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

/* The words that every record of these tests has for identification, and what they say. */
#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

struct bytes {
	uint64_t word[256];
	unsigned int size; /* of the record so far */
};

static void add(struct bytes *bytes, const void *data, size_t size)
{
	memcpy((char *)bytes->word + bytes->size, data, size);
	bytes->size += (unsigned int)size;
}

static void add64(struct bytes *bytes, uint64_t word)
{
	add(bytes, &word, sizeof(word));
}

static void add32(struct bytes *bytes, uint32_t half)
{
	add(bytes, &half, sizeof(half));
}

static void add16(struct bytes *bytes, uint16_t quarter)
{
	add(bytes, &quarter, sizeof(quarter));
}

static void add_id(struct bytes *bytes)
{
	add32(bytes, 1001);
	add32(bytes, 1002);
	add64(bytes, 1003);
	add64(bytes, 1004);
	add64(bytes, 1005);
	add32(bytes, 6);
	add32(bytes, 0);
	add64(bytes, 1004);
}

static void finish(struct bytes *bytes, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { type, misc, (uint16_t)bytes->size };

	ck_assert_uint_eq(bytes->size % 8, 0);
	memcpy(bytes->word, &header, sizeof(header));
}

static struct bytes begin(void)
{
	return (struct bytes){ .size = sizeof(struct perf_event_header) };
}

/* Decode a copy that ends where its memory does. */
static uint64_t *exact;

static int decode(struct perfctr_decoder *decoder, const struct bytes *bytes, unsigned int size,
		  const struct perfctr_record **record)
{
	struct perf_event_header header;

	free(exact);
	exact = malloc(size);
	memcpy(exact, bytes->word, size);
	memcpy(&header, exact, sizeof(header));
	header.size = (uint16_t)size;
	return perfctr_record_decode(decoder, header, exact, record);
}

/* Whole it is good; cut off anywhere, or of a sample with more, it is not. */
static const struct perfctr_record *check(struct perfctr_decoder *decoder, struct bytes *bytes,
					  uint32_t type, uint16_t misc)
{
	const struct perfctr_record *record;
	unsigned int size;

	finish(bytes, type, misc);
	for (size = 8; size < bytes->size; size += 8)
		ck_fails(decode(decoder, bytes, size, &record), EBADMSG, "does not fit");
	if (type == PERF_RECORD_SAMPLE)
		ck_fails(decode(decoder, bytes, size + 8, &record), EBADMSG, "does not fit");
	ck_assert_msg(decode(decoder, bytes, size, &record) == 1, "%s", perfctr_error());
	ck_assert_uint_eq(record->type, type);
	ck_assert_uint_eq(record->misc, misc);
	ck_assert_uint_eq(record->size, size);
	ck_assert_ptr_eq(record->bytes, exact);
	return record;
}

static struct perfctr_decoder decoder_of(uint64_t fields, uint64_t read_format)
{
	struct perf_event_attr attr = { .sample_type = fields, .read_format = read_format };
	struct perfctr_decoder decoder;

	perfctr_decoder_init(&decoder, &attr);
	return decoder;
}

static void has_id(const struct perfctr_record *record)
{
	ck_assert_uint_eq(record->pid, 1001);
	ck_assert_uint_eq(record->tid, 1002);
	ck_assert_uint_eq(record->time, 1003);
	ck_assert_uint_eq(record->id, 1004);
	ck_assert_uint_eq(record->stream_id, 1005);
	ck_assert_uint_eq(record->cpu, 6);
}

START_TEST(mappings)
{
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		bytes = begin();
		add32(&bytes, 11);
		add32(&bytes, 12);
		add64(&bytes, 0x7f0000001000);
		add64(&bytes, 0x2000);
		add64(&bytes, 0x3000);
		if (i == 1) {
			add32(&bytes, 8);
			add32(&bytes, 1);
			add64(&bytes, 4711);
			add64(&bytes, 4712);
		} else if (i == 2) {
			add(&bytes, "\24\0\0\0", 4);
			add(&bytes, "abcdefghijklmnopqrst", 20);
		}
		if (i) {
			add32(&bytes, 5);
			add32(&bytes, 2);
		}
		add(&bytes, "/a/file/of/such", 16);
		add_id(&bytes);
		record = check(&decoder, &bytes, i ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
			       i == 2 ? PERF_RECORD_MISC_MMAP_BUILD_ID : PERF_RECORD_MISC_USER);
		has_id(record);
		ck_assert_uint_eq(record->as.mmap.pid, 11);
		ck_assert_uint_eq(record->as.mmap.tid, 12);
		ck_assert_uint_eq(record->as.mmap.addr, 0x7f0000001000);
		ck_assert_uint_eq(record->as.mmap.length, 0x2000);
		ck_assert_uint_eq(record->as.mmap.offset, 0x3000);
		ck_assert_str_eq(record->as.mmap.file, "/a/file/of/such");
		ck_assert_uint_eq(record->as.mmap.prot, i ? 5 : 0);
		ck_assert_uint_eq(record->as.mmap.flags, i ? 2 : 0);
		ck_assert_uint_eq(record->as.mmap.major, i == 1 ? 8 : 0);
		ck_assert_uint_eq(record->as.mmap.minor, i == 1 ? 1 : 0);
		ck_assert_uint_eq(record->as.mmap.inode, i == 1 ? 4711 : 0);
		ck_assert_uint_eq(record->as.mmap.inode_generation, i == 1 ? 4712 : 0);
		ck_assert_uint_eq(record->as.mmap.build_id_size, i == 2 ? 20 : 0);
		if (i == 2)
			ck_assert_mem_eq(record->as.mmap.build_id, "abcdefghijklmnopqrst", 20);
	}
	/* A build ID that is longer than its place. */
	((unsigned char *)bytes.word)[40] = 21;
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
}
END_TEST

START_TEST(tasks)
{
	static const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT };
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes = begin();
	unsigned int i;

	add32(&bytes, 11);
	add32(&bytes, 12);
	add(&bytes, "command", 8);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	has_id(record);
	ck_assert_uint_eq(record->as.comm.pid, 11);
	ck_assert_uint_eq(record->as.comm.tid, 12);
	ck_assert_str_eq(record->as.comm.name, "command");
	/* No NUL before the words at the end. */
	memset((char *)bytes.word + 16, 'x', 8);
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");

	for (i = 0; i < 2; i++) {
		bytes = begin();
		add32(&bytes, 21);
		add32(&bytes, 22);
		add32(&bytes, 23);
		add32(&bytes, 24);
		add64(&bytes, 25);
		add_id(&bytes);
		record = check(&decoder, &bytes, types[i], 0);
		has_id(record);
		ck_assert_uint_eq(record->as.task.pid, 21);
		ck_assert_uint_eq(record->as.task.ppid, 22);
		ck_assert_uint_eq(record->as.task.tid, 23);
		ck_assert_uint_eq(record->as.task.ptid, 24);
		ck_assert_uint_eq(record->as.task.time, 25);
	}

	bytes = begin();
	add_id(&bytes);
	has_id(check(&decoder, &bytes, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT));

	bytes = begin();
	add32(&bytes, 31);
	add32(&bytes, 32);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.other.pid, 31);
	ck_assert_uint_eq(record->as.other.tid, 32);
	record = check(&decoder, &bytes, PERF_RECORD_ITRACE_START, 0);
	ck_assert_uint_eq(record->as.itrace.pid, 31);
	ck_assert_uint_eq(record->as.itrace.tid, 32);

	bytes = begin();
	add32(&bytes, 41);
	add32(&bytes, 42);
	add64(&bytes, 2);
	for (i = 0; i < 4; i++)
		add64(&bytes, 43 + i);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_NAMESPACES, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.namespaces.pid, 41);
	ck_assert_uint_eq(record->as.namespaces.tid, 42);
	ck_assert_uint_eq(record->as.namespaces.n, 2);
	ck_assert_uint_eq(record->as.namespaces.link[1].dev, 45);
	ck_assert_uint_eq(record->as.namespaces.link[1].ino, 46);
	bytes.word[2] = UINT64_MAX / 2 + 2; /* times 16 it is 32 again */
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
}
END_TEST

START_TEST(losses)
{
	static const uint32_t types[] = { PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE };
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes = begin();
	unsigned int i;

	add64(&bytes, 51);
	add64(&bytes, 52);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_LOST, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.lost.id, 51);
	ck_assert_uint_eq(record->as.lost.lost, 52);

	bytes = begin();
	add64(&bytes, 53);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_LOST_SAMPLES, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.lost.id, 0);
	ck_assert_uint_eq(record->as.lost.lost, 53);
	record = check(&decoder, &bytes, PERFCTR_RECORD_AUX_OUTPUT_HW_ID, 0);
	ck_assert_uint_eq(record->as.hw_id.hw_id, 53);

	bytes = begin();
	for (i = 0; i < 3; i++)
		add64(&bytes, 61 + i);
	add_id(&bytes);
	for (i = 0; i < 2; i++) {
		record = check(&decoder, &bytes, types[i], 0);
		has_id(record);
		ck_assert_uint_eq(record->as.throttle.time, 61);
		ck_assert_uint_eq(record->as.throttle.id, 62);
		ck_assert_uint_eq(record->as.throttle.stream_id, 63);
	}
	record = check(&decoder, &bytes, PERF_RECORD_AUX, 0);
	ck_assert_uint_eq(record->as.aux.offset, 61);
	ck_assert_uint_eq(record->as.aux.size, 62);
	ck_assert_uint_eq(record->as.aux.flags, 63);
}
END_TEST

START_TEST(the_kernels_own)
{
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes = begin();

	add64(&bytes, 71);
	add32(&bytes, 72);
	add16(&bytes, PERF_RECORD_KSYMBOL_TYPE_BPF);
	add16(&bytes, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	add(&bytes, "bpf_one", 8);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_KSYMBOL, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.ksymbol.addr, 71);
	ck_assert_uint_eq(record->as.ksymbol.length, 72);
	ck_assert_uint_eq(record->as.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	ck_assert_uint_eq(record->as.ksymbol.flags, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	ck_assert_str_eq(record->as.ksymbol.name, "bpf_one");

	bytes = begin();
	add16(&bytes, PERF_BPF_EVENT_PROG_LOAD);
	add16(&bytes, 81);
	add32(&bytes, 82);
	add(&bytes, "tagtagta", 8);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_BPF_EVENT, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.bpf.type, PERF_BPF_EVENT_PROG_LOAD);
	ck_assert_uint_eq(record->as.bpf.flags, 81);
	ck_assert_uint_eq(record->as.bpf.id, 82);
	ck_assert_mem_eq(record->as.bpf.tag, "tagtagta", 8);

	bytes = begin();
	add64(&bytes, 91);
	add(&bytes, "/cgroup", 8);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_CGROUP, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.cgroup.id, 91);
	ck_assert_str_eq(record->as.cgroup.path, "/cgroup");

	bytes = begin();
	add64(&bytes, 101);
	add16(&bytes, 5);
	add16(&bytes, 7);
	add(&bytes, "OLDOLnewnewn", 12);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERF_RECORD_TEXT_POKE, 0);
	has_id(record);
	ck_assert_uint_eq(record->as.text_poke.addr, 101);
	ck_assert_uint_eq(record->as.text_poke.old_length, 5);
	ck_assert_uint_eq(record->as.text_poke.new_length, 7);
	ck_assert_mem_eq(record->as.text_poke.bytes, "OLDOLnewnewn", 12);
}
END_TEST

/* The user's part of a call chain, later. */
START_TEST(deferred)
{
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	static const uint64_t wrong[] = { 3, 9, UINT64_MAX };
	const struct perfctr_record *record;
	struct bytes bytes = begin();
	unsigned int i;

	add64(&bytes, 0x123456789A); /* word 1: cookie */
	add64(&bytes, 2);
	add64(&bytes, 0x401000);
	add64(&bytes, 0x402000);
	add_id(&bytes);
	record = check(&decoder, &bytes, PERFCTR_RECORD_CALLCHAIN_DEFERRED, 2);
	has_id(record);
	ck_assert_uint_eq(record->as.deferred.cookie, 0x123456789A);
	ck_assert_uint_eq(record->as.deferred.nchain, 2);
	ck_assert_uint_eq(record->as.deferred.chain[0], 0x401000);
	ck_assert_uint_eq(record->as.deferred.chain[1], 0x402000);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		bytes.word[2] = wrong[i];
		ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
	}

	bytes = begin();
	add64(&bytes, 1);
	add_id(&bytes);
	finish(&bytes, PERFCTR_RECORD_CALLCHAIN_DEFERRED, 0);
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
}
END_TEST

/* No branches, with their index and, as the kernel has it where there were none, without. */
START_TEST(index_of_no_branches)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	const struct perfctr_record *record;
	struct perfctr_decoder decoder;
	unsigned int with, i;

	perfctr_decoder_init(&decoder, &attr);
	/* It is looked for again after a sample without. */
	for (i = 0; i < 4; i++) {
		struct bytes bytes = begin();

		with = i % 2;
		add64(&bytes, 1);
		add64(&bytes, 0); /* word 2: branches */
		if (with)
			add64(&bytes, 17);
		add64(&bytes, 3000);
		finish(&bytes, PERF_RECORD_SAMPLE, 0);
		ck_assert_int_eq(decode(&decoder, &bytes, bytes.size, &record), 1);
		ck_assert_uint_eq(record->as.sample.nbranches, 0);
		ck_assert_uint_eq(record->as.sample.branch_index, with ? 17 : UINT64_MAX);
		ck_assert_uint_eq(record->as.sample.data_src, 3000);
		ck_fails(decode(&decoder, &bytes, with ? bytes.size + 8 : bytes.size - 8, &record),
			 EBADMSG, "does not fit");
		bytes.word[2] = 1;
		ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
	}
}
END_TEST

/* A word for each branch, after all of them. */
START_TEST(counters_of_branches)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERFCTR_BRANCH_COUNTERS,
	};
	const struct perfctr_record *record;
	struct perfctr_decoder decoder;
	struct bytes bytes = begin();
	unsigned int i;

	perfctr_decoder_init(&decoder, &attr);
	add64(&bytes, 1);
	add64(&bytes, 2); /* word 2: branches */
	for (i = 0; i < 6; i++)
		add64(&bytes, 1000 + i);
	add64(&bytes, 2000);
	add64(&bytes, 2001);
	add64(&bytes, 3000);
	record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
	ck_assert_uint_eq(record->as.sample.nbranches, 2);
	ck_assert_uint_eq(record->as.sample.branches[1].to, 1004);
	ck_assert_uint_eq(record->as.sample.branch_counters[0], 2000);
	ck_assert_uint_eq(record->as.sample.branch_counters[1], 2001);
	ck_assert_uint_eq(record->as.sample.data_src, 3000);
	bytes.word[2] = 3;
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
	bytes.word[2] = 1;
	ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
}
END_TEST

START_TEST(unknown_types)
{
	static const uint32_t types[] = { 0, 23, 64, UINT32_MAX };
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes = begin();
	unsigned int i;

	add64(&bytes, 1);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		finish(&bytes, types[i], 77);
		ck_assert_int_eq(decode(&decoder, &bytes, bytes.size, &record), 1);
		ck_assert_uint_eq(record->type, types[i]);
		ck_assert_uint_eq(record->misc, 77);
		ck_assert_uint_eq(record->size, 16);
		ck_assert_mem_eq(record->bytes, bytes.word, 16);
		ck_assert_uint_eq(record->time, 0);
	}
}
END_TEST

/* A later kernel may put something after what is known. */
START_TEST(longer_than_known)
{
	struct perfctr_decoder decoder = decoder_of(ID_FIELDS, 0);
	const struct perfctr_record *record;
	struct bytes bytes = begin();

	add64(&bytes, 51);
	add64(&bytes, 52);
	add64(&bytes, 53);
	add_id(&bytes);
	finish(&bytes, PERF_RECORD_LOST, 0);
	ck_assert_int_eq(decode(&decoder, &bytes, bytes.size, &record), 1);
	ck_assert_uint_eq(record->as.lost.lost, 52);
	has_id(record);
}
END_TEST

/* In every format of read(2), in samples and on their own. */
START_TEST(read_formats)
{
	const struct perfctr_record *record;
	const struct perfctr_record_counts *counts;
	struct perfctr_decoder decoder;
	struct bytes bytes;
	uint64_t format;
	unsigned int i, n, in_sample, at;

	for (format = 0; format < 32; format++) {
		for (in_sample = 0; in_sample < 2; in_sample++) {
			decoder = decoder_of((in_sample ? PERF_SAMPLE_READ : 0) | PERF_SAMPLE_TIME,
					     format);
			bytes = begin();
			n = format & PERF_FORMAT_GROUP ? 3 : 1;
			if (in_sample)
				add64(&bytes, 1003);
			else
				add32(&bytes, 77), add32(&bytes, 78);
			at = bytes.size / 8;
			add64(&bytes, n == 3 ? 3 : 200);
			if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
				add64(&bytes, 301);
			if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
				add64(&bytes, 302);
			for (i = 0; i < n; i++) {
				if (n == 3)
					add64(&bytes, 200 + i);
				if (format & PERF_FORMAT_ID)
					add64(&bytes, 401);
				if (format & PERFCTR_FORMAT_LOST)
					add64(&bytes, 402);
			}
			if (!in_sample)
				add64(&bytes, 1003);
			record = check(&decoder, &bytes,
				       in_sample ? PERF_RECORD_SAMPLE : PERF_RECORD_READ, 0);
			counts = in_sample ? &record->as.sample.counts : &record->as.read.counts;
			if (!in_sample) {
				ck_assert_uint_eq(record->as.read.pid, 77);
				ck_assert_uint_eq(record->as.read.tid, 78);
			}
			ck_assert_uint_eq(record->time, 1003);
			ck_assert_uint_eq(counts->n, n);
			ck_assert_uint_eq(counts->enabled,
					  format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 301 : 0);
			ck_assert_uint_eq(counts->running,
					  format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 302 : 0);
			for (i = 0; i < n; i++)
				ck_assert_uint_eq(counts->values[i], 200 + i);
			if (n != 3)
				continue;
			for (i = 0; i < 3; i++) {
				static const uint64_t wrong[] = { 65, UINT64_MAX,
								  UINT64_C(1) << 61 };

				bytes.word[at] = wrong[i];
				ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG,
					 "fit");
			}
		}
	}
}
END_TEST

/* As many as a decoder has room for; one more is written nowhere. */
START_TEST(counts_of_a_large_group)
{
	const struct perfctr_record *record;
	struct perfctr_decoder decoder;
	struct bytes bytes;
	uint64_t format;
	unsigned int i, n, in_sample;

	for (format = 0; format < 32; format++) {
		for (in_sample = 0; in_sample < 2; in_sample++) {
			if (!(format & PERF_FORMAT_GROUP))
				continue;
			decoder = decoder_of(in_sample ? PERF_SAMPLE_READ : 0, format);
			for (n = PERFCTR_GROUP_MAX; n <= PERFCTR_GROUP_MAX + 1; n++) {
				bytes = begin();
				if (!in_sample)
					add64(&bytes, 0);
				add64(&bytes, n);
				if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
					add64(&bytes, 301);
				if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
					add64(&bytes, 302);
				for (i = 0; i < n; i++) {
					add64(&bytes, 200 + i);
					if (format & PERF_FORMAT_ID)
						add64(&bytes, 401);
					if (format & PERFCTR_FORMAT_LOST)
						add64(&bytes, 402);
				}
				finish(&bytes, in_sample ? PERF_RECORD_SAMPLE : PERF_RECORD_READ,
				       0);
				if (n > PERFCTR_GROUP_MAX) {
					ck_fails(decode(&decoder, &bytes, bytes.size, &record),
						 EBADMSG, "does not fit");
					continue;
				}
				ck_assert_int_eq(decode(&decoder, &bytes, bytes.size, &record), 1);
				for (i = 0; i < n; i++)
					ck_assert_uint_eq(decoder.values[i], 200 + i);
			}
		}
	}
}
END_TEST

/* Each field alone, and all: the order is the kernel's. */
START_TEST(fields_of_one_word)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER,	    PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	    PERF_SAMPLE_ADDR,	  PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	    PERF_SAMPLE_CPU,	  PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_WEIGHT,	    PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION,
		PERF_SAMPLE_PHYS_ADDR,	    PERF_SAMPLE_CGROUP,	  PERF_SAMPLE_DATA_PAGE_SIZE,
		PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	const struct perfctr_record *record;
	const struct perfctr_record_sample *s;
	struct perfctr_decoder decoder;
	struct bytes bytes;
	unsigned int i, k;
	uint64_t fields;

	for (i = 0; i <= ARRAY_SIZE(order); i++) {
		fields = 0;
		bytes = begin();
		for (k = 0; k < ARRAY_SIZE(order); k++) {
			if (i < ARRAY_SIZE(order) && k != i)
				continue;
			fields |= order[k];
			if (order[k] == PERF_SAMPLE_TID || order[k] == PERF_SAMPLE_CPU) {
				add32(&bytes, 100 + k);
				add32(&bytes, 200 + k);
			} else {
				add64(&bytes, 100 + k);
			}
		}
		decoder = decoder_of(fields, 0);
		record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		s = &record->as.sample;
#define IS(field, member, value) ck_assert_uint_eq(member, fields &(field) ? (value) : 0)
		IS(PERF_SAMPLE_IP, s->ip, 101);
		IS(PERF_SAMPLE_TID, record->pid, 102);
		IS(PERF_SAMPLE_TID, record->tid, 202);
		IS(PERF_SAMPLE_TIME, record->time, 103);
		IS(PERF_SAMPLE_ADDR, s->addr, 104);
		IS(PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, record->id,
		   fields & PERF_SAMPLE_ID ? 105 : 100);
		IS(PERF_SAMPLE_STREAM_ID, record->stream_id, 106);
		IS(PERF_SAMPLE_CPU, record->cpu, 107);
		IS(PERF_SAMPLE_PERIOD, s->period, 108);
		IS(PERF_SAMPLE_WEIGHT, s->weight, 109);
		IS(PERF_SAMPLE_DATA_SRC, s->data_src, 110);
		IS(PERF_SAMPLE_TRANSACTION, s->transaction, 111);
		IS(PERF_SAMPLE_PHYS_ADDR, s->phys_addr, 112);
		IS(PERF_SAMPLE_CGROUP, s->cgroup, 113);
		IS(PERF_SAMPLE_DATA_PAGE_SIZE, s->data_page_size, 114);
		IS(PERF_SAMPLE_CODE_PAGE_SIZE, s->code_page_size, 115);
	}
}
END_TEST

START_TEST(fields_of_many_words)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT_STRUCT |
			       PERF_SAMPLE_REGS_INTR,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 0x105,
		.sample_regs_intr = 0x80,
	};
	const struct perfctr_record *record;
	const struct perfctr_record_sample *s;
	struct perfctr_decoder decoder;
	struct bytes bytes = begin();
	unsigned int i;
	uint64_t saved;

	perfctr_decoder_init(&decoder, &attr);
	add64(&bytes, 1); /* word 1: ip */
	add64(&bytes, 2); /* word 2: chain */
	add64(&bytes, PERF_CONTEXT_USER);
	add64(&bytes, 0x401000);
	add32(&bytes, 12); /* word 5: raw */
	add(&bytes, "raw data, 12", 12);
	add64(&bytes, 2); /* word 7: branches */
	add64(&bytes, 17);
	for (i = 0; i < 6; i++)
		add64(&bytes, 1000 + i);
	add64(&bytes, PERF_SAMPLE_REGS_ABI_64); /* word 15: registers */
	for (i = 0; i < 3; i++)
		add64(&bytes, 2000 + i);
	add64(&bytes, 16); /* word 19: stack */
	add(&bytes, "stack of 16 byte", 16);
	add64(&bytes, 9);    /* word 22: of which are used */
	add64(&bytes, 3000); /* word 23: weight */
	add64(&bytes, PERF_SAMPLE_REGS_ABI_32);
	add64(&bytes, 4000);
	record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
	s = &record->as.sample;
	ck_assert_uint_eq(s->ip, 1);
	ck_assert_uint_eq(s->nchain, 2);
	ck_assert_uint_eq(s->chain[1], 0x401000);
	ck_assert_uint_eq(s->raw_size, 12);
	ck_assert_mem_eq(s->raw, "raw data, 12", 12);
	ck_assert_uint_eq(s->nbranches, 2);
	ck_assert_uint_eq(s->branch_index, 17);
	ck_assert_uint_eq(s->branches[1].from, 1003);
	ck_assert_uint_eq(s->branches[1].to, 1004);
	ck_assert_uint_eq(s->user.abi, PERF_SAMPLE_REGS_ABI_64);
	ck_assert_uint_eq(s->user.n, 3);
	ck_assert_uint_eq(s->user.values[2], 2002);
	ck_assert_uint_eq(s->user_stack_size, 9);
	ck_assert_mem_eq(s->user_stack, "stack of ", 9);
	ck_assert_uint_eq(s->weight, 3000);
	ck_assert_uint_eq(s->interrupt.n, 1);
	ck_assert_uint_eq(s->interrupt.values[0], 4000);

	/* Numbers that can't be. */
	static const struct {
		unsigned int word;
		uint64_t value;
	} wrong[] = {
		{ 2, 24 },  { 2, UINT64_MAX },	       { 2, UINT64_C(1) << 61 },
		{ 7, 7 },   { 7, UINT64_MAX / 3 + 1 }, { 15, PERF_SAMPLE_REGS_ABI_NONE },
		{ 19, 17 }, { 19, UINT64_MAX - 7 },    { 19, 0 },
		{ 22, 17 },
	};
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		saved = bytes.word[wrong[i].word];
		bytes.word[wrong[i].word] = wrong[i].value;
		ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
		bytes.word[wrong[i].word] = saved;
	}
	for (i = 0; i < 4; i++) {
		static const uint32_t sizes[] = { 0, 13, 1000, UINT32_MAX - 3 };

		saved = bytes.word[5];
		memcpy(&bytes.word[5], &sizes[i], 4);
		ck_fails(decode(&decoder, &bytes, bytes.size, &record), EBADMSG, "does not fit");
		bytes.word[5] = saved;
	}

	/* None of each. */
	bytes = begin();
	add64(&bytes, 1);
	add64(&bytes, 0);
	add32(&bytes, 4);
	add32(&bytes, 0);
	add64(&bytes, 0);
	add64(&bytes, 18);
	add64(&bytes, PERF_SAMPLE_REGS_ABI_NONE);
	add64(&bytes, 0);
	add64(&bytes, 3001);
	add64(&bytes, PERF_SAMPLE_REGS_ABI_NONE);
	record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
	s = &record->as.sample;
	ck_assert_uint_eq(s->nchain, 0);
	ck_assert_uint_eq(s->raw_size, 4);
	ck_assert_uint_eq(s->nbranches, 0);
	ck_assert_uint_eq(s->user.n, 0);
	ck_assert_uint_eq(s->user_stack_size, 0);
	ck_assert_ptr_null(s->user_stack);
	ck_assert_uint_eq(s->weight, 3001);
	ck_assert_uint_eq(s->interrupt.n, 0);
	free(exact);
	exact = NULL;
}
END_TEST

/* Alone, so that nothing after it can tell that it is cut off. */
START_TEST(each_field_of_many_words)
{
	static const struct {
		uint64_t field;
		unsigned int words;
		uint64_t word[4];
	} fields[] = {
		{ PERF_SAMPLE_READ, 1, { 200 } },
		{ PERF_SAMPLE_CALLCHAIN, 3, { 2, 3, 4 } },
		{ PERF_SAMPLE_BRANCH_STACK, 4, { 1, 2, 3, 4 } },
		{ PERF_SAMPLE_REGS_USER, 3, { PERF_SAMPLE_REGS_ABI_64, 2, 3 } },
		{ PERF_SAMPLE_STACK_USER, 4, { 16, 2, 3, 16 } },
		{ PERF_SAMPLE_REGS_INTR, 2, { PERF_SAMPLE_REGS_ABI_64, 2 } },
	};
	const struct perfctr_record *record;
	struct perfctr_decoder decoder;
	struct bytes bytes;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		struct perf_event_attr attr = {
			.sample_type = fields[i].field,
			.sample_regs_user = 3,
			.sample_regs_intr = 1,
		};

		perfctr_decoder_init(&decoder, &attr);
		bytes = begin();
		for (k = 0; k < fields[i].words; k++)
			add64(&bytes, fields[i].word[k]);
		record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
		ck_assert_uint_eq(record->size, 8 + 8 * fields[i].words);
	}
	/* Raw data, whose size is half a word. */
	decoder = decoder_of(PERF_SAMPLE_RAW, 0);
	bytes = begin();
	add32(&bytes, 4);
	add(&bytes, "abcd", 4);
	record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
	ck_assert_uint_eq(record->as.sample.raw_size, 4);
	ck_assert_mem_eq(record->as.sample.raw, "abcd", 4);
	/* A long one, and the words after it. */
	decoder = decoder_of(PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC, 0);
	bytes = begin();
	add32(&bytes, 116);
	for (i = 0; i < 29; i++)
		add32(&bytes, 1000 + i);
	add64(&bytes, 77);
	record = check(&decoder, &bytes, PERF_RECORD_SAMPLE, 0);
	ck_assert_uint_eq(record->as.sample.raw_size, 116);
	ck_assert_mem_eq(record->as.sample.raw, (char *)bytes.word + 12, 116);
	ck_assert_uint_eq(record->as.sample.data_src, 77);
	free(exact);
	exact = NULL;
}
END_TEST

/* A ring of 64 bytes with these words at position, of which so many bytes have been written. */
static struct perf_event_mmap_page page;
static uint64_t ring_data[8];

static struct perfctr_ring ring_of(unsigned int position, unsigned int written, uint64_t header)
{
	struct perfctr_ring ring;
	unsigned int i;

	page.data_tail = position;
	perfctr_ring_init(&ring, &page, ring_data, sizeof(ring_data), NULL);
	ring.head = position + written;
	for (i = 0; i < ARRAY_SIZE(ring_data); i++)
		ring_data[i] = 100 + i;
	ring_data[position / 8 % 8] = header;
	return ring;
}

static uint64_t header_of(uint32_t type, uint16_t misc, uint16_t size)
{
	struct perf_event_header header = { type, misc, size };
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	return word;
}

/* Only a whole sample of the size that its fields have, in one piece, is taken at a glance. */
START_TEST(at_a_glance)
{
	static const uint64_t others[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW };
	struct perfctr_decoder decoder = decoder_of(PERF_SAMPLE_IP | PERF_SAMPLE_TIME, 0);
	const struct perfctr_record *record;
	struct perfctr_ring ring;
	unsigned int position, written, i;
	uint16_t size;
	uint64_t header;

	for (position = 0; position < 64; position += 8)
		for (written = 0; written <= 64; written += 8)
			for (size = 0; size < 64; size++) {
				ring = ring_of(64 + position, written,
					       header_of(PERF_RECORD_SAMPLE, 7, size));
				page.data_tail = 0;
				record = perfctr_record_take(&decoder, &ring);
				ck_assert_uint_eq(page.data_tail, 64 + position);
				ck_assert_int_eq(record != NULL,
						 size == 24 && written >= 24 && position <= 40);
				ck_assert_uint_eq(ring.position, 64 + position + (record ? 24 : 0));
				if (!record)
					continue;
				ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
				ck_assert_uint_eq(record->misc, 7);
				ck_assert_uint_eq(record->size, 24);
				ck_assert_ptr_eq(record->bytes, &ring_data[position / 8]);
				ck_assert_uint_eq(record->as.sample.ip, 101 + position / 8);
				ck_assert_uint_eq(record->time, 102 + position / 8);
			}
	ring = ring_of(0, 64, header_of(PERF_RECORD_LOST, 0, 24));
	ck_assert_ptr_null(perfctr_record_take(&decoder, &ring));
	/* No header is that of samples whose size varies. */
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		decoder = decoder_of(PERF_SAMPLE_IP | others[i], 0);
		for (size = 0; size < 64; size += 8) {
			ring = ring_of(0, 64, header_of(PERF_RECORD_SAMPLE, 0, size));
			ck_assert_ptr_null(perfctr_record_take(&decoder, &ring));
		}
		for (header = 0; header < 2; header++) {
			ring = ring_of(0, 64, header - 1);
			ck_assert_ptr_null(perfctr_record_take(&decoder, &ring));
			ck_assert_uint_eq(ring.position, 0);
		}
	}
}
END_TEST

UNIT_MAIN("record", 60, at_a_glance, mappings, tasks, losses, the_kernels_own, unknown_types,
	  longer_than_known, read_formats, counts_of_a_large_group, fields_of_one_word,
	  fields_of_many_words, each_field_of_many_words, deferred, counters_of_branches,
	  index_of_no_branches)
