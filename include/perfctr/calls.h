/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* perfctr/calls.h - the calls from the library to the driver. */
#ifndef PERFCTR_CALLS_H
#define PERFCTR_CALLS_H

#include <linux/ioctl.h>
#include <perfctr/abi.h>

/*
 * The driver's calls are ioctls: the first two on /dev/perfctr, the others on the descriptor that
 * VPERFCTR_OPEN returns. Each argument has the sizes of the caller's structures: the driver fills
 * in the part that fits, and accepts a larger structure if the bytes that it doesn't know are zero
 * (else E2BIG).
 */
struct perfctr_call_info {
	unsigned long long info; /* address of a struct perfctr_info */
	unsigned int info_size;
	unsigned int _reserved; /* zero */
};

struct perfctr_call_open {
	unsigned int abi_version; /* PERFCTR_ABI_VERSION of the caller; other major: EPROTO */
	int tid;		  /* 0: the calling thread */
	unsigned int creat;	  /* 1: make the state, EEXIST if there is one; 0: ENODEV if not */
	unsigned int flags;	  /* zero */
};

struct perfctr_call_control {
	unsigned long long control; /* address of a struct vperfctr_control */
	unsigned int control_size;
	unsigned int proof; /* 0, or 1 + a descriptor that perf_event_open(2) gave the caller */
};

struct perfctr_call_read {
	unsigned long long sum;	    /* address of a struct perfctr_sum_ctrs, or 0 */
	unsigned long long control; /* address of a struct vperfctr_control, or 0 */
	unsigned int sum_size;
	unsigned int control_size;
};

#define PERFCTR_IOC_INFO    _IOW('P', 0xC0, struct perfctr_call_info)
#define PERFCTR_IOC_OPEN    _IOW('P', 0xC1, struct perfctr_call_open)
#define PERFCTR_IOC_CONTROL _IOW('P', 0xC2, struct perfctr_call_control)
#define PERFCTR_IOC_READ    _IOW('P', 0xC3, struct perfctr_call_read)
#define PERFCTR_IOC_UNLINK  _IO('P', 0xC4)
#define PERFCTR_IOC_IRESUME _IO('P', 0xC5)

#endif /* PERFCTR_CALLS_H */
