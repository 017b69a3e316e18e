#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which file needs which, read from a build's objects with nm: none may need one of its own layer or of a
# higher one, so that there is no cycle, and each has its layer and its sentence. And no file of lib/ needs a
# cancellation point but lib/base/call.c.
# usage: layers.sh BUILD	a folder of configure's, or of scripts/driver's
# The environment: NM, another machine's nm.
# Prints a line per folder; exit status 0 if none failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: layers.sh BUILD}

# The folders, from the bottom up: FOLDER SENTENCES LAYER... The file SENTENCES has a row of a table that
# begins with a file's name, from the folder of SENTENCES; the layers are the folder's files, from the bottom
# up, with commas between those that must not need each other. What lies in a folder that is not named here
# belongs to the one that it is in.
layers='
arch arch/README.md event-tables,metric-tables,assign,x86/cpus,x86/p5,x86/p6,x86/p4,power/power,powerpc/powerpc,arm64/arm64,riscv/riscv,raw/raw x86/k7,x86/archpmu,powerpc/encode,raw/encode,events x86/compile,x86/encode x86/isa,power/isa,powerpc/isa,arm64/isa,riscv/isa isa
driver driver/README.md hw_x86,hw_powerpc,hw_arm64 access,cpu,quota,rights state thread signal,owner calls init
lib/base lib/README.md error,call file,text memory,list,nearest,process,cpus,json
lib/isa lib/README.md cpuid,cpuinfo,readable,pmu,tsc,attr native control
lib/names lib/README.md known,vendor table sysfs,tracepoint catalog name resolve
lib/perf lib/README.md sys guests probe,reading check,why,topdown counter ring,area,record,signal,clock,events merge,overflow execs
lib/virtual lib/virtual/README.md handle,device,queue provider_driver,provider_perf kind provider attach syscalls_perf syscalls info virtual remote,total
lib/target lib/target/README.md threads target
lib/sets lib/sets/README.md plan,group set global
lib/sampling lib/sampling/README.md config,describe sampler
lib/metrics lib/metrics/README.md formula,facts,threshold expand metrics error
lib lib/README.md doctor
lib/regions lib/regions/README.md metrics,fast_path print totals,arena state thread overlap,calibrate resume slow_path regions report,recover environment
tools/perfex/base tools/README.md text die door,document,replace,patient fit,colour
tools/perfex/count tools/README.md events,targets,readers,topology,limits,missing,outcome emulated,tasks,driver parts,stretches,child,watch trace valgrind run
tools/perfex/sample tools/README.md symbols,demangle,stacks,maps,perf_data,samplers,sources elf,listed histogram unwind sample
tools/perfex/report tools/README.md series,origin welch compare,verdict results ratio,metrics baseline,table,csv,json,openmetrics output
tools/perfex/regions tools/README.md regions,merge
tools/perfex tools/README.md foreign,progress options,show perfex
tools/perfctr-info tools/README.md cost perfctr-info
'

# What is made, and has no source in the folder.
generated='arch/event-tables arch/metric-tables'

# What no file of lib/ calls but base/call.c, where it is said why.
cancellation_points='accept close closedir clock_nanosleep connect creat epoll_wait fclose fgets fopen fread fsync
getline msync nanosleep open openat opendir pause poll ppoll pread pselect read readv recv recvfrom recvmsg select
send sendmsg sendto sigtimedwait sigwait sigwaitinfo sleep system tcdrain usleep wait waitid waitpid write writev'

# The file FOLDER/.../NAME of an object, which libtool and automake give a prefix. Nothing for one whose source
# is gone.
file_of() {	# OBJECT
	file=${1#"$build/"}
	file=${file%.o}
	while [ ! -e "$top/$file.c" ]; do
		case " $generated " in *" $file "*) break ;; esac
		case ${file##*/} in
		*-*) file=${file%/*}/$(echo "${file##*/}" | sed "s/^[^-]*-//") ;;
		*) return ;;
		esac
	done
	echo "$file"
}

# "has FILE SYMBOL" and "needs FILE SYMBOL", of all folders.
symbols() {
	for folder in $(echo "$layers" | sed -n 's,^\([a-z]*\)[/ ].*,\1,p' | uniq); do
		find "$build/$folder" -name '*.o' ! -path '*/.libs/*' 2>/dev/null
	done | while read -r object; do
		file=$(file_of "$object")
		[ -z "$file" ] || ${NM:-nm} -g "$object" | awk -v file="$file" '
			$(NF - 1) == "U" { print "needs", file, $NF }
			NF > 2 { print "has", file, $NF }'
	done
}

# "sentence FILE", of those that have one.
sentences() {
	echo "$layers" | while read -r folder table _; do
		[ -z "$table" ] || sed -n "s,^| \`\([a-z0-9_/-]*\)\.c\`.*,sentence ${table%/*}/\1,p" "$top/$table"
	done
}

{
	echo "$layers" | sed '/./s/^/layer /'
	sentences
	symbols | LC_ALL=C sort
} | LC_ALL=C awk -v cancellation_points="$cancellation_points" '
	function folder_of(file) {
		do
			sub("/[^/]*$", "", file)
		while (!(file in height) && index(file, "/"))
		return file
	}
	function complain(folder, sentence) {
		print sentence
		bad[folder] = 1
	}
	BEGIN {
		# Those that print are left to the program, which alone calls them.
		n = split(cancellation_points, list)
		while (n)
			cancels[list[n--]]
	}
	$1 == "layer" {
		folders[++nr_folders] = $2
		for (i = 4; i <= NF; i++) {
			n = split($i, side, ",")
			for (k = 1; k <= n; k++)
				rank[$2 "/" side[k]] = i
		}
		height[$2] = nr_folders
	}
	$1 == "sentence" { described[$2] }
	# Before "needs", since sorted.
	$1 == "has" { owner[$3] = $2 }
	$1 == "has" || $1 == "needs" {
		if (!($2 in seen)) {
			seen[$2]
			files[++nr_files] = $2
			built[folder_of($2)]++
		}
	}
	# What is needed only to be linked is not called.
	$1 == "needs" && $3 !~ /^perfctr_link_/ && $3 in owner && owner[$3] != $2 { why[$2, owner[$3]] = $3 }
	$1 == "needs" && $2 ~ /^lib\// && $2 != "lib/base/call" {
		name = $3
		sub(/^__(wrap_)?/, "", name)
		sub(/@.*/, "", name)
		sub(/_chk$|_2$|_alias$/, "", name)
		sub(/64$/, "", name)
		if (name in cancels)
			complain(folder_of($2), $2 ".c needs " $3 ", a cancellation point; base/call.c has those that are none")
	}
	END {
		for (pair in why) {
			split(pair, end, SUBSEP)
			from = folder_of(end[1])
			to = folder_of(end[2])
			if (from == to)
				upward = end[1] in rank && end[2] in rank && rank[end[2]] >= rank[end[1]]
			else
				upward = height[to] > height[from]
			if (upward)
				complain(from, end[1] ".c is not above " end[2] ".c, whose " why[pair] " it needs")
		}
		for (i = 1; i <= nr_files; i++) {
			file = files[i]
			folder = folder_of(file)
			if (!(file in rank))
				complain(folder, file ".c is in no layer; give it its place in tests/layers.sh")
			if (!(file in described))
				complain(folder, file ".c has no sentence in the table of its folder")
		}
		for (i = 1; i <= nr_folders; i++) {
			folder = folders[i]
			if (!built[folder])
				continue
			print (bad[folder] ? "FAIL " : "PASS ") folder ": " built[folder] " files"
			failed += bad[folder]
			some = 1
		}
		if (!some)
			print "FAIL there are no objects"
		exit failed || !some
	}'
