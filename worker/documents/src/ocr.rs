//! What does it say? A text layer is taken as it is; what is an image goes to tesseract, page by page, as many side by
//! side as there are processors.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use futures_util::{StreamExt, stream};
use gristmill_core::job::Failure;
use serde_json::json;

use super::file::{Fetched, fetch};
use super::model::{Page, Word};
use super::read_page::{PageDoubt, ReadPage};
use super::recognize::{DPI, Picture};
use super::{Stage, Trouble, language, plain, text_layer};
use gristmill_runner::Limits;

/// Where a page's image is to be had from.
enum Source {
    /// Drawn from a PDF.
    Pdf(PathBuf, u32),
    /// One page of an image file.
    Image(PathBuf, u32),
    /// Made from another file, with its orientation applied.
    Converted(PathBuf),
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    if !stage.document.is_scanned {
        let message = "the file was not scanned, so it is not read";
        return Err(Trouble::Failed(Failure::permanent("unscanned", message)));
    }
    let fetched = fetch(stage).await?;
    let count = stage.document.page_count.unwrap_or(1).max(1);
    let mut kept = Kept::default();
    let sources = match stage.document.mime_type.as_str() {
        "text/plain" => {
            let text = String::from_utf8_lossy(&tokio::fs::read(&fetched.path).await?).into_owned();
            for page in plain::pages(&text) {
                kept.keep(stage, page.into()).await?;
            }
            Vec::new()
        }
        "application/pdf" => {
            let mut scans = Vec::new();
            for (number, page) in (1..=count).zip(text_of_pdf(stage, &fetched, count).await?) {
                match page {
                    Some(page) => kept.keep(stage, page.into()).await?,
                    None => scans.push((number, Source::Pdf(fetched.path.clone(), number))),
                }
            }
            scans
        }
        "image/heic" => vec![(1, Source::Converted(heic(stage, &fetched).await?))],
        _ => (1..=count)
            .map(|number| (number, Source::Image(fetched.path.clone(), number)))
            .collect(),
    };

    let scans = sources.len();
    let folder = fetched.folder.path();
    let with_vision = stage.settings.models.reads_with_vision();
    // Each page that was read by a provider cost a call: it is kept, and not read again.
    let read_before = |number: &u32| with_vision && stage.document.pages_read.contains(number);
    let sources: Vec<_> = sources
        .into_iter()
        .filter(|(number, _)| !read_before(number))
        .collect();
    let mut done = scans - sources.len();
    let is_stopped = AtomicBool::new(false);
    let mut read = stream::iter(sources)
        .map(|(number, source)| {
            let is_stopped = &is_stopped;
            async move {
                if is_stopped.load(Relaxed) {
                    return Ok(None);
                }
                read_page(stage, folder, number, source).await.map(Some)
            }
        })
        .buffer_unordered(stage.context.children.processors());
    let mut trouble = None;
    while let Some(page) = read.next().await {
        match page {
            Ok(Some(page)) => {
                kept.keep(stage, page).await?;
                done += 1;
                stage
                    .context
                    .progress((done * 95 / scans.max(1)) as u8, "reading pages");
            }
            Ok(None) => {}
            // Calls that are under way are waited for, no other is made: what they answer is paid for.
            Err(first) if with_vision => {
                is_stopped.store(true, Relaxed);
                trouble.get_or_insert(first);
            }
            Err(trouble) => return Err(trouble),
        }
    }
    drop(read);
    if let Some(trouble) = trouble {
        kept.save(stage).await?;
        return Err(trouble);
    }
    let found = json!({ "page_count": count, "pages": kept.last });
    stage
        .finish(&found, &json!({ "pages": count, "scanned": scans }))
        .await
}

/// The page that was read last goes with the stage's end, which spares most documents a round trip; the others are saved
/// as they come.
#[derive(Default)]
struct Kept {
    last: Vec<ReadPage>,
}

impl Kept {
    async fn keep(&mut self, stage: &Stage<'_>, mut page: ReadPage) -> Result<(), Trouble> {
        self.save(stage).await?;
        // The rules have English words alone, and would find nothing without a sign of it.
        if stage.settings.models.provider_name() == "builtin"
            && let Some(other) = language::of_text(&page.page.text)
            && other != "eng"
        {
            page.doubts.push(PageDoubt::new(
                "language_not_understood",
                Some(other.to_owned()),
            ));
        }
        self.last.push(page);
        Ok(())
    }

    async fn save(&mut self, stage: &Stage<'_>) -> Result<(), Trouble> {
        if let Some(page) = self.last.pop() {
            let rpc = &stage.context.rpc;
            if !rpc.save_document_page(&stage.context.holder, &page).await? {
                return Err(Trouble::Lost);
            }
        }
        Ok(())
    }
}

async fn child(
    stage: &Stage<'_>,
    program: &'static str,
    arguments: &[OsString],
    folder: &Path,
    limits: Limits,
) -> Result<Vec<u8>, Trouble> {
    let cancelled = stage.context.cancellation();
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
    // Of several images in one file each has a number; the first is the one that is shown.
    let first = fetched.folder.path().join("page-1.png");
    Ok(if tokio::fs::try_exists(&first).await? {
        first
    } else {
        out
    })
}

async fn read_page(
    stage: &Stage<'_>,
    folder: &Path,
    number: u32,
    source: Source,
) -> Result<ReadPage, Trouble> {
    if let Some(trouble) = stage.settings.models.vision_closed() {
        return Err(trouble.into());
    }
    let is_oriented = matches!(source, Source::Converted(_));
    let (image, at) = match source {
        Source::Image(path, at) => (path, at),
        Source::Converted(path) => (path, 1),
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
    let page = if stage.settings.models.reads_with_vision() {
        seen(stage, number, &image).await?.into()
    } else {
        let picture = Picture {
            stage,
            folder,
            number,
            image: &image,
            at,
            is_oriented,
        };
        picture.read().await?
    };
    if image.starts_with(folder) && image.extension().is_some() {
        // One page at a time on disk as in memory.
        tokio::fs::remove_file(&image).await?;
    }
    Ok(page)
}

/// Has the configured provider read a page.
async fn seen(stage: &Stage<'_>, number: u32, image: &Path) -> Result<Page, Trouble> {
    let bytes = tokio::fs::read(image).await?;
    let models = &stage.settings.models;
    let name = "google_vision";
    let Some(read) = models.recognize(stage.context, bytes).await? else {
        return Ok(Page::new(number, name, 1.0, 1.0, Vec::new()));
    };
    let words = read.words.into_iter().map(|word| Word {
        text: word.text,
        place: word.place,
        confidence: word.confidence,
        line: word.line,
    });
    let words = words.collect();
    Ok(Page::new(number, name, read.width, read.height, words))
}
