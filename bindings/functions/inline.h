/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inline.h - what is inline in the public headers, as functions for languages that can't include
 * these: perfctr_languages(7). C's programs don't see them.
 */
#ifndef PERFCTR_BINDINGS_FUNCTIONS_INLINE_H
#define PERFCTR_BINDINGS_FUNCTIONS_INLINE_H

/* The inline functions get other names, also where a compiler makes functions of them. */
#define perfctr_set_unit	    inline_set_unit
#define perfctr_get_info	    inline_get_info
#define perfctr_abi_check_fd	    inline_abi_check_fd
#define perfctr_reader_read	    inline_reader_read
#define perfctr_reader_read_ordered inline_reader_read_ordered
#define perfctr_reader_read_all	    inline_reader_read_all
#define perfctr_reader_read_times   inline_reader_read_times
#define perfctr_reader_pause	    inline_reader_pause
#define perfctr_reader_resume	    inline_reader_resume
#define perfctr_state_reader_read   inline_state_reader_read
#define perfctr_region_begin	    inline_region_begin
#define perfctr_region_end	    inline_region_end
#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#undef perfctr_set_unit
#undef perfctr_get_info
#undef perfctr_abi_check_fd
#undef perfctr_reader_read
#undef perfctr_reader_read_ordered
#undef perfctr_reader_read_all
#undef perfctr_reader_read_times
#undef perfctr_reader_pause
#undef perfctr_reader_resume
#undef perfctr_state_reader_read
#undef perfctr_region_begin
#undef perfctr_region_end

#pragma GCC visibility push(default)
int perfctr_set_unit(const struct perfctr_set *set, unsigned int i, double *scale,
		     const char **unit);
int perfctr_get_info(struct perfctr_info *info);
int perfctr_abi_check_fd(int fd);
int perfctr_reader_read(const struct perfctr_reader *reader, uint64_t *value);
int perfctr_reader_read_ordered(const struct perfctr_reader *reader, uint64_t *value);
int perfctr_reader_read_all(const struct perfctr_reader *reader, size_t n, uint64_t *values);
int perfctr_reader_read_times(const struct perfctr_reader *reader, uint64_t *value,
			      uint64_t *enabled, uint64_t *running);
int perfctr_reader_pause(const struct perfctr_reader *reader, uint64_t *at);
int perfctr_reader_resume(struct perfctr_reader *reader, uint64_t at);
int perfctr_state_reader_read(const struct perfctr_state_reader *reader,
			      struct perfctr_sum_ctrs *sum);
void perfctr_region_begin(struct perfctr_region *region);
void perfctr_region_end(struct perfctr_region *region);
#pragma GCC visibility pop

#endif /* PERFCTR_BINDINGS_FUNCTIONS_INLINE_H */
