//! What tests of the native side share.

pub(crate) mod postgres;
pub(crate) mod relay;
pub(crate) mod target;
