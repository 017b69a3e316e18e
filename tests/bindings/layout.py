# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a C program that does not compile unless the structures of the Python package are those of the
headers, sizes, offsets and sizes of members, and its constants."""

import ctypes
from unittest import mock

# The library itself need not be of Python's C library.
with mock.patch("ctypes.PyDLL"):
    import perfctr
    from perfctr import _c

NAMES = {
    "Reading": "perfctr_reading",
    "Target": "perfctr_target",
    "ListEvent": "perfctr_list_event",
    "Part": "perfctr_part",
    "EventName": "perfctr_event_name",
    "Metric": "perfctr_metric",
    "MetricValue": "perfctr_metric_value",
    "Check": "perfctr_check",
    "Reader": "perfctr_reader",
    "SamplerConfig": "perfctr_sampler_config",
    "Counts": "perfctr_record_counts",
    "RecordSample": "perfctr_record_sample",
    "RecordMmap": "perfctr_record_mmap",
    "RecordComm": "perfctr_record_comm",
    "RecordTask": "perfctr_record_task",
    "RecordLost": "perfctr_record_lost",
    "Record": "perfctr_record",
    "Region": "perfctr_region",
    "RegionValue": "perfctr_region_value",
    "RegionReading": "perfctr_region_reading",
}
BEGINNINGS = ("RecordSample", "Record")  # what follows is not read

structures = {
    name for name, thing in vars(_c).items() if isinstance(thing, type) and issubclass(thing, ctypes.Structure)
}
assert structures - {"Structure", "Given"} == set(NAMES), structures

print("#include <linux/perf_event.h>\n#include <stddef.h>\n#include <libperfctr.h>\n#include <perfctr/read.h>\n#include <perfctr/regions.h>")
for name, c in NAMES.items():
    structure = getattr(_c, name)
    if name not in BEGINNINGS:
        print('_Static_assert(sizeof(struct %s) == %d, "%s");' % (c, ctypes.sizeof(structure), c))
    for member, _ in structure._fields_:
        field, c_name = getattr(structure, member), member.rstrip("_")
        about = '"%s.%s"' % (c, c_name)
        print("_Static_assert(offsetof(struct %s, %s) == %d, %s);" % (c, c_name, field.offset, about))
        if member != "as_":
            size = "sizeof(((struct %s *)0)->%s) == %d" % (c, c_name, field.size)
            print("_Static_assert(%s, %s);" % (size, about))

of_samplers = ("mmap", "comm", "task", "overwrite")
constants = {"PERFCTR_" + q.name: q.value for q in perfctr.Quality}
for name, value in perfctr._FLAGS.items():
    constants["PERFCTR_" + ("SAMPLER_" if name in of_samplers else "") + name.upper()] = value
constants.update(("PERF_SAMPLE_" + name.upper(), value) for name, value in perfctr._FIELDS.items())
constants.update(("PERF_RECORD_" + name, value) for value, name in perfctr._TYPES.items())
constants.update(("PERFCTR_REGIONS_" + name.upper(), value) for name, value in perfctr.regions._KEEP.items())
constants.update(("PERFCTR_REGIONS_" + name.upper(), i) for i, name in enumerate(perfctr.regions._FORMATS))
for kind, target in {
    "THREAD": perfctr.thread(5),
    "PROCESS": perfctr.process(5),
    "CPU": perfctr.processor(5),
    "CGROUP": perfctr.cgroup("a"),
    "THREAD_ON_CPU": perfctr.thread_on_processor(5, 6),
}.items():
    constants["PERFCTR_TARGET_" + kind] = target.type
for name, value in constants.items():
    print('_Static_assert(%s == %d, "%s");' % (name, value, name))
