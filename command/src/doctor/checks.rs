//! What a sound database looks like: each check is a query that answers a row for each thing that is not, and a sentence that
//! says how to mend it. Only the catalog and our own tables are read; nothing is changed.

/// One check of the database.
pub(super) struct Check {
    /// What is looked at.
    pub(super) name: &'static str,
    /// A row of text for each finding.
    pub(super) query: &'static str,
    /// What to do about it.
    pub(super) mend: &'static str,
}

/// What has to be mended before anything else can be.
pub(super) const WRITING: &str = "writing";

/// In the order in which they make sense: what comes later needs what comes before.
pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "version",
        query: "select 'Postgres ' || current_setting('server_version') where current_setting('server_version_num')::int < 150000",
        mend: "Gristmill needs Postgres 15 or newer.",
    },
    Check {
        name: WRITING,
        query: "select case when pg_is_in_recovery() then 'this is a standby: nothing can be written' else 'the database is read-only' end
                where pg_is_in_recovery() or current_setting('transaction_read_only')::boolean",
        mend: "Connect to the primary, or: alter database … reset default_transaction_read_only. A platform switches this on when the disk is nearly full: give it more",
    },
    Check {
        name: "sending",
        query: "select 'nothing provides net.http_post' where to_regproc('net.http_post') is null",
        mend: "On Supabase switch on the extension pg_net; elsewhere run: gristmill relay",
    },
    Check {
        name: "cron",
        query: "select 'nothing provides cron.schedule' where to_regclass('cron.job') is null",
        mend: "On Supabase switch on the extension pg_cron, then run: gristmill migrate. Elsewhere run: gristmill relay. \
               With neither, deploy the cron triggers of wrangler.toml.",
    },
    Check {
        name: "roles",
        query: "select 'role ' || r.name || ' is missing' from unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) r(name)
                where to_regrole(r.name) is null
                union all
                select 'role ' || r.rolname || ' is a superuser' from pg_roles r
                where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator') and r.rolsuper
                union all
                select 'role ' || r.rolname || ' may go around row level security' from pg_roles r
                where r.rolname in ('anon', 'authenticated', 'authenticator') and r.rolbypassrls",
        mend: "Run: gristmill migrate. Then take away what is too much, for instance: alter role authenticator nosuperuser nobypassrls",
    },
    Check {
        name: "grants",
        query: "select p.oid::regprocedure || ' may be called by ' || r.role
                from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
                where n.nspname = 'mill' and has_function_privilege(r.role, p.oid, 'execute') and has_schema_privilege(r.role, n.oid, 'usage')
                union all
                select c.oid::regclass || ' is open to ' || r.role
                from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join unnest(array['anon', 'authenticated', 'service_role']) r(role)
                where n.nspname = 'mill' and c.relkind in ('r', 'p', 'v') and has_schema_privilege(r.role, n.oid, 'usage')
                  and has_table_privilege(r.role, c.oid, 'select, insert, update, delete')
                union all
                select 'anon may call ' || p.oid::regprocedure
                from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                where n.nspname = 'public' and p.proname in ('claim_jobs', 'settle_jobs', 'enqueue_jobs', 'tick', 'health_report', 'run_schedules')
                  and has_function_privilege('anon', p.oid, 'execute')",
        mend: "Schema mill is private: revoke usage on schema mill from the role, and run: gristmill migrate",
    },
    Check {
        name: "row level security",
        query: "select c.oid::regclass || ' has none' from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relrowsecurity
                  and (has_table_privilege('anon', c.oid, 'select, insert, update, delete')
                    or has_table_privilege('authenticated', c.oid, 'select, insert, update, delete'))",
        mend: "Everybody who can sign in sees these rows: alter table … enable row level security",
    },
    Check {
        name: "search paths",
        query: "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                where n.nspname in ('public', 'mill') and p.prosecdef
                  and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false)
                  and exists (select from pg_proc o join pg_namespace m on m.oid = o.pronamespace where m.nspname = 'mill' and o.proowner = p.proowner)
                  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')",
        mend: "A SECURITY DEFINER function without a pinned path can be bent by a temporary object: \
               alter function … set search_path = pg_catalog, pg_temp",
    },
    Check {
        name: "restored schedules",
        query: "select format('%s: the cron job %s. It came with a dump of another server and does not run', string_agg(m.jobname, ', ' order by m.jobname), m.why)
                from mill.misplaced_schedules() m group by m.why",
        mend: "Run: gristmill migrate. Cron jobs of your own are mended by: update cron.job set nodename = …, nodeport = …, database = …, username = …",
    },
    Check {
        name: "schedules",
        query: "select c.name || ' ' || c.reason from mill.cron_health() c where c.is_critical and c.reason is not null",
        mend: "Is cron running, and may it connect? Look at cron.job_run_details and at mill.event, and run: gristmill migrate",
    },
    Check {
        name: "functions address",
        query: "select 'the database does not know where functions are' where mill.setting('functions.base_url') is null",
        mend: "Run: gristmill configure --functions-url https://PROJECT.supabase.co/functions/v1",
    },
    Check {
        name: "signing key",
        query: "select 'there is no key to sign invocations with' where not exists (select from mill.secret s where s.name = 'invoke')",
        mend: "Run: gristmill configure --invoke-secret whsec_…, and give the functions the same as INVOKE_SECRET",
    },
    Check {
        name: "secrets",
        query: "select s.key || ' looks like a secret and is in a readable table' from mill.settings s
                where s.value ~ 'whsec_|eyJ[A-Za-z0-9_-]{10,}\\.|postgres(ql)?://[^\"]*:[^\"]*@'",
        mend: "Take it out of mill.settings: signing keys belong into `gristmill configure`, others into the functions' bindings",
    },
    Check {
        name: "partitions",
        query: "select 'tomorrow has no partition of finished jobs'
                where to_regclass('mill.job_done_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD')) is null",
        mend: "Run: select mill.maintain(); and see why the schedule partition-maintenance does not",
    },
    Check {
        name: "invocations",
        query: "select format('%s of the last %s requests to functions and the worker had no good answer: %s', f.bad, f.total, f.example) from (
                  select count(*) filter (where r.status_code / 100 is distinct from 2) as bad, count(*) as total,
                    max(coalesce('HTTP ' || r.status_code, r.error_msg)) filter (where r.status_code / 100 is distinct from 2) as example
                  from (select i.request_id from mill.invocation i
                        where i.asked_at > (select s.updated_at from mill.secret s where s.name = 'invoke') -- what came before says nothing about this key
                        order by i.asked_at desc limit 50) i
                  join net._http_response r on r.id = i.request_id) f
                where f.total >= 5 and f.bad * 2 > f.total",
        mend: "401 or 403: INVOKE_SECRET of the function is not the database's. Otherwise look at the address (functions.base_url, worker.url) and at the log of who serves it",
    },
];
