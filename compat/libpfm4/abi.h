/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * abi.h - the ABI of libpfm.so.4, as its clients are compiled for it: numbers, layouts, names.
 * Declared here on its own; tests/libpfm4/abi.c holds it against libpfm4's header.
 */
#ifndef PERFCTR_COMPAT_LIBPFM4_ABI_H
#define PERFCTR_COMPAT_LIBPFM4_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct perf_event_attr;

/* The results of functions. */
enum {
	PFM_SUCCESS = 0,
	PFM_ERR_NOTSUPP = -1,
	PFM_ERR_INVAL = -2,
	PFM_ERR_NOINIT = -3,
	PFM_ERR_NOTFOUND = -4,
	PFM_ERR_FEATCOMB = -5,
	PFM_ERR_UMASK = -6,
	PFM_ERR_NOMEM = -7,
	PFM_ERR_ATTR = -8,
	PFM_ERR_ATTR_VAL = -9,
	PFM_ERR_ATTR_SET = -10,
	PFM_ERR_TOOMANY = -11,
	PFM_ERR_TOOSMALL = -12,
};

#define LIBPFM_VERSION (4 << 16)

/* Privilege levels, bits. */
enum { PFM_PLM0 = 0x01, PFM_PLM3 = 0x08, PFM_PLMH = 0x10 };

/* The kinds of PMUs, of attributes, of counts, of sources of attributes; whom to encode for. */
enum { PFM_PMU_TYPE_CORE = 1, PFM_PMU_TYPE_OS_GENERIC = 3 };
enum { PFM_ATTR_UMASK = 1, PFM_ATTR_MOD_BOOL, PFM_ATTR_MOD_INTEGER };
enum { PFM_DTYPE_UINT64 = 1 };
enum { PFM_ATTR_CTRL_PMU = 1, PFM_ATTR_CTRL_PERF_EVENT };
enum { PFM_OS_NONE, PFM_OS_PERF_EVENT, PFM_OS_PERF_EVENT_EXT, PFM_OS_MAX };

/* The PMUs that no processor's name decides. */
enum { PFM_PMU_NONE = 0, PFM_PMU_INTEL_X86_ARCH = 18, PFM_PMU_PERF_EVENT = 51 };
enum { PFM_PMU_PERF_EVENT_RAW = 114 };

/* Callers set size: they may have been compiled for fewer members. */
typedef struct {
	const char *name;
	const char *desc;
	size_t size;
	int pmu;
	int type;
	int nevents;
	int first_event;  /* -1: none */
	int max_encoding; /* words that an event may take */
	int num_cntrs;
	int num_fixed_cntrs;
	struct {
		unsigned int is_present:1, is_dfl:1, reserved_bits:30;
	};
} pfm_pmu_info_t;

typedef struct {
	const char *name;
	const char *desc;
	const char *equiv;
	size_t size;
	uint64_t code;
	int pmu;
	int dtype;
	int idx;
	int nattrs;
	int reserved;
	struct {
		unsigned int is_precise:1, is_speculative:2, support_hw_smpl:1, reserved_bits:28;
	};
} pfm_event_info_t;

typedef struct {
	const char *name;
	const char *desc;
	const char *equiv;
	size_t size;
	uint64_t code;
	int type;
	int idx;
	int ctrl;
	struct {
		unsigned int is_dfl:1, is_precise:1, is_speculative:2, support_hw_smpl:1,
			reserved_bits:27;
	};
	union {
		uint64_t dfl_val64;
		const char *dfl_str;
		int dfl_bool;
		int dfl_int;
	};
} pfm_event_attr_info_t;

/* The last argument of pfm_get_os_event_encoding() for PFM_OS_NONE. */
typedef struct {
	uint64_t *codes;
	char **fstr;
	size_t size;
	int count;
	int idx;
} pfm_pmu_encode_arg_t;

/* The same for perf_events. */
typedef struct {
	struct perf_event_attr *attr;
	char **fstr;
	size_t size;
	int idx;
	int cpu;
	int flags;
	int pad0;
} pfm_perf_encode_arg_t;

/* Layouts are numbers: of 64-bit hosts and of 32-bit ones. */
#define LAYOUT(type, size64, size32) \
	_Static_assert(sizeof(type) == (sizeof(void *) == 8 ? (size64) : (size32)), #type)
#define PLACE(type, member, at64, at32)                                                   \
	_Static_assert(offsetof(type, member) == (sizeof(void *) == 8 ? (at64) : (at32)), \
		       #type " " #member)

LAYOUT(pfm_pmu_info_t, 56, 44);
PLACE(pfm_pmu_info_t, size, 16, 8);
PLACE(pfm_pmu_info_t, pmu, 24, 12);
PLACE(pfm_pmu_info_t, nevents, 32, 20);
PLACE(pfm_pmu_info_t, first_event, 36, 24);
PLACE(pfm_pmu_info_t, num_fixed_cntrs, 48, 36);
LAYOUT(pfm_event_info_t, 64, 48);
PLACE(pfm_event_info_t, size, 24, 12);
PLACE(pfm_event_info_t, code, 32, 16);
PLACE(pfm_event_info_t, idx, 48, 32);
PLACE(pfm_event_info_t, nattrs, 52, 36);
LAYOUT(pfm_event_attr_info_t, 64, 48);
PLACE(pfm_event_attr_info_t, code, 32, 16);
PLACE(pfm_event_attr_info_t, type, 40, 24);
PLACE(pfm_event_attr_info_t, ctrl, 48, 32);
PLACE(pfm_event_attr_info_t, dfl_val64, 56, 40);
LAYOUT(pfm_pmu_encode_arg_t, 32, 20);
PLACE(pfm_pmu_encode_arg_t, count, 24, 12);
LAYOUT(pfm_perf_encode_arg_t, 40, 28);
PLACE(pfm_perf_encode_arg_t, idx, 24, 12);
PLACE(pfm_perf_encode_arg_t, flags, 32, 20);

/* What the library exports. */
#pragma GCC visibility push(default)
int pfm_initialize(void);
void pfm_terminate(void);
const char *pfm_strerror(int code);
int pfm_get_version(void);
int pfm_get_pmu_info(int pmu, pfm_pmu_info_t *info);
int pfm_get_event_next(int idx);
int pfm_find_event(const char *text);
int pfm_get_event_info(int idx, int os, pfm_event_info_t *info);
int pfm_get_event_attr_info(int idx, int attribute, int os, pfm_event_attr_info_t *info);
int pfm_get_os_event_encoding(const char *text, int levels, int os, void *args);
int pfm_get_event_encoding(const char *text, int levels, char **full, int *idx, uint64_t **codes,
			   int *count);
int pfm_get_perf_event_encoding(const char *text, int levels, struct perf_event_attr *attr,
				char **full, int *idx);
int pfm_pmu_validate(int pmu, FILE *file);
#pragma GCC visibility pop

#endif /* PERFCTR_COMPAT_LIBPFM4_ABI_H */
