//! Installing: twice, at once, beside the real extensions, with and without the engine.

use std::process::Command;

use tokio_postgres::Client;

use crate::support::postgres::Server;
use crate::support::relay::Relay;

#[tokio::test]
async fn installing_twice_keeps_jobs_and_responses() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    client
        .batch_execute(
            "select cron.schedule('kept', '* * * * *', 'select 1'); \
             insert into net._http_response (id) values (7)",
        )
        .await
        .unwrap();
    assert!(Relay::install(&database));
    let kept: i64 = client
        .query_one("select count(*) from cron.job, net._http_response", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(kept, 1);
}

#[tokio::test]
async fn installing_waits_for_no_transaction_that_uses_the_schemas() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    client
        .batch_execute(
            "begin; select net.http_get('http://127.0.0.1:1/'); select * from cron.job; \
             select cron.schedule('mine', '* * * * *', 'select 1')",
        )
        .await
        .unwrap();
    // Waiting would end with a lock timeout.
    assert!(Relay::install(&database));
}

#[tokio::test]
async fn the_engines_schedules_are_planned_when_it_is_there() {
    let database = Server::shared().database().await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create schema mill; \
             create function mill.install_schedules() returns void language plpgsql as $$ begin \
             perform cron.schedule('mill-pump', '* * * * *', 'CALL mill.pump()'); end $$",
        )
        .await
        .unwrap();
    assert!(Relay::install(&database));
    let planned: i64 = client
        .query_one(
            "select count(*) from cron.job where jobname = 'mill-pump'",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(planned, 1);
}

#[tokio::test]
async fn a_role_that_may_not_install_is_told_what_it_lacks() {
    let database = Server::shared().database().await;
    let client = database.connect().await;
    let role = format!("nobody_{}", std::process::id());
    client
        .batch_execute(&format!("create role {role} login"))
        .await
        .unwrap();
    let (_, place) = database.url.split_once('@').unwrap();
    let url = format!("postgres://{role}@{place}");
    let output = Command::new(env!("CARGO_BIN_EXE_gristmill"))
        .args(["relay", "--install-only", "--database-url", &url])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("the role needs the right to create schemas"),
        "{said}"
    );
}

#[tokio::test]
async fn beside_the_real_pg_cron_the_relay_stands_back() {
    let server = Server::with_pg_cron();
    let database = server.existing("postgres");
    let client = database.connect().await;
    let relay = Relay::serving(&database, &[]).await;
    let log = relay.log();
    assert!(log.contains(r#""extension":"pg_cron""#), "{log}");
    // It stood back from what was only preloaded so far, so nothing is in the extension's way.
    client
        .batch_execute("create extension pg_cron")
        .await
        .unwrap();
    assert!(log.contains(r#""cron":false"#), "{log}");
    let row = client
        .query_one(
            "select to_regproc('cron._is_schedule') is null, to_regproc('net.http_get') is not null",
            &[],
        )
        .await
        .unwrap();
    assert!(row.get::<_, bool>(0));
    assert!(row.get::<_, bool>(1));
    schedules_agree(&server, &client).await;
}

/// pg_net is in no registry, so a row of the catalogue has to stand for it: that is what the relay asks.
#[tokio::test]
async fn beside_both_extensions_the_relay_touches_nothing_and_leaves_when_asked() {
    let database = Server::shared().database().await;
    let client = database.connect().await;
    client
        .batch_execute(
            "set allow_system_table_mods = on; \
             insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion) \
             select 99990 + n, name, 10, 'pg_catalog'::regnamespace, false, '1' \
             from unnest('{pg_net,pg_cron}'::text[]) with ordinality as e (name, n)",
        )
        .await
        .unwrap();
    let mut relay = Relay::start(&database, &[]);
    relay.wait_for_log("both extensions are present").await;
    let untouched: bool = client
        .query_one(
            "select to_regnamespace('net') is null and to_regnamespace('cron') is null",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert!(untouched);
    assert!(relay.stop().await);
}

/// What pg_cron's own parser takes, ours takes, and the other way round, but for what is listed.
async fn schedules_agree(server: &Server, real: &Client) {
    let database = server.database().await;
    assert!(Relay::install(&database));
    let ours = database.connect().await;
    let same = [
        "* * * * *",
        "*/5 * * * *",
        "0 10 * * *",
        "5/10 * * * *",
        "5-10/2 * * * *",
        "60 * * * *",
        "0 24 * * *",
        "0 0 0 * *",
        "0 0 32 * *",
        "0 0 1 13 *",
        "0 0 1 JAN-mar *",
        "0 0 * * 7",
        "0 0 * * 8",
        "0 0 * * mon-fri",
        "0 0 * * 5-7",
        "* * * *",
        "@daily",
        "@midnight",
        "@reboot",
        "@foo",
        "@Daily",
        "",
        "every tuesday",
        "1,2,3 * * * *",
        "1,,3 * * * *",
        "1, * * * *",
        "*/0 * * * *",
        "*,5 * * * *",
        "  0 1 * * *",
        "0 1 * * * ",
        "0 0 L * *",
        "0 0 ? * *",
        "*/70 * * * *",
        "05 04 * * *",
        "-1 * * * *",
        "0 0 1-31/2 */3 *",
        "5x * * * *",
        "jan * * * *",
        "* * * * mon,wed",
        "0 0 1 january *",
    ];
    // pg_cron reads no further than it must, and a range backwards means nobody knows what.
    let refused_by_us = [
        "* * * * * *",
        "10-5 * * * *",
        "0 0 * * fri-sun",
        "0 0 * * 5#2",
        "*x * * * *",
    ];
    for text in same {
        let (theirs, ours) = (accepts(real, text).await, accepts(&ours, text).await);
        assert_eq!(theirs, ours, "{text}");
    }
    for text in refused_by_us {
        assert!(accepts(real, text).await, "{text}");
        assert!(!accepts(&ours, text).await, "{text}");
    }
}

async fn accepts(client: &Client, schedule: &str) -> bool {
    client
        .query_one("select cron.schedule($1, 'select 1')", &[&schedule])
        .await
        .is_ok()
}
