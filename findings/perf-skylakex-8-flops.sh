#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perf's FP_ARITH_INST_RETIRED.8_FLOPS of Skylake-X and Cascade Lake-X counts instructions with four operations each. Its description, and
# the same event of every other processor in Linux's lists, say 256-bit packed single and 512-bit packed double precision: unit masks
# 20H and 40H. Its code has 18H, which are those of 4_FLOPS (08H and 10H) in the same file: the two events count the same.
set -eu
version=6.12.117-1~deb12u1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v python3 >/dev/null || { echo "not tried: needs python3"; exit 77; }
apt-get -qq download "linux-source-6.12=$version" || { echo "not tried: no package linux-source-6.12 $version"; exit 77; }
echo "version: linux-source-6.12 $version"
dpkg --fsys-tarfile linux-source-6.12_*.deb | tar -xOf - --wildcards '*/linux-source-6.12.tar.xz' |
	tar -xJf - --strip-components=4 --wildcards '*/pmu-events/arch/x86/*/floating-point.json'
cat >masks.py <<'EOT'
import glob
import json

seen = {}
for path in sorted(glob.glob("arch/x86/*/floating-point.json")):
    for event in json.load(open(path)):
        name = event.get("EventName", "")
        if name in ("FP_ARITH_INST_RETIRED.4_FLOPS", "FP_ARITH_INST_RETIRED.8_FLOPS"):
            seen.setdefault((name[-7:], event["UMask"]), []).append(path.split("/")[2])
for (name, mask), where in sorted(seen.items()):
    print(name, "is unit mask", mask, "of", " ".join(where))
EOT
python3 masks.py | tee out
cat >wanted <<'EOT'
4_FLOPS is unit mask 0x18 of alderlake broadwell broadwellde broadwellx cascadelakex emeraldrapids graniterapids icelake icelakex meteorlake rocketlake sapphirerapids skylake skylakex tigerlake
8_FLOPS is unit mask 0x18 of cascadelakex skylakex
8_FLOPS is unit mask 0x60 of emeraldrapids graniterapids icelake icelakex rocketlake sapphirerapids tigerlake
EOT
cmp out wanted
