/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * sbi.h - the 64 bits of a RISC-V control's event select: a choice of ours, with the upper bits
 * where Sscofpmf's mhpmevent has them.
 */
#ifndef PERFCTR_ARCH_RISCV_SBI_H
#define PERFCTR_ARCH_RISCV_SBI_H

/* These are in the upper half. */
#define SBI_SINH    0x20000000u /* bit 61: not in supervisor mode */
#define SBI_UINH    0x10000000u /* bit 60: not in user mode */
#define SBI_GENERAL 0x01000000u /* bit 56: the rest is one of the SBI's own event numbers */
#define SBI_RAW	    0x0000FFFFu /* else bits 47-0 are the processor's own (event type 2) */
#define SBI_TABLES  0x00008000u /* event tables, which have no room for bit 56, say it so */

/* An event number of the SBI has a type above a code of 16 bits. */
#define SBI_TYPE(event) ((event) >> 16)
enum { SBI_TYPE_HARDWARE, SBI_TYPE_CACHE, SBI_TYPE_FIRMWARE = 15 };
enum { SBI_FIRMWARE_EVENTS = 22 };
enum { SBI_CPU_CYCLES = 1, SBI_INSTRUCTIONS, SBI_HARDWARE_LAST = 10 /* reference cycles */ };

/* These are the parts of a cache event's code. */
#define SBI_CACHE_ID(event)	((event) >> 3 & 0x1FFF)
#define SBI_CACHE_OP(event)	((event) >> 1 & 3)
#define SBI_CACHE_RESULT(event) ((event)&1)
enum { SBI_CACHE_IDS = 7, SBI_CACHE_OPS = 3 };

/* Counters: n is csr 0xC00 + n. */
enum { SBI_CYCLE, SBI_TIME, SBI_INSTRET };

#endif /* PERFCTR_ARCH_RISCV_SBI_H */
