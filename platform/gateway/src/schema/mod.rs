//! The schema as it was last read: at the start, and again on `notify pgrst`.

mod load;
mod watch;

use std::sync::{Arc, PoisonError, RwLock};

use gristmill_dialect::catalog::Catalog;
pub(crate) use watch::watch;

/// The current reading, replaced as a whole.
#[derive(Default)]
pub(crate) struct Shared {
    current: RwLock<Option<Arc<Catalog>>>,
    /// True while the watcher is connected and has read the schema.
    ready: std::sync::atomic::AtomicBool,
}

impl Shared {
    pub(crate) fn current(&self) -> Option<Arc<Catalog>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn replace(&self, catalog: Catalog) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::new(catalog));
    }

    fn set_ready(&self, ready: bool) {
        self.ready
            .store(ready, std::sync::atomic::Ordering::Relaxed);
    }
}
