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
}
