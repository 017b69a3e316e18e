# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures parts of a program by name, in two threads, and where page faults happen."""

import collections
import mmap
import threading

import perfctr

load = perfctr.region("load")


@load
def touch(pages: int) -> None:
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1


def main() -> None:
    with perfctr.regions.measure("page-faults:u"):
        worker = threading.Thread(target=touch, args=(50,))
        worker.start()
        touch(100)
        worker.join()
        with perfctr.region("sum"):
            sum(range(100000))
        print("load:", load.read_all().visits, "visits")
        perfctr.regions.report()

    pages = collections.Counter[int]()
    with perfctr.Sampler("page-faults:u", period=1, fields=("ip", "tid", "addr")) as sampler:
        touch(100)
        for record in sampler:
            if record.type == "SAMPLE":
                pages[record.ip] += 1
    for ip, n in pages.most_common(3):
        print("%#x: %d faults" % (ip, n))


if __name__ == "__main__":
    main()
