// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings/functions/inline.h"

int perfctr_set_unit(const struct perfctr_set *set, unsigned int i, double *scale,
		     const char **unit)
{
	return inline_set_unit(set, i, scale, unit);
}

int perfctr_get_info(struct perfctr_info *info)
{
	return inline_get_info(info);
}

int perfctr_abi_check_fd(int fd)
{
	return inline_abi_check_fd(fd);
}

int perfctr_reader_read(const struct perfctr_reader *reader, uint64_t *value)
{
	return inline_reader_read(reader, value);
}

int perfctr_reader_read_ordered(const struct perfctr_reader *reader, uint64_t *value)
{
	return inline_reader_read_ordered(reader, value);
}

int perfctr_reader_read_all(const struct perfctr_reader *reader, size_t n, uint64_t *values)
{
	return inline_reader_read_all(reader, n, values);
}

int perfctr_reader_read_times(const struct perfctr_reader *reader, uint64_t *value,
			      uint64_t *enabled, uint64_t *running)
{
	return inline_reader_read_times(reader, value, enabled, running);
}

int perfctr_reader_pause(const struct perfctr_reader *reader, uint64_t *at)
{
	return inline_reader_pause(reader, at);
}

int perfctr_reader_resume(struct perfctr_reader *reader, uint64_t at)
{
	return inline_reader_resume(reader, at);
}

int perfctr_state_reader_read(const struct perfctr_state_reader *reader,
			      struct perfctr_sum_ctrs *sum)
{
	return inline_state_reader_read(reader, sum);
}

void perfctr_region_begin(struct perfctr_region *region)
{
	inline_region_begin(region);
}

void perfctr_region_end(struct perfctr_region *region)
{
	inline_region_end(region);
}
