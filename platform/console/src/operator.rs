//! Who acts: the user of this machine, and the role that they have in the console.

use std::env;

use clap::ValueEnum;
use ring::digest;
use serde_json::{Value, json};
use uuid::Builder;

/// What an operator may do. The database checks it with every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Looks, and changes nothing
    Viewer,
    /// Acts on jobs, queues and schedules
    Operator,
    /// Also changes options and reveals masked payloads
    Admin,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// The person at this machine, as the audit log names them.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    pub(crate) actor: String,
    pub(crate) role: Role,
}

impl Operator {
    /// The user that runs this program.
    pub(crate) fn of_this_machine(role: Role) -> Self {
        let variable = |name| env::var(name).ok().filter(|text| !text.is_empty());
        let user = ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .find_map(variable)
            .unwrap_or_else(|| "operator".to_owned());
        let host = std::fs::read_to_string("/etc/hostname")
            .ok()
            .or_else(|| variable("HOSTNAME"))
            .or_else(|| variable("COMPUTERNAME"))
            .unwrap_or_else(|| "localhost".to_owned());
        Self::new(&user, &host, role)
    }

    fn new(user: &str, host: &str, role: Role) -> Self {
        // It travels in a header, and stands in a log.
        let plain = |text: &str| {
            let keeps = |c: &char| c.is_ascii_alphanumeric() || ".-_+".contains(*c);
            text.chars().filter(keeps).take(90).collect::<String>()
        };
        Self {
            actor: format!("{}@{}", plain(user), plain(host)),
            role,
        }
    }

    /// The claims of a token for this operator, which ends after some seconds.
    pub(crate) fn claims(&self, audience: &str, now: u64, seconds: u64) -> Value {
        json!({
            "role": "authenticated",
            "aud": audience,
            "sub": self.subject(),
            "email": self.actor,
            "gristmill_role": self.role.name(),
            "iat": now,
            "exp": now + seconds,
        })
    }

    /// The same id for the same name, so that the rows of one person can be found in the audit log.
    fn subject(&self) -> uuid::Uuid {
        let digest = digest::digest(&digest::SHA256, self.actor.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.as_ref()[..16]);
        Builder::from_custom_bytes(bytes).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_actor_is_one_word_whatever_the_system_says() {
        let operator = Operator::new("ada\r\nx-gristmill-role: admin", "host\n", Role::Viewer);
        assert_eq!(operator.actor, "adax-gristmill-roleadmin@host");
    }

    #[test]
    fn the_token_of_a_viewer_says_viewer_and_ends() {
        let operator = Operator::new("ada", "host", Role::Viewer);
        let claims = operator.claims("authenticated", 1000, 60);
        assert_eq!(claims["gristmill_role"], "viewer");
        assert_eq!(claims["role"], "authenticated");
        assert_eq!(claims["exp"], 1060);
        let again = Operator::new("ada", "host", Role::Admin).claims("authenticated", 1, 1);
        assert_eq!(claims["sub"], again["sub"]);
    }
}
