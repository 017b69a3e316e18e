# SPDX-License-Identifier: LGPL-2.1-or-later
import perfctr


@perfctr.region("work")
def work():
    pass


with perfctr.regions.measure("page-faults:u"):
    work()
    perfctr.regions.report()
