//! Opening a connection: the driver authenticates, then hands the stream over.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::TlsConnect;
use tokio_postgres::{CancelToken, NoTls};

use gristmill_native::database::{self, Config};

/// Anything that carries the protocol: TCP, TLS over it, a Unix socket.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Why a connection could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoginError {
    #[error("the host cannot be reached")]
    Unreachable(#[source] io::Error),
    #[error("the server was too slow to answer")]
    Timeout,
    #[error("TLS could not be agreed on")]
    Tls(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the server is read-only, and target_session_attrs asks for one that is not")]
    ReadOnly,
    #[error("the server can be written to, and target_session_attrs asks for one that cannot")]
    ReadWrite,
    #[error("the server refused the login")]
    Refused(#[from] tokio_postgres::Error),
    #[error("the driver kept the connection")]
    Kept,
}

/// How long sending a cancel may take.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);

/// Interrupts what a connection is doing, over a connection of its own.
#[derive(Clone)]
pub(super) struct Canceller {
    token: CancelToken,
    config: Config,
}

impl Canceller {
    /// Returns once the server has passed the signal on, which it shows by hanging up.
    pub(super) async fn cancel(&self) -> Result<(), LoginError> {
        match tokio::time::timeout(CANCEL_PATIENCE, self.send()).await {
            Ok(result) => result,
            Err(_) => Err(LoginError::Timeout),
        }
    }

    async fn send(&self) -> Result<(), LoginError> {
        let lent = Lent::new(open(&self.config).await?);
        self.token.cancel_query_raw(lent.clone(), NoTls).await?;
        let mut stream = lent.take_back().ok_or(LoginError::Kept)?;
        let mut nothing = [0; 1];
        // An error is a hang-up too.
        let _ = stream.read(&mut nothing).await;
        Ok(())
    }
}

/// A stream on which the server waits for the first statement. The configuration names one host; the caller bounds how long it may take.
pub(super) async fn log_in(config: &Config) -> Result<(Box<dyn Stream>, Canceller), LoginError> {
    let lent = Lent::new(open(config).await?);
    // TLS, if any, is in place already; the driver must not ask for it a second time.
    let mut plain = config.clone();
    plain.ssl_mode(SslMode::Disable);
    let (client, connection) = plain.connect_raw(lent.clone(), NoTls).await?;
    let canceller = Canceller {
        token: client.cancel_token(),
        config: config.clone(),
    };
    // Neither has been told to say goodbye: dropped now, they leave the session as it is.
    let stream = lent.take_back().ok_or(LoginError::Kept)?;
    drop((client, connection));
    Ok((stream, canceller))
}

/// Connects to the one host of the configuration.
async fn open(config: &Config) -> Result<Box<dyn Stream>, LoginError> {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let unreachable = LoginError::Unreachable;
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => {
            let stream = match config.get_hostaddrs().first() {
                Some(address) => TcpStream::connect((*address, port)).await,
                None => TcpStream::connect((name.as_str(), port)).await,
            };
            let stream = stream.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            database::keep_alive(&stream).map_err(unreachable)?;
            encrypt(config, stream, name).await
        }
        #[cfg(unix)]
        Some(Host::Unix(folder)) => {
            let path = folder.join(format!(".s.PGSQL.{port}"));
            let stream = UnixStream::connect(path).await.map_err(unreachable)?;
            Ok(Box::new(stream))
        }
        None => Err(unreachable(io::ErrorKind::AddrNotAvailable.into())),
    }
}

async fn encrypt(
    config: &Config,
    mut stream: TcpStream,
    host: &str,
) -> Result<Box<dyn Stream>, LoginError> {
    let Some(tls) = config.tls() else {
        return Ok(Box::new(stream));
    };
    let mut ask = bytes::BytesMut::new();
    postgres_protocol::message::frontend::ssl_request(&mut ask);
    stream
        .write_all(&ask)
        .await
        .map_err(LoginError::Unreachable)?;
    let answer = stream.read_u8().await.map_err(LoginError::Unreachable)?;
    if answer != b'S' {
        return match config.must_encrypt() {
            true => Err(LoginError::Tls("the server speaks no TLS".into())),
            false => Ok(Box::new(stream)),
        };
    }
    let connector =
        database::tls_to::<TcpStream>(tls, host).map_err(|error| LoginError::Tls(error.into()))?;
    let encrypted = connector.connect(stream).await;
    let encrypted = encrypted.map_err(|error| LoginError::Tls(Box::new(error)))?;
    Ok(Box::new(encrypted))
}

/// A stream lent to the driver, to be taken back afterwards.
#[derive(Clone)]
struct Lent(Arc<Mutex<Option<Box<dyn Stream>>>>);

impl Lent {
    fn new(stream: Box<dyn Stream>) -> Self {
        Self(Arc::new(Mutex::new(Some(stream))))
    }

    fn take_back(&self) -> Option<Box<dyn Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn with<T>(
        &self,
        work: impl FnOnce(Pin<&mut dyn Stream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_mut() {
            Some(stream) => work(Pin::new(stream.as_mut())),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

impl AsyncRead for Lent {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for Lent {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_flush(context))
    }

    /// The borrower may not close what it was lent.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
