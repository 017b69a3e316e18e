# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the files of Python's library that a program with the package loads, and their compiled forms."""

import ctypes
import gc  # noqa: F401
import os
import sys


class Library:
    """Stands for the library, which need not be of this architecture."""

    def __getattr__(self, name):
        return lambda *arguments: None


ctypes.PyDLL = lambda *arguments, **named: Library()
import perfctr  # noqa: E402, F401

for module in list(sys.modules.values()):
    for file in getattr(module, "__file__", None), getattr(module, "__cached__", None):
        if file and file.startswith("/usr/lib/python3.11/") and os.path.exists(file):
            print(file)
