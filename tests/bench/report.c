// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of a report of regions, and the memory that regions take: every one of N
 * threads is in each of M regions once; and the cost of a processor's metrics. report.sh counts the
 * instructions of the functions count_*(). usage:
 *	report regions THREADS REGIONS FORMAT FILE	prints the KiB that the visits take
 *	report metrics CPU TIMES			prints how many there are
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <perfctr/regions.h>

static void fail(void)
{
	fprintf(stderr, "%s\n", perfctr_error());
	exit(1);
}

/* ---- regions ---- */

static struct perfctr_region *region[10000];
static unsigned int nregions;
static pthread_barrier_t begin, end;

static void *visit_all(void *arg)
{
	unsigned int i;

	if (perfctr_regions_thread() < 0)
		fail();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&begin);
	for (i = 0; i < nregions; i++) {
		perfctr_region_begin(region[i]);
		perfctr_region_end(region[i]);
	}
	pthread_barrier_wait(&end);
	pthread_barrier_wait(&end);
	return arg;
}

static unsigned long resident(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		abort();
	fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static __attribute__((noinline)) void count_report(const char *file, unsigned int format)
{
	if (perfctr_regions_report(file, format) < 0)
		fail();
}

static void run_regions(unsigned int nthreads, unsigned int format, const char *file)
{
	pthread_t *thread = calloc(nthreads, sizeof(*thread));
	unsigned long before;
	char name[32];
	unsigned int i;

	for (i = 0; i < nregions; i++) {
		snprintf(name, sizeof(name), "region-%04u", i);
		region[i] = perfctr_region_by_name(name);
		if (!region[i])
			fail();
	}
	if (perfctr_regions_start("page-faults:u", PERFCTR_REGIONS_THREADS) < 0)
		fail();
	pthread_barrier_init(&begin, NULL, nthreads + 1);
	pthread_barrier_init(&end, NULL, nthreads + 1);
	for (i = 0; i < nthreads; i++)
		if (pthread_create(&thread[i], NULL, visit_all, NULL) != 0)
			abort();
	/* Every thread has what it takes before its first visit. */
	pthread_barrier_wait(&begin);
	before = resident();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	printf("%lu\n", resident() - before);
	count_report(file, format);
	pthread_barrier_wait(&end);
	for (i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

/* ---- metrics ---- */

static char *names;

static int add_name(void *arg, const struct perfctr_metric *metric)
{
	size_t used = names ? strlen(names) : 0;

	(void)arg;
	names = realloc(names, used + strlen(metric->name) + 2);
	if (!names)
		abort();
	sprintf(names + used, "%s%s", used ? "," : "", metric->name);
	return 0;
}

/* All at once, as some use values of others. */
static __attribute__((noinline)) void count_values(const struct perfctr_metrics *metrics,
						   const struct perfctr_reading *readings,
						   struct perfctr_metric_value *values)
{
	if (perfctr_metrics_values(metrics, readings, values) < 0)
		fail();
}

static void run_metrics(const char *cpu, unsigned int times)
{
	struct perfctr_metrics *metrics;
	struct perfctr_metric_value *values;
	struct perfctr_reading *readings;
	unsigned int n = 0, i;

	if (perfctr_metrics_list(cpu, add_name, NULL) < 0)
		fail();
	metrics = perfctr_metrics_open(names, cpu);
	if (!metrics || !perfctr_metrics_events(metrics, &n))
		fail();
	readings = calloc(n, sizeof(*readings));
	values = calloc(perfctr_metrics_size(metrics), sizeof(*values));
	if (!readings || !values)
		fail();
	for (i = 0; i < n; i++) {
		readings[i].value = 1000 + i;
		readings[i].enabled = readings[i].running = 1000;
		readings[i].quality = PERFCTR_EXACT;
	}
	printf("%u\n", perfctr_metrics_size(metrics));
	while (times--)
		count_values(metrics, readings, values);
	free(values);
	free(readings);
	free(names);
	perfctr_metrics_close(metrics);
}

int main(int argc, char **argv)
{
	if (argc == 6) {
		nregions = (unsigned int)atoi(argv[3]);
		run_regions((unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[4]), argv[5]);
	} else if (argc == 4) {
		run_metrics(argv[2], (unsigned int)atoi(argv[3]));
	} else {
		return 2;
	}
	return 0;
}
