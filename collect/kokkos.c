// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program's Kokkos kernels: Kokkos loads this library (KOKKOS_TOOLS_LIBS, before 4.0
 * KOKKOS_PROFILE_LIBRARY), and calls the functions here at each begin and end. README.md says which
 * regions there are. Names and arguments are those of Kokkos' interface for tools (impl/
 * Kokkos_Profiling_C_Interface.h).
 */
#include <inttypes.h>
#include <perfctr/regions.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct space {
	char name[64];
};

EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t n, void *devices);
EXPORT void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id);
EXPORT void kokkosp_end_parallel_for(uint64_t id);
EXPORT void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id);
EXPORT void kokkosp_end_parallel_reduce(uint64_t id);
EXPORT void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *id);
EXPORT void kokkosp_end_parallel_scan(uint64_t id);
EXPORT void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *id);
EXPORT void kokkosp_end_fence(uint64_t id);
EXPORT void kokkosp_push_profile_region(const char *name);
EXPORT void kokkosp_pop_profile_region(void);
EXPORT void kokkosp_begin_deep_copy(struct space to, const char *name, const void *at,
				    struct space from, const char *source, const void *source_at,
				    uint64_t bytes);
EXPORT void kokkosp_end_deep_copy(void);
EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *id);
EXPORT void kokkosp_start_profile_section(uint32_t id);
EXPORT void kokkosp_stop_profile_section(uint32_t id);
EXPORT void kokkosp_destroy_profile_section(uint32_t id);

/* ---- names ---- */

/* The regions of names for which the library has no room. */
PERFCTR_REGION(others, "kokkos (others)");

/* Kernels without a label have a type's name, which is often longer than a region's may be. */
static uint32_t hash(const char *text)
{
	uint32_t sum = 2166136261u;

	while (*text)
		sum = (sum ^ (unsigned char)*text++) * 16777619u;
	return sum;
}

static struct perfctr_region *find(const char *kind, const char *name)
{
	struct perfctr_region *region;
	char full[128];

	name = name ? name : "(no name)";
	if (snprintf(full, sizeof(full), "kokkos %s%s%s", kind, *kind ? " " : "", name) >=
	    (int)sizeof(full))
		snprintf(full + 114, sizeof(full) - 114, "...%08" PRIx32, hash(name));
	region = perfctr_region_by_name(full);
	return region ? region : &others;
}

/* ---- kernels: the id that Kokkos hands back is the region's address ---- */

/* Kokkos' kinds of devices, in the highest byte of a device's number, that are no processors. */
static bool is_elsewhere(uint32_t device)
{
	switch (device >> 24) {
	case 2: /* Cuda */
	case 3: /* HIP */
	case 4: /* OpenMPTarget */
	case 7: /* SYCL */
	case 8: /* OpenACC */ return true;
	default: return false;
	}
}

static void tell_elsewhere(void)
{
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		fprintf(stderr,
			"libperfctr: Kokkos' kernels on devices are not measured: their regions "
			"have what the host does for them; use the vendor's profiler\n");
}

static void begin(const char *kind, const char *name, uint32_t device, uint64_t *id)
{
	struct perfctr_region *region = find(kind, name);

	if (is_elsewhere(device))
		tell_elsewhere();
	*id = (uintptr_t)region;
	perfctr_region_begin(region);
}

static void end(uint64_t id)
{
	if (id)
		perfctr_region_end((struct perfctr_region *)(uintptr_t)id);
}

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id)
{
	begin("for", name, device, id);
}

void kokkosp_end_parallel_for(uint64_t id)
{
	end(id);
}

void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id)
{
	begin("reduce", name, device, id);
}

void kokkosp_end_parallel_reduce(uint64_t id)
{
	end(id);
}

void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *id)
{
	begin("scan", name, device, id);
}

void kokkosp_end_parallel_scan(uint64_t id)
{
	end(id);
}

void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *id)
{
	(void)device;
	begin("fence", name, 0, id);
}

void kokkosp_end_fence(uint64_t id)
{
	end(id);
}

/* ---- the program's regions, and copies, whose ends have no id ---- */

#define DEPTH 1024 /* more than the visits that a thread can be in at once */
static __thread struct {
	unsigned int depth; /* beyond DEPTH: the library counts them as uncounted */
	struct perfctr_region *region[DEPTH];
} open_regions;

static void push(struct perfctr_region *region)
{
	if (open_regions.depth < DEPTH) {
		open_regions.region[open_regions.depth] = region;
		perfctr_region_begin(region);
	} else {
		perfctr_region_begin(region);
		perfctr_region_end(region);
	}
	open_regions.depth++;
}

static void pop(void)
{
	if (!open_regions.depth)
		return;
	open_regions.depth--;
	if (open_regions.depth < DEPTH)
		perfctr_region_end(open_regions.region[open_regions.depth]);
}

void kokkosp_push_profile_region(const char *name)
{
	push(find("region", name));
}

void kokkosp_pop_profile_region(void)
{
	pop();
}

void kokkosp_begin_deep_copy(struct space to, const char *name, const void *at, struct space from,
			     const char *source, const void *source_at, uint64_t bytes)
{
	char text[2 * sizeof(to.name) + 8];

	(void)name, (void)at, (void)source, (void)source_at, (void)bytes;
	snprintf(text, sizeof(text), "%.*s to %.*s", (int)sizeof(from.name), from.name,
		 (int)sizeof(to.name), to.name);
	push(find("copy", text));
}

void kokkosp_end_deep_copy(void)
{
	pop();
}

/* ---- sections, which may overlap ---- */

#define SECTIONS 1024
static struct perfctr_region sections[SECTIONS];
static uint32_t nsections;

static uint32_t find_section(const struct perfctr_region *region)
{
	uint32_t id = 0;

	while (id < nsections && sections[id].name != region->name)
		id++;
	return id;
}

/*
 * A section that is destroyed stays, for the next one of its name, as in a function that is called
 * again and again: they are one region. A region's name is the same pointer each time.
 */
void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct perfctr_region *region = find("section", name);

	pthread_mutex_lock(&lock);
	*id = find_section(region);
	if (*id == nsections && nsections < SECTIONS) {
		sections[nsections] = *region;
		sections[nsections++].overlaps = 1;
	}
	pthread_mutex_unlock(&lock);
}

void kokkosp_start_profile_section(uint32_t id)
{
	perfctr_region_begin(id < SECTIONS ? &sections[id] : &others);
}

void kokkosp_stop_profile_section(uint32_t id)
{
	perfctr_region_end(id < SECTIONS ? &sections[id] : &others);
}

void kokkosp_destroy_profile_section(uint32_t id)
{
	(void)id;
}

/* Kokkos takes a library without this function for none. */
void kokkosp_init_library(int sequence, uint64_t version, uint32_t n, void *devices)
{
	(void)sequence, (void)version, (void)n, (void)devices;
	perfctr_region_by_name(others.name); /* while there is room for it */
	perfctr_regions_thread();
}
