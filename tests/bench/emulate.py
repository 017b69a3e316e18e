#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
What perfex --emulate takes beside valgrind --tool=callgrind, by turns: seconds of processor time, of commands that do no
more than compute. Of instructions alone, which the tool of emulate/ counts, and of misses, which callgrind simulates.
usage: emulate.py BUILD	a directory of configure's
Prints the table of docs/COSTS.md; exit status 1 if the median of the ratios is above a limit.
"""
import os
import resource
import statistics
import subprocess
import sys

TURNS = 5
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]
# The events of perfex, callgrind's options for the same, and the limit.
WAYS = [
    ("instructions", [], 0.7),
    ("instructions,L1-dcache-load-misses", CACHES, 1.05),
]


def seconds(command, environment=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# Each takes callgrind seconds, so that valgrind's own start is a small part.
def commands(build):
    return {
        "gzip": ["gzip", "-9c", os.path.join(build, ".libs/perfex")],
        "sort": ["sort"] + 20 * [os.path.join(build, "config.status")],
        "awk": ["awk", "BEGIN { for (i = 0; i < 1000000; i++) sum += i % 7 * i; print sum }"],
    }


def compare(build, name, command, event, options, limit):
    ours = dict(os.environ, PERFEX_VALGRIND=os.path.join(build, "emulate/lib"))
    pairs = []
    for _ in range(TURNS):
        pairs.append((seconds([os.path.join(build, "tests/bin/perfex"), "--emulate", "-o", "/dev/null", "-e", event] + command, ours),
                      seconds(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null", *options] + command)))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {name}: {event} | {min(a for a, b in pairs):.2f} | {min(b for a, b in pairs):.2f} | {ratio:.2f} |", flush=True)
    if ratio > limit:
        print(f"{name}: {event}: {ratio:.2f} of callgrind's time, above {limit}", file=sys.stderr)
    return ratio <= limit


build = os.path.abspath(sys.argv[1])
print("| seconds of processor time | perfex --emulate | callgrind | ratio |\n| --- | ---: | ---: | ---: |")
held = [compare(build, name, command, *way) for way in WAYS for name, command in commands(build).items()]
sys.exit(0 if all(held) else 1)
