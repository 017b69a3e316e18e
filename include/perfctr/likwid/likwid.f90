! SPDX-License-Identifier: LGPL-2.1-or-later
!
! LIKWID's Fortran module as regions. Compile this file and likwid.c, both in this directory, in front of what says
! "use likwid", and link the program with them and -lperfctr instead of LIKWID's: perfctr_region_begin(3).

module likwid
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: likwid_markerInit, likwid_markerThreadInit, likwid_markerRegisterRegion, &
       likwid_markerStartRegion, likwid_markerStopRegion, likwid_markerResetRegion, &
       likwid_markerGetRegion, likwid_markerNextGroup, likwid_markerClose

  interface
     subroutine start(tag, length) bind(c, name="perfctr_likwid_start")
       import :: c_char, c_int
       character(kind=c_char), intent(in) :: tag(*)
       integer(c_int), value :: length
     end subroutine start
     subroutine stop_region(tag, length) bind(c, name="perfctr_likwid_stop")
       import :: c_char, c_int
       character(kind=c_char), intent(in) :: tag(*)
       integer(c_int), value :: length
     end subroutine stop_region
     subroutine read_region(tag, length, nr_events, events, time, count) &
          bind(c, name="perfctr_likwid_read")
       import :: c_char, c_int, c_double
       character(kind=c_char), intent(in) :: tag(*)
       integer(c_int), value :: length
       integer(c_int), intent(inout) :: nr_events
       real(c_double), intent(inout) :: events(*)
       real(c_double), intent(out) :: time
       integer(c_int), intent(out) :: count
     end subroutine read_region
     subroutine reset(tag, length) bind(c, name="perfctr_likwid_reset")
       import :: c_char, c_int
       character(kind=c_char), intent(in) :: tag(*)
       integer(c_int), value :: length
     end subroutine reset
     subroutine register(tag, length) bind(c, name="perfctr_likwid_register")
       import :: c_char, c_int
       character(kind=c_char), intent(in) :: tag(*)
       integer(c_int), value :: length
     end subroutine register
     subroutine likwid_markerThreadInit() bind(c, name="perfctr_likwid_thread")
     end subroutine likwid_markerThreadInit
     subroutine likwid_markerClose() bind(c, name="perfctr_likwid_close")
     end subroutine likwid_markerClose
  end interface

contains

  subroutine likwid_markerStartRegion(regionTag)
    character(*), intent(in) :: regionTag

    call start(regionTag, len(regionTag))
  end subroutine likwid_markerStartRegion

  subroutine likwid_markerStopRegion(regionTag)
    character(*), intent(in) :: regionTag

    call stop_region(regionTag, len(regionTag))
  end subroutine likwid_markerStopRegion

  ! Of the calling thread. nr_events: how many there is room for, and then how many there are.
  subroutine likwid_markerGetRegion(regionTag, nr_events, events, time, count)
    character(*), intent(in) :: regionTag
    integer, intent(inout) :: nr_events
    double precision, intent(inout) :: events(*)
    double precision, intent(out) :: time
    integer, intent(out) :: count

    call read_region(regionTag, len(regionTag), nr_events, events, time, count)
  end subroutine likwid_markerGetRegion

  subroutine likwid_markerResetRegion(regionTag)
    character(*), intent(in) :: regionTag

    call reset(regionTag, len(regionTag))
  end subroutine likwid_markerResetRegion

  subroutine likwid_markerRegisterRegion(regionTag)
    character(*), intent(in) :: regionTag

    call register(regionTag, len(regionTag))
  end subroutine likwid_markerRegisterRegion

  ! The environment says what is measured, and there is one list of events.
  subroutine likwid_markerInit()
  end subroutine likwid_markerInit

  subroutine likwid_markerNextGroup()
  end subroutine likwid_markerNextGroup

end module likwid
