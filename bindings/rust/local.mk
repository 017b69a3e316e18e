# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs name the crate by its path, or vendor it: see perfctr_rust(7).
EXTRA_DIST += bindings/rust/Cargo.toml bindings/rust/generate bindings/rust/rustfmt.toml \
	bindings/rust/perfctr-sys/Cargo.toml bindings/rust/perfctr-sys/src/bindings.rs bindings/rust/perfctr-sys/src/lib.rs \
	bindings/rust/perfctr/Cargo.toml bindings/rust/perfctr/src/lib.rs bindings/rust/perfctr/src/reader.rs \
	bindings/rust/perfctr/src/regions.rs bindings/rust/perfctr/src/sampler.rs bindings/rust/perfctr/tests/calls.rs \
	bindings/rust/perfctr/examples/count.rs bindings/rust/perfctr/examples/regions.rs
dist_check_SCRIPTS += tests/bindings/rust.sh
TESTS += tests/bindings/rust.sh
EXTRA_DIST += tests/bindings/rust-arguments.rs tests/bindings/rust-code.rs
