//! Sets a JSON file with a template: `cargo run -p gristmill-render --example set -- modern in.json out.pdf [renders]`.
//! With a number of renders it prints their times: what `scripts/bench exports` reads.

use std::error::Error;
use std::time::Instant;

use gristmill_render::{Options, Renderer, Template};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [template, input, output, times @ ..] = arguments.as_slice() else {
        return Err("usage: set TEMPLATE IN.json OUT.pdf [RENDERS]".into());
    };
    let template: Template = serde_json::from_value(template.as_str().into())?;
    let data = serde_json::from_str(&std::fs::read_to_string(input)?)?;
    let times: usize = times.first().map_or(Ok(1), |times| times.parse())?;
    let renderer = Renderer::new();
    let mut rendered = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        rendered = renderer.render(template, &data, &Options::default())?.pdf;
        println!("{:.3}", started.elapsed().as_secs_f64() * 1_000.0);
    }
    std::fs::write(output, rendered)?;
    Ok(())
}
