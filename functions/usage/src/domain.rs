//! Whose usage is asked for.

use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

/// The query of `GET /v1/usage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// A profile that the caller may see; the caller's default profile when absent.
    pub(crate) profile_id: Option<Uuid>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_core::json;

    #[test]
    fn a_profile_is_an_id_or_absent() {
        let asked = |query: &str| json::parse_query::<Asked>(query);
        assert!(asked("").is_ok_and(|asked| asked.profile_id.is_none()));
        assert!(asked("profile_id=0190a0a0-0000-7000-8000-000000000001").is_ok());
        assert_eq!(
            asked("profile_id=me").unwrap_err().field.as_deref(),
            Some("profile_id")
        );
    }
}
