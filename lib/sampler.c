// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sampling: an event whose overflows the kernel records in a buffer. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/names/resolve.h"
#include "lib/perf/counter.h"
#include "lib/perf/group.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define GROUP_FLAGS (PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED)
#define CHAIN_FLAGS (PERFCTR_SAMPLER_NO_KERNEL_CHAIN | PERFCTR_SAMPLER_NO_USER_CHAIN)
#define FLAGS                                                                           \
	(GROUP_FLAGS | PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_MMAP_DATA |               \
	 PERFCTR_SAMPLER_BUILD_ID | PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_TASK |       \
	 PERFCTR_SAMPLER_SWITCH | PERFCTR_SAMPLER_NAMESPACES | PERFCTR_SAMPLER_CGROUP | \
	 PERFCTR_SAMPLER_KERNEL_TEXT | CHAIN_FLAGS | PERFCTR_SAMPLER_OVERWRITE)

/* What record.c knows to decode. A later kernel's PERF_SAMPLE_BRANCH_* may change the layout. */
#define FIELDS	 ((uint64_t)PERF_SAMPLE_WEIGHT_STRUCT * 2 - 1)
#define BRANCHES ((UINT64_C(1) << 19) - 1)

#define DEFAULT_SIZE   ((size_t)128 * 1024)
#define LARGEST_SIZE   ((size_t)1 << 30)
#define LARGEST_RECORD ((size_t)65536)

/*
 * Of read(2): number, enabled, running; and of each event its value and its lost records. Of a
 * single event: value, enabled, running, lost records.
 */
#define LEADERS_LOST 4
#define ONES_LOST    3

/* Lies in memory that a child of fork() finds cleared: there it is a sampler without events. */
struct perfctr_sampler {
	size_t size; /* of all this */
	struct perfctr_events events;
	bool overwrite;
	bool looking;	      /* overwrite: between the first record of a snapshot and its end */
	bool knows_lost;      /* the kernel tells how many records were lost */
	bool clock_frequency; /* the kernel has made a period of it, in ns */
	uint64_t lost, lost_samples; /* as records say */
	struct perfctr_ring ring;
	struct perfctr_decoder decoder;
	struct perfctr_counter counter[PERFCTR_GROUP_MAX];
	uint64_t copy[]; /* of a record that wraps */
};

/* ---- the configuration ---- */

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
				    "PERF_SAMPLE_AUX needs an AUX area, which samplers don't "
				    "have; leave it out");
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
	if (config->user_stack % 8 || config->user_stack >= LARGEST_RECORD)
		return perfctr_fail(EINVAL, "user_stack is a multiple of 8 below 65536, not %u",
				    config->user_stack);
	if (!(fields & PERF_SAMPLE_CALLCHAIN) && (config->max_chain || config->flags & CHAIN_FLAGS))
		return perfctr_fail(EINVAL, "max_chain and PERFCTR_SAMPLER_NO_*_CHAIN need "
					    "PERF_SAMPLE_CALLCHAIN in fields");
	if (config->max_chain > UINT16_MAX)
		return perfctr_fail(EINVAL, "max_chain is at most 65535, not %u",
				    config->max_chain);
	return 0;
}

static int check_flags(uint32_t flags, int cpu)
{
	if (perfctr_flags_check(flags, FLAGS) < 0)
		return -1;
	if (flags & PERFCTR_INHERIT && cpu == -1)
		return perfctr_fail(EINVAL,
				    "the kernel has no common buffer for inherited events on all "
				    "processors; open a sampler on each processor");
	if (flags & PERFCTR_SAMPLER_BUILD_ID &&
	    !(flags & (PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_MMAP_DATA)))
		return perfctr_fail(EINVAL, "PERFCTR_SAMPLER_BUILD_ID is about mappings: add "
					    "PERFCTR_SAMPLER_MMAP");
	return 0;
}

/* Of the buffer. */
static size_t size_of_ring(const struct perfctr_sampler_config *config)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return config->pages ? config->pages * page : page > DEFAULT_SIZE ? page : DEFAULT_SIZE;
}

static int check_config(const struct perfctr_sampler_config *config, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	uint32_t pages = config->pages;

	if (!config->period == !config->frequency)
		return perfctr_fail(EINVAL,
				    "one of period and frequency has to be set, and not both");
	if (config->period > INT64_MAX)
		return perfctr_fail(EINVAL, "a period has at most 63 bits");
	if (pages & (pages - 1) || pages > LARGEST_SIZE / page)
		return perfctr_fail(EINVAL, "pages is a power of two, at most %zu, not %u",
				    LARGEST_SIZE / page, pages);
	if (config->wakeup_samples && config->wakeup_bytes)
		return perfctr_fail(EINVAL, "wakeup_samples and wakeup_bytes exclude each other");
	/* More might not fit, and who waits for it would do so for ever, while records are lost. */
	if (config->wakeup_bytes > size_of_ring(config) / 2)
		return perfctr_fail(EINVAL,
				    "wakeup_bytes is %u, but half of the buffer, the most "
				    "that is sure to come, has %zu; use more pages",
				    config->wakeup_bytes, size_of_ring(config) / 2);
	if (config->precise > 3)
		return perfctr_fail(EINVAL, "precise is from 0 to 3, not %u", config->precise);
	if (config->signal < 0 || config->signal >= _NSIG)
		return perfctr_fail(EINVAL, "there is no signal %d", config->signal);
	for (i = 0; i < ARRAY_SIZE(config->reserved); i++)
		if (config->reserved[i])
			return perfctr_fail(EINVAL, "reserved members have to be 0");
	return check_flags(config->flags, cpu) < 0 ? -1 : check_fields(config);
}

static void set_leader(struct perf_event_attr *attr, const struct perfctr_sampler_config *config)
{
	uint32_t flags = config->flags;

	attr->freq = config->frequency != 0;
	attr->sample_period = attr->freq ? config->frequency : config->period;
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
}

/* ---- opening and closing ---- */

static int open_event(struct perfctr_sampler *sampler, const struct perf_event_attr *event,
		      const char *name, const struct perfctr_sampler_config *config)
{
	bool leader = sampler->events.n == 0, group = sampler->events.total > 1;
	struct perf_event_attr attr = *event;

	attr.read_format = PERFCTR_READ_FORMAT & ~(group ? 0u : (unsigned int)PERF_FORMAT_GROUP);
	if (!leader && attr.precise_ip)
		return perfctr_fail(EINVAL,
				    "%s is not sampled but counted, as all events but the first "
				    "are: leave the modifier p out",
				    name);
	if (leader) {
		set_leader(&attr, config);
		/* Linux 6.0 and later tell how many records were lost; others refuse to be asked.
		 */
		attr.read_format |= PERFCTR_FORMAT_LOST;
	}
	if (perfctr_events_add(&sampler->events, &attr, name) < 0)
		return -1;
	if (!leader)
		return 0;
	/* Of an inherited group, read(2) tells what the newest child lost (seen: Linux 6.18). */
	sampler->knows_lost = attr.read_format & PERFCTR_FORMAT_LOST && !(group && attr.inherit);
	perfctr_decoder_init(&sampler->decoder, &attr);
	sampler->clock_frequency = attr.freq && attr.type == PERF_TYPE_SOFTWARE &&
				   (attr.config == PERF_COUNT_SW_CPU_CLOCK ||
				    attr.config == PERF_COUNT_SW_TASK_CLOCK);
	return 0;
}

static int check_number(unsigned int n, const struct perfctr_sampler_config *config)
{
	if (n > PERFCTR_GROUP_MAX)
		return perfctr_fail(EINVAL,
				    "a group of %u events is too large; at most %d can count "
				    "together",
				    n, PERFCTR_GROUP_MAX);
	if (n > 1 && !(config->fields & PERF_SAMPLE_READ))
		return perfctr_fail(EINVAL,
				    "the counts of the events behind the first come with "
				    "PERF_SAMPLE_READ; add it to fields, or leave them out");
	return 0;
}

/* What read(2) returns. 0, or -1 after perfctr_fail(). */
static int read_words(const struct perfctr_sampler *sampler, uint64_t *words)
{
	switch (perfctr_counter_words(&sampler->counter[0], words, PERFCTR_READ_WORDS)) {
	case -1: return -1;
	case 0: return perfctr_why_taken("the events");
	}
	return 0;
}

struct perfctr_sampler *perfctr_sampler_open(const char *events, pid_t tid, int cpu,
					     const struct perfctr_sampler_config *config)
{
	const struct perfctr_scope scope = {
		.tid = tid, .cpu = cpu, .cgroup = -1, .sampled = true
	};
	size_t ring_size, copy, size, page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int use[PERFCTR_GROUP_MAX], i;
	struct perfctr_counter *leader;
	struct perfctr_sampler *sampler = NULL;
	struct perfctr_list list;

	if (!events || !config) {
		perfctr_fail(EINVAL, "perfctr_sampler_open() needs a list of events and a config, "
				     "not NULL");
		return NULL;
	}
	if (tid < -1 || cpu < -1 || (tid == -1 && cpu == -1)) {
		perfctr_fail(EINVAL,
			     "thread %d on processor %d names nothing to sample: tid is >= 0, or "
			     "-1 with a processor; cpu is >= -1",
			     (int)tid, cpu);
		return NULL;
	}
	if (check_config(config, cpu) < 0 || perfctr_list_init(&list, events, 0) < 0)
		return NULL;
	if (check_number(list.n, config) < 0 || perfctr_list_choose(&list, cpu, "sampler", use) < 0)
		goto fail;
	ring_size = size_of_ring(config);
	copy = ring_size < LARGEST_RECORD ? ring_size : LARGEST_RECORD;
	size = sizeof(*sampler) + copy;
	sampler = perfctr_memory_map(size);
	if (!sampler)
		goto fail;
	sampler->size = size;
	perfctr_events_init(&sampler->events, &scope, config->flags & GROUP_FLAGS, sampler->counter,
			    list.n);
	for (i = 0; i < list.n; i++)
		if (open_event(sampler, &list.variant[use[i]].attr, list.event[i].name, config) < 0)
			goto fail;
	leader = &sampler->counter[0];
	sampler->overwrite = (config->flags & PERFCTR_SAMPLER_OVERWRITE) != 0;
	if (perfctr_counter_map_ring(leader, ring_size, sampler->overwrite) < 0)
		goto fail;
	perfctr_ring_init(&sampler->ring, leader->page, (char *)leader->page + page, ring_size,
			  sampler->copy);
	/* The snapshot of nothing, from which on there is news. */
	if (sampler->overwrite)
		perfctr_ring_snapshot(&sampler->ring);
	if (config->signal && perfctr_counter_signal(leader, config->signal) < 0)
		goto fail;
	if (perfctr_events_start(&sampler->events) < 0)
		goto fail;
	perfctr_list_clear(&list);
	return sampler;
fail:
	perfctr_list_clear(&list);
	perfctr_sampler_close(sampler);
	return NULL;
}

void perfctr_sampler_close(struct perfctr_sampler *sampler)
{
	/* In a child of fork() it was wiped, its size too, and the buffer is not mapped there. */
	if (!sampler || !sampler->size)
		return;
	perfctr_events_end(&sampler->events);
	perfctr_memory_unmap(sampler, sampler->size);
}

/* ---- control ---- */

static int fail_child(void)
{
	return perfctr_fail(ESRCH,
			    "this sampler belongs to the parent process; a child opens its own");
}

int perfctr_sampler_fd(const struct perfctr_sampler *sampler)
{
	return sampler->events.n ? sampler->counter[0].fd : fail_child();
}

/*
 * The first event alone: without it the others don't count, and they are always on, since
 * PERF_EVENT_IOC_REFRESH can't start them.
 */
int perfctr_sampler_enable(struct perfctr_sampler *sampler)
{
	return sampler->events.n ? perfctr_events_enable(&sampler->events) : fail_child();
}

int perfctr_sampler_disable(struct perfctr_sampler *sampler)
{
	return sampler->events.n ? perfctr_events_disable(&sampler->events) : fail_child();
}

int perfctr_sampler_refresh(struct perfctr_sampler *sampler, unsigned int samples)
{
	if (!sampler->events.n)
		return fail_child();
	if (samples == 0 || samples > INT32_MAX)
		return perfctr_fail(EINVAL, "a sampler can be started for 1 to %d samples, not %u",
				    INT32_MAX, samples);
	if (perfctr_counter_request(&sampler->counter[0], PERF_EVENT_IOC_REFRESH, samples) < 0)
		return perfctr_fail(errno,
				    "the kernel refuses to start the sampler for %u samples: %s",
				    samples,
				    errno == EINVAL
					    ? "inherited events have no common number of them"
					    : strerror(errno));
	return 0;
}

int perfctr_sampler_set_period(struct perfctr_sampler *sampler, uint64_t period)
{
	uint64_t wanted = period;
	long limit;

	if (!sampler->events.n)
		return fail_child();
	if (sampler->clock_frequency) {
		/* What is none gets to the kernel as 0, which it refuses. */
		if (perfctr_file_number("/proc/sys/kernel/perf_event_max_sample_rate", &limit) < 0)
			limit = 1000000000;
		wanted = period && period <= (uint64_t)limit ? UINT64_C(1000000000) / period : 0;
	}
	if (perfctr_counter_request(&sampler->counter[0], PERF_EVENT_IOC_PERIOD,
				    (unsigned long)&wanted) < 0)
		return perfctr_fail(
			errno, "the kernel refuses %llu: %s", (unsigned long long)period,
			errno == EINVAL ? "a period is from 1 to 2^63 - 1, on some PMUs from 128; "
					  "a frequency is at most "
					  "kernel.perf_event_max_sample_rate"
					: strerror(errno));
	return 0;
}

/* ---- records ---- */

static int let_write(struct perfctr_sampler *sampler, bool write)
{
	if (perfctr_counter_request(&sampler->counter[0], PERF_EVENT_IOC_PAUSE_OUTPUT, !write) < 0)
		return perfctr_fail(EIO, "the kernel refuses to stop writing, or to go on: %s",
				    strerror(errno));
	sampler->looking = !write;
	return 0;
}

static int begin_snapshot(struct perfctr_sampler *sampler)
{
	uint64_t words[PERFCTR_READ_WORDS];

	if (let_write(sampler, false) < 0)
		return -1;
	/*
	 * A record may just be being written on another processor. Reading the count interrupts
	 * that processor, and when it answers, the record is complete.
	 */
	if (perfctr_counter_words(&sampler->counter[0], words, PERFCTR_READ_WORDS) < 0) {
		let_write(sampler, true);
		return -1;
	}
	perfctr_ring_snapshot(&sampler->ring);
	return 0;
}

int perfctr_sampler_next(struct perfctr_sampler *sampler, const struct perfctr_record **record)
{
	struct perf_event_header header;
	const void *bytes;
	int result;

	if (!perfctr_likely(sampler->events.n != 0))
		return fail_child();
	if (sampler->overwrite && !sampler->looking && begin_snapshot(sampler) < 0)
		return -1;
	result = perfctr_ring_next(&sampler->ring, &header, &bytes);
	if (!perfctr_likely(result > 0)) {
		if (result == 0 && sampler->overwrite)
			result = let_write(sampler, true);
		return result;
	}
	result = perfctr_record_decode(&sampler->decoder, header, bytes, record);
	if (header.type == PERF_RECORD_LOST && result > 0)
		sampler->lost += (*record)->as.lost.lost;
	else if (header.type == PERF_RECORD_LOST_SAMPLES && result > 0)
		sampler->lost_samples += (*record)->as.lost.lost;
	return result;
}

int perfctr_sampler_each(struct perfctr_sampler *sampler,
			 int (*each)(void *arg, const struct perfctr_record *), void *arg)
{
	const struct perfctr_record *record;
	int result;

	if (!sampler->events.n)
		return fail_child();
	/* As far as the kernel is now: it may write as quickly as this reads. */
	if (!sampler->overwrite && perfctr_ring_refresh(&sampler->ring) < 0)
		return -1;
	while (sampler->overwrite || sampler->ring.position != sampler->ring.head) {
		result = perfctr_sampler_next(sampler, &record);
		if (result <= 0)
			return result;
		result = each(arg, record);
		if (result)
			return result;
	}
	perfctr_ring_release(&sampler->ring);
	return 0;
}

int perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost)
{
	uint64_t words[PERFCTR_READ_WORDS];

	if (!sampler->events.n)
		return fail_child();
	if (!lost)
		return perfctr_fail(EINVAL, "perfctr_sampler_lost() needs a place for the number, "
					    "not NULL");
	*lost = sampler->lost + sampler->lost_samples;
	if (!sampler->knows_lost)
		return 0;
	if (read_words(sampler, words) < 0)
		return -1;
	*lost = words[sampler->events.n > 1 ? LEADERS_LOST : ONES_LOST] + sampler->lost_samples;
	return 0;
}
