//! Types, sizes, pages and pixels, by looking at the file without parsing it.

use super::super::file::Fetched;
use super::super::{Stage, Trouble, plain, tiff};
use super::{Refusal, pdf, refuse};

/// More pages than that are no document of a person.
const MAX_PAGES: u32 = 300;
/// A4 at 600 dpi has 35 million.
const MAX_PIXELS: u64 = 100_000_000;

/// The number of pages, or why it is refused.
pub(super) async fn inspect(
    stage: &Stage<'_>,
    fetched: &Fetched,
    mime_type: &str,
) -> Result<Result<u32, Refusal>, Trouble> {
    match mime_type {
        "application/pdf" => pdf::inspect(stage, fetched).await,
        "text/plain" => {
            let bytes = tokio::fs::read(&fetched.path).await?;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => {
                    within_limit(plain::pages(&text).take(MAX_PAGES as usize + 1).count() as u32)
                }
                Err(_) => Err(refuse("unsupported", "the text is not UTF-8")),
            })
        }
        mime => {
            let path = fetched.path.clone();
            let is_tiff = mime == "image/tiff";
            let looked = tokio::task::spawn_blocking(move || inspect_image(&path, is_tiff)).await;
            looked.map_err(|error| std::io::Error::other(error).into())
        }
    }
}

fn inspect_image(path: &std::path::Path, is_tiff: bool) -> Result<u32, Refusal> {
    let size = imagesize::size(path)
        .map_err(|_| refuse("unsupported", "the image could not be understood"))?;
    if size.width as u64 * size.height as u64 > MAX_PIXELS {
        return Err(refuse(
            "too_many_pixels",
            format!(
                "{} x {} pixels are more than are read",
                size.width, size.height
            ),
        ));
    }
    if !is_tiff {
        return Ok(1);
    }
    let bytes =
        std::fs::read(path).map_err(|_| refuse("unsupported", "the image could not be read"))?;
    let pages = tiff::pages(&bytes)
        .ok_or_else(|| refuse("unsupported", "the TIFF could not be understood"))?;
    if pages
        .iter()
        .any(|(width, height)| u64::from(*width) * u64::from(*height) > MAX_PIXELS)
    {
        return Err(refuse(
            "too_many_pixels",
            "a page has more pixels than are read",
        ));
    }
    within_limit(pages.len() as u32)
}

pub(super) fn within_limit(pages: u32) -> Result<u32, Refusal> {
    match pages {
        0 => Err(refuse("unsupported", "the document has no pages")),
        1..=MAX_PAGES => Ok(pages),
        _ => Err(refuse(
            "too_many_pages",
            format!("it has more pages than the {MAX_PAGES} that are read"),
        )),
    }
}
