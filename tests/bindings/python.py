# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes every call of bindings/python, rightly and wrongly: the wrong ones must raise perfctr.Error
with their errno and sentence. Needs no counters of the processor."""

import asyncio
import contextlib
import copy
import dataclasses
import errno
import functools
import math
import mmap
import multiprocessing
import os
import pickle
import select
import subprocess
import sys
import tempfile
import textwrap
import threading
import types
import unittest
from unittest import mock

import perfctr
from perfctr import _c

# Page faults of valgrind's own, where it stands under the interpreter.
OWN_FAULTS = int(os.environ.get("OWN_FAULTS", 0))


def fault(pages):
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1


def in_thread(call):
    raised = []

    def run():
        try:
            call()
        except BaseException as exception:
            raised.append(exception)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


class Case(unittest.TestCase):
    def fails(self, code, words, call, *arguments, **named):
        with self.assertRaises(perfctr.Error) as raised:
            call(*arguments, **named)
        error = raised.exception
        self.assertEqual((error.errno, words in str(error)), (code, True), error)
        self.assertTrue(error.sentence == str(error) != "")

    def in_child(self, call):
        """In a child of fork(), which ends as a program of Python does."""
        sys.stdout.flush()
        child = os.fork()
        if not child:
            status = 1
            try:
                call()
                status = 0
            except BaseException as exception:
                print("| in the child: %r" % exception)
            finally:
                # Runs what is registered for the end of the program, as sys.exit() does.
                import atexit

                atexit._run_exitfuncs()
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Counting(Case):
    def test_block(self):
        with perfctr.count("page-faults:u", "task-clock") as c:
            fault(100)
            self.assertGreaterEqual(c["page-faults:u"], 100)
        self.assertTrue(100 <= c["page-faults:u"] < 200)
        # The statement itself takes time, and hardly ever faults.
        self.assertEqual(c.readings["task-clock"].quality, perfctr.Quality.ESTIMATE)
        self.assertTrue(c.error("task-clock") > 0 and c.error("cycles") == 0)
        self.assertFalse(c.readings.exact)
        self.assertEqual(list(c.dict()), ["page-faults:u", "task-clock"])
        counted = c["page-faults:u"]
        fault(10)
        self.assertEqual(c["page-faults:u"], counted)
        with self.assertRaises(KeyError):
            c["cycles"]
        self.assertIn("page-faults:u", repr(c.readings))
        reading = c.readings["task-clock"]
        self.assertEqual(reading.value, reading.estimate)
        self.assertTrue(reading.enabled == reading.running > 0)
        # An exception of the block comes out, and the counts are there.
        with self.assertRaises(ZeroDivisionError):
            with perfctr.count("page-faults:u") as c:
                1 / 0
        self.assertGreaterEqual(c["page-faults:u"], 0)

    def test_partial(self):
        with perfctr.count("page-faults:u", "nonsense/event=1/", partial=True) as c:
            self.assertTrue(c.set.event(1).reason)
        self.assertEqual(list(c.dict()), ["page-faults:u"])
        self.assertEqual(c.readings["nonsense/event=1/"].quality, perfctr.Quality.NOT_COUNTED)
        self.assertFalse(c.readings.exact)

    def test_wrong(self):
        self.fails(errno.EINVAL, "did you mean page-faults", perfctr.count, "page-fautls")
        self.fails(errno.EINVAL, "zero byte", perfctr.count, "page\0faults")
        self.fails(errno.ESRCH, "", perfctr.count, "page-faults:u", target=perfctr.thread(0x7FFFFFF))
        self.assertTrue(issubclass(perfctr.Error, OSError))

    def test_frame(self):
        with perfctr.count("page-faults:u") as c:
            fault(10)
        try:
            import pandas
        except ImportError:
            with self.assertRaises(ImportError):
                c.frame()
            print("SKIP a frame: there is no pandas")
            return
        frame = c.frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame.loc["page-faults:u", "value"], c["page-faults:u"])
        self.assertEqual(frame.loc["page-faults:u", "quality"], c.readings["page-faults:u"].quality.name.lower())


def count_faults(pages):
    """What a worker of a pool sends back."""
    with perfctr.count("page-faults:u") as c:
        fault(pages)
    return c.readings, perfctr.region("pooled")


class Copies(Case):
    """Who owns a handle has no copies; results may go anywhere."""

    def test_owners(self):
        opened = perfctr.Set("page-faults:u")
        owners = [
            opened,
            opened.reader(0),
            perfctr.count("page-faults:u"),
            perfctr.Metrics("ipc", processor="skylake"),
            perfctr.Sampler("page-faults:u", period=1),
        ]
        self.addCleanup(lambda: [owner.close() for owner in owners if hasattr(owner, "close")])

        @dataclasses.dataclass
        class Holder:
            held: object

        for owner in owners:
            words = "a %s can't be copied, pickled or sent" % type(owner).__name__
            for call in (copy.copy, copy.deepcopy, pickle.dumps):
                self.fails(errno.EINVAL, words, call, owner)
                self.fails(errno.EINVAL, words, copy.deepcopy, [owner])
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                self.fails(errno.EINVAL, words, pickle.dumps, owner, protocol)
            self.fails(errno.EINVAL, words, dataclasses.asdict, Holder(owner))
            spawned = multiprocessing.get_context("spawn").Process(target=print, args=(owner,))
            self.fails(errno.EINVAL, words, spawned.start)
        opened.read()

    def test_results(self):
        with perfctr.count("page-faults:u", "task-clock", "page-faults:u") as c:
            fault(10)
        for again in (copy.copy(c.readings), copy.deepcopy(c.readings), pickle.loads(pickle.dumps(c.readings))):
            self.assertEqual(dict(again), dict(c.readings))
            self.assertEqual(list(again), ["page-faults:u", "task-clock", "page-faults:u#2"])
        target = perfctr.thread(1)
        self.assertEqual(pickle.loads(pickle.dumps(target)), target)
        for method in multiprocessing.get_all_start_methods():
            with multiprocessing.get_context(method).Pool(1) as pool:
                ((readings, region),) = pool.map(count_faults, [20])
            self.assertGreaterEqual(readings["page-faults:u"].value, 20, method)
            self.assertEqual(region.name, "pooled")

    def test_named_twice(self):
        with perfctr.Set("{page-faults:u,task-clock}", "{page-faults:u,cs:u}", "page-faults:u") as counters:
            names = ("page-faults:u", "task-clock", "page-faults:u#2", "cs:u", "page-faults:u#3")
            self.assertEqual(counters.names, names)
            readings = counters.read()
        self.assertEqual(len(readings.dict()), 5)
        self.assertEqual(len(dict(readings)), 5)

    def test_region(self):
        region = perfctr.region("copied")
        for again in (copy.copy(region), copy.deepcopy(region), pickle.loads(pickle.dumps(region))):
            self.assertEqual(again.name, "copied")
            with region, again:
                pass
            self.fails(errno.EINVAL, "not in region", again.__exit__, None, None, None)


class Sets(Case):
    def test_calls(self):
        with perfctr.Set("page-faults:u", "task-clock") as counters:
            self.assertEqual(counters.names, ("page-faults:u", "task-clock"))
            self.assertEqual(counters.event(1).unit, "msec")
            self.assertEqual(counters.parts()[0], perfctr.Part(0, -1, ""))
            counters.disable()
            counters.reset()
            fault(10)
            self.assertEqual(counters.read()["page-faults:u"].value, 0)
            counters.enable()
            fault(10)
            self.assertGreaterEqual(counters.read_part(0)["page-faults:u"].value, 10)
            counters.check()
            self.fails(errno.EINVAL, "", counters.event, 2)
            self.fails(errno.EINVAL, "", counters.read_part, 1)
            self.fails(errno.ESRCH, "", counters.read_thread, 1)
            readings = counters.read()
        self.assertGreaterEqual(readings["page-faults:u"].value, 10)
        for call in ("read", "enable", "disable", "reset", "check", "parts"):
            self.fails(errno.EINVAL, "was closed", getattr(counters, call))
        self.fails(errno.EINVAL, "was closed", counters.event, 0)
        self.fails(errno.EINVAL, "was closed", counters.reader, 0)
        for call in (counters.read_part, counters.read_thread):
            self.fails(errno.EINVAL, "was closed", call, 0)
        counters.close()

    def test_reader(self):
        counters = perfctr.Set("page-faults:u")
        reader = counters.reader(0)
        self.assertFalse(reader.is_inline)  # the kernel's own events are in no register
        before = reader.read()
        fault(50)
        self.assertIn(reader.read() - before, range(50, 100 + OWN_FAULTS))
        self.fails(errno.EINVAL, "", counters.reader, 1)
        in_thread(reader.read)
        self.in_child(lambda: self.fails(errno.ESRCH, "parent process", reader.read))
        counters.close()
        self.fails(errno.EINVAL, "was closed", reader.read)

    def test_reader_after_reset(self):
        """As where the hardware allows inline reads: the C reader changes with each reset."""
        filled = []

        def fill(_set, _i, at):
            filled.append(1)
            at._obj.base = 1000 * len(filled)
            return 0

        def read(at, value):
            value._obj.value = at._obj.base
            return 1

        with mock.patch.object(_c.lib, "perfctr_set_reader", fill):
            with mock.patch.object(_c.lib, "perfctr_reader_read", read):
                with perfctr.Set("page-faults:u") as counters:
                    reader = counters.reader(0)
                    self.assertEqual((reader.read(), reader.read()), (1000, 1000))
                    counters.reset()
                    self.assertEqual((reader.read(), reader.read()), (2000, 2000))

    def test_targets(self):
        with perfctr.Set("page-faults:u", target=perfctr.process(), inherit=True) as counters:
            before = counters.read()["page-faults:u"].value
            in_thread(lambda: fault(100))
            self.assertGreaterEqual(counters.read()["page-faults:u"].value - before, 100)
            counters.read_thread(threading.get_native_id())
        self.fails(errno.ENODEV, "", perfctr.Set, "task-clock", target=perfctr.processor(8191))
        self.fails(errno.ENOENT, "", perfctr.Set, "task-clock", target=perfctr.cgroup("/no/such"))
        with perfctr.Set("task-clock", target=perfctr.thread(threading.get_native_id())):
            pass
        try:
            with perfctr.Set("task-clock", target=perfctr.every_processor()) as counters:
                self.assertEqual(len(counters.parts()), os.sysconf("SC_NPROCESSORS_ONLN"))
            with perfctr.Set("task-clock", target=perfctr.processor(0)) as counters:
                self.assertEqual(counters.parts()[0].processor, 0)
            perfctr.Set("task-clock", target=perfctr.thread_on_processor(0, 0)).close()
        except perfctr.Error as error:
            print("SKIP processors: %s" % error)

    def test_other_thread_and_child(self):
        counters = perfctr.Set("page-faults:u")
        before = counters.read()["page-faults:u"].value
        in_thread(lambda: fault(2000))
        self.assertLess(counters.read()["page-faults:u"].value - before, 1000)
        in_thread(counters.read)

        def child():
            for call in ("read", "enable", "disable", "reset", "check", "parts"):
                self.fails(errno.ESRCH, "parent process", getattr(counters, call))
            for call in ("event", "reader", "read_part", "read_thread"):
                self.fails(errno.ESRCH, "parent process", getattr(counters, call), 0)
            counters.close()
            self.fails(errno.EINVAL, "was closed", counters.read)
            with perfctr.count("page-faults:u") as c:
                fault(10)
            self.assertGreaterEqual(c["page-faults:u"], 10)

        self.in_child(child)
        self.in_child(lambda: self.fails(errno.ESRCH, "", counters.read))
        counters.read()
        in_thread(counters.close)
        self.fails(errno.EINVAL, "was closed", counters.read)

    def test_end_of_the_interpreter(self):
        program = """if True:
            import perfctr, threading, weakref
            counters = perfctr.Set("page-faults:u")
            sampler = perfctr.Sampler("page-faults:u", period=1)
            metrics = perfctr.Metrics("ipc", processor="skylake")
            class Late:
                def __del__(self):
                    try:
                        counters.read()
                    except perfctr.Error as error:
                        print("late:", error)
                    except AttributeError:
                        pass
            counters.late = Late()
            counters.itself = counters
            perfctr.region("r").__enter__()
        """
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)


class Misused(Case):
    """Objects that were not made, or made twice, and arguments of other types."""

    def test_not_made(self):
        class Forgetful(perfctr.Set):
            def __init__(self):
                pass

        words = "was never opened: its class must call super().__init__()"
        for made in (Forgetful(), perfctr.Set.__new__(perfctr.Set)):
            for call in ("read", "enable", "disable", "reset", "check", "parts"):
                self.fails(errno.EINVAL, words, getattr(made, call))
            self.fails(errno.EINVAL, words, made.reader, 0)
            self.assertEqual(made.names, ())
            made.close()
        self.fails(errno.EINVAL, words, perfctr.Sampler.__new__(perfctr.Sampler).next)
        self.fails(errno.EINVAL, words, len, perfctr.Metrics.__new__(perfctr.Metrics))

    def test_made_twice(self):
        """A reader would read the page of the first one, which is no longer there."""
        with perfctr.Set("page-faults:u", "task-clock") as made:
            reader, descriptors = made.reader(1), os.listdir("/proc/self/fd")
            self.fails(errno.EINVAL, "of a Set that is made already", made.__init__, "cs:u")
            self.assertEqual(os.listdir("/proc/self/fd"), descriptors)
            self.assertEqual(made.names, ("page-faults:u", "task-clock"))
            self.assertGreater(reader.read(), 0)
        self.fails(errno.EINVAL, "of a Set that is made already", made.__init__, "cs:u")

    def test_used_twice(self):
        counting = perfctr.count("page-faults:u")
        with counting:
            pass
        self.fails(errno.EINVAL, "was closed", counting.__enter__)
        within = perfctr.count("page-faults:u")
        with self.assertRaisesRegex(perfctr.Error, "was closed"):
            with within:
                within.set.close()

    def test_types(self):
        for target in (threading.current_thread(), (0, 0), 5, ""):
            with self.assertRaisesRegex(TypeError, "a target is made by thread"):
                perfctr.Set("page-faults:u", target=target)
            with self.assertRaisesRegex(TypeError, "a target is made by thread"):
                perfctr.Sampler("page-faults:u", period=1, target=target)
        for name in (None, b"x", 5):
            with self.assertRaisesRegex(TypeError, "a name is a str"):
                perfctr.Region(name)
        with perfctr.Metrics("ipc", processor="skylake") as metrics:
            with self.assertRaisesRegex(TypeError, "readings are of Set.read"):
                metrics.value(0, None)

    def test_given_to_a_process(self):
        """Under fork nothing is pickled, and the child has its parent's object."""
        with perfctr.Set("page-faults:u") as opened:
            child = multiprocessing.get_context("fork").Process(target=expect_a_parents, args=(opened,))
            child.start()
            child.join()
            self.assertEqual(child.exitcode, 0)
            for method in ("spawn", "forkserver"):
                child = multiprocessing.get_context(method).Process(target=expect_a_parents, args=(opened,))
                self.fails(errno.EINVAL, "a Set can't be copied, pickled or sent", child.start)


def expect_a_parents(opened):
    """In a process of multiprocessing: it ends with 0 if each call is refused."""
    for call in (opened.read, opened.reset, lambda: opened.reader(0)):
        try:
            call()
        except perfctr.Error as error:
            assert error.errno == errno.ESRCH, error
        else:
            raise AssertionError("a parent's set works")
    opened.close()


class Numbers(Case):
    """What C's types can't hold is refused, and not taken modulo their size."""

    def out(self, range, call, *arguments, **named):
        self.fails(errno.EINVAL, "out of range: give one from " + range, call, *arguments, **named)

    INT = "-2147483648 to 2147483647"
    UNSIGNED = "0 to 4294967295"
    LONG = "0 to 18446744073709551615"

    def test_targets(self):
        for target in (
            perfctr.thread((1 << 32) + 1),
            perfctr.thread(-(1 << 32)),
            perfctr.process(1 << 31),
            perfctr.processor((1 << 32) - 1),
            perfctr.thread_on_processor(0, 1 << 32),
            perfctr.thread_on_processor(1 << 5000, 0),
        ):
            self.out(self.INT, perfctr.Set, "page-faults:u", target=target)
            self.out(self.INT, perfctr.Sampler, "page-faults:u", target=target, period=1)
        self.out(self.UNSIGNED, perfctr.count, "page-faults:u", target=perfctr.Target(1 << 32))
        self.fails(errno.ESRCH, "", perfctr.Set, "page-faults:u", target=perfctr.thread((1 << 31) - 1))

    def test_sets(self):
        with perfctr.Set("page-faults:u") as counters:
            for call in (counters.event, counters.reader, counters.read_part):
                self.out(self.UNSIGNED, call, 1 << 32)
                self.out(self.UNSIGNED, call, -1)
                self.fails(errno.EINVAL, "has", call, (1 << 32) - 1)
            self.out(self.INT, counters.read_thread, 1 << 32)
            self.out(self.INT, counters.read_thread, -(1 << 31) - 1)
            with self.assertRaises(TypeError):
                counters.event("0")

    def test_metrics(self):
        with perfctr.Metrics("ipc", processor="skylake") as metrics:
            with perfctr.count("page-faults:u", "task-clock") as c:
                pass
            self.out(self.UNSIGNED, metrics.metric, 1 << 32)
            self.out(self.UNSIGNED, metrics.value, 1 << 32, c.readings)
            self.out(self.UNSIGNED, metrics.value, -1, c.readings)

    def test_samplers(self):
        for name in ("period", "frequency"):
            self.out(self.LONG, perfctr.Sampler, "page-faults:u", **{name: (1 << 64) + 1})
            self.out(self.LONG, perfctr.Sampler, "page-faults:u", **{name: -1})
        for name in ("precise", "max_chain", "pages", "wakeup_samples", "wakeup_bytes"):
            for number in (1 << 32, -1):
                numbers = {"period": 1, name: number}
                self.out(self.UNSIGNED, perfctr.Sampler, "page-faults:u", **numbers)
        with perfctr.Sampler("page-faults:u", period=1) as sampler:
            self.out(self.LONG, sampler.set_period, (1 << 64) + 1)
            self.out(self.LONG, sampler.set_period, -1)
            self.out(self.UNSIGNED, sampler.refresh, (1 << 32) + 1)
            self.out(self.UNSIGNED, sampler.count, 1 << 32)

    def test_others(self):
        self.out(self.LONG, perfctr.data_src_text, 1 << 64)
        self.out(self.LONG, perfctr.data_src_text, -1)
        self.out(self.LONG, perfctr.regions.add_bytes, 1 << 64)
        self.out(self.LONG, perfctr.regions.add_bytes, -1)

    def test_every_function(self):
        for name in [name for name in vars(_c.lib) if name.startswith("perfctr_")]:
            function = getattr(_c.lib, name)
            if hasattr(function, "argtypes"):
                for c_type in function.argtypes:
                    self.assertNotIn(c_type, _c._INTEGERS, name)
        self.assertTrue(issubclass(_c.Target, _c.Given) and issubclass(_c.SamplerConfig, _c.Given))


class Names(Case):
    def test_calls(self):
        perfctr.check_event("page-faults:u")
        self.fails(errno.EINVAL, "did you mean page-faults", perfctr.check_event, "page-fautls")
        self.assertIn("page-faults", [event.name for event in perfctr.events("software")])
        self.assertGreater(len(perfctr.events()), len(perfctr.events("software")))
        self.fails(errno.EINVAL, "", perfctr.events, "no-such-kind")
        self.assertIn("skylake", [processor.name for processor in perfctr.processors()])
        self.assertGreater(len(perfctr.processor_events("skylake")), 50)
        self.fails(errno.ENOENT, "no-such", perfctr.processor_events, "no-such")
        resolved = perfctr.resolve("{page-faults,task-clock}")
        self.assertEqual([event.name for event in resolved], ["page-faults", "task-clock"])
        self.assertEqual(resolved[0].item, resolved[1].item)
        self.fails(errno.EINVAL, "", perfctr.resolve, "page-fautls")
        self.assertTrue(perfctr.resolve("nonsense/event=1/", partial=True)[0].reason)

        class Stop(Exception):
            pass

        def stop(_):
            raise Stop

        with self.assertRaises(Stop):
            _c.each(_c.EachName, lambda c: _c.lib.perfctr_cpu_list(c, None), stop)

    def test_machine(self):
        findings = perfctr.doctor()
        self.assertGreater(len(findings), 2)
        self.assertTrue(all(finding.name for finding in findings))
        self.assertTrue(perfctr.native_processor()[1])
        self.assertIn(perfctr.provider(), ("perf", "driver"))


class Metrics(Case):
    def test_calls(self):
        with perfctr.Metrics("ipc", processor="skylake") as metrics:
            self.assertEqual((len(metrics), metrics.metric(0).name), (1, "ipc"))
            self.assertIn("instructions", metrics.events)
            with perfctr.count("page-faults:u", "task-clock") as c:
                fault(10)
            # They have nothing that belongs to a process.
            self.in_child(lambda: self.assertEqual(metrics.values(c.readings)["ipc"].reason, ""))
            value = metrics.values(c.readings)["ipc"]
            self.assertTrue(0 < value.value < 1 and value.beyond and not value.reason)
            self.assertEqual(value.quality, perfctr.Quality.ESTIMATE)
            with perfctr.count("page-faults:u") as few:
                pass
            self.fails(errno.EINVAL, "another number", metrics.value, 0, few.readings)
            self.fails(errno.EINVAL, "", metrics.value, 1, c.readings)
            self.fails(errno.EINVAL, "", metrics.metric, 1)
            with perfctr.count("page-faults:u", "nonsense/event=1/", partial=True) as none:
                pass
            value = metrics.value(0, none.readings)
            self.assertTrue(math.isnan(value.value) and value.reason)
        self.fails(errno.EINVAL, "was closed", metrics.metric, 0)
        self.fails(errno.EINVAL, "was closed", metrics.value, 0, c.readings)
        self.fails(errno.EINVAL, "was closed", len, metrics)
        self.fails(errno.EINVAL, "was closed", metrics.values, c.readings)
        self.fails(errno.EINVAL, "no-such", perfctr.Metrics, "no-such", processor="skylake")
        self.fails(errno.ENOENT, "no-such", perfctr.Metrics, "ipc", processor="no-such")
        self.assertIn("ipc", [metric.name for metric in perfctr.metrics("skylake")])
        self.fails(errno.ENOENT, "no-such", perfctr.metrics, "no-such")


class Sampling(Case):
    def test_calls(self):
        fields = ("ip", "tid", "time", "addr", "period", "callchain")
        with perfctr.Sampler("page-faults:u", period=1, fields=fields, comm=True) as sampler:
            fault(50)
            sampler.disable()
            select.select([sampler], [], [], 0)
            records = [record for record in sampler if record.type == "SAMPLE"]
            self.assertGreaterEqual(len(records), 50)
            record = records[-1]
            self.assertEqual((record.pid, record.tid), (os.getpid(), threading.get_native_id()))
            self.assertTrue(record.ip and record.addr and record.time and record.period == 1)
            self.assertTrue(record.chain and isinstance(record.bytes, bytes) and record.bytes)
            self.assertIsNone(sampler.next())
            self.assertEqual(sampler.lost(), 0)
            self.assertEqual(sampler.count(), len(records))
            self.fails(errno.EINVAL, "no event 1", sampler.count, 1)
            sampler.enable()
            sampler.set_period(10)
            sampler.disable()
            sampler.refresh(1)
            sampler.check()

            def child():
                for call in ("next", "fileno", "enable", "disable", "lost", "count", "check"):
                    self.fails(errno.ESRCH, "parent process", getattr(sampler, call))
                for call in (sampler.refresh, sampler.set_period):
                    self.fails(errno.ESRCH, "parent process", call, 1)

            self.in_child(child)
        for call in ("next", "fileno", "enable", "disable", "lost", "count", "check"):
            self.fails(errno.EINVAL, "was closed", getattr(sampler, call))
        self.fails(errno.EINVAL, "was closed", sampler.refresh, 1)
        self.fails(errno.EINVAL, "was closed", sampler.set_period, 1)
        self.fails(errno.EINVAL, "was closed", list, sampler)
        self.fails(errno.EINVAL, "", perfctr.Sampler, "page-faults:u")
        self.fails(errno.EINVAL, "no field", perfctr.Sampler, "page-faults:u", fields=("no",))
        self.assertEqual(perfctr.data_src_text(0), "nothing")

    def test_records_of_threads(self):
        with perfctr.Sampler(
            "page-faults:u", target=perfctr.process(), period=1, task=True, comm=True, mmap=True
        ) as sampler:
            in_thread(lambda: fault(10))
            program = "import mmap; mmap.mmap(-1, 4096)"
            subprocess.run([sys.executable, "-c", program], check=True)
            sampler.disable()
            types = {record.type for record in sampler}
        self.assertLessEqual({"SAMPLE", "FORK", "EXIT"}, types)


class Regions(Case):
    def setUp(self):
        perfctr.regions.start("page-faults:u", moments=True)
        self.addCleanup(perfctr.regions.stop)

    def test_calls(self):
        region = perfctr.region("calls")
        self.fails(errno.ENOENT, "", region.read)
        with region:
            perfctr.regions.add_bytes(20)
            perfctr.regions.add_communication(30)
            fault(50)

        @region
        def work(pages, twice=False):
            """Works."""
            fault(pages * (1 + twice))
            return pages

        self.assertEqual((work(10), work(5, twice=True)), (10, 5))
        self.assertEqual((work.__name__, work.__doc__), ("work", "Works."))
        in_thread(lambda: work(1))
        reading = region.read()
        self.assertEqual((reading.visits, len(reading.values)), (3, 2))
        self.assertEqual((reading.bytes_inclusive, reading.bytes_exclusive), (20, 20))
        self.assertEqual((reading.communication_inclusive, reading.communication_exclusive), (30, 30))
        self.assertEqual(region.read_all().visits, 4)
        faults = reading.values[1]
        self.assertIn(faults.inclusive, range(70, 100 + OWN_FAULTS))
        self.assertTrue(faults.maximum >= 50 > faults.minimum - OWN_FAULTS)
        with self.assertRaises(ZeroDivisionError):
            with region:
                1 / 0
        self.assertEqual(region.read().visits, 4)
        region.reset()
        self.assertEqual(region.read().visits, 0)
        perfctr.regions.open_thread()
        self.fails(errno.EINVAL, "", perfctr.region, "")
        self.fails(errno.EALREADY, "", perfctr.regions.start)

    def test_methods(self):
        region = perfctr.region("methods")

        class Named:
            @region
            def of_object(self):
                return 1

            @region
            @staticmethod
            def above_static():
                return 2

            @staticmethod
            @region
            def below_static():
                return 3

            @region
            @classmethod
            def of_class(cls):
                return cls

        named = Named()
        found = named.of_object(), named.above_static(), named.below_static(), named.of_class()
        self.assertEqual((found, Named.above_static()), ((1, 2, 3, Named), 2))
        self.assertEqual(region.read().visits, 5)
        self.fails(errno.EINVAL, "of type property can't be called", region, property(len))
        self.fails(errno.EINVAL, "of type int can't be called", region, 5)

    def test_nested(self):
        outer, inner = perfctr.region("outer"), perfctr.region("inner")
        with outer, outer:
            with inner:
                fault(20)
        self.assertEqual((outer.read().visits, inner.read().visits), (2, 1))

    def test_report(self):
        with perfctr.region("reported"):
            pass
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "report")
            perfctr.regions.report(file, format="json")
            with open(file, encoding="utf-8") as contents:
                self.assertIn("reported", contents.read())
            missing = os.path.join(directory, "no", "file")
            self.fails(errno.ENOENT, "", perfctr.regions.report, missing)
        self.fails(errno.EINVAL, "no format", perfctr.regions.report, format="xml")

    def test_suspended(self):
        region = perfctr.region("suspended")

        async def suspends():
            with region:
                await asyncio.sleep(0)

        async def does_not():
            with region:
                fault(1)
            await asyncio.sleep(0)

        async def raises():
            with region:
                await asyncio.sleep(0)
                raise ZeroDivisionError

        def generator():
            with region:
                yield 1

        async def asynchronous():
            with region:
                yield 1

        async def drives():
            async for _ in asynchronous():
                pass

        self.fails(errno.EINVAL, "suspended inside of region", asyncio.run, suspends())
        asyncio.run(does_not())
        with self.assertRaises(ZeroDivisionError):
            asyncio.run(raises())
        self.fails(errno.EINVAL, "suspended inside of region", list, generator())
        self.fails(errno.EINVAL, "suspended inside of region", asyncio.run, drives())
        for function in (suspends, generator, asynchronous):
            called = type("Called", (), {"__call__": function})
            cached = type("Cached", (), {"__call__": functools.lru_cache(function)})
            for wrapped in (
                function,
                functools.partial(function),
                functools.partial(functools.partial(function, 1), 2),
                functools.partial(functools.lru_cache(function)),
                types.MethodType(function, self),
                called(),
                functools.partial(called()),
                cached(),
            ):
                self.fails(errno.EINVAL, "may suspend inside of region", region, wrapped)
        for function in (len, int, functools.partial(fault, 1), mock.Mock(), self.id):
            self.assertTrue(callable(region(function)))
        # Where there is no loop, nothing tells whether it suspends.
        self.fails(errno.EINVAL, "suspended inside of region", does_not().send, None)

    def test_halves_of_a_with_statement(self):
        region = perfctr.region("halves")

        @contextlib.contextmanager
        def managed():
            with region:
                yield

        @contextlib.contextmanager
        def twice():
            with managed():
                yield

        with managed(), twice():
            fault(1)
        with contextlib.ExitStack() as stack:
            stack.enter_context(region)
            stack.enter_context(managed())
        self.assertEqual(region.read().visits, 4)

        @managed()
        def decorated():
            fault(1)

        decorated()
        self.assertEqual(region.read().visits, 5)

        def fixture():
            with region:
                yield

        # As pytest runs a fixture: in two halves, by a function of its module.
        made = types.ModuleType("_pytest.fixtures")
        exec("def call(g): return next(g, None)", vars(made))
        half = fixture()
        made.call(half)
        made.call(half)
        self.assertEqual(region.read().visits, 6)

        async def suspends():
            with managed():
                await asyncio.sleep(0)

        async def does_not():
            with managed():
                fault(1)

        self.fails(errno.EINVAL, "suspended inside of region", asyncio.run, suspends())
        asyncio.run(does_not())

        def generator():
            with managed():
                yield 1

        self.fails(errno.EINVAL, "suspended inside of region", list, generator())

    def test_other_thread_and_child(self):
        region = perfctr.region("threads")
        with region:
            self.fails(errno.EINVAL, "not in region", in_thread, lambda: region.__exit__(None, None, None))
        self.fails(errno.EINVAL, "not in region", region.__exit__, None, None, None)

        def child():
            with region:
                pass
            self.fails(errno.EINVAL, "", region.read)
            self.fails(errno.EINVAL, "", perfctr.regions.stop)

        self.in_child(child)

    def faults_of_empty(self, name):
        with perfctr.region(name):
            pass
        return perfctr.region(name).read().values[1]

    def test_calibrated(self):
        # Only what is calibrated is sure to count no page faults of the interpreter's.
        exact = self.faults_of_empty("calibrated")
        self.assertEqual((exact.inclusive, exact.quality, exact.error), (0, perfctr.Quality.EXACT, 0))
        perfctr.regions.stop()
        perfctr.regions.start("page-faults:u")
        self.assertEqual(self.faults_of_empty("calibrated").quality, perfctr.Quality.EXACT)
        # Both ways, in another thread, nested.
        decorated = perfctr.region("decorated")
        in_thread(decorated(decorated(lambda: None)))
        found = decorated.read_all()
        self.assertEqual((found.visits, found.values[1].quality), (2, perfctr.Quality.EXACT))
        perfctr.regions.stop()
        # Started by others than this package.
        _c.check(_c.lib.perfctr_regions_start_metrics(b"page-faults:u", b"", 0))
        value = self.faults_of_empty("unknown")
        self.assertEqual((value.quality, value.error), (perfctr.Quality.ESTIMATE, 40004))

    def test_calibrated_child(self):
        program = textwrap.dedent("""
            import os
            import perfctr
            def check():
                with perfctr.region("empty"):
                    pass
                value = perfctr.region("empty").read().values[1]
                # A fork() has the parent and the child fault where they write.
                assert (value.quality, value.error) == (perfctr.Quality.EXACT, 0), value
            check()
            child = os.fork()
            check()
            if child:
                assert os.waitpid(child, 0)[1] == 0
        """)
        where = dict(os.environ, PERFCTR_REGIONS="page-faults:u", PERFCTR_REGIONS_OUTPUT="/dev/null")
        subprocess.run([sys.executable, "-c", program], check=True, env=where)

    def test_measured_twice(self):
        perfctr.regions.stop()
        self.fails(errno.EINVAL, "", perfctr.regions.stop)
        with perfctr.regions.measure("page-faults:u"):
            with perfctr.region("again"):
                pass
        self.fails(errno.EINVAL, "page-fautls", perfctr.regions.start, "page-fautls")
        perfctr.regions.start()


class Errors(Case):
    def test_error(self):
        error = perfctr.Error(errno.EBUSY, "a sentence")
        self.assertEqual((str(error), error.errno, error.sentence), ("a sentence", errno.EBUSY, "a sentence"))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.errno), ("a sentence", errno.EBUSY))

    def test_every_name_is_there(self):
        for name in perfctr.__all__:
            self.assertTrue(hasattr(perfctr, name), name)


if __name__ == "__main__":
    unittest.main()
