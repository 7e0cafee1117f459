//! Makes JavaScript and WebAssembly out of what cargo has compiled to wasm32: `wasm-bindgen OPTIONS FILE`.
//!
//! It takes the options that scripts/build gives, and refuses all others.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let (mut folder, mut input) = (None, None);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--target" => {
                let target = value()?;
                if target != "module" {
                    return Err(format!("the target {target} is unknown here: only module"));
                }
                bindgen.module(true).map_err(whole)?;
            }
            "--out-name" => drop(bindgen.out_name(&value()?)),
            "--out-dir" => folder = Some(value()?),
            "--no-typescript" => drop(bindgen.typescript(false)),
            "--remove-name-section" => drop(bindgen.remove_name_section(true)),
            "--remove-producers-section" => drop(bindgen.remove_producers_section(true)),
            "--experimental-reset-state-function" => drop(bindgen.reset_state_function(true)),
            "--force-enable-abort-handler" => drop(bindgen.force_enable_abort_handler(true)),
            option if option.starts_with('-') => {
                return Err(format!("the option {option} is unknown here"));
            }
            file => input = Some(file.to_owned()),
        }
    }
    let folder = folder.ok_or("--out-dir is missing")?;
    let input = input.ok_or("the file to read is missing")?;
    bindgen.input_path(input).generate(folder).map_err(whole)
}

/// An error with all its causes: `{:#}` prints them in one line.
fn whole(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}
