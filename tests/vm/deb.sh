#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Unpack a Debian package of another architecture, without touching the system's own packages.
# usage: deb.sh ARCH PACKAGE DIR
#	PACKAGE may be one that only depends on the real one, such as linux-image-arm64: what it
#	depends on first is unpacked instead.
set -eu
arch=${1:?usage: deb.sh ARCH PACKAGE DIR} package=${2:?} dir=${3:?}
[ -e "$dir/.done" ] && exit 0
state=$(dirname "$dir")/apt-$arch
mkdir -p "$dir" "$state/lists/partial" "$state/cache/archives/partial"
apt() {
	tool=$1
	shift
	"$tool" -oAPT::Architecture="$arch" -oAPT::Architectures="$arch" \
		-oDir::State::Lists="$state/lists" -oDir::Cache="$state/cache" \
		-oDir::State::status=/dev/null -oAPT::Sandbox::User=root "$@"
}
# A list that fails to load (a mirror being updated) matters only if the package is not found.
[ -e "$state/.updated" ] || { apt apt-get -qq update >"$state/log" 2>&1 || :; touch "$state/.updated"; }
case $package in
linux-image-*) real=$(apt apt-cache depends "$package" | awk '/Depends:/ { print $2; exit }') ;;
*) real=$package ;;
esac
(cd "$dir" && apt apt-get -qq download "${real:-$package}" >/dev/null) ||
	{ echo "deb.sh: package ${real:-$package} for $arch can't be had; see $state/log" >&2; exit 1; }
dpkg-deb -x "$dir"/*.deb "$dir"
rm "$dir"/*.deb
touch "$dir/.done"
