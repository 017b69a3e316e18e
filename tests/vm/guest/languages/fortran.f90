! SPDX-License-Identifier: LGPL-2.1-or-later
!
! The Fortran binding where counters are exact: a loop that is longer by N instructions counts exactly N
! more, by each way of reading.
program fortran
    use, intrinsic :: iso_c_binding
    use perfctr
    implicit none
    integer, parameter :: by_set = 1, by_counters = 2, ordered = 3
    type(perfctr_set) :: set
    type(perfctr_counters) :: counters
    type(perfctr_reading), allocatable :: readings(:)
    integer :: failures = 0

    interface
        subroutine loop(n) bind(c, name="perfctr_test_loop")
            import :: c_long
            integer(c_long), value :: n
        end subroutine
    end interface

    call set%open("instructions:u")
    call counters%open("{instructions:u,cycles:u}")
    call check("a set", count(by_set, 101000_c_long) - count(by_set, 1000_c_long), 200000_c_int64_t)
    call check("counters", count(by_counters, 101000_c_long) - count(by_counters, 1000_c_long), 200000_c_int64_t)
    call check("an ordered read", count(ordered, 101000_c_long) - count(ordered, 1000_c_long), 200000_c_int64_t)
    call check_regions()
    call check_own_part()
    call check_cost(122_c_int64_t)
    if (failures > 0) error stop 1

contains

    subroutine check(what, found, wanted)
        character(*), intent(in) :: what
        integer(c_int64_t), intent(in) :: found, wanted

        print "(3a, i0)", merge("ok    ", "not ok", found == wanted), " ", what // ": ", found
        if (found /= wanted) failures = failures + 1
    end subroutine

    function now(way)
        integer, intent(in) :: way
        integer(c_int64_t) :: now
        integer(c_int64_t) :: values(2)

        select case (way)
        case (by_set)
            call set%read(readings)
            now = readings(1)%value
        case (by_counters)
            call counters%read(values)
            now = values(1)
        case default
            call counters%read_ordered(1, now)
        end select
    end function

    ! The least of some counts: the first ones are of code that is not in memory yet.
    function count(way, n)
        integer, intent(in) :: way
        integer(c_long), intent(in) :: n
        integer(c_int64_t) :: count, before
        integer :: i

        count = huge(count)
        do i = 1, 5
            before = now(way)
            call loop(n)
            count = min(count, now(way) - before)
        end do
    end function

    subroutine check_regions()
        type(perfctr_region) :: brief, lengthy
        type(perfctr_region_reading) :: few, many
        integer :: i

        call brief%find("brief")
        call lengthy%find("lengthy")
        call perfctr_regions_start("instructions:u")
        do i = 1, 5
            call brief%begin()
            call loop(1000_c_long)
            call brief%end()
        end do
        do i = 1, 5
            call lengthy%begin()
            call loop(101000_c_long)
            call lengthy%end()
        end do
        call brief%read(few)
        call lengthy%read(many)
        call perfctr_regions_stop()
        call check("regions", many%value(2)%inclusive - few%value(2)%inclusive, 1000000_c_int64_t)
    end subroutine

    ! An empty region counts nothing but its bound (most is 0), and one with few instructions, these.
    subroutine check_few(name, wanted, most)
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: wanted, most
        type(perfctr_region) :: region
        type(perfctr_region_reading) :: found
        integer(c_int64_t) :: off

        call region%find(name)
        call region%read(found)
        off = abs(found%value(2)%inclusive - wanted)
        print "(5a, i0, a, i0)", "  ", name, ", ", perfctr_quality_name(found%value(2)%quality), ": ", &
            found%value(2)%inclusive, " +- ", found%value(2)%error
        call check(name // " is beyond its bound by", &
            max(off - merge(most, found%value(2)%error, most > 0), 0_c_int64_t), 0_c_int64_t)
    end subroutine

    ! What a begin and an end take in all, as perfctr_languages(7) has it on x86-64.
    subroutine check_cost(wanted)
        integer(c_int64_t), intent(in) :: wanted
        type(perfctr_region) :: region
        integer(c_int64_t) :: before(2), after(2), both, reads
        integer :: i

        call region%find("cost")
        call perfctr_regions_start("cycles:u")
        both = huge(both)
        reads = huge(reads)
        do i = 1, 5
            call counters%read(before)
            call region%begin()
            call region%end()
            call counters%read(after)
            both = min(both, after(1) - before(1))
            call counters%read(before)
            call counters%read(after)
            reads = min(reads, after(1) - before(1))
        end do
        call perfctr_regions_stop()
        call check("begin and end", both - reads, merge(wanted, both - reads, on_x86()))
    end subroutine

    ! By what Linux says of the first processor.
    logical function on_x86()
        character(32) :: line
        integer :: unit

        open (newunit=unit, file="/proc/cpuinfo", action="read")
        read (unit, "(a)") line
        read (unit, "(a)") line
        close (unit)
        on_x86 = index(line, "vendor_id") == 1
    end function

    subroutine visit(region)
        type(perfctr_region), intent(in) :: region

        call region%begin()
        call region%end()
    end subroutine

    subroutine check_own_part()
        integer(c_int64_t), parameter :: n = 100
        type(perfctr_region) :: empty, outer, around, argument, few, elements(2)
        type(perfctr_region), save :: saved
        integer :: i

        call empty%find("empty")
        call outer%find("outer")
        call around%find("around")
        call argument%find("argument")
        call few%find("few")
        call saved%find("saved")
        call elements(1)%find("element")
        elements(2) = elements(1)
        call perfctr_regions_start("instructions:u")
        do i = 1, int(n)
            call empty%begin()
            call empty%end()
            call visit(argument)
            call saved%begin()
            call saved%end()
            call few%begin()
            call loop(1000_c_long)
            call few%end()
            call elements(mod(i, 2) + 1)%begin()
            call elements(mod(i, 2) + 1)%end()
        end do
        do i = 1, int(n)
            call around%begin()
            call outer%begin()
            call empty%begin()
            call empty%end()
            call empty%begin()
            call empty%end()
            call outer%end()
            call around%end()
        end do
        call perfctr_regions_stop()
        call check_few("empty", 0_c_int64_t, 0_c_int64_t)
        call check_few("outer", 0_c_int64_t, 0_c_int64_t)
        call check_few("around", 0_c_int64_t, 0_c_int64_t)
        call check_few("argument", 0_c_int64_t, 0_c_int64_t)
        call check_few("saved", 0_c_int64_t, 0_c_int64_t)
        call check_few("element", 0_c_int64_t, 0_c_int64_t)
        call check_few("few", 2000 * n, 20 * n)
    end subroutine
end program
