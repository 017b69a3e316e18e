#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# libpfm4 takes Ice Lake's MEM_LOAD_MISC_RETIRED:UC for event C4H, unit mask 04H. In Intel's list (perfmon, ICL and ICX) and in Linux's
# (tools/perf/pmu-events/arch/x86/icelake, cache.json) the event is D4H with that unit mask; C4H is BR_INST_RETIRED, which has no
# unit mask 04H; the same library has D4H for Skylake. A count of loads from uncacheable memory is some count of branches then, and nothing says so.
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


for event in ("icl::MEM_LOAD_MISC_RETIRED:UC", "icx::MEM_LOAD_MISC_RETIRED:UC", "icl::BR_INST_RETIRED:NEAR_CALL",
              "skl::MEM_LOAD_MISC_RETIRED:UC"):
    arg = Arg(size=ctypes.sizeof(Arg))
    # PFM_PLM0 | PFM_PLM3, PFM_OS_NONE
    error = pfm.pfm_get_os_event_encoding(event.encode(), 9, 0, ctypes.byref(arg))
    print("%s:" % event, "none" if error else "event 0x%x, unit mask 0x%x" % (arg.codes[0] & 255, arg.codes[0] >> 8 & 255))
EOT
python3 encode.py | tee out
cat >wanted <<'EOT'
icl::MEM_LOAD_MISC_RETIRED:UC: event 0xc4, unit mask 0x4
icx::MEM_LOAD_MISC_RETIRED:UC: event 0xc4, unit mask 0x4
icl::BR_INST_RETIRED:NEAR_CALL: event 0xc4, unit mask 0x2
skl::MEM_LOAD_MISC_RETIRED:UC: event 0xd4, unit mask 0x4
EOT
cmp out wanted
