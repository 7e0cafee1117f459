//! The child's side: reads one page of a file, turns it upright, writes it where it was told to, and says in a line of JSON what it did.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Leveled;
use super::decode::{DecodeError, decode};
use super::gray::Gray;
use super::skew::skew;

/// A page that is off by less is read as well as it is.
const SLIGHT: f32 = 0.25;

/// Arguments of `gristmill level-page`.
#[derive(Debug, Clone, clap::Args)]
pub struct ChildArgs {
    /// The file
    pub from: PathBuf,
    /// Where the page goes, as a portable graymap
    pub to: PathBuf,
    /// Which page of the file, from 1 on
    #[arg(long, default_value_t = 1)]
    pub page: u32,
    /// Degrees to turn it clockwise first, a multiple of 90
    #[arg(long, default_value_t = 0)]
    pub turn: u32,
    /// The longest side that the page is to have, in pixels
    #[arg(long)]
    pub longest: Option<u32>,
    /// Make it black and white
    #[arg(long)]
    pub binarize: bool,
    /// The file's orientation was applied before: it is not read
    #[arg(long)]
    pub is_oriented: bool,
    /// Write the page even where the file is upright as it is
    #[arg(long)]
    pub always: bool,
}

/// Turns one page upright. Ends with 3 where the file is of no type that is decoded here.
pub fn run_child(args: &ChildArgs) -> ExitCode {
    // A panic's own words may quote the file, and what is said here is logged.
    std::panic::set_hook(Box::new(|_| tell("panicked")));
    match level(args) {
        Ok(leveled) => {
            let said = serde_json::to_string(&leveled).unwrap_or_default();
            let written = writeln!(std::io::stdout(), "{said}");
            if written.is_ok() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(DecodeError::Read(error)) => {
            tell(&error.to_string());
            ExitCode::FAILURE
        }
        Err(error) => {
            tell(&error.to_string());
            ExitCode::from(3)
        }
    }
}

/// The worker reads standard error and logs it. Where nobody reads it any more, there is nothing to do.
fn tell(what: &str) {
    let _ = writeln!(std::io::stderr(), "gristmill level-page: {what}");
}

fn level(args: &ChildArgs) -> Result<Leveled, DecodeError> {
    let (page, stated) = decode(&args.from, args.page)?;
    let orientation = stated.filter(|_| !args.is_oriented);
    let quarters = args.turn / 90 % 4;
    let mut page = page.oriented(orientation.unwrap_or(1)).turned(quarters);
    let off = skew(&page);
    let correction = if off.abs() < SLIGHT { 0.0 } else { -off };
    if correction != 0.0 {
        page = page.rotated(correction);
    }
    let ink = page.ink();
    let is_scaled = args.longest.is_some();
    if let Some(longest) = args.longest {
        page = page.scaled(longest as f32 / page.width.max(page.height) as f32);
    }
    if args.binarize {
        page = page.binarized();
    }
    let is_changed = orientation.unwrap_or(1) != 1
        || quarters != 0
        || correction != 0.0
        || is_scaled
        || args.binarize;
    let is_written = is_changed || args.always;
    if is_written {
        write(&page, &args.to)?;
    }
    Ok(Leveled {
        orientation,
        turned: quarters as f32 * 90.0 + correction,
        width: page.width as u32,
        height: page.height as u32,
        ink,
        is_written,
    })
}

fn write(page: &Gray, to: &Path) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(to)?);
    write!(file, "P5\n{} {}\n255\n", page.width, page.height)?;
    file.write_all(&page.pixels)?;
    file.flush()
}
