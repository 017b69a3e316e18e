# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C library: its structures and functions, as libperfctr.h and perfctr/regions.h have them.

Calls keep Python's lock, so that no other thread of Python closes an object that one is in.
"""

import ctypes
import errno
import functools
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_size_t,
    c_uint,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Callable, NoReturn, Optional, cast

try:
    lib = ctypes.PyDLL("libperfctr.so.7", use_errno=True)
except OSError as why:
    raise ImportError(
        "libperfctr.so.7 can't be loaded (%s): install libperfctr, and run ldconfig" % why
    ) from None


class Error(OSError):
    """A call that failed: errno, and one sentence with the cause and the remedy."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(code, sentence)

    @property
    def sentence(self) -> str:
        return str(self.strerror)

    def __str__(self) -> str:
        return self.sentence


class NotCopied:
    """Refuses copy.copy(), copy.deepcopy(), pickle and what uses them: two owners would close a
    handle twice, and another process has no handle of this one."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Error(
            errno.EINVAL,
            "a %s can't be copied, pickled or sent to another process: open another one there, or "
            "send its results" % type(self).__name__,
        )


def last_error() -> Error:
    """This thread's last failure in the library."""
    code = ctypes.get_errno()
    return Error(code, lib.perfctr_error().decode(errors="replace") or os.strerror(code))


def check(status: int) -> int:
    if status < 0:
        raise last_error()
    return status


def c_string(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError("a name is a str, and not a %s" % type(text).__name__)
    if "\0" in text:
        raise Error(errno.EINVAL, "a name has a zero byte in it: remove it, since no name has one")
    return os.fsencode(text)


def text(c: Optional[bytes]) -> str:
    return c.decode(errors="replace") if c else ""


def in_range(number: int, c_type: Any) -> None:
    """EINVAL: C's type can't hold the number. ctypes would take its lower bits."""
    if c_type(number).value == number:
        return
    signed = c_type(-1).value < 0
    values = 1 << 8 * ctypes.sizeof(c_type)
    lowest = -values // 2 if signed else 0
    raise Error(
        errno.EINVAL,
        "a number is out of range: give one from %d to %d" % (lowest, lowest + values - 1),
    )


_INTEGERS = (c_int, c_int32, c_size_t, c_uint, c_uint16, c_uint32, c_uint64)


class Given(Structure):
    """A structure that callers' numbers go into."""

    def __setattr__(self, name: str, value: Any) -> None:
        c_type = dict(self._fields_)[name]
        if c_type in _INTEGERS:
            in_range(value, c_type)
        super().__setattr__(name, value)


class Reading(Structure):
    _fields_ = [
        ("value", c_uint64),
        ("enabled", c_uint64),
        ("running", c_uint64),
        ("quality", c_uint),
        ("reserved", c_uint),
    ]


class Target(Given):
    _fields_ = [
        ("type", c_uint),
        ("id", c_int),
        ("cpu", c_int),
        ("cgroup", c_char_p),
        ("reserved", c_uint * 4),
    ]


class ListEvent(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("reason", c_char_p),
        ("scale", c_double),
        ("item", c_uint),
        ("nvariants", c_uint),
        ("flags", c_uint),
        ("reserved", c_uint * 5),
    ]


class Part(Structure):
    _fields_ = [("tid", c_int), ("cpu", c_int), ("pmu", c_char_p), ("reserved", c_uint * 4)]


class EventName(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("description", c_char_p)]


class Metric(Structure):
    _fields_ = [
        (name, c_char_p)
        for name in ("name", "unit", "formula", "description", "reason", "core", "threshold")
    ]


class MetricValue(Structure):
    _fields_ = [
        ("value", c_double),
        ("reason", c_char_p),
        ("quality", c_uint),
        ("beyond", c_uint),
        ("reserved", c_uint * 2),
    ]


class Check(Structure):
    _fields_ = [("name", c_char_p), ("state", c_char_p), ("remedy", c_char_p), ("ok", c_int)]


class Reader(Structure):
    _fields_ = [
        ("page", c_void_p),
        ("base", c_uint64),
        ("shift", c_uint32),
        ("types", c_uint32),
    ]


class SamplerConfig(Given):
    _fields_ = [
        ("period", c_uint64),
        ("frequency", c_uint64),
        ("fields", c_uint64),
        ("branches", c_uint64),
        ("user_registers", c_uint64),
        ("interrupt_registers", c_uint64),
        ("user_stack", c_uint32),
        ("max_chain", c_uint32),
        ("flags", c_uint32),
        ("pages", c_uint32),
        ("wakeup_samples", c_uint32),
        ("wakeup_bytes", c_uint32),
        ("precise", c_uint32),
        ("signal", c_int32),
        ("aux_pages", c_uint32),
        ("wakeup_aux", c_uint32),
        ("reserved", c_uint64 * 3),
    ]


class Counts(Structure):
    _fields_ = [
        ("enabled", c_uint64),
        ("running", c_uint64),
        ("n", c_uint64),
        ("values", POINTER(c_uint64)),
    ]


class RecordSample(Structure):
    """As far as this package reads it."""

    _fields_ = [
        ("ip", c_uint64),
        ("addr", c_uint64),
        ("period", c_uint64),
        ("weight", c_uint64),
        ("data_src", c_uint64),
        ("transaction", c_uint64),
        ("phys_addr", c_uint64),
        ("cgroup", c_uint64),
        ("data_page_size", c_uint64),
        ("code_page_size", c_uint64),
        ("counts", Counts),
        ("nchain", c_uint64),
        ("chain", POINTER(c_uint64)),
    ]


class RecordMmap(Structure):
    _fields_ = [
        ("pid", c_uint32),
        ("tid", c_uint32),
        ("addr", c_uint64),
        ("length", c_uint64),
        ("offset", c_uint64),
        ("major", c_uint32),
        ("minor", c_uint32),
        ("inode", c_uint64),
        ("inode_generation", c_uint64),
        ("prot", c_uint32),
        ("flags", c_uint32),
        ("build_id_size", c_uint32),
        ("build_id", ctypes.c_uint8 * 20),
        ("file", c_char_p),
    ]


class RecordComm(Structure):
    _fields_ = [("pid", c_uint32), ("tid", c_uint32), ("name", c_char_p)]


class RecordTask(Structure):
    _fields_ = [
        ("pid", c_uint32),
        ("ppid", c_uint32),
        ("tid", c_uint32),
        ("ptid", c_uint32),
        ("time", c_uint64),
    ]


class RecordLost(Structure):
    _fields_ = [("id", c_uint64), ("lost", c_uint64)]


class RecordAs(ctypes.Union):
    _fields_ = [
        ("sample", RecordSample),
        ("mmap", RecordMmap),
        ("comm", RecordComm),
        ("task", RecordTask),
        ("lost", RecordLost),
    ]


class Record(Structure):
    """Up to the part of its union that this package reads; the library makes them."""

    _fields_ = [
        ("type", c_uint32),
        ("misc", c_uint16),
        ("size", c_uint16),
        ("bytes", c_void_p),
        ("pid", c_uint32),
        ("tid", c_uint32),
        ("time", c_uint64),
        ("id", c_uint64),
        ("stream_id", c_uint64),
        ("cpu", c_uint32),
        ("reserved", c_uint32),
        ("as_", RecordAs),
    ]


class Region(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("id", c_uint),
        ("overlaps", c_uint),
        ("calibrate", c_void_p),
    ]


class RegionValue(Structure):
    _fields_ = [
        ("inclusive", c_uint64),
        ("exclusive", c_uint64),
        ("minimum", c_uint64),
        ("maximum", c_uint64),
        ("mean", c_double),
        ("deviation", c_double),
        ("p50", c_uint64),
        ("p90", c_uint64),
        ("p99", c_uint64),
        ("error", c_uint64),
        ("quality", c_uint),
        ("reserved", c_uint),
    ]


class RegionReading(Structure):
    _fields_ = [
        ("visits", c_uint64),
        ("unfinished", c_uint64),
        ("uncounted", c_uint64),
        ("nvalues", c_uint),
        ("reserved", c_uint),
        ("value", RegionValue * 16),
        ("bytes_inclusive", c_uint64),
        ("bytes_exclusive", c_uint64),
        ("communication_inclusive", c_uint64),
        ("communication_exclusive", c_uint64),
    ]


EachName = CFUNCTYPE(c_int, c_void_p, POINTER(EventName))
EachMetric = CFUNCTYPE(c_int, c_void_p, POINTER(Metric))
EachCheck = CFUNCTYPE(c_int, c_void_p, POINTER(Check))


def _declare(name: str, returns: Any, *arguments: Any) -> None:
    function = getattr(lib, name)
    function.restype = returns
    function.argtypes = arguments
    integers = [(i, c_type) for i, c_type in enumerate(arguments) if c_type in _INTEGERS]

    # What from_param() raises comes out of a call as another exception, so this is around it.
    def checked(*given: Any) -> Any:
        for i, c_type in integers:
            in_range(given[i], c_type)
        return function(*given)

    if integers:
        setattr(lib, name, checked)


_handle = c_void_p
_declare("perfctr_error", c_char_p)
_declare("perfctr_reading_estimate", c_uint64, POINTER(Reading))
_declare("perfctr_set_open", _handle, c_char_p, POINTER(Target), c_uint)
_declare("perfctr_set_close", None, _handle)
_declare("perfctr_set_size", c_uint, _handle)
_declare("perfctr_set_name", c_char_p, _handle, c_uint)
_declare("perfctr_set_event", c_int, _handle, c_uint, POINTER(ListEvent))
for _name in ("enable", "disable", "reset", "check"):
    _declare("perfctr_set_" + _name, c_int, _handle)
_declare("perfctr_set_read", c_int, _handle, POINTER(Reading))
_declare("perfctr_set_reader", c_int, _handle, c_uint, POINTER(Reader))
_declare("perfctr_set_parts", c_uint, _handle)
_declare("perfctr_set_part", c_int, _handle, c_uint, POINTER(Part))
_declare("perfctr_set_read_part", c_int, _handle, c_uint, POINTER(Reading))
_declare("perfctr_set_read_thread", c_int, _handle, c_int, POINTER(Reading))
_declare("perfctr_reader_read", c_int, POINTER(Reader), POINTER(c_uint64))
_declare("perfctr_list_resolve", _handle, c_char_p, c_uint)
_declare("perfctr_list_free", None, _handle)
_declare("perfctr_list_size", c_uint, _handle)
_declare("perfctr_list_event", c_int, _handle, c_uint, POINTER(ListEvent))
_declare("perfctr_event_check", c_int, c_char_p)
_declare("perfctr_event_list", c_int, c_char_p, EachName, c_void_p)
_declare("perfctr_cpu_list", c_int, EachName, c_void_p)
_declare("perfctr_cpu_event_list", c_int, c_char_p, EachName, c_void_p)
_declare("perfctr_cpu_native", c_int, POINTER(c_char_p), POINTER(c_char_p))
_declare("perfctr_provider_name", c_char_p)
_declare("perfctr_metrics_list", c_int, c_char_p, EachMetric, c_void_p)
_declare("perfctr_metrics_open", _handle, c_char_p, c_char_p)
_declare("perfctr_metrics_close", None, _handle)
_declare("perfctr_metrics_size", c_uint, _handle)
_declare("perfctr_metrics_metric", c_int, _handle, c_uint, POINTER(Metric))
_declare("perfctr_metrics_events", c_char_p, _handle, POINTER(c_uint))
_declare(
    "perfctr_metrics_value", c_int, _handle, c_uint, POINTER(Reading), POINTER(MetricValue)
)
_declare("perfctr_sampler_open", _handle, c_char_p, POINTER(Target), POINTER(SamplerConfig))
_declare("perfctr_sampler_close", None, _handle)
for _name in ("fd", "enable", "disable", "check"):
    _declare("perfctr_sampler_" + _name, c_int, _handle)
_declare("perfctr_sampler_refresh", c_int, _handle, c_uint)
_declare("perfctr_sampler_set_period", c_int, _handle, c_uint64)
_declare("perfctr_sampler_next", c_int, _handle, POINTER(POINTER(Record)))
_declare("perfctr_sampler_lost", c_int, _handle, POINTER(c_uint64))
_declare("perfctr_sampler_count", c_int, _handle, c_uint, POINTER(c_uint64))
_declare("perfctr_data_src_text", c_size_t, c_uint64, c_char_p, c_size_t)
_declare("perfctr_doctor", c_int, EachCheck, c_void_p)
_declare("perfctr_region_by_name", POINTER(Region), c_char_p)
_declare("perfctr_region_add_bytes", None, c_uint64)
_declare("perfctr_region_add_communication", None, c_uint64)
for _name in ("read", "read_all"):
    _declare("perfctr_region_" + _name, c_int, POINTER(Region), POINTER(RegionReading))
_declare("perfctr_region_reset", c_int, POINTER(Region))
_declare("perfctr_regions_start_metrics", c_int, c_char_p, c_char_p, c_uint)
_declare("perfctr_regions_calibrate", c_int, c_void_p, POINTER(c_void_p))
_declare("perfctr_regions_stop", c_int)
_declare("perfctr_regions_thread", c_int)
_declare("perfctr_regions_report", c_int, c_char_p, c_uint)


try:
    from . import _quick as _compiled

    quick: Any = _compiled
except ImportError:  # it was not compiled, or this Python has no stable ABI
    quick = None

_functions = ctypes.PyDLL("libperfctr.so.7")


def plain(name: str) -> Any:
    """A function of one pointer, which sets no errno."""
    function = getattr(_functions, name)
    function.restype = None
    return function


def address(function: Any) -> Optional[int]:
    return ctypes.cast(function, c_void_p).value


def call_of(name: str, at: Structure) -> Callable[[], Any]:
    """The call of a function of one structure, in as few instructions as Python can make it."""
    function = plain(name)
    if not quick:
        return functools.partial(function, ctypes.byref(at))
    return cast(Callable[[], Any], quick.caller(address(function), ctypes.addressof(at), at))


def each(prototype: Any, call: Callable[[Any], int], visit: Callable[[Any], None]) -> None:
    """Has the library hand things out, and carries what visit() raises over its frames."""
    raised = []

    def one(_argument: Any, thing: Any) -> int:
        try:
            visit(thing.contents)
        except BaseException as exception:  # for the caller, below
            raised.append(exception)
            return 1
        return 0

    status = call(prototype(one))
    if raised:
        raise raised[0]
    check(status)
