/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * papi.h - the regions of PAPI's high level as ours: a program that uses nothing else of PAPI is
 * built with -I.../perfctr/papi and -lperfctr instead of PAPI's, and run with
 * PERFCTR_REGIONS=EVENTS in its environment instead of PAPI_EVENTS. perfctr_region_begin(3)
 * explains this. Regions are looked up by their names at each begin and end.
 */
#ifndef PAPI_H
#define PAPI_H

#include <perfctr/regions.h>

#define PAPI_OK	    0
#define PAPI_EINVAL (-1) /* no name */
#define PAPI_ENOMEM (-2) /* no memory for another region */

/* Room for a text of PAPI's, as its examples have it. */
#define PAPI_MAX_STR_LEN 128

/* Returns the error of a failed look-up. */
static __inline__ int perfctr_papi_error(const char *region)
{
	return region && *region ? PAPI_ENOMEM : PAPI_EINVAL;
}

static __inline__ int PAPI_hl_region_begin(const char *region)
{
	struct perfctr_region *named;

	if (__builtin_expect(!PERFCTR_REGION_WAY(begin), 1))
		return PAPI_OK;
	named = perfctr_region_by_name(region);
	if (!named)
		return perfctr_papi_error(region);
	perfctr_region_begin(named);
	return PAPI_OK;
}

static __inline__ int PAPI_hl_region_end(const char *region)
{
	struct perfctr_region copy, *named;

	if (__builtin_expect(!PERFCTR_REGION_WAY(end), 1))
		return PAPI_OK;
	named = perfctr_region_by_tag(region, &copy);
	if (!named)
		return perfctr_papi_error(region);
	perfctr_region_end(named);
	return PAPI_OK;
}

/* This has no effect: the report has whole visits. */
static __inline__ int PAPI_hl_read(const char *region)
{
	return region && *region ? PAPI_OK : PAPI_EINVAL;
}

/*
 * This has no effect, too: PAPI's ends measuring in the calling thread, ours would in all threads.
 */
static __inline__ int PAPI_hl_stop(void)
{
	return PAPI_OK;
}

#endif /* PAPI_H */
