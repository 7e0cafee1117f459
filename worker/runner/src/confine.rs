//! `gristmill confine`: takes everything from itself that a program does not need which works on one folder, and then becomes that program.
//!
//! It reads programs, libraries and fonts, writes in its folder, and has no network. Landlock bounds files, TCP, signals and
//! abstract sockets; seccomp bounds what Landlock does not know (UDP, every other socket, io_uring, namespaces, other processes). Both are given up by no
//! one, and a program that is started later inherits them.
//!
//! `unsafe` is forbidden here, so nothing can be set between fork and exec: the worker starts this program again instead.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::process::{self, Resource, Rlimit, Signal};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use serde::{Deserialize, Serialize};

/// The sub-command.
pub(crate) const COMMAND: &str = "confine";

/// How it ends when it could not even try. `nice` and `env` end so as well.
pub(crate) const NOT_BEGUN: u8 = 125;
/// As shells say it.
const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// On a busy processor a child gets a third of what the worker, a gateway or Postgres beside it get. With 10 it would be a
/// tenth, and children would run into their wall time on a machine that is merely busy.
pub const NICENESS: i32 = 5;

/// Seconds of processor time between the signal that names the limit and the one that cannot be caught. Where both come
/// at once only the second is seen, and it looks like a kill by the machine, which runs out of memory.
const UNTIL_KILLED: u64 = 2;

/// Programs, libraries and what they come with. Debian's /bin and /lib are links to /usr; elsewhere they are folders.
const PROGRAMS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
];

/// What libraries look up: where libraries and fonts are, how many processors there are, random numbers.
const LOOKED_UP: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/var/cache/fontconfig",
    "/sys/devices/system/cpu",
    "/dev/urandom",
    "/dev/zero",
];

/// Arguments of `gristmill confine`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The only folder in which it may write
    #[arg(long)]
    folder: Option<PathBuf>,
    /// A further file or folder that it may read
    #[arg(long)]
    read: Vec<PathBuf>,
    /// Address space, in bytes
    #[arg(long)]
    memory: Option<u64>,
    /// Processor time, in seconds
    #[arg(long)]
    cpu: Option<u64>,
    /// The largest file that it may write, in bytes
    #[arg(long)]
    file: Option<u64>,
    /// The program and its arguments; without it what holds on this machine is printed
    #[arg(last = true)]
    program: Vec<OsString>,
}

/// Which of the bounds the kernel keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// Only the folder can be written, and little else be read.
    pub files: bool,
    /// No TCP, by Landlock.
    pub tcp: bool,
    /// No signal to other processes.
    pub signals: bool,
    /// No socket, no io_uring, no namespace, no look into other processes.
    pub calls: bool,
}

impl Holds {
    /// Asks `ours`, the command `gristmill`, which bounds it could take upon itself on this machine.
    pub async fn ask(ours: &Path) -> std::io::Result<Self> {
        let mut asking = tokio::process::Command::new(ours);
        let asking = asking.arg(COMMAND).env_clear().stdin(Stdio::null());
        let said = asking.kill_on_drop(true).output().await?;
        serde_json::from_slice(&said.stdout).map_err(std::io::Error::other)
    }

    /// What does not hold, in words; empty when all does.
    pub fn missing(self) -> Vec<&'static str> {
        let bounds = [
            (
                self.files,
                "files of the machine can be read (Landlock, Linux 5.13)",
            ),
            (
                self.tcp || self.calls,
                "TCP is open (Landlock, Linux 6.7, or seccomp)",
            ),
            (
                self.signals,
                "signals reach the worker (Landlock, Linux 6.12)",
            ),
            (self.calls, "UDP and other sockets are open (seccomp)"),
        ];
        bounds
            .into_iter()
            .filter(|(holds, _)| !holds)
            .map(|(_, words)| words)
            .collect()
    }
}

/// Why a program was not begun.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("a limit could not be set: {0}")]
    Limit(#[from] rustix::io::Errno),
    #[error("Landlock refused: {0}")]
    Landlock(#[from] RulesetError),
    #[error("the filter of system calls could not be made: {0}")]
    Filter(#[from] seccompiler::BackendError),
}

/// Confines itself, and becomes the program.
pub fn run(args: &Args) -> ExitCode {
    let holds = match confine(args) {
        Ok(holds) => holds,
        Err(error) => {
            tell(&error);
            return NOT_BEGUN.into();
        }
    };
    let Some((program, arguments)) = args.program.split_first() else {
        let said = serde_json::to_vec(&holds).map_err(std::io::Error::other);
        let said = said.and_then(|said| std::io::stdout().write_all(&said));
        return said.map_or(NOT_BEGUN.into(), |()| ExitCode::SUCCESS);
    };
    let error = Command::new(program).args(arguments).exec();
    tell(&error);
    match error.kind() {
        std::io::ErrorKind::NotFound => NOT_FOUND.into(),
        _ => NOT_RUNNABLE.into(),
    }
}

/// The worker reads standard error and logs it. Where nobody reads it any more, there is nothing to do.
fn tell(error: &dyn std::error::Error) {
    let _ = writeln!(std::io::stderr(), "gristmill {COMMAND}: {error}");
}

fn confine(args: &Args) -> Result<Holds, Error> {
    // Whoever may not be nicer is nice enough.
    let _ = process::nice(NICENESS);
    process::set_parent_process_death_signal(Some(Signal::KILL))?;
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Nofile, 256, 256)?;
    if let Some(bytes) = args.file {
        limit(Resource::Fsize, bytes, bytes)?;
    }
    if let Some(seconds) = args.cpu {
        limit(Resource::Cpu, seconds, seconds + UNTIL_KILLED)?;
    }
    let mut holds = bound_files(args)?;
    holds.calls = bound_calls()?;
    // Last, because this program is larger than many that it becomes.
    if let Some(bytes) = args.memory {
        limit(Resource::As, bytes, bytes)?;
    }
    Ok(holds)
}

// Never above what this process was given itself.
fn limit(resource: Resource, soft: u64, hard: u64) -> rustix::io::Result<()> {
    let most = process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let limit = Rlimit {
        current: Some(soft.min(most)),
        maximum: Some(hard.min(most)),
    };
    process::setrlimit(resource, limit)
}

fn bound_files(args: &Args) -> Result<Holds, Error> {
    let abi = ABI::V6;
    let run = AccessFs::from_read(abi);
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let void = BitFlags::from(AccessFs::ReadFile) | AccessFs::WriteFile;
    let program = args.program.first().and_then(|program| found(program));
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(PROGRAMS, run))?
        .add_rules(path_beneath_rules(program, run))?
        .add_rules(path_beneath_rules(LOOKED_UP, read))?
        .add_rules(path_beneath_rules(&args.read, read))?
        .add_rules(path_beneath_rules(["/dev/null"], void))?
        .add_rules(path_beneath_rules(&args.folder, own(abi)))?
        .restrict_self()?;
    let has = |least: ABI| matches!(status.landlock, LandlockStatus::Available { effective_abi, .. } if effective_abi >= least);
    Ok(Holds {
        files: has(ABI::V1),
        tcp: has(ABI::V4),
        signals: has(ABI::V6),
        calls: false,
    })
}

// Files and folders, and nothing that could be run or that is more than a file.
fn own(abi: ABI) -> BitFlags<AccessFs> {
    let strange = AccessFs::Execute
        | AccessFs::MakeChar
        | AccessFs::MakeBlock
        | AccessFs::MakeSock
        | AccessFs::IoctlDev;
    AccessFs::from_all(abi) & !strange
}

// A program that lies elsewhere is allowed by itself, and not its folder.
fn found(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|program| program.is_file())
}

/// Calls that a program which turns one file into another never makes. They are refused as if its rights did not suffice.
const REFUSED: &[i64] = &[
    // Every kind of socket, also the unix ones of services that run beside us.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Other processes, and memory or queues that are shared with them.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    // Files past their paths.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    // Parts of the kernel in which holes were found again and again.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
];

/// Numbers of the x32 calls of an x86-64 kernel have this bit; the filter would otherwise not know them.
#[cfg(target_arch = "x86_64")]
const VARIANTS: &[i64] = &[0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const VARIANTS: &[i64] = &[0];

fn bound_calls() -> Result<bool, Error> {
    let Ok(architecture) = std::env::consts::ARCH.try_into() else {
        return Ok(false);
    };
    let refused = |number: i64| VARIANTS.iter().map(move |variant| number | variant);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED
        .iter()
        .copied()
        .flat_map(refused)
        .map(|number| (number, Vec::new()))
        .collect();
    for number in refused(libc::SYS_clone) {
        rules.insert(number, vec![new_user_namespace()?]);
    }
    let refuse = SeccompAction::Errno(rustix::io::Errno::PERM.raw_os_error().unsigned_abs());
    let filter: BpfProgram =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()?;
    // The flags of clone3 lie in memory, where no filter can look. Whoever is told that there is no such call uses clone.
    let clone3 = refused(libc::SYS_clone3)
        .map(|number| (number, Vec::new()))
        .collect();
    let absent = SeccompAction::Errno(rustix::io::Errno::NOSYS.raw_os_error().unsigned_abs());
    let second: BpfProgram =
        SeccompFilter::new(clone3, SeccompAction::Allow, absent, architecture)?.try_into()?;
    // A kernel without seccomp refuses the first.
    Ok(seccompiler::apply_filter(&filter).is_ok() && seccompiler::apply_filter(&second).is_ok())
}

fn new_user_namespace() -> Result<SeccompRule, seccompiler::BackendError> {
    let flag = libc::CLONE_NEWUSER.unsigned_abs().into();
    let is_set = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(flag),
        flag,
    )?;
    SeccompRule::new(vec![is_set])
}
