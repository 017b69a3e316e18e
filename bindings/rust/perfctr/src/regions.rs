// SPDX-License-Identifier: LGPL-2.1-or-later
//! Named parts of a program: how often each thread was in them, and its counts there.
use crate::{c_string, check, sys, Error, Quality, Result, ThisThread};
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A region by its name, for the program's whole life, in any thread.
#[derive(Clone, Copy, Debug)]
pub struct Region(NonNull<sys::perfctr_region>);

unsafe impl Send for Region {}
unsafe impl Sync for Region {}

/// One quantity of a region: sums over all visits.
#[derive(Clone, Copy, Debug)]
pub struct RegionValue {
    /// Of all that happened in the region.
    pub inclusive: u64,
    /// Without the counts of regions within it.
    pub exclusive: u64,
    /// How good both are.
    pub quality: Quality,
    /// Of a sum that is an estimate: its largest error.
    pub error: u64,
}

/// A region's counts.
#[derive(Clone, Debug)]
pub struct RegionReading {
    /// How often it was begun, ended, and counted.
    pub visits: u64,
    /// Visits that were left otherwise, or in which a thread still is.
    pub unfinished: u64,
    /// Visits of a thread that had no counters, or too many regions open.
    pub uncounted: u64,
    /// The time in ns, then the events.
    pub values: Vec<RegionValue>,
    /// Of [`add_bytes`].
    pub bytes_inclusive: u64,
    /// Without those of regions within.
    pub bytes_exclusive: u64,
    /// Of [`add_communication`], in ns.
    pub communication_inclusive: u64,
    /// Without that of regions within.
    pub communication_exclusive: u64,
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
        NonNull::new(found).map(Region::calibrated).ok_or_else(Error::last)
    }
    /// A copy that the library calibrates by calls as they are made here. There is one for each id.
    fn calibrated(found: NonNull<sys::perfctr_region>) -> Region {
        #[allow(clippy::declare_interior_mutable_const)] // it is only copied
        const NONE: AtomicPtr<sys::perfctr_region> = AtomicPtr::new(ptr::null_mut());
        static COPIES: [AtomicPtr<sys::perfctr_region>; 16384] = [NONE; 16384];
        let own = sys::perfctr_region { calibrate: Some(calibrate), ..unsafe { *found.as_ptr() } };
        let place = match COPIES.get(own.id as usize) {
            Some(place) => place,
            None => return Region(found),
        };
        let (acquire, release) = (Ordering::Acquire, Ordering::AcqRel);
        if let Some(copy) = NonNull::new(place.load(acquire)) {
            return Region(copy);
        }
        let new = NonNull::from(Box::leak(Box::new(own)));
        match place.compare_exchange(ptr::null_mut(), new.as_ptr(), release, acquire) {
            Ok(_) => Region(new),
            Err(first) => {
                drop(unsafe { Box::from_raw(new.as_ptr()) });
                NonNull::new(first).map_or(Region(found), Region)
            }
        }
    }
    /// Begins a visit, which lasts as long as what is returned.
    #[inline(always)]
    pub fn enter(self) -> RegionGuard {
        unsafe { sys::perfctr_region_begin(self.0.as_ptr()) };
        same();
        RegionGuard(self, PhantomData)
    }
    /// The counts of the calling thread. ENOENT: no visit yet.
    pub fn read(self) -> Result<RegionReading> {
        self.reading(sys::perfctr_region_read)
    }
    /// Those of all threads.
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
            error: value.error,
        });
        let values = values.collect();
        Ok(RegionReading {
            visits: c.visits,
            unfinished: c.unfinished,
            uncounted: c.uncounted,
            values,
            bytes_inclusive: c.bytes_inclusive,
            bytes_exclusive: c.bytes_exclusive,
            communication_inclusive: c.communication_inclusive,
            communication_exclusive: c.communication_exclusive,
        })
    }
    /// Forget the calling thread's counts.
    pub fn reset(self) -> Result<()> {
        check(unsafe { sys::perfctr_region_reset(self.0.as_ptr()) }).map(drop)
    }
}

impl Drop for RegionGuard {
    #[inline(always)]
    fn drop(&mut self) {
        unsafe { sys::perfctr_region_end(self.0 .0.as_ptr()) };
        same();
    }
}

/// This has no instructions, but keeps an end from becoming a jump, after instructions that leave the caller's function:
/// those would count for the region.
#[inline(always)]
fn same() {
    unsafe { std::arch::asm!("", options(nostack, preserves_flags)) };
}

/// The library calls this to learn what begin and end count in Rust. Programs differ by an instruction or two, as guards
/// are in registers or in memory, and so do two calls in a row: the difference is in the error of sums.
unsafe extern "C" fn calibrate() {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let name = b"\0".as_ptr().cast::<c_char>();
    let own = |id| sys::perfctr_region { name, id, overlaps: 0, calibrate: None };
    let (mut outer, mut middle, mut inner) = (own(2), own(3), own(4));
    let own = [NonNull::from(&mut outer), NonNull::from(&mut middle), NonNull::from(&mut inner)];
    if TURN.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
        visit(own[0].as_ptr(), own[1].as_ptr(), own[2].as_ptr());
    } else {
        visit_guarded(&own.map(Region));
    }
}

/// All is in registers.
#[inline(never)]
unsafe fn visit(
    outer: *mut sys::perfctr_region,
    middle: *mut sys::perfctr_region,
    inner: *mut sys::perfctr_region,
) {
    let [begin, end] = [sys::perfctr_region_begin, sys::perfctr_region_end]
        .map(|way: unsafe extern "C" fn(*mut sys::perfctr_region)| ptr::addr_of!(way).read_volatile());
    for region in [outer, middle, inner] {
        begin(region);
    }
    for region in [inner, middle, outer] {
        end(region);
    }
    same();
}

/// Regions are loaded from memory, and guards are where a panic would find them.
#[inline(never)]
unsafe fn visit_guarded(own: &[Region; 3]) {
    let load = |i: usize| ptr::addr_of!(own[i]).read_volatile();
    let mut outer = load(0).enter();
    opaque(&mut outer);
    let mut middle = load(1).enter();
    opaque(&mut middle);
    let mut inner = load(2).enter();
    opaque(&mut inner);
}

/// The compiler does not know what is in the guard from here on.
#[inline(always)]
fn opaque(guard: &mut RegionGuard) {
    unsafe { std::arch::asm!("/* {0} */", in(reg) guard, options(nostack, preserves_flags)) };
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

/// Say that the calling thread has communicated for this number of ns of elapsed time.
pub fn add_communication(ns: u64) {
    unsafe { sys::perfctr_region_add_communication(ns) }
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
