//! `gristmill work`: the container worker, with the handlers of the applications that this command was built with.

use std::sync::Arc;

use gristmill_runner::{Handler, Runner};

/// Arguments of `gristmill work`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    runner: gristmill_runner::Args,
    #[cfg(any(feature = "exports", feature = "workflows"))]
    #[command(flatten)]
    press: gristmill_press::Args,
}

/// Why the worker could not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The loop.
    #[error(transparent)]
    Runner(#[from] gristmill_runner::Error),
    /// How documents are to be understood.
    #[cfg(any(feature = "documents", feature = "workflows"))]
    #[error("a provider is not configured")]
    Provider(#[from] gristmill_models::BadSettings),
}

/// Works until asked to stop.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let runner = Runner::new(args.runner.clone())?;
    let handlers = handlers(&args, &runner)?;
    Ok(runner.run(handlers).await?)
}

/// Every kind that this worker serves. One line a part.
fn handlers(args: &Args, runner: &Runner) -> Result<Vec<Arc<dyn Handler>>, Error> {
    let mut all: Vec<Arc<dyn Handler>> = Vec::new();
    #[cfg(any(feature = "documents", feature = "workflows"))]
    let models = Arc::new(gristmill_models::Models::from_env()?);
    #[cfg(any(feature = "exports", feature = "workflows"))]
    let press = {
        let press = Arc::new(gristmill_press::Press::new(
            &args.press,
            runner.cpus(),
            runner.children().clone(),
        ));
        // While the first job is on its way.
        tokio::spawn({
            let press = press.clone();
            async move { press.prepare().await }
        });
        press
    };
    #[cfg(feature = "documents")]
    {
        use gristmill_work_documents::{Fast, Passes, Settings, Sweep};
        let settings = Arc::new(Settings::from_env(models.clone()));
        all.push(Arc::new(Fast::new(settings.clone())));
        all.push(Arc::new(Passes::new(settings)));
        all.push(Arc::new(Sweep));
    }
    #[cfg(feature = "exports")]
    all.push(Arc::new(gristmill_work_exports::Exports::new(
        press.clone(),
    )));
    #[cfg(feature = "workflows")]
    all.extend(gristmill_work_workflows::handlers(models, press));
    Ok(all)
}
