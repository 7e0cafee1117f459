//! TLS to Postgres: whom to trust, and how much of a certificate is looked at.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::Error;
use super::address::{Mode, Wanted};

/// TLS as a client that trusts the system's certificate authorities.
pub fn system_roots() -> Result<ClientConfig, Error> {
    Ok(ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(system_store()?)
        .with_no_client_auth())
}

/// How to encrypt; None for never.
pub(super) fn connector(wanted: &Wanted) -> Result<Option<MakeRustlsConnect>, Error> {
    if wanted.mode == Mode::Disable {
        return Ok(None);
    }
    let verifier: Arc<dyn ServerCertVerifier> = match (wanted.verifies(), wanted.mode) {
        (false, _) => Arc::new(Anybody(provider())),
        (true, Mode::VerifyFull) => webpki(wanted)?,
        (true, _) => Arc::new(AnyName(webpki(wanted)?)),
    };
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match (&wanted.certificate, &wanted.key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|source| Error::Pem {
                what: key.clone(),
                source,
            })?;
            builder.with_client_auth_cert(chain, key)?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn webpki(wanted: &Wanted) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let roots = match wanted.authority.as_deref() {
        None | Some("system") => system_store()?,
        Some(given) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(given)? {
                roots.add(certificate)?;
            }
            roots
        }
    };
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider())
        .build()
        .map_err(|_| Error::NoRoots)
}

fn system_store() -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match roots.is_empty() {
        true => Err(Error::NoRoots),
        false => Ok(roots),
    }
}

/// The certificates of a file, or of a text that is PEM itself.
fn certificates(given: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let is_text = given.trim_start().starts_with("-----BEGIN");
    let what = match is_text {
        true => "GRISTMILL_DATABASE_CA".to_owned(),
        false => given.to_owned(),
    };
    let read: Result<Vec<_>, _> = match is_text {
        true => CertificateDer::pem_slice_iter(given.as_bytes()).collect(),
        false => CertificateDer::pem_file_iter(Path::new(given)).and_then(Iterator::collect),
    };
    match read {
        Ok(found) if found.is_empty() => Err(Error::NoCertificate { what }),
        Ok(found) => Ok(found),
        Err(source) => Err(Error::Pem { what, source }),
    }
}

/// Looks at no name: `verify-ca`. The chain is judged before the name, so whoever fails by the name alone has a good chain.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified =
            self.0
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Takes any certificate: `prefer` and `require`, which keep out listeners and not impostors.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
