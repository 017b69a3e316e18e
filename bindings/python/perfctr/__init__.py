# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hardware performance counters of threads, processes and processors, by libperfctr.

    import perfctr

    with perfctr.count("instructions:u", "cycles:u") as c:
        work()
    print(c["instructions:u"], c.readings.exact)

A call that fails raises perfctr.Error, an OSError whose text is one sentence with the cause and the
remedy. perfctr_python(7) is the page.
"""

import ctypes
import enum
import errno
import importlib
import os
import threading
import weakref
from types import TracebackType
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Type, TypeVar

from . import _c
from ._c import Error
from ._regions import Region, RegionReading, RegionValue, region
from . import _regions as regions

__all__ = [
    "Count",
    "Error",
    "Event",
    "EventName",
    "Finding",
    "Metric",
    "MetricValue",
    "Metrics",
    "Part",
    "Quality",
    "Reader",
    "Reading",
    "Readings",
    "Record",
    "Region",
    "RegionReading",
    "RegionValue",
    "Sampler",
    "Set",
    "Target",
    "cgroup",
    "check_event",
    "count",
    "data_src_text",
    "doctor",
    "events",
    "every_processor",
    "metrics",
    "native_processor",
    "process",
    "processor",
    "processor_events",
    "processors",
    "provider",
    "region",
    "regions",
    "resolve",
    "thread",
    "thread_on_processor",
]

_lib = _c.lib
_Self = TypeVar("_Self", bound="_Owner")


class Quality(enum.IntEnum):
    """How good a count is."""

    EXACT = 0
    UNWATCHED = 1
    UNVERIFIED = 2
    ESTIMATE = 3
    SCALED = 4
    NOT_COUNTED = 5
    STALE = 6


class Target(NamedTuple):
    """What is counted: made by thread(), process(), processor() and so on."""

    type: int
    id: int = 0
    cpu: int = 0
    cgroup: str = ""

    def _c_target(self) -> _c.Target:
        name = _c.c_string(self.cgroup) if self.cgroup else None
        return _c.Target(self.type, self.id, self.cpu, name)


def thread(tid: int = 0) -> Target:
    """A thread; 0 is the calling one."""
    return Target(0, tid)


def process(pid: int = 0) -> Target:
    """A process, 0 is this one: its threads, and those to come."""
    return Target(1, pid)


def processor(number: int) -> Target:
    return Target(2, number)


def every_processor() -> Target:
    """Every processor that is online."""
    return Target(2, -1)


def cgroup(directory: str) -> Target:
    return Target(3, cgroup=directory)


def thread_on_processor(tid: int, number: int) -> Target:
    """A thread, while it runs on the processor."""
    return Target(4, tid, number)


# PERFCTR_* and PERFCTR_SAMPLER_* of libperfctr.h.
_FLAGS = {
    "multiplex": 0x40,
    "inherit": 0x100,
    "on_exec": 0x200,
    "disabled": 0x400,
    "exclusive": 0x800,
    "partial": 0x1000,
    "user_fallback": 0x2000,
    "watch": 0x4000,
    "mmap": 0x10000,
    "comm": 0x80000,
    "task": 0x100000,
    "overwrite": 0x8000000,
}


def _whom(target: Target) -> _c.Target:
    if not isinstance(target, Target):
        raise TypeError(
            "a target is made by thread(), process() and so on, and is not a %s" % type(target).__name__
        )
    return target._c_target()


def _flags(**wanted: bool) -> int:
    return sum([_FLAGS[name] for name in wanted if wanted[name]])


def _give_back(holder: List[Optional[int]], how: Any) -> None:
    handle, holder[0] = holder[0], None
    how(handle)


class _Owner(_c.NotCopied):
    """Owns a handle of the library, and gives it back: at close(), at its end, or the program's.
    What runs after the program's end finds none."""

    # Of a subclass that never called __init__().
    _holder: List[Optional[int]] = [None]
    _finalizer: Optional["weakref.finalize"] = None

    def _own(self, handle: Optional[int], give_back: Any) -> None:
        if not handle:
            raise _c.last_error()
        if self._finalizer:  # a Reader would read the old one's page
            give_back(handle)
            raise Error(
                errno.EINVAL,
                "__init__() was called of a %s that is made already: make another"
                % type(self).__name__,
            )
        self._holder = [handle]
        self._finalizer = weakref.finalize(self, _give_back, self._holder, give_back)

    @property
    def _handle(self) -> int:
        """EINVAL: it was closed. Calls that can't fail in C would say 0 of it."""
        handle = self._holder[0]
        if not handle:
            raise Error(
                errno.EINVAL,
                "the object was closed: make another"
                if self._finalizer
                else "the object was never opened: its class must call super().__init__()",
            )
        return handle

    def close(self) -> None:
        """Give it back. Later calls raise EINVAL; once more is no error."""
        if self._finalizer:
            self._finalizer()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


class Event(NamedTuple):
    """One event, described."""

    name: str
    unit: str
    reason: str  # why it can't be counted, or ""
    scale: float
    item: int
    variants: int


def _event(c: _c.ListEvent) -> Event:
    return Event(
        _c.text(c.name), _c.text(c.unit), _c.text(c.reason), c.scale, c.item, c.nvariants
    )


class Reading(NamedTuple):
    """One counter, read. Times are ns; estimate is the value for all of the time."""

    value: int
    enabled: int
    running: int
    quality: Quality
    estimate: int

    @property
    def exact(self) -> bool:
        return self.quality == Quality.EXACT


class Readings(Mapping[str, Reading]):
    """The counts of a set at one moment, by name, in the order of the events. They hold nothing of
    the set, and may be copied and pickled."""

    def __init__(self, names: Tuple[str, ...], c: "ctypes.Array[_c.Reading]") -> None:
        self._names = names
        self._c = c

    def __reduce__(self) -> Any:
        return _readings_of, (self._names, bytes(self._c))

    def _reading(self, i: int) -> Reading:
        c = self._c[i]
        estimate = _lib.perfctr_reading_estimate(ctypes.byref(c))
        return Reading(c.value, c.enabled, c.running, Quality(c.quality), estimate)

    def __getitem__(self, name: str) -> Reading:
        try:
            i = self._names.index(name)
        except ValueError:
            raise KeyError(name) from None
        return self._reading(i)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def exact(self) -> bool:
        """Whether every count is."""
        return all(self._c[i].quality == Quality.EXACT for i in range(len(self)))

    def dict(self) -> Dict[str, int]:
        """The estimates by name, without what was not counted."""
        return {
            name: reading.estimate
            for name, reading in self.items()
            if reading.quality != Quality.NOT_COUNTED
        }

    def frame(self) -> Any:
        """A pandas frame, a row for each event. ImportError: there is no pandas."""
        pandas = importlib.import_module("pandas")
        rows = [self._reading(i) for i in range(len(self))]
        return pandas.DataFrame(
            {
                "value": [row.value for row in rows],
                "enabled": [row.enabled for row in rows],
                "running": [row.running for row in rows],
                "quality": [row.quality.name.lower() for row in rows],
                "estimate": [row.estimate for row in rows],
            },
            index=pandas.Index(self._names, name="event"),
        )

    def __repr__(self) -> str:
        return "Readings(%r)" % self.dict()


def _readings_of(names: Tuple[str, ...], c: bytes) -> Readings:
    return Readings(names, (_c.Reading * len(names)).from_buffer_copy(c))


def _told_apart(names: List[str]) -> Tuple[str, ...]:
    """The names as keys: the second "a" is "a#2", since no event's name has a "#"."""
    found: List[str] = []
    for i, name in enumerate(names):
        before = names[:i].count(name)
        found.append("%s#%d" % (name, before + 1) if before else name)
    return tuple(found)


class Part(NamedTuple):
    """A part of a set: tid -1 is all threads, 0 the opening one; processor -1 is all."""

    tid: int
    processor: int
    pmu: str


class Set(_Owner):
    """Events by name, "a,b" or the group "{a,b}", counted on a target from now on."""

    names: Tuple[str, ...] = ()
    _type = _c.Reading * 0
    _resets = 0

    def __init__(
        self,
        *events: str,
        target: Optional[Target] = None,
        multiplex: bool = False,
        inherit: bool = False,
        on_exec: bool = False,
        disabled: bool = False,
        exclusive: bool = False,
        partial: bool = False,
        user_fallback: bool = False,
        watch: bool = False,
    ) -> None:
        whom = None if target is None else _whom(target)  # NULL: the calling thread
        flags = _flags(
            multiplex=multiplex,
            inherit=inherit,
            on_exec=on_exec,
            disabled=disabled,
            exclusive=exclusive,
            partial=partial,
            user_fallback=user_fallback,
            watch=watch,
        )
        names = _c.c_string(",".join(events))
        self._own(
            _lib.perfctr_set_open(names, whom, flags), _lib.perfctr_set_close
        )
        size = _lib.perfctr_set_size(self._handle)
        self.names = _told_apart(
            [_c.text(_lib.perfctr_set_name(self._handle, i)) for i in range(size)]
        )
        self._type = _c.Reading * size

    def _sums(self) -> "ctypes.Array[_c.Reading]":
        into: "ctypes.Array[_c.Reading]" = self._type()
        _c.check(_lib.perfctr_set_read(self._handle, into))
        return into

    def read(self) -> Readings:
        """The sums over all parts."""
        return Readings(self.names, self._sums())

    def read_part(self, part: int) -> Readings:
        into = self._type()
        _c.check(_lib.perfctr_set_read_part(self._handle, part, into))
        return Readings(self.names, into)

    def read_thread(self, tid: int) -> Readings:
        into = self._type()
        _c.check(_lib.perfctr_set_read_thread(self._handle, tid, into))
        return Readings(self.names, into)

    def parts(self) -> List[Part]:
        self.event(0)  # fails in a child of fork(), where C has no parts
        found = []
        for i in range(_lib.perfctr_set_parts(self._handle)):
            c = _c.Part()
            _c.check(_lib.perfctr_set_part(self._handle, i, ctypes.byref(c)))
            found.append(Part(c.tid, c.cpu, _c.text(c.pmu)))
        return found

    def event(self, i: int) -> Event:
        c = _c.ListEvent()
        _c.check(_lib.perfctr_set_event(self._handle, i, ctypes.byref(c)))
        return _event(c)

    def reader(self, i: int) -> "Reader":
        """Reads event i of the calling thread, without a system call where that is possible."""
        return Reader(self, i)

    def enable(self) -> None:
        _c.check(_lib.perfctr_set_enable(self._handle))

    def disable(self) -> None:
        _c.check(_lib.perfctr_set_disable(self._handle))

    def reset(self) -> None:
        """Set counts to zero, those of its readers too."""
        self._resets += 1
        _c.check(_lib.perfctr_set_reset(self._handle))

    def check(self) -> None:
        """ESTALE: the kernel has ended events early."""
        _c.check(_lib.perfctr_set_check(self._handle))


class Reader(_c.NotCopied):
    """One event of a set, read without a system call where the hardware allows it."""

    def __init__(self, of: Set, i: int) -> None:
        self._set = of
        self._i = i
        self._c = _c.Reader()
        self._value = ctypes.c_uint64()
        self._at = (ctypes.byref(self._c), ctypes.byref(self._value))
        self._pid = os.getpid()
        self._thread = threading.get_ident()
        self._fill()

    def _fill(self) -> None:
        """Has the library fill in its reader: it changes with each reset of the set."""
        self._inline = False
        self._resets = self._set._resets
        status = _lib.perfctr_set_reader(self._set._handle, self._i, self._at[0])
        if status < 0:
            error = _c.last_error()
            if error.errno != errno.EOPNOTSUPP:  # else the kernel is asked each time
                raise error
        self._inline = status == 0

    @property
    def is_inline(self) -> bool:
        return bool(self._inline)

    def read(self) -> int:
        if (
            self._inline
            and self._set._holder[0]
            and threading.get_ident() == self._thread
            and os.getpid() == self._pid
        ):
            if self._resets != self._set._resets:
                self._fill()
            if self._inline and _lib.perfctr_reader_read(*self._at):
                return self._value.value
        return int(self._set._sums()[self._i].value)


class _Block:
    """A with statement whose block is counted."""

    def __init__(self, of: Set) -> None:
        self._set = of

    def __enter__(self) -> "_Block":
        self._set.enable()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._set.disable()


# What empty blocks counted, by the events and how they are counted: the last four.
_own_counts: Dict[Tuple[object, ...], List[List[int]]] = {}


class Count(_c.NotCopied):
    """What with count(...) as c gives: counts while the block runs, all of it after. What an empty
    block counts is subtracted if it runs in what is counted, and makes a count an estimate."""

    def __init__(self, of: Set, own: Optional[Tuple[object, ...]] = None) -> None:
        self._set = of
        self._own = own
        self._readings: Optional[Readings] = None
        self._error: Dict[str, int] = {}

    def __enter__(self) -> "Count":
        self._set.enable()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        try:
            self._set.disable()
            self._readings = self._set.read()
            if self._own:
                self._subtract(self._own, self._readings)
        except Error:
            if exception is None:
                raise
        finally:
            self._set.close()

    def _subtract(self, key: Tuple[object, ...], readings: Readings) -> None:
        """Subtract what an empty block counts: the least of the last four of these events. The
        interpreter takes more or fewer instructions as its code is new: a quarter of them."""
        own, before = _own_counts.get(key, []), readings._c
        for _ in range(max(1, 4 - len(own))):
            with _Block(self._set):
                pass
            after = self._set._sums()
            own = own[-3:] + [[b.value - a.value for a, b in zip(before, after)]]
            before = after
        _own_counts[key] = own
        for name, reading, values in zip(readings._names, readings._c, zip(*own)):
            least, most = min(values), max(values)
            if most and reading.quality <= Quality.UNVERIFIED:
                reading.value = max(reading.value - least, 0)
                reading.quality = Quality.ESTIMATE
                self._error[name] = most - least + (most + 3) // 4

    def error(self, name: str) -> int:
        """How far an event's count may be off after the block, if it is an estimate; else 0."""
        return self._error.get(name, 0)

    @property
    def set(self) -> Set:
        return self._set

    @property
    def readings(self) -> Readings:
        """Those of now, or of the end of the block."""
        return self._readings or self._set.read()

    def __getitem__(self, name: str) -> int:
        """The best estimate of an event's count."""
        return self.readings[name].estimate

    def dict(self) -> Dict[str, int]:
        return self.readings.dict()

    def frame(self) -> Any:
        return self.readings.frame()


def count(
    *events: str,
    target: Optional[Target] = None,
    multiplex: bool = False,
    inherit: bool = False,
    partial: bool = False,
    user_fallback: bool = False,
) -> Count:
    """Count events while the block of a with statement runs."""
    return Count(
        Set(
            *events,
            target=target,
            multiplex=multiplex,
            inherit=inherit,
            disabled=True,
            partial=partial,
            user_fallback=user_fallback,
        ),
        None if target else (events, multiplex, inherit, partial, user_fallback),
    )


# ---- the meaning of names ----


class EventName(NamedTuple):
    name: str
    kind: str
    description: str


def _name(c: _c.EventName) -> EventName:
    return EventName(_c.text(c.name), _c.text(c.kind), _c.text(c.description))


def check_event(event: str) -> None:
    """EINVAL, ENOENT: it is not the name of an event of this machine; the nearest are told."""
    _c.check(_lib.perfctr_event_check(_c.c_string(event)))


def events(kind: Optional[str] = None) -> List[EventName]:
    """The events that this machine's kernel knows by name, all but tracepoints, or of a kind."""
    found: List[EventName] = []
    name = None if kind is None else _c.c_string(kind)
    _c.each(
        _c.EachName,
        lambda call: int(_lib.perfctr_event_list(name, call, None)),
        lambda c: found.append(_name(c)),
    )
    return found


def processors() -> List[EventName]:
    """The processors that the library knows: name is the id."""
    found: List[EventName] = []
    _c.each(
        _c.EachName,
        lambda call: int(_lib.perfctr_cpu_list(call, None)),
        lambda c: found.append(_name(c)),
    )
    return found


def processor_events(id: Optional[str] = None) -> List[EventName]:
    """The events of a processor by its id, or of this machine's."""
    found: List[EventName] = []
    name = None if id is None else _c.c_string(id)
    _c.each(
        _c.EachName,
        lambda call: int(_lib.perfctr_cpu_event_list(name, call, None)),
        lambda c: found.append(_name(c)),
    )
    return found


def resolve(*events: str, partial: bool = False) -> List[Event]:
    """What names mean to this machine's kernel."""
    handle = _lib.perfctr_list_resolve(
        _c.c_string(",".join(events)), _flags(partial=partial)
    )
    if not handle:
        raise _c.last_error()
    try:
        found = []
        for i in range(_lib.perfctr_list_size(handle)):
            c = _c.ListEvent()
            _c.check(_lib.perfctr_list_event(handle, i, ctypes.byref(c)))
            found.append(_event(c))
        return found
    finally:
        _lib.perfctr_list_free(handle)


# ---- metrics ----


class Metric(NamedTuple):
    name: str
    unit: str
    formula: str
    description: str
    reason: str  # why this machine can't name one of its events, or ""
    core: str
    threshold: str


def _metric(c: _c.Metric) -> Metric:
    return Metric(*(_c.text(getattr(c, name)) for name in Metric._fields))


class MetricValue(NamedTuple):
    value: float  # NaN if there is none
    reason: str  # why there is none, or ""
    quality: Quality
    beyond: bool  # its threshold


def metrics(processor: Optional[str] = None) -> List[Metric]:
    """The metrics of a processor by its id, or of this machine's."""
    found: List[Metric] = []
    name = None if processor is None else _c.c_string(processor)
    _c.each(
        _c.EachMetric,
        lambda call: int(_lib.perfctr_metrics_list(name, call, None)),
        lambda c: found.append(_metric(c)),
    )
    return found


class Metrics(_Owner):
    """Formulas over counts: count(m.events), then m.values(c.readings)."""

    def __init__(self, *names: str, processor: Optional[str] = None) -> None:
        cpu = None if processor is None else _c.c_string(processor)
        self._own(
            _lib.perfctr_metrics_open(_c.c_string(",".join(names)), cpu),
            _lib.perfctr_metrics_close,
        )
        n = ctypes.c_uint()
        self.events = _c.text(_lib.perfctr_metrics_events(self._handle, ctypes.byref(n)))
        self._n = n.value

    def __len__(self) -> int:
        return int(_lib.perfctr_metrics_size(self._handle))

    def metric(self, i: int) -> Metric:
        c = _c.Metric()
        _c.check(_lib.perfctr_metrics_metric(self._handle, i, ctypes.byref(c)))
        return _metric(c)

    def value(self, i: int, readings: Readings) -> MetricValue:
        """Metric i, from readings of a set of these events."""
        handle = self._handle
        if not isinstance(readings, Readings):
            raise TypeError("readings are of Set.read(), and not a %s" % type(readings).__name__)
        if len(readings._c) != self._n:
            raise Error(
                errno.EINVAL,
                "the readings have another number of events than the metrics: count the "
                "list that is in events",
            )
        c = _c.MetricValue()
        _c.check(_lib.perfctr_metrics_value(handle, i, readings._c, ctypes.byref(c)))
        return MetricValue(c.value, _c.text(c.reason), Quality(c.quality), bool(c.beyond))

    def values(self, readings: Readings) -> Dict[str, MetricValue]:
        """All of them; on a machine with several core types a name ends with "/" and the type."""
        found = {}
        for i in range(len(self)):
            metric = self.metric(i)
            name = metric.name + ("/" + metric.core if metric.core else "")
            found[name] = self.value(i, readings)
        return found


# ---- samples ----

_FIELDS = {
    "ip": 1 << 0,
    "tid": 1 << 1,
    "time": 1 << 2,
    "addr": 1 << 3,
    "read": 1 << 4,
    "callchain": 1 << 5,
    "id": 1 << 6,
    "cpu": 1 << 7,
    "period": 1 << 8,
    "stream_id": 1 << 9,
    "weight": 1 << 14,
    "data_src": 1 << 15,
    "transaction": 1 << 17,
    "phys_addr": 1 << 19,
    "cgroup": 1 << 21,
    "data_page_size": 1 << 22,
    "code_page_size": 1 << 23,
}

_TYPES = {1: "MMAP", 2: "LOST", 3: "COMM", 4: "EXIT", 5: "THROTTLE", 6: "UNTHROTTLE", 7: "FORK"}
_TYPES.update({8: "READ", 9: "SAMPLE", 10: "MMAP2", 14: "SWITCH", 15: "SWITCH_CPU_WIDE"})


class Record(NamedTuple):
    """A record, whose data are its own. What its type or the fields do not have is 0 or empty."""

    type: str  # "SAMPLE", "COMM" and so on; a number that has no name here as it is
    misc: int
    pid: int
    tid: int
    time: int
    cpu: int
    id: int
    bytes: bytes  # as the kernel wrote it
    ip: int = 0
    addr: int = 0
    period: int = 0
    weight: int = 0
    data_src: int = 0
    phys_addr: int = 0
    chain: Tuple[int, ...] = ()
    counts: Tuple[int, ...] = ()
    name: str = ""  # of COMM; the file of MMAP and MMAP2
    length: int = 0  # of MMAP, MMAP2
    offset: int = 0
    lost: int = 0  # of LOST


def _extra(c: _c.Record) -> Dict[str, Any]:
    if c.type == 9:
        sample = c.as_.sample
        return {
            "ip": sample.ip,
            "addr": sample.addr,
            "period": sample.period,
            "weight": sample.weight,
            "data_src": sample.data_src,
            "phys_addr": sample.phys_addr,
            "chain": tuple(sample.chain[: sample.nchain]) if sample.nchain else (),
            "counts": tuple(sample.counts.values[: sample.counts.n]) if sample.counts.n else (),
        }
    if c.type in (1, 10):
        mmap = c.as_.mmap
        return {
            "addr": mmap.addr,
            "length": mmap.length,
            "offset": mmap.offset,
            "name": _c.text(mmap.file),
        }
    if c.type == 3:
        return {"name": _c.text(c.as_.comm.name)}
    if c.type == 2:
        return {"lost": c.as_.lost.lost}
    return {}


class Sampler(_Owner):
    """Records of an event, or of "{a,b}" whose first is sampled. Iterating gives those there are."""

    def __init__(
        self,
        event: str,
        *,
        target: Optional[Target] = None,
        period: int = 0,
        frequency: int = 0,
        fields: Tuple[str, ...] = ("ip", "tid", "time"),
        precise: int = 0,
        max_chain: int = 0,
        pages: int = 0,
        wakeup_samples: int = 0,
        wakeup_bytes: int = 0,
        mmap: bool = False,
        comm: bool = False,
        task: bool = False,
        overwrite: bool = False,
        multiplex: bool = False,
        inherit: bool = False,
        on_exec: bool = False,
        disabled: bool = False,
    ) -> None:
        config = _c.SamplerConfig()
        for name in fields:
            if name not in _FIELDS:
                raise Error(errno.EINVAL, 'there is no field "%s": there are %s' % (name, ", ".join(_FIELDS)))
            config.fields |= _FIELDS[name]
        config.period, config.frequency = period, frequency
        config.precise, config.max_chain, config.pages = precise, max_chain, pages
        config.wakeup_samples, config.wakeup_bytes = wakeup_samples, wakeup_bytes
        config.flags = _flags(
            multiplex=multiplex,
            inherit=inherit,
            on_exec=on_exec,
            disabled=disabled,
            mmap=mmap,
            comm=comm,
            task=task,
            overwrite=overwrite,
        )
        whom = _whom(thread() if target is None else target)
        self._own(
            _lib.perfctr_sampler_open(
                _c.c_string(event), ctypes.byref(whom), ctypes.byref(config)
            ),
            _lib.perfctr_sampler_close,
        )

    def __iter__(self) -> Iterator[Record]:
        while True:
            record = self.next()
            if record is None:
                return
            yield record

    def next(self) -> Optional[Record]:
        """The next record; None: there is none now."""
        at = ctypes.POINTER(_c.Record)()
        if not _c.check(_lib.perfctr_sampler_next(self._handle, ctypes.byref(at))):
            return None
        c = at.contents
        return Record(
            _TYPES.get(c.type, str(c.type)),
            c.misc,
            c.pid,
            c.tid,
            c.time,
            c.cpu,
            c.id,
            ctypes.string_at(c.bytes, c.size),
            **_extra(c),
        )

    def fileno(self) -> int:
        """For select and poll: readable when the kernel has woken it up."""
        return _c.check(_lib.perfctr_sampler_fd(self._handle))

    def enable(self) -> None:
        _c.check(_lib.perfctr_sampler_enable(self._handle))

    def disable(self) -> None:
        _c.check(_lib.perfctr_sampler_disable(self._handle))

    def refresh(self, samples: int) -> None:
        """Start for this many samples more."""
        _c.check(_lib.perfctr_sampler_refresh(self._handle, samples))

    def set_period(self, period: int) -> None:
        _c.check(_lib.perfctr_sampler_set_period(self._handle, period))

    def lost(self) -> int:
        """How many records the kernel could not write."""
        c = ctypes.c_uint64()
        _c.check(_lib.perfctr_sampler_lost(self._handle, ctypes.byref(c)))
        return c.value

    def count(self, i: int = 0) -> int:
        """How often event i of the list has happened in all that is sampled."""
        c = ctypes.c_uint64()
        _c.check(_lib.perfctr_sampler_count(self._handle, i, ctypes.byref(c)))
        return c.value

    def check(self) -> None:
        """ESTALE: threads were not sampled to their ends."""
        _c.check(_lib.perfctr_sampler_check(self._handle))


def data_src_text(data_src: int) -> str:
    """A sample's data_src in words."""
    size = _lib.perfctr_data_src_text(data_src, None, 0) + 1
    into = ctypes.create_string_buffer(size)
    _lib.perfctr_data_src_text(data_src, into, size)
    return _c.text(into.value)


# ---- the machine ----


class Finding(NamedTuple):
    name: str
    state: str
    remedy: str  # a change that makes it work, or allows more; or ""
    ok: bool  # False: because of this, something does not work


def doctor() -> List[Finding]:
    """What decides which events can be counted here."""
    found: List[Finding] = []
    _c.each(
        _c.EachCheck,
        lambda call: int(_lib.perfctr_doctor(call, None)),
        lambda c: found.append(
            Finding(_c.text(c.name), _c.text(c.state), _c.text(c.remedy), bool(c.ok))
        ),
    )
    return found


def native_processor() -> Tuple[str, str]:
    """This machine's processor: its id, "" if it has none, and its name."""
    id, name = ctypes.c_char_p(), ctypes.c_char_p()
    _c.check(_lib.perfctr_cpu_native(ctypes.byref(id), ctypes.byref(name)))
    return _c.text(id.value), _c.text(name.value)


def provider() -> str:
    """The one that an open would choose: "driver" or "perf"."""
    name = _lib.perfctr_provider_name()
    if not name:
        raise _c.last_error()
    return _c.text(name)
