use super::*;

async fn run(
    program: &'static str,
    arguments: &[&str],
    limits: Limits,
) -> Result<Vec<u8>, ChildError> {
    let children = Children::new(1, None).unwrap();
    let folder = children.folder().unwrap();
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    children
        .run(
            program,
            &arguments,
            folder.path(),
            None,
            limits,
            &Cancellation::new(),
        )
        .await
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
    assert_eq!(own(&theirs), (own(&ours) + own(NICENESS)).min(19));
}

#[tokio::test]
async fn a_cancelled_child_is_gone_at_once() {
    let children = Children::new(1, None).unwrap();
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
