// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * AUX areas, filled by tests/vm/auxpmu through the kernel's own code: each byte that a sampler
 * hands out is the right one, in its place, and what is missing was told. Exit status 0 if all is
 * well.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include "tests/harness/guest.h"
#include "tests/vm/auxpmu/auxpmu.h"

#define FIELDS (PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID)
#define ROOM   (2u << 20) /* bytes of an area that are kept */
#define LOGS   3	  /* areas */
#define CHUNKS 8192

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

#define PERIOD 100000 /* ns between chunks: enough to read them */

/* The buffer of records has room for all. */
static struct perfctr_sampler_config config_of(uint32_t aux_pages)
{
	return (struct perfctr_sampler_config){
		.period = PERIOD,
		.fields = FIELDS,
		.pages = (uint32_t)(1024 * 1024 / page_size()),
		.aux_pages = aux_pages,
		.flags = PERFCTR_DISABLED,
	};
}

static struct perfctr_sampler *open_aux(unsigned int chunk, unsigned int skip,
					const struct perfctr_target *target,
					const struct perfctr_sampler_config *config)
{
	struct perfctr_sampler *sampler;
	char event[64];

	snprintf(event, sizeof(event), "test_aux/chunk=%u,skip=%u/u", chunk, skip);
	sampler = perfctr_sampler_open(event, target, config);
	if (!sampler)
		printf("%s: %s\n", event, perfctr_error());
	return sampler;
}

/* An instruction is a ns. */
static void spin(unsigned long ns)
{
	loop(ns / 2);
}

/* ---- what a sampler has handed out ---- */

struct chunk {
	uint64_t offset, size, flags, stream;
	int cpu;
};

struct found {
	unsigned char *bytes[LOGS]; /* of processor -1, 0, 1 */
	uint64_t begin[LOGS], size[LOGS];
	struct chunk chunk[CHUNKS];
	unsigned int chunks, truncated, starts, pieces;
	uint64_t lost; /* records */
};

static struct found *begin_found(void)
{
	struct found *found = calloc(1, sizeof(*found));
	unsigned int i;

	/* Touched, lest the kernel clear pages while the area fills. */
	for (i = 0; i < LOGS; i++) {
		found->bytes[i] = malloc(ROOM);
		memset(found->bytes[i], 0x55, ROOM);
	}
	return found;
}

static void end_found(struct found *found)
{
	unsigned int i;

	for (i = 0; i < LOGS; i++)
		free(found->bytes[i]);
	free(found);
}

static int note(void *arg, const struct perfctr_record *record)
{
	struct found *found = arg;

	switch (record->type) {
	case PERF_RECORD_AUX:
		found->truncated += (record->as.aux.flags & PERF_AUX_FLAG_TRUNCATED) != 0;
		if (found->chunks < CHUNKS)
			found->chunk[found->chunks++] =
				(struct chunk){ record->as.aux.offset, record->as.aux.size,
						record->as.aux.flags, record->stream_id,
						(int)record->cpu };
		break;
	case PERF_RECORD_ITRACE_START:
		found->starts += record->as.itrace.pid == (uint32_t)getpid();
		break;
	case PERF_RECORD_LOST: found->lost += record->as.lost.lost; break;
	}
	return 0;
}

/* So many pieces, if they are there. Of an area that isn't overwritten they follow on each other.
 */
static int read_bytes(struct perfctr_sampler *sampler, struct found *found, unsigned int most)
{
	const struct perfctr_aux *aux;
	int result = 0, i;

	while (most-- && (result = perfctr_sampler_next_aux(sampler, &aux)) > 0) {
		i = aux->cpu + 1;
		if (found->size[i] == 0)
			found->begin[i] = aux->offset;
		CHECK(aux->offset == found->begin[i] + found->size[i],
		      "after %llu bytes %llu are said to be before",
		      (unsigned long long)found->size[i], (unsigned long long)aux->offset);
		CHECK(found->size[i] + aux->size <= ROOM, "too much");
		memcpy(found->bytes[i] + found->size[i], aux->bytes, aux->size);
		found->size[i] += aux->size;
		found->pieces++;
	}
	CHECK(result >= 0, "%s", perfctr_error());
	return 0;
}

static int read_some(struct perfctr_sampler *sampler, struct found *found)
{
	CHECK(perfctr_sampler_each(sampler, note, found) == 0, "%s", perfctr_error());
	return read_bytes(sampler, found, 4);
}

/*
 * The same where others run, too: QEMU may let one of two processors execute much less than the
 * other, so that its area is full before it is read; it goes on.
 */
static int read_and_go_on(struct perfctr_sampler *sampler, struct found *found)
{
	unsigned int truncated = found->truncated;

	if (read_some(sampler, found) != 0)
		return 1;
	CHECK(found->truncated == truncated || perfctr_sampler_enable(sampler) == 0, "%s",
	      perfctr_error());
	return 0;
}

static bool has_room(const struct found *found)
{
	unsigned int i;

	for (i = 0; i < LOGS; i++)
		if (found->size[i] > ROOM / 2)
			return false;
	return found->chunks < CHUNKS / 4;
}

/* Stop, and read the rest. */
static int end_reading(struct perfctr_sampler *sampler, struct found *found)
{
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	CHECK(perfctr_sampler_each(sampler, note, found) == 0, "%s", perfctr_error());
	return read_bytes(sampler, found, UINT32_MAX);
}

/* The chunk's number is how many its event has written before. */
static uint64_t number_of(const struct found *found, unsigned int c)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < c; i++)
		n += found->chunk[i].stream == found->chunk[c].stream;
	return n;
}

static bool is_right(const unsigned char *bytes, uint64_t size, uint64_t first)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		if (bytes[i] != auxpmu_byte(first + i))
			return false;
	return true;
}

static bool is_padding(const unsigned char *bytes, uint64_t size)
{
	while (size--)
		if (bytes[size] != AUXPMU_PAD)
			return false;
	return true;
}

/*
 * Each chunk is in its place, whole unless it says otherwise, or the event was stopped; and all
 * else was skipped. thread: it has one area, else each processor has its own.
 */
static int check(const struct found *found, unsigned int size, unsigned int skip, bool thread)
{
	uint64_t at[LOGS] = { 0 };
	const struct chunk *c;
	unsigned int k, i;
	bool truncated;

	CHECK(found->lost == 0, "%llu records were lost", (unsigned long long)found->lost);
	CHECK(found->chunks && found->chunks < CHUNKS, "%u chunks", found->chunks);
	for (k = 0; k < found->chunks; k++) {
		c = &found->chunk[k];
		i = thread ? 0 : (unsigned int)c->cpu + 1;
		truncated = (c->flags & PERF_AUX_FLAG_TRUNCATED) != 0;
		CHECK(c->offset >= at[i] && c->offset - at[i] <= (uint64_t)skip * 3,
		      "chunk %u is at %llu, and %llu bytes are before it", k,
		      (unsigned long long)c->offset, (unsigned long long)at[i]);
		CHECK(c->offset + c->size <= found->size[i], "chunk %u was not handed out", k);
		CHECK(is_padding(found->bytes[i] + at[i], c->offset - at[i]),
		      "chunk %u has no padding before it", k);
		CHECK(c->size == size || c->size == size / 2 || truncated,
		      "chunk %u has %llu bytes", k, (unsigned long long)c->size);
		CHECK(is_right(found->bytes[i] + c->offset, c->size, number_of(found, k) * size),
		      "chunk %u is wrong", k);
		CHECK((c->flags & ~(uint64_t)PERF_AUX_FLAG_TRUNCATED) == 0, "flags 0x%llx",
		      (unsigned long long)c->flags);
		at[i] = c->offset + c->size;
	}
	for (i = 0; i < LOGS; i++)
		CHECK(found->begin[i] == 0 && found->size[i] - at[i] <= (uint64_t)skip * 3,
		      "%llu bytes are after the last chunk",
		      (unsigned long long)(found->size[i] - at[i]));
	return 0;
}

/* ---- tests ---- */

/* More than the area has room for, read in time: nothing is missing, whatever wraps. */
static int every_byte(void)
{
	static const struct {
		unsigned int chunk, skip;
	} sizes[] = { { 1000, 0 }, { 64, 0 }, { 1, 0 }, { 3001, 7 } };
	struct perfctr_sampler_config config = config_of(16);
	struct perfctr_sampler *sampler;
	struct found *found;
	unsigned int s, k;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		found = begin_found();
		sampler = open_aux(sizes[s].chunk, sizes[s].skip, NULL, &config);
		CHECK(sampler && perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
		for (k = 0; k < 60; k++) {
			spin(PERIOD);
			if (read_some(sampler, found) != 0)
				return 1;
		}
		if (end_reading(sampler, found) != 0 ||
		    check(found, sizes[s].chunk, sizes[s].skip, true) != 0)
			return 1;
		CHECK(found->truncated == 0, "%u chunks of %u bytes are truncated",
		      found->truncated, sizes[s].chunk);
		CHECK(found->starts, "no record says that a trace began");
		CHECK(found->chunks >= 40, "%u chunks", found->chunks);
		CHECK(sizes[s].chunk < 3000 || found->size[0] > 2 * 65536, "%llu bytes",
		      (unsigned long long)found->size[0]);
		perfctr_sampler_close(sampler);
		end_found(found);
	}
	return 0;
}

/* Nobody reads: what has no room is told, the event stops, and goes on when it is asked to. */
static int a_full_area(void)
{
	struct perfctr_sampler_config config = config_of(2);
	struct perfctr_sampler *sampler = open_aux(1000, 0, NULL, &config);
	struct found *found = begin_found();
	unsigned int k, chunks;

	CHECK(sampler != NULL, "%s", perfctr_error());
	for (k = 1; k <= 4; k++) {
		CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
		spin(4000000 * page_size() / 4096);
		CHECK(perfctr_sampler_each(sampler, note, found) == 0, "%s", perfctr_error());
		chunks = found->chunks;
		CHECK(found->truncated == k, "%u of %u chunks are truncated the %uth time",
		      found->truncated, chunks, k);
		spin(2 * PERIOD);
		/* One byte is left free, by which the kernel knows that it is full. */
		if (read_some(sampler, found) != 0)
			return 1;
		CHECK(found->chunks == chunks, "it did not stop");
		CHECK(found->size[0] == k * (2 * page_size() - 1), "%llu bytes",
		      (unsigned long long)found->size[0]);
		CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	}
	if (check(found, 1000, 0, true) != 0)
		return 1;
	perfctr_sampler_close(sampler);
	end_found(found);
	return 0;
}

/* The newest bytes are there, up to the place where the PMU was. */
static int check_snapshot(const struct found *found, unsigned int size)
{
	uint64_t area = found->size[0], here = area, k = found->chunks;
	const struct chunk *c;

	CHECK(area == 4 * page_size(), "%llu bytes", (unsigned long long)area);
	CHECK(found->pieces <= 2, "%u pieces", found->pieces);
	CHECK(k > 4, "%llu chunks", (unsigned long long)k);
	CHECK((found->chunk[k - 1].offset - found->begin[0]) % area == 0,
	      "the newest chunk is not the last");
	while (k && here >= found->chunk[k - 1].size) {
		c = &found->chunk[--k];
		here -= c->size;
		CHECK(c->flags == PERF_AUX_FLAG_OVERWRITE, "flags 0x%llx",
		      (unsigned long long)c->flags);
		CHECK(is_right(found->bytes[0] + here, c->size, k * size), "chunk %llu is wrong",
		      (unsigned long long)k);
	}
	/* What was never written is 0. */
	while (k == 0 && here)
		CHECK(found->bytes[0][--here] == 0, "nobody wrote byte %llu",
		      (unsigned long long)here);
	return 0;
}

static int overwriting(void)
{
	struct perfctr_sampler_config config = config_of(4);
	struct found *found = begin_found();
	const struct perfctr_aux *aux;
	struct perfctr_sampler *sampler;
	unsigned int k;

	config.flags |= PERFCTR_SAMPLER_AUX_OVERWRITE;
	sampler = open_aux(1000, 0, NULL, &config);
	CHECK(sampler != NULL, "%s", perfctr_error());
	for (k = 0; k < 5; k++) {
		CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
		CHECK_FAILS(perfctr_sampler_next_aux(sampler, &aux), EINVAL,
			    "perfctr_sampler_disable()");
		/* The first time it is not full. */
		spin(k ? 4000000 * page_size() / 4096 : 10 * PERIOD);
		found->size[0] = found->pieces = 0;
		if (end_reading(sampler, found) != 0 || check_snapshot(found, 1000) != 0)
			return 1;
		CHECK(perfctr_sampler_next_aux(sampler, &aux) == 0, "there is more");
	}
	perfctr_sampler_close(sampler);
	end_found(found);
	return 0;
}

/* A thread that runs while another one reads, on processor arg - 1 if that is one. */
static atomic_int running, must_end;
static _Atomic pid_t runner;

static void *run(void *arg)
{
	cpu_set_t cpu;

	if (arg) {
		CPU_ZERO(&cpu);
		CPU_SET((uintptr_t)arg - 1, &cpu);
		sched_setaffinity(0, sizeof(cpu), &cpu);
	}
	runner = (pid_t)syscall(SYS_gettid);
	atomic_fetch_add(&running, 1);
	while (!must_end)
		spin(2000);
	return arg;
}

static int start_runner(pthread_t *thread)
{
	running = must_end = 0;
	CHECK(pthread_create(thread, NULL, run, NULL) == 0, "thread");
	while (!running)
		usleep(1000);
	return 0;
}

static int another_thread(void)
{
	struct perfctr_sampler_config config = config_of((uint32_t)(65536 / page_size()));
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct found *found = begin_found();
	struct perfctr_sampler *sampler;
	struct pollfd wait;
	pthread_t thread;
	unsigned int k;

	if (start_runner(&thread) != 0)
		return 1;
	target.id = runner;
	config.wakeup_aux = 10000;
	sampler = open_aux(1000, 0, &target, &config);
	CHECK(sampler && perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	wait = (struct pollfd){ .fd = perfctr_sampler_fd(sampler), .events = POLLIN };
	for (k = 0; k < 30 && has_room(found); k++) {
		CHECK(poll(&wait, 1, 10000) == 1, "nothing wakes it up");
		if (read_and_go_on(sampler, found) != 0)
			return 1;
	}
	CHECK(found->size[0] >= 29 * 10000u, "it is woken up too early: %llu bytes",
	      (unsigned long long)found->size[0]);
	/* And as often as it likes. */
	for (k = 0; k < 300 && has_room(found); k++)
		if (read_and_go_on(sampler, found) != 0)
			return 1;
	must_end = 1;
	pthread_join(thread, NULL);
	if (end_reading(sampler, found) != 0 || check(found, 1000, 0, true) != 0)
		return 1;
	perfctr_sampler_close(sampler);
	end_found(found);
	return 0;
}

/* Each of two threads has an area of its own. */
static void *trace_self(void *arg)
{
	unsigned int chunk = 500 + 300 * (unsigned int)(uintptr_t)arg, k;
	struct perfctr_sampler_config config = config_of(16);
	struct perfctr_sampler *sampler = open_aux(chunk, 0, NULL, &config);
	struct found *found = begin_found();
	const char *wrong = NULL;

	if (!sampler || perfctr_sampler_enable(sampler) < 0)
		wrong = "it can't be opened";
	for (k = 0; k < 60 && !wrong && has_room(found); k++) {
		spin(PERIOD);
		if (read_and_go_on(sampler, found) != 0)
			wrong = "it can't be read";
	}
	if (end_reading(sampler, found) != 0 || check(found, chunk, 0, true) != 0)
		wrong = "its bytes are wrong";
	else if (found->chunks < 20)
		wrong = "it has few chunks";
	perfctr_sampler_close(sampler);
	end_found(found);
	return (void *)(uintptr_t)wrong;
}

static int two_threads(void)
{
	pthread_t thread[2];
	unsigned int i;
	void *wrong;

	for (i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, trace_self, (void *)(uintptr_t)i) == 0,
		      "thread");
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], &wrong);
		CHECK(!wrong, "thread %u: %s", i, (const char *)wrong);
	}
	return 0;
}

/* A process has an area on each processor, where its threads take turns. */
static int a_process(void)
{
	struct perfctr_sampler_config config = config_of((uint32_t)((1u << 20) / page_size()));
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct found *found = begin_found();
	struct perfctr_sampler *sampler;
	pthread_t thread[2];
	unsigned int k, i;

	CHECK(sysconf(_SC_NPROCESSORS_ONLN) == 2, "this wants two processors");
	must_end = running = 0;
	sampler = open_aux(500, 0, &target, &config);
	CHECK(sampler && perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	for (i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)(i + 1)) == 0,
		      "thread");
	for (k = 0; k < 60 && has_room(found); k++) {
		usleep(100);
		if (read_and_go_on(sampler, found) != 0)
			return 1;
	}
	must_end = 1;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	if (end_reading(sampler, found) != 0 || check(found, 500, 0, false) != 0)
		return 1;
	for (i = 1; i <= 2; i++)
		CHECK(found->size[i] > 500, "processor %u has nothing", i - 1);
	perfctr_sampler_close(sampler);
	end_found(found);
	return 0;
}

/* The area goes while it is written into. */
static int closed_at_any_time(void)
{
	struct perfctr_sampler_config config = config_of(4);
	struct perfctr_sampler *sampler;
	unsigned int k;

	config.flags = 0;
	config.period = 1000;
	for (k = 0; k < 50; k++) {
		sampler = open_aux(100, 0, NULL, &config);
		CHECK(sampler != NULL, "%s", perfctr_error());
		spin(2000 + 634 * k);
		perfctr_sampler_close(sampler);
	}
	return 0;
}

static int refused(void)
{
	struct perfctr_sampler_config config = config_of(4);

	CHECK_FAILS(perfctr_sampler_open("page-faults:u", NULL, &config) ? 0 : -1, EOPNOTSUPP,
		    "page-faults:u has no AUX area");
	config.aux_pages = 1;
	config.flags |= PERFCTR_SAMPLER_AUX_OVERWRITE;
	CHECK_FAILS(perfctr_sampler_open("test_aux/chunk=9/u", NULL, &config) ? 0 : -1, ENOMEM,
		    "can't have an AUX area of");
	return 0;
}

/* What is more than perf_event_mlock_kb is locked memory. */
static int locked_memory(void)
{
	struct perfctr_sampler_config config = config_of((uint32_t)((8u << 20) / page_size()));
	struct rlimit limit = { 65536, 65536 };
	pid_t child = fork();
	int status;

	config.pages = 1;
	if (child == 0) {
		setrlimit(RLIMIT_MEMLOCK, &limit);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(2);
		if (perfctr_sampler_open("test_aux/chunk=9/u", NULL, &config) || errno != EPERM ||
		    !strstr(perfctr_error(), "perf_event_mlock_kb")) {
			printf("\"%s\"\n", perfctr_error());
			_exit(1);
		}
		config.aux_pages = 4;
		_exit(perfctr_sampler_open("test_aux/chunk=9/u", NULL, &config) ? 0 : 3);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status),
	      "status 0x%x", status);
	return 0;
}

static int load_pmu(void)
{
	int module = open("/auxpmu.ko", O_RDONLY);

	if (module >= 0 && syscall(SYS_finit_module, module, "", 0) == 0)
		return close(module);
	printf("/auxpmu.ko can't be loaded: %s\n", strerror(errno));
	return -1;
}

/* No event is left: each has the module in use, the last one perhaps a moment longer. */
static int unload_pmu(void)
{
	int k;

	for (k = 0; k < 50; k++) {
		if (syscall(SYS_delete_module, "auxpmu", O_NONBLOCK) == 0)
			return 0;
		usleep(20000);
	}
	printf("auxpmu can't be unloaded: %s\n", strerror(errno));
	return -1;
}

int main(void)
{
	static const struct guest_test tests[] = {
		INEXACT_TEST(every_byte),	  INEXACT_TEST(a_full_area),
		INEXACT_TEST(overwriting),	  INEXACT_TEST(another_thread),
		INEXACT_TEST(two_threads),	  INEXACT_TEST(a_process),
		INEXACT_TEST(closed_at_any_time), INEXACT_TEST(refused),
		INEXACT_TEST(locked_memory),
	};
	int failed;

	if (load_pmu() < 0)
		return 1;
	failed = run_guest(tests, sizeof(tests) / sizeof(tests[0]));
	return unload_pmu() < 0 || failed;
}
