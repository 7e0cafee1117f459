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
            &CancellationToken::new(),
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
