# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package where counters are exact: a loop that is longer by N instructions counts exactly N more, by each
way of reading, and an empty region counts nothing but its bound. With the argument "ctypes" the package is without its
compiled module."""

import ctypes
import gc
import os
import sys

if "ctypes" in sys.argv:
    sys.modules["perfctr._quick"] = None
import perfctr

loop = ctypes.CDLL("libperfctr-test-loop.so").perfctr_test_loop
loop.argtypes = [ctypes.c_ulong]
if perfctr._c.quick:
    brief = perfctr._c.quick.caller(perfctr._c.address(loop), 1000, None)
    nothing = perfctr._c.quick.caller(perfctr._c.address(loop), 1, None)
else:
    brief, nothing = (lambda: loop(1000)), (lambda: loop(1))
failures = 0
# The error of a visit, and what begin and end may count between them: perfctr_python(7) has these figures.
MOST, INSIDE = (600, 2400) if "ctypes" in sys.argv else (200, 700)
AROUND = 9500 if "ctypes" in sys.argv else 9000
if os.uname().machine != "x86_64":  # whose figures they are
    MOST, INSIDE, AROUND = 2 * MOST, 2 * INSIDE, 2 * AROUND


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


def cost(read, call):
    """What a call takes, without the reads around it."""
    with_it, without = [], []
    for _ in range(20):
        before = read()
        call()
        with_it.append(read() - before)
        before = read()
        without.append(read() - before)
    return min(with_it) - min(without)


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


def check_within(what, region, visits, most, wanted=0):
    """The interpreter's own part is subtracted, and what is left of it is within the error, which is at most this."""
    reading = region.read()
    value = reading.values[1]
    check(
        what,
        reading.visits == visits
        and value.quality == perfctr.Quality.ESTIMATE
        and abs(value.inclusive - visits * wanted) <= value.error < visits * most,
        "%+.1f a visit, +- %.1f" % (value.inclusive / visits, value.error / visits),
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
    check_within("regions of new code", region, 133, 2 * MOST)


def check_own_part():
    outer, empty, flat = perfctr.region("outer"), perfctr.region("empty"), perfctr.region("flat")
    nothing = perfctr.region("function")(lambda: None)
    perfctr.regions.start("instructions:u")
    for _ in range(100):
        with flat:
            pass
    for _ in range(100):
        with outer:
            with empty:
                with empty:
                    pass
    perfctr.regions.stop()
    check_within("an empty region", flat, 100, MOST)
    check_within("empty regions within", outer, 100, 6000)
    perfctr.regions.start("instructions:u")
    for _ in range(100):
        nothing()
        with outer:
            nothing()
    perfctr.regions.stop()
    check_within("a decorated function", perfctr.region("function"), 200, 600)
    check_within("one within a with statement", outer, 100, 12000)


def check_few(call):
    """A loop of 2,000 instructions, in a call of a known cost."""
    region = perfctr.region("few")
    perfctr.regions.start("instructions:u")
    for _ in range(100):
        with region:
            brief()
    perfctr.regions.stop()
    print("  the call of the loop: %d" % call)
    check_within("a loop of 2,000", region, 100, MOST, 2000 + call)


def check_raw():
    """What begin and end count between themselves, without a calibration that subtracts it."""
    region = perfctr.region("raw")
    region._c.calibrate = None
    perfctr.regions.start("instructions:u")
    for _ in range(100):
        with region:
            pass
    perfctr.regions.stop()
    found = region.read().values[1].inclusive / 100
    check("begin and end", 0 < found < INSIDE, found)


def check_cost(read):
    """What a begin and an end take in all: at most what perfctr_languages(7) has."""
    region = perfctr.region("cost")
    perfctr.regions.start("cycles:u")
    both, reads = [], []
    for _ in range(20):
        before = read()
        with region:
            pass
        both.append(read() - before)
        before = read()
        reads.append(read() - before)
    perfctr.regions.stop()
    cost = min(both) - min(reads)
    check("begin and end in all", 0 < cost < AROUND, cost)


def main():
    gc.disable()
    print("  regions are", perfctr.region("empty").__class__.__mro__[1].__name__)
    with perfctr.Set("instructions:u", "cycles:u") as events:
        reader = events.reader(0)
        check("a reader asks no kernel", reader.is_inline, reader.is_inline)
        check_loops("a set", lambda: events.read()["instructions:u"].value)
        check_loops("a reader", reader.read)
        # No loop is shorter than two instructions.
        check_cost(reader.read)
        call = cost(reader.read, nothing) - 2
        loop(1000000)
        events.reset()
        found = reader.read()
        check("a reader after a reset", 0 < found < 100000, found)
    check_blocks()
    check_regions()
    check_own_part()
    check_few(call)
    check_raw()
    check_new_code()
    with perfctr.Sampler("cycles:u", period=10000, fields=("ip",)) as sampler:
        loop(100000)
        sampler.disable()
        samples = sum(record.type == "SAMPLE" for record in sampler)
    check("samples", samples >= 15, samples)
    return int(failures != 0)


sys.exit(main())
