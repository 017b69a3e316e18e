! SPDX-License-Identifier: LGPL-2.1-or-later
!
! Measures parts of a program by name. With OpenMP (-fopenmp) each thread has counters of its own.
program regions
    use, intrinsic :: iso_c_binding, only: c_double
    use perfctr
    implicit none
    integer, parameter :: n = 200000
    type(perfctr_region) :: fill, sum_up
    type(perfctr_region_reading) :: reading
    real(c_double), allocatable :: values(:)
    real(c_double) :: total
    integer :: i, step

    call fill%find("fill")
    call sum_up%find("sum up")
    call perfctr_regions_start("page-faults:u", PERFCTR_REGIONS_MOMENTS)
    do step = 1, 3
        allocate (values(n))
        total = 0
        !$omp parallel private(i)
        call fill%begin()
        !$omp do
        do i = 1, n
            values(i) = 1 / real(i, c_double)
        end do
        !$omp end do
        call fill%end()
        call sum_up%begin()
        !$omp do reduction(+:total)
        do i = 1, n
            total = total + values(i)
        end do
        !$omp end do
        call sum_up%end()
        !$omp end parallel
        deallocate (values)
    end do
    call fill%read_all(reading)
    print "(a, f9.6, a, i0, a)", "the sum is ", total, " after ", reading%visits, " visits of fill"
    call perfctr_regions_report()
    call perfctr_regions_stop()
end program
