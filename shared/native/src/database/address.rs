//! Reads what a database URL says about TLS. The driver knows `disable`, `prefer` and `require` alone, and refuses the other parameters.

use percent_encoding::percent_decode_str;
use tokio_postgres::config::SslMode;

use super::Error;

/// The certificate authority for connections whose URL names none: a file, or the PEM text itself.
const CA: &str = "GRISTMILL_DATABASE_CA";

/// `sslmode`, as libpq means it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Never encrypt.
    Disable,
    /// Encrypt where the server can, whoever the server is.
    #[default]
    Prefer,
    /// Encrypt, whoever the server is. Given an authority, libpq verifies it, and so do we.
    Require,
    /// The server's certificate must be of a trusted authority.
    VerifyCa,
    /// And be for the host's name.
    VerifyFull,
}

impl Mode {
    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            // libpq's `allow` tries without TLS first. Nobody is served worse by the safer order.
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }

    pub(super) fn of_driver(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => SslMode::Require,
        }
    }
}

/// What is asked of TLS.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) mode: Mode,
    /// A file, `system`, or PEM text.
    pub(super) authority: Option<String>,
    /// Files with the client's own certificate and its key.
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
}

impl Wanted {
    pub(super) fn verifies(&self) -> bool {
        match self.mode {
            Mode::Disable | Mode::Prefer => false,
            Mode::Require => self.authority.is_some(),
            Mode::VerifyCa | Mode::VerifyFull => true,
        }
    }

    fn take(&mut self, name: &str, value: String) -> Result<bool, Error> {
        match name {
            "sslmode" => self.mode = Mode::read(&value).ok_or(Error::Mode(value))?,
            "sslrootcert" => self.authority = Some(value),
            "sslcert" => self.certificate = Some(value),
            "sslkey" => self.key = Some(value),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The URL as the driver takes it, and what it asked of TLS.
pub(super) fn read(url: &str) -> Result<(String, Wanted), Error> {
    let from_environment = std::env::var(CA).ok().filter(|value| !value.is_empty());
    read_with(url, from_environment)
}

fn read_with(url: &str, authority: Option<String>) -> Result<(String, Wanted), Error> {
    let mut wanted = Wanted::default();
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let rest = match is_url {
        true => without_parameters(url, &mut wanted)?,
        false => without_words(url, &mut wanted)?,
    };
    if wanted.authority.is_none() {
        wanted.authority = authority;
    }
    // Somebody who names an authority means to be protected by it.
    if wanted.authority.is_some() && wanted.mode == Mode::Prefer {
        return Err(Error::UnusedAuthority);
    }
    if wanted.certificate.is_some() != wanted.key.is_some() {
        return Err(Error::HalfCertificate);
    }
    Ok((rest, wanted))
}

/// `postgres://…?name=value&…`
fn without_parameters(url: &str, wanted: &mut Wanted) -> Result<String, Error> {
    let Some((start, query)) = url.split_once('?') else {
        return Ok(url.to_owned());
    };
    let mut kept = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
        if !wanted.take(name, value)? {
            kept.push(pair);
        }
    }
    Ok(match kept.is_empty() {
        true => start.to_owned(),
        false => format!("{start}?{}", kept.join("&")),
    })
}

/// `host=… dbname='…'`
fn without_words(text: &str, wanted: &mut Wanted) -> Result<String, Error> {
    let mut kept = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let (length, value) = value_of(behind);
        let word = format!("{}={}", name.trim(), &behind[..length]);
        if !wanted.take(name.trim(), value)? {
            kept.push(word);
        }
        rest = behind[length..].trim_start();
    }
    // What is no pair is the driver's to refuse.
    if !rest.is_empty() {
        kept.push(rest.to_owned());
    }
    Ok(kept.join(" "))
}

/// How long the first value is as it stands, and what it says.
fn value_of(text: &str) -> (usize, String) {
    let is_quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(is_quoted));
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => value.extend(characters.next().map(|(_, next)| next)),
            '\'' if is_quoted => return (at + 1, value),
            c if c.is_whitespace() && !is_quoted => return (at, value),
            c => value.push(c),
        }
    }
    (text.len(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(mode: Mode, authority: Option<&str>) -> Wanted {
        Wanted {
            mode,
            authority: authority.map(str::to_owned),
            ..Wanted::default()
        }
    }

    #[test]
    fn parameters_of_tls_leave_the_url_and_all_others_stay() {
        let url = "postgres://u:p@h/d?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fa%20b.crt&options=-c%20x%3D1";
        let (rest, found) = read_with(url, None).unwrap();
        assert_eq!(
            rest,
            "postgres://u:p@h/d?connect_timeout=3&options=-c%20x%3D1"
        );
        assert_eq!(found, wanted(Mode::VerifyFull, Some("/a b.crt")));
    }

    #[test]
    fn parameters_of_tls_leave_a_list_of_words_and_all_others_stay() {
        let text = r"host=h sslmode = verify-ca password='a \'b' sslrootcert='/a b.crt' dbname=d";
        let (rest, found) = read_with(text, None).unwrap();
        assert_eq!(rest, r"host=h password='a \'b' dbname=d");
        assert_eq!(found, wanted(Mode::VerifyCa, Some("/a b.crt")));
    }

    #[test]
    fn an_authority_of_the_environment_serves_where_the_url_names_none() {
        let read = |url| read_with(url, Some("env.crt".to_owned())).unwrap().1;
        assert_eq!(
            read("postgres://h?sslmode=verify-full").authority.unwrap(),
            "env.crt"
        );
        assert_eq!(
            read("postgres://h?sslmode=require&sslrootcert=url.crt")
                .authority
                .unwrap(),
            "url.crt"
        );
        assert!(read("postgres://h?sslmode=require").verifies());
        assert!(!read("postgres://h?sslmode=disable").verifies());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let refused = |url| read_with(url, None).unwrap_err();
        assert!(matches!(
            refused("postgres://h?sslmode=verify_full"),
            Error::Mode(_)
        ));
        assert!(matches!(
            refused("postgres://h?sslrootcert=a.crt"),
            Error::UnusedAuthority
        ));
        assert!(matches!(
            refused("postgres://h?sslmode=require&sslcert=a.crt"),
            Error::HalfCertificate
        ));
    }
}
