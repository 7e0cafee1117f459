//! Who is asked, from the environment.

use std::time::Duration;

use reqwest::Client;

use super::capacity::Capacity;
use super::vision::Vision;
use super::{Dialect, Endpoint, Model};

/// How long an answer may take, unless AI_TIMEOUT_SECONDS says otherwise.
const PATIENCE: u64 = 90;

/// The model and the reader of images that are configured.
pub struct Models {
    pub(super) model: Option<Model>,
    pub(super) vision: Option<Vision>,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

impl Models {
    /// From the environment: keys are nowhere else.
    pub fn from_env() -> Result<Self, BadSettings> {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let endpoint = |url: &str, keys: &[&str], default: &str| {
            let missing = || BadSettings(format!("{} is not set in the environment", keys[0]));
            Ok(Endpoint {
                client: client(),
                url: get(url)
                    .unwrap_or_else(|| default.to_owned())
                    .trim_end_matches('/')
                    .to_owned(),
                key: keys.iter().find_map(|key| get(key)).ok_or_else(missing)?,
            })
        };
        let is_checked = match get("API_RATE_LIMIT_CHECK_ENABLED").as_deref() {
            None | Some("true" | "1") => true,
            Some("false" | "0") => {
                tracing::warn!(
                    "API_RATE_LIMIT_CHECK_ENABLED is false: calls of providers are not held to their limits"
                );
                false
            }
            Some(other) => {
                return Err(BadSettings(format!(
                    "API_RATE_LIMIT_CHECK_ENABLED is {other}; use true or false"
                )));
            }
        };
        let model = |dialect: Dialect, endpoint: Endpoint, default: &str| {
            let name = get("AI_MODEL").unwrap_or_else(|| default.to_owned());
            let capacity = Capacity::new(dialect.provider(), &name, is_checked);
            Model {
                dialect,
                endpoint,
                name,
                capacity,
            }
        };
        // Where nobody says otherwise, a key says who is meant.
        let ai = get("AI_PROVIDER").or_else(|| get("OPENAI_API_KEY").map(|_| "openai".to_owned()));
        let model = match ai.as_deref() {
            None | Some("builtin") => None,
            Some("openai") => Some(model(
                Dialect::OpenAi,
                endpoint(
                    "OPENAI_BASE_URL",
                    &["OPENAI_API_KEY"],
                    "https://api.openai.com/v1",
                )?,
                "gpt-4o-mini",
            )),
            Some("anthropic") => Some(model(
                Dialect::Anthropic,
                endpoint(
                    "ANTHROPIC_BASE_URL",
                    &["ANTHROPIC_API_KEY"],
                    "https://api.anthropic.com",
                )?,
                "claude-3-haiku-20240307",
            )),
            Some(other) => {
                return Err(BadSettings(format!(
                    "AI_PROVIDER is {other}; use builtin, openai or anthropic"
                )));
            }
        };
        let ocr = get("OCR_PROVIDER")
            .or_else(|| get("GOOGLE_CLOUD_API_KEY").map(|_| "google".to_owned()));
        let vision = match ocr.as_deref() {
            None | Some("tesseract") => None,
            Some("google") => Some(Vision {
                endpoint: endpoint(
                    "GOOGLE_VISION_URL",
                    &["GOOGLE_CLOUD_API_KEY", "GOOGLE_API_KEY"],
                    "https://vision.googleapis.com",
                )?,
                capacity: Capacity::new("google", "vision-api", is_checked),
            }),
            Some(other) => {
                return Err(BadSettings(format!(
                    "OCR_PROVIDER is {other}; use tesseract or google"
                )));
            }
        };
        Ok(Self { model, vision })
    }

    /// Who answers: a provider, or the built-in rules.
    pub fn provider_name(&self) -> &'static str {
        let dialect = self.model.as_ref().map(|model| model.dialect);
        dialect.map_or("builtin", Dialect::provider)
    }

    /// When the model's limit may have room again, while it has none.
    pub fn model_closed_until(&self) -> Option<tokio::time::Instant> {
        self.model.as_ref()?.capacity.closed_until()
    }

    /// Whether a provider reads images, in the place of tesseract.
    pub fn reads_with_vision(&self) -> bool {
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
