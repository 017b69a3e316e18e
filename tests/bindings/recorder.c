// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library's functions as bindings call them, made up: each notes its arguments, and gives out
 * values of their own, or fails. A program that is linked with this before the library calls these.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* Bindings without inline functions call the library's functions of these names. */
#define perfctr_set_unit     inline_unit
#define perfctr_region_begin inline_begin
#define perfctr_region_end   inline_end
#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#undef perfctr_set_unit
#undef perfctr_region_begin
#undef perfctr_region_end
int perfctr_set_unit(const struct perfctr_set *set, unsigned int i, double *scale,
		     const char **unit);
void perfctr_region_begin(struct perfctr_region *of);
void perfctr_region_end(struct perfctr_region *of);

enum { SET = 0x100, LIST = 0x200, METRICS = 0x300, SAMPLER = 0x400, REGION = 9 };
enum { VPERFCTR = 0x500, RVPERFCTR = 0x600, GPERFCTR = 0x700, TOTAL = 0x800 };

static char line[1024];
static int fails;

/*
 * For the programs: the calls since the last time; whether those that come fail: 1, all do; -1, the
 * next one does.
 */
const char *recorded(void);
void recorder_fails(int now);

const char *recorded(void)
{
	static char given[sizeof(line)];

	strcpy(given, line);
	*line = '\0';
	return given;
}

void recorder_fails(int now)
{
	fails = now;
}

/* Notes a call; returns its status. */
static __attribute__((format(printf, 1, 2))) int note(const char *format, ...)
{
	size_t n = strlen(line);
	va_list list;

	n += (size_t)snprintf(line + n, sizeof(line) - n, "%s", n ? "; " : "");
	va_start(list, format);
	vsnprintf(line + n, sizeof(line) - n, format, list);
	va_end(list);
	if (!fails)
		return 0;
	if (fails < 0)
		fails = 0;
	errno = EXDEV;
	return -1;
}

static void *opened(int status, unsigned long handle)
{
	return status < 0 ? NULL : (void *)handle;
}

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static const char *target_text(const struct perfctr_target *target)
{
	static char text[128];

	if (target)
		snprintf(text, sizeof(text), "%u:%d:%d:%s", target->type, target->id, target->cpu,
			 or_none(target->cgroup));
	return target ? text : "-";
}

static void fill(struct perfctr_reading *readings, unsigned int n)
{
	unsigned int k;

	for (k = 0; k < n && !fails; k++)
		readings[k] = (struct perfctr_reading){ 100 * k + 1, 100 * k + 2, 100 * k + 3,
							PERFCTR_SCALED, 0 };
}

static void fill_sum(struct perfctr_sum_ctrs *sum)
{
	if (sum && !fails) {
		sum->tsc = 71;
		sum->pmc[0] = 72;
	}
}

#define NUMBER(object) ((unsigned long)(object))

/* A call whose only argument is an object. */
#define PLAIN(function, type)                                                        \
	int function(type *object)                                                   \
	{                                                                            \
		return note("%s %lx", &#function[PREFIX(function)], NUMBER(object)); \
	}
#define PREFIX(function) (#function[0] == 'p' ? 8 : 0) /* without "perfctr_" */
/* Closing nothing is allowed, and is no call that matters. */
#define CLOSE(function, type)                                                         \
	void function(type *object)                                                   \
	{                                                                             \
		if (object)                                                           \
			note("%s %lx", &#function[PREFIX(function)], NUMBER(object)); \
	}

const char *perfctr_error(void)
{
	return "made up";
}

uint64_t perfctr_reading_estimate(const struct perfctr_reading *reading)
{
	return reading->value * 1000 + reading->enabled * 100 + reading->running * 10 +
	       reading->quality;
}

const char *perfctr_provider_name(void)
{
	return note("provider_name") < 0 ? NULL : "provider";
}

/* ---- sets ---- */

struct perfctr_set *perfctr_set_open(const char *events, const struct perfctr_target *target,
				     unsigned int flags)
{
	return opened(note("set_open %s %s %x", events, target_text(target), flags), SET);
}

struct perfctr_set *perfctr_set_open_control(const struct perfctr_cpu_control *control,
					     const struct perfctr_target *target,
					     unsigned int flags)
{
	return opened(note("set_open_control %u %s %x", control->tsc_on, target_text(target),
			   flags),
		      SET);
}

unsigned int perfctr_set_size(const struct perfctr_set *set)
{
	return set ? 2 : 0;
}

const char *perfctr_set_name(const struct perfctr_set *set, unsigned int i)
{
	static const char *const names[] = { "first", "second" };

	return set && i < 2 ? names[i] : NULL;
}

static void fill_event(unsigned int i, struct perfctr_list_event *event)
{
	*event = (struct perfctr_list_event){ .name = "a name",
					      .unit = "a unit",
					      .reason = i == 7 ? NULL : "a reason",
					      .scale = 1.5,
					      .item = 3,
					      .nvariants = 4,
					      .flags = 1u << i };
}

int perfctr_set_event(const struct perfctr_set *set, unsigned int i,
		      struct perfctr_list_event *event)
{
	int status = note("set_event %lx %u", NUMBER(set), i);

	if (status == 0)
		fill_event(i, event);
	return status;
}

int perfctr_set_unit(const struct perfctr_set *set, unsigned int i, double *scale,
		     const char **unit)
{
	*scale = 1.5;
	*unit = "a unit";
	return note("set_unit %lx %u", NUMBER(set), i);
}

PLAIN(perfctr_set_enable, struct perfctr_set)
PLAIN(perfctr_set_disable, struct perfctr_set)
PLAIN(perfctr_set_reset, struct perfctr_set)
PLAIN(perfctr_set_check, const struct perfctr_set)
CLOSE(perfctr_set_close, struct perfctr_set)

int perfctr_set_read(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	fill(readings, set ? 2 : 0);
	return note("set_read %lx", NUMBER(set));
}

int perfctr_set_read_part(const struct perfctr_set *set, unsigned int p,
			  struct perfctr_reading *readings)
{
	fill(readings, set ? 2 : 0);
	return note("set_read_part %lx %u", NUMBER(set), p);
}

int perfctr_set_read_thread(const struct perfctr_set *set, pid_t tid,
			    struct perfctr_reading *readings)
{
	fill(readings, set ? 2 : 0);
	return note("set_read_thread %lx %d", NUMBER(set), (int)tid);
}

unsigned int perfctr_set_parts(const struct perfctr_set *set)
{
	return set ? 20 : 0;
}

int perfctr_set_part(const struct perfctr_set *set, unsigned int p, struct perfctr_part *part)
{
	*part = (struct perfctr_part){ .tid = 11, .cpu = 12, .pmu = "a PMU" };
	return note("set_part %lx %u", NUMBER(set), p);
}

int perfctr_set_id(const struct perfctr_set *set, unsigned int p, unsigned int i, uint64_t *id)
{
	*id = 77;
	return note("set_id %lx %u %u", NUMBER(set), p, i);
}

/* Nothing can be read inline. */
static const struct perf_event_mmap_page no_page;

int perfctr_set_reader(const struct perfctr_set *set, unsigned int i, struct perfctr_reader *reader)
{
	*reader = (struct perfctr_reader){ .page = &no_page, .base = i };
	return note("set_reader %lx %u", NUMBER(set), i);
}

int perfctr_enable_all(void)
{
	return note("enable_all");
}

int perfctr_disable_all(void)
{
	return note("disable_all");
}

/* ---- lists of events ---- */

struct perfctr_list *perfctr_list_resolve(const char *events, unsigned int flags)
{
	return opened(note("list_resolve %s %x", events, flags), LIST);
}

CLOSE(perfctr_list_free, struct perfctr_list)

unsigned int perfctr_list_size(const struct perfctr_list *list)
{
	return list ? 3 : 0;
}

int perfctr_list_event(const struct perfctr_list *list, unsigned int i,
		       struct perfctr_list_event *event)
{
	int status = note("list_event %lx %u", NUMBER(list), i);

	if (status == 0)
		fill_event(i, event);
	return status;
}

int perfctr_list_attr(const struct perfctr_list *list, unsigned int i, unsigned int k,
		      struct perf_event_attr *attr, const char **pmu, uint32_t *cpus,
		      unsigned int nwords)
{
	memset(attr, 0, sizeof(*attr));
	attr->config = 81;
	if (pmu)
		*pmu = "a PMU";
	if (cpus)
		*cpus = 82;
	return note("list_attr %lx %u %u %u", NUMBER(list), i, k, nwords);
}

int perfctr_event_check(const char *event)
{
	return note("event_check %s", event);
}

/* Hands out the same thing twice, unless the caller stops. */
#define HAND_OUT(status, what) ((status) < 0 ? -1 : each(arg, what) ? 1 : each(arg, what))

static const struct perfctr_event_name event_name = { "a name", "a kind", "a description" };

int perfctr_event_list(const char *kind, int (*each)(void *, const struct perfctr_event_name *),
		       void *arg)
{
	return HAND_OUT(note("event_list %s", or_none(kind)), &event_name);
}

int perfctr_cpu_event_list(const char *cpu, int (*each)(void *, const struct perfctr_event_name *),
			   void *arg)
{
	return HAND_OUT(note("cpu_event_list %s", or_none(cpu)), &event_name);
}

int perfctr_cpu_list(int (*each)(void *, const struct perfctr_event_name *), void *arg)
{
	return HAND_OUT(note("cpu_list"), &event_name);
}

static const struct perfctr_metric a_metric = { .name = "a name", .unit = "a unit" };

int perfctr_metrics_list(const char *cpu, int (*each)(void *, const struct perfctr_metric *),
			 void *arg)
{
	return HAND_OUT(note("metrics_list %s", or_none(cpu)), &a_metric);
}

int perfctr_doctor(int (*each)(void *, const struct perfctr_check *), void *arg)
{
	static const struct perfctr_check checks[] = { { "a name", "a state", "a remedy", 1 },
						       { "other", "", "", 0 } };

	return note("doctor") < 0 || each(arg, &checks[0]) ? -1 : each(arg, &checks[1]);
}

/* ---- metrics ---- */

struct perfctr_metrics *perfctr_metrics_open(const char *names, const char *cpu)
{
	return opened(note("metrics_open %s %s", names, or_none(cpu)), METRICS);
}

CLOSE(perfctr_metrics_close, struct perfctr_metrics)

unsigned int perfctr_metrics_size(const struct perfctr_metrics *metrics)
{
	return metrics ? 9 : 0;
}

const char *perfctr_metrics_events(const struct perfctr_metrics *metrics, unsigned int *n)
{
	if (n)
		*n = metrics ? 2 : 0;
	return metrics ? "first,second" : NULL;
}

int perfctr_metrics_metric(const struct perfctr_metrics *metrics, unsigned int i,
			   struct perfctr_metric *metric)
{
	*metric = a_metric;
	return note("metrics_metric %lx %u", NUMBER(metrics), i);
}

int perfctr_metrics_value(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *readings,
			  struct perfctr_metric_value *value)
{
	int status = note("metrics_value %lx %u %llu", NUMBER(metrics), i,
			  (unsigned long long)perfctr_reading_estimate(&readings[1]));

	if (status == 0)
		*value = (struct perfctr_metric_value){ .value = 2.5,
							.reason = i == 7 ? "a reason" : NULL,
							.quality = PERFCTR_STALE,
							.beyond = i == 6 };
	return status;
}

int perfctr_metrics_error(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *parts, unsigned int n, double *error)
{
	*error = 3.5;
	return note("metrics_error %lx %u %llu %u", NUMBER(metrics), i,
		    (unsigned long long)perfctr_reading_estimate(&parts[2 * n - 1]), n);
}

/* ---- samplers ---- */

struct perfctr_sampler *perfctr_sampler_open(const char *events,
					     const struct perfctr_target *target,
					     const struct perfctr_sampler_config *config)
{
	return opened(note("sampler_open %s %s %llu %x", events, target_text(target),
			   (unsigned long long)config->period, config->flags),
		      SAMPLER);
}

PLAIN(perfctr_sampler_enable, struct perfctr_sampler)
PLAIN(perfctr_sampler_disable, struct perfctr_sampler)
PLAIN(perfctr_sampler_check, const struct perfctr_sampler)
CLOSE(perfctr_sampler_close, struct perfctr_sampler)

int perfctr_sampler_fd(const struct perfctr_sampler *sampler)
{
	return note("sampler_fd %lx", NUMBER(sampler)) < 0 ? -1 : 23;
}

int perfctr_sampler_refresh(struct perfctr_sampler *sampler, unsigned int samples)
{
	return note("sampler_refresh %lx %u", NUMBER(sampler), samples);
}

int perfctr_sampler_set_period(struct perfctr_sampler *sampler, uint64_t period)
{
	return note("sampler_set_period %lx %llu", NUMBER(sampler), (unsigned long long)period);
}

/* A sample, and then another record, and then none. */
static const struct perfctr_record records[] = {
	{ .type = PERF_RECORD_SAMPLE, .size = 2, .bytes = "xyz", .as.sample.ip = 24 },
	{ .type = PERF_RECORD_FORK, .size = 1, .bytes = "xyz" },
};

int perfctr_sampler_next(struct perfctr_sampler *sampler, const struct perfctr_record **record)
{
	static unsigned int turn;
	unsigned int now = turn++ % 3;
	int status = note("sampler_next %lx", NUMBER(sampler));

	if (status < 0)
		return -1;
	if (now < 2)
		*record = &records[now];
	return now < 2;
}

int perfctr_sampler_each(struct perfctr_sampler *sampler,
			 int (*each)(void *, const struct perfctr_record *), void *arg)
{
	int status = note("sampler_each %lx", NUMBER(sampler));

	if (status == 0)
		status = each(arg, &records[0]);
	return status ? status : each(arg, &records[1]);
}

int perfctr_sampler_next_aux(struct perfctr_sampler *sampler, const struct perfctr_aux **aux)
{
	static const struct perfctr_aux one = { .size = 25 };

	*aux = &one;
	return note("sampler_next_aux %lx", NUMBER(sampler)) < 0 ? -1 : 1;
}

int perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost)
{
	*lost = 21;
	return note("sampler_lost %lx", NUMBER(sampler));
}

int perfctr_sampler_count(struct perfctr_sampler *sampler, unsigned int i, uint64_t *count)
{
	*count = 22;
	return note("sampler_count %lx %u", NUMBER(sampler), i);
}

/* A text of which the length is known before. */
#define TEXT(function, argument, format, value)                      \
	size_t perfctr_##function(argument, char *text, size_t size) \
	{                                                            \
		note(#function " " format, value);                   \
		return (size_t)snprintf(text, size, "a text");       \
	}

TEXT(data_src_text, uint64_t data_src, "%llu", (unsigned long long)data_src)
TEXT(transaction_text, uint64_t transaction, "%llu", (unsigned long long)transaction)
TEXT(branch_text, const struct perf_branch_entry *branch, "%llu", (unsigned long long)branch->from)

size_t perfctr_ibs_op_text(const void *raw, uint64_t n, char *text, size_t size)
{
	note("ibs_op_text %d %llu", *(const char *)raw, (unsigned long long)n);
	return (size_t)snprintf(text, size, "a text");
}

size_t perfctr_ibs_fetch_text(const void *raw, uint64_t n, char *text, size_t size)
{
	note("ibs_fetch_text %d %llu", *(const char *)raw, (unsigned long long)n);
	return (size_t)snprintf(text, size, "a text");
}

/* ---- regions ---- */

static struct perfctr_region region = { .name = "a region", .id = REGION };

struct perfctr_region *perfctr_region_by_name(const char *name)
{
	return note("region_by_name %s", name) < 0 ? NULL : &region;
}

void perfctr_region_begin(struct perfctr_region *of)
{
	note("region_begin %u", of->id);
}

void perfctr_region_end(struct perfctr_region *of)
{
	note("region_end %u", of->id);
}

static void fill_region(struct perfctr_region_reading *reading)
{
	unsigned int k;

	*reading = (struct perfctr_region_reading){ .visits = 31,
						    .unfinished = 32,
						    .uncounted = 33,
						    .nvalues = 2,
						    .bytes_inclusive = 34,
						    .bytes_exclusive = 35 };
	for (k = 0; k < 2; k++)
		reading->value[k] = (struct perfctr_region_value){ .inclusive = 10 * k + 41,
								   .exclusive = 10 * k + 42,
								   .quality = PERFCTR_ESTIMATE + k,
								   .error = 10 * k + 43 };
}

int perfctr_region_read(const struct perfctr_region *of, struct perfctr_region_reading *reading)
{
	fill_region(reading);
	return note("region_read %u", of->id);
}

int perfctr_region_read_all(const struct perfctr_region *of, struct perfctr_region_reading *reading)
{
	fill_region(reading);
	return note("region_read_all %u", of->id);
}

int perfctr_region_reset(struct perfctr_region *of)
{
	return note("region_reset %u", of->id);
}

void perfctr_region_add_communication(uint64_t ns)
{
	note("region_add_communication %llu", (unsigned long long)ns);
}

void perfctr_region_add_bytes(uint64_t bytes)
{
	note("region_add_bytes %llu", (unsigned long long)bytes);
}

int perfctr_regions_start(const char *events, unsigned int keep)
{
	return note("regions_start %s %x", events, keep);
}

int perfctr_regions_start_metrics(const char *events, const char *metrics, unsigned int keep)
{
	return note("regions_start_metrics %s %s %x", events, metrics, keep);
}

int perfctr_regions_stop(void)
{
	return note("regions_stop");
}

int perfctr_regions_thread(void)
{
	return note("regions_thread");
}

int perfctr_regions_report(const char *file, unsigned int format)
{
	return note("regions_report %s %u", or_none(file), format);
}

int perfctr_regions_recover(const char *left, const char *file, unsigned int format)
{
	return note("regions_recover %s %s %u", left, or_none(file), format);
}

/* ---- controls ---- */

struct vperfctr *vperfctr_open_mode(unsigned int mode)
{
	return opened(note("vperfctr_open_mode %x", mode), VPERFCTR);
}

int vperfctr_control(const struct vperfctr *self, struct vperfctr_control *control)
{
	return note("vperfctr_control %lx %x", NUMBER(self), control->flags);
}

PLAIN(vperfctr_stop, const struct vperfctr)
PLAIN(vperfctr_pause, const struct vperfctr)
PLAIN(vperfctr_resume, const struct vperfctr)
PLAIN(vperfctr_iresume, const struct vperfctr)
PLAIN(vperfctr_unlink, const struct vperfctr)
CLOSE(vperfctr_close, struct vperfctr)

int vperfctr_is_running(const struct vperfctr *self)
{
	return note("vperfctr_is_running %lx", NUMBER(self)) < 0 ? 0 : 1;
}

unsigned long long vperfctr_read_tsc(const struct vperfctr *self)
{
	return note("vperfctr_read_tsc %lx", NUMBER(self)) < 0 ? ~0ULL : 51;
}

unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i)
{
	return note("vperfctr_read_pmc %lx %u", NUMBER(self), i) < 0 ? ~0ULL : 52;
}

int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	fill_sum(sum);
	return note("vperfctr_read_ctrs %lx", NUMBER(self));
}

int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control)
{
	fill_sum(sum);
	control->flags = 53;
	return note("vperfctr_read_state %lx", NUMBER(self));
}

int vperfctr_read_quality(const struct vperfctr *self, unsigned int i,
			  struct perfctr_reading *reading)
{
	fill(reading, 1);
	return note("vperfctr_read_quality %lx %u", NUMBER(self), i);
}

int vperfctr_reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader)
{
	*reader = (struct perfctr_reader){ .page = &no_page };
	return note("vperfctr_reader %lx %u", NUMBER(self), i);
}

unsigned int vperfctr_ovf_mask(const struct vperfctr *self, const void *siginfo)
{
	note("vperfctr_ovf_mask %lx %d", NUMBER(self), siginfo != NULL);
	return 54;
}

#define INFO(function, type)                                      \
	int function(const type *self, struct perfctr_info *info) \
	{                                                         \
		info->cpu_type = 55;                              \
		return note("%s %lx", #function, NUMBER(self));   \
	}

INFO(vperfctr_info, struct vperfctr)
INFO(rvperfctr_info, struct rvperfctr)
INFO(gperfctr_info, struct gperfctr)

struct rvperfctr *rvperfctr_open(int pid)
{
	return opened(note("rvperfctr_open %d", pid), RVPERFCTR);
}

int rvperfctr_control(const struct rvperfctr *self, struct vperfctr_control *control)
{
	return note("rvperfctr_control %lx %x", NUMBER(self), control->flags);
}

int rvperfctr_read_ctrs(const struct rvperfctr *self, struct perfctr_sum_ctrs *sum)
{
	fill_sum(sum);
	return note("rvperfctr_read_ctrs %lx", NUMBER(self));
}

int rvperfctr_read_state(const struct rvperfctr *self, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control)
{
	fill_sum(sum);
	control->flags = 61;
	return note("rvperfctr_read_state %lx", NUMBER(self));
}

int rvperfctr_pid(const struct rvperfctr *self)
{
	return note("rvperfctr_pid %lx", NUMBER(self)) < 0 ? -1 : 62;
}

PLAIN(rvperfctr_stop, const struct rvperfctr)
PLAIN(rvperfctr_iresume, const struct rvperfctr)
PLAIN(rvperfctr_unlink, const struct rvperfctr)
CLOSE(rvperfctr_close, struct rvperfctr)

struct gperfctr *gperfctr_open(void)
{
	return opened(note("gperfctr_open"), GPERFCTR);
}

int gperfctr_control(const struct gperfctr *self, struct gperfctr_cpu_control *control)
{
	return note("gperfctr_control %lx %u", NUMBER(self), control->cpu) < 0 ? -1 : 63;
}

int gperfctr_start(const struct gperfctr *self, unsigned int interval)
{
	return note("gperfctr_start %lx %u", NUMBER(self), interval) < 0 ? -1 : 64;
}

int gperfctr_read(const struct gperfctr *self, struct gperfctr_cpu_state *state)
{
	fill_sum(&state->sum);
	return note("gperfctr_read %lx %u", NUMBER(self), state->cpu);
}

PLAIN(gperfctr_stop, const struct gperfctr)
CLOSE(gperfctr_close, struct gperfctr)

struct perfctr_total *perfctr_total_create(void)
{
	return opened(note("total_create"), TOTAL);
}

int perfctr_total_add(struct perfctr_total *total, const struct vperfctr *self)
{
	return note("total_add %lx %lx", NUMBER(total), NUMBER(self));
}

int perfctr_total_read(struct perfctr_total *total, struct perfctr_sum_ctrs *sum,
		       unsigned int *nthreads)
{
	fill_sum(sum);
	*nthreads = 65;
	return note("total_read %lx", NUMBER(total));
}

CLOSE(perfctr_total_destroy, struct perfctr_total)

int perfctr_cpu_native(const char **id, const char **name)
{
	*id = "an id";
	*name = "a name";
	return note("cpu_native");
}
