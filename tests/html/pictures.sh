#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of docs/PAGES.md: DIRECTORY/*.png, which a person looks at and copies to docs/pages/.
# usage: pictures.sh PERFEX CONSOLE DIRECTORY	CONSOLE: of the machine that ran tests/vm/guest/pages.sh
set -u
perfex=${1:?usage: pictures.sh PERFEX CONSOLE DIRECTORY} console=${2:?} directory=${3:?}
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v chromium-headless-shell >/dev/null && ! command -v chromium >/dev/null; then
	echo "SKIP pictures: they need Debian's package chromium-headless-shell"
	exit 0
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/pictures.py" "$perfex" "$console" "$directory"
