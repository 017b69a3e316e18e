// SPDX-License-Identifier: LGPL-2.1-or-later
/* The functions that likwid.f90 calls: Fortran's texts are not terminated, and end in blanks. */
#define LIKWID_PERFMON
#include <stddef.h>
#include <string.h>
#include "likwid-marker.h"

void perfctr_likwid_start(const char *tag, int length);
void perfctr_likwid_stop(const char *tag, int length);
void perfctr_likwid_read(const char *tag, int length, int *nevents, double *events, double *time,
			 int *count);
void perfctr_likwid_reset(const char *tag, int length);
void perfctr_likwid_register(const char *tag, int length);
void perfctr_likwid_thread(void);
void perfctr_likwid_close(void);

/* Up to 127 bytes of a region's name count. */
static const char *text(char name[128], const char *tag, int length)
{
	while (length && tag[length - 1] == ' ')
		length--;
	if (length > 127)
		length = 127;
	memcpy(name, tag, (size_t)length);
	name[length] = '\0';
	return name;
}

void perfctr_likwid_start(const char *tag, int length)
{
	struct perfctr_region *region;
	char name[128];

	if (PERFCTR_REGION_WAY(begin) == NULL)
		return;
	region = perfctr_region_by_name(text(name, tag, length));
	if (region)
		perfctr_region_begin(region);
}

void perfctr_likwid_stop(const char *tag, int length)
{
	struct perfctr_region copy, *region;
	char name[128];

	if (PERFCTR_REGION_WAY(end) == NULL)
		return;
	region = perfctr_region_by_tag(text(name, tag, length), &copy);
	if (region)
		perfctr_region_end(region);
}

void perfctr_likwid_read(const char *tag, int length, int *nevents, double *events, double *time,
			 int *count)
{
	char name[128];

	LIKWID_MARKER_GET(text(name, tag, length), nevents, events, time, count);
}

void perfctr_likwid_reset(const char *tag, int length)
{
	char name[128];

	LIKWID_MARKER_RESET(text(name, tag, length));
}

void perfctr_likwid_register(const char *tag, int length)
{
	char name[128];

	LIKWID_MARKER_REGISTER(text(name, tag, length));
}

void perfctr_likwid_thread(void)
{
	LIKWID_MARKER_THREADINIT;
}

void perfctr_likwid_close(void)
{
	LIKWID_MARKER_CLOSE;
}
