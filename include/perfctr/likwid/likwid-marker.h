/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * likwid-marker.h - LIKWID's marker macros as regions: a program written for them is built with
 * -I.../perfctr/likwid and -lperfctr instead of LIKWID's, and run with PERFCTR_REGIONS=EVENTS in
 * its environment instead of under likwid-perfctr -m. perfctr_region_begin(3) explains this.
 *
 * As there, all macros are empty without -DLIKWID_PERFMON. SWITCH has no effect: there is one list
 * of events. A tag that is no string literal is looked up at each START and STOP. likwid.h has the
 * functions that some programs call in their place.
 */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#ifdef LIKWID_PERFMON

#include "likwid.h"

/*
 * The region at one place in the program: a literal's is looked up only the first time. Whether it
 * is a literal is seen by its text; __builtin_constant_p() is also true for an argument of an
 * inlined function, all copies of which share the place.
 */
#define PERFCTR_LIKWID_REGION(tag, measured, use)                                              \
	__extension__({                                                                        \
		static struct perfctr_region here_ = { NULL, 1, 1, perfctr_region_calibrate }; \
		struct perfctr_region copy_, *region_ = &here_;                                \
                                                                                               \
		if (__builtin_expect((measured) != NULL, 0)) {                                 \
			if ((#tag)[0] == '"')                                                  \
				__atomic_store_n(&here_.name, (const char *)(tag),             \
						 __ATOMIC_RELAXED);                            \
			else                                                                   \
				region_ = perfctr_region_by_tag(tag, &copy_);                  \
			if (region_)                                                           \
				use(region_);                                                  \
		}                                                                              \
		0;                                                                             \
	})

#define LIKWID_MARKER_INIT	    ((void)0)
#define LIKWID_MARKER_THREADINIT    ((void)perfctr_regions_thread())
#define LIKWID_MARKER_SWITCH	    ((void)0)
#define LIKWID_MARKER_REGISTER(tag) ((void)perfctr_region_by_name(tag))
#define LIKWID_MARKER_START(tag) \
	PERFCTR_LIKWID_REGION(tag, PERFCTR_REGION_WAY(begin), perfctr_region_begin)
#define LIKWID_MARKER_STOP(tag) \
	PERFCTR_LIKWID_REGION(tag, PERFCTR_REGION_WAY(end), perfctr_region_end)
#define LIKWID_MARKER_RESET(tag) ((void)perfctr_region_reset(perfctr_region_by_name(tag)))
#define LIKWID_MARKER_GET(tag, nevents, events, time, count) \
	likwid_markerGetRegion(tag, nevents, events, time, count)
#define LIKWID_MARKER_WRITE_FILE(file) ((void)perfctr_regions_report(file, PERFCTR_REGIONS_TABLE))
#define LIKWID_MARKER_CLOSE	       ((void)perfctr_regions_stop())

#else

#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(tag)
#define LIKWID_MARKER_START(tag)
#define LIKWID_MARKER_STOP(tag)
#define LIKWID_MARKER_RESET(tag)
#define LIKWID_MARKER_GET(tag, nevents, events, time, count)
#define LIKWID_MARKER_WRITE_FILE(file)
#define LIKWID_MARKER_CLOSE

#endif

#endif /* LIKWID_MARKER_H */
