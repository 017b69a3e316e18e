# SPDX-License-Identifier: LGPL-2.1-or-later
"""What goes from bindings/python into the library and back, at its border, over functions that are made up:
each argument arrives in its place with a value of its own, each member comes back under its name, each
failure is raised, and inline reads stay where they may. layout.py holds constants and members against
the headers. Needs no counters of the processor."""

import contextlib
import ctypes
import errno
import inspect
import os
import threading
import unittest
from unittest import mock

import perfctr
from perfctr import _c

HANDLE = 0x57
FUNCTIONS = [name for name in vars(_c.lib) if name.startswith("perfctr_")]


def plain(argument):
    """A call's argument as a number, bytes, or the members of a structure that are not 0."""
    at = getattr(argument, "_obj", argument)
    if isinstance(at, ctypes.Structure):
        members = {name: getattr(at, name) for name, _ in at._fields_ if name != "reserved"}
        return {name: value for name, value in members.items() if value}
    return at


def fill(c, first=100):
    """Gives each member a value of its own: strings their names, and numbers the next one."""
    for i, (name, c_type) in enumerate(c._fields_):
        if c_type is ctypes.c_char_p:
            setattr(c, name, name.encode())
        elif c_type is ctypes.c_double:
            setattr(c, name, first + i + 0.5)
        elif name == "quality":
            c.quality = perfctr.Quality.SCALED
        elif name in ("ok", "beyond"):
            setattr(c, name, 1)
        elif isinstance(c_type, type) and issubclass(c_type, ctypes._SimpleCData) and c_type is not ctypes.c_void_p:
            setattr(c, name, first + i)
    return c


class Library:
    """Functions that note their calls and succeed, but for those that fail."""

    def __init__(self):
        self.calls = []
        self.fails = ()
        self.returns = {"perfctr_set_size": 2, "perfctr_metrics_size": 2, "perfctr_list_size": 1, "perfctr_set_parts": 1}

    def make(self, name):
        def call(*arguments):
            self.calls.append((name[8:], *map(plain, arguments)))
            if name in self.fails:
                ctypes.set_errno(errno.EXDEV)
                return 0 if name.endswith(("_open", "_resolve", "_by_name")) else -1
            if name.endswith(("_open", "_resolve")):
                return HANDLE
            if name.endswith(("_name", "_events")):
                return b"name"
            for i, argument in enumerate(arguments):
                into = getattr(argument, "_obj", argument)
                if isinstance(into, ctypes.Array) and into._type_ is _c.Reading:
                    for k, reading in enumerate(into):
                        fill(reading, 100 * (k + 1))
                elif isinstance(into, ctypes.Structure) and not isinstance(into, (_c.Target, _c.SamplerConfig)):
                    if i == len(arguments) - 1 and name != "perfctr_reading_estimate":
                        fill(into)
                elif isinstance(into, ctypes.c_uint64):
                    into.value = 77
            value = self.returns.get(name, 0)
            return value(*arguments) if callable(value) else value

        return call

    @contextlib.contextmanager
    def used(self):
        with contextlib.ExitStack() as stack:
            for name in FUNCTIONS:
                if name not in ("perfctr_regions_calibrate", "perfctr_region_by_name"):
                    stack.enter_context(mock.patch.object(_c.lib, name, self.make(name)))
            stack.enter_context(mock.patch.object(_c.lib, "perfctr_error", lambda: b"made up"))
            yield self


def named(function, kind):
    """The names of a function's arguments that have a default of this type."""
    return [n for n, p in inspect.signature(function).parameters.items() if type(p.default) is kind]


class Case(unittest.TestCase):
    def setUp(self):
        self.recorder = Library()
        used = self.recorder.used()
        used.__enter__()
        self.addCleanup(used.__exit__, None, None, None)

    def first(self, call):
        """The first call of the library that this makes."""
        del self.recorder.calls[:]
        call()
        return self.recorder.calls[0]


TARGETS = [
    (perfctr.thread(5), {"id": 5}),
    (perfctr.process(5), {"type": 1, "id": 5}),
    (perfctr.processor(5), {"type": 2, "id": 5}),
    (perfctr.every_processor(), {"type": 2, "id": -1}),
    (perfctr.cgroup("a/b"), {"type": 3, "cgroup": b"a/b"}),
    (perfctr.thread_on_processor(5, 6), {"type": 4, "id": 5, "cpu": 6}),
]


class Arguments(Case):
    def test_targets(self):
        for target, c in TARGETS:
            for opened in (perfctr.Set, perfctr.count):
                call = self.first(lambda: opened("a", target=target))
                self.assertEqual((call[0], call[2]), ("set_open", c))
            call = self.first(lambda: perfctr.Sampler("a", target=target))
            self.assertEqual((call[0], call[2]), ("sampler_open", c))
        self.assertIsNone(self.first(lambda: perfctr.Set("a"))[2])

    def test_flags(self):
        disabled = perfctr._FLAGS["disabled"]
        for opened, always, number in ((perfctr.Set, 0, 8), (perfctr.count, disabled, 4)):
            names = named(opened, bool)
            self.assertEqual(len(names), number)
            self.assertEqual(self.first(lambda: opened("a", "{b,c}"))[1:], (b"a,{b,c}", None, always))
            for name in names:
                call = self.first(lambda: opened("a", **{name: True}))
                self.assertEqual(call, ("set_open", b"a", None, always | perfctr._FLAGS[name]), name)
        call = self.first(lambda: perfctr.resolve("a", "b", partial=True))
        self.assertEqual(call, ("list_resolve", b"a,b", perfctr._FLAGS["partial"]))
        self.assertEqual(self.first(lambda: perfctr.resolve("a"))[2], 0)

    def test_block(self):
        """A block and an empty one, of the first so counted four, if it runs in what is counted; no call more."""
        visit = ["set_enable", "set_disable", "set_read"]
        perfctr._own_counts.clear()
        process, user = {"target": perfctr.process()}, {"user_fallback": True}
        for how, visits in (({}, 5), ({}, 2), (user, 5), (user, 2), (process, 1)):
            del self.recorder.calls[:]
            with perfctr.count("a", **how):
                pass
            names = [call[0] for call in self.recorder.calls]
            self.assertEqual(names, ["set_open", "set_size"] + ["set_name"] * 2 + visit * visits + ["set_close"])

    def test_own_part(self):
        """The least of the last four empty blocks is subtracted, and the bound is from the most of them."""

        def read(_handle, into):
            total = next(totals)
            for reading in into:
                reading.value, reading.quality = total, perfctr.Quality.EXACT
            return 0

        perfctr._own_counts.clear()
        self.recorder.returns["perfctr_set_read"] = read
        for counts, value, error in (
            ([1000, 1020, 1032, 1041, 1052], 991, 20 - 9 + 5),
            ([500, 510], 491, 12 - 9 + 3),
            ([500, 508], 492, 11 - 8 + 3),
            ([5, 13], 0, 11 - 8 + 3),
        ):
            totals = iter(counts)
            with perfctr.count("a") as c:
                pass
            reading = c.readings._c[0]
            self.assertEqual((reading.value, reading.quality), (value, perfctr.Quality.ESTIMATE))
            self.assertEqual(c.error("name"), error)

    def test_sampler(self):
        fields = {"fields": sum(perfctr._FIELDS[name] for name in ("ip", "tid", "time"))}
        self.assertEqual(self.first(lambda: perfctr.Sampler("a")), ("sampler_open", b"a", {}, fields))
        flags, numbers = named(perfctr.Sampler, bool), named(perfctr.Sampler, int)
        self.assertEqual((len(flags), len(numbers)), (8, 7))
        for name in flags:
            config = self.first(lambda: perfctr.Sampler("a", **{name: True}))[3]
            self.assertEqual(config, dict(fields, flags=perfctr._FLAGS[name]))
        for i, name in enumerate(numbers):
            config = self.first(lambda: perfctr.Sampler("a", **{name: 50 + i}))[3]
            self.assertEqual(config, dict(fields, **{name: 50 + i}))
        for name, bit in perfctr._FIELDS.items():
            self.assertEqual(self.first(lambda: perfctr.Sampler("a", fields=(name,)))[3], {"fields": bit})

    def test_regions(self):
        regions = perfctr.regions
        names = named(regions.start, bool)
        self.assertEqual(sorted(names), sorted(regions._KEEP))
        start = "regions_start_metrics"
        self.assertEqual(self.first(lambda: regions.start("a", "b", metrics="m")), (start, b"a,b", b"m", 0))
        for name in names:
            self.assertEqual(self.first(lambda: regions.start("a", **{name: True})), (start, b"a", b"", regions._KEEP[name]))

        def measured():
            with regions.measure("a", "b", metrics="m"):
                self.assertEqual(len(self.recorder.calls), 1)

        self.assertEqual(self.first(measured), (start, b"a,b", b"m", 0))
        self.assertEqual(self.recorder.calls[1:], [("regions_stop",)])
        for i, name in enumerate(("table", "csv", "json")):
            self.assertEqual(self.first(lambda: regions.report("f", format=name)), ("regions_report", b"f", i))
        self.assertEqual(self.first(regions.report), ("regions_report", None, 0))

    def test_others(self):
        opened, sampler, metrics = perfctr.Set("a"), perfctr.Sampler("a"), perfctr.Metrics("a", "b", processor="p")
        readings = opened.read()
        rows = [
            (lambda: perfctr.Metrics("a", "b", processor="p"), ("metrics_open", b"a,b", b"p")),
            (lambda: perfctr.Metrics("a"), ("metrics_open", b"a", None)),
            (lambda: perfctr.check_event("a"), ("event_check", b"a")),
            (lambda: perfctr.events("k"), ("event_list", b"k")),
            (lambda: perfctr.events(), ("event_list", None)),
            (lambda: perfctr.processor_events("p"), ("cpu_event_list", b"p")),
            (lambda: perfctr.processor_events(), ("cpu_event_list", None)),
            (lambda: perfctr.metrics("p"), ("metrics_list", b"p")),
            (lambda: perfctr.metrics(), ("metrics_list", None)),
            (lambda: perfctr.data_src_text(9), ("data_src_text", 9, None, 0)),
            (lambda: perfctr.regions.add_bytes(9), ("region_add_bytes", 9)),
            (lambda: perfctr.regions.add_communication(9), ("region_add_communication", 9)),
            (perfctr.regions.open_thread, ("regions_thread",)),
            (lambda: opened.read_part(3), ("set_read_part", HANDLE, 3)),
            (lambda: opened.read_thread(3), ("set_read_thread", HANDLE, 3)),
            (lambda: opened.event(3), ("set_event", HANDLE, 3)),
            (lambda: opened.reader(3), ("set_reader", HANDLE, 3)),
            (lambda: sampler.refresh(3), ("sampler_refresh", HANDLE, 3)),
            (lambda: sampler.set_period(3), ("sampler_set_period", HANDLE, 3)),
            (lambda: sampler.count(3), ("sampler_count", HANDLE, 3)),
            (lambda: metrics.metric(3), ("metrics_metric", HANDLE, 3)),
        ]
        for method in ("read", "enable", "disable", "reset", "check"):
            rows.append((getattr(opened, method), ("set_" + method, HANDLE)))
        for method in ("enable", "disable", "check", "lost", "next"):
            rows.append((getattr(sampler, method), ("sampler_" + method, HANDLE)))
        for call, expected in rows:
            self.assertEqual(self.first(call)[: len(expected)], expected)
        metrics._n = 2
        call = self.first(lambda: metrics.value(3, readings))
        self.assertEqual((call[:3], call[3] is readings._c), (("metrics_value", HANDLE, 3), True))
        self.first(lambda: metrics.values(readings))
        self.assertEqual([c[2] for c in self.recorder.calls if c[0] == "metrics_value"], [0, 1])


class Results(Case):
    def holds(self, result, c, **others):
        """Each field of a result is the structure's member of its name."""
        for name in type(result)._fields:
            expected = getattr(c, name, None)
            if isinstance(expected, bytes):
                expected = expected.decode()
            self.assertEqual(getattr(result, name), others.get(name, expected), name)

    def test_structures(self):
        opened, metrics = perfctr.Set("a"), perfctr.Metrics("a")
        event, part = fill(_c.ListEvent()), fill(_c.Part())
        self.holds(opened.event(0), event, variants=event.nvariants)
        self.holds(perfctr.resolve("a")[0], event, variants=event.nvariants)
        self.holds(opened.parts()[0], part, processor=part.cpu)
        self.holds(metrics.metric(0), fill(_c.Metric()))
        metrics._n = 2
        self.holds(metrics.value(0, opened.read()), fill(_c.MetricValue()), beyond=True)

    def test_lists(self):
        def hands_out(c):
            return lambda *arguments: [a for a in arguments if hasattr(a, "argtypes")][0](None, ctypes.pointer(c)) and -1

        for function, call, c in (
            ("event_list", perfctr.events, _c.EventName),
            ("cpu_list", perfctr.processors, _c.EventName),
            ("cpu_event_list", perfctr.processor_events, _c.EventName),
            ("metrics_list", perfctr.metrics, _c.Metric),
            ("doctor", perfctr.doctor, _c.Check),
        ):
            given = fill(c())
            self.recorder.returns["perfctr_" + function] = hands_out(given)
            (found,) = call()
            self.holds(found, given)

    def test_readings(self):
        opened = perfctr.Set("a", "b")
        self.recorder.returns["perfctr_reading_estimate"] = lambda c: c._obj.value + 5
        expected = (_c.Reading * 2)(fill(_c.Reading(), 100), fill(_c.Reading(), 200))
        for readings in (opened.read(), opened.read_part(0), opened.read_thread(0)):
            for name, c in zip(opened.names, expected):
                self.holds(readings[name], c, estimate=c.value + 5)
                self.assertEqual(readings.dict()[name], c.value + 5)

    def test_quality(self):
        """A count is left out of dict() for one quality alone, and exact for another alone."""
        for quality in perfctr.Quality:
            c = (_c.Reading * 1)(_c.Reading(3, 2, 1, quality))
            readings = perfctr.Readings(("a",), c)
            self.assertEqual(list(readings.dict()), [] if quality == perfctr.Quality.NOT_COUNTED else ["a"])
            self.assertEqual((readings.exact, readings["a"].exact), (quality == perfctr.Quality.EXACT,) * 2)

    def test_records(self):
        def record(**members):
            made = _c.Record(size=2, bytes=ctypes.addressof(text), **members)
            self.recorder.returns["perfctr_sampler_next"] = lambda _handle, at: setattr(at._obj, "contents", made) or 1
            return made

        text = ctypes.create_string_buffer(b"xyz")
        sampler = perfctr.Sampler("a")
        words = (ctypes.c_uint64 * 3)(7, 8, 9)
        at = ctypes.cast(words, ctypes.POINTER(ctypes.c_uint64))
        common = dict(misc=1, pid=2, tid=3, time=4, id=5, cpu=6)
        for type, name, member in (
            (9, "SAMPLE", "sample"),
            (1, "MMAP", "mmap"),
            (10, "MMAP2", "mmap"),
            (3, "COMM", "comm"),
            (2, "LOST", "lost"),
            (7, "FORK", None),
            (99, "99", None),
        ):
            c = record(type=type, **common)
            others = {"type": name, "bytes": b"xy"}
            if member:
                inside = fill(getattr(c.as_, member))
                names = {n for n, _ in inside._fields_} & set(perfctr.Record._fields) - set(common)
                others.update((n, _c.text(v) if isinstance(v, bytes) else v) for n in names for v in [getattr(inside, n)])
            if name == "SAMPLE":
                inside.nchain, inside.chain, inside.counts.n, inside.counts.values = 2, at, 3, at
                others.update(chain=(7, 8), counts=(7, 8, 9))
            elif member == "mmap":
                others["name"] = "file"
            for field, default in perfctr.Record._field_defaults.items():
                others.setdefault(field, default)
            self.holds(sampler.next(), c, **others)

    def test_region(self):
        region, c = perfctr.region("results"), fill(_c.RegionReading())
        made = [fill(_c.RegionValue(), 100), fill(_c.RegionValue(), 300)]

        def read(_region, into):
            into._obj.nvalues, into._obj.value[0], into._obj.value[1] = 2, made[0], made[1]
            return 0

        for call in ("read", "read_all"):
            self.recorder.returns["perfctr_region_" + call] = read
            reading = getattr(region, call)()
            self.assertEqual(self.recorder.calls[-1][0], "region_" + call)
            self.holds(reading, c, values=reading.values)
            self.assertEqual(len(reading.values), 2)
            for value, expected in zip(reading.values, made):
                self.holds(value, expected)


class Failures(Case):
    def raises(self, call, *functions):
        self.recorder.fails = ["perfctr_" + function for function in functions]
        with self.assertRaises(perfctr.Error) as raised:
            call()
        self.recorder.fails = ()
        self.assertEqual((raised.exception.errno, str(raised.exception)), (errno.EXDEV, "made up"))

    def test_each(self):
        opened, sampler, metrics = perfctr.Set("a"), perfctr.Sampler("a"), perfctr.Metrics("a")
        region, readings, regions = perfctr.region("fails"), opened.read(), perfctr.regions
        metrics._n = 2
        rows = [
            ("set_open", lambda: perfctr.Set("a")),
            ("set_part", opened.parts),
            ("set_event", opened.parts),
            ("set_reader", lambda: opened.reader(0)),
            ("set_read_part", lambda: opened.read_part(0)),
            ("set_read_thread", lambda: opened.read_thread(0)),
            ("set_event", lambda: opened.event(0)),
            ("list_resolve", lambda: perfctr.resolve("a")),
            ("list_event", lambda: perfctr.resolve("a")),
            ("sampler_open", lambda: perfctr.Sampler("a")),
            ("sampler_fd", sampler.fileno),
            ("sampler_refresh", lambda: sampler.refresh(1)),
            ("sampler_set_period", lambda: sampler.set_period(1)),
            ("metrics_open", lambda: perfctr.Metrics("a")),
            ("metrics_metric", lambda: metrics.metric(0)),
            ("metrics_metric", lambda: metrics.values(readings)),
            ("metrics_value", lambda: metrics.value(0, readings)),
            ("event_check", lambda: perfctr.check_event("a")),
            ("event_list", perfctr.events),
            ("cpu_list", perfctr.processors),
            ("cpu_event_list", perfctr.processor_events),
            ("metrics_list", perfctr.metrics),
            ("doctor", perfctr.doctor),
            ("cpu_native", perfctr.native_processor),
            ("region_reset", region.reset),
            ("region_read", region.read),
            ("region_read_all", region.read_all),
            ("regions_start_metrics", regions.start),
            ("regions_stop", regions.stop),
            ("regions_thread", regions.open_thread),
            ("regions_report", regions.report),
        ]
        rows += [("set_" + name, getattr(opened, name)) for name in ("read", "enable", "disable", "reset", "check")]
        for name in ("next", "enable", "disable", "check", "lost", "count"):
            rows.append(("sampler_" + name, getattr(sampler, name)))
        for function, call in rows:
            with self.subTest(function):
                self.raises(call, function)
        self.assertIn(("list_free", HANDLE), self.recorder.calls)

    def test_block(self):
        """The end of a block raises what fails there, unless the block has raised; it closes in any case."""
        for function in ("set_disable", "set_read"):
            for inside in (None, ZeroDivisionError):
                block = perfctr.count("a")

                def run():
                    with block:
                        if inside:
                            raise inside

                self.recorder.fails = ["perfctr_" + function]
                with self.assertRaises(inside or perfctr.Error):
                    run()
                self.recorder.fails = ()
                self.assertEqual(self.recorder.calls[-1], ("set_close", HANDLE))
        self.raises(perfctr.count("a").__enter__, "set_enable")

    def test_measure(self):
        def measured():
            with perfctr.regions.measure("a"):
                pass

        self.raises(measured, "regions_stop")
        self.raises(measured, "regions_start_metrics")
        self.assertEqual(self.recorder.calls[-1][0], "regions_start_metrics")

        def raises():
            with perfctr.regions.measure("a"):
                raise ZeroDivisionError

        self.assertRaises(ZeroDivisionError, raises)
        self.assertEqual(self.recorder.calls[-1], ("regions_stop",))

    def test_results_stay(self):
        """A read that fails changes nothing that was read."""
        opened = perfctr.Set("a", "b")
        before = opened.read()
        values = dict(before)
        self.raises(opened.read, "set_read")
        self.assertEqual(dict(before), values)
        later = opened.read()
        later._c[0].value = 1
        self.assertEqual(dict(before), values)


class Inline(Case):
    """A reader reads inline in the thread that made it, and asks the kernel elsewhere."""

    def setUp(self):
        super().setUp()
        self.set = perfctr.Set("a", "b")
        self.recorder.returns["perfctr_reader_read"] = 1
        self.reader = self.set.reader(1)

    INLINE, ASKED = (77, "reader_read"), (200, "set_read")  # value 1 is the second column's

    def read(self):
        del self.recorder.calls[:]
        return self.reader.read(), self.recorder.calls[-1][0]

    def test_places(self):
        self.assertTrue(self.reader.is_inline)
        self.assertEqual(self.read(), self.INLINE)
        found = []
        thread = threading.Thread(target=lambda: found.append(self.read()))
        thread.start()
        thread.join()
        self.assertEqual(found, [self.ASKED])
        child = os.fork()
        if not child:
            os._exit(self.read() != self.ASKED)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.recorder.returns["perfctr_reader_read"] = 0
        self.assertEqual(self.read(), self.ASKED)
        self.recorder.returns["perfctr_reader_read"] = 1
        self.set.close()
        with self.assertRaises(perfctr.Error) as raised:
            self.read()
        self.assertEqual((raised.exception.errno, self.recorder.calls), (errno.EINVAL, []))

    def test_reset(self):
        self.set.reset()
        self.assertEqual((self.read(), self.recorder.calls[0][:3]), (self.INLINE, ("set_reader", HANDLE, 1)))
        self.assertEqual((self.read(), len(self.recorder.calls)), (self.INLINE, 1))
        self.recorder.fails = ["perfctr_set_reader"]
        self.set.reset()
        with self.assertRaises(perfctr.Error):
            self.read()
        self.recorder.fails = ()
        self.reader = self.set.reader(1)
        self.recorder.returns["perfctr_set_reader"] = 1  # no more, from now on
        self.set.reset()
        self.assertEqual(self.read(), self.ASKED)
        self.assertFalse(self.reader.is_inline)

    def test_refused(self):
        """EOPNOTSUPP alone has the kernel asked each time."""
        self.recorder.fails = ["perfctr_set_reader"]
        with mock.patch.object(errno, "EOPNOTSUPP", errno.EXDEV):
            self.reader = self.set.reader(1)
        self.assertFalse(self.reader.is_inline)
        self.assertEqual(self.read(), self.ASKED)


if __name__ == "__main__":
    unittest.main()
