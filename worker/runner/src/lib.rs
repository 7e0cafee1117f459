//! Our container worker: the library's worker (`gristmill::Worker`), given the handlers of applications and what those share.
//!
//! [`Handler`] is what an application implements, [`Context`] what its jobs reach. [`children`] runs the programs that work on what strangers
//! sent.

mod children;
pub mod confine;
mod handler;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gristmill::worker::QueueSource;
use gristmill::{Jobs, Running, Worker};
use gristmill_files::Objects;
use gristmill_rpc::{BadSchema, Rpc, RpcError, Schemas};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

pub use children::{Bound, ChildError, Children, Limits, Running as RunningChild};
pub use handler::{Context, Handler, Lane};

use confine::Holds;
use handler::{Means, Ours};

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
    #[arg(long, env = "WORKER_POLL", default_value_t = 1.0)]
    pub poll: f64,
    /// The longest such rest
    #[arg(long, env = "WORKER_POLL_MAX", default_value_t = 5.0)]
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
    /// Children are this very program, started again.
    #[error("the path of this program is not known")]
    Program(#[source] std::io::Error),
    /// The folder for files under work.
    #[error("the scratch folder cannot be used")]
    Scratch(#[source] std::io::Error),
    /// The library's worker.
    #[error(transparent)]
    Worker(#[from] gristmill::worker::Error),
}

/// The queues that a container worker serves; rows of `mill.queue`.
struct WorkerQueues(Arc<Rpc>);

impl QueueSource for WorkerQueues {
    fn queues(&self) -> Running<'_, Result<Vec<String>, RpcError>> {
        Box::pin(self.0.worker_queues())
    }
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
        let ours = std::env::current_exe().map_err(Error::Program)?;
        let children = Children::new(cpus, args.scratch.clone(), ours).map_err(Error::Scratch)?;
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
        hide();
        say_what_is_open(&self.children).await;
        let means = Means {
            rpc: self.rpc.clone(),
            storage: self.storage,
            children: self.children,
        };
        let jobs = handlers.into_iter().fold(Jobs::new(), |jobs, handler| {
            let means = means.clone();
            jobs.with(Ours { handler, means })
        });
        let args = &self.args;
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds.max(0.01));
        let mut worker = Worker::new(self.rpc.client().clone())
            .jobs(jobs)
            .concurrency(args.concurrency as usize)
            .computing(self.cpus * 2)
            .poll(seconds(args.poll), seconds(args.poll_max))
            .heartbeat(seconds(args.heartbeat_seconds()))
            .drain(Duration::from_secs(args.drain_seconds))
            .leaves_external();
        worker = match args.queues.is_empty() {
            true => worker.queues_from(WorkerQueues(self.rpc.clone())),
            false => worker.queues(args.queues.clone()),
        };
        if let Some(name) = &args.worker_id {
            worker = worker.name(name);
        }
        if let Some(address) = args.listen {
            worker = worker.listen(address);
        }
        Ok(worker.run().await?)
    }
}

/// The environment of this process holds the service key. Whatever runs as the same user cannot read it any more, nor the memory.
fn hide() {
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "other processes of this user can read the worker's environment");
    }
}

async fn say_what_is_open(children: &Children) {
    match children.holds().await.map(Holds::missing) {
        Ok(missing) if missing.is_empty() => {}
        Ok(missing) => tracing::warn!(open = missing.join("; "), "children are confined in part"),
        Err(error) => tracing::error!(%error, "children cannot be confined, so none will run"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_is_a_number_of_seconds() {
        assert_eq!(seconds("5"), Ok(5.0));
        assert!(seconds("0").is_err() && seconds("soon").is_err());
    }
}
