# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs compile it: a module's file belongs to its compiler.
perfctrinclude_HEADERS += bindings/fortran/perfctr.f90
fortranexampledir = $(docdir)/examples/fortran
dist_fortranexample_DATA = bindings/fortran/examples/count.f90 bindings/fortran/examples/regions.f90
dist_check_SCRIPTS += tests/bindings/fortran.sh
TESTS += tests/bindings/fortran.sh
EXTRA_DIST += tests/bindings/fortran.f90 tests/bindings/fortran-arguments.f90
