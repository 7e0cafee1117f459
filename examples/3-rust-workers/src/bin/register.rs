//! Registers the kind and its queue, at the URL where the function is deployed: `cargo run --bin register -- https://…`.

#[cfg(not(target_arch = "wasm32"))]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("give the function's URL")?;
    let jobs = pictures_at_the_edge::all().queue(gristmill::Queue::new("captions").at(url));
    let registered = gristmill::Client::from_env()?.register(&jobs.definition()).await?;
    for warning in registered.warnings() {
        eprintln!("{warning}");
    }
    println!("{registered:?}");
    Ok(())
}

#[cfg(target_arch = "wasm32")]
fn main() {}
