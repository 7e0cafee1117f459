//! What a worker takes from its process: variables, a name of its own, and the signals that stop it.

use super::Error;

pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub(super) fn parsed<T: std::str::FromStr>(
    name: &'static str,
    expected: &'static str,
) -> Result<Option<T>, Error> {
    let Some(value) = variable(name) else {
        return Ok(None);
    };
    match value.parse() {
        Ok(parsed) => Ok(Some(parsed)),
        Err(_) => Err(Error::Variable {
            name,
            value,
            expected,
        }),
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

// A name of this process alone: two that shared one could settle each other's jobs, because an attempt that was put off has the same number when
// it is claimed again. Replicas of one deployment are often given one name.
pub(super) fn unique_name(given: Option<&str>) -> String {
    // The end of an id is random; its beginning is the time.
    let random = uuid::Uuid::now_v7().simple().to_string();
    let random = &random[26..];
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        let short: String = given.chars().take(190).collect();
        return format!("{short}-{random}");
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String = match host.trim() {
        "" => "worker".to_owned(),
        host => host.chars().take(150).collect(),
    };
    format!("{host}-{}-{random}", std::process::id())
}

/// Resolves at the first SIGTERM or SIGINT.
pub(super) async fn asked_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(error) => {
                tracing::warn!(%error, "SIGTERM cannot be watched; only Ctrl-C stops this process");
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    let _ = interrupt.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_with_one_name_have_two_names() {
        let (one, other) = (unique_name(Some("w")), unique_name(Some("w")));
        assert!(one.starts_with("w-") && one != other);
        assert_ne!(unique_name(None), unique_name(Some("")));
        assert!(unique_name(Some(&"x".repeat(500))).chars().count() <= 200);
    }
}
