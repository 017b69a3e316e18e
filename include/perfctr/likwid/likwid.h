/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * likwid.h - LIKWID's marker functions as regions, for programs that call them and not the macros
 * of likwid-marker.h: likwid_markerStartRegion() and so on. As there, they are not empty without
 * -DLIKWID_PERFMON. A tag is looked up at each call. The rest of LIKWID's API is not here.
 */
#ifndef LIKWID_H
#define LIKWID_H

#include <errno.h>
#include <perfctr/regions.h>

static __inline__ void likwid_markerInit(void)
{
}

static __inline__ void likwid_markerThreadInit(void)
{
	perfctr_regions_thread();
}

/* There is one list of events. */
static __inline__ void likwid_markerNextGroup(void)
{
}

static __inline__ void likwid_markerClose(void)
{
	perfctr_regions_stop();
}

/* These return 0; or as LIKWID's a negative number, if there is no room for a region. */
static __inline__ int likwid_markerRegisterRegion(const char *tag)
{
	return perfctr_region_by_name(tag) ? 0 : -ENOMEM;
}

static __inline__ int likwid_markerStartRegion(const char *tag)
{
	struct perfctr_region copy, *region;

	if (PERFCTR_REGION_WAY(begin) == NULL)
		return 0;
	region = perfctr_region_by_tag(tag, &copy);
	if (!region)
		return -ENOMEM;
	perfctr_region_begin(region);
	return 0;
}

static __inline__ int likwid_markerStopRegion(const char *tag)
{
	struct perfctr_region copy, *region;

	if (PERFCTR_REGION_WAY(end) == NULL)
		return 0;
	region = perfctr_region_by_tag(tag, &copy);
	if (!region)
		return -ENOMEM;
	perfctr_region_end(region);
	return 0;
}

static __inline__ int likwid_markerResetRegion(const char *tag)
{
	return perfctr_region_reset(perfctr_region_by_name(tag)) < 0 ? -EFAULT : 0;
}

static __inline__ void likwid_markerGetRegion(const char *tag, int *nevents, double *events,
					      double *time, int *count)
{
	const struct perfctr_region *region = perfctr_region_by_name(tag);
	struct perfctr_region_reading reading;
	int i, n = 0;

	if (!region || perfctr_region_read(region, &reading) < 0) {
		*nevents = *count = 0;
		*time = 0;
		return;
	}
	for (i = 1; i < (int)reading.nvalues && n < *nevents; i++)
		events[n++] = (double)reading.value[i].inclusive;
	*nevents = n;
	*time = (double)reading.value[0].inclusive / 1e9;
	*count = (int)reading.visits;
}

static __inline__ int likwid_markerWriteFile(const char *file)
{
	return perfctr_regions_report(file, PERFCTR_REGIONS_TABLE) < 0 ? -EFAULT : 0;
}

/* As there, with the macros. */
#include "likwid-marker.h"

#endif /* LIKWID_H */
