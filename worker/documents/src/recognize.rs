//! Has tesseract read a page, and reads it again in other ways before it is given up.
//!
//! First the page is turned as its file says and its skew is taken out: tesseract reads nothing of a page that leans to the right by four
//! degrees. Where what it then reads is unsure, it is asked which way is up (on a small picture: on a whole one that takes half as long as
//! reading), and the page is tried turned, in another size and in black and white. The surest reading is kept. An upright page costs one
//! reading and 7% (0.2 s beside 2.9 s at 300 dpi).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gristmill_core::job::Failure;
use gristmill_runner::{ChildError, Limits};
use gristmill_upright::Leveled;

use super::model::Page;
use super::read_page::{PageDoubt, ReadPage};
use super::tesseract::{self, Upright};
use super::{Stage, Trouble, language};

/// Of a page that a PDF makes us draw. Tesseract was trained on 300.
pub(super) const DPI: u32 = 300;
/// Which way is up is seen on a picture of this size.
const SMALL: u32 = 1800;
/// The longest side of a page at which tesseract reads best: letter at 300 dpi.
const USUAL: u32 = 3300;
/// With fewer words a page may be upside down and nobody would know.
const FEW: usize = 5;
/// A page with less ink is blank: dust and the shadow of an edge.
const BLANK: f32 = 0.0015;
/// Above this tesseract is sure which way is up. Of eighty pages none of more was wrong.
const SURE_OF_UP: f32 = 2.0;
const OF_TESSERACT: Limits = Limits {
    memory: 2 << 30,
    cpu_seconds: 120,
    wall: Duration::from_secs(300),
    output: 32 << 20,
};
// A hundred million pixels in three colours, and what they become in gray.
const OF_LEVELING: Limits = Limits {
    memory: 2 << 30,
    cpu_seconds: 60,
    wall: Duration::from_secs(120),
    output: 256 << 20,
};

/// One way to look at a page.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    turn: u32,
    longest: Option<u32>,
    binarize: bool,
    always: bool,
}

/// What came of one way.
struct Reading {
    way: Way,
    page: Page,
    leveled: Option<Leveled>,
}

impl Reading {
    fn readable(&self) -> usize {
        let words = self.page.words.iter();
        words
            .filter(|word| word.confidence.is_some_and(|sure| sure >= 0.5))
            .filter(|word| {
                word.text
                    .chars()
                    .filter(|letter| letter.is_alphanumeric())
                    .count()
                    > 1
            })
            .count()
    }

    // Letters that were read surely: of a page that is upside down there are next to none.
    fn score(&self) -> f32 {
        let words = self.page.words.iter();
        words
            .map(|word| {
                word.confidence.unwrap_or(0.0).powi(2)
                    * word
                        .text
                        .chars()
                        .filter(|letter| letter.is_alphanumeric())
                        .count() as f32
            })
            .sum()
    }

    // Tesseract reads some pages that lie on their side without a word about it. Their words are taller than wide.
    fn lies_on_its_side(&self) -> bool {
        let (width, height) = (self.page.width, self.page.height);
        let long = self.page.words.iter();
        let long: Vec<bool> = long
            .filter(|word| {
                word.text
                    .chars()
                    .filter(|letter| letter.is_alphanumeric())
                    .count()
                    > 3
            })
            .map(|word| {
                let [left, top, right, bottom] = word.place;
                (bottom - top) * height > (right - left) * width * 1.2
            })
            .collect();
        long.iter().filter(|is_tall| **is_tall).count() * 2 > long.len()
    }

    fn ink(&self) -> f32 {
        self.leveled.map_or(1.0, |leveled| leveled.ink)
    }

    fn is_blank(&self) -> bool {
        self.readable() == 0 && self.ink() < BLANK
    }
}

/// A page of a file that tesseract is to read.
pub(super) struct Picture<'a> {
    pub(super) stage: &'a Stage<'a>,
    pub(super) folder: &'a Path,
    /// Of the document.
    pub(super) number: u32,
    pub(super) image: &'a Path,
    /// Of the file.
    pub(super) at: u32,
    /// Whoever made the file from another has applied its orientation.
    pub(super) is_oriented: bool,
}

impl Picture<'_> {
    pub(super) async fn read(&self) -> Result<ReadPage, Trouble> {
        let installed = self.installed().await?;
        let wanted = self.stage.document.language.as_deref().unwrap_or("eng");
        let (language, missing) = language::chosen(wanted, installed);
        let Some(mut language) = language else {
            let message = format!(
                "tesseract has neither {wanted} nor eng; gristmill doctor names the package"
            );
            return Err(Trouble::Failed(Failure::retryable("ocr_failure", message)));
        };
        let mut doubts: Vec<PageDoubt> = missing.into_iter().map(not_installed).collect();
        let Some(mut best) = self.look(Way::default(), &language).await? else {
            return Err(unread());
        };
        if !self.is_sure(&best) && !best.is_blank() {
            let up = self.which_way_is_up().await?;
            best = self.look_again(best, up.as_ref(), &language).await?;
            // Of pages on their side it takes Latin letters for Cyrillic ones: only what could not be read is perhaps another script.
            if !self.is_sure(&best)
                && let Some(other) = up.and_then(|up| other_script(&up, &language, installed))
            {
                match other {
                    Ok(name) => self.in_language(&mut best, &mut language, name).await?,
                    Err(script) => doubts.push(not_installed(script)),
                }
            }
        }
        if let Some(found) = language::of_text(&best.page.text)
            && !language.split('+').any(|one| one == found)
        {
            if installed.iter().any(|one| one == found) {
                self.in_language(&mut best, &mut language, found.to_owned())
                    .await?;
            } else {
                doubts.push(not_installed(found.to_owned()));
            }
        }
        if best.way.turn != 0 {
            doubts.push(PageDoubt::new("turned_page_corrected", None));
        }
        if best.readable() == 0 && !best.is_blank() {
            doubts.push(PageDoubt::new("unread_page", None));
        }
        Ok(ReadPage {
            orientation: best.leveled.and_then(|leveled| leveled.orientation),
            turned: best.leveled.map_or(0.0, |leveled| leveled.turned),
            page: best.page,
            language: Some(language),
            doubts,
        })
    }

    fn is_sure(&self, reading: &Reading) -> bool {
        let enough = self.stage.document.thresholds.page;
        let is_sure = reading.page.confidence.is_some_and(|sure| sure >= enough);
        is_sure && reading.readable() >= FEW && !reading.lies_on_its_side()
    }

    // Right angles first: nothing else helps a page that lies on its side. Then the size, then the contrast, each upon the best so far.
    async fn look_again(
        &self,
        mut best: Reading,
        up: Option<&Upright>,
        language: &str,
    ) -> Result<Reading, Trouble> {
        let is_told = up.is_some_and(|up| up.confidence >= SURE_OF_UP);
        let mut turns: Vec<u32> = up.map(|up| up.rotate).into_iter().collect();
        if !is_told {
            turns.extend([180, 90, 270]);
        }
        let mut tried = vec![0];
        for turn in turns {
            if tried.contains(&turn) || self.is_sure(&best) {
                continue;
            }
            tried.push(turn);
            let way = Way {
                turn,
                ..Way::default()
            };
            self.keep_better(&mut best, way, language).await?;
        }
        let longest = best
            .leveled
            .map_or(USUAL, |leveled| leveled.width.max(leveled.height));
        let is_far_off = longest * 3 < USUAL * 2 || longest > USUAL * 2;
        if is_far_off && !self.is_sure(&best) {
            let longest = Some(USUAL.min(longest.saturating_mul(2)));
            let way = Way {
                longest,
                ..best.way
            };
            self.keep_better(&mut best, way, language).await?;
        }
        if !self.is_sure(&best) {
            let way = Way {
                binarize: true,
                ..best.way
            };
            self.keep_better(&mut best, way, language).await?;
        }
        Ok(best)
    }

    async fn keep_better(
        &self,
        best: &mut Reading,
        way: Way,
        language: &str,
    ) -> Result<(), Trouble> {
        if let Some(reading) = self.look(way, language).await?
            // A little better by chance is no reason to turn a page; that its lines run downwards is one.
            && (reading.score() > best.score() * 1.1
                || best.lies_on_its_side() && !reading.lies_on_its_side() && reading.score() > best.score() * 0.7)
        {
            *best = reading;
        }
        Ok(())
    }

    async fn in_language(
        &self,
        best: &mut Reading,
        language: &mut String,
        name: String,
    ) -> Result<(), Trouble> {
        if let Some(reading) = self.look(best.way, &name).await?
            && reading.score() > best.score()
        {
            *best = reading;
            *language = name;
        }
        Ok(())
    }

    /// None where the page cannot be had in this way.
    async fn look(&self, way: Way, language: &str) -> Result<Option<Reading>, Trouble> {
        let to = self.folder.join(format!("upright-{}.pgm", self.number));
        let leveled = self.level(way, &to).await?;
        let is_first = way.turn == 0 && way.longest.is_none() && !way.binarize;
        let (path, at): (&Path, u32) = match leveled {
            Some(Leveled {
                is_written: true, ..
            }) => (&to, 1),
            Some(_) => (self.image, self.at),
            // What is not decoded here tesseract may know.
            None if is_first => (self.image, self.at),
            None => return Ok(None),
        };
        let arguments = arguments(path, at, language, "3", &["tsv"]);
        let tsv = self.tesseract(&arguments).await?;
        if path == to {
            tokio::fs::remove_file(&to).await?;
        }
        let page = tesseract::page(self.number, &String::from_utf8_lossy(&tsv));
        Ok(page.map(|page| Reading { way, page, leveled }))
    }

    /// The page as it is after a turn, at `to`; none where the file is of a type that is not decoded here.
    async fn level(&self, way: Way, to: &Path) -> Result<Option<Leveled>, Trouble> {
        let mut arguments: Vec<OsString> = vec!["level-page".into(), self.image.into(), to.into()];
        arguments.extend([
            format!("--page={}", self.at).into(),
            format!("--turn={}", way.turn).into(),
        ]);
        arguments.extend(
            way.longest
                .map(|longest| format!("--longest={longest}").into()),
        );
        arguments.extend(way.binarize.then(|| "--binarize".into()));
        arguments.extend(way.always.then(|| "--always".into()));
        arguments.extend(self.is_oriented.then(|| "--is-oriented".into()));
        let (children, cancelled) = (
            &self.stage.context.children,
            self.stage.context.cancellation(),
        );
        let said = children
            .run_own(&arguments, self.folder, OF_LEVELING, cancelled)
            .await;
        match said {
            Ok(said) => Ok(serde_json::from_slice(&said).ok()),
            Err(ChildError::Failed { .. } | ChildError::Bound { .. }) => {
                tracing::info!("a page is read as it is: its picture could not be turned");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    // None where tesseract cannot tell: of a page with few letters, or without the package.
    async fn which_way_is_up(&self) -> Result<Option<Upright>, Trouble> {
        let to = self.folder.join(format!("small-{}.pgm", self.number));
        let way = Way {
            longest: Some(SMALL),
            always: true,
            ..Way::default()
        };
        if self.level(way, &to).await?.is_none() {
            return Ok(None);
        }
        let said = self.tesseract(&arguments(&to, 1, "osd", "0", &[])).await;
        tokio::fs::remove_file(&to).await?;
        match said {
            Ok(said) => Ok(tesseract::upright(&String::from_utf8_lossy(&said))),
            Err(Trouble::Child(ChildError::Failed { .. })) => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }

    async fn tesseract(&self, arguments: &[OsString]) -> Result<Vec<u8>, Trouble> {
        let (children, cancelled) = (
            &self.stage.context.children,
            self.stage.context.cancellation(),
        );
        let run = children.run(
            "tesseract",
            arguments,
            self.folder,
            None,
            OF_TESSERACT,
            cancelled,
        );
        Ok(run.await?)
    }

    async fn installed(&self) -> Result<&[String], Trouble> {
        let ask = async || {
            let said = self.tesseract(&["--list-langs".into()]).await?;
            Ok::<_, Trouble>(tesseract::languages(&String::from_utf8_lossy(&said)))
        };
        Ok(self.stage.settings.languages.get_or_try_init(ask).await?)
    }
}

fn arguments(path: &Path, at: u32, language: &str, mode: &str, more: &[&str]) -> Vec<OsString> {
    let page = format!("tessedit_page_number={}", at - 1);
    let dpi = DPI.to_string();
    let all = [
        "stdout", "-l", language, "--dpi", &dpi, "-c", &page, "--psm", mode,
    ];
    let path = std::iter::once(PathBuf::from(path).into_os_string());
    path.chain(all.iter().chain(more).map(OsString::from))
        .collect()
}

// A script that what is read as does not have: what is installed for it, or its name.
fn other_script(
    up: &Upright,
    language: &str,
    installed: &[String],
) -> Option<Result<String, String>> {
    let names = language::of_script(&up.script);
    if names.is_empty() || language.split('+').any(|one| names.contains(&one)) {
        return None;
    }
    let found = names
        .iter()
        .find(|name| installed.iter().any(|one| one == *name));
    Some(
        found
            .map(|name| (*name).to_owned())
            .ok_or_else(|| up.script.clone()),
    )
}

fn not_installed(name: String) -> PageDoubt {
    PageDoubt::new("language_not_installed", Some(name))
}

fn unread() -> Trouble {
    let message = "tesseract said nothing about a page";
    Trouble::Failed(Failure::retryable("ocr_failure", message))
}
