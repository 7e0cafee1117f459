//! Which code does which kind of job. Adding a kind: a module, a name here, a row in `mill.kind`.

mod alert_webhook;
mod echo;

use gristmill::Jobs;

pub(crate) fn all() -> Jobs {
    gristmill::jobs![alert_webhook::run, echo::run]
}
