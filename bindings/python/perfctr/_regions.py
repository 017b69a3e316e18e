# SPDX-License-Identifier: LGPL-2.1-or-later
"""Named parts of a program: how often each thread was in them, and its counts there."""

import contextlib
import ctypes
import errno
import functools
import inspect
import os
import sys
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Type, TypeVar, cast

from . import _c
from ._c import Error

if TYPE_CHECKING:
    import asyncio  # which takes as long to load as all the rest: a program that has coroutines has it

__all__ = [
    "Region",
    "RegionReading",
    "RegionValue",
    "add_bytes",
    "add_communication",
    "measure",
    "open_thread",
    "region",
    "report",
    "start",
    "stop",
]

_lib = _c.lib
_getframe, _get_ident, _CONTEXTLIB = sys._getframe, threading.get_ident, vars(contextlib)
_F = TypeVar("_F", bound=Callable[..., Any])

_SUSPENDS = (
    inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)


class RegionValue(NamedTuple):
    """One quantity of a region. The last eight are 0 without moments or histogram."""

    inclusive: int
    exclusive: int
    quality: int  # a perfctr.Quality
    error: int
    minimum: int
    maximum: int
    mean: float
    deviation: float
    p50: int
    p90: int
    p99: int


class RegionReading(NamedTuple):
    visits: int
    unfinished: int
    uncounted: int
    values: List[RegionValue]  # the time in ns, then the events
    bytes_inclusive: int = 0  # of add_bytes()
    bytes_exclusive: int = 0
    communication_inclusive: int = 0  # of add_communication(), in ns
    communication_exclusive: int = 0


def _suspended(name: str) -> Error:
    return Error(
        errno.EINVAL,
        'a coroutine or generator suspended inside of region "%s", which belongs to a thread: '
        "end the region before await or yield, and begin it again after" % name,
    )


def _makes_what_suspends(function: Callable[..., Any]) -> bool:
    """Whether calls make coroutines or generators: of a function, whatever it is wrapped in, or of
    an object's __call__()."""
    whole = inspect.unwrap(function)
    while isinstance(whole, functools.partial):
        whole = inspect.unwrap(whole.func)
    method = inspect.unwrap(getattr(type(whole), "__call__"))
    kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    return any(is_one(each) for is_one in kinds for each in (whole, method))


# What runs a generator as the two halves of a with statement: contextmanager, and pytest's fixtures.
_HALVES = ("contextlib", "_pytest.fixtures")


def _module(frame: Optional[FrameType]) -> Any:
    return frame.f_globals.get("__name__") if frame else None


def _user(frame: FrameType) -> FrameType:
    """The frame whose with statement it is. A generator that is run as a context manager yields to
    that statement's block, and suspends nothing."""
    at: Optional[FrameType] = frame
    while at:
        if at.f_code.co_flags & _SUSPENDS == inspect.CO_GENERATOR and _module(at.f_back) in _HALVES:
            at = at.f_back
        elif _module(at) not in _HALVES:
            return at
        else:
            at = at.f_back
    return frame


class _Watch:
    """Notices that a coroutine suspends in a visit: the loop runs this once it does."""

    def __init__(self, name: str, frame: FrameType) -> None:
        import asyncio

        self.suspended = False
        # Nothing tells of a generator.
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise _suspended(name) from None
        if not frame.f_code.co_flags & inspect.CO_COROUTINE:
            raise _suspended(name)
        self._handle: "asyncio.Handle" = loop.call_soon(self._notice)

    def _notice(self) -> None:
        self.suspended = True

    def over(self) -> None:
        self._handle.cancel()


# Stands for the code below that begins and ends regions: of a with statement, and of a decorator.
_WITH, _CALL = (ctypes.create_string_buffer(1) for _ in range(2))
# Whether the library knows that these are no functions to be called.
_marked = False
# Whether the regions of what is measured now are calibrated, as far as they can be.
_calibrated = False


def _begin_again() -> None:
    """Something else is measured from now on."""
    global _calibrated
    _calibrated = False


os.register_at_fork(after_in_child=_begin_again)


_BEGIN, _END = _c.plain("perfctr_region_begin"), _c.plain("perfctr_region_end")
_BEGIN_AT, _END_AT = (_c.address(way) if _c.quick else None for way in (_BEGIN, _END))
_Visited = TypeVar("_Visited", bound="_PlainVisits")


class _PlainVisits:
    """What a with statement begins and ends, where the module _quick is not there. Between the calls
    of C and the block stands as little as possible: it is executed in the region."""

    _at: Any = None

    def _calls(self, begin: Optional[int], end: Optional[int], region: int) -> None:
        """The addresses of what the compiled module calls."""

    def _entering(self) -> None:
        """Before a visit."""

    def _leaving(self, raised: Tuple[Any, ...]) -> None:
        """After a visit."""

    def __enter__(self: _Visited) -> _Visited:
        self._entering()
        _BEGIN(self._at)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        _END(self._at)
        self._leaving((kind, exception, traceback))


if TYPE_CHECKING or not _c.quick:
    _Visits = _PlainVisits
else:
    _Visits = _c.quick.Visits


# How far the frame with the with statement is from Region._entering().
_DEPTH = 1 if _c.quick else 2


class Region(_Visits):
    """A region: a context manager, and a decorator of functions. The look-up is done once."""

    def __init__(self, name: str) -> None:
        if not _marked:
            _calibrate()
        found = _lib.perfctr_region_by_name(_c.c_string(name))
        if not found:
            raise _c.last_error()
        self._set(name, found.contents)

    def _set(self, name: str, c: _c.Region) -> None:
        self.name = name
        self._c, self._called = (
            _c.Region(c.name, c.id, 0, ctypes.addressof(key)) for key in (_WITH, _CALL)
        )
        self._at = ctypes.byref(self._c)
        self._calls(_BEGIN_AT, _END_AT, ctypes.addressof(self._c))
        # The visits that each thread has not ended, and those in which a coroutine may suspend.
        self._open: Dict[int, int] = {}
        self._watches: Dict[Tuple[int, int], _Watch] = {}

    def __reduce__(self) -> Any:
        return Region, (self.name,)

    def _watch(self, frame: FrameType, visit: Tuple[int, int]) -> None:
        user = _user(frame)
        if user.f_code.co_flags & _SUSPENDS:
            self._watches[visit] = _Watch(self.name, user)

    def _entering(self) -> None:
        if not _calibrated:
            _calibrate()
        frame = _getframe(_DEPTH)
        thread = _get_ident()
        n = self._open.get(thread, 0) + 1
        if frame.f_code.co_flags & _SUSPENDS or frame.f_globals is _CONTEXTLIB:
            self._watch(frame, (thread, n))
        self._open[thread] = n

    def _leaving(self, raised: Tuple[Any, ...]) -> None:
        thread = _get_ident()
        n = self._open.get(thread)
        if not n:
            raise Error(
                errno.EINVAL,
                'this thread is not in region "%s": a region ends in the thread that began it'
                % self.name,
            )
        self._open[thread] = n - 1
        if self._watches:
            watch = self._watches.pop((thread, n), None)
            if watch:
                watch.over()
                if watch.suspended and raised[1] is None:
                    raise _suspended(self.name)

    def __call__(self, function: _F) -> _F:
        """A function whose calls are visits. EINVAL: it is a coroutine's or a generator's."""
        if isinstance(function, (staticmethod, classmethod)):
            return cast(_F, type(function)(self(function.__func__)))
        if not callable(function):
            raise Error(
                errno.EINVAL,
                'region "%s" decorates functions, and an object of type %s can\'t be called: put the '
                "region below what makes it" % (self.name, type(function).__name__),
            )
        if _makes_what_suspends(function):
            raise Error(
                errno.EINVAL,
                'calls of %s may suspend inside of region "%s", which belongs to a thread: '
                "put the region into the function, around what does not suspend"
                % (getattr(function, "__name__", "a function"), self.name),
            )

        begin = _c.call_of("perfctr_region_begin", self._called)
        end = _c.call_of("perfctr_region_end", self._called)

        @functools.wraps(function)
        def visit(*arguments: Any, **named: Any) -> Any:
            if not _calibrated:
                _calibrate()
            begin()
            try:
                return function(*arguments, **named)
            finally:
                end()

        return cast(_F, visit)

    def _reading(self, read: Callable[..., int]) -> RegionReading:
        c = _c.RegionReading()
        _c.check(read(self._c, ctypes.byref(c)))
        values = [
            RegionValue(*(getattr(c.value[i], name) for name in RegionValue._fields))
            for i in range(c.nvalues)
        ]
        return RegionReading(
            c.visits,
            c.unfinished,
            c.uncounted,
            values,
            c.bytes_inclusive,
            c.bytes_exclusive,
            c.communication_inclusive,
            c.communication_exclusive,
        )

    def read(self) -> RegionReading:
        """In the calling thread. ENOENT: no visit yet."""
        return self._reading(_lib.perfctr_region_read)

    def read_all(self) -> RegionReading:
        """In all threads."""
        return self._reading(_lib.perfctr_region_read_all)

    def reset(self) -> None:
        """Forget the calling thread's counts."""
        _c.check(_lib.perfctr_region_reset(self._c))


def _own() -> Tuple[Region, Region, Region]:
    """The regions of calibration."""
    regions = tuple(Region.__new__(Region) for _ in range(3))
    for k, one in enumerate(regions):
        one._set("", _c.Region(b"", 2 + k))
    return cast(Tuple[Region, Region, Region], regions)


def _visit_statements() -> Callable[[], None]:
    outer, middle, inner = _own()

    def visit() -> None:
        with outer:
            with middle:
                with inner:
                    pass

    return visit


def _visit_functions() -> Callable[[], None]:
    outer, middle, inner = _own()

    @inner
    def nothing() -> None:
        pass

    @middle
    def call() -> None:
        nothing()

    @outer
    def visit() -> None:
        call()

    return visit


_CODE = (_WITH, _visit_statements()), (_CALL, _visit_functions())


def _calibrate() -> None:
    """Has the library calibrate the code above, unless it can't now: then the next visit does so."""
    global _calibrated, _marked
    _calibrated = True  # for the visits below
    for key, visit in _CODE:
        state, status = ctypes.c_void_p(), 1
        while status > 0:
            status = _lib.perfctr_regions_calibrate(ctypes.addressof(key), ctypes.byref(state))
            if status > 0:
                visit()
        if status < 0:
            _calibrated = False
            if not _marked and ctypes.get_errno() == errno.ENOMEM:
                raise _c.last_error()
    _marked = True


_found: Dict[str, Region] = {}


def region(name: str) -> Region:
    """A region by its name, for a with statement or as a decorator."""
    found = _found.get(name)
    if not found:
        found = _found[name] = Region(name)
    return found


def add_bytes(number: int) -> None:
    """Say that the calling thread has moved this number of bytes: they count for its regions."""
    _lib.perfctr_region_add_bytes(number)


def add_communication(ns: int) -> None:
    """Say that the calling thread has communicated for this number of ns of elapsed time."""
    _lib.perfctr_region_add_communication(ns)


# PERFCTR_REGIONS_* of perfctr/regions.h: what to keep; and the formats of reports, in their order.
_KEEP = {"moments": 1, "histogram": 2, "threads": 4, "user_fallback": 8}
_FORMATS = ("table", "csv", "json")


def start(
    *events: str,
    metrics: str = "",
    moments: bool = False,
    histogram: bool = False,
    threads: bool = False,
    user_fallback: bool = False,
) -> None:
    """Measure regions from now on: the time, and events; metrics are for reports."""
    wanted = {"moments": moments, "histogram": histogram, "threads": threads, "user_fallback": user_fallback}
    keep = sum(_KEEP[name] for name, on in wanted.items() if on)
    _c.check(
        _lib.perfctr_regions_start_metrics(
            _c.c_string(",".join(events)), _c.c_string(metrics), keep
        )
    )
    _begin_again()


def stop() -> None:
    """End it. Results stay."""
    _c.check(_lib.perfctr_regions_stop())


def open_thread() -> None:
    """Open the calling thread's counters now, and not at its first region."""
    _c.check(_lib.perfctr_regions_thread())


def report(file: Optional[str] = None, format: str = "table") -> None:
    """Write all that was measured, to the standard error or a file; format: table, csv, json."""
    if format not in _FORMATS:
        raise Error(errno.EINVAL, 'there is no format "%s": there are %s' % (format, ", ".join(_FORMATS)))
    name = None if file is None else _c.c_string(file)
    for stream in sys.stdout, sys.stderr:  # file may be one of them
        if stream:
            stream.flush()
    _c.check(_lib.perfctr_regions_report(name, _FORMATS.index(format)))


@contextlib.contextmanager
def measure(*events: str, metrics: str = "") -> Iterator[None]:
    """Measure regions while the block runs."""
    start(*events, metrics=metrics)
    try:
        yield
    finally:
        stop()
