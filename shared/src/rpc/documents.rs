//! The calls about documents and their files.

use serde::Serialize;

use super::{Rpc, RpcError};

impl Rpc {
    /// Whether the token's owner may reach an object: the rule of the object store.
    pub async fn can_access_object(&self, key: &str) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_key: &'a str,
        }
        self.call("can_access_object", &Arguments { p_key: key })
            .await
    }
}
