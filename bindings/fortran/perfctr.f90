! SPDX-License-Identifier: LGPL-2.1-or-later
!
! perfctr.f90 - libperfctr in Fortran 2008. Compile it with your program, since a module's file belongs
! to its compiler. perfctr_fortran(7) is the page; contracts stand in libperfctr.h and perfctr/regions.h.
!
! A call that can fail has the arguments STAT and ERRMSG of ALLOCATE: stat becomes 0 or errno, and errmsg
! the sentence of perfctr_error() if there was an error. Without stat an error ends the program, with the
! sentence.
!
! An object is closed when it goes out of scope. Calls with one that is closed, or was never opened, fail
! with EINVAL. In a child of fork(2) the parent's fail with ESRCH. Indices begin at 1.
module perfctr
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    private

    ! How good a count is.
    integer, parameter, public :: PERFCTR_EXACT = 0
    integer, parameter, public :: PERFCTR_UNWATCHED = 1
    integer, parameter, public :: PERFCTR_UNVERIFIED = 2
    integer, parameter, public :: PERFCTR_ESTIMATE = 3
    integer, parameter, public :: PERFCTR_SCALED = 4
    integer, parameter, public :: PERFCTR_NOT_COUNTED = 5
    integer, parameter, public :: PERFCTR_STALE = 6

    ! Flags of sets and counters; add them up.
    integer, parameter, public :: PERFCTR_MULTIPLEX = 64
    integer, parameter, public :: PERFCTR_INHERIT = 256
    integer, parameter, public :: PERFCTR_ON_EXEC = 512
    integer, parameter, public :: PERFCTR_DISABLED = 1024
    integer, parameter, public :: PERFCTR_EXCLUSIVE = 2048
    integer, parameter, public :: PERFCTR_PARTIAL = 4096
    integer, parameter, public :: PERFCTR_USER_FALLBACK = 8192
    integer, parameter, public :: PERFCTR_WATCH = 16384

    ! What to keep of regions; add them up. The formats of their report.
    integer, parameter, public :: PERFCTR_REGIONS_MOMENTS = 1
    integer, parameter, public :: PERFCTR_REGIONS_HISTOGRAM = 2
    integer, parameter, public :: PERFCTR_REGIONS_THREADS = 4
    integer, parameter, public :: PERFCTR_REGIONS_USER_FALLBACK = 8
    integer, parameter, public :: PERFCTR_REGIONS_TABLE = 0
    integer, parameter, public :: PERFCTR_REGIONS_CSV = 1
    integer, parameter, public :: PERFCTR_REGIONS_JSON = 2

    integer, parameter :: PERFCTR_TARGET_THREAD = 0
    integer, parameter :: PERFCTR_TARGET_PROCESS = 1
    integer, parameter :: PERFCTR_TARGET_CPU = 2
    integer, parameter :: PERFCTR_TARGET_CGROUP = 3
    integer, parameter :: PERFCTR_TARGET_THREAD_ON_CPU = 4
    integer, parameter :: EINVAL = 22

    ! One counter, read; times are ns.
    type, bind(c), public :: perfctr_reading
        integer(c_int64_t) :: value = 0
        integer(c_int64_t) :: enabled = 0
        integer(c_int64_t) :: running = 0
        integer(c_int) :: quality = 0
        integer(c_int) :: reserved = 0
    end type

    ! One quantity of a region. The later members are there as data were kept: perfctr_regions_start().
    type, bind(c), public :: perfctr_region_value
        integer(c_int64_t) :: inclusive, exclusive
        integer(c_int64_t) :: minimum, maximum
        real(c_double) :: mean, deviation
        integer(c_int64_t) :: p50, p90, p99
        integer(c_int64_t) :: error
        integer(c_int) :: quality
        integer(c_int) :: reserved
    end type

    ! value(1) is the time in ns, value(2) the first event; nvalues of them are there.
    type, bind(c), public :: perfctr_region_reading
        integer(c_int64_t) :: visits, unfinished, uncounted
        integer(c_int) :: nvalues
        integer(c_int) :: reserved
        type(perfctr_region_value) :: value(16)
        integer(c_int64_t) :: bytes_inclusive, bytes_exclusive
        integer(c_int64_t) :: communication_inclusive, communication_exclusive
    end type

    type, public :: perfctr_metric_value
        real(c_double) :: value = 0 ! NaN if there is none
        character(:), allocatable :: reason ! why there is none, or ""
        integer :: quality = 0
        logical :: beyond = .false. ! its threshold
    end type

    ! What is counted, made by perfctr_thread() and so on; the default is the calling thread.
    type, public :: perfctr_target
        private
        integer(c_int) :: what = PERFCTR_TARGET_THREAD
        integer(c_int) :: id = 0
        integer(c_int) :: cpu = 0
        character(:), allocatable :: directory
    end type

    ! Events by name, counted on a target from the open on.
    type, public :: perfctr_set
        private
        type(c_ptr) :: c = c_null_ptr
        integer(c_intptr_t) :: place = 0 ! of "c", when it was opened: in a copy it is elsewhere
    contains
        procedure :: open => set_open
        procedure :: close => set_close
        procedure :: size => set_size
        procedure :: name => set_name
        procedure :: unit => set_unit
        procedure :: read => set_read
        procedure :: read_part => set_read_part
        procedure :: read_thread => set_read_thread
        procedure :: parts => set_parts
        procedure :: enable => set_enable
        procedure :: disable => set_disable
        procedure :: reset => set_reset
        procedure :: check => set_check
        procedure, private :: assign => set_assign
        generic :: assignment(=) => assign
        final :: set_final
    end type

    type, bind(c) :: c_reader
        type(c_ptr) :: page = c_null_ptr
        integer(c_int64_t) :: base = 0
        integer(c_int32_t) :: shift = 0
        integer(c_int32_t) :: types = 0
    end type

    ! Events of the thread that opens them, read without a system call where that is possible.
    type, public :: perfctr_counters
        private
        type(perfctr_set) :: set
        type(c_reader), allocatable :: readers(:)
        integer(c_intptr_t) :: thread = 0
        integer :: forks = -1
    contains
        procedure :: open => counters_open
        procedure :: close => counters_close
        procedure :: size => counters_size
        procedure :: name => counters_name
        procedure :: read => counters_read
        procedure :: read_ordered => counters_read_ordered
        procedure, private :: assign => counters_assign
        generic :: assignment(=) => assign
    end type

    ! Formulas over counts.
    type, public :: perfctr_metrics
        private
        type(c_ptr) :: c = c_null_ptr
        integer(c_intptr_t) :: place = 0 ! of "c", when it was opened: in a copy it is elsewhere
    contains
        procedure :: open => metrics_open
        procedure :: close => metrics_close
        procedure :: size => metrics_size
        procedure :: events => metrics_events
        procedure :: value => metrics_value
        procedure, private :: assign => metrics_assign
        generic :: assignment(=) => assign
        final :: metrics_final
    end type

    type, bind(c) :: c_region
        type(c_ptr) :: name = c_null_ptr
        integer(c_int) :: id = 0
        integer(c_int) :: overlaps = 0
        type(c_funptr) :: calibrate = c_null_funptr
    end type

    ! A named part of the program; valid for ever, in any thread, and in copies.
    type, public :: perfctr_region
        private
        type(c_region) :: c
    contains
        procedure :: find => region_find
        procedure :: begin => region_begin
        procedure :: end => region_end
        procedure :: read => region_read
        procedure :: read_all => region_read_all
        procedure :: reset => region_reset
    end type

    public :: perfctr_thread, perfctr_process, perfctr_processor, perfctr_every_processor
    public :: perfctr_cgroup, perfctr_thread_on_processor
    public :: perfctr_reading_estimate, perfctr_quality_name, perfctr_check_event, perfctr_provider
    public :: perfctr_regions_start, perfctr_regions_stop, perfctr_regions_thread
    public :: perfctr_region_add_bytes, perfctr_region_add_communication
    public :: perfctr_regions_report, perfctr_regions_recover

    type, bind(c) :: c_target
        integer(c_int) :: what, id, cpu
        type(c_ptr) :: cgroup
        integer(c_int) :: reserved(4)
    end type

    type, bind(c) :: c_metric_value
        real(c_double) :: value
        type(c_ptr) :: reason
        integer(c_int) :: quality, beyond
        integer(c_int) :: reserved(2)
    end type

    ! Counts the forks that led to this process: a child has not its parent's pages.
    integer, save :: forks = 0
    logical, save :: counts_forks = .false.

    interface
        function c_error() bind(c, name="perfctr_error")
            import :: c_ptr
            type(c_ptr) :: c_error
        end function
        function c_errno() bind(c, name="__errno_location")
            import :: c_ptr
            type(c_ptr) :: c_errno
        end function
        pure function c_strlen(text) bind(c, name="strlen")
            import :: c_ptr, c_size_t
            type(c_ptr), value, intent(in) :: text
            integer(c_size_t) :: c_strlen
        end function
        function c_pthread_self() bind(c, name="pthread_self")
            import :: c_intptr_t
            integer(c_intptr_t) :: c_pthread_self
        end function
        function c_pthread_atfork(prepare, parent, child) bind(c, name="pthread_atfork")
            import :: c_funptr, c_int
            type(c_funptr), value :: prepare, parent, child
            integer(c_int) :: c_pthread_atfork
        end function
        pure function c_reading_estimate(reading) bind(c, name="perfctr_reading_estimate")
            import :: perfctr_reading, c_int64_t
            type(perfctr_reading), intent(in) :: reading
            integer(c_int64_t) :: c_reading_estimate
        end function
        function c_quality_name(quality) bind(c, name="perfctr_quality_name")
            import :: c_int, c_ptr
            integer(c_int), value :: quality
            type(c_ptr) :: c_quality_name
        end function
        function c_event_check(event) bind(c, name="perfctr_event_check")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: event(*)
            integer(c_int) :: c_event_check
        end function
        function c_provider_name() bind(c, name="perfctr_provider_name")
            import :: c_ptr
            type(c_ptr) :: c_provider_name
        end function
        function c_set_open(events, target, flags) bind(c, name="perfctr_set_open")
            import :: c_char, c_int, c_ptr, c_target
            character(kind=c_char), intent(in) :: events(*)
            type(c_target), intent(in) :: target
            integer(c_int), value :: flags
            type(c_ptr) :: c_set_open
        end function
        subroutine c_set_close(set) bind(c, name="perfctr_set_close")
            import :: c_ptr
            type(c_ptr), value :: set
        end subroutine
        function c_set_size(set) bind(c, name="perfctr_set_size")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_size
        end function
        function c_set_name(set, i) bind(c, name="perfctr_set_name")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int), value :: i
            type(c_ptr) :: c_set_name
        end function
        function c_set_unit(set, i, scale, unit) bind(c, name="perfctr_set_unit")
            import :: c_double, c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int), value :: i
            real(c_double), intent(out) :: scale
            type(c_ptr), intent(out) :: unit
            integer(c_int) :: c_set_unit
        end function
        function c_set_read(set, readings) bind(c, name="perfctr_set_read")
            import :: c_int, c_ptr, perfctr_reading
            type(c_ptr), value :: set
            type(perfctr_reading), intent(inout) :: readings(*)
            integer(c_int) :: c_set_read
        end function
        function c_set_read_part(set, part, readings) bind(c, name="perfctr_set_read_part")
            import :: c_int, c_ptr, perfctr_reading
            type(c_ptr), value :: set
            integer(c_int), value :: part
            type(perfctr_reading), intent(inout) :: readings(*)
            integer(c_int) :: c_set_read_part
        end function
        function c_set_read_thread(set, tid, readings) bind(c, name="perfctr_set_read_thread")
            import :: c_int, c_ptr, perfctr_reading
            type(c_ptr), value :: set
            integer(c_int), value :: tid
            type(perfctr_reading), intent(inout) :: readings(*)
            integer(c_int) :: c_set_read_thread
        end function
        function c_set_parts(set) bind(c, name="perfctr_set_parts")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_parts
        end function
        function c_set_enable(set) bind(c, name="perfctr_set_enable")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_enable
        end function
        function c_set_disable(set) bind(c, name="perfctr_set_disable")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_disable
        end function
        function c_set_reset(set) bind(c, name="perfctr_set_reset")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_reset
        end function
        function c_set_check(set) bind(c, name="perfctr_set_check")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
            integer(c_int) :: c_set_check
        end function
        function c_set_reader(set, i, reader) bind(c, name="perfctr_set_reader")
            import :: c_int, c_ptr, c_reader
            type(c_ptr), value :: set
            integer(c_int), value :: i
            type(c_reader), intent(inout) :: reader
            integer(c_int) :: c_set_reader
        end function
        function c_reader_read_all(readers, n, values) bind(c, name="perfctr_reader_read_all")
            import :: c_int, c_int64_t, c_reader, c_size_t
            type(c_reader), intent(in) :: readers(*)
            integer(c_size_t), value :: n
            integer(c_int64_t), intent(inout) :: values(*)
            integer(c_int) :: c_reader_read_all
        end function
        function c_reader_read_ordered(reader, value) bind(c, name="perfctr_reader_read_ordered")
            import :: c_int, c_int64_t, c_reader
            type(c_reader), intent(in) :: reader
            integer(c_int64_t), intent(inout) :: value
            integer(c_int) :: c_reader_read_ordered
        end function
        function c_metrics_open(names, cpu) bind(c, name="perfctr_metrics_open")
            import :: c_char, c_ptr
            character(kind=c_char), intent(in) :: names(*)
            type(c_ptr), value :: cpu
            type(c_ptr) :: c_metrics_open
        end function
        subroutine c_metrics_close(metrics) bind(c, name="perfctr_metrics_close")
            import :: c_ptr
            type(c_ptr), value :: metrics
        end subroutine
        function c_metrics_size(metrics) bind(c, name="perfctr_metrics_size")
            import :: c_int, c_ptr
            type(c_ptr), value :: metrics
            integer(c_int) :: c_metrics_size
        end function
        function c_metrics_events(metrics, n) bind(c, name="perfctr_metrics_events")
            import :: c_int, c_ptr
            type(c_ptr), value :: metrics
            integer(c_int), intent(inout) :: n
            type(c_ptr) :: c_metrics_events
        end function
        function c_metrics_value(metrics, i, readings, value) bind(c, name="perfctr_metrics_value")
            import :: c_int, c_metric_value, c_ptr, perfctr_reading
            type(c_ptr), value :: metrics
            integer(c_int), value :: i
            type(perfctr_reading), intent(in) :: readings(*)
            type(c_metric_value), intent(out) :: value
            integer(c_int) :: c_metrics_value
        end function
        function c_region_by_name(name) bind(c, name="perfctr_region_by_name")
            import :: c_char, c_ptr
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr) :: c_region_by_name
        end function
        subroutine c_region_begin(region) bind(c, name="perfctr_region_begin")
            import :: c_region
            type(c_region), intent(in) :: region
        end subroutine
        subroutine c_region_end(region) bind(c, name="perfctr_region_end")
            import :: c_region
            type(c_region), intent(in) :: region
        end subroutine
        ! The calling thread has moved this number of bytes, which count for its regions.
        subroutine perfctr_region_add_bytes(bytes) bind(c, name="perfctr_region_add_bytes")
            import :: c_int64_t
            integer(c_int64_t), value :: bytes
        end subroutine
        ! The calling thread has communicated for this number of ns of elapsed time.
        subroutine perfctr_region_add_communication(ns) bind(c, name="perfctr_region_add_communication")
            import :: c_int64_t
            integer(c_int64_t), value :: ns
        end subroutine
        function c_region_read(region, reading) bind(c, name="perfctr_region_read")
            import :: c_int, c_region, perfctr_region_reading
            type(c_region), intent(in) :: region
            type(perfctr_region_reading), intent(inout) :: reading
            integer(c_int) :: c_region_read
        end function
        function c_region_read_all(region, reading) bind(c, name="perfctr_region_read_all")
            import :: c_int, c_region, perfctr_region_reading
            type(c_region), intent(in) :: region
            type(perfctr_region_reading), intent(inout) :: reading
            integer(c_int) :: c_region_read_all
        end function
        function c_region_reset(region) bind(c, name="perfctr_region_reset")
            import :: c_int, c_region
            type(c_region), intent(in) :: region
            integer(c_int) :: c_region_reset
        end function
        function c_regions_start(events, metrics, keep) bind(c, name="perfctr_regions_start_metrics")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: events(*), metrics(*)
            integer(c_int), value :: keep
            integer(c_int) :: c_regions_start
        end function
        function c_regions_stop() bind(c, name="perfctr_regions_stop")
            import :: c_int
            integer(c_int) :: c_regions_stop
        end function
        function c_regions_thread() bind(c, name="perfctr_regions_thread")
            import :: c_int
            integer(c_int) :: c_regions_thread
        end function
        function c_regions_report(file, format) bind(c, name="perfctr_regions_report")
            import :: c_int, c_ptr
            type(c_ptr), value :: file
            integer(c_int), value :: format
            integer(c_int) :: c_regions_report
        end function
        function c_regions_recover(left, file, format) bind(c, name="perfctr_regions_recover")
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: left(*)
            type(c_ptr), value :: file
            integer(c_int), value :: format
            integer(c_int) :: c_regions_recover
        end function
    end interface

contains

    ! ---- errors and strings ----

    ! A string of C's, of which NULL is an empty one.
    function text(c)
        type(c_ptr), intent(in) :: c
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i, n

        n = 0
        if (c_associated(c)) n = int(c_strlen(c))
        allocate (character(n) :: text)
        if (n == 0) return
        call c_f_pointer(c, letters, [n])
        do i = 1, n
            text(i:i) = letters(i)
        end do
    end function

    ! A string for C, without blanks at its end.
    function c_string(words)
        character(*), intent(in) :: words
        character(kind=c_char), allocatable :: c_string(:)
        integer :: i, n

        n = len_trim(words)
        allocate (c_string(n + 1))
        do i = 1, n
            c_string(i) = words(i:i)
        end do
        c_string(n + 1) = c_null_char
    end function

    ! Whether a string can be one of C's; else says why not.
    function is_whole(words, stat, errmsg)
        character(*), intent(in) :: words
        integer, intent(inout), optional :: stat
        character(*), intent(inout), optional :: errmsg
        logical :: is_whole

        is_whole = index(words, c_null_char) == 0
        if (.not. is_whole) call fail(EINVAL, &
            "a name has a zero byte in it: remove it, since no name has one", stat, errmsg)
    end function

    subroutine fail(code, sentence, stat, errmsg)
        integer, intent(in) :: code
        character(*), intent(in) :: sentence
        integer, intent(inout), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (present(errmsg)) errmsg = sentence
        if (present(stat)) then
            stat = code
        else
            write (error_unit, "(a)") sentence
            error stop 1
        end if
    end subroutine

    ! Whether there is an element of this number: from 1 on, as in all arrays, where C's are from 0 on.
    ! Where there are none, as of what is closed, C says why.
    logical function is_index(i, n, stat, errmsg)
        integer, intent(in) :: i, n
        integer, intent(inout), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(64) :: sentence

        is_index = n == 0 .or. (i >= 1 .and. i <= n)
        if (is_index) return
        write (sentence, "(a, i0, a, i0)") "there is no element ", i, ": they are 1 to ", n
        call fail(EINVAL, trim(sentence), stat, errmsg)
    end function

    ! What a call with a status has come to.
    subroutine finish(status, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer, intent(inout), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int), pointer :: errno

        if (status < 0) then
            call c_f_pointer(c_errno(), errno)
            call fail(int(errno), text(c_error()), stat, errmsg)
        else if (present(stat)) then
            stat = 0
        end if
    end subroutine

    ! The status of a call that returns a pointer.
    pure function status_of(c)
        type(c_ptr), intent(in) :: c
        integer(c_int) :: status_of

        status_of = merge(0_c_int, -1_c_int, c_associated(c))
    end function

    function address(c)
        type(c_ptr), intent(in), target :: c
        integer(c_intptr_t) :: address

        address = transfer(c_loc(c), address)
    end function

    ! The handle of an object that was opened where it is; NULL of one that is closed, and of a copy that
    ! no assignment made: of allocate(source=), of firstprivate, and of compilers' own variables, which
    ! gfortran 12 finalizes before they have a value.
    function own(c, place)
        type(c_ptr), intent(in) :: c
        integer(c_intptr_t), intent(in) :: place
        type(c_ptr) :: own

        own = c_null_ptr
        if (address(c) == place) own = c
    end function

    ! Whether it is such a copy: then that is the error.
    logical function is_copy(c, place, stat, errmsg)
        type(c_ptr), intent(in) :: c
        integer(c_intptr_t), intent(in) :: place
        integer, intent(inout), optional :: stat
        character(*), intent(inout), optional :: errmsg

        is_copy = c_associated(c) .and. address(c) /= place
        if (is_copy) call fail(EINVAL, "this object is a copy of an open one, as allocate(source=) makes: " // &
            "open another, or move it as an allocatable by move_alloc()", stat, errmsg)
    end function

    subroutine refuse_copy(what, full)
        character(*), intent(in) :: what
        logical, intent(in) :: full

        if (full) call fail(EINVAL, what // &
            " that is open can't be copied: open another, or move it as an allocatable by move_alloc()")
    end subroutine

    ! A number for C, of the program's kind of INTEGER, which -fdefault-integer-8 changes. One that is too
    ! large becomes C's largest, which is the number of nothing, and not its lower bits.
    elemental function c_number(number)
        integer, intent(in) :: number
        integer(c_int) :: c_number
        integer, parameter :: largest = int(huge(0_c_int))

        c_number = int(max(min(number, largest), -largest), c_int)
    end function

    ! ---- targets ----

    ! A thread; 0 is the calling one.
    function perfctr_thread(tid) result(target)
        integer, intent(in) :: tid
        type(perfctr_target) :: target

        target%id = c_number(tid)
    end function

    ! A process, 0 is this one: its threads, and those to come.
    function perfctr_process(pid) result(target)
        integer, intent(in) :: pid
        type(perfctr_target) :: target

        target%what = PERFCTR_TARGET_PROCESS
        target%id = c_number(pid)
    end function

    ! A processor by the kernel's number, which begins at 0.
    function perfctr_processor(number) result(target)
        integer, intent(in) :: number
        type(perfctr_target) :: target

        target%what = PERFCTR_TARGET_CPU
        target%id = c_number(number)
    end function

    function perfctr_every_processor() result(target)
        type(perfctr_target) :: target

        target = perfctr_processor(-1)
    end function

    function perfctr_cgroup(directory) result(target)
        character(*), intent(in) :: directory
        type(perfctr_target) :: target

        target%what = PERFCTR_TARGET_CGROUP
        target%directory = directory
    end function

    ! A thread, while it runs on the processor.
    function perfctr_thread_on_processor(tid, number) result(target)
        integer, intent(in) :: tid, number
        type(perfctr_target) :: target

        target%what = PERFCTR_TARGET_THREAD_ON_CPU
        target%id = c_number(tid)
        target%cpu = c_number(number)
    end function

    ! ---- readings and names ----

    ! The best estimate for the whole time, if the event was multiplexed; else the value.
    elemental function perfctr_reading_estimate(reading) result(estimate)
        type(perfctr_reading), intent(in) :: reading
        integer(c_int64_t) :: estimate

        estimate = c_reading_estimate(reading)
    end function

    function perfctr_quality_name(quality) result(name)
        integer, intent(in) :: quality
        character(:), allocatable :: name

        name = text(c_quality_name(int(quality, c_int)))
    end function

    ! Whether an event has a right name that this machine knows.
    subroutine perfctr_check_event(event, stat, errmsg)
        character(*), intent(in) :: event
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (.not. is_whole(event, stat, errmsg)) return
        call finish(c_event_check(c_string(event)), stat, errmsg)
    end subroutine

    ! The provider that an open would choose: "driver" or "perf"; "" if PERFCTR_PROVIDER names none.
    function perfctr_provider() result(name)
        character(:), allocatable :: name

        name = text(c_provider_name())
    end function

    ! ---- sets ----

    ! Opens events, "a,b" or the group "{a,b}", in place of those that are open.
    subroutine set_open(self, events, whom, flags, stat, errmsg)
        class(perfctr_set), intent(inout) :: self
        character(*), intent(in) :: events
        type(perfctr_target), intent(in), optional :: whom
        integer, intent(in), optional :: flags
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: directory(:)
        type(c_target) :: c
        integer(c_int) :: bits

        call self%close()
        c = c_target(PERFCTR_TARGET_THREAD, 0, 0, c_null_ptr, 0)
        bits = 0
        if (present(flags)) bits = c_number(flags)
        if (present(whom)) then
            c = c_target(whom%what, whom%id, whom%cpu, c_null_ptr, 0)
            if (allocated(whom%directory)) then
                if (.not. is_whole(whom%directory, stat, errmsg)) return
                directory = c_string(whom%directory)
                c%cgroup = c_loc(directory)
            end if
        end if
        if (.not. is_whole(events, stat, errmsg)) return
        self%c = c_set_open(c_string(events), c, bits)
        self%place = address(self%c)
        call finish(status_of(self%c), stat, errmsg)
    end subroutine

    subroutine set_close(self)
        class(perfctr_set), intent(inout) :: self

        call c_set_close(own(self%c, self%place))
        self%c = c_null_ptr
    end subroutine

    impure elemental subroutine set_final(self)
        type(perfctr_set), intent(inout) :: self

        call self%close()
    end subroutine

    impure elemental subroutine set_assign(self, other)
        class(perfctr_set), intent(inout) :: self
        class(perfctr_set), intent(in) :: other

        call refuse_copy("a set", c_associated(other%c))
        call self%close()
    end subroutine

    function set_size(self)
        class(perfctr_set), intent(in) :: self
        integer :: set_size

        set_size = c_set_size(own(self%c, self%place))
    end function

    ! The name of event i as it was given; "" if there is no such event.
    function set_name(self, i)
        class(perfctr_set), intent(in) :: self
        integer, intent(in) :: i
        character(:), allocatable :: set_name

        set_name = text(c_set_name(own(self%c, self%place), c_number(i - 1)))
    end function

    ! A count of event i times scale is a number of these, such as "Joules"; or "".
    subroutine set_unit(self, i, scale, unit, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(in) :: i
        real(c_double), intent(out) :: scale
        character(:), allocatable, intent(out) :: unit
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: c
        integer(c_int) :: status

        scale = 1
        unit = ""
        if (is_copy(self%c, self%place, stat, errmsg)) return
        if (.not. is_index(i, self%size(), stat, errmsg)) return
        c = c_null_ptr
        status = c_set_unit(own(self%c, self%place), c_number(i - 1), scale, c)
        call finish(status, stat, errmsg)
        if (status < 0) c = c_null_ptr
        unit = text(c)
    end subroutine

    ! Room for the readings of all events.
    subroutine prepare(self, readings)
        class(perfctr_set), intent(in) :: self
        type(perfctr_reading), allocatable, intent(inout) :: readings(:)

        if (allocated(readings)) then
            if (size(readings) == self%size()) return
            deallocate (readings)
        end if
        allocate (readings(self%size()))
    end subroutine

    ! All events, into memory that is used again if there is enough: sums over all parts.
    subroutine set_read(self, readings, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        type(perfctr_reading), allocatable, intent(inout) :: readings(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call prepare(self, readings)
        call finish(c_set_read(own(self%c, self%place), readings), stat, errmsg)
    end subroutine

    subroutine set_read_part(self, part, readings, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(in) :: part
        type(perfctr_reading), allocatable, intent(inout) :: readings(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        if (.not. is_index(part, self%parts(), stat, errmsg)) return
        call prepare(self, readings)
        call finish(c_set_read_part(own(self%c, self%place), c_number(part - 1), readings), stat, errmsg)
    end subroutine

    subroutine set_read_thread(self, tid, readings, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(in) :: tid
        type(perfctr_reading), allocatable, intent(inout) :: readings(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call prepare(self, readings)
        call finish(c_set_read_thread(own(self%c, self%place), c_number(tid), readings), stat, errmsg)
    end subroutine

    ! The number of threads or processors that it counts apart.
    function set_parts(self)
        class(perfctr_set), intent(in) :: self
        integer :: set_parts

        set_parts = c_set_parts(own(self%c, self%place))
    end function

    subroutine set_enable(self, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call finish(c_set_enable(own(self%c, self%place)), stat, errmsg)
    end subroutine

    subroutine set_disable(self, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call finish(c_set_disable(own(self%c, self%place)), stat, errmsg)
    end subroutine

    subroutine set_reset(self, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call finish(c_set_reset(own(self%c, self%place)), stat, errmsg)
    end subroutine

    ! ESTALE: the kernel has ended events early.
    subroutine set_check(self, stat, errmsg)
        class(perfctr_set), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        if (is_copy(self%c, self%place, stat, errmsg)) return
        call finish(c_set_check(own(self%c, self%place)), stat, errmsg)
    end subroutine

    ! ---- counters of the calling thread ----

    subroutine count_fork() bind(c, name="perfctr_fortran_count_fork")
        forks = forks + 1
    end subroutine

    subroutine counters_open(self, events, flags, stat, errmsg)
        class(perfctr_counters), intent(inout) :: self
        character(*), intent(in) :: events
        integer, intent(in), optional :: flags
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: i, status

        call self%close()
        call self%set%open(events, flags=flags, stat=stat, errmsg=errmsg)
        if (.not. c_associated(self%set%c)) return
        allocate (self%readers(self%set%size()))
        do i = 1, int(size(self%readers), c_int)
            ! What can't be read without the kernel gets a reader that says so.
            status = c_set_reader(own(self%set%c, self%set%place), i - 1_c_int, self%readers(i))
        end do
        if (.not. counts_forks) then
            status = c_pthread_atfork(c_null_funptr, c_null_funptr, c_funloc(count_fork))
            counts_forks = status == 0
        end if
        self%thread = c_pthread_self()
        if (counts_forks) self%forks = forks
    end subroutine

    subroutine counters_close(self)
        class(perfctr_counters), intent(inout) :: self

        call self%set%close()
        if (allocated(self%readers)) deallocate (self%readers)
        self%forks = -1
    end subroutine

    impure elemental subroutine counters_assign(self, other)
        class(perfctr_counters), intent(inout) :: self
        class(perfctr_counters), intent(in) :: other

        call refuse_copy("a set of counters", allocated(other%readers))
        call self%close()
    end subroutine

    function counters_size(self)
        class(perfctr_counters), intent(in) :: self
        integer :: counters_size

        counters_size = self%set%size()
    end function

    function counters_name(self, i)
        class(perfctr_counters), intent(in) :: self
        integer, intent(in) :: i
        character(:), allocatable :: counters_name

        counters_name = self%set%name(i)
    end function

    ! Whether the readers may be used: in the thread and the process that they are of.
    function is_here(self)
        class(perfctr_counters), intent(in) :: self
        logical :: is_here

        is_here = self%forks == forks
        if (is_here) is_here = self%thread == c_pthread_self()
    end function

    ! All events; from the kernel where they are in no register now, and in another thread, which gets
    ! the counts of the one that opened them. EINVAL: values has another number of elements.
    subroutine counters_read(self, values, stat, errmsg)
        class(perfctr_counters), intent(in) :: self
        integer(c_int64_t), intent(inout), contiguous :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(perfctr_reading), allocatable :: readings(:)
        integer(c_int) :: status

        if (is_copy(self%set%c, self%set%place, stat, errmsg)) return
        if (allocated(self%readers)) then
            if (size(values) /= size(self%readers)) then
                call fail(EINVAL, "the array has another number of elements than there are " // &
                    "counters: use one of size() elements", stat, errmsg)
                return
            end if
            if (is_here(self)) then
                if (c_reader_read_all(self%readers, size(values, kind=c_size_t), values) /= 0) then
                    if (present(stat)) stat = 0
                    return
                end if
            end if
        end if
        call prepare(self%set, readings)
        status = c_set_read(own(self%set%c, self%set%place), readings)
        call finish(status, stat, errmsg)
        if (status >= 0) values = readings%value
    end subroutine

    ! Event i, between two fences: the instructions before the call have executed, and those after it
    ! have not begun.
    subroutine counters_read_ordered(self, i, value, stat, errmsg)
        class(perfctr_counters), intent(in) :: self
        integer, intent(in) :: i
        integer(c_int64_t), intent(inout) :: value
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(perfctr_reading), allocatable :: readings(:)
        integer(c_int) :: status

        if (is_copy(self%set%c, self%set%place, stat, errmsg)) return
        if (allocated(self%readers)) then
            if (.not. is_index(i, size(self%readers), stat, errmsg)) return
            if (is_here(self)) then
                if (c_reader_read_ordered(self%readers(i), value) /= 0) then
                    if (present(stat)) stat = 0
                    return
                end if
            end if
        end if
        call prepare(self%set, readings)
        status = c_set_read(own(self%set%c, self%set%place), readings)
        call finish(status, stat, errmsg)
        if (status >= 0) value = readings(i)%value
    end subroutine

    ! ---- metrics ----

    ! Opens metrics by their names, "a,b", of a processor by its id, or of this machine's.
    subroutine metrics_open(self, names, processor, stat, errmsg)
        class(perfctr_metrics), intent(inout) :: self
        character(*), intent(in) :: names
        character(*), intent(in), optional :: processor
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: id(:)
        type(c_ptr) :: cpu

        call self%close()
        cpu = c_null_ptr
        if (present(processor)) then
            if (.not. is_whole(processor, stat, errmsg)) return
            id = c_string(processor)
            cpu = c_loc(id)
        end if
        if (.not. is_whole(names, stat, errmsg)) return
        self%c = c_metrics_open(c_string(names), cpu)
        self%place = address(self%c)
        call finish(status_of(self%c), stat, errmsg)
    end subroutine

    subroutine metrics_close(self)
        class(perfctr_metrics), intent(inout) :: self

        call c_metrics_close(own(self%c, self%place))
        self%c = c_null_ptr
    end subroutine

    impure elemental subroutine metrics_final(self)
        type(perfctr_metrics), intent(inout) :: self

        call self%close()
    end subroutine

    impure elemental subroutine metrics_assign(self, other)
        class(perfctr_metrics), intent(inout) :: self
        class(perfctr_metrics), intent(in) :: other

        call refuse_copy("a list of metrics", c_associated(other%c))
        call self%close()
    end subroutine

    function metrics_size(self)
        class(perfctr_metrics), intent(in) :: self
        integer :: metrics_size

        metrics_size = c_metrics_size(own(self%c, self%place))
    end function

    ! The list of events to open.
    function metrics_events(self)
        class(perfctr_metrics), intent(in) :: self
        character(:), allocatable :: metrics_events
        integer(c_int) :: n

        n = 0
        metrics_events = text(c_metrics_events(own(self%c, self%place), n))
    end function

    ! Metric i, from readings of these events. EINVAL: they are of another number of events.
    subroutine metrics_value(self, i, readings, value, stat, errmsg)
        class(perfctr_metrics), intent(in) :: self
        integer, intent(in) :: i
        type(perfctr_reading), intent(in), contiguous :: readings(:)
        type(perfctr_metric_value), intent(inout) :: value
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_metric_value) :: c
        type(c_ptr) :: list
        integer(c_int) :: n, status

        if (is_copy(self%c, self%place, stat, errmsg)) return
        if (.not. is_index(i, self%size(), stat, errmsg)) return
        n = 0
        list = c_metrics_events(own(self%c, self%place), n)
        if (c_associated(list) .and. size(readings) /= n) then
            call fail(EINVAL, "the readings have another number of events than the metrics: read a " // &
                "set of events()", stat, errmsg)
            return
        end if
        status = c_metrics_value(own(self%c, self%place), c_number(i - 1), readings, c)
        call finish(status, stat, errmsg)
        if (status < 0) return
        value%value = c%value
        value%reason = text(c%reason)
        value%quality = c%quality
        value%beyond = c%beyond /= 0
    end subroutine

    ! ---- regions ----

    ! Finds the region of a name. EINVAL: the name is empty. ENOSPC, ENOMEM.
    subroutine region_find(self, name, stat, errmsg)
        class(perfctr_region), intent(inout) :: self
        character(*), intent(in) :: name
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        type(c_region), pointer :: found
        type(c_ptr) :: c

        self%c%name = c_null_ptr
        if (.not. is_whole(name, stat, errmsg)) return
        c = c_region_by_name(c_string(name))
        call finish(status_of(c), stat, errmsg)
        if (.not. c_associated(c)) return
        call c_f_pointer(c, found)
        self%c = found
        self%c%calibrate = c_funloc(calibrate)
    end subroutine

    ! The thread is in the region until it calls end(). One that was not found does nothing, and can't
    ! be read.
    subroutine region_begin(self)
        class(perfctr_region), intent(in) :: self

        if (c_associated(self%c%name)) call c_region_begin(self%c)
    end subroutine

    subroutine region_end(self)
        class(perfctr_region), intent(in) :: self

        if (c_associated(self%c%name)) call c_region_end(self%c)
    end subroutine

    ! The library calls this to learn what begin and end count in Fortran. Programs differ by a few instructions, and
    ! so do two calls in a row: the difference is in the error of sums. The compiler does not see which procedures
    ! are called, so that it copies none of their code into this: it copies none into a program.
    subroutine calibrate() bind(c)
        integer, save :: turn = 0
        procedure(region_begin), pointer :: begins, ends
        character(kind=c_char), target :: name = c_null_char
        type(perfctr_region) :: own(3)
        logical, volatile :: swapped
        integer :: i

        swapped = .false.
        begins => region_begin
        ends => region_end
        if (swapped) then
            begins => region_end
            ends => region_begin
        end if
        do i = 1, 3
            own(i)%c = c_region(c_loc(name), int(i + 1, c_int), 0_c_int, c_null_funptr)
        end do
        turn = turn + 1
        if (mod(turn, 2) == 0) then
            call visit(begins, ends, own(1), own(2), own(3))
        else
            call visit_elements(begins, ends, own)
        end if
    end subroutine

    subroutine visit(begins, ends, outer, middle, inner)
        procedure(region_begin) :: begins, ends
        type(perfctr_region), intent(in) :: outer, middle, inner

        call begins(outer)
        call begins(middle)
        call begins(inner)
        call ends(inner)
        call ends(middle)
        call ends(outer)
    end subroutine

    subroutine visit_elements(begins, ends, own)
        procedure(region_begin) :: begins, ends
        type(perfctr_region), intent(in) :: own(:)
        integer, volatile :: first

        first = 1
        call begins(own(first))
        call begins(own(first + 1))
        call begins(own(first + 2))
        call ends(own(first + 2))
        call ends(own(first + 1))
        call ends(own(first))
    end subroutine

    ! The counts in the calling thread; in all threads. ENOENT: no visit yet.
    subroutine region_read(self, reading, stat, errmsg)
        class(perfctr_region), intent(in) :: self
        type(perfctr_region_reading), intent(inout) :: reading
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        call finish(c_region_read(self%c, reading), stat, errmsg)
    end subroutine

    subroutine region_read_all(self, reading, stat, errmsg)
        class(perfctr_region), intent(in) :: self
        type(perfctr_region_reading), intent(inout) :: reading
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        call finish(c_region_read_all(self%c, reading), stat, errmsg)
    end subroutine

    ! Forgets the calling thread's counts.
    subroutine region_reset(self, stat, errmsg)
        class(perfctr_region), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        call finish(c_region_reset(self%c), stat, errmsg)
    end subroutine

    ! Measures from now on, in all threads: the time, events, and in reports metrics.
    subroutine perfctr_regions_start(events, keep, metrics, stat, errmsg)
        character(*), intent(in), optional :: events, metrics
        integer, intent(in), optional :: keep
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: counted, computed
        integer(c_int) :: bits

        counted = ""
        computed = ""
        bits = 0
        if (present(events)) counted = events
        if (present(metrics)) computed = metrics
        if (present(keep)) bits = c_number(keep)
        if (.not. is_whole(counted // computed, stat, errmsg)) return
        call finish(c_regions_start(c_string(counted), c_string(computed), bits), stat, errmsg)
    end subroutine

    subroutine perfctr_regions_stop(stat, errmsg)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        call finish(c_regions_stop(), stat, errmsg)
    end subroutine

    ! Opens the calling thread's counters now, and not at its first region.
    subroutine perfctr_regions_thread(stat, errmsg)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg

        call finish(c_regions_thread(), stat, errmsg)
    end subroutine

    ! Writes what was measured to a file, or to the standard error.
    subroutine perfctr_regions_report(file, format, stat, errmsg)
        character(*), intent(in), optional :: file
        integer, intent(in), optional :: format
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name(:)
        type(c_ptr) :: c
        integer(c_int) :: how

        c = c_null_ptr
        how = PERFCTR_REGIONS_TABLE
        if (present(format)) how = c_number(format)
        if (present(file)) then
            if (.not. is_whole(file, stat, errmsg)) return
            name = c_string(file)
            c = c_loc(name)
        end if
        call finish(c_regions_report(c, how), stat, errmsg)
    end subroutine

    ! Reports a process that has died without a report, from the file that it has left.
    subroutine perfctr_regions_recover(left, file, format, stat, errmsg)
        character(*), intent(in) :: left
        character(*), intent(in), optional :: file
        integer, intent(in), optional :: format
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(kind=c_char), allocatable, target :: name(:)
        type(c_ptr) :: c
        integer(c_int) :: how

        c = c_null_ptr
        how = PERFCTR_REGIONS_TABLE
        if (present(format)) how = c_number(format)
        if (present(file)) then
            if (.not. is_whole(file, stat, errmsg)) return
            name = c_string(file)
            c = c_loc(name)
        end if
        if (.not. is_whole(left, stat, errmsg)) return
        call finish(c_regions_recover(c_string(left), c, how), stat, errmsg)
    end subroutine
end module
