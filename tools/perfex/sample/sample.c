// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/calls.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/maps.h"
#include "tools/perfex/sample/perf_data.h"
#include "tools/perfex/sample/sample.h"
#include "tools/perfex/sample/samplers.h"
#include "tools/perfex/sample/sources.h"
#include "tools/perfex/sample/unwind.h"
#include "tools/perfex/sample/weights.h"

#define DEFAULT_FREQUENCY 1000
#define STACKS_BUFFER	  ((uint32_t)2 << 20) /* bytes, for samples with stacks, if allowed */

struct sampling {
	char *event;
	char *plain;	 /* the event asked for; NULL: none, and any will do */
	bool user_only;	 /* the kernel's mode is forbidden */
	bool weighted;	 /* the kernel adapts the period */
	bool counted;	 /* and samples have the event's count */
	uint64_t weight; /* the field of samples that this kernel has */
	uint64_t period, frequency, bad, throttled;
	uint64_t events; /* that all samples stand for */
	struct sampling_request request;
	struct perf_event_attr attr; /* of the records, for later readers */
	struct samplers *samplers;
	struct histogram *histogram;
	struct sources sources;
	struct weights weights;
	uint64_t stacks, predicted, mispredicted; /* samples with branches; and these */
	struct unwinder *unwinder;		  /* NULL: there are frame pointers */
	uint64_t pointers;			  /* samples with a chain by frame pointers */
};

/* ---- records ---- */

static void use_mmap(void *arg, const struct perfctr_record_mmap *mmap)
{
	struct sampling *sampling = arg;
	const struct map map = { mmap->addr, mmap->length, mmap->offset,
				 histogram_file(sampling->histogram, mmap->pid, mmap->file) };

	histogram_map(sampling->histogram, mmap->pid, &map);
}

/* Notes a mapping from before the records. */
static void use_old_mmap(void *arg, const struct perfctr_record_mmap *mmap)
{
	struct sampling *sampling = arg;

	use_mmap(sampling, mmap);
	if (sampling->request.data)
		perf_data_mmap(sampling->request.data, &sampling->attr, mmap);
}

static void look_at_process(struct sampling *sampling, uint32_t pid)
{
	char name[16];

	maps_read(pid, name, use_old_mmap, sampling);
	if (!*name)
		return;
	histogram_name(sampling->histogram, pid, name);
	if (sampling->request.data)
		perf_data_name(sampling->request.data, &sampling->attr, pid, name);
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
	size_t n = unwind(sampling->unwinder, record->pid, sample, &user);

	if (!n)
		return false;
	while (nkernel < sample->nchain && sample->chain[nkernel] != (uint64_t)PERF_CONTEXT_USER)
		nkernel++;
	chain = need(calloc((size_t)nkernel + 1 + n, sizeof(*chain)));
	if (nkernel)
		memcpy(chain, sample->chain, (size_t)nkernel * sizeof(*chain));
	chain[nkernel] = (uint64_t)PERF_CONTEXT_USER;
	memcpy(chain + nkernel + 1, user, n * sizeof(*chain));
	histogram_chain(sampling->histogram, record->pid, chain, nkernel + 1 + n, events);
	free(chain);
	return true;
}

static void use_chain(struct sampling *sampling, const struct perfctr_record *record,
		      uint64_t events)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	if (sampling->unwinder && use_unwound(sampling, record, events))
		return;
	/* The kernel's threads have no registers of the user's, and nothing is missing. */
	sampling->pointers += sample->user.abi != PERF_SAMPLE_REGS_ABI_NONE;
	histogram_chain(sampling->histogram, record->pid, sample->chain, sample->nchain, events);
}

/* Notes the mappings at an address before it is counted. */
static void look_at_address(struct sampling *sampling, uint32_t pid, uint64_t address)
{
	if (histogram_is_new(sampling->histogram, pid, address))
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

static void use_place(struct sampling *sampling, const struct perfctr_record *record,
		      uint64_t events)
{
	const struct perfctr_record_sample *sample = &record->as.sample;

	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER) {
		look_at_address(sampling, record->pid, sample->ip);
		histogram_count(sampling->histogram, record->pid, sample->ip, events);
	} else {
		histogram_count_kernel(sampling->histogram, sample->ip, events);
	}
	if (sampling->request.calls)
		use_chain(sampling, record, events);
}

static void use_sample(struct sampling *sampling, const struct perfctr_record *record)
{
	uint64_t events = events_of(sampling, record);

	sampling->events += events;
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

static void use_comm(struct histogram *histogram, const struct perfctr_record *record)
{
	const struct perfctr_record_comm *comm = &record->as.comm;

	if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
		histogram_exec(histogram, comm->pid);
	if (comm->pid == comm->tid)
		histogram_name(histogram, comm->pid, comm->name);
}

static void use_record(void *arg, const struct perfctr_record *record)
{
	struct sampling *sampling = arg;

	switch (record->type) {
	case PERF_RECORD_SAMPLE: use_sample(sampling, record); break;
	case PERF_RECORD_MMAP2: use_mmap(sampling, &record->as.mmap); break;
	case PERF_RECORD_FORK:
		histogram_fork(sampling->histogram, record->as.task.pid, record->as.task.ppid);
		break;
	case PERF_RECORD_COMM: use_comm(sampling->histogram, record); break;
	case PERF_RECORD_THROTTLE: sampling->throttled++; break;
	}
	if (sampling->request.data)
		perf_data_record(sampling->request.data, record);
}

void sampling_read(struct sampling *sampling)
{
	histogram_turn(sampling->histogram);
	sampling->bad += samplers_each(sampling->samplers, use_record, sampling);
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
	attr->exclude_callchain_user = (config->flags & PERFCTR_SAMPLER_NO_USER_CHAIN) != 0;
	attr->exclude_callchain_kernel = (config->flags & PERFCTR_SAMPLER_NO_KERNEL_CHAIN) != 0;
}

/* Whether the kernel adapts the period of an event: it has made one of a clock's frequency. */
static bool adapts_period(const char *event, uint64_t frequency)
{
	struct perfctr_list *list = resolve(event);
	struct perfctr_list_event first;
	struct perf_event_attr attr;

	perfctr_list_event(list, 0, &first);
	perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0);
	perfctr_list_free(list);
	if (first.flags & PERFCTR_EVENT_TIME)
		return false;
	return attr.sample_period ? attr.freq : frequency != 0;
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

static struct samplers *open_targets(struct sampling *sampling, pid_t pid)
{
	const struct perfctr_target command = { .type = PERFCTR_TARGET_THREAD, .id = pid };
	const struct targets *targets = sampling->request.targets;
	const struct perfctr_target *target = targets->n ? targets->target : &command;
	unsigned int n = targets->n ? targets->n : 1;
	struct perfctr_sampler_config config;
	struct samplers *samplers;

	memset(&config, 0, sizeof(config));
	config.period = sampling->period;
	config.frequency = sampling->frequency;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.flags = PERFCTR_MULTIPLEX | PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_COMM |
		       PERFCTR_SAMPLER_TASK;
	if (!targets->n)
		config.flags |= PERFCTR_INHERIT | PERFCTR_ON_EXEC;
	else if (targets->target->type == PERFCTR_TARGET_PROCESS)
		config.flags |= PERFCTR_INHERIT;
	sampling->weighted = adapts_period(sampling->event, config.frequency);
	sampling->counted = false;
	if (sampling->weighted)
		config.fields |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID;
	if (sampling->request.calls)
		config.fields |= PERF_SAMPLE_CALLCHAIN;
	if (sampling->request.data)
		config.fields |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	take_kind(sampling, &config);
	if (sampling->request.stack)
		take_stacks(&config, sampling->request.stack);
	/* perf puts its own calls after these, and reads DWARF where it is mapped. */
	if (sampling->request.stack && sampling->request.data)
		config.flags |= PERFCTR_SAMPLER_NO_USER_CHAIN | PERFCTR_SAMPLER_MMAP_DATA;
	describe(sampling, &config);
	samplers = open_counted(sampling, target, n, config);
	return samplers ? samplers : samplers_open(sampling->event, target, n, &config);
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
	/* Without a PMU this uses the clock, which has no branches. */
	if (!sampling->samplers && !sampling->plain && sampling->request.kind != PLACE_BRANCH)
		open_event(sampling, "cpu-clock", pid);
}

void sampling_open(struct sampling *sampling, const struct sampling_request *request, pid_t pid)
{
	uint64_t start, length;
	unsigned int i;

	sampling->request = *request;
	if (request->stack && request->calls)
		sampling->unwinder = unwind_new(sampling->histogram, request->stack);
	if (request->data && perf_data_begin(request->data) < 0)
		die("--perf-data goes back to the file's beginning, and %s", strerror(errno));
	open_somehow(sampling, pid);
	if (!sampling->samplers && request->stack && (errno == EINVAL || errno == EOPNOTSUPP))
		blame_stacks(sampling, pid);
	if (!sampling->samplers)
		die("%s", perfctr_error());
	if (request->data && !sampling->attr.exclude_kernel && maps_kernel(&start, &length))
		perf_data_kernel(request->data, &sampling->attr, start, length);
	for (i = 0; i < request->targets->n; i++)
		if (request->targets->target[i].type == PERFCTR_TARGET_PROCESS)
			look_at_process(sampling, (uint32_t)request->targets->target[i].id);
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
	unwind_free(sampling->unwinder);
	histogram_free(sampling->histogram);
	sources_free(&sampling->sources);
	weights_free(&sampling->weights);
	free(sampling->plain);
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
	uint64_t cut = unwind_cut(sampling->unwinder);

	if (cut)
		fprintf(file,
			" %llu sample%s outer calls: its stack is longer than %u bytes "
			"(--call-graph dwarf,%u)\n",
			(unsigned long long)cut, cut == 1 ? " lacks" : "s lack",
			sampling->request.stack,
			sampling->request.stack > UNWIND_LARGEST / 2 ? UNWIND_LARGEST
								     : sampling->request.stack * 2);
	if (sampling->pointers)
		fprintf(file, " %llu sample%s calls by frame pointers: there is no DWARF\n",
			(unsigned long long)sampling->pointers,
			sampling->pointers == 1 ? " has" : "s have");
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

/* Says which samples are missing. */
static void print_doubts(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	uint64_t lost = samplers_lost(sampling->samplers);
	const char *replaced = histogram_replaced(sampling->histogram);

	if (sampling->user_only)
		print_left_out(end, file);

	if (lost)
		fprintf(file,
			" %llu record%s lost: perfex could not keep up, take fewer samples "
			"(-c, -F)\n",
			(unsigned long long)lost, lost == 1 ? " was" : "s were");
	if (sampling->throttled)
		fprintf(file,
			" samples are missing: the kernel stopped the event until its next tick, %llu "
			"time%s, since more came than kernel.perf_event_max_sample_rate allows; take fewer "
			"(-c, -F)\n",
			(unsigned long long)sampling->throttled,
			sampling->throttled == 1 ? "" : "s");
	print_events(sampling, file);
	if (access("/proc/self", F_OK) < 0)
		fputs(" names are missing: /proc, by which files are found, is not mounted\n",
		      file);
	if (replaced) {
		fputs(" names are missing: ", file);
		text_terminal(file, replaced, 0);
		fputs(" was replaced meanwhile\n", file);
	}
	if (samplers_check(sampling->samplers) < 0)
		fprintf(file, " samples are missing: %s\n", perfctr_error());
	if (sampling->unwinder)
		print_unwound(sampling, file);
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

void sampling_end(struct sampling *sampling)
{
	samplers_disable(sampling->samplers);
	sampling_read(sampling);
}

void sampling_print(struct sampling *sampling, const struct run_end *end, FILE *file)
{
	FILE *door;

	sampling->request.about.event = sampling->event;
	if (sampling->request.data &&
	    perf_data_end(sampling->request.data, &sampling->attr, &sampling->request.about) < 0)
		die("the samples could not be written: %s", strerror(errno));
	if (sampling->request.folded)
		histogram_fold(sampling->histogram, file);
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
