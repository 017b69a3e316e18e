#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Data sources and branches in words, against what perf says of the same samples: words.c writes them into a file of perf's.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library.
set -u
srcdir=${srcdir:-.} lib=${LIBPERFCTR:-lib/.libs}
perf --version >/dev/null 2>&1 || {
	echo "SKIP samples in words, and in perf's: needs Debian's package linux-perf"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
if ! { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE ${CFLAGS:-} -I"$srcdir" -I"$srcdir/include" "$srcdir/tests/words.c" "$srcdir/tools/perfex/sample/perf_data.c" "$srcdir/tools/perfex/base/die.c" "$srcdir/tools/perfex/base/width.c" "$srcdir/tools/perfex/base/text.c" "$srcdir/lib/base/quote.c" \
	-o "$work/words" "$lib/libperfctr.a" -pthread -ldl &&
	"$work/words" "$work/perf.data" >"$work/ours" &&
	perf script -i "$work/perf.data" -F addr,data_src,weight,brstack >"$work/theirs" 2>"$work/errors"; }; then
	cat "$work/errors"
	echo "FAIL samples in words, and in perf's: no file, or perf can't read it"
	exit 1
fi
python3 - "$work/ours" "$work/theirs" <<'EOP'
import re, sys

NOTHING = ("N/A", "No", "")
OPERATIONS = {"LOAD": "load", "STORE": "store", "PFETCH": "prefetch", "EXEC": "execution"}
# L5 to L8 to a perf that does not know them yet.
LEVELS = {
    "L1": "L1", "L2": "L2", "L3": "L3", "L4": "L4", "LFB": "line fill buffer", "LFB/MAB": "line fill buffer",
    "L5": "L2 miss buffer", "L2 MHB": "L2 miss buffer", "L6": "memory-side cache",
    "Memory-side Cache": "memory-side cache", "L7": "L0", "L0": "L0", "L8": "uncached memory",
    "Uncached": "uncached memory", "Local RAM": "memory", "RAM": "memory", "PMEM": "persistent memory",
    "CXL": "CXL memory", "I/O": "I/O", "Any cache": "cache", "Remote RAM (1 hop)": "remote memory, 1 hop",
    "Remote RAM (2 hops)": "remote memory, 2 hops", "Remote Cache (1 hop)": "remote cache, 1 hop",
    "Remote Cache (2 hops)": "remote cache, 2 hops",
}
HOPS = {"core, same node ": " of another core", "node, same socket ": " of another node",
        "socket, same board ": " of another socket", "board ": " of another board"}
SNOOPS = {"None": "no snoop", "Hit": "snoop hit", "Miss": "snoop miss", "HitM": "snoop hit modified"}
MORE = {"Fwd": "forwarded", "Peer": "from a peer"}
TLBS = {"L1": "L1", "L2": "L2", "Walker": "walker", "Fault": "fault handler"}
BLOCKS = {"Data": "blocked by data", "Addr": "blocked by an address"}
KINDS = {
    "": None, "N/A": None, "UNKNOWN": None, "COND": "conditional", "UNCOND": "unconditional", "IND": "indirect", "CALL": "call",
    "IND_CALL": "indirect call", "RET": "return", "SYSCALL": "system call", "SYSRET": "system return",
    "COND_CALL": "conditional call", "COND_RET": "conditional return", "ERET": "exception return",
    "IRQ": "interrupt", "SERROR": "system error", "NO_TX": "not in a transaction",
    "FAULT_ALGN": "alignment fault", "FAULT_DATA": "data fault", "FAULT_INST": "instruction fault",
}


def outcome(text):
    """What stands before " hit" and " miss", and which of them."""
    end = re.search(r"( hit)?( miss)?$", text)
    both = [word.strip() for word in end.groups() if word]
    return text[:end.start()], (" " + " or ".join(both) if len(both) == 1 else
                                " hit or  miss" if both else "")


def level(text, value):
    name, found = outcome(text)
    remote = name.startswith("Remote ") and not (name in LEVELS or name.split(" or ")[0] in LEVELS)
    if remote:
        name = name[len("Remote "):]
    hop = next((hop for hop in HOPS if name.startswith(hop)), "")
    name = name[len(hop):]
    names = [LEVELS[each] for each in name.split(" or ") if each not in NOTHING]
    number = value >> 33 & 15
    if number not in (0, 15):
        names = names[-1:]
    elif names and all(each.startswith("remote ") for each in names):
        remote = False
    if not (names or remote or hop or found):
        return []
    return [("remote " if remote else "") + (" or ".join(names) or "memory access") + HOPS.get(hop, "") + found]


def tlb(text):
    name, found = outcome(text)
    names = [TLBS[each] for each in name.split(" or ") if each not in NOTHING]
    return ["TLB" + (" " + " or ".join(names) if names else "") + found] if names or found else []


def words(text, value):
    """What we should say; whether perf has said all."""
    fields = text.strip("|").split("|")
    # perf cuts off the part that does not fit into its line.
    whole = len(fields) == 6 and fields[5][4:].strip() in ("N/A", "Data", "Addr", "Data Addr")
    said = {field.split(" ")[0]: field.partition(" ")[2] for field in (fields if whole else fields[:-1])}
    result = [OPERATIONS[said["OP"]]] if said["OP"] not in NOTHING else []
    result += level(said["LVL"], value) if "LVL" in said else []
    snoops = said.get("SNP", "").split(" or ")
    assert all(each in SNOOPS or each in MORE or each in NOTHING for each in snoops), snoops
    for names in SNOOPS, MORE:
        result += [" or ".join(names[each] for each in snoops if each in names)]
    result = [each for each in result if each]
    result += tlb(said["TLB"]) if "TLB" in said else []
    result += ["locked"] if said.get("LCK") == "Yes" else []
    blocks = said.get("BLK", "").split()
    result += [" or ".join(BLOCKS[each] for each in blocks)] if blocks and blocks[0] in BLOCKS else []
    return result, whole


def branch(text):
    """perf's X, A and so on. Of what was predicted and mispredicted, too, it says P."""
    begin, end, predicted, transaction, abort, cycles, *kind = text.split("/")
    result = [f"{begin} to {end}"]
    if kind and KINDS[kind[0].strip()]:
        result.append(KINDS[kind[0].strip()])
    result += [{"M": "mispredicted", "P": "predicted"}[predicted]] if predicted in "MP" else []
    result += ["in a transaction"] if transaction == "X" else []
    result += ["abort of a transaction"] if abort == "A" else []
    return result + ([f"{cycles} cycles"] if int(cycles) else [])


failed = whole = 0
ours = open(sys.argv[1]).read().splitlines()
theirs = open(sys.argv[2]).read().splitlines()
assert len(ours) == len(theirs) > 6000, (len(ours), len(theirs))
for our, their in zip(ours, theirs):
    value, said, weight, address, branches = our.split("\t")
    match = re.match(r" *(\w+) +(\w+) (\|OP .*?) +(\d+) +(0x\S*) *$", their)
    assert match, their
    expected, all_of_it = words(match[3].rstrip(), int(value, 16))
    text = ", ".join(expected) or "nothing"
    good = match[2] == value and match[4] == weight and match[1] == address
    good = good and (said == text if all_of_it else expected == [] or said.startswith(text))
    both = branches.replace("mispredicted, predicted", "predicted")
    good = good and both == ", ".join(branch(match[5]))
    whole += all_of_it
    if not good:
        failed += 1
        if failed <= 10:
            print(f"perf:  {their}\nhence: {text}; {', '.join(branch(match[5]))}\nours:  {our}")
print(f"{len(ours)} samples, of {whole} of which perf says all; {failed} differ")
sys.exit(failed != 0 or whole < 5000)
EOP
status=$?
# Without an option, as of a file that "perf record -b" has written.
perf report -i "$work/perf.data" --stdio 2>/dev/null | grep -q 'Source Symbol' || {
	echo "perf report shows no branches"
	status=1
}
[ $status = 0 ] && echo "PASS samples in words, and in perf's" || echo "FAIL samples in words, and in perf's"
exit $status
