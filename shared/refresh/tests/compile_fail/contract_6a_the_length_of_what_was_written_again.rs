// Bytes that were counted after writing the value again.
use gristmill_refresh::WireBytes;

fn main() {
    let _ = WireBytes(serde_json::json!({"a": 1}).to_string().len() as u64);
}
