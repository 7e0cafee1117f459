//! Jobs: when they run, as whom, and what is kept of each run.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::support::postgres::{Server, eventually};
use crate::support::relay::{Relay, unserved};

async fn schedule(client: &Client, schedule: &str, command: &str) -> i64 {
    client
        .query_one(
            "select cron.schedule('job', $1, $2)",
            &[&schedule, &command],
        )
        .await
        .unwrap()
        .get(0)
}

async fn runs(client: &Client, claim: &str, condition: &str) {
    let query = format!("select {condition} from cron.job_run_details");
    eventually(client, claim, &query).await;
}

async fn idle(client: &Client, command: &str) {
    let query = format!(
        "select count(*) = 0 from pg_stat_activity \
         where datname = current_database() and query = '{command}' and state = 'active'"
    );
    eventually(client, "no backend runs the command", &query).await;
}

#[tokio::test]
async fn a_job_on_an_interval_runs_again_and_again() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    client
        .batch_execute("create table beat (n int)")
        .await
        .unwrap();
    let id = schedule(&client, "1 second", "insert into beat values (1)").await;
    eventually(&client, "three beats", "select count(*) >= 3 from beat").await;
    let row = client
        .query_one(
            "select jobid, command, status, return_message, \
                    job_pid > 0 and database = current_database() and username = current_user \
                    and start_time <= end_time \
             from cron.job_run_details order by runid limit 1",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, i64>(0), id);
    assert_eq!(row.get::<_, &str>(1), "insert into beat values (1)");
    assert_eq!(row.get::<_, &str>(2), "succeeded");
    assert_eq!(row.get::<_, &str>(3), "INSERT 0 1");
    assert!(row.get::<_, bool>(4));
}

#[tokio::test]
async fn a_failing_command_is_recorded_and_tried_again() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    schedule(&client, "1 second", "select 1/0").await;
    runs(
        &client,
        "two failed runs with their error",
        r"count(*) filter (where status = 'failed' and end_time is not null
            and return_message = E'ERROR:  division by zero\n') >= 2",
    )
    .await;
}

#[tokio::test]
async fn a_job_longer_than_its_interval_never_overlaps_itself() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    schedule(&client, "1 second", "select pg_sleep(1.6)").await;
    runs(
        &client,
        "three ended runs",
        "count(*) filter (where status = 'succeeded') >= 3",
    )
    .await;
    let overlaps: i64 = client
        .query_one(
            "select count(*) from cron.job_run_details a \
             join cron.job_run_details b on a.runid < b.runid and b.start_time < a.end_time",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(overlaps, 0);
}

#[tokio::test]
async fn a_long_job_does_not_hold_up_another() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    client
        .batch_execute(
            "select cron.schedule('long', '1 second', 'select pg_sleep(60)'); \
             select cron.schedule('short', '1 second', 'select 1')",
        )
        .await
        .unwrap();
    runs(
        &client,
        "the short one runs beside the long one",
        "count(*) filter (where command = 'select 1' and return_message = '1 row') >= 3 \
         and count(*) filter (where command <> 'select 1' and status = 'running') = 1",
    )
    .await;
}

#[tokio::test]
async fn a_procedure_may_commit() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create table round (n int); \
             create procedure pump() language plpgsql as $$ begin \
               for n in 1 .. 3 loop insert into round values (n); commit; end loop; end $$",
        )
        .await
        .unwrap();
    schedule(&client, "1 second", "CALL pump()").await;
    runs(
        &client,
        "the procedure has run with its commits",
        "bool_or(status = 'succeeded' and return_message = 'CALL')",
    )
    .await;
}

#[tokio::test]
async fn unscheduling_cancels_the_run_under_way() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    schedule(&client, "1 second", "select pg_sleep(600)").await;
    runs(&client, "it runs", "bool_or(status = 'running')").await;
    client
        .batch_execute("select cron.unschedule('job')")
        .await
        .unwrap();
    runs(
        &client,
        "it is cancelled",
        "bool_and(status = 'failed' and return_message = 'job canceled')",
    )
    .await;
    idle(&client, "select pg_sleep(600)").await;
}

#[tokio::test]
async fn an_inactive_job_does_not_run() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    let mut transaction = database.connect().await;
    let transaction = transaction.transaction().await.unwrap();
    transaction
        .batch_execute(
            "select cron.alter_job(cron.schedule('off', '1 second', 'select 0'), active := false); \
             select cron.schedule('on', '1 second', 'select 1')",
        )
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    runs(
        &client,
        "the other has run twice",
        "count(*) filter (where status = 'succeeded') >= 2 and bool_and(command = 'select 1')",
    )
    .await;
}

#[tokio::test]
async fn a_killed_relay_leaves_no_command_running_and_the_next_says_so() {
    let database = Server::shared().database().await;
    let mut first = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    schedule(&client, "1 second", "select pg_sleep(601)").await;
    runs(&client, "it runs", "bool_or(status = 'running')").await;
    first.kill();
    unserved(&client).await;
    client
        .batch_execute("select cron.unschedule('job')")
        .await
        .unwrap();
    let _second = Relay::serving(&database, &[]).await;
    runs(
        &client,
        "the run is marked",
        "bool_and(status = 'failed' and return_message = 'server restarted')",
    )
    .await;
    idle(&client, "select pg_sleep(601)").await;
}

#[tokio::test]
async fn old_runs_are_pruned() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    client
        .batch_execute(
            "insert into cron.job_run_details (jobid, status, end_time) \
             select 1, 'succeeded', now() - interval '3 days' from generate_series(1, 1200); \
             insert into cron.job_run_details (jobid, status, end_time) \
             values (2, 'succeeded', now())",
        )
        .await
        .unwrap();
    let _relay = Relay::serving(&database, &["--run-history", "2 days"]).await;
    runs(
        &client,
        "only the young run is left",
        "array_agg(jobid) = '{2}'",
    )
    .await;
}

#[tokio::test]
async fn a_schedule_that_cannot_be_read_is_refused_with_pg_crons_error() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    for text in [
        "61 * * * *",
        "* * * *",
        "60 seconds",
        "every tuesday",
        "0 0 L * *",
        "",
    ] {
        let error = client
            .query_one("select cron.schedule($1, 'select 1')", &[&text])
            .await
            .unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code(), &SqlState::INVALID_PARAMETER_VALUE);
        assert_eq!(error.message(), format!("invalid schedule: {text}"));
        assert_eq!(
            error.hint(),
            Some("Use cron format (e.g. 5 4 * * *), or interval format '[1-59] seconds'")
        );
    }
}

#[tokio::test]
async fn every_schedule_that_sql_accepts_the_parser_reads() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    for text in [
        "* * * * *",
        "*/5 1-3,7 * jan-mar mon,wed",
        "0 0 $ * *",
        "0 0 1-31/2 */3 *",
        "5 4 * * sun",
        "0 0 * * 5-7",
        "@yearly",
        "@monthly",
        "@weekly",
        "@midnight",
        "@hourly",
        "59 seconds",
        " 1  Second ",
        "0-59/61 * * * *",
        "05 04 * * *",
        "*,5 * * * *",
        "*/20,5 * * * *",
        "*/70 * * * *",
        "0\t1 * * *",
    ] {
        client
            .query_one("select cron.schedule($1, 'select 1')", &[&text])
            .await
            .unwrap();
    }
    schedule(&client, "1 second", "select 42").await;
    runs(
        &client,
        "the list has been read",
        "bool_or(command = 'select 42' and status = 'succeeded')",
    )
    .await;
    let unreadable: Vec<String> = client
        .query(
            "select return_message from cron.job_run_details where status = 'failed'",
            &[],
        )
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert!(unreadable.is_empty(), "{unreadable:?}");
}

#[tokio::test]
async fn scheduling_a_name_again_changes_that_job() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    let first = schedule(&client, "* * * * *", "select 1").await;
    let second = schedule(&client, "5 seconds", "select 2").await;
    assert_eq!(first, second);
    let row = client
        .query_one("select schedule, command from cron.job", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "5 seconds");
    assert_eq!(row.get::<_, &str>(1), "select 2");
}

/// A role that may use the schema, unique to the test because roles belong to the whole server.
async fn user(client: &Client, name: &str) -> String {
    let role = format!("{name}_{}", std::process::id());
    client
        .batch_execute(&format!(
            "create role {role} login; grant usage on schema cron to {role}"
        ))
        .await
        .unwrap();
    role
}

#[tokio::test]
async fn a_job_runs_as_its_user_and_cannot_become_another() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    let role = user(&client, "miller").await;
    client
        .batch_execute(&format!(
            "create table ran_as (who text, really text); grant insert on ran_as to {role}"
        ))
        .await
        .unwrap();
    let miller = database.connect_as(&role).await;
    schedule(
        &miller,
        "1 second",
        "reset session authorization; reset role; \
         insert into ran_as values (current_user, session_user)",
    )
    .await;
    let query = format!("select bool_and(who = '{role}' and really = '{role}') from ran_as");
    eventually(&client, "it has run as its user", &query).await;
}

#[tokio::test]
async fn a_user_sees_and_changes_only_jobs_of_his_own() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    let id = schedule(&client, "* * * * *", "select 'secret'").await;
    let role = user(&client, "peeker").await;
    let peeker = database.connect_as(&role).await;
    let seen: i64 = peeker
        .query_one("select count(*) from cron.job", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(seen, 0);
    for statement in [
        &format!("select cron.unschedule({id})"),
        "select cron.unschedule('job')",
        &format!("select cron.alter_job({id}, command := 'x')"),
        "select cron.schedule_in_database('j', '* * * * *', 'x', 'postgres')",
        "insert into cron.job (schedule, command, username) values ('* * * * *', 'x', 'postgres')",
        "insert into cron.job (schedule, command, database) values ('* * * * *', 'x', 'postgres')",
        "update cron.job set username = 'postgres'",
        "insert into cron.job_run_details (jobid) values (1)",
    ] {
        let refused = peeker.batch_execute(statement).await.is_err();
        assert!(refused, "{statement}");
    }
    assert_ne!(schedule(&peeker, "* * * * *", "select 1").await, id);
    peeker
        .batch_execute("select cron.unschedule('job')")
        .await
        .unwrap();
    let left: i64 = client
        .query_one("select jobid from cron.job", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(left, id);
}

#[tokio::test]
async fn a_user_who_cannot_log_in_is_impersonated_only_when_asked() {
    let database = Server::shared().database().await;
    let mut relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    let role = user(&client, "guest").await;
    client
        .batch_execute(&format!(
            "alter role {role} nologin; create table ran_as (who text); \
             grant insert on ran_as to {role}; \
             select cron.schedule_in_database('job', '1 second', \
               'insert into ran_as values (current_user)', current_database(), '{role}')"
        ))
        .await
        .unwrap();
    runs(
        &client,
        "it is refused",
        "bool_or(status = 'failed' and return_message like 'connection failed%')",
    )
    .await;
    relay.kill();
    let _relay = Relay::serving(&database, &["--cron-impersonate"]).await;
    let query = format!("select bool_and(who = '{role}') from ran_as");
    eventually(&client, "it has run as the user", &query).await;
}

#[tokio::test]
async fn no_more_jobs_run_at_once_than_allowed() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &["--max-running-jobs", "2"]).await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create table seen (running bigint); \
             select cron.schedule('j' || n, '1 second', \
               'insert into seen select count(*) from pg_stat_activity \
                where datname = current_database() and application_name = ''gristmill cron''; \
                select pg_sleep(0.3)') \
             from generate_series(1, 5) n",
        )
        .await
        .unwrap();
    runs(
        &client,
        "every job has run",
        "count(distinct jobid) filter (where status = 'succeeded') = 5",
    )
    .await;
    let most: i64 = client
        .query_one("select max(running) from seen", &[])
        .await
        .unwrap()
        .get(0);
    // A backend may outlive its run's record by a moment.
    assert!((1..=3).contains(&most), "{most}");
}
