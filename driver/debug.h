/* SPDX-License-Identifier: GPL-2.0-only */
/* debug.h - checks of a debug build ("make DEBUG=1"); in others they cost nothing. */
#ifndef PERFCTR_DRIVER_DEBUG_H
#define PERFCTR_DRIVER_DEBUG_H

#include <linux/bug.h>

#ifdef PERFCTR_DEBUG
#define debug_warn(condition) WARN_ON_ONCE(condition)
#else
#define debug_warn(condition) ((void)sizeof(condition))
#endif

#endif /* PERFCTR_DRIVER_DEBUG_H */
