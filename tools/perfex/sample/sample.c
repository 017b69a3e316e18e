// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/pmu.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/calls.h"
#include "tools/perfex/sample/cost.h"
#include "tools/perfex/sample/fenced.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/libdw.h"
#include "tools/perfex/sample/maps.h"
#include "tools/perfex/sample/perf_data.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/sample/samplers.h"
#include "tools/perfex/sample/sources.h"
#include "tools/perfex/sample/spool.h"
#include "tools/perfex/sample/unwind.h"
#include "tools/perfex/sample/weights.h"

#define DEFAULT_FREQUENCY 1000
#define NS		  UINT64_C(1000000000) /* in a second */
#define SHORTEST	  10000		       /* ns: of a clock */
#define SELDOM		  1000000	       /* ns: no sample takes a quarter of it */
#define STACKS_BUFFER	  ((uint32_t)2 << 20)  /* bytes, for samples with stacks, if allowed */
#define BETWEEN_LINES	  5		       /* seconds, of progress */

struct sampling {
	char *event;
	char *plain;	 /* the event asked for; NULL: none, and any will do */
	char *why_clock; /* the clock is sampled in place of cycles; NULL: it is not */
	bool user_only;	 /* the kernel's mode is forbidden */
	bool weighted;	 /* the kernel adapts the period */
	bool counted;	 /* and samples have the event's count */
	uint64_t weight; /* the field of samples that this kernel has */
	uint64_t period, frequency, bad, throttled;
	uint64_t cost, asked; /* a sample's ns, and period or frequency, where that was too often */
	uint64_t events;      /* that all samples stand for */
	struct sampling_request request;
	struct perf_event_attr attr; /* of the records, for later readers */
	struct samplers *samplers;
	struct histogram *histogram;
	struct sources sources;
	struct weights weights;
	uint64_t stacks, predicted, mispredicted; /* samples with branches; and these */
	struct spool *spool; /* of samples that are unwound later; NULL: there are frame pointers */
	struct fenced fenced;
	const struct perfctr_record *record; /* of the spool, at hand; NULL: the present is */
	uint64_t filled;		     /* how often the spool was full */
	uint64_t cut;			     /* samples whose stack is longer than its copy */
	uint64_t outside;    /* samples with a caller in no file, by which no other is found */
	uint64_t pointers;   /* samples with a chain by frame pointers */
	uint64_t own;	     /* samples of perfex, which are left out */
	uint32_t perfex;     /* its own process */
	uint32_t unexecuted; /* a command's process, which is perfex until its exec; 0: none */
	uint64_t executed;   /* the time of that */
};

/* ---- records ---- */

static void use_mmap(void *arg, const struct perfctr_record_mmap *mmap)
{
	struct sampling *sampling = arg;
	const struct map map = { mmap->addr, mmap->length, mmap->offset,
				 histogram_file(sampling->histogram, mmap) };

	histogram_map(sampling->histogram, mmap->pid, &map);
}

static void use_comm(struct histogram *histogram, const struct perfctr_record *record)
{
	const struct perfctr_record_comm *comm = &record->as.comm;

	if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
		histogram_exec(histogram, comm->pid);
	if (comm->pid == comm->tid)
		histogram_name(histogram, comm->pid, comm->name);
	else
		histogram_thread(histogram, comm->tid, comm->name);
}

static void use_fork(struct histogram *histogram, const struct perfctr_record_task *task)
{
	histogram_fork(histogram, task->pid, task->ppid);
	if (task->pid == task->ppid)
		histogram_thread_fork(histogram, task->tid, task->ptid);
}

static void use_namespaces(struct histogram *histogram, const struct perfctr_record *record)
{
	const struct perfctr_record_namespaces *namespaces = &record->as.namespaces;

	if (namespaces->n > MNT_NS_INDEX)
		histogram_namespace(histogram, namespaces->pid, namespaces->link[MNT_NS_INDEX].ino);
}

/* Notes what a record says of processes and their mappings. */
static void use_process(struct sampling *sampling, const struct perfctr_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP2: use_mmap(sampling, &record->as.mmap); break;
	case PERF_RECORD_FORK: use_fork(sampling->histogram, &record->as.task); break;
	case PERF_RECORD_NAMESPACES: use_namespaces(sampling->histogram, record); break;
	case PERF_RECORD_COMM: use_comm(sampling->histogram, record); break;
	}
}

/* Notes what /proc says, as if it were a record. */
static void use_found(struct sampling *sampling, const struct perfctr_record *record)
{
	use_process(sampling, record);
	if (sampling->spool)
		spool_put(sampling->spool, record);
}

/* Notes a mapping from before the records. */
static void use_old_mmap(void *arg, const struct perfctr_record_mmap *mmap)
{
	struct sampling *sampling = arg;
	const struct perfctr_record record = { .type = PERF_RECORD_MMAP2, .as.mmap = *mmap };

	use_found(sampling, &record);
	if (sampling->request.data)
		perf_data_mmap(sampling->request.data, &sampling->attr, mmap);
}

static void use_old_name(struct sampling *sampling, uint32_t pid, uint32_t tid, const char *name)
{
	const struct perfctr_record record = { .type = PERF_RECORD_COMM,
					       .as.comm = { pid, tid, name } };

	use_found(sampling, &record);
}

/* A process whose threads are looked at. */
struct threads {
	struct sampling *sampling;
	uint32_t pid;
};

static void use_thread(void *arg, uint32_t tid, const char *name)
{
	const struct threads *threads = arg;
	struct sampling *sampling = threads->sampling;

	if (tid != threads->pid)
		use_old_name(sampling, threads->pid, tid, name);
	if (sampling->request.data)
		perf_data_name(sampling->request.data, &sampling->attr, threads->pid, tid, name);
}

static void look_at_process(struct sampling *sampling, uint32_t pid)
{
	char name[16];

	maps_read(pid, name, use_old_mmap, sampling);
	if (!*name)
		return;
	use_old_name(sampling, pid, pid, name);
	maps_threads(pid, use_thread, &(struct threads){ sampling, pid });
}

/*
 * Returns the events that a sample stands for. With a period, and for a clock, samples are alike;
 * at a frequency they are as many as happened since the one before, or those of the period that the
 * kernel tells.
 */
static uint64_t events_of(struct sampling *sampling, const struct perfctr_record *record)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	if (sampling->counted && sample->counts.n)
		return weights_take(&sampling->weights, record->stream_id,
				    sample->counts.values[0]);
	if (!sampling->weighted)
		return 1;
	return weights_guess(&sampling->weights, record->stream_id, sample->period);
}

/* Joins the kernel's part of its chain, and the unwinder's for user mode; false: there is none. */
static bool use_unwound(struct sampling *sampling, const struct perfctr_record *record,
			uint64_t events)
{
	const struct perfctr_record_sample *sample = &record->as.sample;
	uint64_t nkernel = 0, *chain;
	const uint64_t *user;
	enum unwind_end end;
	size_t n = fenced_next(&sampling->fenced, record->pid, &user, &end);

	sampling->cut += end == UNWIND_CUT;
	sampling->outside += end == UNWIND_OUTSIDE;
	if (!n)
		return false;
	while (nkernel < sample->nchain && sample->chain[nkernel] != (uint64_t)PERF_CONTEXT_USER)
		nkernel++;
	chain = need(calloc((size_t)nkernel + 1 + n, sizeof(*chain)));
	if (nkernel)
		memcpy(chain, sample->chain, (size_t)nkernel * sizeof(*chain));
	chain[nkernel] = (uint64_t)PERF_CONTEXT_USER;
	memcpy(chain + nkernel + 1, user, n * sizeof(*chain));
	histogram_chain(sampling->histogram, record->pid, record->tid, chain, nkernel + 1 + n,
			events);
	free(chain);
	return true;
}

static bool has_registers(const struct perfctr_record *record)
{
	return record->as.sample.user.abi == PERF_SAMPLE_REGS_ABI_64;
}

static void use_chain(struct sampling *sampling, const struct perfctr_record *record,
		      uint64_t events)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	if (sampling->spool && has_registers(record) && use_unwound(sampling, record, events))
		return;
	/* The kernel's threads have no registers of the user's, and nothing is missing. */
	sampling->pointers += sample->user.abi != PERF_SAMPLE_REGS_ABI_NONE;
	histogram_chain(sampling->histogram, record->pid, record->tid, sample->chain,
			sample->nchain, events);
}

/* Notes the mappings at an address before it is counted. */
static void look_at_address(struct sampling *sampling, uint32_t pid, uint64_t address)
{
	if (!sampling->record && histogram_is_new(sampling->histogram, pid, address))
		look_at_process(sampling, pid);
}

static void use_branches(struct sampling *sampling, const struct perfctr_record *record)
{
	const struct perfctr_record_sample *sample = &record->as.sample;
	uint64_t i;

	sampling->stacks++;
	for (i = 0; i < sample->nbranches; i++) {
		const struct perf_branch_entry *branch = &sample->branches[i];
		bool kernel = branch->from >> 63;

		if (!kernel)
			look_at_address(sampling, record->pid, branch->from);
		histogram_branch(sampling->histogram, record->pid, branch->from, kernel,
				 branch->mispred);
		sampling->mispredicted += branch->mispred;
		sampling->predicted += branch->predicted;
	}
}

static bool is_user(const struct perfctr_record *record)
{
	return (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static void use_place(struct sampling *sampling, const struct perfctr_record *record,
		      uint64_t events)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	if (is_user(record)) {
		look_at_address(sampling, record->pid, sample->ip);
		histogram_count(sampling->histogram, record->pid, sample->ip, events);
	} else {
		histogram_count_kernel(sampling->histogram, sample->ip, events);
	}
	if (sampling->request.calls)
		use_chain(sampling, record, events);
}

/*
 * A processor's samples have perfex, too, which only runs because it samples, and its child on the
 * way to the command.
 */
static bool is_own(const struct sampling *sampling, const struct perfctr_record *record)
{
	return record->type == PERF_RECORD_SAMPLE &&
	       (record->pid == sampling->perfex ||
		(sampling->unexecuted && record->pid == sampling->unexecuted &&
		 record->time < sampling->executed));
}

/* If records were lost, the command's exec may be among them. */
static void note_exec(struct sampling *sampling, const struct perfctr_record *record)
{
	if (record->type == PERF_RECORD_LOST ||
	    (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC &&
	     record->as.comm.pid == sampling->unexecuted))
		if (record->time < sampling->executed)
			sampling->executed = record->time;
}

static void note_time(struct perf_data_about *about, uint64_t time)
{
	if (!about->last || time < about->first)
		about->first = time;
	if (time > about->last)
		about->last = time;
}

static void use_sample(struct sampling *sampling, const struct perfctr_record *record)
{
	uint64_t events = events_of(sampling, record);

	sampling->events += events;
	if (is_own(sampling, record)) {
		sampling->own++;
		return;
	}
	note_time(&sampling->request.about, record->time);
	switch (sampling->request.kind) {
	/* The first part of a weight, if it has parts, is in its low half. */
	case PLACE_SOURCE:
		sources_count(&sampling->sources, record->as.sample.data_src,
			      (uint32_t)record->as.sample.weight, events);
		break;
	case PLACE_BRANCH: use_branches(sampling, record); break;
	default: use_place(sampling, record, events);
	}
}

static void use_record(struct sampling *sampling, const struct perfctr_record *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		use_sample(sampling, record);
	else
		use_process(sampling, record);
}

/* ---- samples that are unwound later ---- */

/* Sends the calls of the sample at hand, and of those after it. */
static void send_calls(void *arg)
{
	struct sampling *sampling = arg;
	const struct perfctr_record *record = sampling->record;

	do {
		if (record->type != PERF_RECORD_SAMPLE)
			use_process(sampling, record);
		else if (has_registers(record) && !is_own(sampling, record))
			fenced_send(&sampling->fenced, record->pid, &record->as.sample);
	} while ((record = spool_next(sampling->spool)));
}

/* Says how much is done, where somebody sees it, once it takes a while. */
static void show_progress(const struct sampling *sampling, double *next)
{
	double now = clock_seconds();

	if (now < *next)
		return;
	*next = now + BETWEEN_LINES;
	if (terminal_is_one(stderr))
		say("the calls of %u %% of the samples are found", spool_percent(sampling->spool));
}

/* Uses the records of the spool, each at its time. */
static void use_spool(struct sampling *sampling)
{
	double next = clock_seconds() + BETWEEN_LINES;

	histogram_set_past(sampling->histogram, true);
	while ((sampling->record = spool_next(sampling->spool))) {
		use_record(sampling, sampling->record);
		show_progress(sampling, &next);
	}
	fenced_end(&sampling->fenced);
	spool_empty(sampling->spool);
	histogram_set_past(sampling->histogram, false);
}

/* Keeps a record, after a look at what may be gone later. */
static void keep_record(struct sampling *sampling, const struct perfctr_record *record)
{
	if (record->type != PERF_RECORD_SAMPLE)
		use_process(sampling, record);
	else if (is_user(record) && !is_own(sampling, record))
		look_at_address(sampling, record->pid, record->as.sample.ip);
	if (record->type == PERF_RECORD_SAMPLE || record->type == PERF_RECORD_MMAP2)
		histogram_open(sampling->histogram, record->pid);
	spool_put(sampling->spool, record);
	if (!spool_is_full(sampling->spool))
		return;
	sampling->filled++;
	use_spool(sampling);
}

static void take_record(void *arg, const struct perfctr_record *record)
{
	struct sampling *sampling = arg;

	note_exec(sampling, record);
	sampling->throttled += record->type == PERF_RECORD_THROTTLE;
	if (sampling->request.data && !is_own(sampling, record))
		perf_data_record(sampling->request.data, record);
	if (sampling->spool)
		keep_record(sampling, record);
	else
		use_record(sampling, record);
}

void sampling_read(struct sampling *sampling)
{
	histogram_turn(sampling->histogram);
	sampling->bad += samplers_each(sampling->samplers, take_record, sampling);
}

/* ---- opening and closing ---- */

static struct perfctr_list *resolve(const char *event)
{
	struct perfctr_list *list = perfctr_list_resolve(event, 0);

	if (!list)
		die("%s", perfctr_error());
	if (perfctr_list_size(list) != 1)
		die("--sample takes one event, not \"%s\"", event);
	return list;
}

/* Whether the event does not say in which modes it counts, and happens in user mode, too. */
static bool has_user_mode(const struct perfctr_list *list)
{
	struct perfctr_list_event event;
	struct perf_event_attr attr;

	if (perfctr_list_event(list, 0, &event) < 0 ||
	    perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0) < 0)
		die("%s", perfctr_error());
	return !(event.flags & PERFCTR_EVENT_KERNEL || attr.type == PERF_TYPE_TRACEPOINT ||
		 attr.exclude_user || attr.exclude_kernel || attr.exclude_hv);
}

/* Returns the event in user mode, unless it names its modes; the caller frees it. */
static char *in_user_mode(const char *event)
{
	struct perfctr_list *list = resolve(event), *other;
	struct perfctr_list_event only;
	char *user;
	size_t length;

	perfctr_list_event(list, 0, &only);
	length = strlen(only.name);
	user = need(malloc(length + 3));
	sprintf(user, "%s%s", only.name, only.name[length - 1] == '/' ? "u" : ":u");
	/* There may be no room for a modifier after those that it has. */
	other = perfctr_list_resolve(user, 0);
	if (!other || !has_user_mode(list))
		strcpy(user, only.name);
	perfctr_list_free(other);
	perfctr_list_free(list);
	return user;
}

/*
 * Whether the error is not the machine's: the event exists, but can't be counted now, or by this
 * user.
 */
static bool is_passing(int error)
{
	return error == EACCES || error == EPERM || error == EBUSY || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

/* Returns an event whose samples have data sources. */
static const char *find_loads(void)
{
	/* Intel's first one wants company on some, hybrid ones call it otherwise; AMD; POWER. */
	static const char *const loads[] = { "cpu/mem-loads/upp", "cpu_core/mem-loads/upp",
					     "MEM_INST_RETIRED:ALL_LOADS:upp", "ibs_op//",
					     "cpu/mem-loads/u" };
	const struct perfctr_sampler_config config = { .period = 100000,
						       .fields = PERF_SAMPLE_DATA_SRC,
						       .flags = PERFCTR_MULTIPLEX |
								PERFCTR_DISABLED };
	struct perfctr_sampler *sampler = NULL;
	size_t i, n = sizeof(loads) / sizeof(loads[0]);

	for (i = 0; i < n && !sampler; i++) {
		sampler = perfctr_sampler_open(loads[i], NULL, &config);
		if (!sampler && is_passing(errno))
			die("%s", perfctr_error());
	}
	perfctr_sampler_close(sampler);
	if (!sampler)
		die("--by source takes an event whose samples say where data came from (-e), and this "
		    "machine has none of the usual ones: Intel's and POWER's cpu/mem-loads/, AMD's "
		    "ibs_op//");
	return loads[i - 1];
}

struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency,
			      enum place_kind kind)
{
	struct sampling *sampling;

	if (!event && kind == PLACE_SOURCE)
		event = find_loads();
	sampling = need(calloc(1, sizeof(*sampling)));
	sampling->plain = event ? need(strdup(event)) : NULL;
	sampling->event = in_user_mode(event ? event : "cycles"); /* exits if it is none */
	sampling->weight = PERF_SAMPLE_WEIGHT_STRUCT;
	sampling->period = period;
	sampling->frequency = period ? 0 : frequency ? frequency : DEFAULT_FREQUENCY;
	sampling->histogram = histogram_new();
	return sampling;
}

/* Gets the attr that the library gives the kernel. */
static void describe(struct sampling *sampling, const struct perfctr_sampler_config *config)
{
	struct perfctr_list *list = resolve(sampling->event);
	struct perf_event_attr *attr = &sampling->attr;

	perfctr_list_attr(list, 0, 0, attr, NULL, NULL, 0);
	perfctr_list_free(list);
	attr->freq = config->frequency != 0;
	attr->sample_period = attr->freq ? config->frequency : config->period;
	attr->sample_type = config->fields;
	attr->branch_sample_type = config->branches;
	attr->sample_regs_user = config->user_registers;
	attr->sample_stack_user = config->user_stack;
	attr->mmap_data = (config->flags & PERFCTR_SAMPLER_MMAP_DATA) != 0;
	attr->sample_id_all = attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->build_id = (config->flags & PERFCTR_SAMPLER_BUILD_ID) != 0;
	attr->namespaces = (config->flags & PERFCTR_SAMPLER_NAMESPACES) != 0;
	attr->exclude_callchain_user = (config->flags & PERFCTR_SAMPLER_NO_USER_CHAIN) != 0;
	attr->exclude_callchain_kernel = (config->flags & PERFCTR_SAMPLER_NO_KERNEL_CHAIN) != 0;
}

static bool is_clock(const char *event)
{
	struct perfctr_list *list = resolve(event);
	struct perfctr_list_event first;

	perfctr_list_event(list, 0, &first);
	perfctr_list_free(list);
	return (first.flags & PERFCTR_EVENT_TIME) != 0;
}

/* Whether the kernel adapts the period of an event: it has made one of a clock's frequency. */
static bool adapts_period(const char *event, uint64_t frequency)
{
	struct perfctr_list *list = resolve(event);
	struct perf_event_attr attr;

	perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0);
	perfctr_list_free(list);
	if (is_clock(event))
		return false;
	return attr.sample_period ? attr.freq : frequency != 0;
}

/* Takes fewer samples of a clock than asked for, if these would leave programs no time. */
static void slow_clock(struct sampling *sampling, struct perfctr_sampler_config *config)
{
	uint64_t period = config->period ? config->period : NS / config->frequency;
	uint64_t shortest, cost;

	/* The library refuses shorter ones. */
	if (period < SHORTEST || period >= SELDOM || !is_clock(sampling->event))
		return;
	cost = cost_measure(sampling->event, config);
	shortest = cost_shortest(cost);
	if (period >= shortest)
		return;
	if (!sampling->cost)
		sampling->asked = sampling->asked  ? sampling->asked
				  : config->period ? config->period
						   : config->frequency;
	sampling->cost = cost;
	if (config->period)
		sampling->period = config->period = shortest;
	else
		sampling->frequency = config->frequency = NS / shortest;
}

static void take_stacks(struct perfctr_sampler_config *config, uint32_t stack)
{
	config->fields |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	config->user_registers = unwind_registers();
	config->user_stack = stack;
	config->pages = STACKS_BUFFER / (uint32_t)sysconf(_SC_PAGESIZE);
}

/* Adds the fields for the kind of table; perf also looks for names of data. */
static void take_kind(const struct sampling *sampling, struct perfctr_sampler_config *config)
{
	if (sampling->request.kind == PLACE_BRANCH) {
		config->fields |= PERF_SAMPLE_BRANCH_STACK;
		config->branches = PERF_SAMPLE_BRANCH_ANY;
	}
	if (sampling->request.kind != PLACE_SOURCE)
		return;
	config->fields |= PERF_SAMPLE_DATA_SRC | sampling->weight;
	if (sampling->request.data) {
		config->fields |= PERF_SAMPLE_ADDR;
		config->flags |= PERFCTR_SAMPLER_MMAP_DATA;
	}
}

/* Opens them with their counts in samples, if that is wanted and this kernel can: of programs,
 * Linux 6.12. */
static struct samplers *open_counted(struct sampling *sampling,
				     const struct perfctr_target *targets, unsigned int n,
				     struct perfctr_sampler_config config)
{
	struct samplers *samplers;

	/* perf report takes periods. */
	if (!sampling->weighted || sampling->request.data)
		return NULL;
	config.fields |= PERF_SAMPLE_READ;
	samplers = samplers_open(sampling->event, targets, n, &config);
	sampling->counted = samplers != NULL;
	return samplers;
}

/*
 * Opens them with what tells files and mount namespaces apart, if this kernel has build IDs (Linux
 * 5.12), and this user may know of namespaces.
 */
static struct samplers *open_told(struct sampling *sampling, const struct perfctr_target *targets,
				  unsigned int n, struct perfctr_sampler_config config)
{
	static const uint32_t told[] = { PERFCTR_SAMPLER_BUILD_ID | PERFCTR_SAMPLER_NAMESPACES,
					 PERFCTR_SAMPLER_BUILD_ID, 0 };
	const uint32_t flags = config.flags;
	struct samplers *samplers = NULL;
	unsigned int i;

	for (i = 0; i < sizeof(told) / sizeof(told[0]) && !samplers; i++) {
		if (i && errno != EINVAL && errno != EACCES && errno != EPERM)
			break;
		config.flags = flags | told[i];
		describe(sampling, &config);
		samplers = open_counted(sampling, targets, n, config);
		if (!samplers)
			samplers = samplers_open(sampling->event, targets, n, &config);
	}
	return samplers;
}

static struct samplers *open_targets(struct sampling *sampling, pid_t pid)
{
	const struct perfctr_target command = { .type = PERFCTR_TARGET_THREAD, .id = pid };
	const struct targets *targets = sampling->request.targets;
	const struct perfctr_target *target = targets->n ? targets->target : &command;
	unsigned int n = targets->n ? targets->n : 1;
	struct perfctr_sampler_config config;

	memset(&config, 0, sizeof(config));
	config.period = sampling->period;
	config.frequency = sampling->frequency;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.flags = PERFCTR_MULTIPLEX | PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_COMM |
		       PERFCTR_SAMPLER_TASK | EVENTS_KEPT;
	config.flags |= targets->n ? PERFCTR_DISABLED : PERFCTR_INHERIT | PERFCTR_ON_EXEC;
	if (targets->n && targets->target->type == PERFCTR_TARGET_PROCESS)
		config.flags |= PERFCTR_INHERIT;
	sampling->weighted = adapts_period(sampling->event, config.frequency);
	sampling->counted = false;
	if (sampling->weighted)
		config.fields |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID;
	if (sampling->request.calls)
		config.fields |= PERF_SAMPLE_CALLCHAIN;
	if (sampling->request.data)
		config.fields |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU;
	take_kind(sampling, &config);
	if (sampling->request.stack)
		take_stacks(&config, sampling->request.stack);
	/* perf puts its own calls after these, and reads DWARF where it is mapped. */
	if (sampling->request.stack && sampling->request.data)
		config.flags |= PERFCTR_SAMPLER_NO_USER_CHAIN | PERFCTR_SAMPLER_MMAP_DATA;
	slow_clock(sampling, &config);
	return open_told(sampling, target, n, config);
}

/* Blames stacks if the event can be sampled without them. */
static void blame_stacks(struct sampling *sampling, pid_t pid)
{
	sampling->request.stack = 0;
	if (open_targets(sampling, pid))
		die("--call-graph dwarf: this kernel does not copy registers and stacks at samples of "
		    "%s; take fp",
		    sampling->event);
}

static void free_keeping_errno(char *text)
{
	int error = errno;

	free(text);
	errno = error;
}

static void open_other(struct sampling *sampling, const char *event, pid_t pid)
{
	char *name = need(strdup(event));

	free(sampling->event);
	sampling->event = name;
	sampling->samplers = open_targets(sampling, pid);
}

/* Places are those of all modes, as far as this user may know them; others are of user mode. */
static bool wants_all_modes(const struct sampling *sampling)
{
	return sampling->request.kind < PLACE_BRANCH;
}

/* Opens the event in all modes; or in user mode, if the kernel's is forbidden. */
static void open_all_modes(struct sampling *sampling, const char *event, pid_t pid)
{
	char *user = in_user_mode(event);

	open_other(sampling, event, pid);
	if (!sampling->samplers && (errno == EACCES || errno == EPERM) &&
	    strcmp(user, event) != 0) {
		open_other(sampling, user, pid);
		sampling->user_only = sampling->samplers != NULL;
	}
	free_keeping_errno(user);
}

/* Opens it in user mode; or in all, if the PMU can't tell modes apart. */
static void open_user_mode(struct sampling *sampling, const char *event, pid_t pid)
{
	char *user = in_user_mode(event);

	open_other(sampling, user, pid);
	if (!sampling->samplers && errno == EINVAL && sampling->plain && strcmp(event, user) != 0) {
		open_other(sampling, event, pid);
		if (!sampling->samplers)
			open_other(sampling, user, pid); /* the first error is the right one */
	}
	free_keeping_errno(user);
}

static void open_event(struct sampling *sampling, const char *event, pid_t pid)
{
	if (wants_all_modes(sampling))
		open_all_modes(sampling, event, pid);
	else
		open_user_mode(sampling, event, pid);
}

/* Returns the clock that takes the place of cycles, in their modes; NULL: it is another event. */
static const char *clock_for(const char *event)
{
	struct perfctr_list *list = resolve(event);
	struct perf_event_attr attr;
	int got = perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0);

	perfctr_list_free(list);
	if (got < 0 || attr.type != PERF_TYPE_HARDWARE || attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return NULL;
	return attr.exclude_kernel ? "cpu-clock:u"
	       : attr.exclude_user ? "cpu-clock:k"
				   : "cpu-clock";
}

/* Samples the clock in place of cycles, which can't be sampled; it has no branches. */
static void open_clock(struct sampling *sampling, const char *event, pid_t pid)
{
	const char *reason = perfctr_error(), *clock = clock_for(event);
	int error = errno;

	if (!clock || sampling->request.kind == PLACE_BRANCH ||
	    (sampling->plain && !pmu_is_missing(reason))) {
		errno = error;
		return;
	}
	sampling->why_clock = need(strdup(reason));
	sampling->asked = sampling->period;
	if (sampling->period && sampling->period < SHORTEST)
		sampling->period = SHORTEST;
	open_event(sampling, clock, pid);
}

/* Ends perfex, and says what can be sampled without a PMU. */
static void __attribute__((noreturn)) refuse_event(const struct sampling *sampling)
{
	char *reason = need(strdup(perfctr_error()));

	if (!pmu_is_missing(reason))
		die("%s", reason);
	die("%s; to sample the time without a PMU, %s", reason,
	    sampling->request.kind >= PLACE_BRANCH ? "leave out --by and -e" : "use -e cpu-clock");
}

/* Opens the best event that works. */
static void open_somehow(struct sampling *sampling, pid_t pid)
{
	const char *event = sampling->plain ? sampling->plain : "cycles";

	open_event(sampling, event, pid);
	/* Weights have parts since Linux 5.12. */
	if (!sampling->samplers && errno == EINVAL && sampling->request.kind == PLACE_SOURCE) {
		sampling->weight = PERF_SAMPLE_WEIGHT;
		open_event(sampling, event, pid);
	}
	if (!sampling->samplers)
		open_clock(sampling, event, pid);
}

static void look_at_one(void *arg, uint32_t pid)
{
	look_at_process(arg, pid);
}

/*
 * Notes what is there before the events are started, so that the samples are not of this, and
 * processes that end soon have names.
 */
static void look_at_targets(struct sampling *sampling, const struct targets *targets)
{
	unsigned int i;
	bool all = false;

	for (i = 0; i < targets->n; i++) {
		if (targets->target[i].type == PERFCTR_TARGET_PROCESS)
			look_at_process(sampling, (uint32_t)targets->target[i].id);
		all |= targets->target[i].type != PERFCTR_TARGET_PROCESS &&
		       targets->target[i].type != PERFCTR_TARGET_THREAD;
	}
	if (all)
		maps_processes(look_at_one, sampling);
}

void sampling_open(struct sampling *sampling, const struct sampling_request *request, pid_t pid)
{
	uint64_t start, length;

	sampling->request = *request;
	sampling->unexecuted = request->targets->n && request->command ? (uint32_t)pid : 0;
	sampling->executed = UINT64_MAX;
	sampling->perfex = (uint32_t)getpid();
	if (request->stack && request->calls && request->kind < PLACE_BRANCH) {
		sampling->spool = spool_new();
		sampling->fenced = (struct fenced){
			.unwinder = unwind_new(sampling->histogram, request->stack),
			.send_all = send_calls,
			.arg = sampling,
		};
	}
	if (request->data && perf_data_begin(request->data) < 0)
		die("--format=perf-data goes back to the file's beginning, and %s",
		    strerror(errno));
	open_somehow(sampling, pid);
	if (!sampling->samplers && request->stack && (errno == EINVAL || errno == EOPNOTSUPP))
		blame_stacks(sampling, pid);
	if (!sampling->samplers)
		refuse_event(sampling);
	if (request->data && !sampling->attr.exclude_kernel && maps_kernel(&start, &length))
		perf_data_kernel(request->data, &sampling->attr, start, length);
	look_at_targets(sampling, request->targets);
	if (request->targets->n && samplers_enable(sampling->samplers) < 0)
		die("%s", perfctr_error());
}

size_t sampling_top(struct sampling *sampling, struct histogram_top *top, size_t n)
{
	return histogram_top(sampling->histogram, top, n);
}

uint64_t sampling_samples(const struct sampling *sampling)
{
	return histogram_samples(sampling->histogram);
}

void sampling_free(struct sampling *sampling)
{
	samplers_close(sampling->samplers);
	unwind_free(sampling->fenced.unwinder);
	spool_free(sampling->spool);
	histogram_free(sampling->histogram);
	sources_free(&sampling->sources);
	weights_free(&sampling->weights);
	free(sampling->plain);
	free(sampling->why_clock);
	free(sampling->event);
	free(sampling);
}

/* ---- showing ---- */

static void print_command(FILE *file, char **command)
{
	fputc('\'', file);
	for (; *command; command++) {
		text_terminal(file, *command, 0);
		fputs(command[1] ? " " : "'", file);
	}
}

static void print_subject(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	(void)end;
	fprintf(file, "\n samples of %s, ", sampling->event);
	if (sampling->period)
		fprintf(file, "one in %llu", (unsigned long long)sampling->period);
	else
		fprintf(file, "%llu a second", (unsigned long long)sampling->frequency);
	fputs(", in ", file);
	if (sampling->request.targets->n)
		targets_print(file, sampling->request.targets);
	else
		print_command(file, sampling->request.command);
	fputs(":\n\n", file);
}

/* The processors of the event's core types, of those that are online. */
static unsigned int count_processors(const struct perfctr_list *list, unsigned int nvariants,
				     const struct perfctr_cpu_mask *online, unsigned int *all)
{
	uint32_t *cpus = need(calloc(online->nrwords + 1, sizeof(*cpus)));
	struct perf_event_attr attr;
	unsigned int i, k, n = 0;

	for (i = *all = 0; i < online->nrwords; i++)
		*all += (unsigned int)__builtin_popcount(online->mask[i]);
	for (k = 0; k < nvariants; k++) {
		perfctr_list_attr(list, 0, k, &attr, NULL, cpus, online->nrwords);
		for (i = 0; i < online->nrwords; i++)
			n += (unsigned int)__builtin_popcount(cpus[i] & online->mask[i]);
	}
	free(cpus);
	return n;
}

/* A machine's other core types do not have every event. */
static void print_processors(const struct sampling *sampling, FILE *file)
{
	struct perfctr_cpus_info *info = need(perfctr_cpus_info(-1));
	struct perfctr_list *list = resolve(sampling->event);
	struct perfctr_list_event event;
	struct perf_event_attr attr;
	unsigned int n, all, k;
	const char *pmu;

	perfctr_list_event(list, 0, &event);
	n = count_processors(list, event.nvariants, info->cpus, &all);
	for (k = 0; n < all && k < event.nvariants; k++) {
		perfctr_list_attr(list, 0, k, &attr, &pmu, NULL, 0);
		if (k)
			fprintf(file, ", %s", pmu);
		else
			fprintf(file, " on %u of the processors only: %s counts on %s", n,
				event.name, pmu);
	}
	if (n < all)
		fputc('\n', file);
	perfctr_list_free(list);
	free(info);
}

static void print_unwound(const struct sampling *sampling, FILE *file)
{
	if (sampling->cut)
		fprintf(file, " %llu sample%s longer than %u bytes (--call-graph dwarf,%u)\n",
			(unsigned long long)sampling->cut,
			sampling->cut == 1 ? " lacks outer calls: its stack is"
					   : "s lack outer calls: their stacks are",
			sampling->request.stack,
			sampling->request.stack > UNWIND_LARGEST / 2 ? UNWIND_LARGEST
								     : sampling->request.stack * 2);
	if (sampling->outside)
		fprintf(file,
			" %llu sample%s outer calls: a caller is in code that was made at run time, "
			"without tables for unwinding and frame pointers\n",
			(unsigned long long)sampling->outside,
			sampling->outside == 1 ? " lacks" : "s lack");
	if (sampling->pointers)
		fprintf(file, " %llu sample%s calls by frame pointers: there is no DWARF\n",
			(unsigned long long)sampling->pointers,
			sampling->pointers == 1 ? " has" : "s have");
}

/* Says how many chains by frame pointers look cut; print_unwound() does it for the others. */
static void print_cut(const struct sampling *sampling, FILE *file)
{
	uint64_t cut = histogram_cut(sampling->histogram);
	uint64_t all = histogram_samples(sampling->histogram);

	if (cut > all / 100)
		fprintf(file,
			" %llu of %llu chains of calls look cut, for main is not in them: %s\n",
			(unsigned long long)cut, (unsigned long long)all,
			unwind_missing() ? "compile with -fno-omit-frame-pointer"
					 : "use --call-graph dwarf");
}

/* Says which modes the samples leave out. */
static void print_left_out(const struct run_end *end, FILE *file)
{
	fputs(" user mode only, since this user may not sample the kernel "
	      "(kernel.perf_event_paranoid)",
	      file);
	if (end->ran)
		fprintf(file, ", where %.3f s of %.3f s were spent", end->sys,
			end->user + end->sys);
	fputc('\n', file);
}

/*
 * Says how many events no sample stands for, where these are a tenth or more: what a thread does
 * after its last sample is in none. By periods the samples' events are known to a few percent.
 */
static void print_events(const struct sampling *sampling, FILE *file)
{
	uint64_t all = sampling->weighted ? samplers_count(sampling->samplers) : 0;

	if (sampling->events >= all - all / 10)
		return;
	fprintf(file,
		" samples stand for %s%llu of %llu events, and the rest came after the last samples "
		"of threads: a period (-c) finds more\n",
		sampling->counted ? "" : "about ", (unsigned long long)sampling->events,
		(unsigned long long)all);
}

/* Says that a sample takes too long for as many as were asked for. */
static void print_slowed(const struct sampling *sampling, FILE *file)
{
	unsigned long long us = (unsigned long long)(sampling->cost + 999) / 1000;

	if (!sampling->cost)
		return;
	if (sampling->period)
		fprintf(file, " one in %llu, not in %llu", (unsigned long long)sampling->period,
			(unsigned long long)sampling->asked);
	else
		fprintf(file, " %llu a second, not %llu", (unsigned long long)sampling->frequency,
			(unsigned long long)sampling->asked);
	fprintf(file,
		": a sample takes %llu us here, and all together may take a quarter of a "
		"processor's time\n",
		us);
}

/* Says what was lost since perfex read more slowly than the kernel wrote. */
static void print_lost(const struct sampling *sampling, FILE *file)
{
	uint64_t lost = samplers_lost(sampling->samplers);
	double seconds;
	uint64_t stops = samplers_stops(sampling->samplers, &seconds);

	if (lost)
		fprintf(file,
			" %llu record%s lost: perfex could not keep up, take fewer samples "
			"(-c, -F)\n",
			(unsigned long long)lost, lost == 1 ? " was" : "s were");
	if (lost && sampling->filled)
		fprintf(file,
			" samples may take no more than half of the room in %s, which was full %llu "
			"time%s: set TMPDIR to a larger directory\n",
			spool_directory(), (unsigned long long)sampling->filled,
			sampling->filled == 1 ? "" : "s");
	if (stops)
		fprintf(file,
			" samples are missing: more records were lost than read, and from then on "
			"the event was stopped while perfex read, %llu time%s, %.3f s in all; take fewer "
			"(-c, -F)\n",
			(unsigned long long)stops, stops == 1 ? "" : "s", seconds);
}

/* Says which names are missing, or may be wrong. */
static void print_names(const struct sampling *sampling, FILE *file)
{
	uint64_t rewritten = histogram_rewritten(sampling->histogram);
	bool replaced;
	const char *missing = histogram_missing(sampling->histogram, &replaced);

	if (access("/proc/self", F_OK) < 0)
		fputs(" names are missing: /proc, by which files are found, is not mounted\n",
		      file);
	if (missing) {
		fputs(" names are missing: ", file);
		text_terminal(file, missing, 0);
		fputs(replaced ? " was replaced meanwhile\n"
			       : " is not seen from here: it was removed, or its mount namespace "
				 "can't be entered\n",
		      file);
	}
	if (rewritten)
		fprintf(file,
			" %llu sample%s in code that a compiler replaced during the run, and %s the "
			"name of the last function there\n",
			(unsigned long long)rewritten, rewritten == 1 ? " is" : "s are",
			rewritten == 1 ? "has" : "have");
}

/* Says why functions that were inlined in others are not among the calls. */
static void print_inlined(const struct sampling *sampling, FILE *file)
{
	const char *reason = libdw_load(),
		   *slow = reason ? NULL : histogram_slow(sampling->histogram);

	if (reason)
		fprintf(file, " inlined functions are not shown: %s\n", reason);
	if (!slow)
		return;
	fputs(" inlined functions are missing: the debugging information takes too long to read, of ",
	      file);
	text_terminal(file, slow, 0);
	fputc('\n', file);
}

/* Says which samples are missing. */
static void print_doubts(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	if (sampling->why_clock)
		fprintf(file, " the clock was sampled in place of cycles: %s\n",
			sampling->why_clock);
	if (sampling->user_only)
		print_left_out(end, file);
	print_slowed(sampling, file);
	print_lost(sampling, file);
	if (sampling->throttled)
		fprintf(file,
			" samples are missing: the kernel stopped the event until its next tick, %llu "
			"time%s, since more came than kernel.perf_event_max_sample_rate allows; take fewer "
			"(-c, -F)\n",
			(unsigned long long)sampling->throttled,
			sampling->throttled == 1 ? "" : "s");
	print_events(sampling, file);
	if (sampling->own > histogram_samples(sampling->histogram) / 100)
		fprintf(file, " %llu sample%s of perfex itself %s left out\n",
			(unsigned long long)sampling->own, sampling->own == 1 ? "" : "s",
			sampling->own == 1 ? "is" : "are");
	print_names(sampling, file);
	if (samplers_check(sampling->samplers) < 0)
		fprintf(file, " samples are missing: %s\n", perfctr_error());
	if (sampling->spool)
		print_unwound(sampling, file);
	else
		print_cut(sampling, file);
	if (sampling->request.calls)
		print_inlined(sampling, file);
	if (sampling->sources.samples && sampling->sources.silent == sampling->sources.samples)
		fputs(" no sample says where its data came from: take a load or store that the "
		      "processor samples precisely (:pp), or AMD's ibs_op//\n",
		      file);
	if (sampling->stacks && histogram_samples(sampling->histogram) && !sampling->predicted &&
	    !sampling->mispredicted)
		fputs(" this processor does not say which branches were mispredicted\n", file);
	if (sampling->bad)
		fprintf(file, " records were left out: %s\n", perfctr_error());
}

/* Prints the number of samples, and which are missing. */
static void print_sum(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	uint64_t number = sampling->request.kind == PLACE_SOURCE
				  ? sampling->sources.samples
				  : histogram_samples(sampling->histogram);

	fputs("\n ", file);
	if (sampling->request.kind == PLACE_BRANCH) {
		fprintf(file, "%llu branch%s before ", (unsigned long long)number,
			number == 1 ? "" : "es");
		number = sampling->stacks;
	}
	fprintf(file, "%llu sample%s\n", (unsigned long long)number, number == 1 ? "" : "s");
	print_processors(sampling, file);
	print_doubts(sampling, end, file);
	fputc('\n', file);
}

/* Prints the output of a function, in lines that fit. */
static void print_lines(void (*print)(struct sampling *sampling, const struct run_end *end,
				      FILE *file),
			struct sampling *sampling, const struct run_end *end, FILE *file)
{
	char *text = NULL;
	size_t size;
	FILE *lines = need(open_memstream(&text, &size));

	print(sampling, end, lines);
	if (fclose(lines) != 0)
		need(NULL);
	fit_lines(file, text, 2);
	free(text);
}

static void print_table(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	print_lines(print_subject, sampling, end, file);
	if (sampling->request.kind == PLACE_SOURCE)
		sources_print(&sampling->sources, file);
	else
		histogram_print(sampling->histogram, file, sampling->request.kind);
	print_lines(print_sum, sampling, end, file);
}

void sampling_end(struct sampling *sampling, double seconds)
{
	samplers_disable(sampling->samplers, seconds);
	sampling_read(sampling);
	if (sampling->spool)
		use_spool(sampling);
}

struct files {
	struct perf_data_file *file;
	size_t n;
};

static void add_file(void *arg, const char *name, const uint8_t *id, uint32_t size)
{
	struct files *files = arg;

	files->file = need(reallocarray(files->file, files->n + 1, sizeof(*files->file)));
	files->file[files->n] = (struct perf_data_file){ .name = name, .size = size };
	memcpy(files->file[files->n++].id, id, size);
}

/* Ends the file for perf, with the build IDs of the files that have samples, and of the kernel. */
static void end_data(struct sampling *sampling)
{
	struct files files = { NULL, 0 };
	uint8_t id[20];
	uint32_t size = sampling->attr.exclude_kernel ? 0 : maps_kernel_id(id);

	histogram_build_ids(sampling->histogram, add_file, &files);
	if (size)
		add_file(&files, "[kernel.kallsyms]", id, size);
	sampling->request.about.files = files.file;
	sampling->request.about.nfiles = files.n;
	if (perf_data_end(sampling->request.data, &sampling->attr, &sampling->request.about) < 0)
		die("the samples could not be written: %s", strerror(errno));
	free(files.file);
}

void sampling_print(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	FILE *door;

	sampling->request.about.event = sampling->event;
	if (sampling->request.data)
		end_data(sampling);
	if (sampling->request.folded)
		histogram_fold(sampling->histogram, sampling->request.threads, file);
	door = terminal_open(sampling->request.folded || sampling->request.data ? stderr : file);
	if (!sampling->request.folded) {
		print_table(sampling, end, door);
	} else {
		if (!histogram_samples(sampling->histogram))
			fputs(" 0 samples: it did not run, or the event is too rare (-c, -F)\n",
			      door);
		print_lines(print_doubts, sampling, end, door);
	}
	terminal_close(door);
}

/* Prints the lines of a text as strings. */
static void print_strings(FILE *file, char *text)
{
	const char *before = "";
	char *line;

	while ((line = strtok_r(text, "\n", &text))) {
		text_json(file, before, line + strspn(line, " "));
		before = ",";
		text = text ? text : line + strlen(line);
	}
}

static void print_json_doubts(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	char *text = NULL;
	size_t size;
	FILE *lines = need(open_memstream(&text, &size));

	print_processors(sampling, lines);
	print_doubts(sampling, end, lines);
	if (fclose(lines) != 0)
		need(NULL);
	fputs("\"doubts\":[", file);
	print_strings(file, text);
	fputs("],", file);
	free(text);
}

void sampling_json(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	bool timed = !sampling->period;

	text_json(file, "\"event\":", sampling->event);
	fprintf(file, ",\"%s\":%llu,\"samples\":%llu,\"lost\":%llu,",
		timed ? "frequency" : "period",
		(unsigned long long)(timed ? sampling->frequency : sampling->period),
		(unsigned long long)histogram_samples(sampling->histogram),
		(unsigned long long)samplers_lost(sampling->samplers));
	print_json_doubts(sampling, end, file);
	calls_json(sampling->histogram, file);
}
