# SPDX-License-Identifier: LGPL-2.1-or-later
include bindings/cxx/local.mk
include bindings/fortran/local.mk
include bindings/python/local.mk
include bindings/rust/local.mk
dist_check_SCRIPTS += tests/bindings/languages.sh
TESTS += tests/bindings/languages.sh
EXTRA_DIST += tests/bindings/languages.c tests/bindings/judges.sh tests/bindings/shortest/c.c tests/bindings/shortest/cxx.cc \
	tests/bindings/shortest/fortran.f90 tests/bindings/shortest/python.py tests/bindings/shortest/rust.rs
EXTRA_DIST += bindings/README.md
