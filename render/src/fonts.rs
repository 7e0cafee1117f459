//! Which fonts there are and what each of them can show. Searching reads every font of the machine; the result can be
//! written down, so that a process that sets one document need not search again. A font is loaded when it is first used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use typst::foundations::Bytes;
use typst::text::{Font, FontInfo};
use typst_kit::fonts::{FontPath, FontSource, FontStore, system};

/// Every font that a document may use, in the order in which they are looked through.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fonts {
    found: Vec<Found>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Found {
    place: Place,
    info: FontInfo,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    /// In this binary: which of its files, and which font of that.
    Embedded(usize, u32),
    /// On this machine.
    File(PathBuf, u32),
}

impl Fonts {
    /// Searches the binary and the machine.
    pub fn search() -> Self {
        // The embedded ones first: a template without its own font looks the same everywhere.
        let embedded = typst_assets::fonts().enumerate().flat_map(|(file, data)| {
            let infos = FontInfo::iter(data).enumerate();
            infos.map(move |(index, info)| Found {
                place: Place::Embedded(file, u32::try_from(index).unwrap_or_default()),
                info,
            })
        });
        let installed = system().map(|(font, info)| Found {
            place: Place::File(font.path, font.index),
            info,
        });
        Self {
            found: embedded.chain(installed).collect(),
        }
    }

    /// The folders of the machine's fonts.
    pub fn folders(&self) -> Vec<PathBuf> {
        let folder = |found: &Found| match &found.place {
            Place::File(path, _) => path.parent().map(Path::to_owned),
            Place::Embedded(..) => None,
        };
        let folders: BTreeSet<_> = self.found.iter().filter_map(folder).collect();
        folders.into_iter().collect()
    }

    pub(crate) fn into_store(self) -> FontStore {
        let mut store = FontStore::new();
        store.extend(
            self.found
                .into_iter()
                .map(|found| (found.place, found.info)),
        );
        store
    }
}

impl FontSource for Place {
    fn load(&self) -> Option<Font> {
        match self {
            Self::Embedded(file, index) => {
                let data = typst_assets::fonts().nth(*file)?;
                Font::new(Bytes::new(data), *index)
            }
            Self::File(path, index) => FontPath {
                path: path.clone(),
                index: *index,
            }
            .load(),
        }
    }
}
