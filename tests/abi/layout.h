/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layout of the ABI's structures, as numbers: the same for 32- and 64-bit programs and for
 * every compiler. Included by one file per ISA's structures, all of which every host compiles.
 */
#include <assert.h>
#include <stddef.h>

#define SIZE(type, n)	    static_assert(sizeof(type) == (n), "size of " #type)
#define AT(type, member, n) static_assert(offsetof(type, member) == (n), #type "." #member)

/* Structures whose numbers follow from those of the ISA's control and state. */
#define COMMON(nr_ctrs, control_size, state_size)                          \
	static_assert(PERFCTR_NR_CTRS == (nr_ctrs), "number of counters"); \
	SIZE(struct perfctr_sum_ctrs, 8 + 8 * (nr_ctrs));                  \
	AT(struct perfctr_sum_ctrs, tsc, 0);                               \
	AT(struct perfctr_sum_ctrs, pmc, 8);                               \
	SIZE(struct perfctr_cpu_control, control_size);                    \
	AT(struct perfctr_cpu_control, tsc_on, 0);                         \
	AT(struct perfctr_cpu_control, nractrs, 4);                        \
	AT(struct perfctr_cpu_control, nrictrs, 8);                        \
	AT(struct perfctr_cpu_control, pmc_map, 12);                       \
	AT(struct perfctr_cpu_control, evntsel, 12 + 4 * (nr_ctrs));       \
	AT(struct perfctr_cpu_control, _reserved1, (control_size)-16);     \
	AT(struct perfctr_cpu_control, _reserved2, (control_size)-12);     \
	AT(struct perfctr_cpu_control, _reserved3, (control_size)-8);      \
	AT(struct perfctr_cpu_control, _reserved4, (control_size)-4);      \
	AT(struct perfctr_cpu_state, cstatus, 0);                          \
	AT(struct perfctr_cpu_state, k1.id, 4);                            \
	AT(struct perfctr_cpu_state, k1.isuspend_cpu, 8);                  \
	AT(struct perfctr_cpu_state, tsc_start, 12);                       \
	AT(struct perfctr_cpu_state, tsc_sum, 16);                         \
	AT(struct perfctr_cpu_state, pmc, 24);                             \
	AT(struct perfctr_cpu_state, pmc[0].map, 24);                      \
	AT(struct perfctr_cpu_state, pmc[0].start, 28);                    \
	AT(struct perfctr_cpu_state, pmc[0].sum, 32);                      \
	AT(struct perfctr_cpu_state, pmc[1], 40);                          \
	AT(struct vperfctr_state, cpu_state, 0);                           \
	SIZE(struct vperfctr_state, state_size);                           \
	SIZE(struct vperfctr_control, (control_size) + 24);                \
	AT(struct vperfctr_control, si_signo, 0);                          \
	AT(struct vperfctr_control, cpu_control, 4);                       \
	AT(struct vperfctr_control, preserve, (control_size) + 4);         \
	AT(struct vperfctr_control, flags, (control_size) + 8);            \
	AT(struct vperfctr_control, _reserved2, (control_size) + 12);      \
	AT(struct vperfctr_control, _reserved3, (control_size) + 16);      \
	AT(struct vperfctr_control, _reserved4, (control_size) + 20);      \
	SIZE(struct gperfctr_cpu_control, (control_size) + 20);            \
	AT(struct gperfctr_cpu_control, cpu, 0);                           \
	AT(struct gperfctr_cpu_control, cpu_control, 4);                   \
	AT(struct gperfctr_cpu_control, _reserved1, (control_size) + 4);   \
	AT(struct gperfctr_cpu_state, cpu, 0);                             \
	AT(struct gperfctr_cpu_state, cpu_control, 4);                     \
	SIZE(struct perfctr_info, 64);                                     \
	AT(struct perfctr_info, abi_version, 0);                           \
	AT(struct perfctr_info, driver_version, 4);                        \
	AT(struct perfctr_info, cpu_type, 36);                             \
	AT(struct perfctr_info, cpu_features, 40);                         \
	AT(struct perfctr_info, cpu_khz, 44);                              \
	AT(struct perfctr_info, tsc_to_cpu_mult, 48);                      \
	AT(struct perfctr_info, _reserved2, 52);                           \
	AT(struct perfctr_info, _reserved3, 56);                           \
	AT(struct perfctr_info, _reserved4, 60);                           \
	AT(struct perfctr_cpu_mask, nrwords, 0);                           \
	AT(struct perfctr_cpu_mask, mask, 4)
