#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles a container engine's seccomp profile, as the engine does for a container without capabilities, for bwrap's
--seccomp. usage: bpf.py <PROFILE >PROGRAM; needs python3-seccomp. With --actions it prints a call and its action a line.
"""
import json
import os
import sys

HERE = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
profile = json.load(sys.stdin)
rules = [
    rule
    for rule in profile["syscalls"]
    if not rule.get("includes", {}).get("caps")
    and (not rule.get("includes", {}).get("arches") or HERE in rule["includes"]["arches"])
]
if "--actions" in sys.argv:
    for rule in rules:
        for name in rule["names"]:
            print(name, rule["action"], json.dumps(rule.get("args")), rule.get("errnoRet"))
    sys.exit()

import seccomp  # noqa: E402

ACTIONS = {
    "SCMP_ACT_ALLOW": lambda error: seccomp.ALLOW,
    "SCMP_ACT_ERRNO": seccomp.ERRNO,
    "SCMP_ACT_KILL": lambda error: seccomp.KILL,
}
COMPARISONS = {
    "SCMP_CMP_EQ": seccomp.EQ,
    "SCMP_CMP_NE": seccomp.NE,
    "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ,
}


def arguments(rule):
    """The conditions on a call's arguments."""
    for arg in rule.get("args") or []:
        comparison = COMPARISONS[arg["op"]]
        if comparison == seccomp.MASKED_EQ:
            yield seccomp.Arg(arg["index"], comparison, arg["value"], arg.get("valueTwo", 0))
        else:
            yield seccomp.Arg(arg["index"], comparison, arg["value"])


program = seccomp.SyscallFilter(ACTIONS[profile["defaultAction"]](profile.get("defaultErrnoRet", 1)))
for rule in rules:
    for name in rule["names"]:
        try:
            program.add_rule(ACTIONS[rule["action"]](rule.get("errnoRet", 1)), name, *arguments(rule))
        except (RuntimeError, ValueError, OSError):
            # Not a call of this machine, or the action that is the default's.
            pass
program.export_bpf(sys.stdout)
