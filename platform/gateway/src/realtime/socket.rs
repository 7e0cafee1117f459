//! One client: joins, leaves, heartbeats and renewed tokens in, changes out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_util::sync::CancellationToken;

use super::protocol::{Join, Message, Version};
use super::{Channel, Follow, Realtime};
use crate::{Gateway, auth};

/// Messages and bytes that wait for a client. One that reads more slowly than this is cut off: it connects again, and nobody else waits for it.
const MOST_WAITING: usize = 1024;
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The largest message of a client.
const MOST_RECEIVED: usize = 256 * 1024;
/// Channels of one client.
const MOST_CHANNELS: usize = 100;
/// supabase-js sends a heartbeat every 25 s; whoever says nothing for three of them is gone.
const SILENCE: Duration = Duration::from_secs(75);
/// How long a join waits for Postgres.
const JOINING: Duration = Duration::from_secs(8);
/// Phoenix's own topic, for heartbeats.
const PHOENIX: &str = "phoenix";

/// Where messages to one client go.
#[derive(Clone)]
pub(super) struct Outbox {
    version: Version,
    sender: mpsc::Sender<String>,
    waiting: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Outbox {
    /// Never waits. A client that cannot keep up loses its connection instead of a message.
    pub(super) fn send(
        &self,
        join_ref: Option<&str>,
        reference: Option<&str>,
        topic: &str,
        event: &str,
        payload: &Value,
    ) {
        let text = self
            .version
            .write(join_ref, reference, topic, event, payload);
        let waiting = self.waiting.fetch_add(text.len(), Relaxed);
        if waiting > MOST_BYTES || self.sender.try_send(text).is_err() {
            self.gone.cancel();
        }
    }
}

/// Serves a client until it leaves.
pub(super) async fn serve(
    gateway: Arc<Gateway>,
    upgrade: OnUpgrade,
    version: Version,
    token: String,
) {
    let Some(realtime) = &gateway.realtime else {
        return;
    };
    let upgraded = match upgrade.await {
        Ok(upgraded) => upgraded,
        Err(error) => {
            tracing::debug!(%error, "a websocket was not opened");
            return;
        }
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_RECEIVED))
        .max_frame_size(Some(MOST_RECEIVED));
    let stream =
        WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    let outbox = Outbox {
        version,
        sender,
        waiting: Arc::default(),
        gone: CancellationToken::new(),
    };
    realtime.sockets.fetch_add(1, Relaxed);
    let client = Client {
        gateway: &gateway,
        realtime,
        id: realtime.next_id(),
        token,
        outbox,
    };
    // Its drop takes the client's channels out, however this ends.
    client.talk(stream, receiver).await;
}

struct Client<'a> {
    gateway: &'a Gateway,
    realtime: &'a Realtime,
    id: u64,
    /// The key that it connected with; a join may name another.
    token: String,
    outbox: Outbox,
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.realtime.sockets.fetch_sub(1, Relaxed);
        self.realtime
            .channels()
            .retain(|(socket, _), _| *socket != self.id);
    }
}

impl Client<'_> {
    async fn talk<S>(&self, stream: WebSocketStream<S>, mut receiver: mpsc::Receiver<String>)
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    {
        let (mut sink, mut stream) = stream.split();
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                frame = stream.next() => match frame {
                    Some(Ok(Frame::Text(text))) => {
                        heard = Instant::now();
                        // What cannot be read is no message of this protocol; there is nobody to answer.
                        if let Some(message) = self.outbox.version.read(&text) {
                            self.hear(message).await;
                        }
                    }
                    Some(Ok(Frame::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => heard = Instant::now(),
                },
                Some(text) = receiver.recv() => {
                    self.outbox.waiting.fetch_sub(text.len(), Relaxed);
                    if sink.send(Frame::text(text)).await.is_err() {
                        return;
                    }
                }
                () = self.outbox.gone.cancelled() => {
                    tracing::debug!("a websocket was closed: its client does not read");
                    return;
                }
                () = tokio::time::sleep_until(heard + SILENCE) => return,
            }
        }
    }

    async fn hear(&self, message: Message) {
        match message.event.as_str() {
            "heartbeat" if message.topic == PHOENIX => self.reply(&message, "ok", &json!({})),
            "phx_join" => match self.join(&message).await {
                Ok(response) => {
                    self.reply(&message, "ok", &response);
                    self.say_subscribed(&message);
                }
                Err(reason) => self.reply(&message, "error", &json!({ "reason": reason })),
            },
            "phx_leave" => {
                self.realtime
                    .channels()
                    .remove(&(self.id, message.topic.clone()));
                self.reply(&message, "ok", &json!({}));
                self.send(&message, "phx_close", &json!({}));
            }
            "access_token" => self.renew(&message),
            // Broadcast and presence are not what this stand-in is for.
            _ => self.reply(
                &message,
                "error",
                &json!({ "reason": "only postgres_changes are served here" }),
            ),
        }
    }

    async fn join(&self, message: &Message) -> Result<Value, String> {
        let join: Join = serde_json::from_value(message.payload.clone())
            .map_err(|error| format!("the join is not understood: {error}"))?;
        let token = join
            .access_token
            .clone()
            .unwrap_or_else(|| self.token.clone());
        auth::identify_token(&token, &self.gateway.settings, String::new)
            .map_err(|refusal| refusal.to_string())?;
        let place = (self.id, message.topic.clone());
        let count = {
            let channels = self.realtime.channels();
            let mine = channels.keys().filter(|(socket, _)| *socket == self.id);
            mine.filter(|(_, topic)| *topic != message.topic).count()
        };
        if count >= MOST_CHANNELS {
            return Err(format!("a client has at most {MOST_CHANNELS} channels"));
        }

        let (bindings, echoes) = join.bindings(|| self.realtime.next_id())?;
        for binding in &bindings {
            let tables = self
                .follow(binding.schema.clone(), binding.table.clone())
                .await?;
            if tables == 0 {
                return Err(format!(
                    "no table {}.{} is in the publication supabase_realtime",
                    binding.schema,
                    binding.table.as_deref().unwrap_or("*")
                ));
            }
        }
        let channel = Channel {
            topic: message.topic.clone(),
            join_ref: message.join_ref.clone().or(message.reference.clone()),
            token: token.into(),
            bindings,
            outbox: self.outbox.clone(),
        };
        self.realtime.channels().insert(place, Arc::new(channel));
        Ok(json!({ "postgres_changes": echoes }))
    }

    /// Once it has answered, no change of the table is missed.
    async fn follow(&self, schema: String, table: Option<String>) -> Result<usize, String> {
        let (reply, answer) = oneshot::channel();
        let follow = Follow {
            schema,
            table,
            reply,
        };
        let asked = async {
            self.realtime.follows.send(follow).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout(JOINING, asked).await {
            Ok(Some(answer)) => answer,
            _ => Err("Postgres does not answer; try again".to_owned()),
        }
    }

    /// A client renews its token without joining again. One that does not hold ends the channel, as an expired one does.
    fn renew(&self, message: &Message) {
        let Some(token) = message.payload.get("access_token").and_then(Value::as_str) else {
            return;
        };
        let place = (self.id, message.topic.clone());
        if let Some(channel) = self.realtime.channels().get(&place) {
            token.clone_into(&mut channel.token());
        }
    }

    fn say_subscribed(&self, message: &Message) {
        let channel = message.topic.strip_prefix("realtime:");
        let payload = json!({ "extension": "postgres_changes", "status": "ok", "message": "Subscribed to PostgreSQL",
            "channel": channel.unwrap_or(&message.topic) });
        self.outbox.send(
            message.join_ref.as_deref(),
            None,
            &message.topic,
            "system",
            &payload,
        );
    }

    fn reply(&self, message: &Message, status: &str, response: &Value) {
        let payload = json!({ "status": status, "response": response });
        self.send(message, "phx_reply", &payload);
    }

    fn send(&self, message: &Message, event: &str, payload: &Value) {
        self.outbox.send(
            message.join_ref.as_deref(),
            message.reference.as_deref(),
            &message.topic,
            event,
            payload,
        );
    }
}
