//! What documents are read and understood with, from the environment.

use std::time::Duration;

use reqwest::Client;

use super::{Dialect, Endpoint, Model};
use crate::clamd;

/// How long an answer may take, unless AI_TIMEOUT_SECONDS says otherwise.
const PATIENCE: u64 = 90;

/// What documents are read and understood with.
pub(in crate::work) struct Settings {
    pub(in crate::work::documents) clamd: Option<String>,
    pub(in crate::work::documents) model: Option<Model>,
    pub(super) vision: Option<Endpoint>,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

impl Settings {
    /// From the environment: keys are nowhere else.
    pub(in crate::work) fn from_env() -> Result<Self, BadSettings> {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let endpoint = |url: &str, key: &str, default: &str| {
            let missing = || BadSettings(format!("{key} is not set in the environment"));
            Ok(Endpoint {
                client: client(),
                url: get(url)
                    .unwrap_or_else(|| default.to_owned())
                    .trim_end_matches('/')
                    .to_owned(),
                key: get(key).ok_or_else(missing)?,
            })
        };
        let model = match get("AI_PROVIDER").as_deref() {
            None | Some("builtin") => None,
            Some("openai") => Some(Model {
                dialect: Dialect::OpenAi,
                endpoint: endpoint(
                    "OPENAI_BASE_URL",
                    "OPENAI_API_KEY",
                    "https://api.openai.com/v1",
                )?,
                name: get("AI_MODEL").unwrap_or_else(|| "gpt-4o-mini".to_owned()),
            }),
            Some("anthropic") => Some(Model {
                dialect: Dialect::Anthropic,
                endpoint: endpoint(
                    "ANTHROPIC_BASE_URL",
                    "ANTHROPIC_API_KEY",
                    "https://api.anthropic.com",
                )?,
                name: get("AI_MODEL").unwrap_or_else(|| "claude-3-haiku-20240307".to_owned()),
            }),
            Some(other) => {
                return Err(BadSettings(format!(
                    "AI_PROVIDER is {other}; use builtin, openai or anthropic"
                )));
            }
        };
        let vision = match get("OCR_PROVIDER").as_deref() {
            None | Some("tesseract") => None,
            Some("google") => Some(endpoint(
                "GOOGLE_VISION_URL",
                "GOOGLE_API_KEY",
                "https://vision.googleapis.com",
            )?),
            Some(other) => {
                return Err(BadSettings(format!(
                    "OCR_PROVIDER is {other}; use tesseract or google"
                )));
            }
        };
        let clamd = get("WORKER_CLAMD");
        if clamd.is_none() {
            tracing::warn!("WORKER_CLAMD is not set: files are not scanned for viruses");
        }
        Ok(Self {
            clamd: clamd.filter(|address| address != clamd::NONE),
            model,
            vision,
        })
    }

    pub(in crate::work::documents) fn provider_name(&self) -> &'static str {
        match self.model.as_ref().map(|model| model.dialect) {
            None => "builtin",
            Some(Dialect::OpenAi) => "openai",
            Some(Dialect::Anthropic) => "anthropic",
        }
    }

    pub(in crate::work::documents) fn reads_with_vision(&self) -> bool {
        self.vision.is_some()
    }
}

fn client() -> Client {
    let patience = std::env::var("AI_TIMEOUT_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let patience = Duration::from_secs(patience.unwrap_or(PATIENCE));
    let built = Client::builder()
        .connect_timeout(Duration::from_secs(10))
        .timeout(patience)
        .redirect(reqwest::redirect::Policy::none())
        .build();
    built.unwrap_or_default()
}
