// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>
#include <string.h>
#include "tools/perfex/analyse/advice.h"

static const char smaller_code[] =
	"make the hot code smaller and straighter: let the compiler use a profile (-fprofile-use), keep "
	"rare code out of hot functions, inline and unroll less; put large programs on huge pages";
static const char decoding[] =
	"help the decoders: a smaller hot loop, 32-byte alignment of it, no prefixes that change an "
	"instruction's length (16-bit constants)";
static const char predictable[] =
	"make branches predictable: sort or group the data, replace branches by arithmetic, "
	"conditional moves or tables; perfex --sample --by branch shows which ones are mispredicted";
static const char clears[] =
	"look for data that one thread writes while another reads it, for stores whose addresses are "
	"known late, and for code that changes itself";
static const char less_memory[] =
	"touch less memory: go through it in order, pack what is used together, work on blocks that fit "
	"in the cache, and prefetch what is found by pointers";
static const char in_caches[] =
	"work on smaller blocks of data, so that they stay in the first-level cache, and keep what is "
	"used together in the same lines";
static const char shared[] =
	"threads write to cache lines that others use: give each thread its own, 64 bytes or more "
	"apart, and sum up at the end";
static const char huge_pages[] =
	"use huge pages for the data (madvise(MADV_HUGEPAGE), hugetlbfs), or go through it in order";
static const char stores[] =
	"write less and in order: whole lines, each once; non-temporal stores for what is not read "
	"soon";
static const char bandwidth[] =
	"move fewer bytes: smaller types, blocks that fit in the caches, loops over the same data made "
	"one; memory of the socket that the threads run on";
static const char latency[] =
	"do not chase pointers: arrays in place of lists and trees, prefetches some steps ahead, "
	"several independent walks at once; memory of the thread's own socket";
static const char parallel[] =
	"break chains of operations that wait for each other: several sums in place of one, unrolled "
	"loops, vector instructions";
static const char division[] =
	"divide less: multiply by the reciprocal, divide once outside of the loop, shift for powers of "
	"2";
static const char less_work[] =
	"the processor is busy with work that counts: do less of it, by another algorithm, or by "
	"vector instructions (-O3 -march=native)";
static const char siblings[] =
	"the core's other thread has these slots: see whether the work is done sooner with one thread "
	"for each core (taskset, OMP_PLACES=cores)";
static const char microcode[] =
	"avoid instructions that microcode executes: string instructions on short strings, denormal "
	"numbers (flush them to zero), gathers";
static const char forwarding[] =
	"look for loads of what was just stored in another width or place, for accesses that cross "
	"cache lines, and for locks in hot code";

/* What has no advice of its own takes that of the metric that it is a part of. */
static const struct {
	const char *metric, *text;
} advice[] = {
	{ "backend_cache_l1d_bound", in_caches },
	{ "backend_cache_l2d_bound", latency },
	{ "backend_core_bound", parallel },
	{ "backend_mem_store_bound", stores },
	{ "backend_mem_tlb_bound", huge_pages },
	{ "frontend_core_flush_bound", predictable },
	{ "topdown-backend", less_memory },
	{ "topdown-backend-core", parallel },
	{ "topdown-backend-memory", less_memory },
	{ "topdown-bad-speculation", predictable },
	{ "topdown-core", parallel },
	{ "topdown-frontend", smaller_code },
	{ "topdown-heavy-operations", microcode },
	{ "topdown-machine-clears", clears },
	{ "topdown-memory", less_memory },
	{ "topdown-microcode", microcode },
	{ "topdown-restarts", clears },
	{ "topdown-retiring", less_work },
	{ "topdown-smt", siblings },
	{ "tma_backend_bound", less_memory },
	{ "tma_bad_speculation", predictable },
	{ "tma_contested_accesses", shared },
	{ "tma_core_bound", parallel },
	{ "tma_data_sharing", shared },
	{ "tma_divider", division },
	{ "tma_dram_bound", latency },
	{ "tma_dsb", decoding },
	{ "tma_dtlb_load", huge_pages },
	{ "tma_dtlb_store", huge_pages },
	{ "tma_false_sharing", shared },
	{ "tma_fb_full", bandwidth },
	{ "tma_fetch_bandwidth", decoding },
	{ "tma_frontend_bound", smaller_code },
	{ "tma_heavy_operations", microcode },
	{ "tma_l1_bound", forwarding },
	{ "tma_l2_bound", in_caches },
	{ "tma_l3_bound", in_caches },
	{ "tma_machine_clears", clears },
	{ "tma_mem_bandwidth", bandwidth },
	{ "tma_mem_latency", latency },
	{ "tma_memory_bound", less_memory },
	{ "tma_retiring", less_work },
	{ "tma_sq_full", bandwidth },
	{ "tma_store_bound", stores },
};

const char *advice_for(const char *metric)
{
	unsigned int i;

	for (i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (!strcmp(advice[i].metric, metric))
			return advice[i].text;
	return NULL;
}

const char *advice_name(unsigned int i)
{
	return i < sizeof(advice) / sizeof(advice[0]) ? advice[i].metric : NULL;
}
