//! What does it say? A text layer is taken as it is; what is an image goes to tesseract, page by page, as many side by
//! side as there are processors.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use gristmill_shared::job::Failure;
use serde_json::{Value, json};

use super::file::{Fetched, fetch};
use super::model::{Page, Word};
use super::provider::vision;
use super::{Stage, Trouble, tesseract, text_layer};
use crate::work::Limits;

/// Of a page that a PDF makes us draw. Tesseract was trained on 300.
const DPI: u32 = 300;

/// Where a page's image is to be had from.
enum Source {
    /// Drawn from a PDF.
    Pdf(PathBuf, u32),
    /// One page of an image file.
    Image(PathBuf, u32),
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<Value, Trouble> {
    let fetched = fetch(stage).await?;
    let count = stage.document.page_count.unwrap_or(1).max(1);
    let sources = match stage.document.mime_type.as_str() {
        "text/plain" => {
            let text = String::from_utf8_lossy(&tokio::fs::read(&fetched.path).await?).into_owned();
            for page in text_pages(&text) {
                save(stage, &page).await?;
            }
            Vec::new()
        }
        "application/pdf" => {
            let mut scans = Vec::new();
            for (number, page) in (1..=count).zip(text_of_pdf(stage, &fetched, count).await?) {
                match page {
                    Some(page) => save(stage, &page).await?,
                    None => scans.push((number, Source::Pdf(fetched.path.clone(), number))),
                }
            }
            scans
        }
        "image/heic" => vec![(1, Source::Image(heic(stage, &fetched).await?, 1))],
        _ => (1..=count)
            .map(|number| (number, Source::Image(fetched.path.clone(), number)))
            .collect(),
    };

    let scans = sources.len();
    let folder = fetched.folder.path();
    let mut read = stream::iter(sources)
        .map(|(number, source)| async move { read_page(stage, folder, number, source).await })
        .buffer_unordered(stage.context.children.processors());
    let mut done = 0;
    while let Some(page) = read.try_next().await? {
        save(stage, &page).await?;
        done += 1;
        stage
            .context
            .progress((done * 95 / scans.max(1)) as u8, "reading pages");
    }
    drop(read);
    stage.finish(&json!({ "page_count": count })).await?;
    Ok(json!({ "pages": count, "scanned": scans }))
}

async fn save(stage: &Stage<'_>, page: &Page) -> Result<(), Trouble> {
    if stage
        .context
        .rpc
        .save_document_page(&stage.holder, page)
        .await?
    {
        Ok(())
    } else {
        Err(Trouble::Outdated)
    }
}

async fn child(
    stage: &Stage<'_>,
    program: &'static str,
    arguments: &[OsString],
    folder: &Path,
    limits: Limits,
) -> Result<Vec<u8>, Trouble> {
    let cancelled = stage.context.cancelled();
    Ok(stage
        .context
        .children
        .run(program, arguments, folder, None, limits, cancelled)
        .await?)
}

async fn text_of_pdf(
    stage: &Stage<'_>,
    fetched: &Fetched,
    count: u32,
) -> Result<Vec<Option<Page>>, Trouble> {
    let arguments = [
        "-q".into(),
        "-bbox-layout".into(),
        OsString::from(&fetched.path),
        "-".into(),
    ];
    let xml = child(
        stage,
        "pdftotext",
        &arguments,
        fetched.folder.path(),
        Limits::default(),
    )
    .await?;
    let mut pages = text_layer::pages(&String::from_utf8_lossy(&xml));
    pages.resize_with(count as usize, || None);
    Ok(pages)
}

// Tesseract cannot read it; libheif's own program turns it into what it can.
async fn heic(stage: &Stage<'_>, fetched: &Fetched) -> Result<PathBuf, Trouble> {
    let out = fetched.folder.path().join("page.png");
    child(
        stage,
        "heif-convert",
        &[OsString::from(&fetched.path), OsString::from(&out)],
        fetched.folder.path(),
        Limits::default(),
    )
    .await?;
    Ok(out)
}

async fn read_page(
    stage: &Stage<'_>,
    folder: &Path,
    number: u32,
    source: Source,
) -> Result<Page, Trouble> {
    let (image, at) = match source {
        Source::Image(path, at) => (path, at),
        Source::Pdf(path, at) => {
            let root = folder.join(format!("page-{at}"));
            let page = at.to_string();
            let arguments: [OsString; 10] = [
                "-r".into(),
                DPI.to_string().into(),
                "-gray".into(),
                "-f".into(),
                (&page).into(),
                "-l".into(),
                (&page).into(),
                "-singlefile".into(),
                path.into(),
                (&root).into(),
            ];
            child(stage, "pdftoppm", &arguments, folder, Limits::default()).await?;
            (root.with_extension("pgm"), 1)
        }
    };
    let page = if stage.settings.reads_with_vision() {
        vision::page(stage, number, &image).await?
    } else {
        recognize(stage, folder, number, &image, at).await?
    };
    if image.starts_with(folder) && image.extension().is_some() {
        // One page at a time on disk as in memory.
        tokio::fs::remove_file(&image).await?;
    }
    Ok(page)
}

async fn recognize(
    stage: &Stage<'_>,
    folder: &Path,
    number: u32,
    image: &Path,
    at: u32,
) -> Result<Page, Trouble> {
    let arguments: [OsString; 10] = [
        image.into(),
        "stdout".into(),
        "-l".into(),
        "eng".into(),
        "--dpi".into(),
        DPI.to_string().into(),
        "-c".into(),
        format!("tessedit_page_number={}", at - 1).into(),
        "--psm".into(),
        "3".into(),
    ];
    let arguments: Vec<OsString> = arguments.into_iter().chain(["tsv".into()]).collect();
    let limits = Limits {
        memory: 2 << 30,
        cpu_seconds: 120,
        wall: Duration::from_secs(300),
        output: 32 << 20,
    };
    let tsv = child(stage, "tesseract", &arguments, folder, limits).await?;
    let page = tesseract::page(number, &String::from_utf8_lossy(&tsv));
    page.ok_or_else(|| {
        Trouble::Failed(Failure::retryable(
            "ocr_failure",
            "tesseract said nothing about a page",
        ))
    })
}

/// Plain text in pages of sixty lines, or where it says so itself. Places are those of a typewriter.
pub(super) fn text_pages(text: &str) -> Vec<Page> {
    const LINES: usize = 60;
    // A line is as high as two letters are wide: the page is 100 by 120.
    const COLUMNS: f32 = 100.0;
    let lines: Vec<Vec<&str>> = text
        .split('\u{c}')
        .flat_map(|part| {
            let lines: Vec<&str> = part.lines().collect();
            lines
                .chunks(LINES)
                .map(<[&str]>::to_vec)
                .collect::<Vec<_>>()
        })
        .collect();
    let mut pages = Vec::new();
    for (at, lines) in lines.iter().enumerate() {
        let mut words = Vec::new();
        for (row, line) in lines.iter().enumerate() {
            let top = row as f32 / LINES as f32;
            for word in line.split_whitespace() {
                let column = line[..word.as_ptr() as usize - line.as_ptr() as usize]
                    .chars()
                    .count() as f32;
                let right = column + word.chars().count() as f32;
                let place = [
                    column / COLUMNS,
                    top,
                    right / COLUMNS,
                    top + 0.8 / LINES as f32,
                ];
                words.push(Word {
                    text: word.to_owned(),
                    place: place.map(|side| side.clamp(0.0, 1.0)),
                    confidence: None,
                    line: Some(row as u32),
                });
            }
        }
        pages.push(Page::new(
            at as u32 + 1,
            "plain",
            COLUMNS,
            2.0 * LINES as f32,
            words,
        ));
    }
    if pages.is_empty() {
        pages.push(Page::new(
            1,
            "plain",
            COLUMNS,
            2.0 * LINES as f32,
            Vec::new(),
        ));
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_pages_lines_and_places() {
        let pages = text_pages("Name: Ann\n  Glucose 90\u{c}Second page");
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[0].text, "Name: Ann\nGlucose 90");
        assert_eq!(pages[0].words[2].place[0], 0.02);
        assert_eq!(pages[1].number, 2);
    }
}
