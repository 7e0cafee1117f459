//! Who may reach which object in storage. One answer for all applications, so it is in `public` wherever they lie.

use serde_json::json;

use super::{Rpc, RpcError};

/// What is done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectAct {
    /// Read, sign or list it.
    Read,
    /// Store or replace it.
    Write,
    /// Remove it.
    Remove,
}

impl Rpc {
    /// Whether the token's owner may do this with an object: the rule of the object store.
    pub async fn may_object(&self, act: ObjectAct, key: &str) -> Result<bool, RpcError> {
        let function = match act {
            ObjectAct::Read => "can_access_object",
            ObjectAct::Write => "can_write_object",
            ObjectAct::Remove => "can_remove_object",
        };
        self.call(function, &json!({ "p_key": key })).await
    }

    /// The buckets that there are.
    pub async fn storage_buckets(&self) -> Result<Vec<String>, RpcError> {
        self.call("storage_buckets", &json!({})).await
    }

    /// Says that an object of another bucket than ours is about to be there. False: it may not replace the one that is there.
    pub async fn note_object(
        &self,
        key: &str,
        size: u64,
        content_type: &str,
    ) -> Result<bool, RpcError> {
        let said = json!({ "p_object": key, "p_size": size, "p_content_type": content_type });
        self.call("note_object", &said).await
    }

    /// Says that an object of another bucket than ours is gone. False: nobody knew of it.
    pub async fn forget_object(&self, key: &str) -> Result<bool, RpcError> {
        self.call("forget_object", &json!({ "p_object": key }))
            .await
    }
}
