// Fetched from whatever text there is.
use gristmill_refresh::Fetched;

fn main() {
    let _: Fetched = serde_json::from_str("{}").unwrap();
}
