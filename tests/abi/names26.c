// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Every name in perfctr 2.6.42's installed headers that a program can use: macros and their values,
 * members and where they lie, functions and their types. That it compiles is the test, in C and
 * C++, and that it links (tests/api.sh). Not here, because no program has a use for it: the
 * requests (VPERFCTR_CONTROL and so on) and struct perfctr_struct_buf, in which only 2.6's library
 * wrote to 2.6's driver; 32-bit Arm.
 */
#include <libperfctr.h>
#include <linux/perfctr.h>
#include <asm/perfctr.h>
#include <perfctr_event_codes.h>
#include <assert.h>
#include <signal.h>
#include <stddef.h>

#define IS(name, value)	    static_assert((name) == (value), #name)
#define SIZE(type, n)	    static_assert(sizeof(type) == (n), "size of " #type)
#define AT(type, member, n) static_assert(offsetof(type, member) == (n), #type "." #member)
#define FUNCTION(result, name, ...)                              \
	extern result (*const perfctr_test_##name)(__VA_ARGS__); \
	result (*const perfctr_test_##name)(__VA_ARGS__) = name

/* ---- <linux/perfctr.h> ---- */

IS(PERFCTR_API_VERSION, 0x0502);
IS(PERFCTR_ABI_VERSION, (PERFCTR_API_VERSION << 16 | PERFCTR_CPU_VERSION));
IS(PERFCTR_FEATURE_RDPMC, 1);
IS(PERFCTR_FEATURE_RDTSC, 2);
IS(PERFCTR_FEATURE_PCINT, 4);
IS(VPERFCTR_CONTROL_CLOEXEC, 1);

SIZE(struct perfctr_info, 64);
AT(struct perfctr_info, abi_version, 0);
AT(struct perfctr_info, driver_version, 4);
AT(struct perfctr_info, cpu_type, 36);
AT(struct perfctr_info, cpu_features, 40);
AT(struct perfctr_info, cpu_khz, 44);
AT(struct perfctr_info, tsc_to_cpu_mult, 48);
AT(struct perfctr_info, _reserved2, 52);
AT(struct perfctr_info, _reserved3, 56);
AT(struct perfctr_info, _reserved4, 60);
SIZE(struct perfctr_cpu_mask, 8);
AT(struct perfctr_cpu_mask, nrwords, 0);
AT(struct perfctr_cpu_mask, mask, 4);
AT(struct vperfctr_state, cpu_state, 0);

/* ---- <asm/perfctr.h> ---- */

IS(SI_PMC_OVF, 'P');
FUNCTION(unsigned int, perfctr_mk_cstatus, unsigned int, unsigned int, unsigned int);
FUNCTION(unsigned int, perfctr_cstatus_enabled, unsigned int);
FUNCTION(int, perfctr_cstatus_has_tsc, unsigned int);
FUNCTION(unsigned int, perfctr_cstatus_nractrs, unsigned int);
FUNCTION(unsigned int, perfctr_cstatus_nrctrs, unsigned int);
FUNCTION(unsigned int, perfctr_cstatus_has_ictrs, unsigned int);

#ifdef __GLIBC__
int perfctr_test_ovf_mask(const siginfo_t *info);
int perfctr_test_ovf_mask(const siginfo_t *info)
{
	return info->si_pmc_ovf_mask;
}
#endif

/* What counters there are room for moves the rest: 2.6 had 18 on x86, and 6 on PowerPC, where we
 * have 8. */
#define STRUCTURES(control_size, state_size, nr_ctrs)                                   \
	SIZE(struct perfctr_sum_ctrs, 8 + 8 * (nr_ctrs));                               \
	AT(struct perfctr_sum_ctrs, tsc, 0);                                            \
	AT(struct perfctr_sum_ctrs, pmc, 8);                                            \
	SIZE(struct perfctr_cpu_control, control_size);                                 \
	AT(struct perfctr_cpu_control, tsc_on, 0);                                      \
	AT(struct perfctr_cpu_control, nractrs, 4);                                     \
	AT(struct perfctr_cpu_control, nrictrs, 8);                                     \
	AT(struct perfctr_cpu_control, pmc_map, 12);                                    \
	AT(struct perfctr_cpu_control, evntsel, 12 + 4 * (nr_ctrs));                    \
	AT(struct perfctr_cpu_control, _reserved1, (control_size)-16);                  \
	AT(struct perfctr_cpu_control, _reserved2, (control_size)-12);                  \
	AT(struct perfctr_cpu_control, _reserved3, (control_size)-8);                   \
	AT(struct perfctr_cpu_control, _reserved4, (control_size)-4);                   \
	AT(struct perfctr_cpu_state, cstatus, 0);                                       \
	AT(struct perfctr_cpu_state, k1.id, 4);                                         \
	AT(struct perfctr_cpu_state, k1.isuspend_cpu, 8);                               \
	AT(struct perfctr_cpu_state, tsc_start, 12);                                    \
	AT(struct perfctr_cpu_state, tsc_sum, 16);                                      \
	AT(struct perfctr_cpu_state, pmc[0].map, 24);                                   \
	AT(struct perfctr_cpu_state, pmc[0].start, 28);                                 \
	AT(struct perfctr_cpu_state, pmc[0].sum, 32);                                   \
	SIZE(struct vperfctr_state, state_size);                                        \
	SIZE(struct vperfctr_control, (control_size) + 24);                             \
	AT(struct vperfctr_control, si_signo, 0);                                       \
	AT(struct vperfctr_control, cpu_control, 4);                                    \
	AT(struct vperfctr_control, preserve, (control_size) + 4);                      \
	AT(struct vperfctr_control, flags, (control_size) + 8);                         \
	AT(struct vperfctr_control, _reserved2, (control_size) + 12);                   \
	AT(struct vperfctr_control, _reserved3, (control_size) + 16);                   \
	AT(struct vperfctr_control, _reserved4, (control_size) + 20);                   \
	SIZE(struct gperfctr_cpu_control, (control_size) + 20);                         \
	AT(struct gperfctr_cpu_control, cpu, 0);                                        \
	AT(struct gperfctr_cpu_control, cpu_control, 4);                                \
	AT(struct gperfctr_cpu_control, _reserved1, (control_size) + 4);                \
	AT(struct gperfctr_cpu_control, _reserved2, (control_size) + 8);                \
	AT(struct gperfctr_cpu_control, _reserved3, (control_size) + 12);               \
	AT(struct gperfctr_cpu_control, _reserved4, (control_size) + 16);               \
	AT(struct gperfctr_cpu_state, cpu, 0);                                          \
	AT(struct gperfctr_cpu_state, cpu_control, 4);                                  \
	AT(struct gperfctr_cpu_state, sum, (control_size) + 4);                         \
	AT(struct gperfctr_cpu_state, _reserved1, (control_size) + 12 + 8 * (nr_ctrs)); \
	AT(struct gperfctr_cpu_state, _reserved2, (control_size) + 16 + 8 * (nr_ctrs)); \
	AT(struct gperfctr_cpu_state, _reserved3, (control_size) + 20 + 8 * (nr_ctrs)); \
	AT(struct gperfctr_cpu_state, _reserved4, (control_size) + 24 + 8 * (nr_ctrs)); \
	SIZE(struct gperfctr_cpu_state, (control_size) + 28 + 8 * (nr_ctrs))

#if defined(__i386__) || defined(__x86_64__)
STRUCTURES(324, 312, 18);
AT(struct perfctr_cpu_control, p4.escr, 156);
AT(struct perfctr_cpu_control, p4.pebs_enable, 228);
AT(struct perfctr_cpu_control, p4.pebs_matrix_vert, 232);
AT(struct perfctr_cpu_control, evntsel_high, 156);
AT(struct perfctr_cpu_control, nhlm._padding, 156);
AT(struct perfctr_cpu_control, nhlm.offcore_rsp, 228);
AT(struct perfctr_cpu_control, ireset, 236);
FUNCTION(unsigned int, __perfctr_mk_cstatus, unsigned int, unsigned int, unsigned int,
	 unsigned int);
IS(PERFCTR_CPU_VERSION, 0x0501);
IS(PERFCTR_X86_GENERIC, 0);
IS(PERFCTR_X86_INTEL_P5, 1);
IS(PERFCTR_X86_INTEL_P5MMX, 2);
IS(PERFCTR_X86_INTEL_P6, 3);
IS(PERFCTR_X86_INTEL_PII, 4);
IS(PERFCTR_X86_INTEL_PIII, 5);
IS(PERFCTR_X86_CYRIX_MII, 6);
IS(PERFCTR_X86_WINCHIP_C6, 7);
IS(PERFCTR_X86_WINCHIP_2, 8);
IS(PERFCTR_X86_AMD_K7, 9);
IS(PERFCTR_X86_VIA_C3, 10);
IS(PERFCTR_X86_INTEL_P4, 11);
IS(PERFCTR_X86_INTEL_P4M2, 12);
IS(PERFCTR_X86_AMD_K8, 13);
IS(PERFCTR_X86_INTEL_PENTM, 14);
IS(PERFCTR_X86_AMD_K8C, 15);
IS(PERFCTR_X86_INTEL_P4M3, 16);
IS(PERFCTR_X86_INTEL_CORE, 17);
IS(PERFCTR_X86_INTEL_CORE2, 18);
IS(PERFCTR_X86_AMD_FAM10H, 19);
IS(PERFCTR_X86_AMD_FAM10, 19);
IS(PERFCTR_X86_INTEL_ATOM, 20);
IS(PERFCTR_X86_INTEL_NHLM, 21);
IS(PERFCTR_X86_INTEL_COREI7, 21);
IS(PERFCTR_X86_INTEL_WSTMR, 22);
#elif defined(__powerpc__) && !defined(__powerpc64__)
STRUCTURES(132, 152, 8);
AT(struct perfctr_cpu_control, ireset, 76);
AT(struct perfctr_cpu_control, ppc.mmcr0, 108);
AT(struct perfctr_cpu_control, ppc.mmcr2, 112);
IS(PERFCTR_PPC_GENERIC, 0);
IS(PERFCTR_PPC_604, 1);
IS(PERFCTR_PPC_604e, 2);
IS(PERFCTR_PPC_750, 3);
IS(PERFCTR_PPC_7400, 4);
IS(PERFCTR_PPC_7450, 5);
#endif

/* ---- <perfctr_event_codes.h> ---- */

#define CODE(name, value) IS(name, value);
#include "tests/abi/events26.h"

/* ---- <libperfctr.h> ---- */

IS(VPERFCTR_OPEN_CREAT_EXCL, 3);
AT(struct perfctr_cpus_info, cpus, 0);
AT(struct perfctr_cpus_info, cpus_forbidden, sizeof(void *));

FUNCTION(int, _vperfctr_open, int);
FUNCTION(int, _vperfctr_control, int, const struct vperfctr_control *);
FUNCTION(int, _vperfctr_read_control, int, struct vperfctr_control *);
FUNCTION(int, _vperfctr_read_sum, int, struct perfctr_sum_ctrs *);
FUNCTION(struct vperfctr *, vperfctr_open_mode, unsigned int);
FUNCTION(struct vperfctr *, vperfctr_open, void);
FUNCTION(int, vperfctr_info, const struct vperfctr *, struct perfctr_info *);
FUNCTION(struct perfctr_cpus_info *, vperfctr_cpus_info, const struct vperfctr *);
FUNCTION(unsigned long long, vperfctr_read_tsc, const struct vperfctr *);
FUNCTION(unsigned long long, vperfctr_read_pmc, const struct vperfctr *, unsigned);
FUNCTION(int, vperfctr_read_ctrs, const struct vperfctr *, struct perfctr_sum_ctrs *);
FUNCTION(int, vperfctr_read_state, const struct vperfctr *, struct perfctr_sum_ctrs *,
	 struct vperfctr_control *);
FUNCTION(int, vperfctr_control, const struct vperfctr *, struct vperfctr_control *);
FUNCTION(int, vperfctr_stop, const struct vperfctr *);
FUNCTION(int, vperfctr_is_running, const struct vperfctr *);
FUNCTION(int, vperfctr_iresume, const struct vperfctr *);
FUNCTION(int, vperfctr_unlink, const struct vperfctr *);
FUNCTION(void, vperfctr_close, struct vperfctr *);

FUNCTION(struct rvperfctr *, rvperfctr_open, int);
FUNCTION(int, rvperfctr_pid, const struct rvperfctr *);
FUNCTION(int, rvperfctr_info, const struct rvperfctr *, struct perfctr_info *);
FUNCTION(int, rvperfctr_read_ctrs, const struct rvperfctr *, struct perfctr_sum_ctrs *);
FUNCTION(int, rvperfctr_read_state, const struct rvperfctr *, struct perfctr_sum_ctrs *,
	 struct vperfctr_control *);
FUNCTION(int, rvperfctr_control, const struct rvperfctr *, struct vperfctr_control *);
FUNCTION(int, rvperfctr_stop, const struct rvperfctr *);
FUNCTION(int, rvperfctr_iresume, const struct rvperfctr *);
FUNCTION(int, rvperfctr_unlink, const struct rvperfctr *);
FUNCTION(void, rvperfctr_close, struct rvperfctr *);

FUNCTION(struct gperfctr *, gperfctr_open, void);
FUNCTION(void, gperfctr_close, struct gperfctr *);
FUNCTION(int, gperfctr_control, const struct gperfctr *, struct gperfctr_cpu_control *);
FUNCTION(int, gperfctr_read, const struct gperfctr *, struct gperfctr_cpu_state *);
FUNCTION(int, gperfctr_stop, const struct gperfctr *);
FUNCTION(int, gperfctr_start, const struct gperfctr *, unsigned int);
FUNCTION(int, gperfctr_info, const struct gperfctr *, struct perfctr_info *);
FUNCTION(struct perfctr_cpus_info *, gperfctr_cpus_info, const struct gperfctr *);

IS(perfctr_um_type_fixed, 0);
IS(perfctr_um_type_exclusive, 1);
IS(perfctr_um_type_bitmask, 2);
AT(struct perfctr_unit_mask_value, value, 0);
AT(struct perfctr_unit_mask_value, description, sizeof(void *));
AT(struct perfctr_unit_mask, default_value, 0);
AT(struct perfctr_unit_mask, nvalues, 3);
AT(struct perfctr_unit_mask, values, sizeof(void *));
AT(struct perfctr_event, evntsel, 0);
AT(struct perfctr_event, counters_set, 2);
AT(struct perfctr_event, unit_mask, sizeof(void *));
AT(struct perfctr_event, name, 2 * sizeof(void *));
AT(struct perfctr_event, description, 3 * sizeof(void *));
AT(struct perfctr_event_set, cpu_type, 0);
AT(struct perfctr_event_set, event_prefix, sizeof(void *));
AT(struct perfctr_event_set, include, 2 * sizeof(void *));
AT(struct perfctr_event_set, nevents, 3 * sizeof(void *));
AT(struct perfctr_event_set, events, 4 * sizeof(void *));
FUNCTION(const struct perfctr_event_set *, perfctr_cpu_event_set, unsigned int);

FUNCTION(int, _perfctr_abi_check_fd, int, unsigned int);
FUNCTION(int, perfctr_abi_check_fd, int);
FUNCTION(int, perfctr_info, int, struct perfctr_info *);
FUNCTION(int, perfctr_get_info, struct perfctr_info *);
FUNCTION(struct perfctr_cpus_info *, perfctr_cpus_info, int);
FUNCTION(unsigned int, perfctr_info_nrctrs, const struct perfctr_info *);
FUNCTION(const char *, perfctr_info_cpu_name, const struct perfctr_info *);
FUNCTION(void, perfctr_info_print, const struct perfctr_info *);
FUNCTION(void, perfctr_cpus_info_print, const struct perfctr_cpus_info *);
FUNCTION(void, perfctr_cpu_control_print, const struct perfctr_cpu_control *);
