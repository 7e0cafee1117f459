//! What a request does.

use crate::refusal::Refusal;

/// The methods the dialect knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options,
}

impl Verb {
    pub fn parse(method: &hyper::Method) -> Result<Self, Refusal> {
        Ok(match method.as_str() {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            "OPTIONS" => Self::Options,
            other => return Err(Refusal::Method(other.to_owned())),
        })
    }

    /// True for methods that only look.
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }
}
