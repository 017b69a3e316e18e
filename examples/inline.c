// SPDX-License-Identifier: LGPL-2.1-or-later
/* The shortest read: inline, without a call, and with the kernel's answer where it must be asked.
 */
#include <libperfctr.h>
#include <perfctr/read.h>
#include <stdio.h>

int main(void)
{
	struct perfctr_set *group = perfctr_set_open("instructions:u", NULL, 0);
	struct perfctr_reader reader;
	struct perfctr_reading reading;
	uint64_t before, after;

	if (!group) {
		printf("%s\n", perfctr_error());
		return 0;
	}
	if (perfctr_set_reader(group, 0, &reader) == 0 && perfctr_reader_read(&reader, &before) &&
	    perfctr_reader_read(&reader, &after))
		printf("an inline read takes %llu instructions\n",
		       (unsigned long long)(after - before));
	else if (perfctr_set_read(group, &reading) == 0)
		printf("%s; so far %llu instructions\n", perfctr_error(),
		       (unsigned long long)reading.value);
	perfctr_set_close(group);
	return 0;
}
