#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which file needs which, read from a build's objects with nm, and for lib/ from #include lines, too: none may need
# one of its own layer or of a higher one, so that there is no cycle, and each has its layer and its sentence. lib/
# has at most 12 rooms on 9 floors. And no file of lib/ needs a cancellation point but lib/base/call.c.
# usage: layers.sh BUILD	a directory of configure's, or of scripts/driver's
# The environment: NM, another machine's nm.
# Prints a line per directory; exit status 0 if none failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: layers.sh BUILD}

# Names in the first column of a table, which are files or, with a /, directories.
rows() {	# README
	# shellcheck disable=SC2016 # backquotes of Markdown
	sed -n 's,^| `\([a-z0-9_/-]*\)\(\.[ch]\|/\)`.*,\1\2,p' "$top/$1"
}

# The rooms of lib/, as below: the order is that of its README, and in each room that of the room's.
# shellcheck disable=SC2046 # words
rooms() {
	rows lib/README.md | while read -r room; do
		case $room in
		*/) echo "lib/${room%/} lib/${room}README.md" $(rows "lib/${room}README.md" | sed 's/\.[ch]$//') ;;
		esac
	done
	echo lib lib/README.md $(rows lib/README.md | sed -n 's/\.[ch]$//p')
}

# The directories, from the bottom up: DIRECTORY SENTENCES LAYER... The file SENTENCES has a row of a table that
# begins with a file's name, from the directory of SENTENCES; the layers are the directory's files, from the bottom
# up, with commas between those that must not need each other. What lies in a directory that is not named here
# belongs to the one that it is in.
layers='
arch arch/README.md event-tables,metric-tables,assign,x86/cpus,x86/p5,x86/p6,x86/p4,power/power,powerpc/powerpc,arm64/arm64,riscv/riscv,raw/raw x86/k7,x86/archpmu,powerpc/encode,raw/encode,events x86/compile,x86/encode x86/isa,power/isa,powerpc/isa,arm64/isa,riscv/isa isa
driver driver/README.md hw_x86,hw_powerpc,hw_arm64 access,cpu,quota,rights state thread signal,owner calls init
'$(rooms)'
tools/perfex/base tools/README.md text die terminal,document,outfile
tools/perfex/count tools/README.md events,targets,cpumask,topology emulated,tasks,driver breakdown,slices,child,watch trace valgrind run
tools/perfex/sample tools/README.md symbols,demangle,stacks,maps,perf_data,samplers,sources elf,kallsyms histogram unwind sample
tools/perfex/report tools/README.md series compare,verdict results ratio,metrics baseline,table,csv,json,openmetrics output
tools/perfex/regions tools/README.md regions,merge
tools/perfex tools/README.md suggest options,show perfex
tools/perfctr-info tools/README.md cost perfctr-info
'

# What is made, and has no source in the directory.
generated='arch/event-tables arch/metric-tables'

# What no file of lib/ calls but base/call.c, where it is said why.
cancellation_points='accept close closedir clock_nanosleep connect creat epoll_wait fclose fgets fopen fread fsync
getline msync nanosleep open openat opendir pause poll ppoll pread pselect read readv recv recvfrom recvmsg select
send sendmsg sendto sigtimedwait sigwait sigwaitinfo sleep system tcdrain usleep wait waitid waitpid write writev'

# The file DIRECTORY/.../NAME of an object, which libtool and automake give a prefix. Nothing for one whose source
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

# "has FILE SYMBOL" and "needs FILE SYMBOL", of all directories.
symbols() {
	for directory in $(echo "$layers" | sed -n 's,^\([a-z]*\)[/ ].*,\1,p' | uniq); do
		find "$build/$directory" -name '*.o' ! -path '*/.libs/*' 2>/dev/null
	done | while read -r object; do
		file=$(file_of "$object")
		[ -z "$file" ] || ${NM:-nm} -g "$object" | awk -v file="$file" '
			$(NF - 1) == "U" { print "needs", file, $NF }
			NF > 2 { print "has", file, $NF }'
	done
}

# "sentence FILE", of those that have one.
sentences() {
	echo "$layers" | while read -r directory table _; do
		[ -z "$table" ] || rows "$table" | sed -n "s,^\(.*\)\.[ch]\$,sentence ${table%/*}/\1,p"
	done
}

# Of lib/: "source FILE" of each, also of what is only a header; "includes FILE FILE"; "listed FILE.c" of local.mk's.
sources() {
	cd "$top" && find lib -name '*.[ch]' | LC_ALL=C sort | while read -r file; do
		echo "source ${file%.*} $file"
		sed -n "s,^#include \"\(lib/[^\"]*\)\.h\".*,includes ${file%.*} \1,p" "$file"
	done
	sed -n 's,.*\(lib/[a-z0-9_/]*\.[ch]\).*,listed \1,p' lib/local.mk lib/*/local.mk
}

{
	echo "$layers" | sed '/./s/^/layer /'
	sentences
	sources
	symbols | LC_ALL=C sort
} | LC_ALL=C awk -v cancellation_points="$cancellation_points" '
	function directory_of(file) {
		do
			sub("/[^/]*$", "", file)
		while (!(file in height) && index(file, "/"))
		return file
	}
	# Of lib/, what lies in it: a room, or a file that is none.
	function room_of(file, part) {
		split(file, part, "/")
		return part[2]
	}
	# How many rooms are below each other, this one included.
	function floor(room, other, most, n) {
		if (room in floors)
			return floors[room]
		floors[room] = most = 1
		for (other in rooms)
			if ((room, other) in stairs) {
				n = floor(other) + 1
				if (n > most)
					most = n
			}
		return floors[room] = most
	}
	function complain(directory, sentence) {
		print sentence
		bad[directory] = 1
	}
	BEGIN {
		# Those that print are left to the program, which alone calls them.
		n = split(cancellation_points, list)
		while (n)
			cancels[list[n--]]
	}
	$1 == "layer" {
		directories[++nr_directories] = $2
		for (i = 4; i <= NF; i++) {
			n = split($i, side, ",")
			for (k = 1; k <= n; k++)
				rank[$2 "/" side[k]] = i
		}
		height[$2] = nr_directories
	}
	$1 == "sentence" { described[$2] }
	$1 == "listed" { listed[$2] }
	$1 == "source" {
		source[$2]
		sources[$3]
		rooms[room_of($2)]
	}
	$1 == "includes" && $2 != $3 { why[$2, $3] = "header" }
	# Before "needs", since sorted.
	$1 == "has" { owner[$3] = $2 }
	$1 == "has" || $1 == "needs" {
		if (!($2 in seen)) {
			seen[$2]
			files[++nr_files] = $2
			built[directory_of($2)]++
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
			complain(directory_of($2), $2 ".c needs " $3 ", a cancellation point; base/call.c has those that are none")
	}
	END {
		for (pair in why) {
			split(pair, end, SUBSEP)
			from = directory_of(end[1])
			to = directory_of(end[2])
			if (from == to)
				upward = end[1] in rank && end[2] in rank && rank[end[2]] >= rank[end[1]]
			else
				upward = height[to] > height[from]
			if (end[1] ~ /^lib\// && end[2] ~ /^lib\// && room_of(end[1]) != room_of(end[2]))
				stairs[room_of(end[1]), room_of(end[2])]
			if (upward)
				complain(from, end[1] ".c is not above " end[2] ".c, whose " why[pair] " it needs")
		}
		for (i = 1; i <= nr_files; i++) {
			file = files[i]
			directory = directory_of(file)
			if (file in source)
				continue
			if (!(file in rank))
				complain(directory, file ".c is in no layer; give it its place in tests/layers.sh")
			if (!(file in described))
				complain(directory, file ".c has no sentence in the table of its directory")
		}
		for (file in source)
			if (!(file in rank) || !(file in described))
				complain(directory_of(file), file " has no sentence in the table of its room")
		for (file in described)
			if (file ~ /^lib\// && !(file in source))
				complain(directory_of(file), file " has a sentence, and is not there")
		for (file in sources)
			if (!(file in listed))
				complain(directory_of(file), file " is not in the local.mk of its room")
		for (room in rooms) {
			nr_rooms++
			if (floor(room) > highest)
				highest = floor(room)
		}
		if (nr_rooms > 12 || highest > 9)
			complain("lib", "lib/ has " nr_rooms " rooms on " highest " floors, and not 12 on 9")
		for (i = 1; i <= nr_directories; i++) {
			directory = directories[i]
			if (!built[directory])
				continue
			print (bad[directory] ? "FAIL " : "PASS ") directory ": " built[directory] " files" \
				(directory == "lib" ? "; " nr_rooms " rooms on " highest " floors" : "")
			failed += bad[directory]
			some = 1
		}
		if (!some)
			print "FAIL there are no objects"
		exit failed || !some
	}'
