// SPDX-License-Identifier: LGPL-2.1-or-later
//! Counts a piece of code in this thread, inline where that is possible, and what it costs in all threads.
use perfctr::{sys, Counters, Result, Set, Target};

fn work() -> f64 {
    (1..100_000).map(|k| 1.0 / f64::from(k).powi(2)).sum()
}

fn main() -> Result<()> {
    // Without a PMU, as in many virtual machines, there are still the kernel's own events.
    let counters = Counters::<2>::open("{instructions:u,cycles:u}", 0).or_else(|error| {
        eprintln!("{}", error);
        Counters::open("{page-faults:u,task-clock}", 0)
    })?;
    let process = Set::open("page-faults:u", Target::ThisProcess, sys::PERFCTR_INHERIT)?;
    let before = counters.read()?;
    let sum = work();
    let after = counters.read()?;
    println!("the sum is {}", sum);
    for (i, name) in counters.events().names().iter().enumerate() {
        println!("{:16} {:12}", name, after[i] - before[i]);
    }
    std::thread::spawn(work).join().expect("the thread has panicked");
    for (name, reading) in process.read()?.named() {
        println!("{:16} {:12} {:?}, with threads", name, reading.estimate, reading.quality);
    }
    Ok(())
}
