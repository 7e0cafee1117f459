//! Turns the picture of a page upright, so that tesseract can read it.
//!
//! A photo says by its EXIF orientation how it was held. A scan says nothing: its skew is measured, and its right angle is found by whoever
//! tries to read it. The work is done by `gristmill level-page`, a child under limits, because what it decodes was sent by strangers. It always
//! begins with the file itself, so that no turn is made twice.

mod child;
mod decode;
mod gray;
mod skew;

pub use child::{ChildArgs, run_child};
pub use decode::DecodeError;
use serde::{Deserialize, Serialize};

/// What `gristmill level-page` says about the page that it has written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Leveled {
    /// The EXIF orientation that the file states, 1 to 8.
    pub orientation: Option<u8>,
    /// Degrees, clockwise, by which the page was turned beyond its orientation: the right angle that was asked for, and its skew.
    pub turned: f32,
    /// In pixels, as it was written.
    pub width: u32,
    /// In pixels, as it was written.
    pub height: u32,
    /// The share of the page that is dark. A blank page has next to none.
    pub ink: f32,
    /// Whether a picture was written. False where the file itself is upright as it is.
    pub is_written: bool,
}
