// SPDX-License-Identifier: LGPL-2.1-or-later
use perfctr::{regions, Region, Result};

fn work() {}

fn main() -> Result<()> {
    let region = Region::find("work")?;
    regions::start("page-faults:u", 0)?;
    {
        let _guard = region.enter();
        work();
    }
    regions::report(None, 0)
}
