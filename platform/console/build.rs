//! Puts the console's page where `include_dir` finds it: the files of console/dist, or a page that says how to make them.
//!
//! The page is bundled by esbuild, which comes with npm. A binary has to compile without npm as well: the first start of ./scripts/dev compiles
//! while npm still installs.

use std::path::Path;
use std::{env, fs, io};

const NOT_BUNDLED: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Gristmill console</title>\
    <p>This binary was compiled without the console's page. Run <code>scripts/lib/build-console.sh</code>, then compile it again.</p></html>\n";

fn main() -> io::Result<()> {
    let variable = |name| env::var(name).map_err(io::Error::other);
    let dist = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../../console/dist");
    // A path that is not there would be looked for at every build, and everything that stands on this crate compiled again.
    let watched = if dist.exists() {
        dist.clone()
    } else {
        dist.join("../src")
    };
    println!("cargo::rerun-if-changed={}", watched.display());
    let into = Path::new(&variable("OUT_DIR")?).join("page");
    if into.exists() {
        fs::remove_dir_all(&into)?;
    }
    fs::create_dir_all(&into)?;
    if !dist.join("index.html").exists() {
        return fs::write(into.join("index.html"), NOT_BUNDLED);
    }
    for entry in fs::read_dir(&dist)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_hidden = name.to_string_lossy().starts_with('.');
        if entry.file_type()?.is_file() && !is_hidden {
            fs::copy(entry.path(), into.join(name))?;
        }
    }
    Ok(())
}
