! SPDX-License-Identifier: LGPL-2.1-or-later
!
! Makes every call of bindings/fortran, rightly and wrongly: the wrong ones must give their errno and words of
! their sentence. Needs no counters of the processor; where there are some, they count, too.
module checks
    use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
    use, intrinsic :: iso_c_binding
    use perfctr
    implicit none

    integer, parameter :: ENOENT = 2, ESRCH = 3, ENODEV = 19, EINVAL = 22, EALREADY = 114
    logical :: failed = .false.
    ! What another thread works with.
    type(perfctr_set) :: set_of_first
    type(perfctr_counters) :: counters_of_first
    type(perfctr_region) :: shared

    interface
        function fork() bind(c)
            import :: c_int
            integer(c_int) :: fork
        end function
        function waitpid(pid, status, options) bind(c)
            import :: c_int
            integer(c_int), value :: pid, options
            integer(c_int), intent(out) :: status
            integer(c_int) :: waitpid
        end function
        subroutine exit_at_once(status) bind(c, name="_exit")
            import :: c_int
            integer(c_int), value :: status
        end subroutine
        function gettid() bind(c)
            import :: c_int
            integer(c_int) :: gettid
        end function
        function mmap(at, length, protection, flags, fd, offset) bind(c)
            import :: c_int, c_long, c_ptr, c_size_t
            type(c_ptr), value :: at
            integer(c_size_t), value :: length
            integer(c_int), value :: protection, flags, fd
            integer(c_long), value :: offset
            type(c_ptr) :: mmap
        end function
        function munmap(at, length) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: at
            integer(c_size_t), value :: length
            integer(c_int) :: munmap
        end function
        function pthread_create(thread, attributes, start, argument) bind(c)
            import :: c_funptr, c_int, c_intptr_t, c_ptr
            integer(c_intptr_t), intent(out) :: thread
            type(c_ptr), value :: attributes, argument
            type(c_funptr), value :: start
            integer(c_int) :: pthread_create
        end function
        function pthread_join(thread, result) bind(c)
            import :: c_int, c_intptr_t, c_ptr
            integer(c_intptr_t), value :: thread
            type(c_ptr), value :: result
            integer(c_int) :: pthread_join
        end function
    end interface

contains

    subroutine expect(good, what)
        logical, intent(in) :: good
        character(*), intent(in) :: what

        if (good) return
        print "(2a)", "| ", what
        failed = .true.
    end subroutine

    subroutine fails(errno, words, stat, errmsg)
        integer, intent(in) :: errno
        character(*), intent(in) :: words
        integer, intent(in) :: stat
        character(*), intent(inout) :: errmsg

        if (stat /= errno .or. index(errmsg, words) == 0) then
            print "(a, i0, a, i0, 4a)", "| errno ", stat, ", not ", errno, ": ", trim(errmsg), ", not ", words
            failed = .true.
        end if
        errmsg = ""
    end subroutine

    ! Touches as many new pages.
    subroutine fault(pages)
        integer, intent(in) :: pages
        integer(c_size_t) :: length
        integer(c_int8_t), pointer, volatile :: bytes(:)
        type(c_ptr) :: memory
        integer :: page

        length = int(pages, c_size_t) * 4096
        memory = mmap(c_null_ptr, length, 3, 34, -1, 0_c_long)
        call c_f_pointer(memory, bytes, [pages * 4096])
        do page = 0, pages - 1
            bytes(page * 4096 + 1) = 1
        end do
        if (munmap(memory, length) /= 0) error stop "munmap"
    end subroutine

    subroutine in_thread(start)
        interface
            function start(argument) bind(c)
                import :: c_ptr
                type(c_ptr), value :: argument
                type(c_ptr) :: start
            end function
        end interface
        integer(c_intptr_t) :: thread

        if (pthread_create(thread, c_null_ptr, c_funloc(start), c_null_ptr) /= 0) error stop "no thread"
        if (pthread_join(thread, c_null_ptr) /= 0) error stop "no end of the thread"
    end subroutine

    ! What the first thread has opened counts it alone, and closes here, too.
    function other_thread(argument) bind(c)
        type(c_ptr), value :: argument
        type(c_ptr) :: other_thread
        type(perfctr_reading), allocatable :: before(:), after(:)
        integer(c_int64_t) :: earlier(2), later(2), one

        other_thread = argument
        call set_of_first%read(before)
        call counters_of_first%read(earlier)
        call fault(100)
        call set_of_first%read(after)
        call counters_of_first%read(later)
        call counters_of_first%read_ordered(1, one)
        call expect(after(1)%value - before(1)%value < 50, "a set counts another thread")
        call expect(later(1) - earlier(1) < 50 .and. one >= later(1), "counters count another thread")
        call set_of_first%close()
    end function

    function visitor(argument) bind(c)
        type(c_ptr), value :: argument
        type(c_ptr) :: visitor

        visitor = argument
        call perfctr_regions_thread()
        call shared%begin()
        call shared%end()
    end function

    subroutine names()
        integer :: stat
        character(512) :: why

        call perfctr_check_event("page-faults:u  ")
        why = "as it was"
        call perfctr_check_event("page-faults:u", stat, why)
        call expect(stat == 0 .and. why == "as it was", "success has a sentence")
        call perfctr_check_event("page-fautls", stat, why)
        call fails(EINVAL, "did you mean page-faults", stat, why)
        call perfctr_check_event("a" // c_null_char, stat, why)
        call fails(EINVAL, "zero byte", stat, why)
        call expect(perfctr_provider() == "perf" .or. perfctr_provider() == "driver", "no provider")
        call expect(perfctr_quality_name(PERFCTR_NOT_COUNTED) == "not counted", "no name of a quality")
        call expect(perfctr_reading_estimate(perfctr_reading(10, 200, 100, PERFCTR_SCALED, 0)) == 20, "no estimate")
    end subroutine

    subroutine sets()
        type(perfctr_set) :: set, other
        type(perfctr_reading), allocatable :: before(:), after(:)
        character(:), allocatable :: unit
        character(512) :: why
        real(c_double) :: scale
        integer :: stat

        call set%open("page-faults:u, task-clock")
        call expect(set%size() == 2 .and. set%name(1) == "page-faults:u" .and. set%name(2) == "task-clock", "names")
        call expect(set%name(0) == "" .and. set%name(3) == "", "names of no event")
        call set%unit(2, scale, unit)
        call expect(unit == "msec" .and. abs(scale - 1d-6) < 1d-12, "unit")
        call set%unit(3, scale, unit, stat, why)
        call fails(EINVAL, "there is no element 3: they are 1 to 2", stat, why)
        call set%read(before)
        call fault(100)
        call set%read(after, stat)
        call expect(stat == 0 .and. size(after) == 2, "a reading")
        call expect(after(1)%value - before(1)%value >= 100 .and. after(1)%value - before(1)%value < 200, "page faults")
        call expect(all(after%quality == PERFCTR_EXACT) .and. after(2)%enabled == after(2)%running, "exact ones")
        call expect(all(perfctr_reading_estimate(after) == after%value), "estimates")
        call set%disable()
        call set%reset()
        call fault(10)
        call set%read(after)
        call expect(after(1)%value == 0, "a reset")
        call set%enable()
        call set%check()
        call fault(10)
        call expect(set%parts() == 1, "one part")
        call set%read_part(1, after)
        call expect(after(1)%value >= 10, "counts of a part")
        call set%read_part(2, after, stat, why)
        call fails(EINVAL, "there is no element 2: they are 1 to 1", stat, why)
        call set%read_thread(1, after, stat, why)
        call fails(ESRCH, "", stat, why)
        call other%open("page-fautls", stat=stat, errmsg=why)
        call fails(EINVAL, "did you mean page-faults", stat, why)
        call other%open("a" // c_null_char // "b", stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call set%close()
        call set%close()
        other = set
        call expect(other%size() == 0, "an empty copy")
        call set%read(after, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%read_part(1, after, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%read_thread(0, after, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%enable(stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%disable(stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%reset(stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%check(stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call set%unit(1, scale, unit, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call expect(set%size() == 0 .and. set%parts() == 0 .and. set%name(1) == "" .and. unit == "", "a closed set")
    end subroutine

    ! It is closed at its end, or there would soon be no descriptors.
    subroutine passing()
        type(perfctr_set) :: set
        type(perfctr_counters) :: counters
        type(perfctr_metrics) :: ipc

        call set%open("page-faults:u")
        call counters%open("page-faults:u")
        call ipc%open("ipc", "skylake")
    end subroutine

    subroutine targets()
        type(perfctr_set) :: set
        type(perfctr_reading), allocatable :: readings(:)
        integer :: stat
        character(512) :: why

        call set%open("page-faults:u", perfctr_process(0), PERFCTR_INHERIT + PERFCTR_DISABLED)
        call set%enable()
        call set%read_thread(int(gettid()), readings)
        call set%open("page-faults:u", perfctr_thread(int(gettid())))
        call set%open("page-faults:u", perfctr_thread(134217727), stat=stat, errmsg=why)
        call fails(ESRCH, "", stat, why)
        call set%open("page-faults:u", perfctr_process(134217727), stat=stat, errmsg=why)
        call fails(ESRCH, "", stat, why)
        call set%open("task-clock", perfctr_processor(8191), stat=stat, errmsg=why)
        call fails(ENODEV, "", stat, why)
        call set%open("task-clock", perfctr_every_processor(), PERFCTR_INHERIT, stat, why)
        call fails(EINVAL, "", stat, why)
        call set%open("task-clock", perfctr_cgroup("/no/such/cgroup"), stat=stat, errmsg=why)
        call fails(ENOENT, "", stat, why)
        call set%open("task-clock", perfctr_cgroup("a" // c_null_char), stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call set%open("task-clock", perfctr_thread_on_processor(0, 0), stat=stat, errmsg=why)
        if (stat /= 0) then
            print "(2a)", "SKIP a processor: ", trim(why)
            return
        end if
        call expect(set%size() == 1, "a thread on a processor")
    end subroutine

    subroutine counts()
        type(perfctr_counters) :: counters
        integer(c_int64_t) :: before(2), after(2), one, many(3), apart(4)
        integer :: stat
        character(512) :: why

        call counters%open("{page-faults:u,task-clock}")
        call expect(counters%size() == 2 .and. counters%name(2) == "task-clock", "names of counters")
        call counters%read(before)
        call fault(100)
        call counters%read(after, stat)
        call expect(stat == 0 .and. after(1) - before(1) >= 100 .and. after(1) - before(1) < 200, "faults of counters")
        apart = -1
        call counters%read(apart(1::2))
        call expect(all(apart(1::2) >= after) .and. all(apart(2::2) == -1), "an array with gaps")
        call counters%read_ordered(1, one, stat)
        call expect(stat == 0 .and. one >= after(1), "an ordered read")
        call counters%read(many, stat, why)
        call fails(EINVAL, "size()", stat, why)
        call counters%read_ordered(0, one, stat, why)
        call fails(EINVAL, "there is no element 0: they are 1 to 2", stat, why)
        call counters%read_ordered(3, one, stat, why)
        call fails(EINVAL, "there is no element 3: they are 1 to 2", stat, why)
        call counters%open("page-fautls", stat=stat, errmsg=why)
        call fails(EINVAL, "did you mean page-faults", stat, why)
        call counters%read(after, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call counters%open("page-faults:u", 0)
        call counters%close()
        call counters%read(after, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call counters%read_ordered(1, one, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call expect(counters%size() == 0 .and. counters%name(1) == "", "closed counters")
        call counters%open("{instructions:u,cycles:u}", stat=stat, errmsg=why)
        if (stat /= 0) then
            print "(2a)", "| left out: counters of the processor: ", trim(why)
            return
        end if
        call counters%read(before)
        call counters%read(after)
        call expect(all(after > before) .and. all(after - before < 100000), "the processor's counters")
        call counters%read_ordered(1, one)
        call expect(one > after(1), "an ordered read of the processor's counter")
    end subroutine

    subroutine threads()
        type(perfctr_reading), allocatable :: readings(:)
        integer :: stat
        character(512) :: why

        call set_of_first%open("page-faults:u")
        call counters_of_first%open("page-faults:u,task-clock")
        call in_thread(other_thread)
        call set_of_first%read(readings, stat, why)
        call fails(EINVAL, "NULL", stat, why)
    end subroutine

    subroutine children()
        type(perfctr_set) :: set
        type(perfctr_counters) :: counters
        type(perfctr_metrics) :: ipc
        type(perfctr_reading), allocatable :: readings(:)
        integer(c_int64_t) :: values(1)
        character(512) :: why
        integer :: stat
        integer(c_int) :: child, status

        call set%open("page-faults:u")
        call counters%open("page-faults:u")
        call ipc%open("ipc", "skylake")
        flush (6)
        child = fork()
        if (child == 0) then
            failed = .false.
            call set%read(readings, stat, why)
            call fails(ESRCH, "parent process", stat, why)
            call set%enable(stat, why)
            call fails(ESRCH, "parent process", stat, why)
            call expect(set%size() == 0 .and. set%parts() == 0 .and. set%name(1) == "", "what can't fail")
            call expect(ipc%size() == 1, "metrics of the parent")
            call counters%read(values, stat, why)
            call fails(ESRCH, "parent process", stat, why)
            call counters%read_ordered(1, values(1), stat, why)
            call fails(ESRCH, "parent process", stat, why)
            call counters%open("page-faults:u")
            call counters%read(values)
            call set%close()
            call set%read(readings, stat, why)
            call fails(EINVAL, "NULL", stat, why)
            flush (6)
            call exit_at_once(merge(1_c_int, 0_c_int, failed))
        end if
        call expect(waitpid(child, status, 0) == child .and. status == 0, "a child")
        call set%read(readings)
        call counters%read(values)
    end subroutine

    subroutine metrics()
        type(perfctr_metrics) :: ipc
        type(perfctr_metric_value) :: value
        type(perfctr_set) :: set
        type(perfctr_reading), allocatable :: readings(:)
        integer :: stat
        character(512) :: why

        call ipc%open("ipc", "skylake")
        call expect(ipc%size() == 1 .and. index(ipc%events(), "instructions") > 0, "a metric")
        call set%open("page-faults:u,task-clock")
        call fault(10)
        call set%read(readings)
        call ipc%value(1, readings, value)
        call expect(value%value > 0 .and. value%value < 1 .and. value%reason == "", "a metric's value")
        call expect(value%beyond .and. value%quality == PERFCTR_EXACT, "its threshold")
        call ipc%value(2, readings, value, stat, why)
        call fails(EINVAL, "", stat, why)
        call ipc%value(1, readings(1:1), value, stat, why)
        call fails(EINVAL, "another number", stat, why)
        call set%open("page-faults:u,nonsense/event=1/", flags=PERFCTR_PARTIAL)
        call set%read(readings)
        call ipc%value(1, readings, value)
        call expect(value%reason /= "" .and. ieee_is_nan(value%value), "a reason")
        call ipc%open("no-such", "skylake", stat, why)
        call fails(EINVAL, "no-such", stat, why)
        call ipc%open("ipc", "no-such", stat, why)
        call fails(ENOENT, "no-such", stat, why)
        call ipc%open("ipc", "a" // c_null_char, stat, why)
        call fails(EINVAL, "zero byte", stat, why)
        call ipc%open("a" // c_null_char, stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call ipc%close()
        call ipc%value(1, readings, value, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call expect(ipc%size() == 0 .and. ipc%events() == "", "closed metrics")
    end subroutine

    subroutine regions(left)
        character(*), intent(in) :: left
        type(perfctr_region) :: region, none
        type(perfctr_region_reading) :: reading
        integer :: stat
        integer(c_int) :: child, status
        character(512) :: why

        call none%begin()
        call none%end()
        call none%read(reading, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call none%read_all(reading, stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call none%reset(stat, why)
        call fails(EINVAL, "NULL", stat, why)
        call region%find("", stat, why)
        call fails(EINVAL, "", stat, why)
        call region%find("a" // c_null_char, stat, why)
        call fails(EINVAL, "zero byte", stat, why)
        call region%find("tested")
        call perfctr_regions_stop(stat, why)
        call fails(EINVAL, "", stat, why)
        call perfctr_regions_start("page-fautls", stat=stat, errmsg=why)
        call fails(EINVAL, "page-faults", stat, why)
        call perfctr_regions_start("a" // c_null_char, stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call perfctr_regions_start(metrics="no-such", stat=stat, errmsg=why)
        call fails(EINVAL, "no-such", stat, why)
        call perfctr_regions_start("page-faults:u", PERFCTR_REGIONS_MOMENTS)
        call perfctr_regions_start(stat=stat, errmsg=why)
        call fails(EALREADY, "", stat, why)
        call region%read(reading, stat, why)
        call fails(ENOENT, "", stat, why)
        call region%begin()
        call region%begin()
        call perfctr_region_add_bytes(20_c_int64_t)
        call perfctr_region_add_communication(30_c_int64_t)
        call fault(50)
        call region%end()
        call region%end()
        shared = region
        call in_thread(visitor)
        call region%read(reading)
        call expect(reading%visits == 2 .and. reading%nvalues == 2, "visits of this thread")
        call expect(reading%value(2)%inclusive >= 100 .and. reading%value(2)%exclusive >= 50 .and. &
            reading%value(2)%exclusive < 75 .and. reading%value(2)%minimum >= 50, "a region's faults")
        call expect(reading%communication_inclusive == 60 .and. reading%communication_exclusive == 30, &
            "a region's communication")
        call expect(reading%bytes_inclusive == 40 .and. reading%bytes_exclusive == 20, "a region's bytes")
        call region%read_all(reading)
        call expect(reading%visits == 3, "visits of all threads")
        call perfctr_regions_report("/no/such/file", PERFCTR_REGIONS_CSV, stat, why)
        call fails(ENOENT, "", stat, why)
        call perfctr_regions_report("a" // c_null_char, stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call perfctr_regions_report(format=100, stat=stat, errmsg=why)
        call fails(EINVAL, "", stat, why)
        call perfctr_regions_report(left // "/report", PERFCTR_REGIONS_JSON)
        call perfctr_regions_recover(left // "/report", left // "/recovered", stat=stat, errmsg=why)
        call fails(EINVAL, "", stat, why)
        call perfctr_regions_recover(left // "/none", left // "/recovered", stat=stat, errmsg=why)
        call fails(ENOENT, "", stat, why)
        call perfctr_regions_recover("a" // c_null_char, stat=stat, errmsg=why)
        call fails(EINVAL, "zero byte", stat, why)
        call region%reset()
        call region%read(reading)
        call expect(reading%visits == 0, "a reset region")
        flush (6)
        child = fork()
        if (child == 0) then
            call region%begin()
            call region%end()
            call perfctr_regions_stop(stat)
            call exit_at_once(merge(0_c_int, 1_c_int, stat /= 0))
        end if
        call expect(waitpid(child, status, 0) == child .and. status == 0, "a child's region")
        call perfctr_regions_stop()
    end subroutine
end module

program calls
    use checks
    implicit none
    character(256) :: directory
    integer :: i

    call get_command_argument(1, directory)
    call names()
    call sets()
    call targets()
    call counts()
    call threads()
    call children()
    call metrics()
    do i = 1, 2000
        call passing()
    end do
    call regions(trim(directory))
    if (failed) error stop 1
end program
