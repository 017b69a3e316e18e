# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package where counters are exact: a loop that is longer by N instructions counts exactly N more, by each
way of reading."""

import ctypes
import gc
import sys

import perfctr

loop = ctypes.CDLL("libperfctr-test-loop.so").perfctr_test_loop
loop.argtypes = [ctypes.c_ulong]
failures = 0


def check(what, good, found):
    global failures
    print("ok" if good else "not ok", "%s: %s" % (what, found))
    failures += not good


def least(read, n):
    """The least of some counts, since the interpreter changes the code that it runs often."""
    counts = []
    for _ in range(20):
        before = read()
        loop(n)
        counts.append(read() - before)
    return min(counts)


def check_loops(what, read):
    least(read, 1000)
    # Numbers of another length cost the interpreter some instructions more.
    found = least(read, 201000) - least(read, 101000)
    check(what, abs(found - 200000) < 100, found)


def check_regions():
    counted = []
    perfctr.regions.start("instructions:u", moments=True)
    region = perfctr.region("loop")
    for n in 1000, 101000, 201000:
        for _ in range(20):
            with region:
                loop(n)
        counted.append(region.read().values[1].minimum)
        region.reset()
    perfctr.regions.stop()
    # The interpreter's part, between begin and end, is not the same for ever, to a few instructions.
    found = counted[2] - counted[1]
    check("regions", abs(found - 200000) < 100, found)


def main():
    gc.disable()
    with perfctr.Set("instructions:u", "cycles:u") as events:
        reader = events.reader(0)
        check("a reader asks no kernel", reader.is_inline, reader.is_inline)
        check_loops("a set", lambda: events.read()["instructions:u"].value)
        check_loops("a reader", reader.read)
    with perfctr.count("instructions:u") as c:
        loop(100000)
    check("a block", 200000 <= c["instructions:u"] < 1000000 and c.readings.exact, c["instructions:u"])
    check_regions()
    with perfctr.Sampler("cycles:u", period=10000, fields=("ip",)) as sampler:
        loop(100000)
        sampler.disable()
        samples = sum(record.type == "SAMPLE" for record in sampler)
    check("samples", samples >= 15, samples)
    return int(failures != 0)


sys.exit(main())
