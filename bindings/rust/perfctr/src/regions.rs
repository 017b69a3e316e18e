// SPDX-License-Identifier: LGPL-2.1-or-later
//! Named parts of a program: how often each thread was in them, and its counts there.
use crate::{c_string, check, sys, Error, Quality, Result, ThisThread};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A region by its name, for the program's whole life, in any thread.
#[derive(Clone, Copy, Debug)]
pub struct Region(NonNull<sys::perfctr_region>);

unsafe impl Send for Region {}
unsafe impl Sync for Region {}

/// One quantity of a region: sums over all visits.
#[derive(Clone, Copy, Debug)]
pub struct RegionValue {
    pub inclusive: u64,
    /// Without the counts of regions within it.
    pub exclusive: u64,
    pub quality: Quality,
}

#[derive(Clone, Debug)]
pub struct RegionReading {
    pub visits: u64,
    pub unfinished: u64,
    pub uncounted: u64,
    /// The time in ns, then the events.
    pub values: Vec<RegionValue>,
    /// Of [`add_bytes`].
    pub bytes_inclusive: u64,
    pub bytes_exclusive: u64,
}

/// The thread is in the region as long as this lives.
#[derive(Debug)]
#[must_use = "the region ends where this is dropped"]
pub struct RegionGuard(Region, ThisThread);

impl Region {
    /// EINVAL: the name is empty. ENOSPC, ENOMEM.
    pub fn find(name: &str) -> Result<Region> {
        let name = c_string(name)?;
        let found = unsafe { sys::perfctr_region_by_name(name.as_ptr()) };
        NonNull::new(found).map(Region).ok_or_else(Error::last)
    }
    pub fn enter(self) -> RegionGuard {
        unsafe { sys::perfctr_region_begin(self.0.as_ptr()) };
        RegionGuard(self, PhantomData)
    }
    /// Of the calling thread. ENOENT: no visit yet.
    pub fn read(self) -> Result<RegionReading> {
        self.reading(sys::perfctr_region_read)
    }
    pub fn read_all(self) -> Result<RegionReading> {
        self.reading(sys::perfctr_region_read_all)
    }
    fn reading(
        self,
        read: unsafe extern "C" fn(*const sys::perfctr_region, *mut sys::perfctr_region_reading) -> i32,
    ) -> Result<RegionReading> {
        let mut c: sys::perfctr_region_reading = unsafe { std::mem::zeroed() };
        check(unsafe { read(self.0.as_ptr(), &mut c) })?;
        let values = c.value.iter().take(c.nvalues as usize).map(|value| RegionValue {
            inclusive: value.inclusive,
            exclusive: value.exclusive,
            quality: Quality::of(value.quality),
        });
        let values = values.collect();
        Ok(RegionReading {
            visits: c.visits,
            unfinished: c.unfinished,
            uncounted: c.uncounted,
            values,
            bytes_inclusive: c.bytes_inclusive,
            bytes_exclusive: c.bytes_exclusive,
        })
    }
    /// Forget the calling thread's counts.
    pub fn reset(self) -> Result<()> {
        check(unsafe { sys::perfctr_region_reset(self.0.as_ptr()) }).map(drop)
    }
}

impl Drop for RegionGuard {
    fn drop(&mut self) {
        unsafe { sys::perfctr_region_end(self.0 .0.as_ptr()) }
    }
}

/// Measure from now on: the time, and events. keep is `sys::PERFCTR_REGIONS_MOMENTS` and so on.
pub fn start(events: &str, keep: u32) -> Result<()> {
    let events = c_string(events)?;
    check(unsafe { sys::perfctr_regions_start(events.as_ptr(), keep) }).map(drop)
}

/// Say that the calling thread has moved this number of bytes: they count for the regions that it is in.
pub fn add_bytes(bytes: u64) {
    unsafe { sys::perfctr_region_add_bytes(bytes) }
}

/// End it. Results stay.
pub fn stop() -> Result<()> {
    check(unsafe { sys::perfctr_regions_stop() }).map(drop)
}

/// Write all that was measured into a file; None: to the standard error. format is
/// `sys::PERFCTR_REGIONS_TABLE`, `_CSV` or `_JSON`.
pub fn report(file: Option<&str>, format: u32) -> Result<()> {
    let name = file.map(c_string).transpose()?;
    let c = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
    check(unsafe { sys::perfctr_regions_report(c, format) }).map(drop)
}
