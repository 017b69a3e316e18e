// SPDX-License-Identifier: LGPL-2.1-or-later
#include <perfctr/regions.h>

PERFCTR_REGION(region, "work");

static void work(void)
{
}

int main(void)
{
	perfctr_regions_start("page-faults:u", 0);
	perfctr_region_begin(&region);
	work();
	perfctr_region_end(&region);
	return perfctr_regions_report(NULL, PERFCTR_REGIONS_TABLE);
}
