# SPDX-License-Identifier: LGPL-2.1-or-later
include bindings/cxx/local.mk
EXTRA_DIST += bindings/README.md
