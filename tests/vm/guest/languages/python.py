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


def check_within(what, region, visits):
    """The interpreter's own part is subtracted, and what is left of it is within the error."""
    reading = region.read()
    value = reading.values[1]
    off = value.inclusive
    check(
        what,
        reading.visits == visits
        and value.quality == perfctr.Quality.ESTIMATE
        and off <= value.error < visits * 20000,
        "%+.1f a visit, +- %.1f" % (off / visits, value.error / visits),
    )


def check_block(wanted):
    with perfctr.count("instructions:u") as c:
        if wanted:
            loop(wanted // 2)
    found, error = c["instructions:u"], c.error("instructions:u")
    # The call by ctypes is a part of the block.
    good = abs(found - wanted) <= error + (wanted and 4000) and error < 5000 and not c.readings.exact
    check("a block", good, "%d +- %d, of %d" % (found, error, wanted))


def check_blocks():
    """An empty block counts nothing but its bound, and a full one what is in it."""
    for wanted in 0, 0, 0, 2000000:
        check_block(wanted)


def check_new_code():
    """Each visit is by code that has not run before, which the interpreter has not changed yet."""
    region, scope = perfctr.region("new"), {"loop": loop, "empty": perfctr.region("empty")}
    code = "def f():\n with region:\n  pass\nf()", "with region: pass", "for i in 0, 1:\n with region:\n  pass"
    scope["region"] = region
    perfctr.regions.start("instructions:u")
    for k in range(100):
        exec(code[k % 3], scope)
    perfctr.regions.stop()
    check_within("regions of new code", region, 133)


def check_own_part():
    outer, empty = perfctr.region("outer"), perfctr.region("empty")
    nothing = perfctr.region("function")(lambda: None)
    perfctr.regions.start("instructions:u")
    for _ in range(100):
        with empty:
            pass
        nothing()
    for _ in range(100):
        with outer:
            with empty:
                with empty:
                    pass
    perfctr.regions.stop()
    check_within("an empty region", empty, 300)
    check_within("a decorated function", perfctr.region("function"), 100)
    check_within("empty regions within", outer, 100)


def main():
    gc.disable()
    with perfctr.Set("instructions:u", "cycles:u") as events:
        reader = events.reader(0)
        check("a reader asks no kernel", reader.is_inline, reader.is_inline)
        check_loops("a set", lambda: events.read()["instructions:u"].value)
        check_loops("a reader", reader.read)
        loop(1000000)
        events.reset()
        found = reader.read()
        check("a reader after a reset", 0 < found < 100000, found)
    check_blocks()
    check_regions()
    check_own_part()
    check_new_code()
    with perfctr.Sampler("cycles:u", period=10000, fields=("ip",)) as sampler:
        loop(100000)
        sampler.disable()
        samples = sum(record.type == "SAMPLE" for record in sampler)
    check("samples", samples >= 15, samples)
    return int(failures != 0)


sys.exit(main())
