//! The surface that callers of pg_net and pg_cron rely on, pinned word for word.

use tokio_postgres::Client;

use crate::support::postgres::Server;
use crate::support::relay::Relay;

const NET: &[&str] = &[
    "_await_response(request_id bigint) boolean",
    "_encode_url_with_params_array(url text, params_array text[]) text",
    "_http_collect_response(request_id bigint, async boolean DEFAULT true) net.http_response_result",
    "_urlencode_string(string character varying) text",
    "check_worker_is_up() void",
    "http_collect_response(request_id bigint, async boolean DEFAULT true) net.http_response_result",
    "http_delete(url text, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{}'::jsonb, timeout_milliseconds integer DEFAULT 5000, body jsonb DEFAULT NULL::jsonb) bigint",
    "http_get(url text, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{}'::jsonb, timeout_milliseconds integer DEFAULT 5000) bigint",
    "http_post(url text, body jsonb DEFAULT '{}'::jsonb, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{\"Content-Type\": \"application/json\"}'::jsonb, timeout_milliseconds integer DEFAULT 5000) bigint",
    "wait_until_running() void",
    "wake() void",
    "worker_restart() boolean",
];

const CRON: &[&str] = &[
    "alter_job(job_id bigint, schedule text DEFAULT NULL::text, command text DEFAULT NULL::text, database text DEFAULT NULL::text, username text DEFAULT NULL::text, active boolean DEFAULT NULL::boolean) void",
    "job_cache_invalidate() trigger",
    "schedule(job_name text, schedule text, command text) bigint",
    "schedule(schedule text, command text) bigint",
    "schedule_in_database(job_name text, schedule text, command text, database text, username text DEFAULT NULL::text, active boolean DEFAULT true) bigint",
    "unschedule(job_id bigint) boolean",
    "unschedule(job_name text) boolean",
];

const TABLES: &[&str] = &[
    "cron.job: jobid bigint, schedule text, command text, nodename text, nodeport integer, database text, username text, active boolean, jobname text",
    "cron.job_run_details: jobid bigint, runid bigint, job_pid integer, database text, username text, command text, status text, return_message text, start_time timestamp with time zone, end_time timestamp with time zone",
    "net._http_response: id bigint, status_code integer, content_type text, headers jsonb, content text, timed_out boolean, error_msg text, created timestamp with time zone",
    "net.http_request_queue: id bigint, method net.http_method, url text, headers jsonb, body bytea, timeout_milliseconds integer",
];

async fn list(client: &Client, query: &str) -> Vec<String> {
    let rows = client.query(query, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn every_function_is_there_with_its_parameter_names_and_defaults() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    for (schema, expected) in [("net", NET), ("cron", CRON)] {
        let query = format!(
            "select format('%s(%s) %s', p.proname, pg_get_function_arguments(p.oid), \
                           pg_get_function_result(p.oid)) \
             from pg_proc p where p.pronamespace = '{schema}'::regnamespace order by 1"
        );
        let found = list(&client, &query).await;
        for signature in expected {
            let there = found.iter().any(|found| found == signature);
            assert!(there, "{schema}.{signature} is not in {found:#?}");
        }
        // What is ours besides is private by its name.
        for signature in found.iter().filter(|f| !expected.contains(&f.as_str())) {
            assert!(signature.starts_with('_'), "{schema}.{signature}");
        }
    }
}

#[tokio::test]
async fn tables_have_the_extensions_columns_and_no_other() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    let found = list(
        &client,
        "select format('%s: %s', c.oid::regclass, string_agg( \
           a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)) \
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 \
         where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('net', 'cron') \
         group by c.oid order by c.oid::regclass::text collate \"C\"",
    )
    .await;
    assert_eq!(found, TABLES);
}

#[tokio::test]
async fn net_and_cron_are_nobodys_until_they_are_granted() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    let role = format!("anyone_{}", std::process::id());
    client
        .batch_execute(&format!("create role {role} login"))
        .await
        .unwrap();
    let anyone = database.connect_as(&role).await;
    for text in [
        "select net.http_get('http://127.0.0.1:1/')",
        "select * from net._http_response",
        "select * from cron.job",
    ] {
        let refused = anyone.batch_execute(text).await.unwrap_err();
        let code = refused.code().map(tokio_postgres::error::SqlState::code);
        assert_eq!(code, Some("42501"), "{text}");
    }
    let granted = format!(
        "grant usage on schema net to {role}; grant all on all sequences in schema net to {role}; \
         grant all on all tables in schema net to {role}"
    );
    client.batch_execute(&granted).await.unwrap();
    anyone
        .batch_execute(
            "select net.http_get('http://127.0.0.1:1/'); select * from net._http_response",
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn types_and_persistence_are_pg_nets() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    let row = client
        .query_one(
            "select enum_range(null::net.request_status)::text, \
                    to_json(row(200, '{}', 'b')::net.http_response)::text, \
                    string_agg(distinct c.relpersistence::text, '') \
             from pg_class c where c.relkind = 'r' and c.relnamespace = 'net'::regnamespace",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "{PENDING,SUCCESS,ERROR}");
    assert_eq!(
        row.get::<_, &str>(1),
        r#"{"status_code":200,"headers":{},"body":"b"}"#
    );
    assert_eq!(row.get::<_, &str>(2), "u");
}

#[tokio::test]
async fn errors_of_the_functions_are_pg_nets() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    for (statement, words) in [
        (
            r#"select net.http_post('http://h/', headers := '{"content-type": "text/plain"}')"#,
            r#"Content-Type header must be "application/json""#,
        ),
        (
            "select net.check_worker_is_up()",
            "the pg_net background worker is not up",
        ),
    ] {
        let error = client.batch_execute(statement).await.unwrap_err();
        assert_eq!(error.as_db_error().unwrap().message(), words);
    }
    let row = client
        .query_one(
            "select (r).status::text, (r).message from (select net._http_collect_response(0) r) x",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ERROR");
    assert_eq!(
        row.get::<_, &str>(1),
        "request matching request_id not found"
    );
}
