//! doctor is a command of this same program: it is started as one, so that its report is the one that people read.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::database::Refused;

/// It asks every function, and some may be down.
const PATIENCE: Duration = Duration::from_secs(120);

/// The report, with findings and the commands that mend them.
pub(crate) async fn report(database_url: &str) -> Result<String, Refused> {
    let failed = |error: String| Refused::Away(format!("doctor did not run: {error}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let running = Command::new(program)
        .arg("doctor")
        .env("GRISTMILL_DATABASE_URL", database_url)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ended = tokio::time::timeout(PATIENCE, running).await;
    let output = ended
        .map_err(|_| failed(format!("it took longer than {} s", PATIENCE.as_secs())))?
        .map_err(|error| failed(error.to_string()))?;
    let said = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}
