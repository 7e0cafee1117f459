//! Whether the functions answer where the database thinks they are.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::{Detail, Finding, not_looked_at};

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn answer(client: &tokio_postgres::Client) -> Finding {
    let base: Option<String> = client
        .query_one("select mill.setting('functions.base_url')", &[])
        .await
        .ok()
        .and_then(|row| row.get(0));
    let mut details = match base {
        None => Vec::new(), // said already
        Some(base) => {
            let mut details = look(&format!("{base}/health")).await;
            for function in called(client).await {
                details.extend(lacking(&base, &function).await);
            }
            details
        }
    };
    for url in urls(client).await {
        details.extend(unreachable(&url).await);
    }
    Finding {
        name: "functions",
        details: details.into_iter().map(Detail::from).collect(),
        mend: "Deploy them (docs/deploy.md), or correct the address with: gristmill configure --functions-url …",
    }
}

/// Whether the functions believe what Postgres signs, and can claim. Each is sent an invocation that Postgres has not asked for: there is nothing to
/// claim for it, so nothing happens.
pub(super) async fn believe(client: &tokio_postgres::Client) -> Finding {
    let found = client
        .query(
            "select distinct on (coalesce(q.function, q.url)) coalesce(q.function, q.url), r.request ->> 'url', r.request -> 'headers', r.request ->> 'body'
             from mill.queue q
             cross join lateral (select mill.uuid7() as id) i
             cross join lateral (
               select mill.signed_request(coalesce(q.function, q.url), i.id, mill.invocation_body(q, i.id)::text) as request) r
             where q.served_by = 'function' and coalesce(q.function, q.url) is not null and r.request ->> 'url' is not null
               and exists (select from mill.secret s where s.name = 'invoke')
             order by 1, q.queue",
            &[],
        )
        .await;
    let details = match found {
        Err(error) => vec![not_looked_at(&error)],
        Ok(rows) => {
            let mut details = Vec::new();
            for row in rows {
                let (name, url): (String, String) = (row.get(0), row.get(1));
                let headers: serde_json::Value = row.get(2);
                let said = tokio::time::timeout(PATIENCE, invoke(&url, &headers, row.get(3))).await;
                details.extend(unbelieving(&name, said.ok().and_then(Result::ok)));
            }
            details
        }
    };
    Finding {
        name: "invocations believed",
        details,
        mend: "The log of the function says why. It claims with claim_jobs as service_role: SUPABASE_SERVICE_ROLE_KEY must be a key of this database's API",
    }
}

async fn invoke(url: &str, headers: &serde_json::Value, body: String) -> Result<u16, Failed> {
    let mut request = http::Request::post(url);
    for (name, value) in headers.as_object().into_iter().flatten() {
        request = request.header(name, value.as_str().unwrap_or_default());
    }
    let request = request.body(Full::from(body))?;
    Ok(client()?.request(request).await?.status().as_u16())
}

/// What an answer to a signed invocation says. That nothing answers is said already.
fn unbelieving(name: &str, status: Option<u16>) -> Option<Detail> {
    match status? {
        401 | 403 => Some(Detail {
            what: format!(
                "{name} refuses what Postgres signs: its INVOKE_SECRET is not the database's"
            ),
            mend: Some("Run: gristmill configure --invoke-secret whsec_…, with the INVOKE_SECRET that the functions have".to_owned()),
        }),
        status @ (404 | 405 | 410) => Some(Detail {
            what: format!("{name} answers {status}: no function takes invocations there"),
            mend: Some("Deploy it there, or correct its name or address in the code and register the jobs again".to_owned()),
        }),
        status if status >= 500 => Some(
            format!("{name} answers {status} to an invocation that has nothing to claim").into(),
        ),
        _ => None,
    }
}

/// The functions that the database itself calls.
async fn called(client: &tokio_postgres::Client) -> Vec<String> {
    let found = client
        .query(
            "select q.function from mill.queue q where q.served_by = 'function' and q.function is not null union select 'cleanup' order by 1",
            &[],
        )
        .await;
    found.map_or_else(
        |_| Vec::new(),
        |rows| rows.iter().map(|row| row.get(0)).collect(),
    )
}

/// The functions that have an address of their own.
async fn urls(client: &tokio_postgres::Client) -> Vec<String> {
    let found = client
        .query(
            "select distinct q.url from mill.queue q where q.served_by = 'function' and q.url is not null order by 1",
            &[],
        )
        .await;
    found.map_or_else(
        |_| Vec::new(),
        |rows| rows.iter().map(|row| row.get(0)).collect(),
    )
}

// A server of the user's own may answer a GET in any way. That it answers is all that is asked for.
async fn unreachable(url: &str) -> Option<String> {
    match tokio::time::timeout(PATIENCE, get(url)).await {
        Err(_) => Some(format!("{url} does not answer")),
        Ok(Err(error)) => Some(format!("{url} cannot be reached: {error}")),
        Ok(Ok(_)) => None,
    }
}

// Functions of the user's own need not answer there, so nothing but our own problem counts.
async fn lacking(base: &str, function: &str) -> Option<String> {
    let address = format!("{base}/{function}/health");
    let answer = tokio::time::timeout(PATIENCE, get(&address)).await;
    let (_, body) = answer.ok()?.ok()?;
    is_misconfigured(&body).then(|| {
        format!("{function} lacks something that it was to be deployed with; its log says what")
    })
}

fn is_misconfigured(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Problem {
        code: String,
    }
    serde_json::from_slice::<Problem>(body).is_ok_and(|problem| problem.code == "misconfigured")
}

async fn look(address: &str) -> Vec<String> {
    match tokio::time::timeout(PATIENCE, get(address)).await {
        Err(_) => vec![format!("{address} does not answer")],
        Ok(Err(error)) => vec![format!("{address} cannot be reached: {error}")],
        Ok(Ok((status, body))) if status == 200 || status == 503 => ailing(address, &body),
        Ok(Ok((status, _))) => vec![format!("{address} answers {status}")],
    }
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn client() -> Result<Client<hyper_rustls::HttpsConnector<HttpConnector>, Full<Bytes>>, Failed> {
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(gristmill_native::database::tls_config()?)
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

async fn get(address: &str) -> Result<(u16, Bytes), Failed> {
    let response = client()?.get(address.parse()?).await?;
    let status = response.status().as_u16();
    Ok((status, response.into_body().collect().await?.to_bytes()))
}

// Health names what is not well; the details are for who holds its token.
fn ailing(address: &str, body: &[u8]) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Health {
        checks: Vec<Check>,
    }
    #[derive(serde::Deserialize)]
    struct Check {
        name: String,
        ok: bool,
    }
    match serde_json::from_slice::<Health>(body) {
        Err(_) => vec![format!("{address} is not our health function")],
        Ok(health) => health
            .checks
            .iter()
            .filter(|check| !check.ok)
            .map(|check| format!("health says that {} is not well", check.name))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_health_finds_is_passed_on_and_a_stranger_is_recognised() {
        let body = br#"{"status":"failing","checks":[{"name":"postgres","ok":true},{"name":"cron","ok":false}]}"#;
        assert_eq!(ailing("x", body), ["health says that cron is not well"]);
        assert_eq!(ailing("x", b"<html>"), ["x is not our health function"]);
    }

    #[test]
    fn only_a_problem_of_ours_says_that_a_function_lacks_something() {
        assert!(is_misconfigured(
            br#"{"code":"misconfigured","detail":"An operator must complete the deployment."}"#
        ));
        for body in [
            &br#"{"code":"not_found"}"#[..],
            b"<html>",
            br#"{"status":"ok"}"#,
        ] {
            assert!(!is_misconfigured(body));
        }
    }
}
