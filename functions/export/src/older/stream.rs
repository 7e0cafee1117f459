//! The compatible stream of one job: events progress, completed, failed, cancelled, timeout and error.

use futures_util::future::LocalBoxFuture;
use gristmill_core::job::JobId;
use gristmill_core::{Code, Problem};
use gristmill_edge::sse::{self, Event, Voice};
use gristmill_edge::storage::Store;
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::Rpc;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::shapes::result_url;
use crate::files;
use crate::handler::found;

pub(crate) async fn stream(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id: JobId = call.param("id")?;
    let rpc = config.rpc_for_reader(call)?;
    let older = Older {
        id,
        rpc: config.rpc_for_reader(call)?,
        store: files::store_for_reader(call, config),
    };
    let poll = async move |after| found(rpc.export_events(id, after).await);
    sse::reply_as(call, config, poll, older).await
}

struct Older {
    id: JobId,
    rpc: Rpc,
    store: Option<Store>,
}

/// What our own events say that matters here.
#[derive(Deserialize)]
struct Said {
    progress: Option<i32>,
    /// Which try; absent while it waits for its first.
    attempt: Option<i32>,
    message: Option<String>,
}

/// How far a job is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress<'a> {
    job_id: JobId,
    status: &'a str,
    progress: i32,
}

/// How a job has ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    job_id: JobId,
    result_url: Option<String>,
    error: Option<String>,
}

impl Voice for Older {
    fn say(&self, event: Event) -> LocalBoxFuture<'_, Event> {
        Box::pin(self.translated(event))
    }

    fn timeout(&self) -> Option<(&'static str, String)> {
        Some(("timeout", message("The stream ends here. Connect again.")))
    }

    fn failure(&self, problem: &Problem) -> Option<(&'static str, String)> {
        // The ticket's time is over, while the job goes on.
        if problem.code == Code::TokenRefused {
            return Some((
                "timeout",
                message("The ticket has expired. Ask for a new one."),
            ));
        }
        Some(("error", message(&problem.detail)))
    }
}

impl Older {
    async fn translated(&self, event: Event) -> Event {
        let said: Said = serde_json::from_str(event.data.get()).unwrap_or(Said {
            progress: None,
            attempt: None,
            message: None,
        });
        let data = match event.event.as_str() {
            "completed" | "failed" | "cancelled" => serde_json::value::to_raw_value(&Ended {
                job_id: self.id,
                result_url: self.link(&event.event).await,
                error: said.message.filter(|_| event.event == "failed"),
            }),
            _ => serde_json::value::to_raw_value(&Progress {
                job_id: self.id,
                status: match said.attempt {
                    Some(_) => "processing",
                    None => "pending",
                },
                progress: said.progress.unwrap_or(0),
            }),
        };
        let event_name = match event.event.as_str() {
            ended @ ("completed" | "failed" | "cancelled") => ended,
            _ => "progress",
        };
        Event {
            id: event.id,
            event: event_name.to_owned(),
            data: data.unwrap_or(event.data),
        }
    }

    async fn link(&self, event: &str) -> Option<String> {
        if event != "completed" {
            return None;
        }
        let fallback = || Some(format!("/api/v1/export/download/{}", self.id));
        match self.rpc.get_export(self.id).await {
            Ok(Some(export)) => result_url(&export, self.store.as_ref()).await,
            Ok(None) => None,
            // The file is there; only we could not ask where.
            Err(_) => fallback(),
        }
    }
}

fn message(text: &str) -> String {
    json!({ "message": text }).to_string()
}
