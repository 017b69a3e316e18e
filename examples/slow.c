// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Why is it slow? perfctr_tutorial(7) finds out, with this program: "slow" is as it was written
 * first, "slow mended" as the page leaves it. Both print the same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <perfctr/regions.h>

PERFCTR_REGION(fill, "fill");
PERFCTR_REGION(sums, "sums");
PERFCTR_REGION(customers, "customers");

/* Samples have the names of functions that are there. */
#define FUNCTION static __attribute__((noinline))

enum { DAYS = 1024, SHOPS = 1024, CUSTOMERS = 4096, WEEK = 7 };

struct sale {
	uint32_t amount, customer;
};

static struct sale sale[DAYS][SHOPS];
static uint32_t sum[SHOPS];

FUNCTION void fill_table(void)
{
	uint32_t seed = 1, day, shop;

	for (day = 0; day < DAYS; day++) {
		for (shop = 0; shop < SHOPS; shop++) {
			seed = seed * 1664525 + 1013904223;
			sale[day][shop].amount = seed >> 20;
			sale[day][shop].customer = (seed >> 16) % CUSTOMERS;
		}
	}
}

/* Each sale is in another cache line than the last one. */
FUNCTION void add_by_shop(void)
{
	uint32_t day, shop;

	for (shop = 0; shop < SHOPS; shop++)
		for (day = 0; day < DAYS; day++)
			sum[shop] += sale[day][shop].amount;
}

FUNCTION void add_by_day(void)
{
	uint32_t day, shop;

	for (day = 0; day < DAYS; day++)
		for (shop = 0; shop < SHOPS; shop++)
			sum[shop] += sale[day][shop].amount;
}

/* How many customers the first week had: each is looked for among all before. */
FUNCTION uint32_t count_by_search(void)
{
	static uint32_t known[CUSTOMERS];
	uint32_t n = 0, i, k;

	for (i = 0; i < WEEK * SHOPS; i++) {
		uint32_t customer = sale[i / SHOPS][i % SHOPS].customer;

		for (k = 0; k < n && known[k] != customer; k++)
			;
		if (k == n)
			known[n++] = customer;
	}
	return n;
}

FUNCTION uint32_t count_by_mark(void)
{
	static bool known[CUSTOMERS];
	uint32_t n = 0, i;

	for (i = 0; i < WEEK * SHOPS; i++) {
		n += !known[sale[i / SHOPS][i % SHOPS].customer];
		known[sale[i / SHOPS][i % SHOPS].customer] = true;
	}
	return n;
}

int main(int argc, char **argv)
{
	bool mended = argc > 1 && !strcmp(argv[1], "mended");
	uint32_t n;

	perfctr_region_begin(&fill);
	fill_table();
	perfctr_region_end(&fill);

	perfctr_region_begin(&sums);
	if (mended)
		add_by_day();
	else
		add_by_shop();
	perfctr_region_end(&sums);

	perfctr_region_begin(&customers);
	n = mended ? count_by_mark() : count_by_search();
	perfctr_region_end(&customers);

	printf("%u customers in the first week; the last shop sold for %u\n", n, sum[SHOPS - 1]);
	return 0;
}
