// SPDX-License-Identifier: LGPL-2.1-or-later
//! The Rust binding where counters are exact: a loop that is longer by N instructions counts exactly N
//! more, by each way of reading, and an inline read is as long as the page says.
use perfctr::{regions, Counters, Region, Result, Set, Target};

#[link(name = "perfctr-test-loop", kind = "static")]
extern "C" {
    fn perfctr_test_loop(n: std::os::raw::c_ulong);
}

fn run(n: u64) {
    unsafe { perfctr_test_loop(n) }
}

/// Whether it is wrong.
fn check(what: &str, found: u64, wanted: u64) -> bool {
    println!("{} {}: {}", if found == wanted { "ok" } else { "not ok" }, what, found);
    found != wanted
}

/// The least of some counts: the first ones are of code that is not in memory yet.
fn least(count: impl Fn() -> Result<u64>) -> Result<u64> {
    (0..5).map(|_| count()).try_fold(u64::MAX, |least, counted| Ok(least.min(counted?)))
}

fn check_loops(what: &str, read: impl Fn() -> Result<u64>) -> Result<bool> {
    let count = |n| {
        least(|| {
            let before = read()?;
            run(n);
            Ok(read()? - before)
        })
    };
    Ok(check(what, count(101_000)? - count(1_000)?, 200_000))
}

fn check_regions() -> Result<bool> {
    let (brief, lengthy) = (Region::find("brief")?, Region::find("lengthy")?);
    regions::start("instructions:u", 0)?;
    for (region, n) in [(brief, 1_000), (lengthy, 101_000)] {
        for _ in 0..5 {
            let _guard = region.enter();
            run(n);
        }
    }
    let counted = lengthy.read()?.values[1].inclusive - brief.read()?.values[1].inclusive;
    regions::stop()?;
    Ok(check("regions", counted, 5 * 200_000))
}

/// Visits as programs make them: in a loop; to the end of a function; of what is kept in a structure.
struct Kept {
    region: Region,
}

#[inline(never)]
fn to_the_end(region: Region, n: u64) {
    let _guard = region.enter();
    if n > 0 {
        run(n);
    }
}

#[inline(never)]
fn visit_kept(kept: &Kept, counts: &[u64]) -> u64 {
    let _guard = kept.region.enter();
    counts.first().copied().unwrap_or(0)
}

/// A region with few instructions counts these, within its bound or what is given.
fn check_few(name: &str, wanted: u64, most: Option<u64>) -> Result<bool> {
    let found = Region::find(name)?.read()?;
    let value = &found.values[1];
    let off = value.inclusive.abs_diff(wanted);
    println!("  {}: {} of {} visits, {:?} {}", name, value.inclusive, found.visits, value.quality, value.error);
    Ok(check(&format!("{} is within its bound", name), u64::from(off <= most.unwrap_or(value.error)), 1))
}

fn check_own_part() -> Result<bool> {
    const N: u64 = 100;
    let (empty, outer, around) = (Region::find("empty")?, Region::find("outer")?, Region::find("around")?);
    let (function, few) = (Region::find("function")?, Region::find("few")?);
    let kept = Kept { region: Region::find("kept")? };
    regions::start("instructions:u", 0)?;
    for _ in 0..N {
        drop(empty.enter());
        to_the_end(function, 0);
        to_the_end(few, 1_000);
        visit_kept(&kept, &[]);
    }
    for _ in 0..N {
        let _around = around.enter();
        let _outer = outer.enter();
        drop(empty.enter());
        drop(empty.enter());
    }
    regions::stop()?;
    let mut wrong = check_few("empty", 0, None)?;
    wrong |= check_few("outer", 0, None)?;
    wrong |= check_few("around", 0, None)?;
    wrong |= check_few("function", 2 * N, None)?;
    wrong |= check_few("kept", 2 * N, None)?;
    wrong |= check_few("few", 2_000 * N, Some(20 * N))?;
    Ok(wrong)
}

/// What a begin and an end take in all, as perfctr_languages(7) has it.
fn check_cost(counters: &Counters<1>, wanted: u64) -> Result<bool> {
    let region = Region::find("cost")?;
    regions::start("cycles:u", 0)?;
    let both = least(|| {
        let before = counters.read_one(0)?;
        drop(region.enter());
        Ok(counters.read_one(0)? - before)
    })?;
    let reads = least(|| {
        let before = counters.read_one(0)?;
        Ok(counters.read_one(0)? - before)
    })?;
    regions::stop()?;
    let cost = both - reads;
    Ok(check("begin and end", cost, if cfg!(target_arch = "x86_64") { wanted } else { cost }))
}

/// Of a read that looks for a fork, by perfctr_rust(7).
const MOST: u64 = 25;

fn count() -> Result<bool> {
    let set = Set::open("instructions:u", Target::default(), 0)?;
    let counters = Counters::<1>::open("instructions:u", 0)?;
    let mut wrong = check_loops("a set", || Ok(set.read()?[0].value))?;
    wrong |= check_loops("counters", || Ok(counters.read()?[0]))?;
    wrong |= check_loops("one counter", || counters.read_one(0))?;
    wrong |= check_loops("an ordered read", || counters.read_one_ordered(0))?;
    if cfg!(target_arch = "x86_64") {
        // At most as perfctr_rust(7) has them: there is one less if the page's address stays in a register.
        let inline = least(|| Ok(rust_code::test_between(&counters).unwrap_or(0)))?;
        let ordered = least(|| Ok(rust_code::test_ordered(&counters).unwrap_or(0)))?;
        println!("an inline read: {} instructions, an ordered one: {}", inline, ordered);
        wrong |= !(10..=18).contains(&inline) || ordered != inline + 2;
        let one = least(|| {
            let before = counters.read_one(0)?;
            Ok(counters.read_one(0)? - before)
        })?;
        let all = least(|| {
            let [before] = counters.read()?;
            Ok(counters.read()?[0] - before)
        })?;
        println!("read_one(): {} instructions, read(): {}", one, all);
        wrong |= !(10..=MOST).contains(&one) || !(10..=MOST).contains(&all);
    }
    Ok(wrong | check_regions()? | check_own_part()? | check_cost(&counters, 113)?)
}

fn main() {
    let wrong = count().unwrap_or_else(|error| {
        println!("not ok: {}", error);
        true
    });
    std::process::exit(i32::from(wrong));
}
