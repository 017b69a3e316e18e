// SPDX-License-Identifier: LGPL-2.1-or-later
//! What goes from the crate into the library and back, over recorder.c: each argument arrives in its place with a value of
//! its own, each member comes back under its name, each failure is told.
use perfctr::{
    regions, sys, Counters, Metrics, Quality, Reading, Region, Sampler, SamplerConfig, Set, Target,
};
use std::ffi::CStr;
use std::os::raw::{c_char, c_int};
use std::os::unix::io::AsRawFd;

extern "C" {
    fn recorded() -> *const c_char;
    fn recorder_fails(now: c_int);
}

const EXDEV: i32 = 18;

fn found() -> String {
    unsafe { CStr::from_ptr(recorded()) }.to_str().unwrap().to_string()
}

fn fails<T>(call: impl FnOnce() -> T) -> T {
    unsafe { recorder_fails(1) };
    let result = call();
    unsafe { recorder_fails(0) };
    found();
    result
}

/// These calls are made, and a failure of the first of them is the result's.
fn calls<T>(expected: &str, mut call: impl FnMut() -> perfctr::Result<T>) {
    found();
    assert!(call().is_ok(), "{expected}");
    assert_eq!(found(), expected);
    let error = fails(|| call().err()).expect(expected);
    assert_eq!((error.errno(), error.to_string()), (EXDEV, "made up".to_string()), "{expected}");
}

/// These calls can't fail.
fn makes<T>(expected: &str, call: impl FnOnce() -> T) {
    found();
    call();
    assert_eq!(found(), expected);
}

fn reading(k: u64) -> Reading {
    let (value, enabled, running) = (100 * k + 1, 100 * k + 2, 100 * k + 3);
    let estimate = value * 1000 + enabled * 100 + running * 10 + 4;
    Reading { value, enabled, running, estimate, quality: Quality::Scaled }
}

fn opens() {
    for (target, c) in [
        (Target::ThisThread, "0:0:0:-"),
        (Target::Thread(5), "0:5:0:-"),
        (Target::ThisProcess, "1:0:0:-"),
        (Target::Process(5), "1:5:0:-"),
        (Target::Processor(5), "2:5:0:-"),
        (Target::EveryProcessor, "2:-1:0:-"),
        (Target::Cgroup("a/b".to_string()), "3:0:0:a/b"),
        (Target::ThreadOnProcessor(5, 6), "4:5:6:-"),
    ] {
        calls(&format!("set_open a,b {c} 7; set_close 100"), || Set::open("a,b", target.clone(), 7));
        let config = SamplerConfig { period: 9, flags: 8, ..Default::default() };
        calls(&format!("sampler_open a {c} 9 8; sampler_close 400"), || {
            Sampler::open("a", target.clone(), &config)
        });
    }
    calls("set_open a 0:0:0:- 7; set_reader 100 0; set_reader 100 1; set_close 100", || {
        Counters::<2>::open("a", 7)
    });
    calls("metrics_open a p; metrics_close 300", || Metrics::open("a", Some("p")));
    calls("metrics_open a -; metrics_close 300", || Metrics::open("a", None));
    calls("region_by_name r", || Region::find("r"));
}

fn sets() {
    let mut set = Set::open("a", Target::default(), 0).unwrap();
    calls("set_enable 100", || set.enable());
    calls("set_disable 100", || set.disable());
    calls("set_reset 100", || set.reset());
    calls("set_check 100", || set.check());
    calls("set_read 100", || set.read());
    calls("set_read_part 100 3", || set.read_part(3));
    calls("set_read_thread 100 4", || set.read_thread(4));
    assert_eq!((set.names(), set.parts()), (&["first".to_string(), "second".to_string()][..], 20));
    for readings in [set.read(), set.read_part(0), set.read_thread(0)] {
        let readings = readings.unwrap();
        assert_eq!(readings[..], [reading(0), reading(1)]);
        assert_eq!(readings.get("second"), Some(&reading(1)));
    }
    found();
    calls("event_check a", || perfctr::check_event("a"));
    calls("doctor", perfctr::doctor);
    let checks = perfctr::doctor().unwrap();
    assert_eq!(
        (&checks[0].name[..], &checks[0].state[..], &checks[0].remedy[..]),
        ("a name", "a state", "a remedy")
    );
    assert_eq!((checks.len(), checks[0].ok, checks[1].ok), (2, true, false));
}

fn metrics() {
    let metrics = Metrics::open("a", None).unwrap();
    found();
    // The second reading's words are noted.
    let expected = format!("metrics_value 300 3 {}", reading(1).estimate);
    calls(&expected, || metrics.value(3, &[reading(0), reading(1)]));
    assert_eq!((metrics.len(), metrics.events()), (9, "first,second".to_string()));
    let (good, bad) =
        (metrics.value(0, &[reading(0); 2]).unwrap(), metrics.value(7, &[reading(0); 2]).unwrap());
    assert_eq!((good.value, good.quality, good.beyond), (Ok(2.5), Quality::Stale, false));
    assert_eq!((bad.value, bad.beyond), (Err("a reason".to_string()), false));
    assert!(metrics.value(6, &[reading(0); 2]).unwrap().beyond);
    assert!(metrics.value(0, &[reading(0); 3]).is_err());
}

fn samplers() {
    let mut sampler = Sampler::open("a", Target::default(), &SamplerConfig::default()).unwrap();
    calls("sampler_enable 400", || sampler.enable());
    calls("sampler_disable 400", || sampler.disable());
    calls("sampler_lost 400", || sampler.lost());
    calls("sampler_count 400 7", || sampler.count(7));
    makes("sampler_fd 400", || assert_eq!(sampler.as_raw_fd(), 23));
    assert_eq!((sampler.lost().unwrap(), sampler.count(0).unwrap()), (21, 22));
    let first = sampler.next().unwrap().unwrap();
    assert_eq!((first.bytes(), first.sample().map(|sample| sample.ip)), (&b"xy"[..], Some(24)));
    let second = sampler.next().unwrap().unwrap();
    assert!(second.bytes() == b"x" && second.sample().is_none());
    assert!(sampler.next().unwrap().is_none());
    found();
    calls("sampler_next 400", || sampler.next().map(drop));
}

fn regions_() {
    let region = Region::find("r").unwrap();
    calls("region_read 9", || region.read());
    calls("region_read_all 9", || region.read_all());
    calls("region_reset 9", || region.reset());
    makes("region_begin 9; region_end 9", || region.enter());
    for reading in [region.read(), region.read_all()] {
        let reading = reading.unwrap();
        assert_eq!((reading.visits, reading.unfinished, reading.uncounted), (31, 32, 33));
        assert_eq!((reading.values.len(), reading.bytes_inclusive, reading.bytes_exclusive), (2, 34, 35));
        for (value, more, quality) in
            [(reading.values[0], 0, Quality::Estimate), (reading.values[1], 10, Quality::Scaled)]
        {
            assert_eq!((value.inclusive, value.exclusive, value.error), (41 + more, 42 + more, 43 + more));
            assert_eq!(value.quality, quality);
        }
    }
    calls("regions_start a 5", || regions::start("a", 5));
    calls("regions_stop", regions::stop);
    calls("regions_report f 2", || regions::report(Some("f"), sys::PERFCTR_REGIONS_JSON));
    calls("regions_report - 0", || regions::report(None, sys::PERFCTR_REGIONS_TABLE));
    makes("region_add_bytes 8", || regions::add_bytes(8));
    makes("region_add_communication 9", || regions::add_communication(9));
}

/// Counters that can't be read inline are asked for.
fn counters() {
    let counters = Counters::<2>::open("a", 0).unwrap();
    calls("set_read 100", || counters.read());
    calls("set_read 100", || counters.read_one(1));
    calls("set_read 100", || counters.read_one_ordered(1));
    assert_eq!(counters.read().unwrap(), [1, 101]);
    assert_eq!((counters.read_one(1).unwrap(), counters.read_one_ordered(1).unwrap()), (101, 101));
}

fn main() {
    opens();
    sets();
    metrics();
    samplers();
    regions_();
    counters();
}
