// SPDX-License-Identifier: LGPL-2.1-or-later
/* Facts about the machine, as perfctr_info() returns and perfctr_info_print() prints them. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arch/words.h"
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/virtual/info.h"
#include "lib/isa/native.h"
#include "lib/isa/tsc.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

static int get_info(struct perfctr_info *info)
{
	const struct perfctr_provider *provider;

	if (!info)
		return perfctr_fail(EINVAL,
				    "perfctr_info() needs a place for the result, not NULL");
	provider = perfctr_provider_choose(0);
	return provider ? perfctr_provider_info(provider, info) : -1;
}

int perfctr_provider_info(const struct perfctr_provider *provider, struct perfctr_info *info)
{
	if (provider->info(info) < 0)
		return -1;
#if defined(__i386__) || defined(__x86_64__)
	/* The TSC ticks at the core's nominal clock. On other processors the two are unrelated. */
	info->cpu_khz = (unsigned int)perfctr_tsc_khz();
	info->tsc_to_cpu_mult = 1;
#endif
	return perfctr_cpu_info_wished(info);
}

int perfctr_info(int fd, struct perfctr_info *info)
{
	const struct perfctr_provider *provider;

	if (fd == -1)
		return get_info(info);
	if (!info)
		return perfctr_fail(EINVAL,
				    "perfctr_info() needs a place for the result, not NULL");
	provider = perfctr_syscalls_provider(fd);
	return provider ? perfctr_provider_info(provider, info) : -1;
}

int _perfctr_abi_check_fd(int fd, unsigned int user_abi_version)
{
	if (fd != -1 && !perfctr_syscalls_provider(fd))
		return -1;
	if (perfctr_abi_is_ours(user_abi_version))
		return 0;
	return perfctr_fail(EPROTO,
			    "the program was built for perfctr ABI 0x%08X, this library has "
			    "0x%08X; rebuild the program",
			    user_abi_version, PERFCTR_ABI_VERSION);
}

/* ---- sets of processors ---- */

static int fill_mask(struct perfctr_cpu_mask *mask, const uint32_t *words, unsigned int n)
{
	unsigned int room = mask->nrwords;

	mask->nrwords = n;
	if (n > room)
		return perfctr_fail(EOVERFLOW, "the set of processors needs %u words, not %u", n,
				    room);
	memcpy(mask->mask, words, n * sizeof(*words));
	return 0;
}

int sys_perfctr_info(struct perfctr_info *info, struct perfctr_cpu_mask *cpus,
		     struct perfctr_cpu_mask *forbidden)
{
	static const uint32_t none[PERFCTR_CPU_WORDS];
	uint32_t words[PERFCTR_CPU_WORDS];
	unsigned int n;
	int result = 0;

	if (info && get_info(info) < 0)
		return -1;
	if (!cpus && !forbidden)
		return 0;
	n = perfctr_cpus_online(words);
	if (!n)
		return -1;
	/* Both masks get the size that they need, even if the first one is too small. */
	if (cpus && fill_mask(cpus, words, n) < 0)
		result = -1;
	if (forbidden && fill_mask(forbidden, none, n) < 0)
		result = -1;
	return result;
}

struct perfctr_cpus_info *perfctr_cpus_info(int fd)
{
	struct perfctr_cpus_info *info;
	size_t mask_size = offsetof(struct perfctr_cpu_mask, mask) +
			   PERFCTR_CPU_WORDS * sizeof(uint32_t);

	if (fd != -1 && !perfctr_syscalls_provider(fd))
		return NULL;
	info = calloc(1, sizeof(*info) + 2 * mask_size);
	if (!info) {
		perfctr_fail(ENOMEM, "no memory for the sets of processors");
		return NULL;
	}
	info->cpus = (struct perfctr_cpu_mask *)(info + 1);
	info->cpus_forbidden = (struct perfctr_cpu_mask *)((char *)(info + 1) + mask_size);
	info->cpus->nrwords = info->cpus_forbidden->nrwords = PERFCTR_CPU_WORDS;
	if (sys_perfctr_info(NULL, info->cpus, info->cpus_forbidden) == 0)
		return info;
	free(info);
	return NULL;
}

/* ---- printing ---- */

void perfctr_info_print(const struct perfctr_info *info)
{
	static const struct {
		unsigned int flag;
		char name[8];
	} features[] = {
		{ PERFCTR_FEATURE_RDPMC, "rdpmc" },
		{ PERFCTR_FEATURE_RDTSC, "rdtsc" },
		{ PERFCTR_FEATURE_PCINT, "pcint" },
	};
	const char *separator = "";
	unsigned int i;

	printf("abi_version\t\t0x%08X\n", info->abi_version);
	printf("driver_version\t\t%.*s\n", (int)sizeof(info->driver_version), info->driver_version);
	printf("cpu_type\t\t%u (%s)\n", info->cpu_type, perfctr_info_cpu_name(info));
	printf("cpu_features\t\t0x%X (", info->cpu_features);
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (info->cpu_features & features[i].flag) {
			printf("%s%s", separator, features[i].name);
			separator = ",";
		}
	}
	printf(")\n");
	if (info->cpu_khz)
		printf("cpu_khz\t\t\t%u\n", info->cpu_khz);
	else
		printf("cpu_khz\t\t\tnot known\n");
	printf("tsc_to_cpu_mult\t\t%u%s\n", info->tsc_to_cpu_mult,
	       info->tsc_to_cpu_mult ? "" : " (not known)");
	printf("cpu_nrctrs\t\t%u\n", perfctr_info_nrctrs(info));
}

static void print_mask(const char *name, const struct perfctr_cpu_mask *mask)
{
	unsigned int i, n = 0;

	printf("%s\t\t[", name);
	for (i = 0; i < mask->nrwords * 32; i++)
		if (mask->mask[i / 32] & 1u << i % 32)
			printf("%s%u", n++ ? "," : "", i);
	printf("], total: %u\n", n);
}

void perfctr_cpus_info_print(const struct perfctr_cpus_info *info)
{
	print_mask("cpus\t", info->cpus);
	print_mask("cpus_forbidden", info->cpus_forbidden);
}
