//! Functions, at `/rpc/NAME`.

use bytes::Bytes;
use hyper::StatusCode;

use super::answer::Draft;
use super::arguments::Arguments;
use super::request::{ApiRequest, Verb};
use super::{overload, session};
use crate::gateway::Gateway;
use crate::gateway::catalog::{Catalog, Returns};
use crate::gateway::database::{Access, RowCheck, Transaction, run};
use crate::gateway::http::Answer;
use crate::gateway::refusal::Refusal;
use crate::gateway::sql::call::call;

pub(super) async fn serve(
    gateway: &Gateway,
    catalog: &Catalog,
    request: &ApiRequest,
    name: &str,
    body: Bytes,
) -> Result<Answer, Refusal> {
    if request.verb != Verb::Post {
        return Err(Refusal::RpcMethod(request.verb.name().into()));
    }
    let format = request.accepted.rows()?;
    let arguments = Arguments::from_body(&request.content_type, body)?;
    let (function, input) = overload::choose(catalog, request, name, arguments)?;
    let of_role = catalog.roles.get(&request.identity.role);
    let brought = of_role.into_iter().chain([&function.settings]);
    let isolation = function
        .settings
        .isolation
        .or_else(|| of_role.and_then(|settings| settings.isolation));
    let transaction = Transaction {
        access: if function.volatile {
            Access::ReadWrite
        } else {
            Access::ReadOnly
        },
        isolation,
        role: request.identity.role.clone(),
        authenticated: request.identity.authenticated,
        settings: session::settings(&gateway.settings, request, brought),
        statement: call(&request.schema, name, function, input),
        estimate: None,
        check: RowCheck::default(),
    };
    let outcome = run(&gateway.pool, transaction).await?;
    if function.returns == Returns::Nothing {
        return Draft::new(StatusCode::NO_CONTENT).without_body(&outcome);
    }
    Draft::new(StatusCode::OK).with_rows(request, format, outcome)
}
