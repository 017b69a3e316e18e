// SPDX-License-Identifier: LGPL-2.1-or-later
/* libpfm4's modifiers of events. */
#include <stdlib.h>
#include <string.h>
#include "compat/libpfm4/abi.h"
#include "compat/libpfm4/modifiers.h"
#include "compat/libpfm4/pmus.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

#define NONE (1 << PFM_OS_NONE)
#define PERF (1 << PFM_OS_PERF_EVENT | 1 << PFM_OS_PERF_EVENT_EXT)
#define EXT  (1 << PFM_OS_PERF_EVENT_EXT)
#define ANY  (OF_CORE | OF_KERNEL | OF_SOFTWARE | OF_RAW)
#define HARD (OF_AMD | OF_OTHER | OF_KERNEL | OF_RAW)

/* clang-format off */
#define PMU(name, place, type, code, systems, of, text) \
	{ name, MODIFIER_##place, PFM_ATTR_MOD_##type, PFM_ATTR_CTRL_PMU, code, systems, of, text }
#define OS(name, place, type, code, systems, of, text) \
	{ name, MODIFIER_##place, PFM_ATTR_MOD_##type, PFM_ATTR_CTRL_PERF_EVENT, code, systems, of, text }

static const struct modifier table[] = {
	PMU("k", KERNEL, BOOL, 0, NONE, OF_CORE, "count kernel mode"),
	PMU("u", USER, BOOL, 1, NONE, OF_CORE, "count user mode"),
	PMU("e", EDGE, BOOL, 2, NONE | PERF, OF_X86, "count edges"),
	PMU("i", INVERT, BOOL, 3, NONE | PERF, OF_X86, "invert the threshold"),
	PMU("c", THRESHOLD, INTEGER, 4, NONE | PERF, OF_X86, "threshold, 0 to 255"),
	PMU("t", THREADS, BOOL, 5, NONE | PERF, OF_THREADS, "count all threads of the core"),
	PMU("ldlat", LATENCY, INTEGER, 6, NONE | PERF, OF_LATENCY, "least latency, 3 to 65535 cycles"),
	PMU("intx", INTX, BOOL, 7, NONE | PERF, OF_TSX, "count in transactions"),
	PMU("intxcp", INTXCP, BOOL, 8, NONE | PERF, OF_TSX, "leave out aborted transactions"),
	PMU("fe_thres", FRONTEND, INTEGER, 9, NONE | PERF, OF_FRONTEND, "least bubble, 1 to 4095 cycles"),
	PMU("h", IN_HOST, BOOL, 5, NONE, OF_GUESTS, "count the hypervisor"),
	PMU("g", IN_GUEST, BOOL, 6, NONE, OF_GUESTS, "count guests"),
	OS("u", USER, BOOL, 0, PERF, ANY, "count user mode"),
	OS("k", KERNEL, BOOL, 1, PERF, ANY, "count kernel mode"),
	OS("h", HYPERVISOR, BOOL, 2, PERF, HARD, "count hypervisor mode"),
	OS("period", PERIOD, INTEGER, 3, EXT, ANY, "events between two samples"),
	OS("freq", FREQUENCY, INTEGER, 4, EXT, ANY, "samples a second"),
	OS("precise", PRECISE, INTEGER, 5, EXT, OF_INTEL | OF_KERNEL | OF_RAW, "skid of samples, 0 to 3"),
	OS("excl", EXCLUSIVE, BOOL, 6, EXT, ANY, "the only events on the PMU"),
	OS("mg", GUEST, BOOL, 7, PERF, ANY, "count guests"),
	OS("mh", HOST, BOOL, 8, PERF, ANY, "count the host"),
	OS("cpu", CPU, INTEGER, 9, EXT, ANY, "the processor to count on"),
	OS("pinned", PINNED, BOOL, 10, EXT, ANY, "always on the PMU"),
	OS("hw_smpl", SAMPLING, BOOL, 11, EXT, OF_INTEL | OF_KERNEL | OF_RAW, "samples of the PMU, with skid"),
};
/* clang-format on */

static bool fits(const struct modifier *modifier, unsigned int of, int os)
{
	return modifier->systems >> os & 1 && modifier->of & of;
}

const struct modifier *modifiers_nth(unsigned int of, int os, int n)
{
	int i;

	for (i = 0; i < COUNT(table); i++)
		if (fits(&table[i], of, os) && n-- == 0)
			return &table[i];
	return NULL;
}

/* The value of a word "NAME=VALUE". 0; or PFM_ERR_ATTR_VAL. */
static int parse_value(const struct modifier *modifier, const char *text, size_t length,
		       uint64_t *value)
{
	char number[24], *end;

	if (length == 0 || length >= sizeof(number) || text[0] == '-' || text[0] == '+')
		return PFM_ERR_ATTR_VAL;
	memcpy(number, text, length);
	number[length] = '\0';
	if (modifier->type == PFM_ATTR_MOD_BOOL) {
		if (length != 1 || !strchr("01ynYNtfTF", number[0]))
			return PFM_ERR_ATTR_VAL;
		*value = strchr("1yYtT", number[0]) != NULL;
		return 0;
	}
	*value = strtoull(number, &end, 0);
	return *end ? PFM_ERR_ATTR_VAL : 0;
}

/* Whether no PMU or kernel takes the value. */
static bool is_out_of_range(const struct modifier *modifier, uint64_t value)
{
	switch (modifier->place) {
	case MODIFIER_THRESHOLD: return value > 255;
	case MODIFIER_LATENCY: return value < 3 || value > 65535;
	case MODIFIER_FRONTEND: return value < 1 || value > 4095;
	case MODIFIER_PRECISE: return value > 3;
	case MODIFIER_CPU: return value >= INT32_MAX;
	case MODIFIER_PERIOD:
	case MODIFIER_FREQUENCY: return value == 0;
	default: return false;
	}
}

/* Whether other events have such a modifier of the PMU. */
static bool is_modifier(const char *word, size_t length)
{
	int i;

	for (i = 0; i < COUNT(table); i++)
		if (pmus_same_name(table[i].name, word, length))
			return true;
	return false;
}

int modifiers_take(struct modifiers *modifiers, unsigned int of, int os, const char *word,
		   size_t length)
{
	const char *equals = memchr(word, '=', length);
	size_t n = equals ? (size_t)(equals - word) : length;
	uint64_t value = 1;
	int i;

	for (i = 0; i < COUNT(table); i++)
		if (fits(&table[i], of, os) && pmus_same_name(table[i].name, word, n))
			break;
	if (i == COUNT(table))
		return is_modifier(word, n) ? PFM_ERR_ATTR : 0;
	/* A number is to be given; what is or is not may be named alone. */
	if (!equals && table[i].type == PFM_ATTR_MOD_INTEGER)
		return PFM_ERR_ATTR_VAL;
	if (equals && parse_value(&table[i], equals + 1, length - n - 1, &value) < 0)
		return PFM_ERR_ATTR_VAL;
	if (is_out_of_range(&table[i], value))
		return PFM_ERR_ATTR_VAL;
	if (modifiers->given >> table[i].place & 1 && modifiers->value[table[i].place] != value)
		return PFM_ERR_ATTR_SET;
	modifiers->given |= 1u << table[i].place;
	modifiers->value[table[i].place] = value;
	return 1;
}
