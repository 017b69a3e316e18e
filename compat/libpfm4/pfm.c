// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libpfm.so.4 over libperfctr: the functions that libpfm4's clients call. One lock is around all of
 * them. An event's number is that of its PMU, then its own in the PMU's list.
 */
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libperfctr.h>
#include "compat/libpfm4/abi.h"
#include "compat/libpfm4/encode.h"
#include "compat/libpfm4/events.h"
#include "compat/libpfm4/modifiers.h"
#include "compat/libpfm4/pmus.h"

enum { PMU_SHIFT = 21 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;

/* Begins and ends a call; false: nothing works before pfm_initialize(). */
static bool enter(void)
{
	pthread_mutex_lock(&lock);
	if (users)
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

static int leave(int result)
{
	pthread_mutex_unlock(&lock);
	return result;
}

int pfm_initialize(void)
{
	pthread_mutex_lock(&lock);
	users++;
	pmus_native();
	return leave(PFM_SUCCESS);
}

void pfm_terminate(void)
{
	pthread_mutex_lock(&lock);
	if (users && --users == 0)
		events_free();
	leave(0);
}

int pfm_get_version(void)
{
	return LIBPFM_VERSION;
}

const char *pfm_strerror(int code)
{
	static const char *const texts[] = {
		"success",
		"not supported",
		"invalid parameters",
		"pfm_initialize() has not been called",
		"event not found",
		"these can't be combined",
		"a unit mask is missing or wrong",
		"out of memory",
		"the event has no such unit mask or modifier",
		"a modifier's value is wrong",
		"a modifier is given twice",
		"too many parameters",
		"a parameter is too small",
	};

	return code <= 0 && code >= PFM_ERR_TOOSMALL ? texts[-code] : "unknown error";
}

/* Tells why, as libpfm4 does, if the user has asked for it. */
static int say(const char *text, int result)
{
	const char *wish = secure_getenv("LIBPFM_VERBOSE");

	if (result != PFM_SUCCESS && wish && atoi(wish) > 0)
		dprintf(STDERR_FILENO, "libpfm.so.4 of libperfctr: \"%s\": %s%s%s\n", text,
			pfm_strerror(result), *encode_reason() ? "; " : "", encode_reason());
	return result;
}

/*
 * Hand a structure over to a caller who was compiled for this size of it, or, with 0, for the
 * first one. PFM_SUCCESS, or PFM_ERR_INVAL if that is none.
 */
static int hand_over(void *to, size_t size, size_t first, const void *from, size_t own)
{
	if (!size)
		size = first;
	if (size < first)
		return PFM_ERR_INVAL;
	memset(to, 0, size);
	memcpy(to, from, size < own ? size : own);
	return PFM_SUCCESS;
}

/* ---- PMUs ---- */

static int describe_pmu(const struct pmu *pmu, pfm_pmu_info_t *info)
{
	struct events *events = pmus_is_present(pmu) ? events_of(pmu) : NULL;
	pfm_pmu_info_t own = {
		.name = pmu->name,
		.desc = pmus_description(pmu),
		.size = info->size,
		.pmu = pmu->number,
		.type = pmu->id ? PFM_PMU_TYPE_CORE : PFM_PMU_TYPE_OS_GENERIC,
		.nevents = events ? events->listed : 0,
		.first_event = events && events->listed ? pmu->number << PMU_SHIFT : -1,
		.max_encoding = pmu->id ? 2 : 1,
		.num_cntrs = pmu->counters,
		.num_fixed_cntrs = pmu->fixed,
		.is_present = pmus_is_present(pmu),
		.is_dfl = pmu->number == PFM_PMU_INTEL_X86_ARCH,
	};

	if (own.is_present && !events)
		return PFM_ERR_NOMEM;
	return hand_over(info, info->size, sizeof(own), &own, sizeof(own));
}

int pfm_get_pmu_info(int number, pfm_pmu_info_t *info)
{
	const struct pmu *pmu;

	if (number < 0 || number >= pmus_end() || !info)
		return PFM_ERR_INVAL;
	if (!enter())
		return PFM_ERR_NOINIT;
	pmu = pmus_get(number);
	return leave(pmu ? describe_pmu(pmu, info) : PFM_ERR_NOTSUPP);
}

/* ---- events ---- */

/* The event of a number; NULL: there is none. */
static const struct event *event_of(int idx, const struct pmu **pmu)
{
	int number = idx & ((1 << PMU_SHIFT) - 1);
	struct events *events;

	*pmu = idx < 0 ? NULL : pmus_get(idx >> PMU_SHIFT);
	events = *pmu && pmus_is_present(*pmu) ? events_of(*pmu) : NULL;
	return events && number < events->n ? &events->event[number] : NULL;
}

int pfm_get_event_next(int idx)
{
	const struct pmu *pmu;
	const struct event *event;

	if (!enter())
		return -1;
	event = event_of(idx, &pmu);
	if (!event || event - events_of(pmu)->event + 1 >= events_of(pmu)->listed)
		return leave(-1);
	return leave(idx + 1);
}

int pfm_find_event(const char *text)
{
	const struct pmu *pmu;
	int result;

	if (!text)
		return PFM_ERR_INVAL;
	if (!enter())
		return PFM_ERR_NOINIT;
	result = encode_find(text, &pmu);
	return leave(result < 0 ? say(text, result) : pmu->number << PMU_SHIFT | result);
}

/* The event's part of a code, and the mask's. */
static uint64_t code_of(const struct pmu *pmu, const struct perf_event_attr *attr, bool mask)
{
	if (!(pmu->of & OF_X86))
		return attr->config;
	if (mask)
		return attr->config >> 8 & 0xFF;
	return (attr->config & 0xFF) | (pmu->of & OF_AMD ? attr->config >> 24 & 0xF00 : 0);
}

static int count_modifiers(unsigned int of, int os)
{
	int n = 0;

	while (modifiers_nth(of, os, n))
		n++;
	return n;
}

int pfm_get_event_info(int idx, int os, pfm_event_info_t *info)
{
	struct perf_event_attr attr = { .config = 0 };
	pfm_event_info_t own = { .idx = idx, .dtype = PFM_DTYPE_UINT64 };
	const struct event *event;
	const struct pmu *pmu;

	if (!info || os < 0 || os >= PFM_OS_MAX)
		return PFM_ERR_INVAL;
	if (!enter())
		return PFM_ERR_NOINIT;
	event = event_of(idx, &pmu);
	if (!event)
		return leave(PFM_ERR_INVAL);
	if (encode_attr(event, -1, &attr) < 0 && event->nmasks)
		encode_attr(event, 0, &attr);
	own.name = event->name;
	own.desc = events_description(event->name);
	own.size = info->size;
	own.code = code_of(pmu, &attr, false);
	own.pmu = pmu->number;
	own.nattrs = event->nmasks + count_modifiers(encode_of(pmu, event), os);
	return leave(hand_over(info, info->size, sizeof(own), &own, sizeof(own)));
}

/* ---- attributes ---- */

static void describe_mask(const struct pmu *pmu, const struct event *event, int mask,
			  pfm_event_attr_info_t *info)
{
	struct perf_event_attr attr = { .config = 0 };

	encode_attr(event, mask, &attr);
	info->name = event->masks[mask].name;
	info->desc = events_description(info->name);
	info->code = code_of(pmu, &attr, true);
	info->type = PFM_ATTR_UMASK;
	info->idx = mask;
	info->ctrl = PFM_ATTR_CTRL_PMU;
	info->is_dfl = encode_is_default(event, mask);
}

static void describe_modifier(const struct modifier *modifier, pfm_event_attr_info_t *info)
{
	info->name = modifier->name;
	info->desc = modifier->description;
	info->code = modifier->code;
	info->type = modifier->type;
	info->idx = modifier->code;
	info->ctrl = modifier->control;
}

int pfm_get_event_attr_info(int idx, int attribute, int os, pfm_event_attr_info_t *info)
{
	pfm_event_attr_info_t own = { .name = NULL };
	const struct modifier *modifier;
	const struct event *event;
	const struct pmu *pmu;

	if (!info || os < 0 || os >= PFM_OS_MAX || attribute < 0)
		return PFM_ERR_INVAL;
	if (!enter())
		return PFM_ERR_NOINIT;
	event = event_of(idx, &pmu);
	if (!event)
		return leave(PFM_ERR_INVAL);
	own.size = info->size;
	if (attribute < event->nmasks) {
		describe_mask(pmu, event, attribute, &own);
	} else {
		modifier = modifiers_nth(encode_of(pmu, event), os, attribute - event->nmasks);
		if (!modifier)
			return leave(PFM_ERR_INVAL);
		describe_modifier(modifier, &own);
	}
	return leave(hand_over(info, info->size, sizeof(own), &own, sizeof(own)));
}

/* ---- encodings ---- */

/* A copy of the full text for the caller, if he wants one. PFM_SUCCESS, PFM_ERR_NOMEM. */
static int hand_text(const struct encoded *encoded, char **full)
{
	if (!full)
		return PFM_SUCCESS;
	*full = strdup(encoded->text);
	return *full ? PFM_SUCCESS : PFM_ERR_NOMEM;
}

static int idx_of(const struct encoded *encoded)
{
	return encoded->pmu->number << PMU_SHIFT | encoded->event;
}

/* Fill in an attr of the caller's, of which he uses its size, or the first one. */
static int fill_attr(const struct encoded *encoded, struct perf_event_attr *to)
{
	const uint64_t *value = encoded->modifiers.value;
	size_t size = to->size ? to->size : PERF_ATTR_SIZE_VER0;
	struct perf_event_attr attr = { .type = 0 };
	bool has_hypervisor = !pmus_native() || !(pmus_native()->of & OF_INTEL);

	if (value[MODIFIER_PERIOD] && value[MODIFIER_FREQUENCY])
		return PFM_ERR_ATTR_VAL;
	size = size < sizeof(attr) ? size : sizeof(attr);
	memcpy(&attr, to, size);
	attr.type = encoded->attr.type;
	attr.config = encoded->attr.config;
	attr.config1 = encoded->attr.config1;
	attr.config2 = encoded->attr.config2;
	attr.exclude_user = !value[MODIFIER_USER];
	attr.exclude_kernel = !value[MODIFIER_KERNEL];
	attr.exclude_hv = has_hypervisor && !value[MODIFIER_HYPERVISOR];
	attr.exclude_guest = !value[MODIFIER_GUEST];
	attr.exclude_host = !value[MODIFIER_HOST];
	attr.pinned = value[MODIFIER_PINNED] != 0;
	if (value[MODIFIER_EXCLUSIVE])
		attr.exclusive = 1;
	if (encoded->modifiers.given >> MODIFIER_PRECISE & 1)
		attr.precise_ip = value[MODIFIER_PRECISE] & 3;
	if (value[MODIFIER_PERIOD])
		attr.sample_period = value[MODIFIER_PERIOD];
	if (value[MODIFIER_FREQUENCY]) {
		attr.sample_freq = value[MODIFIER_FREQUENCY];
		attr.freq = 1;
	}
	memcpy(to, &attr, size);
	return PFM_SUCCESS;
}

static int encode_perf(const char *text, int levels, int os, pfm_perf_encode_arg_t *arg)
{
	struct encoded encoded;
	int result;

	if (!arg || !arg->attr || (arg->size && arg->size < sizeof(*arg)))
		return PFM_ERR_INVAL;
	result = encode(text, (unsigned int)levels, os, &encoded);
	if (result == PFM_SUCCESS)
		result = fill_attr(&encoded, arg->attr);
	if (result == PFM_SUCCESS)
		result = hand_text(&encoded, arg->fstr);
	if (result != PFM_SUCCESS)
		return result;
	arg->idx = idx_of(&encoded);
	arg->cpu = encoded.modifiers.given >> MODIFIER_CPU & 1
			   ? (int)encoded.modifiers.value[MODIFIER_CPU]
			   : -1;
	arg->flags = 0;
	return PFM_SUCCESS;
}

/* The event select as a driver would write it: x86's has the levels, enabled, with interrupts. */
static uint64_t select_of(const struct encoded *encoded)
{
	const uint64_t *value = encoded->modifiers.value;

	if (!(encoded->pmu->of & OF_X86))
		return encoded->attr.config;
	return encoded->attr.config | (value[MODIFIER_USER] ? 1u << 16 : 0) |
	       (value[MODIFIER_KERNEL] ? 1u << 17 : 0) | 1u << 20 | 1u << 22 |
	       value[MODIFIER_IN_GUEST] << 40 | value[MODIFIER_IN_HOST] << 41;
}

/* Gives out the words, in the caller's array or in one that he is to free. */
static int hand_codes(const struct encoded *encoded, uint64_t **codes, int *count)
{
	int n = encoded->attr.config1 ? 2 : 1;

	if (*codes && *count < n)
		return PFM_ERR_TOOSMALL;
	if (!*codes) {
		*codes = malloc((size_t)n * sizeof(**codes));
		if (!*codes)
			return PFM_ERR_NOMEM;
	}
	(*codes)[0] = select_of(encoded);
	if (n == 2)
		(*codes)[1] = encoded->attr.config1;
	*count = n;
	return PFM_SUCCESS;
}

static int encode_codes(const char *text, int levels, char **full, int *idx, uint64_t **codes,
			int *count)
{
	struct encoded encoded;
	int result = encode(text, (unsigned int)levels, PFM_OS_NONE, &encoded);

	if (result == PFM_SUCCESS)
		result = hand_codes(&encoded, codes, count);
	if (result == PFM_SUCCESS)
		result = hand_text(&encoded, full);
	if (result == PFM_SUCCESS && idx)
		*idx = idx_of(&encoded);
	return result;
}

static int encode_for(const char *text, int levels, int os, void *args)
{
	pfm_pmu_encode_arg_t *arg = args;

	if (!text || !args || os < 0 || os >= PFM_OS_MAX)
		return PFM_ERR_INVAL;
	if (os != PFM_OS_NONE)
		return encode_perf(text, levels, os, args);
	if (arg->size && arg->size < sizeof(*arg))
		return PFM_ERR_INVAL;
	return encode_codes(text, levels, arg->fstr, &arg->idx, &arg->codes, &arg->count);
}

int pfm_get_os_event_encoding(const char *text, int levels, int os, void *args)
{
	if (!enter())
		return PFM_ERR_NOINIT;
	return leave(say(text ? text : "", encode_for(text, levels, os, args)));
}

int pfm_get_event_encoding(const char *text, int levels, char **full, int *idx, uint64_t **codes,
			   int *count)
{
	if (!text || !codes || !count)
		return PFM_ERR_INVAL;
	if (!enter())
		return PFM_ERR_NOINIT;
	return leave(say(text, encode_codes(text, levels, full, idx, codes, count)));
}

int pfm_get_perf_event_encoding(const char *text, int levels, struct perf_event_attr *attr,
				char **full, int *idx)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .fstr = full };
	int result = pfm_get_os_event_encoding(text, levels, PFM_OS_PERF_EVENT, &arg);

	if (result == PFM_SUCCESS && idx)
		*idx = arg.idx;
	return result;
}

/* ---- checks ---- */

/* Whether each listed name of an event means something; those that don't are printed. */
static bool check_event(const struct pmu *pmu, const struct event *event, FILE *file)
{
	struct perf_event_attr attr;
	bool right = true;
	int mask;

	for (mask = event->nmasks ? 0 : -1; mask < event->nmasks; mask++) {
		if (encode_attr(event, mask, &attr) == 0)
			continue;
		fprintf(file, "%s::%s%s%s: %s\n", pmu->name, event->name, mask < 0 ? "" : ":",
			mask < 0 ? "" : event->masks[mask].name, perfctr_error());
		right = false;
	}
	return right;
}

int pfm_pmu_validate(int number, FILE *file)
{
	const struct pmu *pmu;
	struct events *events;
	bool right = true;
	int i;

	if (!enter())
		return PFM_ERR_NOINIT;
	pmu = pmus_get(number);
	if (!pmu || !pmus_is_present(pmu) || !file)
		return leave(PFM_ERR_NOTSUPP);
	events = events_of(pmu);
	for (i = 0; events && i < events->listed; i++)
		right &= check_event(pmu, &events->event[i], file);
	return leave(!events ? PFM_ERR_NOMEM : right ? PFM_SUCCESS : PFM_ERR_INVAL);
}
