//! The worker that tests/conformance starts. Cargo compiles the program itself only for a package that has a test of it.

use std::process::Command;

#[test]
fn a_worker_without_a_key_ends_and_names_the_variable() -> Result<(), std::io::Error> {
    let ended = Command::new(env!("CARGO_BIN_EXE_gristmill-conformance-worker"))
        .env("SUPABASE_URL", "http://127.0.0.1:1")
        .env_remove("SUPABASE_SERVICE_ROLE_KEY")
        .output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success());
    assert!(said.contains("SUPABASE_SERVICE_ROLE_KEY"), "{said}");
    Ok(())
}
