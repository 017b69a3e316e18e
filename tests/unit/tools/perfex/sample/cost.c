// SPDX-License-Identifier: LGPL-2.1-or-later
/* The time that a sample takes, on machines that the test makes up, whose clocks it turns. */
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/sample/cost.h"

struct perfctr_sampler {
	uint64_t ran, next; /* ns of the thread; when the next sample comes */
	int opened, closed;
};

static struct perfctr_sampler made;
static struct perfctr_record record;
static uint64_t clock_ns, cost, turn, rarely, lengths[9];
static unsigned int taken;
static int refusal;

struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config);
void __wrap_perfctr_sampler_close(struct perfctr_sampler *sampler);
int __wrap_perfctr_sampler_next(struct perfctr_sampler *sampler,
				const struct perfctr_record **next);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);

struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config)
{
	ck_assert_str_eq(event, "cpu-clock:u");
	ck_assert_ptr_null(target);
	/* Seldom enough to leave time on any machine, of this thread alone, with all that costs. */
	ck_assert_uint_eq(config->period, 250000);
	ck_assert_uint_eq(config->frequency, 0);
	ck_assert_uint_eq(config->pages, 0);
	ck_assert_uint_eq(config->fields, PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER);
	ck_assert_uint_eq(config->user_stack, 256);
	ck_assert_uint_eq(config->flags, PERFCTR_MULTIPLEX | PERFCTR_SAMPLER_NO_USER_CHAIN);
	if (refusal) {
		errno = refusal;
		return NULL;
	}
	memset(&made, 0, sizeof(made));
	made.next = rarely ? UINT64_MAX : config->period;
	made.opened++;
	return &made;
}

void __wrap_perfctr_sampler_close(struct perfctr_sampler *sampler)
{
	sampler->closed++;
}

int __wrap_perfctr_sampler_next(struct perfctr_sampler *sampler, const struct perfctr_record **next)
{
	clock_ns += turn;
	sampler->ran += turn;
	if (sampler->ran < sampler->next)
		return 0;
	*next = &record;
	sampler->next += 250000;
	clock_ns += cost + lengths[taken];
	taken++;
	return 1;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
	ck_assert_int_eq(id, CLOCK_MONOTONIC);
	time->tv_sec = (time_t)(clock_ns / 1000000000);
	time->tv_nsec = (long)(clock_ns % 1000000000);
	return 0;
}

static uint64_t measure(void)
{
	const struct perfctr_sampler_config config = {
		.frequency = 100000,
		.pages = 512,
		.fields = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER,
		.user_stack = 256,
		.flags = PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC |
			 PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_TASK |
			 PERFCTR_SAMPLER_NO_USER_CHAIN,
	};
	uint64_t result;

	taken = 0;
	result = cost_measure("cpu-clock:u", &config);
	ck_assert_int_eq(made.opened, made.closed);
	return result;
}

/* Two turns of the loop are in it. */
START_TEST(median)
{
	static const uint64_t other[9] = { 0, 5000000, 40, 0, 3000, 70000, 0, 20, 0 };

	turn = 50;
	for (cost = 1000; cost <= 100000; cost *= 10) {
		memset(lengths, 0, sizeof(lengths));
		ck_assert_uint_eq(measure(), cost + 2 * turn);
		ck_assert_uint_eq(taken, 9);
		/* Four of nine take longer, because something else ran. */
		memcpy(lengths, other, sizeof(lengths));
		ck_assert_uint_eq(measure(), cost + 2 * turn + 20);
	}
}
END_TEST

/* It gives up after half a second, and where the event is refused. */
START_TEST(no_samples)
{
	uint64_t begin = clock_ns;

	turn = 50;
	rarely = 1;
	ck_assert_uint_eq(measure(), 0);
	ck_assert_uint_eq((clock_ns - begin) / 100, 5000000);
	rarely = 0;
	refusal = EACCES;
	ck_assert_uint_eq(measure(), 0);
	refusal = 0;
}
END_TEST

START_TEST(shortest)
{
	ck_assert_uint_eq(cost_shortest(0), 0);
	ck_assert_uint_eq(cost_shortest(1), 4000);
	ck_assert_uint_eq(cost_shortest(1000), 4000);
	ck_assert_uint_eq(cost_shortest(16401), 68000);
	ck_assert_uint_eq(cost_shortest(100000), 400000);
}
END_TEST

UNIT_MAIN("cost", 20, median, no_samples, shortest)
