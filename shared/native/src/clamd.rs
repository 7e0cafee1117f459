//! ClamAV by clamd's protocol: INSTREAM sends the file, never a path; VERSION tells how old its signatures are.

use std::path::Path;
use std::time::Duration;

use chrono::{NaiveDateTime, Utc};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

const CHUNK: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(120);

/// Where no scanner is wanted, as opposed to forgotten.
pub const NONE: &str = "none";

/// What the scanner said.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It knows nothing against it.
    Clean,
    /// The name of what it found.
    Found(String),
    /// One of its own limits was reached: it cannot tell.
    Unscannable(String),
}

trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Socket for T {}

/// Scans a file. `address` is a path of a socket, or HOST:PORT.
pub async fn scan(address: &str, file: &Path) -> std::io::Result<Verdict> {
    patiently(async {
        let mut socket = connect(address).await?;
        let sent = send(&mut socket, file).await;
        // A file that is too large for it is refused while it is sent, and the rest of it left unread: the reason
        // is there to be read, and a reset comes after it.
        let mut answer = Vec::new();
        let read = socket.take(4096).read_to_end(&mut answer).await;
        if answer.is_empty() {
            sent.and(read)?;
        }
        judge(&String::from_utf8_lossy(&answer))
    })
    .await
}

/// What is wrong with the scanner, as an operator should know it.
pub async fn ailment(address: &str) -> Option<String> {
    let asked = patiently(async {
        let mut socket = connect(address).await?;
        socket.write_all(b"zVERSION\0").await?;
        let mut answer = String::new();
        socket.take(4096).read_to_string(&mut answer).await?;
        Ok(answer)
    });
    match asked.await {
        Err(error) => Some(format!(
            "clamd at {address} does not answer, so documents wait: {error}"
        )),
        Ok(version) => age(&version, Utc::now().naive_utc()),
    }
}

async fn patiently<T>(asking: impl Future<Output = std::io::Result<T>>) -> std::io::Result<T> {
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(answer) => answer,
        Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
    }
}

async fn connect(address: &str) -> std::io::Result<Box<dyn Socket>> {
    Ok(if address.starts_with('/') {
        Box::new(UnixStream::connect(address).await?)
    } else {
        Box::new(TcpStream::connect(address).await?)
    })
}

async fn send(socket: &mut Box<dyn Socket>, file: &Path) -> std::io::Result<usize> {
    let mut file = File::open(file).await?;
    socket.write_all(b"zINSTREAM\0").await?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = file.read(&mut chunk).await?;
        socket.write_all(&(length as u32).to_be_bytes()).await?;
        if length == 0 {
            return Ok(0);
        }
        socket.write_all(&chunk[..length]).await?;
    }
}

fn judge(answer: &str) -> std::io::Result<Verdict> {
    // It may have hung up: only what is whole counts, or the head of another answer could be taken for OK.
    let Some(answer) = answer.strip_suffix('\0') else {
        return Err(std::io::Error::other("its answer was cut off"));
    };
    let said = answer.strip_prefix("stream: ").unwrap_or(answer);
    match said.strip_suffix(" FOUND") {
        // AlertExceedsMax, so that what was skipped is not taken for clean.
        Some(name) if name.starts_with("Heuristics.Limits.Exceeded") => {
            Ok(Verdict::Unscannable(name.to_owned()))
        }
        Some(name) => Ok(Verdict::Found(name.to_owned())),
        None if said == "OK" => Ok(Verdict::Clean),
        None if said.starts_with("INSTREAM size limit exceeded") => {
            Ok(Verdict::Unscannable("StreamMaxLength".to_owned()))
        }
        None => Err(std::io::Error::other(format!("it answered: {said}"))),
    }
}

// "ClamAV 1.4.6/27823/Sun Nov 15 09:25:34 2026"; without official signatures the name alone.
fn age(version: &str, now: NaiveDateTime) -> Option<String> {
    let version = version.trim_end_matches('\0').trim();
    let Some(made) = version.split('/').nth(2) else {
        return Some(format!(
            "clamd has no dated signatures ({version}): freshclam has not run"
        ));
    };
    match NaiveDateTime::parse_from_str(made, "%a %b %e %H:%M:%S %Y") {
        Ok(made) if (now - made).num_days() <= 7 => None,
        Ok(made) => Some(format!(
            "clamd's signatures are {} days old: freshclam does not run",
            (now - made).num_days()
        )),
        Err(_) => Some(format!("clamd's version cannot be read: {version}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ok_is_clean() {
        assert_eq!(judge("stream: OK\0").unwrap(), Verdict::Clean);
        assert_eq!(
            judge("stream: Eicar.UNOFFICIAL FOUND\0").unwrap(),
            Verdict::Found("Eicar.UNOFFICIAL".into())
        );
        for limit in [
            "INSTREAM size limit exceeded. ERROR\0",
            "stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0",
        ] {
            assert!(matches!(judge(limit).unwrap(), Verdict::Unscannable(_)));
        }
        assert!(judge("").is_err());
        assert!(judge("stream: OK").is_err(), "cut off");
        assert!(judge("stream: Can't allocate memory ERROR\0").is_err());
    }

    #[tokio::test]
    async fn a_refusal_is_read_even_if_the_scanner_hangs_up_on_the_rest_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let [socket, file] = ["socket", "file"].map(|name| folder.path().join(name));
        std::fs::write(&file, vec![0; 1_000_000]).unwrap();
        let listener = tokio::net::UnixListener::bind(&socket).unwrap();
        let scanner = tokio::spawn(async move {
            let (mut caller, _) = listener.accept().await.unwrap();
            caller.read_exact(&mut [0; 500_000]).await.unwrap();
            let answer = b"INSTREAM size limit exceeded. ERROR\0";
            caller.write_all(answer).await.unwrap();
        });
        let verdict = scan(socket.to_str().unwrap(), &file).await.unwrap();
        assert!(matches!(verdict, Verdict::Unscannable(_)), "{verdict:?}");
        scanner.await.unwrap();
    }

    #[test]
    fn old_or_missing_signatures_are_named() {
        let now =
            NaiveDateTime::parse_from_str("2026-11-16 10:00:00", "%Y-%m-%d %H:%M:%S").unwrap();
        assert_eq!(
            age("ClamAV 1.4.6/27823/Sun Nov 15 09:25:34 2026\0", now),
            None
        );
        let old = age("ClamAV 1.4.6/27823/Thu Oct  1 09:25:34 2026\0", now).unwrap();
        assert!(old.contains("46 days old"), "{old}");
        assert!(age("ClamAV 1.4.6\0", now).unwrap().contains("no dated"));
    }
}
