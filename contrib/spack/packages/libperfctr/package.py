# SPDX-License-Identifier: LGPL-2.1-or-later
# A recipe for Spack: "spack repo add contrib/spack", then "spack dev-build libperfctr@main" in a checkout. Tried with Spack
# 0.23.0.dev0 of June 2024, its old concretizer, for which the line of the C compiler had to go, Debian's autotools, pkgconf and
# elfutils, and +libelf~libpfm4: perfex and a program by pkg-config ran. Not tried: Spack 1.0 and later, clingo, other variants.
from spack.package import *


class Libperfctr(AutotoolsPackage):
    """A program's own hardware performance counters, 64-bit, per thread, read in user space."""

    license("LGPL-2.1-or-later")

    version("main", branch="main")

    variant("libelf", default=True, description="Names of functions in perfex --sample, and calls by DWARF")
    variant("libpfm4", default=False, description="libpfm.so.4 over libperfctr, for perfex --as-libpfm4")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils", when="+libelf")

    def configure_args(self):
        return [
            "--without-check",
            "--without-valgrind-tool",
            "--enable-libpfm4" if self.spec.satisfies("+libpfm4") else "--disable-libpfm4",
            *self.with_or_without("libelf"),
            "--with-libdw" if self.spec.satisfies("+libelf") else "--without-libdw",
        ]
