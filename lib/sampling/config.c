// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks a sampler's config, and turns it into the attr for the kernel. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/perf/events.h"
#include "lib/perf/record.h"
#include "lib/perf/sys.h"
#include "lib/sampling/config.h"
#include "libperfctr.h"

#define CHAIN_FLAGS (PERFCTR_SAMPLER_NO_KERNEL_CHAIN | PERFCTR_SAMPLER_NO_USER_CHAIN)
#define FLAGS                                                                             \
	(PERFCTR_SAMPLER_GROUP_FLAGS | PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_MMAP_DATA | \
	 PERFCTR_SAMPLER_BUILD_ID | PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_TASK |         \
	 PERFCTR_SAMPLER_SWITCH | PERFCTR_SAMPLER_NAMESPACES | PERFCTR_SAMPLER_CGROUP |   \
	 PERFCTR_SAMPLER_KERNEL_TEXT | CHAIN_FLAGS | PERFCTR_SAMPLER_OVERWRITE |          \
	 PERFCTR_SAMPLER_DEFER_USER_CHAIN | PERFCTR_SAMPLER_AUX_OVERWRITE)

/*
 * The fields that record.c can decode. A later kernel's PERF_SAMPLE_BRANCH_* may change the layout.
 */
#define FIELDS	 ((uint64_t)PERF_SAMPLE_WEIGHT_STRUCT * 2 - 1)
#define BRANCHES (PERFCTR_BRANCH_COUNTERS * 2 - 1)

#define DEFAULT_SIZE ((size_t)128 * 1024)
#define LARGEST_SIZE ((size_t)1 << 30)

static int fail_together(const char *member, const char *field)
{
	return perfctr_fail(EINVAL, "%s and %s in fields go together", member, field);
}

static int check_fields(const struct perfctr_sampler_config *config)
{
	uint64_t fields = config->fields;

	if (fields & ~FIELDS)
		return perfctr_fail(EINVAL,
				    "fields 0x%llx are not made of PERF_SAMPLE_* that this library "
				    "knows",
				    (unsigned long long)fields);
	if (fields & PERF_SAMPLE_AUX)
		return perfctr_fail(EOPNOTSUPP,
				    "PERF_SAMPLE_AUX puts pieces of another event's AUX area into "
				    "samples, which a sampler does not have; leave it out, and set "
				    "aux_pages");
	if (fields & PERF_SAMPLE_WEIGHT && fields & PERF_SAMPLE_WEIGHT_STRUCT)
		return perfctr_fail(EINVAL, "PERF_SAMPLE_WEIGHT and PERF_SAMPLE_WEIGHT_STRUCT "
					    "exclude each other");
	if (!(fields & PERF_SAMPLE_BRANCH_STACK) != !config->branches)
		return fail_together("branches", "PERF_SAMPLE_BRANCH_STACK");
	if (config->branches & ~BRANCHES)
		return perfctr_fail(EINVAL,
				    "branches 0x%llx are not made of PERF_SAMPLE_BRANCH_* that "
				    "this library knows",
				    (unsigned long long)config->branches);
	if (!(fields & PERF_SAMPLE_REGS_USER) != !config->user_registers)
		return fail_together("user_registers", "PERF_SAMPLE_REGS_USER");
	if (!(fields & PERF_SAMPLE_REGS_INTR) != !config->interrupt_registers)
		return fail_together("interrupt_registers", "PERF_SAMPLE_REGS_INTR");
	if (!(fields & PERF_SAMPLE_STACK_USER) != !config->user_stack)
		return fail_together("user_stack", "PERF_SAMPLE_STACK_USER");
	if (config->user_stack % 8 || config->user_stack >= PERFCTR_LARGEST_RECORD)
		return perfctr_fail(EINVAL, "user_stack is a multiple of 8 below 65536, not %u",
				    config->user_stack);
	if (!(fields & PERF_SAMPLE_CALLCHAIN) &&
	    (config->max_chain || config->flags & (CHAIN_FLAGS | PERFCTR_SAMPLER_DEFER_USER_CHAIN)))
		return perfctr_fail(
			EINVAL, "max_chain, PERFCTR_SAMPLER_NO_*_CHAIN and _DEFER_USER_CHAIN need "
				"PERF_SAMPLE_CALLCHAIN in fields");
	if (config->max_chain > UINT16_MAX)
		return perfctr_fail(EINVAL, "max_chain is at most 65535, not %u",
				    config->max_chain);
	return 0;
}

static int check_flags(uint32_t flags)
{
	if (perfctr_flags_check(flags, FLAGS) < 0)
		return -1;
	if (flags & PERFCTR_SAMPLER_BUILD_ID &&
	    !(flags & (PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_MMAP_DATA)))
		return perfctr_fail(EINVAL, "PERFCTR_SAMPLER_BUILD_ID is about mappings: add "
					    "PERFCTR_SAMPLER_MMAP");
	return 0;
}

size_t perfctr_sampler_config_size(const struct perfctr_sampler_config *config)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return config->pages ? config->pages * page : page > DEFAULT_SIZE ? page : DEFAULT_SIZE;
}

size_t perfctr_sampler_config_aux_size(const struct perfctr_sampler_config *config)
{
	return config->aux_pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int check_pages(const char *member, uint32_t pages)
{
	size_t most = LARGEST_SIZE / (size_t)sysconf(_SC_PAGESIZE);

	if (pages & (pages - 1) || pages > most)
		return perfctr_fail(EINVAL, "%s is a power of two, at most %zu, not %u", member,
				    most, pages);
	return 0;
}

int perfctr_sampler_config_fail_aux(void)
{
	return perfctr_fail(EINVAL, "frequency is of samples, which a PMU with an AUX area does "
				    "not have: give a period, 1 if it has none either");
}

static int check_aux(const struct perfctr_sampler_config *config)
{
	size_t size = perfctr_sampler_config_aux_size(config);

	if (check_pages("aux_pages", config->aux_pages) < 0)
		return -1;
	if (!size && (config->wakeup_aux || config->flags & PERFCTR_SAMPLER_AUX_OVERWRITE))
		return perfctr_fail(EINVAL, "wakeup_aux and PERFCTR_SAMPLER_AUX_OVERWRITE need "
					    "aux_pages");
	if (size && config->frequency)
		return perfctr_sampler_config_fail_aux();
	if (size && config->flags & PERFCTR_SAMPLER_OVERWRITE)
		return perfctr_fail(EINVAL, "PERFCTR_SAMPLER_OVERWRITE makes the control page "
					    "read-only, but an AUX area needs it: leave one out");
	if (config->wakeup_aux && config->flags & PERFCTR_SAMPLER_AUX_OVERWRITE)
		return perfctr_fail(EINVAL, "an AUX area that is overwritten wakes nobody: leave "
					    "wakeup_aux 0");
	if (config->wakeup_aux > size / 2)
		return perfctr_fail(EINVAL,
				    "wakeup_aux is %u, but half of the AUX area, the most "
				    "that is sure to come, has %zu; use more aux_pages",
				    config->wakeup_aux, size / 2);
	return 0;
}

int perfctr_sampler_config_check(const struct perfctr_sampler_config *config)
{
	size_t i;

	if (config->period && config->frequency)
		return perfctr_fail(EINVAL,
				    "one of period and frequency is to be set, and not both");
	if (config->period > INT64_MAX)
		return perfctr_fail(EINVAL, "a period has at most 63 bits");
	if (check_pages("pages", config->pages) < 0 || check_aux(config) < 0)
		return -1;
	if (config->wakeup_samples && config->wakeup_bytes)
		return perfctr_fail(EINVAL, "wakeup_samples and wakeup_bytes exclude each other");
	/* More might not fit, and a program would wait for it for ever, while records are lost. */
	if (config->wakeup_bytes > perfctr_sampler_config_size(config) / 2)
		return perfctr_fail(EINVAL,
				    "wakeup_bytes is %u, but half of the buffer, the most "
				    "that is sure to come, has %zu; use more pages",
				    config->wakeup_bytes, perfctr_sampler_config_size(config) / 2);
	if (config->precise > 3)
		return perfctr_fail(EINVAL, "precise is from 0 to 3, not %u", config->precise);
	if (config->signal < 0 || config->signal >= _NSIG)
		return perfctr_fail(EINVAL, "there is no signal %d", config->signal);
	for (i = 0; i < ARRAY_SIZE(config->reserved); i++)
		if (config->reserved[i])
			return perfctr_fail(EINVAL, "reserved members have to be 0");
	return check_flags(config->flags) < 0 ? -1 : check_fields(config);
}

void perfctr_sampler_config_attr(const struct perfctr_sampler_config *config,
				 struct perf_event_attr *attr)
{
	uint32_t flags = config->flags;

	/* What the event's name says counts more. */
	if (!attr->sample_period) {
		attr->freq = config->frequency != 0;
		attr->sample_period = attr->freq ? config->frequency : config->period;
	}
	attr->sample_type = config->fields;
	attr->sample_id_all = 1;
	attr->branch_sample_type = config->branches;
	attr->sample_regs_user = config->user_registers;
	attr->sample_regs_intr = config->interrupt_registers;
	attr->sample_stack_user = config->user_stack;
	attr->sample_max_stack = (uint16_t)config->max_chain;
	if (attr->precise_ip < config->precise)
		attr->precise_ip = config->precise & 3;
	attr->watermark = config->wakeup_bytes != 0;
	attr->wakeup_events = config->wakeup_bytes ? config->wakeup_bytes : config->wakeup_samples;
	attr->aux_watermark = config->wakeup_aux;
	attr->mmap = (flags & PERFCTR_SAMPLER_MMAP) != 0;
	attr->mmap_data = (flags & PERFCTR_SAMPLER_MMAP_DATA) != 0;
	attr->mmap2 = attr->mmap | attr->mmap_data;
	attr->build_id = (flags & PERFCTR_SAMPLER_BUILD_ID) != 0;
	attr->comm = attr->comm_exec = (flags & PERFCTR_SAMPLER_COMM) != 0;
	attr->task = (flags & PERFCTR_SAMPLER_TASK) != 0;
	attr->context_switch = (flags & PERFCTR_SAMPLER_SWITCH) != 0;
	attr->namespaces = (flags & PERFCTR_SAMPLER_NAMESPACES) != 0;
	attr->cgroup = (flags & PERFCTR_SAMPLER_CGROUP) != 0;
	attr->ksymbol = (flags & PERFCTR_SAMPLER_KERNEL_TEXT) != 0;
	attr->bpf_event = attr->text_poke = attr->ksymbol;
	attr->exclude_callchain_kernel = (flags & PERFCTR_SAMPLER_NO_KERNEL_CHAIN) != 0;
	attr->exclude_callchain_user = (flags & PERFCTR_SAMPLER_NO_USER_CHAIN) != 0;
	attr->write_backward = (flags & PERFCTR_SAMPLER_OVERWRITE) != 0;
	if (flags & PERFCTR_SAMPLER_DEFER_USER_CHAIN)
		perfctr_attr_defer(attr);
}
