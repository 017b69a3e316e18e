#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
What a block of Python's count() costs, and the same calls of the library by ctypes, by turns: us of processor time, of an
event that needs no PMU. The block has an empty one at its end, which it subtracts.
usage: blocks.py BUILD	a directory of configure's
Prints a line per turn; exit status 1 if the median of the ratios is above the limit.
"""
import ctypes
import os
import statistics
import sys
import time

LIMIT = 3  # 2.6 to 2.7 were seen
TURNS = 9
BLOCKS = 2000
EVENT = "task-clock"


def by_count():
    with perfctr.count(EVENT) as c:
        pass
    return c[EVENT]


def by_ctypes():
    handle = lib.perfctr_set_open(EVENT.encode(), None, perfctr._FLAGS["disabled"])
    reading = _c.Reading()
    lib.perfctr_set_enable(handle)
    lib.perfctr_set_disable(handle)
    if lib.perfctr_set_read(handle, reading) < 0:
        raise _c.last_error()
    lib.perfctr_set_close(handle)
    return reading.value


def cost(call):
    begin = time.process_time_ns()
    for _ in range(BLOCKS):
        call()
    return (time.process_time_ns() - begin) / BLOCKS / 1000


if "perfctr" not in sys.argv[2:]:  # the loader reads LD_LIBRARY_PATH once
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.environ["LD_LIBRARY_PATH"] = os.path.join(sys.argv[1], "lib", ".libs")
    os.environ["PYTHONPATH"] = os.path.join(top, "bindings", "python")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.execv(sys.executable, [sys.executable, __file__, sys.argv[1], "perfctr"])
import perfctr
from perfctr import _c

lib = _c.lib
ratios = []
for turn in range(TURNS + 1):
    block, same = cost(by_count), cost(by_ctypes)
    if turn:  # the first one is new to the interpreter
        ratios.append(block / same)
        print("a block %.1f us, by ctypes %.1f us: %.2f" % (block, same, ratios[-1]))
median = statistics.median(ratios)
print("%s a block of count() takes %.2f times as long as the same calls, of at most %d" % ("PASS" if median <= LIMIT else "FAIL", median, LIMIT))
sys.exit(median > LIMIT)
