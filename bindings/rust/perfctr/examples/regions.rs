// SPDX-License-Identifier: LGPL-2.1-or-later
//! Measures parts of a program by name, in two threads, and where page faults happen.
use perfctr::{regions, sys, Region, Result, Sampler, SamplerConfig, Target};

fn load(region: Region) -> usize {
    let _guard = region.enter();
    vec![1_u8; 1 << 20].iter().map(|&byte| usize::from(byte)).sum()
}

fn main() -> Result<()> {
    let region = Region::find("load")?;
    regions::start("page-faults:u", sys::PERFCTR_REGIONS_MOMENTS)?;
    load(region);
    std::thread::spawn(move || load(region)).join().expect("the thread has panicked");
    println!("{} visits", region.read_all()?.visits);
    regions::report(None, sys::PERFCTR_REGIONS_TABLE)?;
    regions::stop()?;

    // The field is PERF_SAMPLE_ADDR.
    let config = SamplerConfig { period: 1, fields: 1 << 3, ..SamplerConfig::default() };
    let mut sampler = Sampler::open("page-faults:u", Target::ThisThread, &config)?;
    load(region);
    let mut faults = 0;
    while let Some(record) = sampler.next()? {
        faults += usize::from(record.sample().map_or(false, |sample| sample.addr != 0));
    }
    println!("{} page faults, {} lost", faults, sampler.lost()?);
    Ok(())
}
