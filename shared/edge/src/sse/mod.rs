//! Server-sent events from a poll function.
//!
//! A handler gives [`reply`] a function that answers "what came after event N?". The stream carries ids, so a
//! reconnect with Last-Event-ID misses nothing; comments keep it alive; it ends by itself after a minute with a
//! hint when to reconnect, as platforms end requests that never end; and it stops when the caller leaves.
//! Listeners to the same path with the same token share one poll, see [`log`].

mod log;

use std::future::ready;
use std::ops::AsyncFn;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::unfold;
use worker::AbortSignal;

use super::{Call, Config, Reply};
use gristmill_core::Problem;
pub use gristmill_core::event::{Event, Polled};
use gristmill_core::sleep::sleep;
use log::{Seat, Turn};

/// Milliseconds after which a browser reconnects to a stream that has ended.
const RETRY: u64 = 1_000;
/// A comment goes out when nothing else did for so long. It keeps proxies from ending what looks dead, and it is how a
/// listener's leaving is noticed: a server that only writes learns of a closed connection by the second write to it.
const KEEP_ALIVE: u64 = 1_500;
/// Seconds a stream lasts, unless the binding SSE_SECONDS says otherwise.
const LIFETIME: u64 = 60;

/// How a stream speaks to listeners that know other names than ours.
pub trait Voice {
    /// What is said for an event.
    fn say(&self, event: Event) -> LocalBoxFuture<'_, Event>;
    /// What is said when the stream ends by itself: name and JSON.
    fn timeout(&self) -> Option<(&'static str, String)>;
    /// What is said when it cannot go on.
    fn failure(&self, problem: &Problem) -> Option<(&'static str, String)>;
}

/// Our own names.
struct Plain;

impl Voice for Plain {
    fn say(&self, event: Event) -> LocalBoxFuture<'_, Event> {
        Box::pin(ready(event))
    }

    fn timeout(&self) -> Option<(&'static str, String)> {
        None
    }

    fn failure(&self, _: &Problem) -> Option<(&'static str, String)> {
        None
    }
}

/// A stream of what `poll` finds. The first poll is made before the answer begins, so that a refusal is an
/// ordinary problem; whoever has seen the end already gets 204, which tells browsers not to come back.
pub async fn reply(
    call: &Call,
    config: &Config,
    poll: impl AsyncFn(u64) -> Result<Polled, Problem> + 'static,
) -> Result<Reply, Problem> {
    reply_as(call, config, poll, Plain).await
}

/// Boxed, so that a function with several streams has the code of one: in `export` that is 20 KB.
type Poll = Box<dyn Fn(u64) -> LocalBoxFuture<'static, Result<Polled, Problem>>>;

/// The same, in another voice. Where that has words for a failure, one of ours is an event and not a status: an EventSource comes back after a
/// stream that ends, but never after a status other than 200.
pub async fn reply_as(
    call: &Call,
    config: &Config,
    poll: impl AsyncFn(u64) -> Result<Polled, Problem> + 'static,
    voice: impl Voice + 'static,
) -> Result<Reply, Problem> {
    let poll = Rc::new(poll);
    let poll: Poll = Box::new(move |after| {
        let poll = poll.clone();
        Box::pin(async move { poll(after).await })
    });
    listen(call, config, poll, Box::new(voice)).await
}

async fn listen(
    call: &Call,
    config: &Config,
    poll: Poll,
    voice: Box<dyn Voice>,
) -> Result<Reply, Problem> {
    let seconds = config.optional("SSE_SECONDS");
    let lifetime = seconds
        .and_then(|text| text.parse().ok())
        .unwrap_or(LIFETIME)
        * 1_000;
    let cursor = last_event_id(call);
    let shown = match call.ticket() {
        Some(ticket) => ticket,
        None => call.token()?,
    };
    let key = format!("{shown}\n{}", call.path().join("/"));
    let mut listener = Listener {
        seat: Seat::take(key, now()),
        poll,
        voice,
        cursor: cursor.unwrap_or(0),
        ends_at: now() + lifetime,
        quiet_since: now(),
        presence: call.presence(),
        over: false,
    };
    let first = match listener.advance().await {
        Ok(Step::Ended) if cursor.is_some() => return Ok(Reply::empty(204)),
        Ok(Step::Ended) => return Ok(answer(futures_util::stream::empty())),
        Ok(Step::News(events)) => listener.say(events).await,
        Ok(Step::Wait(_)) => format!("retry: {RETRY}\n: connected\n\n"),
        Err(problem) => {
            let said = listener.voice.failure(&problem);
            let said = said.filter(|_| problem.code.status() >= 500);
            let text = last_words(said.ok_or(problem)?);
            let text = futures_util::stream::once(async { Ok(text.into_bytes()) });
            return Ok(answer(text));
        }
    };
    let first = futures_util::stream::once(async { Ok(first.into_bytes()) });
    let rest = unfold(listener, |mut listener| async {
        let chunk = listener.next().await?;
        Some((Ok(chunk.into_bytes()), listener))
    });
    Ok(answer(futures_util::StreamExt::chain(first, rest)))
}

fn answer(stream: impl futures_util::Stream<Item = worker::Result<Vec<u8>>> + 'static) -> Reply {
    // X-Accel-Buffering is how nginx and those who copied it are told to pass events on at once.
    Reply::stream("text/event-stream; charset=utf-8", stream).with("x-accel-buffering", "no")
}

struct Listener {
    seat: Seat,
    poll: Poll,
    voice: Box<dyn Voice>,
    cursor: u64,
    ends_at: u64,
    quiet_since: u64,
    presence: AbortSignal,
    over: bool,
}

enum Step {
    News(Vec<Event>),
    Ended,
    Wait(u64),
}

impl Listener {
    async fn say(&self, events: Vec<Event>) -> String {
        let mut said = Vec::with_capacity(events.len());
        for event in events {
            said.push(self.voice.say(event).await);
        }
        write(&said)
    }

    /// The next piece of the stream, after whatever time it takes.
    async fn next(&mut self) -> Option<String> {
        while !self.over && !self.presence.aborted() {
            let now = now();
            if now >= self.ends_at {
                self.over = true;
                return Some(match self.voice.timeout() {
                    Some(said) => last_words(said),
                    None => format!("retry: {RETRY}\n: reconnect\n\n"),
                });
            }
            if now >= self.quiet_since + KEEP_ALIVE {
                self.quiet_since = now;
                return Some(": keep-alive\n\n".to_owned());
            }
            match self.advance().await {
                Ok(Step::News(events)) => {
                    self.quiet_since = now;
                    return Some(self.say(events).await);
                }
                Ok(Step::Wait(pause)) => {
                    let latest = self.ends_at.min(self.quiet_since + KEEP_ALIVE);
                    let pause = pause.min(latest.saturating_sub(now)).max(1);
                    sleep(Duration::from_millis(pause)).await;
                }
                // What passes by itself does not end a stream that has begun.
                Err(problem) if problem.code.status() >= 500 => {
                    sleep(Duration::from_millis(RETRY)).await;
                }
                Ok(Step::Ended) => self.over = true,
                // A right that was withdrawn, or a ticket whose time is over: a reconnect would learn the same.
                Err(problem) => {
                    self.over = true;
                    return self.voice.failure(&problem).map(last_words);
                }
            }
        }
        None
    }

    /// What there is for this listener; polls when it is its turn to.
    async fn advance(&mut self) -> Result<Step, Problem> {
        loop {
            match self.seat.turn(self.cursor, now()) {
                Turn::News(events) => {
                    self.cursor = events.last().map_or(self.cursor, |event| event.id);
                    return Ok(Step::News(events));
                }
                Turn::Ended => return Ok(Step::Ended),
                Turn::Wait(pause) => return Ok(Step::Wait(pause)),
                Turn::Poll { after } => match (self.poll)(after).await {
                    Ok(polled) => self.seat.found(after, polled, now()),
                    Err(problem) => {
                        self.seat.failed(now());
                        return Err(problem);
                    }
                },
            }
        }
    }
}

fn now() -> u64 {
    worker::Date::now().as_millis()
}

// The header is what browsers send by themselves; the parameter is for those who cannot set headers.
fn last_event_id(call: &Call) -> Option<u64> {
    call.header("last-event-id")
        .or_else(|| call.query("last_event_id"))
        .and_then(|id| id.trim().parse().ok())
}

// Without an id: a reconnect goes on after the last event of the thing itself.
fn last_words((event, data): (&'static str, String)) -> String {
    format!("retry: {RETRY}\nevent: {event}\ndata: {data}\n\n")
}

fn write(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        text.push_str(&format!("id: {}\nevent: {}\n", event.id, event.event));
        // JSON may be written over several lines; each is a line of data.
        for line in event.data.get().lines() {
            text.push_str(&format!("data: {line}\n"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_id_its_name_and_every_line_of_its_data() {
        let data =
            serde_json::value::RawValue::from_string("{\"a\":1,\n \"b\":2}".to_owned()).unwrap();
        let events = [Event {
            id: 7,
            event: "progress".to_owned(),
            data,
        }];
        assert_eq!(
            write(&events),
            "id: 7\nevent: progress\ndata: {\"a\":1,\ndata:  \"b\":2}\n\n"
        );
    }
}
