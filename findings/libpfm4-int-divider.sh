#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Of three events of Sapphire Rapids' divider, libpfm4 gives one no counter mask. ARITH.INT_DIVIDER_ACTIVE counts cycles in Intel's list
# (perfmon, SPR: event B0H, unit mask 8, CounterMask 1) and in Linux's (tools/perf/pmu-events/arch/x86/sapphirerapids); libpfm4's code
# of the same name has no mask, so that a cycle adds as much as the divider reports, while ARITH:DIVIDER_ACTIVE beside it has the mask 1.
set -eu
version=4.13.0-1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v python3 >/dev/null || { echo "not tried: needs python3"; exit 77; }
apt-get -qq download "libpfm4=$version" && dpkg -x libpfm4_*.deb root || { echo "not tried: no package libpfm4 $version"; exit 77; }
echo "version: libpfm4 $version"
cat >encode.py <<'EOT'
import ctypes
import glob
import os

os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
pfm = ctypes.CDLL(glob.glob("root/usr/lib/*/libpfm.so.4")[0])
assert pfm.pfm_initialize() == 0


class Arg(ctypes.Structure):
    _fields_ = [("codes", ctypes.POINTER(ctypes.c_uint64)), ("fstr", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("count", ctypes.c_int), ("idx", ctypes.c_int)]


for event in ("DIVIDER_ACTIVE", "FP_DIVIDER_ACTIVE", "INT_DIVIDER_ACTIVE"):
    arg = Arg(size=ctypes.sizeof(Arg))
    # PFM_PLM0 | PFM_PLM3, PFM_OS_NONE
    assert pfm.pfm_get_os_event_encoding(b"spr::ARITH:" + event.encode(), 9, 0, ctypes.byref(arg)) == 0
    print("%s: event 0x%x, unit mask 0x%x, counter mask %d" %
          (event, arg.codes[0] & 255, arg.codes[0] >> 8 & 255, arg.codes[0] >> 24 & 255))
EOT
python3 encode.py | tee out
cat >wanted <<'EOT'
DIVIDER_ACTIVE: event 0xb0, unit mask 0x9, counter mask 1
FP_DIVIDER_ACTIVE: event 0xb0, unit mask 0x1, counter mask 1
INT_DIVIDER_ACTIVE: event 0xb0, unit mask 0x8, counter mask 0
EOT
cmp out wanted
