// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls the functions that the library has of what is inline, by their names, on pages and regions
 * whose values are known, beside the inline ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                 \
	do {                                                             \
		if (!(condition)) {                                      \
			printf("| line %d: %s\n", __LINE__, #condition); \
			exit(1);                                         \
		}                                                        \
	} while (0)

static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		printf("| there is no %s()\n", name);
		exit(1);
	}
	return found;
}

static int core_types_read(const struct perfctr_reader *reader, uint64_t *value)
{
	*value = reader->base + 17;
	return 1;
}

static int core_types_read_all(const struct perfctr_reader *reader, size_t n, uint64_t *values)
{
	for (size_t i = 0; i < n; i++)
		core_types_read(&reader[i], &values[i]);
	return 1;
}

/* Readers that call a function, as those of several core types do, and one without a counter. */
static void readers(void)
{
	int (*read)(const struct perfctr_reader *, uint64_t *) = find("perfctr_reader_read");
	int (*ordered)(const struct perfctr_reader *,
		       uint64_t *) = find("perfctr_reader_read_ordered");
	int (*read_all)(const struct perfctr_reader *, size_t,
			uint64_t *) = find("perfctr_reader_read_all");
	int (*times)(const struct perfctr_reader *, uint64_t *, uint64_t *,
		     uint64_t *) = find("perfctr_reader_read_times");
	int (*pause)(const struct perfctr_reader *, uint64_t *) = find("perfctr_reader_pause");
	int (*resume)(struct perfctr_reader *, uint64_t) = find("perfctr_reader_resume");
	static struct perf_event_mmap_page page;
	static const struct perfctr_reader_types types = { .read = core_types_read,
							   .read_all = core_types_read_all };
	const volatile void *at = &types;
	struct perfctr_reader reader[2] = { { .page = at, .base = 100, .types = 1 },
					    { .page = at, .base = 200, .types = 1 } };
	struct perfctr_reader none = { .page = &page };
	uint64_t value[2] = { 1, 1 }, enabled, running;

	CHECK(read(&reader[0], &value[0]) == 1 && value[0] == 117);
	CHECK(ordered(&reader[1], &value[0]) == 1 && value[0] == 217);
	CHECK(read_all(reader, 2, value) == 1 && value[0] == 117 && value[1] == 217);
	CHECK(read_all(reader, 0, value) == 1);
	CHECK(ordered(&none, value) == 0);
	CHECK(read(&none, value) == 0 && read_all(&none, 1, value) == 0);
	CHECK(times(&none, value, &enabled, &running) == 0);
	CHECK(pause(&none, value) == 0 && resume(&none, 0) == 0);
}

/* A page of the driver's whose counters are stopped. */
static void state_readers(void)
{
	int (*read)(const struct perfctr_state_reader *,
		    struct perfctr_sum_ctrs *) = find("perfctr_state_reader_read");
	static struct vperfctr_state state;
	struct perfctr_state_reader reader = { .state = &state, .cstatus = 1 };
	struct perfctr_sum_ctrs sum = { .tsc = 5 };

	CHECK(read(&reader, &sum) == 0 && sum.tsc == 5);
	if (!PERFCTR_HAVE_RDTSC)
		return;
	state.cpu_state.cstatus = 1;
	state.cpu_state.tsc_sum = UINT64_C(1) << 40;
	CHECK(read(&reader, &sum) == 1 && sum.tsc >> 32 == 1 << 8);
}

static void calls(void)
{
	int (*unit)(const struct perfctr_set *, unsigned int, double *,
		    const char **) = find("perfctr_set_unit");
	int (*info)(struct perfctr_info *) = find("perfctr_get_info");
	int (*abi)(int) = find("perfctr_abi_check_fd");
	struct perfctr_set *set = perfctr_set_open("task-clock", NULL, 0);
	struct perfctr_info found = { 0 };
	const char *name = "";
	double scale = 0;

	CHECK(set && unit(set, 0, &scale, &name) == 0 && !strcmp(name, "msec") && scale == 1e-6);
	CHECK(unit(set, 1, &scale, &name) == -1 && errno == EINVAL);
	CHECK(info(&found) == 0 && found.abi_version == PERFCTR_ABI_VERSION);
	CHECK(info(NULL) == -1 && errno == EINVAL);
	CHECK(abi(-1) == 0 && abi(0) == -1);
	perfctr_set_close(set);
}

static void regions(void)
{
	void (*begin)(struct perfctr_region *) = find("perfctr_region_begin");
	void (*end)(struct perfctr_region *) = find("perfctr_region_end");
	struct perfctr_region *region = perfctr_region_by_name("from elsewhere");
	struct perfctr_region_reading reading;

	CHECK(region);
	begin(region);
	end(region);
	CHECK(perfctr_regions_start(NULL, 0) == 0);
	begin(region);
	begin(region);
	end(region);
	end(region);
	CHECK(perfctr_region_read(region, &reading) == 0 && reading.visits == 2);
	CHECK(perfctr_regions_stop() == 0);
}

int main(void)
{
	readers();
	state_readers();
	calls();
	regions();
	return 0;
}
