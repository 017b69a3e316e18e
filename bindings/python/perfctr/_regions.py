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
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, NamedTuple, Optional, Type, TypeVar, cast

from . import _c
from ._c import Error

if TYPE_CHECKING:
    import asyncio  # which takes as long to load as all the rest: a program that has coroutines has it

__all__ = [
    "Region",
    "RegionReading",
    "RegionValue",
    "add_bytes",
    "measure",
    "open_thread",
    "region",
    "report",
    "start",
    "stop",
]

_lib = _c.lib
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


class _Visit:
    """One passage from begin to end."""

    def __init__(self, name: str) -> None:
        self.thread = threading.get_ident()
        self.pid = os.getpid()
        self.suspended = False
        self._handle: "Optional[asyncio.Handle]" = None
        frame = sys._getframe(2)
        while frame.f_code.co_filename == contextlib.__file__ and frame.f_back:
            frame = frame.f_back
        if not frame.f_code.co_flags & _SUSPENDS:
            return
        import asyncio

        # In a coroutine the loop runs this once it is suspended. Nothing tells of a generator.
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise _suspended(name) from None
        if not frame.f_code.co_flags & inspect.CO_COROUTINE:
            raise _suspended(name)
        self._handle = loop.call_soon(self._notice)

    def _notice(self) -> None:
        self.suspended = True

    def over(self) -> None:
        if self._handle:
            self._handle.cancel()


class Region:
    """A region: a context manager, and a decorator of functions. The look-up is done once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._c = _lib.perfctr_region_by_name(_c.c_string(name))
        if not self._c:
            raise _c.last_error()
        self._local = threading.local()

    def _open(self) -> List[_Visit]:
        """The visits that this thread has not ended."""
        if not hasattr(self._local, "visits"):
            self._local.visits = []
        return cast(List[_Visit], self._local.visits)

    def __enter__(self) -> "Region":
        visit = _Visit(self.name)
        self._open().append(visit)
        _lib.perfctr_region_begin(self._c)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if not self._open():
            raise Error(
                errno.EINVAL,
                'this thread is not in region "%s": a region ends in the thread that began it'
                % self.name,
            )
        _lib.perfctr_region_end(self._c)
        visit = self._open().pop()
        visit.over()
        if visit.suspended and exception is None:
            raise _suspended(self.name)

    def __call__(self, function: _F) -> _F:
        """A function whose calls are visits. EINVAL: it is a coroutine's or a generator's."""
        if _makes_what_suspends(function):
            raise Error(
                errno.EINVAL,
                'calls of %s may suspend inside of region "%s", which belongs to a thread: '
                "put the region into the function, around what does not suspend"
                % (getattr(function, "__name__", "a function"), self.name),
            )

        @functools.wraps(function)
        def visit(*arguments: Any, **named: Any) -> Any:
            _lib.perfctr_region_begin(self._c)
            try:
                return function(*arguments, **named)
            finally:
                _lib.perfctr_region_end(self._c)

        return cast(_F, visit)

    def _reading(self, read: Callable[..., int]) -> RegionReading:
        c = _c.RegionReading()
        _c.check(read(self._c, ctypes.byref(c)))
        values = [
            RegionValue(*(getattr(c.value[i], name) for name in RegionValue._fields))
            for i in range(c.nvalues)
        ]
        return RegionReading(
            c.visits, c.unfinished, c.uncounted, values, c.bytes_inclusive, c.bytes_exclusive
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


def region(name: str) -> Region:
    """A region by its name, for a with statement or as a decorator."""
    return Region(name)


def add_bytes(number: int) -> None:
    """Say that the calling thread has moved this number of bytes: they count for its regions."""
    _lib.perfctr_region_add_bytes(number)


def start(
    *events: str,
    metrics: str = "",
    moments: bool = False,
    histogram: bool = False,
    threads: bool = False,
    user_fallback: bool = False,
) -> None:
    """Measure regions from now on: the time, and events; metrics are for reports."""
    keep = moments * 1 | histogram * 2 | threads * 4 | user_fallback * 8
    _c.check(
        _lib.perfctr_regions_start_metrics(
            _c.c_string(",".join(events)), _c.c_string(metrics), keep
        )
    )


def stop() -> None:
    """End it. Results stay."""
    _c.check(_lib.perfctr_regions_stop())


def open_thread() -> None:
    """Open the calling thread's counters now, and not at its first region."""
    _c.check(_lib.perfctr_regions_thread())


def report(file: Optional[str] = None, format: str = "table") -> None:
    """Write all that was measured, to the standard error or a file; format: table, csv, json."""
    formats = ("table", "csv", "json")
    if format not in formats:
        raise Error(errno.EINVAL, 'there is no format "%s": there are %s' % (format, ", ".join(formats)))
    name = None if file is None else _c.c_string(file)
    _c.check(_lib.perfctr_regions_report(name, formats.index(format)))


@contextlib.contextmanager
def measure(*events: str, metrics: str = "") -> Iterator[None]:
    """Measure regions while the block runs."""
    start(*events, metrics=metrics)
    try:
        yield
    finally:
        stop()
