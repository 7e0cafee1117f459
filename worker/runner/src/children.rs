//! Programs that work on what strangers sent: each in a process of its own that can be killed, with bounds on memory,
//! processor time, wall time and output, an environment without secrets, and a lower priority than the worker's.
//!
//! `unsafe` is forbidden here, so limits are not set between fork and exec: this program is started again and takes everything from itself
//! before it becomes the other one ([`crate::confine`]).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gristmill::Cancellation;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use crate::confine::{self, Holds};

/// What a program may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Address space, in bytes.
    pub memory: u64,
    /// Processor time, in seconds.
    pub cpu_seconds: u64,
    /// From start to end.
    pub wall: Duration,
    /// Of standard output, in bytes; also the largest file it may write.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            cpu_seconds: 60,
            wall: Duration::from_secs(120),
            output: 256 << 20,
        }
    }
}

/// Which bound a program ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// From its start to its end.
    #[error("it took too long")]
    Time,
    /// Processor time.
    #[error("it used too much processor time")]
    Processor,
    /// Address space.
    #[error("it used too much memory")]
    Memory,
    /// Standard output.
    #[error("it wrote too much")]
    Output,
    /// A file.
    #[error("it wrote too large a file")]
    File,
    /// None that we set: it ended itself by a signal.
    #[error("it crashed")]
    Crash,
}

/// Why a program gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// It is not installed.
    #[error("{0} is not installed; gristmill doctor names the package")]
    Missing(&'static str),
    /// It could not be started or spoken to.
    #[error("{program} could not be run")]
    Run {
        /// Which one.
        program: &'static str,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// It ran into a bound.
    #[error("{program} was ended: {bound}")]
    Bound {
        /// Which one.
        program: &'static str,
        /// Which bound.
        bound: Bound,
    },
    /// Somebody killed it, and it was not this worker: most likely the kernel, for want of memory. Another time it may end well.
    #[error("{0} was killed by the machine")]
    Killed(&'static str),
    /// It said no.
    #[error("{program} failed with {status}: {message}")]
    Failed {
        /// Which one.
        program: &'static str,
        /// Its exit status.
        status: i32,
        /// The first lines of what it said. It may quote the file: for logs of operators only.
        message: String,
    },
    /// The job was cancelled.
    #[error("the job was cancelled")]
    Cancelled,
}

/// The budget of processors, and where files lie meanwhile.
pub struct Children {
    processors: Semaphore,
    count: usize,
    scratch: PathBuf,
    ours: PathBuf,
}

impl Children {
    /// As many at once as there are processors, with their folders below `scratch`. `ours` is the command `gristmill`, which confines them.
    pub fn new(
        processors: usize,
        scratch: Option<PathBuf>,
        ours: PathBuf,
    ) -> std::io::Result<Self> {
        let root = scratch.unwrap_or_else(|| std::env::temp_dir().join("gristmill-work"));
        let scratch = root.join(std::process::id().to_string());
        std::fs::create_dir_all(&scratch)?;
        // Children run in folders of their own, where a relative path would mean another place.
        let scratch = scratch.canonicalize()?;
        forget_the_dead(&root);
        Ok(Self {
            processors: Semaphore::new(processors),
            count: processors,
            scratch,
            ours,
        })
    }

    /// Which bounds the kernel of this machine keeps.
    pub async fn holds(&self) -> std::io::Result<Holds> {
        Holds::ask(&self.ours).await
    }

    /// How many run at once.
    pub fn processors(&self) -> usize {
        self.count
    }

    /// A folder that is gone with its owner.
    pub fn folder(&self) -> std::io::Result<TempDir> {
        std::fs::create_dir_all(&self.scratch)?;
        TempDir::new_in(&self.scratch)
    }

    /// Runs a program to its end and returns its standard output. It waits for a processor first.
    pub async fn run(
        &self,
        program: &'static str,
        arguments: &[OsString],
        folder: &Path,
        input: Option<&[u8]>,
        limits: Limits,
        cancelled: &Cancellation,
    ) -> Result<Vec<u8>, ChildError> {
        let _processor = tokio::select! {
            permit = self.processors.acquire() => permit,
            () = cancelled.cancelled() => return Err(ChildError::Cancelled),
        };
        self.start(program, OsStr::new(program), arguments, folder, &[], limits)?
            .finish(input.unwrap_or_default(), cancelled)
            .await
    }

    /// Runs a sub-command of this program in the same way; its name is the first of the arguments.
    pub async fn run_own(
        &self,
        arguments: &[OsString],
        folder: &Path,
        limits: Limits,
        cancelled: &Cancellation,
    ) -> Result<Vec<u8>, ChildError> {
        let _processor = tokio::select! {
            permit = self.processors.acquire() => permit,
            () = cancelled.cancelled() => return Err(ChildError::Cancelled),
        };
        self.start_own("gristmill", arguments, folder, &[], limits)?
            .finish(&[], cancelled)
            .await
    }

    /// Starts a sub-command of this program, which waits for its input. Beside its folder it may read `readable`. Whoever starts it keeps to a budget.
    pub fn start_own(
        &self,
        name: &'static str,
        arguments: &[OsString],
        folder: &Path,
        readable: &[PathBuf],
        limits: Limits,
    ) -> Result<Running, ChildError> {
        self.start(
            name,
            self.ours.as_os_str(),
            arguments,
            folder,
            readable,
            limits,
        )
    }

    fn start(
        &self,
        program: &'static str,
        path: &OsStr,
        arguments: &[OsString],
        folder: &Path,
        readable: &[PathBuf],
        limits: Limits,
    ) -> Result<Running, ChildError> {
        let mut command = self.confined(folder, readable, limits);
        let child = command.arg(path).args(arguments).spawn();
        Ok(Running {
            program,
            limits,
            child: child.map_err(|source| ChildError::Run { program, source })?,
        })
    }

    fn confined(&self, folder: &Path, readable: &[PathBuf], limits: Limits) -> Command {
        let mut command = Command::new(&self.ours);
        command.arg(confine::COMMAND);
        command.arg("--folder").arg(folder);
        for place in readable {
            command.arg("--read").arg(place);
        }
        command
            .arg(format!("--memory={}", limits.memory))
            .arg(format!("--cpu={}", limits.cpu_seconds))
            .arg(format!("--file={}", limits.output))
            .arg("--")
            .current_dir(folder)
            .env_clear()
            .env(
                "PATH",
                std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()),
            )
            .env("LANG", "C.UTF-8")
            .env("TMPDIR", folder)
            // Two threads cost 37% more processor time for little: pages run side by side instead.
            .env("OMP_THREAD_LIMIT", "1")
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// A program that was started. It is killed when this is dropped.
pub struct Running {
    program: &'static str,
    limits: Limits,
    child: Child,
}

impl Running {
    /// Gives it its input, waits for its end and returns its standard output. The time counts from here.
    pub async fn finish(
        mut self,
        input: &[u8],
        cancelled: &Cancellation,
    ) -> Result<Vec<u8>, ChildError> {
        let (program, limits) = (self.program, self.limits);
        let (stdin, stdout, stderr) = (
            self.child.stdin.take(),
            self.child.stdout.take(),
            self.child.stderr.take(),
        );
        let working = async {
            let feeding = async {
                if let Some(mut stdin) = stdin {
                    // A program that stops reading early has its reasons; its status tells.
                    let _ = stdin.write_all(input).await;
                }
            };
            let ((), output, message) =
                tokio::join!(feeding, read(stdout, limits.output), read(stderr, 8 * 1024));
            let status = self.child.wait().await;
            Ok::<_, std::io::Error>((status?, output?, message?))
        };
        // Dropping the future kills the child: kill_on_drop.
        let (status, output, message) = tokio::select! {
            ended = tokio::time::timeout(limits.wall, working) => match ended {
                Ok(ended) => ended.map_err(|source| ChildError::Run { program, source })?,
                Err(_) => return Err(ChildError::Bound { program, bound: Bound::Time }),
            },
            () = cancelled.cancelled() => return Err(ChildError::Cancelled),
        };
        if output.len() as u64 > limits.output {
            return Err(ChildError::Bound {
                program,
                bound: Bound::Output,
            });
        }
        judge(program, status, output, &message)
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // One more than allowed shows that there was more; then the pipe is closed and the program ends.
        (&mut pipe).take(limit + 1).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

fn judge(
    program: &'static str,
    status: std::process::ExitStatus,
    output: Vec<u8>,
    message: &[u8],
) -> Result<Vec<u8>, ChildError> {
    use std::os::unix::process::ExitStatusExt;
    let bound = |bound| Err(ChildError::Bound { program, bound });
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(output),
        (_, Some(SIGXCPU)) => bound(Bound::Processor),
        (_, Some(SIGXFSZ)) => bound(Bound::File),
        (_, Some(SIGKILL)) => Err(ChildError::Killed(program)),
        // How Rust and C++ end when there is no memory left for them.
        (_, Some(SIGABRT)) if says(message, &["memory allocation of", "bad_alloc"]) => {
            bound(Bound::Memory)
        }
        (_, Some(_)) => bound(Bound::Crash),
        (Some(127 | 126), _) => Err(ChildError::Missing(program)),
        // Nothing was tried with the file, so nothing is known of it.
        (Some(NOT_BEGUN), _) => Err(ChildError::Run {
            program,
            source: std::io::Error::other(first_lines(message)),
        }),
        (code, None) => {
            let message = first_lines(message);
            Err(ChildError::Failed {
                program,
                status: code.unwrap_or(-1),
                message,
            })
        }
    }
}

const NOT_BEGUN: i32 = confine::NOT_BEGUN as i32;
const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

fn first_lines(message: &[u8]) -> String {
    String::from_utf8_lossy(message).chars().take(300).collect()
}

fn says(message: &[u8], words: &[&str]) -> bool {
    let message = String::from_utf8_lossy(message);
    words.iter().any(|word| message.contains(word))
}

// Folders of workers that were killed: their process is no more.
fn forget_the_dead(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_process = name
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        if is_process && !Path::new("/proc").join(&name).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
