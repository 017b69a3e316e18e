#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures how small a piece of code may be, by this library, as others do it, and on x86 by PAPI: prints a Markdown table, and
# fails if ours is off by more than ../bench/small.c says, or PAPI's was not measured.
small-ours || exit
[ "$(uname -m)" = aarch64 ] || small-papi
