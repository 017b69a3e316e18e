// SPDX-License-Identifier: GPL-2.0-only
/*
 * mempmu.ko: a PMU, test_mem, whose samples say where data came from and which branches there were,
 * as Intel's and AMD's drivers have them say it, but what they say is known. As AMD's IBS it can't
 * tell modes apart.
 *
 * After each period, in ns, there is a sample: the kth one has the kth of sources[], and two
 * branches: from the event's config, which is mispredicted in one of four samples, and from 16
 * bytes after it.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <asm/irq_regs.h>

#define SHORTEST_PERIOD 10000 /* ns */
#define DATA_ADDRESS	0x123456789AULL

#define S(field, value) PERF_MEM_S(field, value)
static const struct {
	u64 source, weight;
} sources[] = {
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L1) | S(LVLNUM, L1) | S(SNOOP, NONE) | S(TLB, HIT) |
		  S(TLB, L1) | S(TLB, L2),
	  5 },
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L3) | S(LVLNUM, L3) | S(SNOOP, HITM), 90 },
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L1) | S(LVLNUM, L1) | S(SNOOP, NONE) | S(TLB, HIT) |
		  S(TLB, L1) | S(TLB, L2),
	  6 },
	{ S(OP, STORE) | S(LVL, MISS) | S(LVL, L1) | S(LOCK, LOCKED), 0 },
};

struct ticker {
	struct perf_event *event;
	struct hrtimer timer;
	unsigned int number; /* of the next sample */
};

static ktime_t period_of(const struct perf_event *event)
{
	return ns_to_ktime(max_t(u64, event->attr.sample_period, SHORTEST_PERIOD));
}

static void fill(struct perf_sample_data *data, const struct perf_event *event, unsigned int number)
{
	const unsigned int k = number % ARRAY_SIZE(sources);

	perf_sample_data_init(data, DATA_ADDRESS, event->hw.last_period);
	data->data_src.val = sources[k].source;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
	data->weight.full = sources[k].weight;
#else
	data->weight = sources[k].weight;
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	data->sample_flags |= PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE;
#endif
}

static void fill_branches(struct perf_sample_data *data, struct perf_event *event,
			  struct perf_branch_stack *stack, unsigned int number)
{
	if (!has_branch_stack(event))
		return;
	stack->nr = 2;
	stack->entries[0] = (struct perf_branch_entry){
		.from = event->attr.config,
		.to = event->attr.config,
		.mispred = number % 4 == 0,
		.predicted = number % 4 != 0,
	};
	stack->entries[1] = (struct perf_branch_entry){
		.from = event->attr.config + 16,
		.to = event->attr.config,
		.predicted = 1,
	};
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	perf_sample_save_brstack(data, event, stack, NULL);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	perf_sample_save_brstack(data, event, stack);
#else
	data->br_stack = stack;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
#endif
#endif
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct ticker *ticker = container_of(timer, struct ticker, timer);
	struct perf_event *event = ticker->event;
	struct {
		struct perf_branch_stack stack;
		struct perf_branch_entry room[2];
	} branches = {};
	struct perf_sample_data data;

	fill(&data, event, ticker->number);
	fill_branches(&data, event, &branches.stack, ticker->number++);
	/* What perf_event_overflow() calls, which modules can't. */
	event->overflow_handler(event, &data, get_irq_regs());
	hrtimer_forward_now(timer, period_of(event));
	return HRTIMER_RESTART;
}

static void start(struct perf_event *event, int flags)
{
	struct ticker *ticker = event->pmu_private;

	event->hw.state = 0;
	event->hw.last_period = event->attr.sample_period;
	hrtimer_start(&ticker->timer, period_of(event), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int flags)
{
	struct ticker *ticker = event->pmu_private;

	hrtimer_cancel(&ticker->timer);
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
	struct ticker *ticker;

	if (event->attr.type != pmu.type)
		return -ENOENT;
	if (event->attr.freq || !event->attr.sample_period)
		return -EINVAL;
	ticker = kzalloc(sizeof(*ticker), GFP_KERNEL);
	if (!ticker)
		return -ENOMEM;
	ticker->event = event;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&ticker->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&ticker->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	ticker->timer.function = tick;
#endif
	event->pmu_private = ticker;
	event->destroy = destroy;
	return 0;
}

PMU_FORMAT_ATTR(from, "config:0-63");

static struct attribute *formats[] = { &format_attr_from.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = formats };
static const struct attribute_group *groups[] = { &format_group, NULL };

static struct pmu pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	.task_ctx_nr = perf_sw_context,
	.attr_groups = groups,
	.event_init = event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
};

static int __init load(void)
{
	return perf_pmu_register(&pmu, "test_mem", -1);
}

static void __exit unload(void)
{
	perf_pmu_unregister(&pmu);
}

module_init(load);
module_exit(unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A PMU whose samples have known sources of data, and branches");
