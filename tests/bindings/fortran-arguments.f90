! SPDX-License-Identifier: LGPL-2.1-or-later
!
! What goes from the module into the library and back, over recorder.c: each argument arrives in its place with a value
! of its own, each member comes back under its name, each failure is told.
module recorder
    use, intrinsic :: iso_c_binding
    use perfctr
    implicit none

    integer, parameter :: EXDEV = 18
    logical :: failed = .false.
    integer :: failing = 0

    interface
        function c_recorded() bind(c, name="recorded")
            import :: c_ptr
            type(c_ptr) :: c_recorded
        end function
        subroutine c_recorder_fails(now) bind(c, name="recorder_fails")
            import :: c_int
            integer(c_int), value :: now
        end subroutine
        pure function c_strlen(text) bind(c, name="strlen")
            import :: c_ptr, c_size_t
            type(c_ptr), value, intent(in) :: text
            integer(c_size_t) :: c_strlen
        end function
    end interface

contains

    function recorded()
        character(:), allocatable :: recorded
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: c
        integer :: i

        c = c_recorded()
        allocate (character(c_strlen(c)) :: recorded)
        call c_f_pointer(c, letters, [len(recorded)])
        do i = 1, len(recorded)
            recorded(i:i) = letters(i)
        end do
    end function

    subroutine expect(good, what)
        logical, intent(in) :: good
        character(*), intent(in) :: what

        if (good) return
        print "(2a)", "FAIL ", what
        failed = .true.
    end subroutine

    subroutine fail_from_now(now)
        integer, intent(in) :: now

        failing = now
        call c_recorder_fails(int(now, c_int))
    end subroutine

    ! These calls were made, and failed if they had to.
    subroutine made(expected, stat, errmsg)
        character(*), intent(in) :: expected
        integer, intent(in) :: stat
        character(*), intent(inout) :: errmsg
        character(:), allocatable :: found

        found = recorded()
        call expect(found == expected, expected // ": " // found)
        if (failing == 0) then
            call expect(stat == 0, expected // " failed")
        else
            call expect(stat == EXDEV .and. errmsg == "made up", expected // " did not fail")
        end if
        errmsg = ""
    end subroutine

    subroutine is_read(readings)
        type(perfctr_reading), allocatable, intent(in) :: readings(:)

        call expect(size(readings) == 2, "the size of readings")
        call expect(all(readings%value == [1, 101]) .and. all(readings%enabled == [2, 102]) .and. &
            all(readings%running == [3, 103]) .and. all(readings%quality == PERFCTR_SCALED), "readings")
        call expect(all(perfctr_reading_estimate(readings) == [1234, 112234]), "estimates")
    end subroutine

    subroutine test_open(whom, c)
        type(perfctr_target), intent(in) :: whom
        character(*), intent(in) :: c
        type(perfctr_set) :: set
        character(100) :: errmsg
        integer :: stat

        call set%open("a,b", whom, 7, stat, errmsg)
        call made("set_open a,b " // c // " 7", stat, errmsg)
        call set%close()
        call expect(recorded() == trim(merge("set_close 100", "             ", failing == 0)), "close")
    end subroutine

    subroutine test_opens()
        type(perfctr_set) :: set
        type(perfctr_counters) :: counters
        type(perfctr_metrics) :: metrics
        type(perfctr_region) :: region
        character(100) :: errmsg
        integer :: stat
        character(:), allocatable :: rest

        call test_open(perfctr_thread(5), "0:5:0:-")
        call test_open(perfctr_process(5), "1:5:0:-")
        call test_open(perfctr_processor(5), "2:5:0:-")
        call test_open(perfctr_every_processor(), "2:-1:0:-")
        call test_open(perfctr_cgroup("a/b"), "3:0:0:a/b")
        call test_open(perfctr_thread_on_processor(5, 6), "4:5:6:-")
        call set%open("a", stat=stat, errmsg=errmsg)
        call made("set_open a 0:0:0:- 0", stat, errmsg)
        call set%close()
        rest = recorded()
        call metrics%open("a", "p", stat, errmsg)
        call made("metrics_open a p", stat, errmsg)
        call metrics%open("a", stat=stat, errmsg=errmsg)
        if (failing == 0) then
            call made("metrics_close 300; metrics_open a -", stat, errmsg)
        else
            call made("metrics_open a -", stat, errmsg)
        end if
        call metrics%close()
        rest = recorded()
        call region%find("r", stat, errmsg)
        call made("region_by_name r", stat, errmsg)
        if (failing == 0) then
            call counters%open("a", 7, stat, errmsg)
            call made("set_open a 0:0:0:- 7; set_reader 100 0; set_reader 100 1", stat, errmsg)
            call counters%close()
        end if
        rest = recorded()
    end subroutine

    subroutine test_calls(set, metrics, region, readings, value, reading)
        type(perfctr_set), intent(inout) :: set
        type(perfctr_metrics), intent(inout) :: metrics
        type(perfctr_region), intent(inout) :: region
        type(perfctr_reading), allocatable, intent(inout) :: readings(:)
        type(perfctr_metric_value), intent(inout) :: value
        type(perfctr_region_reading), intent(inout) :: reading
        character(100) :: errmsg
        character(:), allocatable :: unit
        real(c_double) :: scale
        integer :: stat

        call set%read(readings, stat, errmsg)
        call made("set_read 100", stat, errmsg)
        call is_read(readings)
        call set%read_part(3, readings, stat, errmsg)
        call made("set_read_part 100 2", stat, errmsg)
        call is_read(readings)
        call set%read_part(20, readings, stat, errmsg)
        call made("set_read_part 100 19", stat, errmsg)
        call set%read_thread(4, readings, stat, errmsg)
        call made("set_read_thread 100 4", stat, errmsg)
        call is_read(readings)
        call set%enable(stat, errmsg)
        call made("set_enable 100", stat, errmsg)
        call set%disable(stat, errmsg)
        call made("set_disable 100", stat, errmsg)
        call set%reset(stat, errmsg)
        call made("set_reset 100", stat, errmsg)
        call set%check(stat, errmsg)
        call made("set_check 100", stat, errmsg)
        call set%unit(2, scale, unit, stat, errmsg)
        call made("set_unit 100 1", stat, errmsg)
        if (failing == 0) call expect(unit == "a unit" .and. abs(scale - 1.5) < 1e-9, "a unit")
        call perfctr_check_event("a", stat, errmsg)
        call made("event_check a", stat, errmsg)
        call metrics%value(4, readings, value, stat, errmsg)
        call made("metrics_value 300 3 112234", stat, errmsg)
        call expect(abs(value%value - 2.5) < 1e-9 .and. value%reason == "" .and. value%quality == PERFCTR_STALE .and. &
            .not. value%beyond, "a value")
        call region%read(reading, stat, errmsg)
        call made("region_read 9", stat, errmsg)
        call region%read_all(reading, stat, errmsg)
        call made("region_read_all 9", stat, errmsg)
        call region%reset(stat, errmsg)
        call made("region_reset 9", stat, errmsg)
        call perfctr_regions_start("a", 5, "m", stat, errmsg)
        call made("regions_start_metrics a m 5", stat, errmsg)
        call perfctr_regions_start(stat=stat, errmsg=errmsg)
        call made("regions_start_metrics   0", stat, errmsg)
        call perfctr_regions_stop(stat, errmsg)
        call made("regions_stop", stat, errmsg)
        call perfctr_regions_thread(stat, errmsg)
        call made("regions_thread", stat, errmsg)
        call perfctr_regions_report("f", PERFCTR_REGIONS_JSON, stat, errmsg)
        call made("regions_report f 2", stat, errmsg)
        call perfctr_regions_report(stat=stat, errmsg=errmsg)
        call made("regions_report - 0", stat, errmsg)
        call perfctr_regions_recover("l", "f", PERFCTR_REGIONS_CSV, stat, errmsg)
        call made("regions_recover l f 1", stat, errmsg)
        call perfctr_regions_recover("l", stat=stat, errmsg=errmsg)
        call made("regions_recover l - 0", stat, errmsg)
    end subroutine

    ! What can't fail, and counters, which can't be read inline here.
    subroutine test_others(set, metrics, region, readings, reading)
        type(perfctr_set), intent(inout) :: set
        type(perfctr_metrics), intent(inout) :: metrics
        type(perfctr_region), intent(inout) :: region
        type(perfctr_reading), allocatable, intent(in) :: readings(:)
        type(perfctr_region_reading), intent(in) :: reading
        type(perfctr_metric_value) :: value
        type(perfctr_counters) :: counters
        character(100) :: errmsg
        character(:), allocatable :: rest
        integer(c_int64_t) :: values(2), one
        integer :: stat

        call expect(set%size() == 2 .and. set%name(2) == "second" .and. set%parts() == 20, "a set")
        call expect(metrics%size() == 9 .and. metrics%events() == "first,second", "metrics")
        call metrics%value(8, readings, value)
        call expect(value%reason == "a reason" .and. .not. value%beyond, "no value")
        call metrics%value(7, readings, value)
        call expect(value%beyond, "a value beyond")
        call expect(reading%visits == 31 .and. reading%unfinished == 32 .and. reading%uncounted == 33 .and. &
            reading%nvalues == 2 .and. all(reading%value(1:2)%inclusive == [41, 51]) .and. &
            all(reading%value(1:2)%exclusive == [42, 52]) .and. all(reading%value(1:2)%error == [43, 53]) .and. &
            all(reading%value(1:2)%quality == [PERFCTR_ESTIMATE, PERFCTR_SCALED]) .and. &
            reading%bytes_inclusive == 34 .and. reading%bytes_exclusive == 35, "a region")
        rest = recorded()
        call region%begin()
        call region%end()
        call perfctr_region_add_bytes(8_c_int64_t)
        call perfctr_region_add_communication(9_c_int64_t)
        call made("region_begin 9; region_end 9; region_add_bytes 8; region_add_communication 9", 0, errmsg)
        call expect(perfctr_provider() == "provider", "the provider")
        call counters%open("a")
        rest = recorded()
        call counters%read(values, stat, errmsg)
        call made("set_read 100", stat, errmsg)
        call counters%read_ordered(2, one, stat, errmsg)
        call made("set_read 100", stat, errmsg)
        call expect(all(values == [1, 101]) .and. one == 101, "counters")
        call fail_from_now(1)
        call counters%read(values, stat, errmsg)
        call made("set_read 100", stat, errmsg)
        call counters%read_ordered(1, one, stat, errmsg)
        call made("set_read 100", stat, errmsg)
        call expect(all(values == [1, 101]) .and. one == 101, "counters after a read that failed")
        call fail_from_now(0)
    end subroutine
end module

program arguments
    use recorder
    implicit none
    type(perfctr_set) :: set
    type(perfctr_metrics) :: metrics
    type(perfctr_region) :: region
    type(perfctr_reading), allocatable :: readings(:)
    type(perfctr_metric_value) :: value
    type(perfctr_region_reading) :: reading
    character(:), allocatable :: rest
    integer :: now

    call set%open("a")
    call metrics%open("a")
    call region%find("r")
    rest = recorded()
    do now = 0, 1
        call fail_from_now(now)
        call test_opens()
        call test_calls(set, metrics, region, readings, value, reading)
    end do
    call fail_from_now(0)
    call test_others(set, metrics, region, readings, reading)
    if (failed) error stop 1
    print "(a)", "all arrived"
end program
