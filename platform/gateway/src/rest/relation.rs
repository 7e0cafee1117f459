//! Tables and views, at `/NAME`.

mod read;
mod write;

use bytes::Bytes;
use hyper::StatusCode;

use super::answer::Draft;
use super::request::ApiRequest;
use super::session;
use crate::Gateway;
use crate::http::Answer;
use gristmill_dialect::Verb;
use gristmill_dialect::catalog::{Catalog, Relation, Schema};
use gristmill_dialect::embedding::Embedding;
use gristmill_dialect::query::Query;
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::{AFTER_READ, AFTER_WRITE};
use gristmill_dialect::{Layout, Sql};
use gristmill_pool::{Access, Outcome, RowCheck, Transaction};

/// A request, and the relation it is about.
pub(super) struct Target<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) catalog: &'a Catalog,
    pub(super) request: &'a ApiRequest,
    pub(super) name: &'a str,
    pub(super) relation: &'a Relation,
    schema: &'a Schema,
}

/// What a request about a relation wants of Postgres.
pub(super) struct Work {
    pub(super) access: Access,
    pub(super) statement: Sql,
    pub(super) layout: Layout,
    pub(super) estimate: Option<Sql>,
    pub(super) check: RowCheck,
}

pub(super) async fn serve(
    gateway: &Gateway,
    catalog: &Catalog,
    request: &ApiRequest,
    name: &str,
    body: Bytes,
) -> Result<Answer, Refusal> {
    let schema = catalog.schemas.get(&request.schema);
    let found = schema.and_then(|schema| Some((schema, schema.relations.get(name)?)));
    let (schema, relation) = found.ok_or_else(|| Refusal::NoTable {
        table: format!("{}.{name}", request.schema),
        hint: None,
    })?;
    let target = Target {
        gateway,
        catalog,
        request,
        name,
        relation,
        schema,
    };
    match request.verb {
        Verb::Get | Verb::Head => read::serve(&target).await,
        Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => {
            target.refuse_impossible()?;
            write::serve(&target, body).await
        }
        Verb::Options => Ok(Draft::new(StatusCode::OK).allow(&target.methods())),
    }
}

impl Target<'_> {
    /// The query string, with embedded tables joined.
    fn query(&self) -> Result<Query, Refusal> {
        let mut query = Query::parse(&self.request.query)?;
        query.within(&self.gateway.settings.limits.cost)?;
        let embedding = Embedding {
            schema: &self.request.schema,
            relations: self.schema,
        };
        embedding.join(&mut query, self.name, Some(self.relation))?;
        Ok(query)
    }

    async fn run(&self, work: Work) -> Result<Outcome, Refusal> {
        let identity = &self.request.identity;
        let settings = &self.gateway.settings;
        let brought = self.catalog.roles.get(&identity.role);
        let returns_rows = work.layout != Layout::Whole;
        let writes = work.access == Access::ReadWrite;
        let transaction = Transaction {
            isolation: brought.and_then(|settings| settings.isolation),
            role: identity.role.clone(),
            authenticated: identity.authenticated,
            settings: session::settings(settings, self.request, work.access, brought),
            statement: work.statement,
            layout: work.layout,
            access: work.access,
            epilogue: returns_rows.then_some(match writes {
                true => AFTER_WRITE,
                false => AFTER_READ,
            }),
            commits_last: writes && returns_rows,
            timeout: session::timeout(settings, identity, brought),
            estimate: work.estimate,
            check: work.check,
        };
        let request = self.request;
        let trusted = identity.is_trusted();
        self.gateway
            .pool
            .run(&request.visit, trusted, transaction)
            .await
    }

    /// A view may be one that Postgres cannot write through; that is no fault of the server.
    fn refuse_impossible(&self) -> Result<(), Refusal> {
        let method = self.request.verb.name();
        let methods = self.methods();
        let is_put_without_key = method == "PUT" && self.relation.primary_key.is_empty();
        if methods.contains(&method) || is_put_without_key {
            return Ok(());
        }
        Err(Refusal::NotWritable {
            method,
            name: self.name.to_owned(),
            allowed: methods.join(", "),
        })
    }

    fn methods(&self) -> Vec<&'static str> {
        let relation = self.relation;
        let mut methods = vec!["OPTIONS", "GET", "HEAD"];
        methods.extend(relation.insertable.then_some("POST"));
        let can_put = relation.insertable && relation.updatable && !relation.primary_key.is_empty();
        methods.extend(can_put.then_some("PUT"));
        methods.extend(relation.updatable.then_some("PATCH"));
        methods.extend(relation.deletable.then_some("DELETE"));
        methods
    }
}
