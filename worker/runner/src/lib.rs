//! The container worker's loop: claims jobs over HTTP, runs them, settles them; as many replicas as you like.
//!
//! [`lane`] claims and runs, [`leases`] keeps what is held alive from a task of its own, [`settler`] reports in batches, [`children`] runs the
//! programs that work on what strangers sent. Whoever has jobs to run gives [`Runner::run`] their [`Handler`]s.

mod children;
mod handler;
mod lane;
mod leases;
mod settler;
mod status;
mod trace;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gristmill_files::Objects;
use gristmill_native::{serve, shutdown};
use gristmill_rpc::{BadSchema, Rpc, Schemas};
use tokio_util::sync::CancellationToken;

pub use children::{Bound, ChildError, Children, Limits, Running};
pub use handler::{Context, Handler, Lane};
pub use leases::Watch;

use leases::Leases;
use status::Status;

/// Arguments of `gristmill work`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Where PostgREST, storage and functions answer: the project's URL
    #[arg(long, env = "SUPABASE_URL")]
    pub url: String,
    /// The service's key, from the environment only
    #[arg(skip = first_of("SUPABASE_SERVICE_ROLE_KEY"))]
    pub service_key: String,
    /// Queues to claim from; without it all that a worker serves
    #[arg(long, env = "WORKER_QUEUES", value_delimiter = ',')]
    pub queues: Vec<String>,
    /// Jobs at once that mostly wait for others
    #[arg(long, env = "WORKER_CONCURRENCY", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub concurrency: u32,
    /// Processors that parsing and OCR may use; without it all
    #[arg(long, env = "WORKER_CPUS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub cpus: Option<u32>,
    /// This worker's name; each process adds something random, because replicas may be given one name
    #[arg(long, env = "WORKER_ID")]
    pub worker_id: Option<String>,
    /// Rest between looks at an empty queue, in seconds; doubles up to --poll-max
    #[arg(long, env = "WORKER_POLL", default_value_t = 5.0)]
    pub poll: f64,
    /// The longest such rest
    #[arg(long, env = "WORKER_POLL_MAX", default_value_t = 30.0)]
    pub poll_max: f64,
    /// How often leases are extended, in seconds; 30 without it
    #[arg(long, env = "WORKER_HEARTBEAT", value_parser = seconds)]
    pub heartbeat: Option<f64>,
    /// The same, by its older name
    #[arg(long, env = "HEARTBEAT_INTERVAL_SECONDS", hide = true, value_parser = seconds)]
    pub heartbeat_interval_seconds: Option<f64>,
    /// Seconds that running jobs are given when asked to stop; then they are released
    #[arg(long, env = "WORKER_DRAIN_SECONDS", default_value_t = 25)]
    pub drain_seconds: u64,
    /// Address for /live, /ready, /metrics and POST /wake
    #[arg(long, env = "WORKER_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// Folder for files under work; each job has one of its own there and leaves nothing
    #[arg(long, env = "WORKER_SCRATCH")]
    pub scratch: Option<PathBuf>,
    /// `r2` where files lie in R2: they are then reached by signed links of the function `documents`
    #[arg(long, env = "STORAGE", default_value = "supabase", value_parser = ["supabase", "r2"])]
    pub storage: String,
    /// Address of the function `documents`, where storage is r2
    #[arg(long, env = "FILES_URL")]
    pub files_url: Option<String>,
    /// The secret that signs those links, from the environment only
    #[arg(skip = std::env::var("FILES_SECRET").unwrap_or_default())]
    pub files_secret: String,
}

/// A token of the environment. The functions may have several in the same variable, while the token is changed: the first is the one to use.
fn first_of(variable: &str) -> String {
    let value = std::env::var(variable).unwrap_or_default();
    let first = value.split_whitespace().next();
    first.unwrap_or_default().to_owned()
}

/// Why the worker could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Without it nothing can be claimed.
    #[error("SUPABASE_SERVICE_ROLE_KEY is not set in the environment")]
    NoKey,
    /// Without it links to R2 cannot be signed.
    #[error("FILES_SECRET is not set in the environment, and storage is r2")]
    NoFilesSecret,
    /// Where an application lies.
    #[error(transparent)]
    Schema(#[from] BadSchema),
    /// The folder for files under work.
    #[error("the scratch folder cannot be used")]
    Scratch(#[source] std::io::Error),
    /// The address is taken.
    #[error(transparent)]
    Listen(#[from] serve::ListenError),
}

/// What all lanes share.
struct Worker {
    name: String,
    rpc: Arc<Rpc>,
    storage: Arc<Objects>,
    children: Arc<Children>,
    leases: Arc<Leases>,
    status: Arc<Status>,
    settler: settler::Sender,
    /// Fires when no more jobs may be claimed.
    stop: CancellationToken,
}

/// A worker that has what it needs, and no jobs yet.
pub struct Runner {
    args: Args,
    cpus: usize,
    storage: Arc<Objects>,
    rpc: Arc<Rpc>,
    children: Arc<Children>,
}

impl Runner {
    /// Looks at the arguments and the environment, and opens the scratch folder.
    pub fn new(args: Args) -> Result<Self, Error> {
        if args.service_key.is_empty() {
            return Err(Error::NoKey);
        }
        let cpus = args.cpus.map_or_else(cores, |cpus| cpus as usize);
        let storage = Arc::new(objects(&args)?);
        let rest = format!("{}/rest/v1", args.url.trim_end_matches('/'));
        let schemas = Schemas::read(|name| std::env::var(name).ok())?;
        let rpc = Rpc::new(&rest, &args.service_key, &args.service_key).in_schemas(schemas);
        let children = Children::new(cpus, args.scratch.clone()).map_err(Error::Scratch)?;
        Ok(Self {
            cpus,
            storage,
            rpc: Arc::new(rpc),
            children: Arc::new(children),
            args,
        })
    }

    /// Processors that jobs may use.
    pub fn cpus(&self) -> usize {
        self.cpus
    }

    /// Programs that parse files, under limits.
    pub fn children(&self) -> &Arc<Children> {
        &self.children
    }

    /// Works until asked to stop; then finishes or releases what it holds.
    pub async fn run(self, handlers: Vec<Arc<dyn Handler>>) -> Result<(), Error> {
        let Self {
            args, cpus, rpc, ..
        } = &self;
        let name = unique_name(args.worker_id.as_deref());
        let status = Arc::new(Status::default());
        let leases = Arc::new(Leases::default());
        let (settler, settling) =
            settler::start(name.clone(), rpc.clone(), leases.clone(), status.clone());
        let worker = Arc::new(Worker {
            name: name.clone(),
            rpc: rpc.clone(),
            storage: self.storage.clone(),
            children: self.children.clone(),
            leases: leases.clone(),
            status: status.clone(),
            settler,
            stop: CancellationToken::new(),
        });

        let heartbeats = tokio::spawn(leases::keep(
            worker.clone(),
            Duration::from_secs_f64(args.heartbeat_seconds()),
        ));
        let lanes = lane::start(&worker, args, handlers, *cpus);
        let port = match args.listen {
            Some(address) => Some(status::serve(
                serve::bind(address).await?,
                status.clone(),
                worker.stop.clone(),
            )),
            None => None,
        };
        tracing::info!(worker = %name, cpus, concurrency = args.concurrency, "worker ready");

        shutdown::requested().await;
        tracing::info!(
            running = leases.count(),
            seconds = args.drain_seconds,
            "stopping; running jobs may finish"
        );
        worker.stop.cancel();
        let drained =
            tokio::time::timeout(Duration::from_secs(args.drain_seconds), leases.empty()).await;
        if drained.is_err() {
            tracing::warn!(
                running = leases.count(),
                "released what was not done in time"
            );
            leases.stop_all();
            let _ = tokio::time::timeout(Duration::from_secs(5), leases.empty()).await;
        }
        for lane in lanes {
            lane.abort();
            // Only after a lane's end is its sender gone, and only after the last sender's is the settler done.
            let _ = lane.await;
        }
        heartbeats.abort();
        let _ = heartbeats.await;
        drop(worker);
        let _ = tokio::time::timeout(Duration::from_secs(5), settling).await;
        drop(port);
        Ok(())
    }
}

fn objects(args: &Args) -> Result<Objects, Error> {
    if args.storage != "r2" {
        return Ok(Objects::supabase(&args.url, &args.service_key));
    }
    if args.files_secret.is_empty() {
        return Err(Error::NoFilesSecret);
    }
    let default = || format!("{}/functions/v1/documents", args.url.trim_end_matches('/'));
    Ok(Objects::links(
        &args.files_url.clone().unwrap_or_else(default),
        &args.files_secret,
    ))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

impl Args {
    fn heartbeat_seconds(&self) -> f64 {
        let given = self.heartbeat.or(self.heartbeat_interval_seconds);
        given.unwrap_or(30.0)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("use 0.1 to 3600 seconds".to_owned()),
    }
}

// A name of this process alone: two that shared one could settle each other's jobs, because an attempt that was put off has the same number when it
// is claimed again. Replicas of one deployment are often given one WORKER_ID.
fn unique_name(given: Option<&str>) -> String {
    // The end of an id is random; its beginning is the time.
    let random = uuid::Uuid::now_v7().simple().to_string();
    let random = &random[26..];
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        return format!("{given}-{random}");
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() {
        "worker"
    } else {
        host.trim()
    };
    format!("{host}-{}-{random}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_with_one_worker_id_have_two_names() {
        let (one, other) = (unique_name(Some("w")), unique_name(Some("w")));
        assert!(one.starts_with("w-") && one != other);
        assert_ne!(unique_name(None), unique_name(Some("")));
    }

    #[test]
    fn a_heartbeat_is_a_number_of_seconds() {
        assert_eq!(seconds("5"), Ok(5.0));
        assert!(seconds("0").is_err() && seconds("soon").is_err());
    }
}
