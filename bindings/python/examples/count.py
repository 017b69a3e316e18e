# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts a block, a child process and this machine's processors, as far as that is possible here."""

import subprocess
import sys

import perfctr


def main() -> None:
    # Events that this machine can't count are left out, with a reason.
    with perfctr.count("instructions:u", "page-faults:u", "task-clock", partial=True) as c:
        reason = c.set.event(0).reason
        squares = [i * i for i in range(100000)]
    print(c.dict(), len(squares), "squares;", reason or "all was counted")

    # What a command costs, its children included.
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with perfctr.Set("page-faults:u", target=perfctr.process(child.pid), inherit=True) as events:
        child.communicate(b"\n")
        print("the child:", events.read().dict())

    try:
        with perfctr.Set("context-switches", target=perfctr.every_processor()) as events:
            print("each processor:", [events.read_part(p).dict() for p in range(len(events.parts()))])
    except perfctr.Error as error:
        print(error)  # one sentence: the cause, the remedy


if __name__ == "__main__":
    main()
