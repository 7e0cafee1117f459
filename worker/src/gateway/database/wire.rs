//! Postgres' protocol on one connection: statements are queued, sent together, answered together.
//!
//! What is queued up to a [`Wire::sync`] is one transaction unless a statement says otherwise: it
//! commits at the synchronisation point, and after an error the server skips everything up to it. All
//! state lives here and not in futures, so that dropping one at any moment loses nothing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, Bytes, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadBuf};

use super::login::Stream;
use super::server_error::ServerError;
use super::statement::Param;

/// Buffers grown past this by one request are given back after it.
const KEPT_BUFFER: usize = 256 * 1024;

pub(super) struct Wire {
    stream: Box<dyn Stream>,
    outgoing: BytesMut,
    incoming: BytesMut,
    /// Synchronisation points whose answer is still to come.
    awaited: usize,
    state: State,
}

/// Where the server says the session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    InTransaction,
    Failed,
}

/// What came back up to a synchronisation point.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// The last row of each statement that was executed to its end.
    pub(super) rows: Vec<Option<Row>>,
    /// How many statements were parsed.
    pub(super) parsed: usize,
    pub(super) error: Option<ServerError>,
}

/// A row whose values are in text.
#[derive(Debug)]
pub(super) struct Row(DataRowBody);

impl Row {
    /// All values, None for null, without copying.
    pub(super) fn values(&self) -> io::Result<Vec<Option<Bytes>>> {
        let bytes = self.0.buffer_bytes();
        let mut values = Vec::new();
        let mut ranges = self.0.ranges();
        while let Some(range) = ranges.next()? {
            values.push(range.map(|range| bytes.slice(range)));
        }
        Ok(values)
    }
}

impl Wire {
    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self {
            stream,
            outgoing: BytesMut::with_capacity(4096),
            incoming: BytesMut::with_capacity(8192),
            awaited: 0,
            state: State::Idle,
        }
    }

    pub(super) fn state(&self) -> State {
        self.state
    }

    /// Queues the parsing of a statement; types are taken from where its values stand.
    pub(super) fn parse(&mut self, name: &str, text: &str) -> io::Result<()> {
        frontend::parse(name, text, [], &mut self.outgoing)
    }

    /// Queues the execution of a parsed statement.
    pub(super) fn execute(&mut self, name: &str, params: &[Param]) -> io::Result<()> {
        let formats = params.iter().map(|param| match param {
            Param::Text(_) | Param::Body(_) => 0,
            Param::Binary(_) => 1,
        });
        let write = |param: &Param, out: &mut BytesMut| {
            out.extend_from_slice(param.as_bytes());
            Ok(IsNull::No)
        };
        frontend::bind("", name, formats, params, write, [], &mut self.outgoing).map_err(
            |error| match error {
                frontend::BindError::Conversion(error) => io::Error::other(error),
                frontend::BindError::Serialization(error) => error,
            },
        )?;
        frontend::execute("", 0, &mut self.outgoing)
    }

    /// Queues the forgetting of a statement.
    pub(super) fn close(&mut self, name: &str) -> io::Result<()> {
        frontend::close(b'S', name, &mut self.outgoing)
    }

    /// Queues the end of a transaction's statements.
    pub(super) fn sync(&mut self) {
        frontend::sync(&mut self.outgoing);
        self.awaited += 1;
    }

    /// Queues a command without values; it is its own synchronisation point.
    pub(super) fn command(&mut self, text: &str) -> io::Result<()> {
        frontend::query(text, &mut self.outgoing)?;
        self.awaited += 1;
        Ok(())
    }

    /// Sends what is queued and reads until every synchronisation point has been answered.
    pub(super) async fn round_trip(&mut self) -> io::Result<Reply> {
        let mut reply = Reply::default();
        let mut row = None;
        while self.outgoing.has_remaining() {
            self.send_some().await?;
        }
        self.stream.flush().await?;
        while self.awaited > 0 {
            match Message::parse(&mut self.incoming)? {
                Some(message) => self.take(message, &mut reply, &mut row)?,
                None => {
                    if self.stream.read_buf(&mut self.incoming).await? == 0 {
                        return Err(self.ended(reply));
                    }
                }
            }
        }
        self.shrink();
        Ok(reply)
    }

    /// Writes what the socket takes. When it takes nothing, reads: the server may be answering
    /// while we still send, and both would wait for the other if nobody read.
    async fn send_some(&mut self) -> io::Result<()> {
        std::future::poll_fn(|context| {
            let stream = Pin::new(self.stream.as_mut());
            if let Poll::Ready(written) = stream.poll_write(context, &self.outgoing) {
                self.outgoing.advance(written?);
                return Poll::Ready(Ok(()));
            }
            let mut chunk = [0; 4096];
            let mut buffer = ReadBuf::new(&mut chunk);
            let stream = Pin::new(self.stream.as_mut());
            std::task::ready!(stream.poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            self.incoming.extend_from_slice(buffer.filled());
            Poll::Ready(Ok(()))
        })
        .await
    }

    fn take(
        &mut self,
        message: Message,
        reply: &mut Reply,
        row: &mut Option<Row>,
    ) -> io::Result<()> {
        match message {
            Message::ParseComplete => reply.parsed += 1,
            Message::DataRow(body) => *row = Some(Row(body)),
            Message::CommandComplete(_) | Message::EmptyQueryResponse => {
                reply.rows.push(row.take());
            }
            Message::ErrorResponse(body) => {
                // The first one is the cause; what follows are its consequences.
                let error = ServerError::read(&body)?;
                reply.error.get_or_insert(error);
            }
            Message::ReadyForQuery(body) => {
                self.awaited -= 1;
                self.state = match body.status() {
                    b'I' => State::Idle,
                    b'T' => State::InTransaction,
                    _ => State::Failed,
                };
            }
            // A function cannot copy to or from the client, and nothing else is asked for.
            Message::CopyInResponse(_) | Message::CopyOutResponse(_) => {
                return Err(io::ErrorKind::Unsupported.into());
            }
            _ => {}
        }
        Ok(())
    }

    /// The server hung up; its last words, if any, say why.
    fn ended(&self, reply: Reply) -> io::Error {
        match reply.error {
            Some(error) => io::Error::other(error.message),
            None => io::ErrorKind::UnexpectedEof.into(),
        }
    }

    /// One large answer must not be paid for in memory ever after.
    fn shrink(&mut self) {
        if self.incoming.capacity() > KEPT_BUFFER && self.incoming.is_empty() {
            self.incoming = BytesMut::with_capacity(8192);
        }
        if self.outgoing.capacity() > KEPT_BUFFER && self.outgoing.is_empty() {
            self.outgoing = BytesMut::with_capacity(4096);
        }
    }

    /// True unless the server has hung up, or has something to say on an idle connection, which
    /// is almost always why it is about to. Never waits.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut one = [0; 1];
        let mut buffer = ReadBuf::new(&mut one);
        let mut context = Context::from_waker(Waker::noop());
        let stream = Pin::new(self.stream.as_mut());
        let heard = stream.poll_read(&mut context, &mut buffer);
        matches!(heard, Poll::Pending) && self.incoming.is_empty() && self.awaited == 0
    }
}
