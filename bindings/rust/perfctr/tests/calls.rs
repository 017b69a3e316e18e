// SPDX-License-Identifier: LGPL-2.1-or-later
//! Every call, rightly and wrongly: the wrong ones must give their errno and sentence.
use perfctr::*;
use std::os::unix::io::AsRawFd;

const ENOENT: i32 = 2;
const ESRCH: i32 = 3;
const ENODEV: i32 = 19;
const EINVAL: i32 = 22;

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn munmap(at: *mut u8, size: usize) -> i32;
    fn gettid() -> i32;
}

/// Touches as many new pages.
fn fault(pages: usize) {
    let size = pages * 4096;
    unsafe {
        let memory = mmap(std::ptr::null_mut(), size, 3, 0x22, -1, 0);
        assert!(memory as isize != -1);
        for page in 0..pages {
            memory.add(page * 4096).write_volatile(1);
        }
        munmap(memory, size);
    }
}

fn fails<T>(errno: i32, words: &str, result: Result<T>) {
    match result {
        Ok(_) => panic!("success where errno {} was to be", errno),
        Err(error) => {
            assert_eq!(error.errno(), errno, "{}", error);
            assert!(error.to_string().contains(words), "{}", error);
        }
    }
}

/// True in a child of fork(2).
fn good_in_child(good: impl FnOnce() -> bool) -> bool {
    let mut status = 0;
    unsafe {
        let child = fork();
        if child == 0 {
            _exit(i32::from(!good()));
        }
        waitpid(child, &mut status, 0) == child && status == 0
    }
}

#[test]
fn errors() {
    let error = check_event("page-fautls").unwrap_err();
    assert_eq!((error.errno(), error.clone()), (EINVAL, error.clone()));
    assert!(error.to_string().contains("did you mean page-faults"));
    let io = std::io::Error::from(error);
    assert_eq!(io.kind(), std::io::ErrorKind::InvalidInput);
    assert!(io.to_string().contains("did you mean page-faults"));
    fails(EINVAL, "zero byte", check_event("a\0"));
    check_event("page-faults:u").unwrap();
    assert!(doctor().unwrap().iter().all(|finding| !finding.name.is_empty()));
}

#[test]
fn sets() {
    let mut set = Set::open("page-faults:u,task-clock", Target::default(), 0).unwrap();
    assert_eq!(set.names(), ["page-faults:u", "task-clock"]);
    let before = set.read().unwrap();
    fault(100);
    let after = set.read().unwrap();
    assert!((100..200).contains(&(after[0].value - before[0].value)));
    assert_eq!((after[1].quality, after[1].estimate), (Quality::Exact, after[1].value));
    assert!(after[1].enabled > 0 && after[1].enabled == after[1].running);
    assert_eq!(after.get("task-clock"), Some(&after[1]));
    assert!(after.get("cycles").is_none() && after != before);
    assert_eq!(after.named().map(|(name, _)| name).collect::<Vec<_>>(), set.names());
    assert_eq!(after.clone().into_iter().collect::<Vec<_>>(), after[..]);
    set.disable().unwrap();
    set.reset().unwrap();
    assert_eq!(set.read().unwrap()[0].value, 0);
    set.enable().unwrap();
    set.check().unwrap();
    assert_eq!((set.parts(), set.read_part(0).unwrap().len()), (1, 2));
    fails(EINVAL, "", set.read_part(1));
    fails(ESRCH, "", set.read_thread(1));
    fails(EINVAL, "zero byte", Set::open("a\0b", Target::default(), 0));
    fails(EINVAL, "page-faults", Set::open("page-fautls", Target::default(), 0));
    fails(ESRCH, "", Set::open("page-faults:u", Target::Thread(0x7ff_ffff), 0));
    fails(ESRCH, "", Set::open("page-faults:u", Target::Process(0x7ff_ffff), 0));
    fails(ENODEV, "", Set::open("task-clock", Target::Processor(8191), 0));
    fails(ENOENT, "", Set::open("task-clock", Target::Cgroup("/no/such".into()), 0));
    fails(EINVAL, "zero byte", Set::open("task-clock", Target::Cgroup("a\0".into()), 0));
    fails(EINVAL, "", Set::open("task-clock", Target::EveryProcessor, sys::PERFCTR_INHERIT));
    assert!(good_in_child(|| set.read().map_err(|e| e.errno()) == Err(ESRCH) && set.parts() == 0));
    // It may go to another thread, with the counts of its own.
    let (set, counted) = std::thread::spawn(move || {
        let before = set.read().unwrap()[0].value;
        fault(100);
        let counted = set.read().unwrap()[0].value - before;
        (set, counted)
    })
    .join()
    .unwrap();
    assert!(counted < 50 && set.read().is_ok());
    let process = Set::open("page-faults:u", Target::ThisProcess, sys::PERFCTR_INHERIT).unwrap();
    assert!(process.read_thread(unsafe { gettid() }).is_ok());
    assert!(Set::open("task-clock", Target::ThreadOnProcessor(0, 0), 0).is_ok());
}

#[test]
fn counters() {
    let counters = Counters::<2>::open("{page-faults:u,task-clock}", 0).unwrap();
    let before = counters.read().unwrap();
    fault(100);
    let after = counters.read().unwrap();
    assert!((100..200).contains(&(after[0] - before[0])) && after[1] > before[1]);
    assert!(counters.read_one(0).unwrap() >= after[0]);
    assert!(counters.read_one_ordered(0).unwrap() >= after[0]);
    assert_eq!(counters.events().names().len(), 2);
    fails(EINVAL, "another number", Counters::<3>::open("page-faults:u", 0));
    fails(EINVAL, "page-faults", Counters::<1>::open("page-fautls", 0));
    let one = || counters.read_one(1).map_err(|e| e.errno());
    let ordered = || counters.read_one_ordered(1).map_err(|e| e.errno());
    assert!(good_in_child(|| counters.read().map_err(|e| e.errno()) == Err(ESRCH) && one() == Err(ESRCH)));
    assert!(good_in_child(|| ordered() == Err(ESRCH)));
    assert!(one().is_ok());
    if let Ok(inline) = Counters::<1>::open("instructions:u", 0) {
        let (first, second) = (inline.read_one(0).unwrap(), inline.read_one(0).unwrap());
        // Without optimization, and by read(2) where RDPMC is forbidden.
        assert!(second > first && second - first < 100_000, "{}", second - first);
        let (first, second) = (inline.read_one_ordered(0).unwrap(), inline.read_one_ordered(0).unwrap());
        assert!(second > first && second - first < 100_000, "{}", second - first);
    }
}

#[test]
fn samplers() {
    let nothing = SamplerConfig::default();
    fails(EINVAL, "period", Sampler::open("page-faults:u", Target::default(), &nothing));
    // The field is PERF_SAMPLE_ADDR.
    let config = SamplerConfig { period: 1, fields: 1 << 3, ..nothing };
    let mut sampler = Sampler::open("page-faults:u", Target::default(), &config).unwrap();
    fault(50);
    sampler.disable().unwrap();
    let mut samples = 0;
    while let Some(record) = sampler.next().unwrap() {
        samples += u32::from(record.sample().map_or(false, |sample| sample.addr != 0));
        assert_eq!(record.bytes().len(), record.c().size.into());
    }
    assert!(samples >= 50 && sampler.lost().unwrap() == 0 && sampler.as_raw_fd() >= 0);
    assert_eq!(sampler.count(0).unwrap(), samples.into());
    fails(EINVAL, "no event 1", sampler.count(1));
    sampler.enable().unwrap();
    fails(EINVAL, "zero byte", Sampler::open("a\0", Target::default(), &config));
    fails(EINVAL, "page-faults", Sampler::open("page-fautls", Target::default(), &config));
    assert!(good_in_child(|| sampler.next().map(drop).map_err(|e| e.errno()) == Err(ESRCH)));
}

#[test]
fn metrics() {
    let metrics = Metrics::open("ipc", Some("skylake")).unwrap();
    assert!(metrics.len() == 1 && !metrics.is_empty() && metrics.events().contains("instructions"));
    let counted = Set::open("page-faults:u,task-clock", Target::default(), 0).unwrap();
    fault(10);
    let value = metrics.value(0, &counted.read().unwrap()).unwrap();
    assert!(value.value.unwrap() < 1.0 && value.beyond && value.quality == Quality::Exact);
    let readings = counted.read().unwrap();
    assert!(good_in_child(|| metrics.len() == 1 && metrics.value(0, &readings).is_ok()));
    fails(EINVAL, "", metrics.value(1, &counted.read().unwrap()));
    fails(EINVAL, "another number", metrics.value(0, &[]));
    let set = Set::open("page-faults:u,nonsense/event=1/", Target::default(), sys::PERFCTR_PARTIAL).unwrap();
    assert!(metrics.value(0, &set.read().unwrap()).unwrap().value.is_err());
    fails(EINVAL, "no-such", Metrics::open("no-such", Some("skylake")));
    fails(ENOENT, "no-such", Metrics::open("ipc", Some("no-such")));
    fails(EINVAL, "zero byte", Metrics::open("ipc", Some("a\0")));
    fails(EINVAL, "zero byte", Metrics::open("a\0", None));
}

#[test]
fn measured_regions() {
    const EALREADY: i32 = 114;
    let region = Region::find("tested").unwrap();
    fails(EINVAL, "", Region::find(""));
    fails(EINVAL, "zero byte", Region::find("a\0"));
    fails(EINVAL, "", regions::stop());
    fails(EINVAL, "page-faults", regions::start("page-fautls", 0));
    fails(EINVAL, "zero byte", regions::start("a\0", 0));
    regions::start("page-faults:u", 0).unwrap();
    fails(EALREADY, "", regions::start("", 0));
    fails(ENOENT, "", region.read());
    {
        let _outer = region.enter();
        let _inner = region.enter();
        regions::add_bytes(20);
        regions::add_communication(30);
        fault(50);
    }
    std::thread::spawn(move || drop(region.enter())).join().unwrap();
    assert_eq!((region.read().unwrap().visits, region.read_all().unwrap().visits), (2, 3));
    let reading = region.read().unwrap();
    assert_eq!((reading.bytes_inclusive, reading.bytes_exclusive), (40, 20));
    assert_eq!((reading.communication_inclusive, reading.communication_exclusive), (60, 30));
    let value = reading.values[1];
    assert!((100..150).contains(&value.inclusive) && (50..75).contains(&value.exclusive), "{:?}", value);
    fails(ENOENT, "", regions::report(Some("/no/such/file"), sys::PERFCTR_REGIONS_CSV));
    fails(EINVAL, "zero byte", regions::report(Some("a\0"), sys::PERFCTR_REGIONS_CSV));
    fails(EINVAL, "", regions::report(None, 100));
    region.reset().unwrap();
    assert_eq!(region.read().unwrap().visits, 0);
    assert!(good_in_child(|| {
        drop(region.enter());
        regions::stop().is_err()
    }));
    regions::stop().unwrap();
}
