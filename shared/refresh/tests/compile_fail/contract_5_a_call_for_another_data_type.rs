// A call whose data type was never matched with a fetcher.
use gristmill_refresh::Asked;

fn main() {
    let _ = Asked { symbol: "AAPL".to_owned() };
}
