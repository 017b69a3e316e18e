// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds out what works on this kernel, by the library's own calls: a line for each row of the table
 * in perfctr(7), "yes WHAT" or "no WHAT". Whatever is missing must say so. kernels.sh compares
 * them.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

static bool say(bool works, const char *what)
{
	/* A feature that the kernel lacks is no mistake of the caller's, nor of permission. */
	if (!works && errno != EOPNOTSUPP && errno != EINVAL)
		printf("wrong errno %d for %s: %s\n", errno, what, perfctr_error());
	else
		printf("%s %s\n", works ? "yes" : "no", what);
	return works;
}

static void try_sampler(const char *what, const char *events, uint64_t fields, uint32_t flags)
{
	const struct perfctr_sampler_config config = { .period = 1,
						       .fields = fields,
						       .flags = PERFCTR_DISABLED | flags };
	struct perfctr_sampler *sampler = perfctr_sampler_open(events, NULL, &config);

	say(sampler != NULL, what);
	perfctr_sampler_close(sampler);
}

static void try_process(void)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_set *set = perfctr_set_open("task-clock", &process, 0);

	say(set != NULL, "count a process without its children");
	perfctr_set_close(set);
}

static void try_cloexec(void)
{
	struct vperfctr_control control = { .flags = VPERFCTR_CONTROL_CLOEXEC };
	int fd = sys_vperfctr_open(0, 1);

	control.cpu_control.tsc_on = 1;
	say(fd >= 0 && sys_vperfctr_control(fd, &control) == 0, "VPERFCTR_CONTROL_CLOEXEC");
	sys_vperfctr_unlink(fd);
	close(fd);
}

/* A fault for each sample, and a buffer for some of them: what is lost is known before it is read.
 */
static void try_lost(void)
{
	const struct perfctr_sampler_config config = { .period = 1,
						       .fields = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
						       .pages = 1 };
	struct perfctr_sampler *sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	size_t i, n = 1000, page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t lost = 0;
	char *pages;

	pages = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, n * page, MADV_NOHUGEPAGE);
	for (i = 0; pages != MAP_FAILED && i < n; i++)
		pages[i * page] = 1;
	if (!sampler || perfctr_sampler_lost(sampler, &lost) < 0)
		printf("lost: %s\n", perfctr_error());
	errno = EOPNOTSUPP;
	say(lost > 0, "tell at once how many samples were lost");
	perfctr_sampler_close(sampler);
	munmap(pages, n * page);
}

static void try_reader(void)
{
#if defined(__aarch64__)
	static const char what[] = "read counters in user space, arm64";
#else
	static const char what[] = "read counters in user space, x86";
#endif
	struct perfctr_set *set = perfctr_set_open("cycles:u", NULL, 0);
	struct perfctr_reader reader;

	say(set && perfctr_set_reader(set, 0, &reader) == 0, what);
	perfctr_set_close(set);
}

int main(void)
{
	setenv("PERFCTR_PROVIDER", "perf", 1);
	try_reader();
	try_process();
	try_cloexec();
	try_lost();
	try_sampler("sample an inherited event, with counts", "page-faults:u",
		    PERF_SAMPLE_READ | PERF_SAMPLE_TID, PERFCTR_INHERIT);
	try_sampler("record mappings with build IDs", "page-faults:u", PERF_SAMPLE_IP,
		    PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_BUILD_ID);
	try_sampler("sample sizes of pages", "page-faults:u",
		    PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE, 0);
	try_sampler("sample weights in three parts", "page-faults:u", PERF_SAMPLE_WEIGHT_STRUCT, 0);
	try_sampler("defer call chains", "page-faults:u", PERF_SAMPLE_CALLCHAIN,
		    PERFCTR_SAMPLER_DEFER_USER_CHAIN);
	return 0;
}
