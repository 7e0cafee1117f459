//! The store of a function: one trait, two ways behind it.

mod clean;
mod r2;
mod supabase;

use futures_util::stream::LocalBoxStream;
use worker::ByteStream;

pub use clean::clean;
use gristmill_core::Problem;
use gristmill_files::Listing;
pub use gristmill_files::{ObjectKey, StorageError};
pub use r2::{Download, R2};
use supabase::Supabase;

use crate::Config;

/// What is to be stored.
pub enum Body {
    /// All of it.
    Bytes(Vec<u8>),
    /// As it arrives. An error in it means that nothing is stored.
    Stream(LocalBoxStream<'static, Result<Vec<u8>, worker::Error>>),
}

/// An object on its way out.
pub struct Found {
    /// Its content.
    pub stream: ByteStream,
    /// In bytes, where the store says.
    pub size: Option<u64>,
    /// As it was stored.
    pub content_type: String,
}

/// What both stores do.
#[allow(
    async_fn_in_trait,
    reason = "functions are single-threaded: nothing needs Send"
)]
pub trait Storage {
    /// Stores an object whole or not at all. Each try of an upload has a place of its own, so there is nothing to
    /// replace: Supabase Storage refuses to, and R2, which would, is reached by no place that a user has chosen.
    async fn put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: Body,
    ) -> Result<(), StorageError>;
    /// Opens an object.
    async fn get(&self, key: &ObjectKey) -> Result<Found, StorageError>;
    /// Removes objects; one that is not there is no error.
    async fn remove(&self, keys: &[ObjectKey]) -> Result<(), StorageError>;
    /// What lies below a prefix, a part at a time.
    async fn list(&self, prefix: &str, cursor: Option<&str>) -> Result<Listing, StorageError>;
    /// A URL that reads the object for some seconds, without a token.
    async fn sign(&self, key: &ObjectKey, seconds: u32) -> Result<String, StorageError>;
    /// The same for many, in one call per bucket. None for an object that is not there, or not the caller's.
    async fn sign_many(
        &self,
        keys: &[ObjectKey],
        seconds: u32,
    ) -> Result<Vec<Option<String>>, StorageError>;
}

/// The store that the configuration names: `STORAGE=r2` or `supabase`; without it R2 where FILES is bound.
pub enum Store {
    /// A bucket of R2.
    R2(R2),
    /// The Supabase Storage API.
    Supabase(Supabase),
}

impl Store {
    /// With the rights of whoever holds `token`. R2 knows no tokens: there Postgres has to have said yes before.
    pub fn open(config: &Config, token: &str) -> Result<Self, Problem> {
        let named = config.optional("STORAGE");
        let bucket = config.bucket("FILES");
        match (named.as_deref(), bucket) {
            (Some("supabase"), _) | (None, None) => {
                Ok(Self::Supabase(Supabase::new(config, token)?))
            }
            (Some("r2") | None, Some(bucket)) => Ok(Self::R2(R2::new(bucket, config)?)),
            _ => Err(config
                .incomplete("STORAGE is neither 'supabase' nor 'r2' with a bucket bound as FILES")),
        }
    }

    /// With the rights of the service; for functions that hold its key.
    pub fn open_for_service(config: &Config) -> Result<Self, Problem> {
        let key = config.service_key()?;
        Self::open(config, &key)
    }
}

impl Storage for Store {
    async fn put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: Body,
    ) -> Result<(), StorageError> {
        match self {
            Self::R2(store) => store.put(key, content_type, body).await,
            Self::Supabase(store) => store.put(key, content_type, body).await,
        }
    }

    async fn get(&self, key: &ObjectKey) -> Result<Found, StorageError> {
        match self {
            Self::R2(store) => store.get(key).await,
            Self::Supabase(store) => store.get(key).await,
        }
    }

    async fn remove(&self, keys: &[ObjectKey]) -> Result<(), StorageError> {
        match self {
            Self::R2(store) => store.remove(keys).await,
            Self::Supabase(store) => store.remove(keys).await,
        }
    }

    async fn list(&self, prefix: &str, cursor: Option<&str>) -> Result<Listing, StorageError> {
        match self {
            Self::R2(store) => store.list(prefix, cursor).await,
            Self::Supabase(store) => store.list(prefix, cursor).await,
        }
    }

    async fn sign(&self, key: &ObjectKey, seconds: u32) -> Result<String, StorageError> {
        match self {
            Self::R2(store) => store.sign(key, seconds).await,
            Self::Supabase(store) => store.sign(key, seconds).await,
        }
    }

    async fn sign_many(
        &self,
        keys: &[ObjectKey],
        seconds: u32,
    ) -> Result<Vec<Option<String>>, StorageError> {
        match self {
            Self::R2(store) => store.sign_many(keys, seconds).await,
            Self::Supabase(store) => store.sign_many(keys, seconds).await,
        }
    }
}
