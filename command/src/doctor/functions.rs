//! Whether the functions answer where the database thinks they are.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use super::Finding;

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
        details,
        mend: "Deploy them (docs/deploy.md), or correct the address with: gristmill configure --functions-url …",
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

async fn get(address: &str) -> Result<(u16, Bytes), Box<dyn std::error::Error + Send + Sync>> {
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(gristmill_native::database::tls_config()?)
        .https_or_http()
        .enable_http1()
        .build();
    let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build(connector);
    let response = client.get(address.parse()?).await?;
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
