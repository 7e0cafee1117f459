//! `gristmill gateway`: one HTTP address in front of a Postgres, in PostgREST's dialect.
//!
//! A request's way: [`http`] accepts it and routes it, [`auth`] turns its token into a role, [`rest`] reads its headers and decides what is asked,
//! `gristmill-dialect` parses the query string and writes one statement for it, `gristmill-pool` runs that statement in one round trip as that role,
//! and [`rest`] shapes the answer. [`schema`] keeps what is known of the schema current.

use std::sync::Arc;

mod args;
mod auth;
mod connection;
mod http;
mod metrics;
mod realtime;
mod rest;
mod schema;
mod settings;

pub use args::Args;
pub use settings::Error as SettingsError;

use gristmill_dialect::catalog::Catalog;
use gristmill_dialect::refusal::Refusal;
use gristmill_native::database::{self, Config};
use gristmill_pool::limits::{Budget, Callers};
use gristmill_pool::{Pool, look_after};
use http::proxy::Proxy;
use metrics::Metrics;
use realtime::Realtime;
use settings::Settings;

/// Why the gateway could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument does not hold up.
    #[error("the gateway is not configured correctly")]
    Settings(#[from] SettingsError),
    /// The database URL is not one.
    #[error("the database cannot be addressed")]
    Database(#[from] gristmill_native::database::Error),
    /// Nothing can be listened to through it.
    #[error(
        "the gateway cannot listen through a pooler: give the address of Postgres itself as GRISTMILL_DIRECT_DATABASE_URL, beside the pooler's as GRISTMILL_DATABASE_URL"
    )]
    Pooler(#[source] gristmill_native::database::Error),
    /// The address is taken or not ours.
    #[error(transparent)]
    Listen(#[from] gristmill_native::serve::ListenError),
}

/// Everything a request may need; one per process.
pub(crate) struct Gateway {
    pub(crate) settings: Settings,
    pub(crate) catalog: schema::Shared,
    pub(crate) pool: Arc<Pool>,
    pub(crate) proxy: Proxy,
    pub(crate) callers: Arc<Callers>,
    pub(crate) bodies: Arc<Budget>,
    pub(crate) answers: Arc<Budget>,
    pub(crate) metrics: Arc<Metrics>,
    /// None where nobody asked for the stand-in.
    pub(crate) realtime: Option<Realtime>,
}

impl Gateway {
    /// The schema as last read, or the refusal to send until it has been.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, Refusal> {
        self.catalog.current().ok_or(Refusal::NoSchemaCache)
    }
}

/// Says once that requests can be served, and where: the line that scripts wait for.
async fn watch(gateway: Arc<Gateway>, config: Config, address: String) -> database::Error {
    let mut address = Some(address);
    let ready = || {
        if let Some(address) = address.take() {
            tracing::info!(address, "gateway ready");
        }
    };
    schema::watch(&gateway, config, ready).await
}

/// Serves until asked to stop, then lets requests under way finish.
pub async fn run(args: Args) -> Result<(), Error> {
    let listen = args.listen;
    let admin_listen = args.admin_listen;
    let (realtime, follows) = Realtime::new(args.realtime);
    let schemas = settings::Schemas::from_args(&args)?;
    let connections =
        connection::Connections::from_args(&args, &schemas.search_path(schemas.default()))?;
    let settings = Settings::from_args(args, schemas)?;

    let metrics = Arc::new(Metrics::default());
    let limits = &settings.limits;
    let answers = Budget::of_answers(limits.answer_memory, limits.max_answer);
    let gateway = Arc::new(Gateway {
        pool: Pool::new(
            connections.requests,
            gristmill_pool::Settings {
                shared: connections.shared,
                size: settings.pool,
                queue: settings.queue,
                for_users: limits.for_users,
                max_answer: limits.max_answer,
                deadline_grace: limits.deadline_grace,
                answers: answers.clone(),
            },
        ),
        proxy: Proxy::new(&settings),
        catalog: schema::Shared::default(),
        callers: Callers::new(limits.per_caller, limits.per_caller_queue),
        bodies: Budget::of_bodies(limits.body_memory, settings.max_body),
        answers,
        metrics,
        settings,
        realtime,
    });

    let public = gristmill_native::serve::bind(listen).await?;
    let admin = match admin_listen {
        Some(address) => Some(gristmill_native::serve::bind(address).await?),
        None => None,
    };
    if let Some(admin) = &admin {
        tracing::info!(address = http::server::address(admin), "admin listens");
    }
    // The schema is read while we already listen: a caller gets a 503 that says so rather than a
    // refused connection, and Postgres may come up after us.
    let direct = connections.direct;
    let address = http::server::address(&public);
    let changes = tokio::spawn(realtime::follow(gateway.clone(), direct.clone(), follows));
    let second_opinion = tokio::spawn(look_after(gateway.pool.clone(), direct.clone()));
    let ended = tokio::select! {
        () = http::server::serve(gateway.clone(), public, admin) => Ok(()),
        unusable = watch(gateway, direct, address) => Err(Error::Pooler(unusable)),
    };
    second_opinion.abort();
    changes.abort();
    ended
}
