//! Who is let in beside the holders of a JWT: those with a token of the function's own, and our Postgres.

use chrono::Utc;
use sha2::{Digest, Sha256};

use super::{Call, Config};
use gristmill_core::{Code, Problem};

impl Call {
    /// Whether the caller holds the token of a binding; never without such a binding.
    pub fn holds(&self, config: &Config, binding: &str) -> bool {
        match (self.token(), config.optional(binding)) {
            (Ok(given), Some(wanted)) => is_same(&given, &wanted),
            _ => false,
        }
    }

    /// Refuses whoever does not hold the token of a binding.
    pub fn must_hold(&self, config: &Config, binding: &str) -> Result<(), Problem> {
        let given = self.token()?;
        if is_same(&given, &config.required(binding)?) {
            return Ok(());
        }
        Err(Problem::new(
            Code::TokenRefused,
            "This route needs another token. docs/deploy.md lists the tokens of the functions.",
        ))
    }

    /// The body of a request that our Postgres signed.
    pub async fn signed_body(&mut self, config: &Config, limit: usize) -> Result<Vec<u8>, Problem> {
        let body = self.body(limit).await?;
        let header = |name| self.header(name).unwrap_or_default();
        config
            .invoke_key()?
            .verify(
                &header("webhook-id"),
                &header("webhook-timestamp"),
                &header("webhook-signature"),
                &body,
                Utc::now().timestamp(),
            )
            .map_err(|refused| {
                Problem::new(Code::BadSignature, "Only a signed invocation is accepted.")
                    .because(refused)
            })?;
        Ok(body)
    }
}

// While a token is changed, the binding holds several, separated by blanks. Digests have one length and no common prefix: how long comparing
// them takes tells nothing about the token.
fn is_same(given: &str, wanted: &str) -> bool {
    let given = Sha256::digest(given);
    wanted
        .split_whitespace()
        .fold(false, |found, one| (Sha256::digest(one) == given) | found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_token_is_the_same() {
        assert!(is_same("abc", "abc"));
        assert!(!is_same("abc", "abd"));
        assert!(!is_same("", "abc"));
        assert!(!is_same("", " "));
    }

    #[test]
    fn while_a_token_is_changed_both_open() {
        assert!(is_same("new", "new old"));
        assert!(is_same("old", "new old"));
        assert!(!is_same("new old", "new old"));
    }
}
