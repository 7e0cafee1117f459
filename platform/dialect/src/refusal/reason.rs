//! Refusals as the metrics count them: those that protect others, and those for a fault behind the gateway.

use super::Refusal;

/// A label of `refusals_total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    AnswerTooLarge,
    BodyTimeout,
    BodyTooLarge,
    CallerBusy,
    CallerMemory,
    Deadline,
    Memory,
    NotConnected,
    NotWritable,
    PoolTimeout,
    QueueFull,
    StatementTimeout,
    TooCostly,
    UpstreamDown,
    UpstreamSilent,
}

impl Reason {
    pub const ALL: [Self; 15] = [
        Self::AnswerTooLarge,
        Self::BodyTimeout,
        Self::BodyTooLarge,
        Self::CallerBusy,
        Self::CallerMemory,
        Self::Deadline,
        Self::Memory,
        Self::NotConnected,
        Self::NotWritable,
        Self::PoolTimeout,
        Self::QueueFull,
        Self::StatementTimeout,
        Self::TooCostly,
        Self::UpstreamDown,
        Self::UpstreamSilent,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::AnswerTooLarge => "answer_too_large",
            Self::BodyTimeout => "body_timeout",
            Self::BodyTooLarge => "body_too_large",
            Self::CallerBusy => "caller_busy",
            Self::CallerMemory => "caller_memory",
            Self::Deadline => "deadline",
            Self::Memory => "memory",
            Self::NotConnected => "not_connected",
            Self::NotWritable => "not_writable",
            Self::PoolTimeout => "pool_timeout",
            Self::QueueFull => "queue_full",
            Self::StatementTimeout => "statement_timeout",
            Self::TooCostly => "too_costly",
            Self::UpstreamDown => "upstream_down",
            Self::UpstreamSilent => "upstream_silent",
        }
    }
}

impl Refusal {
    /// What the metrics count it as; None for a caller's ordinary mistakes.
    pub fn reason(&self) -> Option<Reason> {
        Some(match self {
            Self::AnswerTooLarge { .. } => Reason::AnswerTooLarge,
            Self::BodyTimeout => Reason::BodyTimeout,
            Self::BodyTooLarge(_) => Reason::BodyTooLarge,
            Self::CallerBusy => Reason::CallerBusy,
            Self::CallerMemory => Reason::CallerMemory,
            Self::Deadline { .. } => Reason::Deadline,
            Self::Memory => Reason::Memory,
            Self::NotConnected | Self::ConnectionLost | Self::NoSchemaCache => Reason::NotConnected,
            Self::PoolTimeout => Reason::PoolTimeout,
            Self::QueueFull => Reason::QueueFull,
            Self::TooCostly { .. } => Reason::TooCostly,
            Self::TargetDown(_) => Reason::UpstreamDown,
            Self::TargetSilent(_) => Reason::UpstreamSilent,
            // A full disk, or a database that is read-only. A read that wants to write is the caller's mistake, with 405.
            Self::Database(error)
                if error.code() == "53100"
                    || (error.code() == "25006" && self.status().as_u16() == 503) =>
            {
                Reason::NotWritable
            }
            Self::Database(error) if error.code() == "57014" => Reason::StatementTimeout,
            _ => return None,
        })
    }
}
