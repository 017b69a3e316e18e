# SPDX-License-Identifier: LGPL-2.1-or-later
from typing import Any, Callable

def caller(function: int, argument: int, kept: Any) -> Callable[[], None]: ...
