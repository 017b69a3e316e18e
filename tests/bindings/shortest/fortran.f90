! SPDX-License-Identifier: LGPL-2.1-or-later
program shortest
    use perfctr
    type(perfctr_region) :: region

    call region%find("work")
    call perfctr_regions_start("page-faults:u")
    call region%begin()
    call work()
    call region%end()
    call perfctr_regions_report()
contains
    subroutine work()
    end subroutine
end program
