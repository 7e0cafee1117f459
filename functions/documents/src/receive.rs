//! `POST /v1/documents`: begin, store, finish.

use std::time::Duration;

use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{Body, Storage, Store};
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::{Begun, BegunUpload, Rpc, RpcError};

use crate::body::{self, Arriving};
use crate::domain::{Accepted, MAX_BYTES, Naming};

pub(crate) async fn receive(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let accepted = accept(call, config).await?;
    let place = format!("/v1/documents/{}", accepted.id);
    Ok(Reply::json(202, &accepted)?
        .with("location", place)
        .replayed(accepted.is_replay))
}

/// Stores the file that the request carries.
pub(crate) async fn accept(call: &mut Call, config: &Config) -> Result<Accepted, Problem> {
    let token = call.token()?;
    let rpc = config.rpc_for(&token)?;
    let store = Store::open(config, &token)?;
    let naming: Naming = call.read_query()?;
    let key = call.idempotency_key()?;
    let limit = config
        .optional("UPLOAD_MAX_BYTES")
        .and_then(|text| text.parse().ok())
        .unwrap_or(MAX_BYTES);

    let arriving = body::begin(call, limit).await?;
    let filename = naming
        .filename
        .or_else(|| arriving.fields.filename.clone())
        .or_else(|| arriving.filename.clone());
    let key = key
        .map(|key| key.as_str().to_owned())
        .or_else(|| arriving.fields.idempotency_key.clone());
    let profile = match (naming.profile_id, &arriving.fields.patient_id) {
        (None, Some(said)) => Some(said.parse().map_err(|_| {
            Problem::new(Code::InvalidField, "The id of a profile is a UUID.").at("patient_id")
        })?),
        (named, _) => named,
    };
    let begun = patiently(12, async || {
        rpc.begin_document_upload(
            arriving.mime_type,
            filename.as_deref(),
            key.as_deref(),
            profile,
        )
        .await
    })
    .await?;
    let begun = match begun {
        Begun::Upload(begun) => begun,
        Begun::OverPlan { over } => {
            arriving.drain().await;
            return Err(over_plan(&over));
        }
    };
    if begun.is_stored {
        again(&rpc, &begun, arriving, limit).await
    } else {
        first(&rpc, &store, &begun, arriving, limit).await
    }
}

/// Tries again while Postgres is overloaded or away for a moment: the body waits meanwhile, in its sender. A thousand
/// uploads at once are more than the gateway lets wait, and each of them must get in.
async fn patiently<T>(
    tries: u32,
    call: impl AsyncFn() -> Result<T, RpcError>,
) -> Result<T, RpcError> {
    let mut pause = 100;
    for _ in 1..tries {
        match call().await {
            Err(error) if error.is_passing() => {
                // Spread out, so that those who were refused together do not come back together.
                let spread = u64::from(uuid::Uuid::now_v7().as_bytes()[15]) * pause / 256;
                worker::Delay::from(Duration::from_millis(pause / 2 + spread)).await;
                pause = (pause * 2).min(5_000);
            }
            ended => return ended,
        }
    }
    call().await
}

// The key's document is there already: only whether this is the same file is to be found out.
async fn again(
    rpc: &Rpc,
    begun: &BegunUpload,
    arriving: Arriving,
    limit: u64,
) -> Result<Accepted, Problem> {
    let passed = arriving.digest().await;
    let (fault, sha256, size) = {
        let passed = passed.borrow();
        (passed.fault(limit), passed.sha256(), passed.size)
    };
    if let Some(problem) = fault {
        let _ = rpc.abandon_document_upload(begun).await;
        return Err(problem);
    }
    let finished = rpc.finish_document_upload(begun, size, &sha256).await?;
    if finished.is_other {
        return Err(other_body());
    }
    Ok(Accepted {
        id: begun.id,
        status: finished.status,
        is_replay: true,
    })
}

async fn first(
    rpc: &Rpc,
    store: &Store,
    begun: &BegunUpload,
    arriving: Arriving,
    limit: u64,
) -> Result<Accepted, Problem> {
    let mime_type = arriving.mime_type;
    let (chunks, passed) = arriving.pass();
    let stored = store
        .put(&begun.place, mime_type, Body::Stream(chunks))
        .await;
    let (fault, sha256, size) = {
        let passed = passed.borrow();
        (passed.fault(limit), passed.sha256(), passed.size)
    };
    if let Some(problem) = fault.or_else(|| stored.err().map(Problem::from)) {
        abandon(rpc, store, begun).await;
        return Err(problem);
    }
    match patiently(6, async || {
        rpc.finish_document_upload(begun, size, &sha256).await
    })
    .await
    {
        Ok(finished) => {
            if !finished.is_new {
                let _ = store.remove(std::slice::from_ref(&begun.place)).await;
            }
            if !finished.over.is_empty() {
                return Err(over_plan(&finished.over));
            }
            if finished.is_other {
                return Err(other_body());
            }
            Ok(Accepted {
                id: begun.id,
                status: finished.status,
                is_replay: !finished.is_new,
            })
        }
        // Erased meanwhile, or so slow that it was given up: nobody's file.
        Err(RpcError::Refused { code, .. }) if code == "GM046" => {
            let _ = store.remove(std::slice::from_ref(&begun.place)).await;
            let detail = "The document was erased, or its upload given up, before it was complete.";
            Err(Problem::new(Code::NotFound, detail))
        }
        // What was counted here is not what the database takes: nothing is kept.
        Err(RpcError::Refused { code, message, .. }) if code == "GM049" => {
            abandon(rpc, store, begun).await;
            Err(Problem::new(Code::TooLarge, message))
        }
        // The file is safe and its ticket is there, even if the token has expired meanwhile: the sweep puts the two
        // together when Postgres is back.
        Err(error) => {
            worker::console_error!("an upload is stored and not yet registered: {error}");
            Ok(Accepted {
                id: begun.id,
                status: "uploading".to_owned(),
                is_replay: false,
            })
        }
    }
}

/// Takes an upload back, as far as that can be done now: the sweep finds what is left. The object goes only once Postgres has
/// said that nothing names it, because the sweep may have registered it: a store can keep a file whose sender got no answer.
async fn abandon(rpc: &Rpc, store: &Store, begun: &BegunUpload) {
    let is_nobodys = match rpc.abandon_document_upload(begun).await {
        Ok(is_nobodys) => is_nobodys,
        Err(RpcError::Refused { code, .. }) => code == "GM046",
        Err(_) => false,
    };
    if is_nobodys {
        let _ = store.remove(std::slice::from_ref(&begun.place)).await;
    }
}

fn over_plan(meters: &[String]) -> Problem {
    let detail = format!(
        "The plan does not cover the file, which is past these limits: {}.",
        meters.join(", ")
    );
    let figures = [("over".to_owned(), meters.into())];
    Problem::new(Code::PlanLimit, detail).with(figures.into_iter().collect())
}

fn other_body() -> Problem {
    let detail = "This Idempotency-Key was used for another file.";
    Problem::new(Code::OtherBody, detail).at("idempotency-key")
}
