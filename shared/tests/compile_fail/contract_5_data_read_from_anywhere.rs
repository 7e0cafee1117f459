// Fetched from whatever text there is.
use gristmill_shared::refresh::Fetched;

fn main() {
    let _: Fetched = serde_json::from_str("{}").unwrap();
}
