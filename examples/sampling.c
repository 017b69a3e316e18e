// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where a program spends its time, and what happens meanwhile: sampling [EVENT]
 * Without an argument cycles, or where there is no PMU a clock.
 */
#include <errno.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct counts {
	unsigned int samples, mappings, throttled;
	uint64_t lowest, highest; /* addresses */
};

static int look(void *arg, const struct perfctr_record *record)
{
	struct counts *counts = arg;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (!counts->samples++ || record->as.sample.ip < counts->lowest)
			counts->lowest = record->as.sample.ip;
		if (record->as.sample.ip > counts->highest)
			counts->highest = record->as.sample.ip;
		break;
	case PERF_RECORD_MMAP2:
		counts->mappings++;
		printf("mapped %s at 0x%llx\n", record->as.mmap.file,
		       (unsigned long long)record->as.mmap.addr);
		break;
	case PERF_RECORD_THROTTLE: counts->throttled++; break;
	case PERF_RECORD_LOST:
		printf("%llu records were lost\n", (unsigned long long)record->as.lost.lost);
		break;
	}
	return 0;
}

static volatile double sum; /* or the compiler would leave the work out */

static void work(void)
{
	int k;

	for (k = 1; k < 300000; k++)
		sum += 1.0 / k / k;
}

int main(int argc, char **argv)
{
	const char *event = argc > 1 ? argv[1] : "cycles:u";
	struct perfctr_sampler_config config;
	struct perfctr_sampler *sampler;
	struct counts counts;
	struct pollfd ready;
	uint64_t lost, all;
	int k;

	memset(&config, 0, sizeof(config));
	config.frequency = 4000;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.wakeup_samples = 10;
	config.flags = PERFCTR_SAMPLER_MMAP | PERFCTR_DISABLED;
	sampler = perfctr_sampler_open(event, NULL, &config);
	if (!sampler && argc < 2 && errno == EOPNOTSUPP) {
		printf("%s\n", perfctr_error());
		event = "cpu-clock:u";
		sampler = perfctr_sampler_open(event, NULL, &config);
	}
	if (!sampler) {
		printf("%s\n", perfctr_error());
		return 0; /* many machines can't, and that is no failure */
	}

	memset(&counts, 0, sizeof(counts));
	ready.fd = perfctr_sampler_fd(sampler);
	ready.events = POLLIN;
	perfctr_sampler_enable(sampler);
	for (k = 0; k < 50; k++) {
		if (k == 25) /* from here on more closely */
			perfctr_sampler_set_period(sampler, 8000);
		work();
		/* Another thread or process would wait here; this one has work to do. */
		if (poll(&ready, 1, 0) == 1 && perfctr_sampler_each(sampler, look, &counts) < 0)
			printf("%s\n", perfctr_error());
	}
	perfctr_sampler_disable(sampler);
	perfctr_sampler_each(sampler, look, &counts);
	/* And one sample more, of what comes next. */
	if (perfctr_sampler_refresh(sampler, 1) == 0) {
		work();
		perfctr_sampler_each(sampler, look, &counts);
	}
	if (perfctr_sampler_lost(sampler, &lost) < 0)
		lost = 0;
	if (perfctr_sampler_count(sampler, 0, &all) < 0)
		all = 0;
	printf("%u samples of %llu %s from 0x%llx to 0x%llx, %u mappings, %llu lost, "
	       "throttled %u times\n",
	       counts.samples, (unsigned long long)all, event, (unsigned long long)counts.lowest,
	       (unsigned long long)counts.highest, counts.mappings, (unsigned long long)lost,
	       counts.throttled);
	perfctr_sampler_close(sampler);
	return 0;
}
