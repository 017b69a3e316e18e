/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region_report.h - a report of regions, written */
#ifndef PERFCTR_LIB_REGION_REPORT_H
#define PERFCTR_LIB_REGION_REPORT_H

/* Into a file of exactly this name; perfctr_regions_report(). 0, or -1 after perfctr_fail(). */
int perfctr_regions_report_to(const char *name, unsigned int format);

#endif /* PERFCTR_LIB_REGION_REPORT_H */
