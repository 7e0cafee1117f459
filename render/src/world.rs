//! What typst sees: our templates, one document's data, the fonts. No files, no network, no clock.

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_kit::fonts::FontStore;

use serde_json::Value;

use crate::{Fonts, Template};

/// What all documents share.
pub(crate) struct Desk {
    library: LazyHash<Library>,
    fonts: FontStore,
    common: Source,
}

impl Desk {
    pub(crate) fn new(fonts: Fonts) -> Self {
        Self {
            library: LazyHash::new(Library::default()),
            fonts: fonts.into_store(),
            common: Source::new(
                file("common.typ"),
                include_str!("../templates/common.typ").into(),
            ),
        }
    }
}

impl Desk {
    pub(crate) fn book(&self) -> &FontBook {
        self.fonts.book()
    }
}

/// One document on the desk.
pub(crate) struct Sheet<'a> {
    desk: &'a Desk,
    main: Source,
    data: Bytes,
    options: Bytes,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(desk: &'a Desk, template: Template, data: &Value, options: &Value) -> Self {
        Self {
            desk,
            main: Source::new(file("main.typ"), template.source().into()),
            data: Bytes::from_string(data.to_string()),
            options: Bytes::from_string(options.to_string()),
        }
    }
}

impl World for Sheet<'_> {
    fn library(&self) -> &LazyHash<Library> {
        &self.desk.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.desk.fonts.book()
    }

    fn main(&self) -> FileId {
        self.main.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        [&self.main, &self.desk.common]
            .into_iter()
            .find(|source| source.id() == id)
            .cloned()
            .ok_or_else(|| unknown(id))
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        match id.get().vpath().get_without_slash() {
            "data.json" => Ok(self.data.clone()),
            "options.json" => Ok(self.options.clone()),
            _ => Err(unknown(id)),
        }
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.desk.fonts.font(index)
    }

    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

// Names are interned for ever by typst: there are only these few, whatever is rendered.
#[allow(clippy::expect_used, reason = "the names are literals of this file")]
fn file(name: &str) -> FileId {
    let path = VirtualPath::new(name).expect("a plain name is a path");
    RootedPath::new(VirtualRoot::Project, path).intern()
}

fn unknown(id: FileId) -> FileError {
    FileError::NotFound(id.get().vpath().get_without_slash().into())
}
