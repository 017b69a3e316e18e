# SPDX-License-Identifier: LGPL-2.1-or-later
# A device tree of QEMU's machine "virt" with two processors -> the same with a PMU for each, as on big.LITTLE.
# It leaves out devices that no test needs; an interrupt gets a fourth cell, the processors that a PMU's belongs to.
/^\t(virtio_mmio|pcie|flash|its)/ || /^\t\tits@/ { skipping = $1 }
skipping { if (/^\t};/ && skipping !~ /^its@/ || /^\t\t};/ && skipping ~ /^its@/) skipping = ""; next }
/^\tpmu \{/ { in_pmu = 1 }
in_pmu {
	if (/^\t};/) {
		in_pmu = 0
		for (i = 0; i < 2; i++)
			printf "\tpmu%d {\n\t\tcompatible = \"arm,cortex-a%s-pmu\";\n\t\tinterrupts = <1 7 4 &type%d>;\n\t};\n\n", i, i ? "53" : "57", i
	}
	next
}
/^\t\tinterrupts = </ {
	n = split($0, cell, /[<> ]+/)
	line = "\t\tinterrupts = <"
	for (i = 3; i + 2 < n; i += 3)
		line = line cell[i] " " cell[i + 1] " " cell[i + 2] " 0 "
	print line ">;"
	next
}
/^\tcpu@|^\t\tcpu@/ { print "\t\tcore" ++cpus - 1 ":"; }
/^\tintc@/ { in_intc = 1 }
in_intc && /#interrupt-cells/ { sub(/<.*>/, "<4>") }
in_intc && /^\t};/ {
	in_intc = 0
	print "\t\tppi-partitions {"
	for (i = 0; i < 2; i++)
		printf "\t\t\ttype%d: interrupt-partition-%d {\n\t\t\t\taffinity = <&core%d>;\n\t\t\t};\n", i, i, i
	print "\t\t};"
}
{ print }
