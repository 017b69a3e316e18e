// SPDX-License-Identifier: LGPL-2.1-or-later
use crate::{c_string, check, sys, Error, Result, SamplerConfig, Target};
use std::marker::PhantomData;
use std::os::unix::io::{AsRawFd, RawFd};
use std::ptr::{self, NonNull};

/// Records of an event, or of "{a,b}", whose first is sampled.
#[derive(Debug)]
pub struct Sampler(NonNull<sys::perfctr_sampler>);

unsafe impl Send for Sampler {}

/// A record, until the next call with its sampler: `record.c()` is C's.
///
/// ```compile_fail,E0499
/// let config = perfctr::SamplerConfig { period: 1, ..Default::default() };
/// let mut sampler = perfctr::Sampler::open("page-faults:u", Default::default(), &config).unwrap();
/// let first = sampler.next().unwrap();
/// let second = sampler.next().unwrap();
/// drop(first);
/// ```
#[derive(Clone, Copy)]
pub struct Record<'a>(*const sys::perfctr_record, PhantomData<&'a Sampler>);

impl<'a> Record<'a> {
    /// Its pointers are valid as long as this is.
    #[must_use]
    pub fn c(&self) -> &'a sys::perfctr_record {
        unsafe { &*self.0 }
    }
    /// `PERF_RECORD_SAMPLE`'s part, if it is one.
    #[must_use]
    pub fn sample(&self) -> Option<&'a sys::perfctr_record_sample> {
        const PERF_RECORD_SAMPLE: u32 = 9;
        let c = self.c();
        if c.type_ == PERF_RECORD_SAMPLE {
            return Some(unsafe { &c.as_.sample });
        }
        None
    }
    /// As the kernel wrote it.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        unsafe { std::slice::from_raw_parts(self.c().bytes.cast(), self.c().size.into()) }
    }
}

impl Sampler {
    /// Samples from here on, unless the flags say otherwise.
    #[allow(clippy::needless_pass_by_value)] // a target is made where it is named
    pub fn open(event: &str, target: Target, config: &SamplerConfig) -> Result<Sampler> {
        let name = c_string(event)?;
        let opened = target.with(|c| unsafe { sys::perfctr_sampler_open(name.as_ptr(), c, config) })?;
        NonNull::new(opened).map(Sampler).ok_or_else(Error::last)
    }
    /// The next record; None: there is none now.
    #[allow(clippy::should_implement_trait)] // a record borrows the sampler
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let mut record = ptr::null();
        let status = check(unsafe { sys::perfctr_sampler_next(self.0.as_ptr(), &mut record) })?;
        Ok(if status == 1 { Some(Record(record, PhantomData)) } else { None })
    }
    /// Samples from here on.
    pub fn enable(&mut self) -> Result<()> {
        check(unsafe { sys::perfctr_sampler_enable(self.0.as_ptr()) }).map(drop)
    }
    /// Samples no more until it is enabled.
    pub fn disable(&mut self) -> Result<()> {
        check(unsafe { sys::perfctr_sampler_disable(self.0.as_ptr()) }).map(drop)
    }
    /// How many records the kernel could not write.
    pub fn lost(&mut self) -> Result<u64> {
        let mut lost = 0;
        check(unsafe { sys::perfctr_sampler_lost(self.0.as_ptr(), &mut lost) })?;
        Ok(lost)
    }
    /// How often event i of the list (0: the sampled one) has happened in all that is sampled.
    pub fn count(&mut self, i: usize) -> Result<u64> {
        let mut count = 0;
        let i = u32::try_from(i).unwrap_or(u32::MAX);
        check(unsafe { sys::perfctr_sampler_count(self.0.as_ptr(), i, &mut count) })?;
        Ok(count)
    }
}

/// Readable when the kernel has woken it up; -1 in a child of fork(2).
impl AsRawFd for Sampler {
    fn as_raw_fd(&self) -> RawFd {
        unsafe { sys::perfctr_sampler_fd(self.0.as_ptr()) }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        unsafe { sys::perfctr_sampler_close(self.0.as_ptr()) }
    }
}
