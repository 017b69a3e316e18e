// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records that are kept come back as they were, with what they point to, and in their order. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/spool.h"

#define STACK 5000 /* bytes, so that the file has several buffers of samples */
#define MANY  1000

static unsigned char stack[STACK];
static const uint64_t chain[] = { PERF_CONTEXT_USER, 1, 2 }, registers[] = { 3, 4 },
		      counts[] = { 5 };

/* Sample number i, whose lengths depend on it. */
static struct perfctr_record sample_of(uint64_t i)
{
	return (struct perfctr_record){
		.type = PERF_RECORD_SAMPLE,
		.pid = (uint32_t)i,
		.bytes = stack,
		.as.sample = { .ip = i,
			       .nchain = i % 4,
			       .chain = chain,
			       .counts = { .n = i % 2, .values = counts },
			       .user = { PERF_SAMPLE_REGS_ABI_64, i % 3, registers },
			       .user_stack_size = STACK - i % 9,
			       .user_stack = stack },
	};
}

static void put_all(struct spool *spool)
{
	const struct perf_ns_link_info link[2] = { { .ino = 6 }, { .ino = 7 } };
	const struct perfctr_record others[] = {
		{ .type = PERF_RECORD_MMAP2, .as.mmap = { .addr = 8, .file = "/a file" } },
		{ .type = PERF_RECORD_COMM, .as.comm = { .name = "" } },
		{ .type = PERF_RECORD_NAMESPACES, .as.namespaces = { .n = 2, .link = link } },
		{ .type = PERF_RECORD_FORK, .as.task = { .pid = 9 } },
	};
	uint64_t i;

	for (i = 0; i < sizeof(stack); i++)
		stack[i] = (unsigned char)(i * 7);
	for (i = 0; i < MANY; i++) {
		const struct perfctr_record sample = sample_of(i);

		spool_put(spool, &sample);
		spool_put(spool, &others[i % 4]);
	}
}

static void is_sample(const struct perfctr_record *record, uint64_t i)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(record->pid, i);
	ck_assert_ptr_null(record->bytes);
	ck_assert_uint_eq(sample->ip, i);
	ck_assert_uint_eq(sample->nchain, i % 4);
	ck_assert(!memcmp(sample->chain, chain, i % 4 * 8) && sample->chain != chain);
	ck_assert_uint_eq(sample->counts.n, i % 2);
	ck_assert(!sample->counts.n || sample->counts.values[0] == 5);
	ck_assert_uint_eq(sample->user.n, i % 3);
	ck_assert(!memcmp(sample->user.values, registers, i % 3 * 8));
	ck_assert_uint_eq(sample->user_stack_size, STACK - i % 9);
	ck_assert(!memcmp(sample->user_stack, stack, STACK - i % 9));
	ck_assert_ptr_ne(sample->user_stack, stack);
}

static void is_other(const struct perfctr_record *record, uint64_t i)
{
	static const uint32_t types[] = { PERF_RECORD_MMAP2, PERF_RECORD_COMM,
					  PERF_RECORD_NAMESPACES, PERF_RECORD_FORK };

	ck_assert_uint_eq(record->type, types[i % 4]);
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		ck_assert_uint_eq(record->as.mmap.addr, 8);
		ck_assert_str_eq(record->as.mmap.file, "/a file");
		break;
	case PERF_RECORD_COMM: ck_assert_str_eq(record->as.comm.name, ""); break;
	case PERF_RECORD_NAMESPACES: ck_assert_uint_eq(record->as.namespaces.link[1].ino, 7); break;
	case PERF_RECORD_FORK: ck_assert_uint_eq(record->as.task.pid, 9);
	}
}

static void read_from(struct spool *spool, uint64_t i)
{
	for (; i < MANY; i++) {
		is_sample(spool_next(spool), i);
		is_other(spool_next(spool), i);
	}
	ck_assert_ptr_null(spool_next(spool));
	ck_assert_uint_eq(spool_percent(spool), 100);
}

START_TEST(order)
{
	struct spool *spool = spool_new();
	unsigned int turn;

	ck_assert_ptr_null(spool_next(spool));
	for (turn = 0; turn < 2; turn++) {
		put_all(spool);
		ck_assert(!spool_is_full(spool));
		read_from(spool, 0);
		spool_empty(spool);
		ck_assert_ptr_null(spool_next(spool));
	}
	spool_free(spool);
}
END_TEST

/* Another process reads what is left, which takes nothing from this one. */
START_TEST(copies)
{
	struct spool *spool = spool_new();
	uint64_t i;
	pid_t pid;
	int status;

	put_all(spool);
	for (i = 0; i < 300; i++) {
		is_sample(spool_next(spool), i);
		is_other(spool_next(spool), i);
	}
	ck_assert_uint_eq(spool_percent(spool), 30);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		read_from(spool, 300);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	read_from(spool, 300);
	spool_free(spool);
}
END_TEST

START_TEST(directory)
{
	unsetenv("TMPDIR");
	ck_assert_str_eq(spool_directory(), "/tmp");
	setenv("TMPDIR", "", 1);
	ck_assert_str_eq(spool_directory(), "/tmp");
	setenv("TMPDIR", "/dev/shm", 1);
	ck_assert_str_eq(spool_directory(), "/dev/shm");
}
END_TEST

UNIT_MAIN("spool", 60, order, copies, directory)
