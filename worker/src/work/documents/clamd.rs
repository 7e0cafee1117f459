//! ClamAV by clamd's INSTREAM: the file is sent, never a path.

use std::path::Path;
use std::time::Duration;

use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

const CHUNK: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(120);

/// What the scanner said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Clean,
    Found(String),
}

/// Scans a file. `address` is a path of a socket, or HOST:PORT.
pub(super) async fn scan(address: &str, file: &Path) -> std::io::Result<Verdict> {
    let scanning = async {
        if address.starts_with('/') {
            exchange(UnixStream::connect(address).await?, file).await
        } else {
            exchange(TcpStream::connect(address).await?, file).await
        }
    };
    match tokio::time::timeout(PATIENCE, scanning).await {
        Ok(answer) => answer,
        Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
    }
}

async fn exchange(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    file: &Path,
) -> std::io::Result<Verdict> {
    let mut file = File::open(file).await?;
    socket.write_all(b"zINSTREAM\0").await?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = file.read(&mut chunk).await?;
        socket.write_all(&(length as u32).to_be_bytes()).await?;
        if length == 0 {
            break;
        }
        socket.write_all(&chunk[..length]).await?;
    }
    let mut answer = String::new();
    socket.take(4096).read_to_string(&mut answer).await?;
    judge(&answer)
}

fn judge(answer: &str) -> std::io::Result<Verdict> {
    let answer = answer.trim_end_matches('\0').trim();
    let said = answer.strip_prefix("stream: ").unwrap_or(answer);
    match said.strip_suffix(" FOUND") {
        Some(name) => Ok(Verdict::Found(name.to_owned())),
        None if said == "OK" => Ok(Verdict::Clean),
        None => Err(std::io::Error::other(format!("clamd answered: {said}"))),
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
        assert!(judge("INSTREAM size limit exceeded. ERROR\0").is_err());
        assert!(judge("").is_err());
    }
}
