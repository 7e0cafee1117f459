//! The page's files: those of a folder while the page is being changed, and otherwise those in this program.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use include_dir::{Dir, include_dir};
use ring::digest;

static EMBEDDED: Dir<'_> = include_dir!("$OUT_DIR/page");

/// Where the files are.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folder: Option<PathBuf>,
}

/// One file, ready to be sent.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) bytes: Bytes,
    pub(crate) content_type: &'static str,
    /// Names the content, in quotes.
    pub(crate) tag: String,
}

impl Files {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// The names of all files in this program.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED
            .files()
            .filter_map(|file| file.path().to_str())
            .filter(|name| content_type(name).is_some())
    }

    /// The file of that name; None where there is none, or where the name is not of a kind that a page has.
    pub(crate) fn find(&self, name: &str) -> Option<File> {
        let content_type = content_type(name)?;
        let folder = self.folder.as_ref();
        let bytes = match folder.and_then(|folder| std::fs::read(folder.join(name)).ok()) {
            Some(bytes) => bytes.into(),
            None => Bytes::from_static(EMBEDDED.get_file(name)?.contents()),
        };
        Some(File {
            tag: tag(&bytes),
            bytes,
            content_type,
        })
    }
}

/// Only plain names: no folder, nothing hidden.
fn content_type(name: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.starts_with('.') || !name.bytes().all(is_plain) {
        return None;
    }
    match Path::new(name).extension()?.to_str()? {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "json" => Some("application/json; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        _ => None,
    }
}

pub(crate) fn tag(bytes: &[u8]) -> String {
    let digest = digest::digest(&digest::SHA256, bytes);
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest.as_ref()[..16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let files = Files::new(Some("/etc".into()));
        for name in [
            "../etc/passwd",
            "/etc/hosts.json",
            ".hidden.html",
            "..",
            "a/b.html",
            "a\\b.html",
            "passwd",
        ] {
            assert!(files.find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn this_program_has_a_page() {
        let file = Files::default().find("index.html").unwrap();
        assert_eq!(file.content_type, "text/html; charset=utf-8");
        assert!(!file.bytes.is_empty());
    }
}
