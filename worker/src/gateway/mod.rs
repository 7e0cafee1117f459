//! `gristmill gateway`: one HTTP address in front of a Postgres, in PostgREST's dialect.
//!
//! A request's way through the modules: [`http`] accepts it and routes it, [`auth`] turns its token
//! into a role, [`rest`] reads its headers and decides what is asked, [`query`] parses the query
//! string, [`sql`] writes one statement for it, [`database`] runs that statement in one round trip
//! as that role, and [`rest`] shapes the answer. [`catalog`] is what is known of the schema;
//! [`refusal`] lists every way to say no.

use std::sync::Arc;

mod args;
pub(crate) mod auth;
mod catalog;
mod database;
mod http;
mod limits;
mod metrics;
mod query;
mod realtime;
mod refusal;
mod rest;
mod settings;
mod sql;

pub use args::Args;
pub use settings::Error as SettingsError;

use catalog::Catalog;
use database::Pool;
use http::proxy::Proxy;
use limits::{Budget, Callers};
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
    Database(#[from] crate::database::Error),
    /// The address is taken or not ours.
    #[error(transparent)]
    Listen(#[from] crate::serve::ListenError),
}

/// Everything a request may need; one per process.
pub(crate) struct Gateway {
    pub(crate) settings: Settings,
    pub(crate) catalog: catalog::Shared,
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
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, refusal::Refusal> {
        self.catalog
            .current()
            .ok_or(refusal::Refusal::NoSchemaCache)
    }
}

/// Says once that requests can be served, and where: the line that scripts wait for.
async fn watch(gateway: Arc<Gateway>, config: tokio_postgres::Config, address: String) {
    let mut address = Some(address);
    let ready = || {
        if let Some(address) = address.take() {
            tracing::info!(address, "gateway ready");
        }
    };
    catalog::watch(&gateway, config, ready).await;
}

/// Serves until asked to stop, then lets requests under way finish.
pub async fn run(args: Args) -> Result<(), Error> {
    let listen = args.listen;
    let admin_listen = args.admin_listen;
    let (realtime, follows) = Realtime::new(args.realtime);
    let schemas = settings::Schemas::from_args(&args)?;
    let config = database::connection_config(&args, &schemas.search_path(schemas.default()))?;
    let settings = Settings::from_args(args, schemas)?;

    let metrics = Arc::new(Metrics::default());
    let limits = &settings.limits;
    let gateway = Arc::new(Gateway {
        pool: Pool::new(config.clone(), &settings, metrics.clone()),
        proxy: Proxy::new(&settings),
        catalog: catalog::Shared::default(),
        callers: Callers::new(limits.per_caller, limits.per_caller_queue),
        bodies: Budget::of_bodies(limits.body_memory, settings.max_body),
        answers: Budget::of_answers(limits.answer_memory, limits.max_answer),
        metrics,
        settings,
        realtime,
    });

    let public = crate::serve::bind(listen).await?;
    let admin = match admin_listen {
        Some(address) => Some(crate::serve::bind(address).await?),
        None => None,
    };
    if let Some(admin) = &admin {
        tracing::info!(address = http::server::address(admin), "admin listens");
    }
    // The schema is read while we already listen: a caller gets a 503 that says so rather than a
    // refused connection, and Postgres may come up after us.
    let watcher = tokio::spawn(watch(
        gateway.clone(),
        config.clone(),
        http::server::address(&public),
    ));
    let changes = tokio::spawn(realtime::follow(gateway.clone(), config.clone(), follows));
    let second_opinion = tokio::spawn(database::look_after(gateway.pool.clone(), config));
    http::server::serve(gateway, public, admin).await;
    watcher.abort();
    second_opinion.abort();
    changes.abort();
    Ok(())
}
