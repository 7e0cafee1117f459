//! A ZIP, written while it is sent: one object open at a time, one chunk of it in memory.
//!
//! The crate `zip` writes into anything that can be written to; here that is a buffer which is emptied into the
//! response after each chunk. PDFs are compressed already: entries are stored as they are.

use std::cell::RefCell;
use std::io::{self, Write};
use std::mem;
use std::rc::Rc;

use futures_util::stream::{Stream, StreamExt, unfold};
use gristmill_edge::storage::{ObjectKey, Storage};
use worker::ByteStream;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Archive<S> {
    store: S,
    waiting: std::vec::IntoIter<(String, ObjectKey)>,
    open: Option<ByteStream>,
    writer: Option<ZipWriter<StreamWriter<Buffer>>>,
    buffer: Buffer,
}

/// The bytes of a ZIP with these entries. An object that cannot be read breaks the stream: half a ZIP must not look
/// like a whole one.
pub(crate) fn stream(
    store: impl Storage + 'static,
    entries: Vec<(String, ObjectKey)>,
) -> impl Stream<Item = worker::Result<Vec<u8>>> {
    let buffer = Buffer::default();
    let archive = Archive {
        store,
        waiting: entries.into_iter(),
        open: None,
        writer: Some(ZipWriter::new_stream(buffer.clone())),
        buffer,
    };
    unfold(archive, |mut archive| async {
        let chunk = archive.next().await.transpose()?;
        Some((chunk, archive))
    })
}

impl<S: Storage> Archive<S> {
    async fn next(&mut self) -> worker::Result<Option<Vec<u8>>> {
        loop {
            let written = mem::take(&mut *self.buffer.0.borrow_mut());
            if !written.is_empty() {
                return Ok(Some(written));
            }
            let Some(writer) = &mut self.writer else {
                return Ok(None);
            };
            if let Some(object) = &mut self.open {
                match object.next().await {
                    Some(chunk) => writer.write_all(&chunk?).map_err(broken)?,
                    None => self.open = None,
                }
            } else if let Some((name, key)) = self.waiting.next() {
                let options =
                    SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
                writer.start_file(name, options).map_err(broken)?;
                let found = self.store.get(&key).await.map_err(broken)?;
                self.open = Some(found.stream);
            } else if let Some(writer) = self.writer.take() {
                writer.finish().map_err(broken)?;
            }
        }
    }
}

fn broken(error: impl std::fmt::Display) -> worker::Error {
    worker::console_error!("a ZIP was broken off: {error}");
    worker::Error::RustError("the ZIP could not be completed".into())
}
