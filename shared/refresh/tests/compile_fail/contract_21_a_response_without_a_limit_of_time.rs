// A response that did not come through the call with its ten seconds.
use gristmill_refresh::Arrived;

fn main() {
    let _ = Arrived { status: 200, headers: vec![], body: vec![] };
}
