! SPDX-License-Identifier: LGPL-2.1-or-later
!
! Counts a loop in this thread, and what the process has cost in all threads.
program count
    use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
    use perfctr
    implicit none
    type(perfctr_counters) :: counters
    type(perfctr_set) :: process
    type(perfctr_reading), allocatable :: readings(:)
    integer(c_int64_t) :: before(2), after(2)
    character(512) :: why
    real(c_double) :: total
    integer :: i, stat

    call process%open("page-faults:u,task-clock", perfctr_process(0), PERFCTR_INHERIT)
    ! Without a PMU, as in many virtual machines, there are still the kernel's own events.
    call counters%open("{instructions:u,cycles:u}", stat=stat, errmsg=why)
    if (stat /= 0) then
        print "(a)", trim(why)
        call counters%open("{page-faults:u,task-clock}")
    end if
    call counters%read(before)
    total = 0
    do i = 1, 100000
        total = total + 1 / real(i, c_double)**2
    end do
    call counters%read(after)
    print "(a, f8.6)", "the sum is ", total
    do i = 1, counters%size()
        print "(a, t20, i12)", counters%name(i), after(i) - before(i)
    end do
    call process%read(readings)
    do i = 1, process%size()
        print "(a, t20, i12, 2a)", process%name(i), perfctr_reading_estimate(readings(i)), ", ", &
            perfctr_quality_name(readings(i)%quality)
    end do
end program
