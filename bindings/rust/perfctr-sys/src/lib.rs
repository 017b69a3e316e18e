// SPDX-License-Identifier: LGPL-2.1-or-later
//! Declarations of libperfctr, as bindgen has made them from its headers: `bindings/rust/generate`.
#![allow(non_camel_case_types, non_upper_case_globals, clippy::all)]

include!("bindings.rs");

// What is inline in C, and functions of the library for other languages.
#[link(name = "perfctr")]
extern "C" {
    pub fn perfctr_reader_read(reader: *const perfctr_reader, value: *mut u64) -> i32;
    pub fn perfctr_reader_read_ordered(reader: *const perfctr_reader, value: *mut u64) -> i32;
    pub fn perfctr_region_begin(region: *mut perfctr_region);
    pub fn perfctr_region_end(region: *mut perfctr_region);
}

impl Default for perfctr_sampler_config {
    fn default() -> Self {
        // C's is all zero but for what is set.
        unsafe { std::mem::zeroed() }
    }
}
