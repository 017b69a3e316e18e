#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Unpack a Debian package of another architecture or release, without touching the system's own packages.
# usage: deb.sh SUITE ARCH PACKAGE DIR
#	SUITE	a suite of the mirror that the system uses: bookworm, bullseye, bookworm-backports, ...
#	PACKAGE	a name; or A:B, the package that A depends on and whose name begins with B. Such as
#		linux-image-amd64:linux-image-, the kernel of the day.
# Several packages can be unpacked into one DIR.
set -eu
suite=${1:?usage: deb.sh SUITE ARCH PACKAGE DIR} arch=${2:?} package=${3:?} dir=${4:?}
[ -e "$dir/.done-$package" ] && exit 0
state=$(dirname "$dir")/apt-$suite-$arch
mkdir -p "$dir" "$state/lists/partial" "$state/cache/archives/partial" "$state/sources.d"
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$VERSION_CODENAME")

# The system's sources of its own suite, with the other's name in them; the rest is left out.
sources() {
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		to=$state/sources.d/$(basename "$f")
		case $f in
		*.sources)
			sed "/^Suites:/ { s/.* $system\( .*\)*$/Suites: $suite/; t
				s/.*/&\\
Enabled: no/; }" "$f" >"$to"
			;;
		*.list) [ ! -f "$f" ] || sed -n "s/^\(deb .*\) $system /\1 $suite /p" "$f" >"$to" ;;
		esac
	done
}

apt() {
	tool=$1
	shift
	[ "$suite" = "$system" ] ||
		set -- -oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts="$state/sources.d" "$@"
	"$tool" -oAPT::Architecture="$arch" -oAPT::Architectures="$arch" \
		-oDir::State::Lists="$state/lists" -oDir::Cache="$state/cache" \
		-oDir::State::status=/dev/null -oAPT::Sandbox::User=root "$@"
}

# A list that fails to load (a mirror being updated) matters only if the package is not found.
[ -e "$state/.updated" ] ||
	{ sources; apt apt-get -qq update >"$state/log" 2>&1 || :; touch "$state/.updated"; }
real=$package
case $package in
*:*) real=$(apt apt-cache depends "${package%:*}" |
	    awk -v b="${package#*:}" '/Depends:/ && index($2, b) == 1 { print $2; exit }') ;;
esac
(cd "$dir" && apt apt-get -qq download "${real:-$package}" >/dev/null) ||
	{ echo "deb.sh: package $package for $arch of $suite can't be had; see $state/log" >&2; exit 1; }
dpkg-deb -x "$dir"/*.deb "$dir"
rm "$dir"/*.deb
touch "$dir/.done-$package"
