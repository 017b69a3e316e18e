// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxpmu.ko: a PMU, test_aux, that writes into AUX areas as Intel PT's and Arm SPE's drivers do,
 * over the same calls of the kernel, but what it writes is known.
 *
 * After each period, in ns, it writes a chunk of bytes, and half of one when it is stopped: the kth
 * one of an event begins with auxpmu_byte(k * chunk). What the area has no room for is left out,
 * with PERF_AUX_FLAG_TRUNCATED, and the event stops. skip bytes are left out before each chunk.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/version.h>
#include "auxpmu.h"

#define SHORTEST_PERIOD 1000 /* ns */

struct area {
	void **pages;
	unsigned long size;
	bool overwrite;
};

struct writer {
	struct perf_event *event;
	struct hrtimer timer;
	struct perf_output_handle handle;
	bool open;		   /* the handle */
	unsigned long long number; /* of the next chunk */
};

static unsigned long chunk_of(const struct perf_event *event)
{
	return event->attr.config & 0xFFFF;
}

static unsigned long skip_of(const struct perf_event *event)
{
	return event->attr.config >> 16 & 0xFF;
}

static ktime_t period_of(const struct perf_event *event)
{
	return ns_to_ktime(max_t(u64, event->attr.sample_period, SHORTEST_PERIOD));
}

static void put(const struct area *area, unsigned long at, unsigned char byte)
{
	at &= area->size - 1;
	((unsigned char *)area->pages[at / PAGE_SIZE])[at % PAGE_SIZE] = byte;
}

static void skip(struct writer *writer, const struct area *area)
{
	unsigned long n = min(skip_of(writer->event), writer->handle.size), i;

	if (area->overwrite)
		return;
	for (i = 0; i < n; i++)
		put(area, writer->handle.head + i, AUXPMU_PAD);
	perf_aux_output_skip(&writer->handle, n);
}

static void begin(struct writer *writer)
{
	const struct area *area = perf_aux_output_begin(&writer->handle, writer->event);

	writer->open = area != NULL;
	if (area)
		skip(writer, area);
}

/* Whether there was room for all of it. */
static bool end(struct writer *writer, unsigned long wanted)
{
	const struct area *area = perf_get_aux(&writer->handle);
	unsigned long n = min(wanted, area->overwrite ? area->size : writer->handle.size), i;

	for (i = 0; i < n; i++)
		put(area, writer->handle.head + i,
		    auxpmu_byte(writer->number * chunk_of(writer->event) + i));
	if (n < wanted)
		perf_aux_output_flag(&writer->handle, PERF_AUX_FLAG_TRUNCATED);
	if (area->overwrite)
		writer->handle.head += n;
	/* Then there is a record. */
	writer->number += wanted != 0;
	writer->open = false;
	smp_wmb(); /* the bytes, and then aux_head */
	perf_aux_output_end(&writer->handle, n);
	return n == wanted;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);

	if (writer->open && end(writer, chunk_of(writer->event)))
		begin(writer);
	if (!writer->open)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, period_of(writer->event));
	return HRTIMER_RESTART;
}

static void start(struct perf_event *event, int flags)
{
	struct writer *writer = event->pmu_private;

	event->hw.state = 0;
	begin(writer);
	if (writer->open)
		hrtimer_start(&writer->timer, period_of(event), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int flags)
{
	struct writer *writer = event->pmu_private;

	hrtimer_cancel(&writer->timer);
	if (writer->open)
		end(writer, chunk_of(event) / 2);
	event->hw.state = PERF_HES_STOPPED;
}

static int add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, flags);
}

static void read(struct perf_event *event)
{
}

static void destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static struct pmu pmu;

static int event_init(struct perf_event *event)
{
	struct writer *writer;

	if (event->attr.type != pmu.type)
		return -ENOENT;
	if (event->attr.freq)
		return -EINVAL;
	writer = kzalloc(sizeof(*writer), GFP_KERNEL);
	if (!writer)
		return -ENOMEM;
	writer->event = event;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&writer->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&writer->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	writer->timer.function = tick;
#endif
	event->pmu_private = writer;
	event->destroy = destroy;
	return 0;
}

static void *setup_aux(struct perf_event *event, void **pages, int n, bool overwrite)
{
	struct area *area;

	/* As SPE's. */
	if (overwrite && n % 2)
		return NULL;
	area = kmalloc(sizeof(*area), GFP_KERNEL);
	if (area)
		*area = (struct area){ pages, n * PAGE_SIZE, overwrite };
	return area;
}

static void free_aux(void *area)
{
	kfree(area);
}

PMU_FORMAT_ATTR(chunk, "config:0-15");
PMU_FORMAT_ATTR(skip, "config:16-23");

static struct attribute *formats[] = { &format_attr_chunk.attr, &format_attr_skip.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = formats };
static const struct attribute_group *groups[] = { &format_group, NULL };

static struct pmu pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr = perf_sw_context,
	.attr_groups = groups,
	.event_init = event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.setup_aux = setup_aux,
	.free_aux = free_aux,
};

static int __init load(void)
{
	return perf_pmu_register(&pmu, "test_aux", -1);
}

static void __exit unload(void)
{
	perf_pmu_unregister(&pmu);
}

module_init(load);
module_exit(unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A PMU that writes known bytes into AUX areas");
