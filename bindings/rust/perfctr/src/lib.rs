// SPDX-License-Identifier: LGPL-2.1-or-later
//! Hardware performance counters of threads, processes and processors, by libperfctr.
//!
//! ```
//! let set = perfctr::Set::open("page-faults:u,task-clock", perfctr::Target::default(), 0)?;
//! // ... the work ...
//! for (name, reading) in set.read()?.named() {
//!     println!("{}: {} {:?}", name, reading.value, reading.quality);
//! }
//! # Ok::<(), perfctr::Error>(())
//! ```
//!
//! What belongs to a thread can't be sent to another:
//!
//! ```compile_fail,E0277
//! let counters = perfctr::Counters::<1>::open("page-faults:u", 0).unwrap();
//! std::thread::spawn(move || counters.read());
//! ```
//!
//! ```compile_fail,E0277
//! let region = perfctr::Region::find("solve").unwrap();
//! let guard = region.enter();
//! std::thread::spawn(move || drop(guard));
//! ```
//!
//! # Errors
//! A call fails as its function in C, whose page has the codes; what a comment here says is beside these.
#![warn(missing_docs, clippy::pedantic)]
#![allow(clippy::missing_errors_doc)] // they are above
#![allow(clippy::inline_always)] // what a read executes is counted: it must not depend on the compiler's choice

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

pub use perfctr_sys as sys;

mod reader;
pub mod regions;
mod sampler;

pub use reader::Counters;
pub use regions::{Region, RegionGuard};
pub use sampler::{Record, Sampler};
/// C's options of a sampler, whose default is all zero: `SamplerConfig { period: 1000, ..Default::default() }`.
pub use sys::perfctr_sampler_config as SamplerConfig;

/// Why a call failed: errno, and one sentence with the cause and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    errno: i32,
    sentence: String,
}

/// What calls return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// This thread's last failure in the library.
    fn last() -> Error {
        let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        Error { errno, sentence: text(unsafe { sys::perfctr_error() }) }
    }
    fn invalid(sentence: &str) -> Error {
        Error { errno: 22, sentence: sentence.to_string() }
    }
    /// Its number, as of errno(3).
    #[must_use]
    pub fn errno(&self) -> i32 {
        self.errno
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = std::io::Error::from_raw_os_error(error.errno).kind();
        std::io::Error::new(kind, error)
    }
}

fn text(c: *const c_char) -> String {
    if c.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(c) }.to_string_lossy().into_owned()
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|_| Error::invalid("a name has a zero byte in it: remove it, since no name has one"))
}

fn check(status: c_int) -> Result<c_int> {
    if status < 0 {
        return Err(Error::last());
    }
    Ok(status)
}

/// How good a count is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// It was counted all the time.
    Exact,
    /// As far as is known: nothing looked for what may have stopped it.
    Unwatched,
    /// The event's code was not verified on this processor.
    Unverified,
    /// It may be off by an error that is known.
    Estimate,
    /// It was multiplexed: the estimate is scaled.
    Scaled,
    /// It was never on a counter.
    NotCounted,
    /// The kernel has ended it early.
    Stale,
    /// One that a later library has added.
    Unknown,
}

impl Quality {
    fn of(c: u32) -> Quality {
        match c {
            0 => Quality::Exact,
            1 => Quality::Unwatched,
            2 => Quality::Unverified,
            3 => Quality::Estimate,
            4 => Quality::Scaled,
            5 => Quality::NotCounted,
            6 => Quality::Stale,
            _ => Quality::Unknown,
        }
    }
}

/// One counter, read; times are ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What was counted.
    pub value: u64,
    /// For how long the event was to be counted.
    pub enabled: u64,
    /// For how long it was on a counter.
    pub running: u64,
    /// The best estimate for the whole time, if the event was multiplexed; else the value.
    pub estimate: u64,
    /// How good the value is.
    pub quality: Quality,
}

impl Reading {
    fn of(c: &sys::perfctr_reading) -> Reading {
        Reading {
            value: c.value,
            enabled: c.enabled,
            running: c.running,
            estimate: unsafe { sys::perfctr_reading_estimate(c) },
            quality: Quality::of(c.quality),
        }
    }
    fn c(&self) -> sys::perfctr_reading {
        let Reading { value, enabled, running, quality, .. } = *self;
        sys::perfctr_reading { value, enabled, running, quality: quality as u32, reserved: 0 }
    }
}

/// The readings of a set's events, in their order and with their names: a slice of [`Reading`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings {
    names: Arc<[String]>,
    readings: Vec<Reading>,
}

impl Readings {
    /// Each with its event's name.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Reading)> {
        self.names.iter().map(String::as_str).zip(&self.readings)
    }
    /// That of an event by its name, the first one if it was named twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Reading> {
        self.named().find(|(own, _)| *own == name).map(|(_, reading)| reading)
    }
}

impl std::ops::Deref for Readings {
    type Target = [Reading];
    fn deref(&self) -> &[Reading] {
        &self.readings
    }
}

impl IntoIterator for Readings {
    type Item = Reading;
    type IntoIter = std::vec::IntoIter<Reading>;
    fn into_iter(self) -> Self::IntoIter {
        self.readings.into_iter()
    }
}

/// What is counted; the default is the calling thread.
#[derive(Clone, Debug, Default)]
pub enum Target {
    /// The calling thread.
    #[default]
    ThisThread,
    /// A thread by its id.
    Thread(i32),
    /// All threads of the calling process.
    ThisProcess,
    /// All threads of a process by its id.
    Process(i32),
    /// A processor by its number, whatever runs there.
    Processor(i32),
    /// All processors.
    EveryProcessor,
    /// What runs in a cgroup, by its directory.
    Cgroup(String),
    /// A thread while it is on a processor.
    ThreadOnProcessor(i32, i32),
}

impl Target {
    /// Calls open() with C's target.
    fn with<T>(&self, open: impl FnOnce(*const sys::perfctr_target) -> T) -> Result<T> {
        let (type_, id, cpu) = match *self {
            Target::ThisThread => (sys::PERFCTR_TARGET_THREAD, 0, 0),
            Target::Thread(tid) => (sys::PERFCTR_TARGET_THREAD, tid, 0),
            Target::ThisProcess => (sys::PERFCTR_TARGET_PROCESS, 0, 0),
            Target::Process(pid) => (sys::PERFCTR_TARGET_PROCESS, pid, 0),
            Target::Processor(number) => (sys::PERFCTR_TARGET_CPU, number, 0),
            Target::EveryProcessor => (sys::PERFCTR_TARGET_CPU, -1, 0),
            Target::Cgroup(_) => (sys::PERFCTR_TARGET_CGROUP, 0, 0),
            Target::ThreadOnProcessor(tid, cpu) => (sys::PERFCTR_TARGET_THREAD_ON_CPU, tid, cpu),
        };
        let directory = match self {
            Target::Cgroup(directory) => Some(c_string(directory)?),
            _ => None,
        };
        let cgroup = directory.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        Ok(open(&sys::perfctr_target { type_, id, cpu, cgroup, reserved: [0; 4] }))
    }
}

/// Events by name, "a,b" or the group "{a,b}", counted on a target. flags are of `sys`, or'ed:
/// `sys::PERFCTR_INHERIT` and so on. Any thread may read it, one at a time.
#[derive(Debug)]
pub struct Set {
    c: NonNull<sys::perfctr_set>,
    names: Arc<[String]>,
}

// Calls on it are for any thread; `&Set` is not, since two at a time are not.
unsafe impl Send for Set {}

impl Set {
    /// Counts from here on, unless the flags say otherwise.
    #[allow(clippy::needless_pass_by_value)] // a target is made where it is named
    pub fn open(events: &str, target: Target, flags: u32) -> Result<Set> {
        let list = c_string(events)?;
        let opened = target.with(|c| unsafe { sys::perfctr_set_open(list.as_ptr(), c, flags) })?;
        let c = NonNull::new(opened).ok_or_else(Error::last)?;
        let size = unsafe { sys::perfctr_set_size(opened) };
        let names = (0..size).map(|i| text(unsafe { sys::perfctr_set_name(opened, i) })).collect();
        Ok(Set { c, names })
    }
    /// The names of the events, in their order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
    fn readings(&self, read: impl FnOnce(*mut sys::perfctr_reading) -> c_int) -> Result<Readings> {
        let nothing = sys::perfctr_reading { value: 0, enabled: 0, running: 0, quality: 0, reserved: 0 };
        let mut c = vec![nothing; self.names.len()];
        check(read(c.as_mut_ptr()))?;
        Ok(Readings { names: Arc::clone(&self.names), readings: c.iter().map(Reading::of).collect() })
    }
    /// Sums over all parts.
    pub fn read(&self) -> Result<Readings> {
        self.readings(|c| unsafe { sys::perfctr_set_read(self.c.as_ptr(), c) })
    }
    /// One thread's or processor's share: part i of [`parts()`](Set::parts).
    pub fn read_part(&self, part: u32) -> Result<Readings> {
        self.readings(|c| unsafe { sys::perfctr_set_read_part(self.c.as_ptr(), part, c) })
    }
    /// A thread's share, by its id.
    pub fn read_thread(&self, tid: i32) -> Result<Readings> {
        self.readings(|c| unsafe { sys::perfctr_set_read_thread(self.c.as_ptr(), tid, c) })
    }
    /// The number of threads or processors that it counts apart.
    #[must_use]
    pub fn parts(&self) -> u32 {
        unsafe { sys::perfctr_set_parts(self.c.as_ptr()) }
    }
    /// Counts from here on.
    pub fn enable(&mut self) -> Result<()> {
        check(unsafe { sys::perfctr_set_enable(self.c.as_ptr()) }).map(drop)
    }
    /// Counts no more until the set is enabled.
    pub fn disable(&mut self) -> Result<()> {
        check(unsafe { sys::perfctr_set_disable(self.c.as_ptr()) }).map(drop)
    }
    /// Makes all values 0.
    pub fn reset(&mut self) -> Result<()> {
        check(unsafe { sys::perfctr_set_reset(self.c.as_ptr()) }).map(drop)
    }
    /// ESTALE: the kernel has ended events early.
    pub fn check(&self) -> Result<()> {
        check(unsafe { sys::perfctr_set_check(self.c.as_ptr()) }).map(drop)
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        unsafe { sys::perfctr_set_close(self.c.as_ptr()) }
    }
}

/// A finding about a program's access to counters.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was looked at.
    pub name: String,
    /// How it is.
    pub state: String,
    /// A change that makes it work, or allows more; or empty.
    pub remedy: String,
    /// False: because of this, something does not work.
    pub ok: bool,
}

/// What decides which events can be counted here.
pub fn doctor() -> Result<Vec<Finding>> {
    unsafe extern "C" fn each(found: *mut c_void, c: *const sys::perfctr_check) -> c_int {
        let (found, c) = (&mut *found.cast::<Vec<Finding>>(), &*c);
        let (name, state, remedy) = (text(c.name), text(c.state), text(c.remedy));
        found.push(Finding { name, state, remedy, ok: c.ok != 0 });
        0
    }
    let mut found = Vec::<Finding>::new();
    check(unsafe { sys::perfctr_doctor(Some(each), ptr::addr_of_mut!(found).cast()) })?;
    Ok(found)
}

/// Whether an event has a right name that this machine knows.
pub fn check_event(event: &str) -> Result<()> {
    let name = c_string(event)?;
    check(unsafe { sys::perfctr_event_check(name.as_ptr()) }).map(drop)
}

/// Formulas over counts, and their values from readings of their events.
#[derive(Debug)]
pub struct Metrics(NonNull<sys::perfctr_metrics>);

// As in C: any thread may use them.
unsafe impl Send for Metrics {}
unsafe impl Sync for Metrics {}

/// A metric's value.
#[derive(Clone, Debug)]
pub struct MetricValue {
    /// None: there is no value, for this reason.
    pub value: std::result::Result<f64, String>,
    /// That of the worst of its readings.
    pub quality: Quality,
    /// It is beyond its threshold.
    pub beyond: bool,
}

impl Metrics {
    /// By their names, "a,b", of a processor by its id, or of this machine's.
    pub fn open(names: &str, processor: Option<&str>) -> Result<Metrics> {
        let names = c_string(names)?;
        let id = processor.map(c_string).transpose()?;
        let c = id.as_ref().map_or(ptr::null(), |id| id.as_ptr());
        let opened = unsafe { sys::perfctr_metrics_open(names.as_ptr(), c) };
        NonNull::new(opened).map(Metrics).ok_or_else(Error::last)
    }
    /// The number of metrics.
    #[must_use]
    pub fn len(&self) -> usize {
        unsafe { sys::perfctr_metrics_size(self.0.as_ptr()) as usize }
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The list of events to open.
    #[must_use]
    pub fn events(&self) -> String {
        text(unsafe { sys::perfctr_metrics_events(self.0.as_ptr(), ptr::null_mut()) })
    }
    /// Metric i, from readings of these events. EINVAL: they are of another number of events.
    pub fn value(&self, i: u32, readings: &[Reading]) -> Result<MetricValue> {
        let mut n = 0;
        unsafe { sys::perfctr_metrics_events(self.0.as_ptr(), &mut n) };
        if readings.len() != n as usize {
            return Err(Error::invalid(
                "the readings have another number of events than the metrics: read a set of events()",
            ));
        }
        let c: Vec<_> = readings.iter().map(Reading::c).collect();
        let mut found: sys::perfctr_metric_value = unsafe { std::mem::zeroed() };
        let at = self.0.as_ptr();
        check(unsafe { sys::perfctr_metrics_value(at, i, c.as_ptr(), &mut found) })?;
        let value = if found.reason.is_null() { Ok(found.value) } else { Err(text(found.reason)) };
        Ok(MetricValue { value, quality: Quality::of(found.quality), beyond: found.beyond != 0 })
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        unsafe { sys::perfctr_metrics_close(self.0.as_ptr()) }
    }
}

/// What makes a type neither `Send` nor `Sync`.
type ThisThread = PhantomData<*const ()>;
