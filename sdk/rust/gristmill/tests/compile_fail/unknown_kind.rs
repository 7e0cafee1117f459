use gristmill::{Cx, Failure, jobs};

struct Unknown;

async fn handler(_: Unknown, _: &Cx) -> Result<(), Failure> {
    Ok(())
}

fn main() {
    let _ = jobs![handler];
}
