// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints numbers and layouts of libpfm4's ABI: by its header, or with -DOWN by
 * compat/libpfm4/abi.h. tests/libpfm4/judges.sh holds one against the other.
 */
#include <stddef.h>
#include <stdio.h>
#ifdef OWN
#include "compat/libpfm4/abi.h"
#else
#include <perfmon/pfmlib_perf_event.h>
#endif

#define NUMBER(name) printf(#name " %lld\n", (long long)(name))
#define SIZE(type)   printf("sizeof " #type " %zu\n", sizeof(type))
#define MEMBER(type, member) \
	printf(#type "." #member " %zu %zu\n", offsetof(type, member), sizeof(((type *)0)->member))

/* The bit that is set when a member is 1: bit-fields have no offset. */
#define BIT(type, member)                                                  \
	{                                                                  \
		union {                                                    \
			type value;                                        \
			unsigned char byte[sizeof(type)];                  \
		} one = { .byte = { 0 } };                                 \
		size_t i = 0;                                              \
		one.value.member = 1;                                      \
		while (!one.byte[i])                                       \
			i++;                                               \
		printf(#type "." #member " bit %zu:%d\n", i, one.byte[i]); \
	}

static void print_numbers(void)
{
	NUMBER(PFM_SUCCESS);
	NUMBER(PFM_ERR_NOTSUPP);
	NUMBER(PFM_ERR_INVAL);
	NUMBER(PFM_ERR_NOINIT);
	NUMBER(PFM_ERR_NOTFOUND);
	NUMBER(PFM_ERR_FEATCOMB);
	NUMBER(PFM_ERR_UMASK);
	NUMBER(PFM_ERR_NOMEM);
	NUMBER(PFM_ERR_ATTR);
	NUMBER(PFM_ERR_ATTR_VAL);
	NUMBER(PFM_ERR_ATTR_SET);
	NUMBER(PFM_ERR_TOOMANY);
	NUMBER(PFM_ERR_TOOSMALL);
	NUMBER(LIBPFM_VERSION);
	NUMBER(PFM_PLM0);
	NUMBER(PFM_PLM3);
	NUMBER(PFM_PLMH);
	NUMBER(PFM_PMU_TYPE_CORE);
	NUMBER(PFM_PMU_TYPE_OS_GENERIC);
	NUMBER(PFM_ATTR_UMASK);
	NUMBER(PFM_ATTR_MOD_BOOL);
	NUMBER(PFM_ATTR_MOD_INTEGER);
	NUMBER(PFM_DTYPE_UINT64);
	NUMBER(PFM_ATTR_CTRL_PMU);
	NUMBER(PFM_ATTR_CTRL_PERF_EVENT);
	NUMBER(PFM_OS_NONE);
	NUMBER(PFM_OS_PERF_EVENT);
	NUMBER(PFM_OS_PERF_EVENT_EXT);
	NUMBER(PFM_OS_MAX);
	NUMBER(PFM_PMU_NONE);
	NUMBER(PFM_PMU_INTEL_X86_ARCH);
	NUMBER(PFM_PMU_PERF_EVENT);
	NUMBER(PFM_PMU_PERF_EVENT_RAW);
}

static void print_infos(void)
{
	SIZE(pfm_pmu_info_t);
	MEMBER(pfm_pmu_info_t, name);
	MEMBER(pfm_pmu_info_t, desc);
	MEMBER(pfm_pmu_info_t, size);
	MEMBER(pfm_pmu_info_t, pmu);
	MEMBER(pfm_pmu_info_t, type);
	MEMBER(pfm_pmu_info_t, nevents);
	MEMBER(pfm_pmu_info_t, first_event);
	MEMBER(pfm_pmu_info_t, max_encoding);
	MEMBER(pfm_pmu_info_t, num_cntrs);
	MEMBER(pfm_pmu_info_t, num_fixed_cntrs);
	BIT(pfm_pmu_info_t, is_present);
	BIT(pfm_pmu_info_t, is_dfl);
	SIZE(pfm_event_info_t);
	MEMBER(pfm_event_info_t, name);
	MEMBER(pfm_event_info_t, desc);
	MEMBER(pfm_event_info_t, equiv);
	MEMBER(pfm_event_info_t, size);
	MEMBER(pfm_event_info_t, code);
	MEMBER(pfm_event_info_t, pmu);
	MEMBER(pfm_event_info_t, dtype);
	MEMBER(pfm_event_info_t, idx);
	MEMBER(pfm_event_info_t, nattrs);
	BIT(pfm_event_info_t, is_precise);
	BIT(pfm_event_info_t, is_speculative);
	BIT(pfm_event_info_t, support_hw_smpl);
	SIZE(pfm_event_attr_info_t);
	MEMBER(pfm_event_attr_info_t, name);
	MEMBER(pfm_event_attr_info_t, desc);
	MEMBER(pfm_event_attr_info_t, equiv);
	MEMBER(pfm_event_attr_info_t, size);
	MEMBER(pfm_event_attr_info_t, code);
	MEMBER(pfm_event_attr_info_t, type);
	MEMBER(pfm_event_attr_info_t, idx);
	MEMBER(pfm_event_attr_info_t, ctrl);
	BIT(pfm_event_attr_info_t, is_dfl);
	BIT(pfm_event_attr_info_t, is_precise);
	BIT(pfm_event_attr_info_t, is_speculative);
	BIT(pfm_event_attr_info_t, support_hw_smpl);
	MEMBER(pfm_event_attr_info_t, dfl_val64);
	MEMBER(pfm_event_attr_info_t, dfl_int);
}

static void print_arguments(void)
{
	SIZE(pfm_pmu_encode_arg_t);
	MEMBER(pfm_pmu_encode_arg_t, codes);
	MEMBER(pfm_pmu_encode_arg_t, fstr);
	MEMBER(pfm_pmu_encode_arg_t, size);
	MEMBER(pfm_pmu_encode_arg_t, count);
	MEMBER(pfm_pmu_encode_arg_t, idx);
	SIZE(pfm_perf_encode_arg_t);
	MEMBER(pfm_perf_encode_arg_t, attr);
	MEMBER(pfm_perf_encode_arg_t, fstr);
	MEMBER(pfm_perf_encode_arg_t, size);
	MEMBER(pfm_perf_encode_arg_t, idx);
	MEMBER(pfm_perf_encode_arg_t, cpu);
	MEMBER(pfm_perf_encode_arg_t, flags);
}

int main(void)
{
	print_numbers();
	print_infos();
	print_arguments();
	return 0;
}
