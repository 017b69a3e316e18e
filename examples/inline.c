// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Several events around a piece of code: read inline, without a system call, where the hardware and
 * the kernel allow it, and from the kernel where they don't. inline.cc is the same in C++.
 */
#include <errno.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <stdio.h>

#define N 3

static struct perfctr_set *set;
static struct perfctr_reader reader[N];

static int open_events(const char *events)
{
	unsigned int i, inlined = 0;

	set = perfctr_set_open(events, NULL, 0);
	if (!set)
		return -1;
	/* What can't be read inline gets a reader that always says so: no error here. */
	for (i = 0; i < N; i++)
		inlined += perfctr_set_reader(set, i, &reader[i]) == 0;
	if (inlined < N)
		printf("not inline: %s\n", perfctr_error());
	return 0;
}

/* Counts of both ways go together: one may be taken from the other. */
static inline int read_events(uint64_t *values)
{
	struct perfctr_reading reading[N];
	unsigned int i;

	if (perfctr_reader_read_all(reader, N, values))
		return 0;
	if (perfctr_set_read(set, reading) < 0)
		return -1;
	for (i = 0; i < N; i++)
		values[i] = reading[i].value;
	return 0;
}

static double work(void)
{
	double sum = 0;
	int k;

	for (k = 1; k < 100000; k++)
		sum += 1.0 / k / k;
	return sum;
}

int main(void)
{
	uint64_t before[N], after[N];
	unsigned int i;
	double sum;

	/* Without a PMU, as in many virtual machines, there are still the kernel's own events. */
	if (open_events("{instructions:u,cycles:u,branches:u}") < 0) {
		printf("%s\n", perfctr_error());
		if (errno != EOPNOTSUPP ||
		    open_events("{task-clock,page-faults:u,minor-faults:u}") < 0)
			return 0;
	}
	if (read_events(before) < 0)
		goto failed;
	sum = work();
	if (read_events(after) < 0)
		goto failed;
	printf("the sum is %f\n", sum);
	for (i = 0; i < N; i++)
		printf("%-16s %12llu\n", perfctr_set_name(set, i),
		       (unsigned long long)(after[i] - before[i]));
	perfctr_set_close(set);
	return 0;
failed:
	fprintf(stderr, "%s\n", perfctr_error());
	perfctr_set_close(set);
	return 1;
}
