// SPDX-License-Identifier: LGPL-2.1-or-later
use crate::{sys, Error, Result, Set, Target, ThisThread};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Once;

/// N events of the calling thread, read without a call where that is possible. In a child of
/// fork(2) they fail with ESRCH.
#[derive(Debug)]
pub struct Counters<const N: usize> {
    readers: [sys::perfctr_reader; N],
    set: Set,
    forks: u32,
    thread: ThisThread,
}

/// Counts the forks that led to this process: a child has not its parent's pages.
static FORKS: AtomicU32 = AtomicU32::new(0);

fn count_forks() {
    static COUNTED: Once = Once::new();
    extern "C" {
        fn pthread_atfork(
            prepare: Option<unsafe extern "C" fn()>,
            parent: Option<unsafe extern "C" fn()>,
            child: Option<unsafe extern "C" fn()>,
        ) -> i32;
    }
    unsafe extern "C" fn in_child() {
        FORKS.fetch_add(1, Relaxed);
    }
    COUNTED.call_once(|| unsafe {
        // It fails only where there is no memory for a few words.
        assert_eq!(pthread_atfork(None, None, Some(in_child)), 0, "there is no memory");
    });
}

/// Reads as C's inline function does, by its page; None: ask the library.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // a sign is extended
unsafe fn read_page(reader: &sys::perfctr_reader) -> Option<u64> {
    let page = reader.page.cast::<u32>(); // lock is word 2, index 3, offset 4 and 5
    let lock = page.add(2).read_volatile();
    let (counter, none) = page.add(3).read_volatile().overflowing_sub(1);
    if none {
        return None;
    }
    let (low, high): (u64, u64);
    // No "nomem": what stands before it is read before it.
    std::arch::asm!("rdpmc", in("ecx") counter, out("rax") low, out("rdx") high,
        options(nostack, preserves_flags));
    let (shift, offset) = (reader.shift, reader.page.cast::<u64>().add(2).read());
    std::arch::asm!("", options(nostack, preserves_flags));
    if page.add(2).read_volatile() != lock {
        return read_page_again(reader);
    }
    let value = ((high << 32 | low) << (shift & 63)) as i64 >> (shift & 63);
    Some((value as u64).wrapping_add(offset).wrapping_add(reader.base))
}

/// The kernel has changed the page meanwhile. This is no loop around it, whose beginning the compiler would align by
/// instructions that are counted.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
unsafe fn read_page_again(reader: &sys::perfctr_reader) -> Option<u64> {
    read_page(reader)
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn read_page(_: &sys::perfctr_reader) -> Option<u64> {
    None
}

/// What is before it has executed, what follows has not.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn fence() {
    std::arch::asm!("lfence", options(nostack, preserves_flags));
}

/// Where nothing is read inline the library's function has the fences.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn fence() {}

#[inline(always)]
unsafe fn read_page_ordered(reader: &sys::perfctr_reader) -> Option<u64> {
    fence();
    let value = read_page(reader);
    fence();
    value
}

/// The library's function for what can't be read inline.
type Ask = unsafe extern "C" fn(*const sys::perfctr_reader, *mut u64) -> i32;

impl<const N: usize> Counters<N> {
    /// EINVAL: the list has not N events.
    pub fn open(events: &str, flags: u32) -> Result<Counters<N>> {
        let set = Set::open(events, Target::default(), flags)?;
        if set.names().len() != N {
            return Err(Error::invalid(
                "the list has another number of events than the type: name as many as Counters<N> has",
            ));
        }
        let nothing = sys::perfctr_reader { page: std::ptr::null(), base: 0, shift: 0, types: 0 };
        let mut readers = [nothing; N];
        for (i, reader) in (0..).zip(&mut readers) {
            // What can't be read inline gets a reader that says so.
            unsafe { sys::perfctr_set_reader(set.c.as_ptr(), i, reader) };
        }
        count_forks();
        Ok(Counters { readers, set, forks: FORKS.load(Relaxed), thread: PhantomData })
    }
    #[inline(always)]
    fn is_here(&self) -> bool {
        self.forks == FORKS.load(Relaxed)
    }
    /// One of them, as C's inline function reads it; None: it is not in a register now.
    ///
    /// # Safety
    /// Not in a child of fork(2): the page is not there.
    #[inline(always)]
    #[must_use]
    pub unsafe fn read_inline(&self, i: usize) -> Option<u64> {
        read_page(&self.readers[i])
    }
    /// One of them.
    #[inline]
    pub fn read_one(&self, i: usize) -> Result<u64> {
        if self.is_here() {
            if let Some(value) = unsafe { read_page(&self.readers[i]) } {
                return Ok(value);
            }
        }
        self.ask_one(i, sys::perfctr_reader_read)
    }
    /// As [`read_inline()`](Counters::read_inline), between two fences: the instructions before it have executed, and those
    /// after it have not begun. For code so short that what overlaps with a read is a part of it.
    ///
    /// # Safety
    /// As [`read_inline()`](Counters::read_inline).
    #[inline(always)]
    #[must_use]
    pub unsafe fn read_inline_ordered(&self, i: usize) -> Option<u64> {
        read_page_ordered(&self.readers[i])
    }
    /// One of them, between two fences.
    #[inline]
    pub fn read_one_ordered(&self, i: usize) -> Result<u64> {
        if self.is_here() {
            if let Some(value) = unsafe { read_page_ordered(&self.readers[i]) } {
                return Ok(value);
            }
        }
        self.ask_one(i, sys::perfctr_reader_read_ordered)
    }
    /// All of them.
    #[inline]
    pub fn read(&self) -> Result<[u64; N]> {
        let mut values = [0; N];
        if !self.is_here() {
            return self.ask();
        }
        for (value, reader) in values.iter_mut().zip(&self.readers) {
            match unsafe { read_page(reader) } {
                Some(read) => *value = read,
                None => return self.ask(),
            }
        }
        Ok(values)
    }
    #[cold]
    #[inline(never)]
    fn ask_one(&self, i: usize, ask: Ask) -> Result<u64> {
        let mut value = 0;
        if self.is_here() && unsafe { ask(&self.readers[i], &mut value) } == 1 {
            return Ok(value);
        }
        Ok(self.set.read()?[i].value)
    }
    #[cold]
    #[inline(never)]
    fn ask(&self) -> Result<[u64; N]> {
        let mut values = [0; N];
        let mut pairs = self.readers.iter().zip(&mut values);
        let read = |(c, value): (&_, &mut _)| unsafe { sys::perfctr_reader_read(c, value) } == 1;
        if self.is_here() && pairs.all(read) {
            return Ok(values);
        }
        for (value, reading) in values.iter_mut().zip(self.set.read()?) {
            *value = reading.value;
        }
        Ok(values)
    }
    /// With times and quality.
    #[must_use]
    pub fn events(&self) -> &Set {
        &self.set
    }
}
