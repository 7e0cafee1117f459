// What arrived, settled as if it had been judged.
use gristmill_refresh::{Arrived, Ending};

fn settle(arrived: Arrived) -> Ending {
    Ending::Fetched(arrived)
}

fn main() {}
