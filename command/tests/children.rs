//! Programs that work on what strangers sent: what bounds them, as the worker of this very command starts them.

#![cfg(all(feature = "documents", feature = "exports", feature = "workflows"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsString;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use gristmill::Cancellation;
use gristmill_runner::confine::{Holds, NICENESS};
use gristmill_runner::{Bound, ChildError, Children, Limits};

const OURS: &str = env!("CARGO_BIN_EXE_gristmill");

fn children() -> Children {
    Children::new(1, None, OURS.into()).unwrap()
}

async fn run(
    program: &'static str,
    arguments: &[&str],
    limits: Limits,
) -> Result<Vec<u8>, ChildError> {
    let children = children();
    let folder = children.folder().unwrap();
    run_in(&children, folder.path(), program, arguments, None, limits).await
}

async fn run_in(
    children: &Children,
    folder: &Path,
    program: &'static str,
    arguments: &[&str],
    input: Option<&[u8]>,
    limits: Limits,
) -> Result<Vec<u8>, ChildError> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let never = Cancellation::new();
    children
        .run(program, &arguments, folder, input, limits, &never)
        .await
}

/// What a program says that is refused, and that it says so; without a child around it the same program does it.
async fn refused(program: &'static str, arguments: &[&str]) -> String {
    let free = Command::new(program).args(arguments).output().unwrap();
    assert!(
        free.status.success(),
        "{program} {arguments:?} is not refused by us: {free:?}"
    );
    match run(program, arguments, Limits::default()).await {
        Err(ChildError::Failed { message, .. }) => message,
        other => panic!("{program} {arguments:?} was not refused: {other:?}"),
    }
}

#[tokio::test]
async fn this_kernel_keeps_every_bound() {
    let holds = Holds::ask(Path::new(OURS)).await.unwrap();
    assert_eq!(holds.missing(), [""; 0]);
}

#[tokio::test]
async fn a_child_reads_no_file_of_the_machine_but_programs_and_what_they_look_up() {
    let said = refused("cat", &["/etc/passwd"]).await;
    assert!(said.contains("Permission denied"), "{said}");
    let own = std::env::current_exe().unwrap();
    refused("head", &["-c", "1", own.to_str().unwrap()]).await;
    refused("ls", &["/"]).await;
    refused("ls", &["/tmp"]).await;
}

#[tokio::test]
async fn a_child_does_not_see_the_environment_of_the_worker() {
    let worker = std::process::id();
    refused("cat", &[&format!("/proc/{worker}/environ")]).await;
    refused("cat", &[&format!("/proc/{worker}/cmdline")]).await;
    refused("ls", &["/proc"]).await;
}

#[tokio::test]
async fn a_child_signals_no_other_process() {
    let worker = std::process::id();
    refused("sh", &["-c", &format!("kill -0 {worker}")]).await;
}

#[tokio::test]
async fn a_child_reaches_nobody_by_tcp_or_udp() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let ports = [
        ("tcp", tcp.local_addr().unwrap()),
        ("udp", udp.local_addr().unwrap()),
    ];
    for (protocol, address) in ports {
        let send = format!(
            "echo hello > /dev/{protocol}/{}/{}",
            address.ip(),
            address.port()
        );
        let said = refused("bash", &["-c", &send]).await;
        assert!(said.contains("not permitted"), "{said}");
    }
}

#[tokio::test]
async fn a_child_writes_in_its_folder_and_nowhere_else() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    let file = file.to_str().unwrap();
    for attempt in [
        "echo x > FILE",
        "echo x >> FILE",
        "rm FILE",
        "mv FILE FILE.old",
    ] {
        let attempt = attempt.replace("FILE", file);
        let tried = run("sh", &["-c", &attempt], Limits::default()).await;
        assert!(
            matches!(tried, Err(ChildError::Failed { .. })),
            "{attempt}: {tried:?}"
        );
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
    let inside = "echo x > a && mkdir b && mv a b/c && cat b/c && rm -r b";
    assert_eq!(
        run("sh", &["-c", inside], Limits::default()).await.unwrap(),
        b"x\n"
    );
}

#[tokio::test]
async fn a_child_runs_no_program_that_it_wrote() {
    let made = "cp /usr/bin/true mine && chmod +x mine && ./mine";
    let tried = run("sh", &["-c", made], Limits::default()).await;
    assert!(
        matches!(
            &tried,
            Err(ChildError::Missing(_)) | Err(ChildError::Failed { .. })
        ),
        "{tried:?}"
    );
}

#[tokio::test]
async fn a_child_makes_no_namespace_in_which_it_would_be_root() {
    refused("unshare", &["-Ur", "true"]).await;
}

#[tokio::test]
async fn every_program_of_the_worker_does_its_work_as_a_child() {
    let (children, limits) = (children(), Limits::default());
    let folder = children.folder().unwrap();
    let run = async |program, arguments: &[&str], input: Option<&[u8]>| {
        let ran = run_in(&children, folder.path(), program, arguments, input, limits).await;
        ran.unwrap_or_else(|error| panic!("{program}: {error}"))
    };
    let request =
        br#"{"template": "minimal", "data": {"basics": {"name": "Ada Lovelace"}}, "options": {}}"#;
    let arguments = ["set-document".into()];
    let press = children
        .start_own("the press", &arguments, folder.path(), &[], limits)
        .unwrap();
    let answer = press.finish(request, &Cancellation::new()).await.unwrap();
    let start = answer.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    std::fs::write(folder.path().join("a.pdf"), &answer[start..]).unwrap();

    let info = run("pdfinfo", &["a.pdf"], None).await;
    assert!(String::from_utf8_lossy(&info).contains("Pages:           1"));
    let text = run("pdftotext", &["a.pdf", "-"], None).await;
    assert!(String::from_utf8_lossy(&text).contains("Ada Lovelace"));
    let inspect = [
        "inspect-pdf".into(),
        folder.path().join("a.pdf").into_os_string(),
    ];
    let never = Cancellation::new();
    let found = children
        .run_own(&inspect, folder.path(), limits, &never)
        .await
        .unwrap();
    assert_eq!(found, b"\"nothing\"");

    run(
        "pdftoppm",
        &["-r", "150", "-gray", "-singlefile", "-png", "a.pdf", "page"],
        None,
    )
    .await;
    let read = run("tesseract", &["page.png", "stdout", "-l", "eng"], None).await;
    assert!(String::from_utf8_lossy(&read).contains("Lovelace"));
    run("heif-enc", &["page.png", "-o", "page.heic"], None).await;
    run("heif-convert", &["page.heic", "again.png"], None).await;

    let speak = ["-v", "en", "-w", "spoken.wav", "--stdin"];
    run("espeak-ng", &speak, Some(b"Hello.")).await;
    run("lame", &["--quiet", "spoken.wav", "spoken.mp3"], None).await;
    for made in ["again.png", "spoken.mp3"] {
        assert!(
            std::fs::metadata(folder.path().join(made)).unwrap().len() > 1000,
            "{made}"
        );
    }
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended() {
    let limits = Limits {
        wall: Duration::from_millis(50),
        ..Limits::default()
    };
    assert!(matches!(
        run("sleep", &["60"], limits).await,
        Err(ChildError::Bound { .. })
    ));
}

#[tokio::test]
async fn a_program_that_takes_too_much_memory_fails_alone() {
    let limits = Limits {
        memory: 64 << 20,
        ..Limits::default()
    };
    assert!(
        run("head", &["-c", "1G", "/dev/zero"], limits)
            .await
            .is_err()
    );
    let eats = run(
        "tail",
        &["-c", "512M", "/dev/zero"],
        Limits {
            memory: 64 << 20,
            wall: Duration::from_secs(5),
            ..limits
        },
    )
    .await;
    assert!(eats.is_err());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let missing = run("no-such-program", &[], Limits::default()).await;
    assert!(matches!(
        missing,
        Err(ChildError::Missing("no-such-program"))
    ));
}

#[tokio::test]
async fn output_is_returned_and_bounded() {
    assert_eq!(
        run("echo", &["hello"], Limits::default()).await.unwrap(),
        b"hello\n"
    );
    let limits = Limits {
        output: 1000,
        ..Limits::default()
    };
    assert!(matches!(
        run("head", &["-c", "5000", "/dev/zero"], limits).await,
        Err(ChildError::Bound { .. })
    ));
}

#[tokio::test]
async fn each_way_to_end_has_its_own_word() {
    let limits = Limits {
        cpu_seconds: 1,
        wall: Duration::from_secs(30),
        ..Limits::default()
    };
    let ended = run("sh", &["-c", "while :; do :; done"], limits).await;
    assert!(
        matches!(
            ended,
            Err(ChildError::Bound {
                bound: Bound::Processor,
                ..
            })
        ),
        "{ended:?}"
    );
    let killed = run("sh", &["-c", "kill -9 $$"], Limits::default()).await;
    assert!(
        matches!(killed, Err(ChildError::Killed("sh"))),
        "{killed:?}"
    );
    let aborted = "echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$";
    let memory = run("sh", &["-c", aborted], Limits::default()).await;
    assert!(
        matches!(
            memory,
            Err(ChildError::Bound {
                bound: Bound::Memory,
                ..
            })
        ),
        "{memory:?}"
    );
}

#[tokio::test]
async fn a_child_knows_no_secret_and_gives_way_to_the_worker() {
    let known = run("env", &[], Limits::default()).await.unwrap();
    let known = String::from_utf8(known).unwrap();
    let mut names: Vec<_> = known
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "LANG",
            "OMP_THREAD_LIMIT",
            "PATH",
            "RAYON_NUM_THREADS",
            "TMPDIR"
        ]
    );
    let own = |of: &str| -> i32 { of.trim().parse().unwrap() };
    let niceness = run("nice", &[], Limits::default()).await.unwrap();
    let ours = std::process::Command::new("nice").output().unwrap().stdout;
    let (theirs, ours) = (
        String::from_utf8(niceness).unwrap(),
        String::from_utf8(ours).unwrap(),
    );
    assert_eq!(own(&theirs), (own(&ours) + NICENESS).min(19));
}

#[tokio::test]
async fn a_cancelled_child_is_gone_at_once() {
    let children = children();
    let folder = children.folder().unwrap();
    let token = Cancellation::new();
    let arguments = ["-c".into(), "echo $$ > pid; exec sleep 60".into()];
    let running = children.run(
        "sh",
        &arguments,
        folder.path(),
        None,
        Limits::default(),
        &token,
    );
    let cancelling = async {
        let pid = loop {
            if let Ok(pid) = std::fs::read_to_string(folder.path().join("pid"))
                && !pid.is_empty()
            {
                break pid.trim().to_owned();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        token.cancel();
        pid
    };
    let (ended, pid) = tokio::join!(running, cancelling);
    assert!(matches!(ended, Err(ChildError::Cancelled)));
    let is_gone = async {
        let status = Path::new("/proc").join(pid).join("status");
        while std::fs::read_to_string(&status).is_ok_and(|status| !status.contains("State:\tZ")) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), is_gone)
        .await
        .unwrap();
}
