// Data whose time was left out, or set by hand.
use gristmill_refresh::{Fetched, SourceTime};

fn later(fetched: Fetched) -> Fetched {
    Fetched { source: SourceTime::NotSaid, ..fetched }
}

fn main() {}
