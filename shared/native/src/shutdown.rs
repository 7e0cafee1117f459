//! The one way a long-running command is asked to stop: SIGTERM or Ctrl-C.

use tokio::signal;

/// Resolves at the first SIGTERM or SIGINT.
pub async fn requested() {
    let interrupt = signal::ctrl_c();
    #[cfg(unix)]
    {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
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
