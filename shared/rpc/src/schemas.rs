//! Where applications lie: each may be installed in a schema of its own. The engine is always in `public`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Held, Rpc, RpcError};
use gristmill_core::job::Holder;

/// A part with calls of its own beside the engine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Application {
    /// With it go usage and profiles.
    Documents,
    Exports,
    Refresh,
    Workflows,
}

impl Application {
    const ALL: [Self; 4] = [
        Self::Documents,
        Self::Exports,
        Self::Refresh,
        Self::Workflows,
    ];

    const fn variable(self) -> &'static str {
        match self {
            Self::Documents => "DOCUMENTS_SCHEMA",
            Self::Exports => "EXPORTS_SCHEMA",
            Self::Refresh => "REFRESH_SCHEMA",
            Self::Workflows => "WORKFLOWS_SCHEMA",
        }
    }
}

/// The schemas of applications that are not in `public`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schemas(BTreeMap<Application, String>);

/// A variable that names no schema.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{variable} is {name:?}, but a schema's name here has only a-z, 0-9 and _, begins with no digit and has at most 63 characters"
)]
pub struct BadSchema {
    variable: &'static str,
    name: String,
}

impl Schemas {
    /// By the variables `DOCUMENTS_SCHEMA`, `EXPORTS_SCHEMA`, `REFRESH_SCHEMA` and `WORKFLOWS_SCHEMA`. One that is absent or
    /// empty means `public`.
    pub fn read(variable: impl Fn(&'static str) -> Option<String>) -> Result<Self, BadSchema> {
        let mut schemas = BTreeMap::new();
        for application in Application::ALL {
            let variable_name = application.variable();
            match variable(variable_name).as_deref() {
                None | Some("" | "public") => {}
                Some(name) if is_plain(name) => {
                    schemas.insert(application, name.to_owned());
                }
                Some(name) => {
                    return Err(BadSchema {
                        variable: variable_name,
                        name: name.to_owned(),
                    });
                }
            }
        }
        Ok(Self(schemas))
    }
}

/// What needs no quotes in SQL, and no escapes in a header.
fn is_plain(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    name.len() <= 63
        && name.bytes().next().is_some_and(is_letter)
        && name
            .bytes()
            .all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// The calls of one application.
pub(super) struct Calls<'a> {
    rpc: &'a Rpc,
    schema: Option<&'a str>,
}

impl Calls<'_> {
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        self.rpc.call_in(self.schema, function, arguments).await
    }

    /// One call of the holder of a job: the fencing token comes first.
    pub(super) async fn call_as<T: DeserializeOwned>(
        &self,
        holder: &Holder,
        function: &'static str,
        rest: impl Serialize,
    ) -> Result<T, RpcError> {
        self.call(function, &Held { holder, rest }).await
    }

    /// One call that creates something: see [`Rpc::once`].
    pub(super) async fn create<T: DeserializeOwned>(
        &self,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        self.rpc.create_in(self.schema, function, arguments).await
    }
}

impl Rpc {
    /// Says where applications lie; without it they are in `public`.
    pub fn in_schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = schemas;
        self
    }

    pub(super) fn documents(&self) -> Calls<'_> {
        self.of(Application::Documents)
    }

    pub(super) fn exports(&self) -> Calls<'_> {
        self.of(Application::Exports)
    }

    pub(super) fn refresh(&self) -> Calls<'_> {
        self.of(Application::Refresh)
    }

    pub(super) fn workflows(&self) -> Calls<'_> {
        self.of(Application::Workflows)
    }

    fn of(&self, application: Application) -> Calls<'_> {
        Calls {
            rpc: self,
            schema: self.schemas.0.get(&application).map(String::as_str),
        }
    }
}

#[cfg(test)]
mod tests;
