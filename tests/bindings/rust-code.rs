// SPDX-License-Identifier: LGPL-2.1-or-later
//! Two reads, one after the other: tests/bindings/rust.sh counts the instructions between them.
#![crate_type = "lib"]

#[no_mangle]
pub fn test_between(counters: &perfctr::Counters<1>) -> Option<u64> {
    let before = unsafe { counters.read_inline(0) }?;
    let after = unsafe { counters.read_inline(0) }?;
    Some(after.wrapping_sub(before))
}

#[no_mangle]
pub fn test_ordered(counters: &perfctr::Counters<1>) -> Option<u64> {
    let before = unsafe { counters.read_inline_ordered(0) }?;
    let after = unsafe { counters.read_inline_ordered(0) }?;
    Some(after.wrapping_sub(before))
}

#[no_mangle]
pub fn test_checked(counters: &perfctr::Counters<1>) -> u64 {
    let before = counters.read_one(0).unwrap_or(0);
    counters.read_one(0).unwrap_or(0).wrapping_sub(before)
}

#[no_mangle]
pub fn test_all(counters: &perfctr::Counters<1>) -> perfctr::Result<u64> {
    let before = counters.read()?;
    Ok(counters.read()?[0] - before[0])
}

#[no_mangle]
pub fn test_index(counters: &perfctr::Counters<2>, i: usize) -> u64 {
    let before = counters.read_one(i).unwrap_or(0);
    counters.read_one(i).unwrap_or(0).wrapping_sub(before)
}
