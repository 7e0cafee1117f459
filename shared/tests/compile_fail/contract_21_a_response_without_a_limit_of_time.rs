// A response that did not come through the call with its ten seconds.
use gristmill_shared::refresh::Arrived;

fn main() {
    let _ = Arrived { status: 200, headers: vec![], body: vec![] };
}
