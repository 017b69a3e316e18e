#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Unpack a Debian package of another architecture or release, without touching the system's own packages.
# usage: deb.sh SUITE ARCH PACKAGE DIR [FILE]
#	SUITE	a suite of the mirror that the system uses: bookworm, bullseye, bookworm-backports, ...; of several,
#		with commas, the first that has it
#	PACKAGE	a name; or A:B, the package that A depends on and whose name begins with B. Such as
#		linux-image-amd64:linux-image-, the kernel of the day.
#	FILE	of the package A:B, only the file whose name is this and what follows B in the package's name, if there is one: what is
#		after it in the archive, the many modules of a kernel, is not even decompressed
# Several packages can be unpacked into one DIR.
# The environment: PERFCTR_DEBS, the absolute path of a directory that keeps lists and packages from one run to the next;
# else they are kept beside DIR. A mirror that does not answer, or whose lists are being changed, is asked again for some minutes.
set -eu
suites=${1:?usage: deb.sh SUITE ARCH PACKAGE DIR [FILE]} arch=${2:?} package=${3:?} dir=${4:?} only=${5:-}
[ -e "$dir/.done-$package" ] && exit 0
beside=$(dirname "$dir")
mkdir -p "$dir"
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$VERSION_CODENAME")

# The system's sources of its own suite, or of its security suite, with the other's name in them; the rest is left out.
sources() {
	from=$system
	case $suite in *-security) from=$system-security ;; esac
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		to=$state/sources.d/$(basename "$f")
		case $f in
		*.sources)
			sed "/^Suites:/ { s/.* $from\( .*\)*$/Suites: $suite/; t
				s/.*/&\\
Enabled: no/; }" "$f" >"$to"
			;;
		*.list) [ ! -f "$f" ] || sed -n "s/^\(deb .*\) $from /\1 $suite /p" "$f" >"$to" ;;
		esac
	done
}

# A container's apt keeps no cache, and reads all lists for each command, which takes a second.
apt() {
	tool=$1
	shift
	[ "$suite" = "$system" ] ||
		set -- -oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts="$state/sources.d" "$@"
	"$tool" -oAPT::Architecture="$arch" -oAPT::Architectures="$arch" -oAcquire::http::Timeout=60 \
		-oDir::State::Lists="$state/lists" -oDir::Cache="$state/cache" \
		-oDir::Cache::pkgcache=pkgcache.bin -oDir::Cache::srcpkgcache=srcpkgcache.bin \
		-oDir::State::status=/dev/null -oAPT::Sandbox::User=root "$@"
}

# A list that fails to load matters only if the package is not found.
update() {
	[ -e "$updated" ] || { sources; apt apt-get -qq update || :; touch "$updated"; }
}

# Prints the name of the package's file, which is in $state/debs then.
download() {
	real=$package
	case $package in
	*:*) real=$(apt apt-cache depends "${package%:*}" |
		    awk -v b="${package#*:}" '/Depends:/ && index($2, b) == 1 { print $2; exit }') ;;
	esac
	[ -n "$real" ] && cd "$state/debs" || return
	# Nothing is printed if it is there already. What the list has another version of by now is of no use.
	file=$(apt apt-get -qq --print-uris download "$real" | awk '{ print $2; exit }')
	[ -z "$file" ] || find . -name "${real}_*" ! -name "$file" -delete
	apt apt-get -qq download "$real" >&2 && echo "${real}"_*.deb
}

take() {	# PACKAGE-FILE
	name=$(basename "$1")
	name=${name%%_*}
	[ -n "$only" ] && dpkg-deb --fsys-tarfile "$1" 2>/dev/null |
		tar -x -C "$dir" --occurrence=1 "$only${name#"${package#*:}"}" 2>/dev/null || dpkg-deb -x "$1" "$dir"
}

# SUITE: others that want something of the same one wait.
unpack() (
	suite=$1 state=${PERFCTR_DEBS:-$beside}/apt-$1-$arch updated=$beside/.updated-$1-$arch
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/sources.d" "$state/debs"
	exec 9>"$state/lock"
	flock 9
	update >"$state/log" 2>&1
	if file=$(download 2>>"$state/log"); then
		take "$state/debs/$file" && touch "$dir/.done-$package"
	else
		rm "$updated"
		echo "$suite:" >>"$beside/.why-$$" && cat "$state/log" >>"$beside/.why-$$"
		return 1
	fi
)

trap 'rm -f "$beside/.why-$$"' EXIT
for pause in 5 20 60 120 180 0; do
	rm -f "$beside/.why-$$"
	for suite in $(echo "$suites" | tr , ' '); do
		if unpack "$suite"; then exit; fi
	done
	[ $pause = 0 ] || {
		echo "deb.sh: package $package for $arch of $suites can't be had; trying again in $pause s" >&2
		sleep $pause
	}
done
cat "$beside/.why-$$" >&2
echo "deb.sh: package $package for $arch of $suites can't be had, for the reasons above" >&2
exit 1
