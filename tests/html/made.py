# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents as perfex --json writes them, made up: what a machine without a PMU does not show, and more than one machine has."""
import json
import random

HOSTILE = "</script><img src=x onerror=console.error('run')>&lt;\u2028\u2029\u202etxt\u2066\u200b\ufeff\x1b[2J<!--"
SHOWN = HOSTILE
for letter in "\u2028\u2029\u202e\u2066\u200b\ufeff\x1b":
    SHOWN = SHOWN.replace(letter, "\u27e8U+%04X\u27e9" % ord(letter))

ORIGIN = {"time": "2026-01-02T03:04:05Z", "host": "h", "perfex": "3.0.0", "kernel": "6.1.0", "machine": "x86_64",
          "processor": "Intel Skylake"}


def event(name, value, quality="exact", unit="", scale=1, running=1000, reason=None):
    none = value is None
    return {"event": name, "value": value, "estimate": value, "scaled": None if none else value * scale, "unit": unit,
            "quality": quality, "enabled_ns": 1000, "running_ns": 0 if none else running, "reason": reason}


def metric(name, value, unit="%", quality="exact", **more):
    return {"metric": name, "value": value, "unit": unit, "quality": quality, "reason": None if value is not None else "none",
            **more}


def below(parent, level=2):
    return {"level": level, "parent": parent}


# Loads and stores overlap: together they are twice as much as what they are parts of. Noise makes shares negative.
TREE = [
    metric("topdown-frontend", 20.5, threshold="topdown-frontend > 15", beyond=True, level=1),
    metric("topdown-bad-speculation", 9.5, level=1), metric("topdown-backend", 40, quality="scaled", error=1.25, level=1),
    metric("topdown-retiring", 30, level=1), metric("topdown-fetch-latency", 15, **below("topdown-frontend")),
    metric("topdown-fetch-bandwidth", 5.5, **below("topdown-frontend")),
    metric("topdown-memory", 25, quality="scaled", sample="LOADS STORES", **below("topdown-backend")),
    metric("topdown-core", 15, quality="scaled", **below("topdown-backend")),
    metric("tma_leaf", 20, **below("topdown-memory", 3)), metric("ipc", 0.75, unit="", threshold="ipc < 1", beyond=True),
    metric("loads", 15, **below("tma_leaf", 4)), metric("stores", 25, **below("tma_leaf", 4)),
    metric("topdown-alone", 7), metric("noise", -0.5, level=1), metric("noise-part", -0.25, **below("noise")),
]

# Their names differ after nine letters, and where a line has no room for them.
UNITS = ["uncore_imc_0", "uncore_imc_1", "uncore_imc_free_running_0", "uncore_imc_free_running_1"]


def counts(**more):
    return {"type": "counts", "command": ["prog", "-x"], "runs": 1, "failed_runs": 0, "events": [
        event("cycles", 123456789), event("task-clock", 1500000, unit="msec", scale=1e-6),
        event("branch-misses", 4321, "scaled", running=250), event("slots", None, "not counted", reason="no such event here")],
        "origin": ORIGIN, "elapsed_s": 1.5, "user_s": 1.25, "sys_s": 0.125, "exit_status": 0, **more}


def intervals():
    def one(i):
        return {"type": "interval", "time_s": (i + 1) / 10, "events": [
            event("cycles", (i * 37 % 11) * 1000, "exact" if i % 3 else "scaled"),
            event("slots", None if 4 <= i < 8 else i * 7, "not counted" if 4 <= i < 8 else "exact", reason="taken")],
            "metrics": [metric("ipc", None if i == 2 else 0.5 + i / 16, "")],
            "by_cpu": [{"cpu": cpu, "events": [event("cycles", None if (cpu, i) == (1, 3) else 100 * cpu + i,
                                                     "scaled" if cpu == 2 else "exact")],
                        "metrics": [metric("ipc", cpu + i / 32, "")]} for cpu in range(3)],
            "by_unit": [{"pmu": unit, "events": [event("reads", i)]} for unit in UNITS]}
    return [one(i) for i in range(20)]


def runs():
    values = [100, 104, 98, 101, 350, 99, None, 102, 103, 97]
    taken = sorted(value for i, value in enumerate(values) if value and i != 4)
    mean = sum(taken) / len(taken)
    spread = {"mean": mean, "deviation": (sum((v - mean) ** 2 for v in taken) / len(taken)) ** 0.5, "minimum": taken[0],
              "median": taken[len(taken) // 2], "maximum": taken[-1]}
    series = [{"elapsed_s": 0.5 + i / 100, "exit_status": 0} for i in range(10)]
    series[4]["left_out"] = True
    return counts(runs=10, failed_runs=1, left_out_runs=1, series=series,
                  elapsed={"mean": 0.545, "deviation": 0.03, "minimum": 0.5, "median": 0.55, "maximum": 0.59},
                  events=[{**event("page-faults", 101), **spread, "runs": 8, "values": values}],
                  comparison={"before": "old.json", "now": "this command", "alpha": 0.05, "threshold_percent": 0,
                              "compared": 2, "differing": 1, "events": [
                                  {"event": "page-faults", "before": {"mean": 200, "deviation": 5, "runs": 10},
                                   "now": {"mean": mean, "deviation": spread["deviation"], "runs": 8},
                                   "unit": "msec", "change_percent": (mean / 200 - 1) * 100, "change_low": -51.5, "change_high": -48,
                                   "p": 0.001, "differs": True, "verdict": "differs", "runs_needed": None},
                                  {"event": "cs", "before": {"mean": 10, "deviation": 2, "runs": 3},
                                   "now": {"mean": 10.5, "deviation": 3, "runs": 5}, "change_percent": 5, "p": 0.8, "unit": "",
                                   "change_low": -36.0, "change_high": 46.0, "differs": False,
                                   "verdict": "no difference shown", "runs_needed": 421},
                                  {"event": "cycles", "before": {"mean": None, "deviation": None, "runs": 0},
                                   "now": {"mean": 4, "deviation": 0, "runs": 8}, "change_percent": None, "p": None, "unit": "",
                                   "change_low": None, "change_high": None, "differs": False,
                                   "verdict": "not counted before", "runs_needed": None}]})


def parts():
    return counts(by_cpu=[{"cpu": i, "events": [event("cycles", i * 100, "exact" if i else "scaled")],
                           "metrics": [metric("ipc", i / 4, "")]} for i in range(4)],
                  threads=[{"tid": 7, "comm": "one", "events": [event("cycles", 5)]}])


def samples(second=False, events=0):
    stacks = [("prog", ["main", "read_all", "parse"], 40), ("prog", ["main", "read_all", "parse", "parse"], 10),
              ("prog", ["main", "write_all"], 100 if second else 30), ("prog", ["main"], 5), ("sh", ["[libc.so.6]"], 15)]
    names = sorted({name for _, calls, _ in stacks for name in calls})
    return {"type": "samples", "command": ["prog"], "event": "cycles:u", "period": 1000, "lost": 0,
            "samples": sum(n for _, _, n in stacks), "doubts": ["5 records were lost"] if second else [], "functions": names,
            "stacks": [{"comm": comm, "samples": n, **({"events": n * events} if events else {}),
                        "calls": [names.index(name) for name in calls]} for comm, calls, n in stacks],
            "origin": ORIGIN, "elapsed_s": 1, "exit_status": 0}


def region(name, tid, n, scale=1):
    buckets = {} if tid else {"buckets": [[500, 511, n - 5], [896, 900, 3], [1792, 2000, 1], [81920, 90000, 1]]}
    one = {"region": name, "visits": n, "unfinished": 0, "uncounted": 0, "values": [
        {"value": "time", "unit": "ns", "inclusive": n * 1000 * scale, "exclusive": n * 900, "mean": 1000.0 * scale,
         "minimum": 500, "maximum": 90000, "deviation": 12.5, "p50": 900, "p90": 2000, "p99": 30000, "quality": "estimate",
         "error": 17, **buckets},
        {"value": "instructions", "unit": "", "inclusive": n * 5000 * scale, "exclusive": n * 4000, "quality": "exact"}]}
    if tid:
        one["tid"] = tid
    return one


def regions(rank, names=("solve", "read", "write"), threads=3):
    rows = []
    for i, name in enumerate(names):
        rows.append(region(name, 0, (i + 1) * 10, 1 + rank))
        rows += [region(name, 100 + rank * 1000 + t, (i + 1) * 10, 1 + (t * i % 7)) for t in range(threads)]
    return {"type": "regions", "host": "node", "pid": 4000 + rank, "rank": rank, "regions": rows, "subtracted": [],
            "through_kernel": False, "ends_without_begin": rank, "threads_left_out": 0, "threads_stale": 0, "visits_without_region": 0, "children_left_out": 0,
            "not_counted": [{"name": "ipc", "reason": "no PMU"}]}


def hostile():
    one = counts(command=[HOSTILE, HOSTILE], threads=[{"tid": 1, "comm": HOSTILE, "events": [event(HOSTILE, 1)]}],
                 metrics=[metric(HOSTILE, 1, HOSTILE, threshold=HOSTILE, beyond=True)])
    one["events"] = [event(HOSTILE, None, "not counted", reason=HOSTILE)]
    one["origin"] = {name: HOSTILE for name in ORIGIN}
    tick = {"type": "interval", "time_s": 0.5, "events": [event(HOSTILE, 3, unit=HOSTILE)]}
    two = samples()
    two["functions"] = [HOSTILE + str(i) for i in range(len(two["functions"]))]
    two["stacks"][0]["comm"] = two["event"] = HOSTILE
    two["doubts"] = [HOSTILE]
    three = regions(0, [HOSTILE, "__proto__", "constructor"])
    three["host"], three["rank"] = HOSTILE, None
    return [tick, one, two, three]


def many_samples(n=100000):
    """Chains of calls as a large program has them: a call goes to some functions often, and to others at times."""
    chance = random.Random(1)
    names = ["function_%d_of_a_program" % i for i in range(3000)]
    stacks = {}
    for _ in range(n):
        call, calls = 0, []
        for depth in range(chance.randrange(5, 40)):
            call = (call * 7 + min(int(chance.expovariate(1.2)), 12) + depth) % len(names)
            calls.append(call)
        stacks[tuple(calls)] = stacks.get(tuple(calls), 0) + 1
    return {**samples(), "samples": n, "functions": names, "stacks": [
        {"comm": "prog", "samples": count, "calls": list(calls)} for calls, count in stacks.items()]}


def many_regions(names=1000, threads=100):
    return regions(0, ["region_%d" % i for i in range(names)], threads)


def write(path, documents):
    with open(path, "w", encoding="utf-8") as file:
        for one in documents if isinstance(documents, list) else [documents]:
            file.write(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n")
