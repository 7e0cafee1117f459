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

use gristmill_dialect::{Layout, Param, ServerError};

use super::collect::{Collector, Excess};
use super::login::Stream;
use super::server_error;

/// Buffers grown past this by one request are given back after it.
const KEPT_BUFFER: usize = 256 * 1024;

/// The largest message that is read where nobody wants rows: an error's words, a setting's value.
const LARGEST_ASIDE: usize = 1024 * 1024;

pub(super) struct Wire {
    stream: Box<dyn Stream>,
    outgoing: BytesMut,
    incoming: BytesMut,
    /// Synchronisation points whose answer is still to come.
    awaited: usize,
    /// Bytes of a message that are still to be dropped, because it is too large to be held.
    dropping: usize,
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
    /// The answer became too large and the rest of it has not been read.
    pub(super) stopped: bool,
}

impl Reply {
    /// The first value of the first statement, a number.
    pub(super) fn first_number(&self) -> Option<i32> {
        self.text(0)?.parse().ok()
    }

    /// The second one, a text.
    pub(super) fn second_text(&self) -> Option<String> {
        self.text(1)
    }

    fn text(&self, place: usize) -> Option<String> {
        let row = self.rows.first()?.as_ref()?;
        let value = row.values().ok()?.into_iter().nth(place).flatten()?;
        String::from_utf8(value.into()).ok()
    }
}

/// Where the rows of one statement go; those of all others are kept, the last of each.
pub(super) struct Sink<'a> {
    /// The statement's place among those sent.
    pub(super) position: usize,
    pub(super) collector: &'a mut Collector,
}

/// A row whose values are in text.
#[derive(Debug)]
pub(super) struct Row(DataRowBody);

impl Row {
    /// The first three values, None for null and for what is not there. Nothing is allocated: an answer may
    /// have a thousand rows.
    pub(super) fn first_three(&self) -> io::Result<[Option<&[u8]>; 3]> {
        let bytes = self.0.buffer();
        let mut values = [None; 3];
        let mut ranges = self.0.ranges();
        for value in &mut values {
            if let Some(Some(range)) = ranges.next()? {
                *value = bytes.get(range);
            }
        }
        Ok(values)
    }

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

/// A row as the server would send it.
#[cfg(test)]
pub(super) fn row_of(values: &[Option<&str>]) -> Row {
    let mut body = BytesMut::new();
    body.extend_from_slice(&u16::try_from(values.len()).unwrap().to_be_bytes());
    for value in values {
        match value {
            Some(text) => {
                body.extend_from_slice(&i32::try_from(text.len()).unwrap().to_be_bytes());
                body.extend_from_slice(text.as_bytes());
            }
            None => body.extend_from_slice(&(-1_i32).to_be_bytes()),
        }
    }
    let mut message = BytesMut::from(&b"D"[..]);
    message.extend_from_slice(&u32::try_from(body.len() + 4).unwrap().to_be_bytes());
    message.extend_from_slice(&body);
    match Message::parse(&mut message).unwrap() {
        Some(Message::DataRow(body)) => Row(body),
        _ => panic!("not a row"),
    }
}

impl Wire {
    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self {
            stream,
            outgoing: BytesMut::with_capacity(4096),
            incoming: BytesMut::with_capacity(8192),
            awaited: 0,
            dropping: 0,
            state: State::Idle,
        }
    }

    pub(super) fn state(&self) -> State {
        self.state
    }

    /// True when everything sent has been answered and no transaction is open.
    pub(super) fn is_settled(&self) -> bool {
        self.state == State::Idle && self.awaited == 0 && self.dropping == 0
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

    /// Sends what is queued and reads until every synchronisation point has been answered, or until the
    /// rows of `sink` are too much.
    pub(super) async fn round_trip(&mut self, mut sink: Option<Sink<'_>>) -> io::Result<Reply> {
        let mut reply = Reply::default();
        let mut row = None;
        while self.outgoing.has_remaining() {
            self.send_some().await?;
        }
        self.stream.flush().await?;
        while self.awaited > 0 {
            self.drop_some();
            self.refuse_large(&reply, sink.as_mut())?;
            if self.dropping == 0
                && let Some(message) = Message::parse(&mut self.incoming)?
            {
                self.take(message, &mut reply, &mut row, sink.as_mut())?;
            } else if !self.stops(&sink) && self.stream.read_buf(&mut self.incoming).await? == 0 {
                return Err(self.ended(reply));
            }
            if self.stops(&sink) {
                reply.stopped = true;
                return Ok(reply);
            }
        }
        self.shrink();
        Ok(reply)
    }

    fn stops(&self, sink: &Option<Sink<'_>>) -> bool {
        sink.as_ref().is_some_and(|sink| {
            let collector = &sink.collector;
            collector.too_much().is_some() && collector.excess() == Excess::Cancel
        })
    }

    /// Drops what has come of a message that is too large.
    fn drop_some(&mut self) {
        let gone = self.dropping.min(self.incoming.len());
        self.incoming.advance(gone);
        self.dropping -= gone;
    }

    /// Looks at a message's length before the message is there: one that is too large is never held.
    fn refuse_large(&mut self, reply: &Reply, sink: Option<&mut Sink<'_>>) -> io::Result<()> {
        if self.dropping > 0 {
            return Ok(());
        }
        let Some((tag, length)) = self.incoming.first_chunk::<5>().map(|head| {
            let [tag, length @ ..] = *head;
            (tag, u32::from_be_bytes(length) as usize)
        }) else {
            return Ok(());
        };
        let sink = sink.filter(|sink| sink.position == reply.rows.len());
        let room = sink.as_ref().map_or(0, |sink| sink.collector.room());
        if length <= room.max(LARGEST_ASIDE) {
            return Ok(());
        }
        if tag != b'D' {
            return Err(io::Error::other(
                "the server sent a message that is too large",
            ));
        }
        if let Some(sink) = sink {
            sink.collector.overflow();
        }
        self.dropping = length + 1;
        self.drop_some();
        Ok(())
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
        sink: Option<&mut Sink<'_>>,
    ) -> io::Result<()> {
        match message {
            Message::ParseComplete => reply.parsed += 1,
            Message::DataRow(body) => match sink {
                Some(sink)
                    if sink.position == reply.rows.len()
                        && sink.collector.layout() != Layout::Whole =>
                {
                    sink.collector.take(&Row(body))?;
                }
                _ => *row = Some(Row(body)),
            },
            Message::CommandComplete(_) | Message::EmptyQueryResponse => {
                reply.rows.push(row.take());
            }
            Message::ErrorResponse(body) => {
                // The first one is the cause; what follows are its consequences.
                let error = server_error::read(&body)?;
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
