-- The engine's tables. Everything in schema mill is private: callers use the functions in public.
--
-- A job lives in one logical table, mill.job, split by state:
--
--   job_live   pending, deferred, retrying, processing   hot and small
--   job_done   completed, cancelled                      one partition a day; retention drops whole days
--   job_dead   failed                                    dead letters, kept until an operator speaks
--
--   enqueue ──► pending ──claim──► processing ──settle──► completed
--      │          ▲  ▲                 │ │ └──settle──► failed (dead letter) ──retry──► pending
--      ▼          │  │                 │ └────cancel──► cancelled
--   deferred ─────┘  └──── retrying ◄──┘ failed attempt, or lease lost
--
-- Jobs that were enqueued many at a time wait in packs (mill.pack) and enter here when they are claimed.
--
-- Claiming is an UPDATE inside job_live, so that no row ever moves between partitions under a claimer:
-- moving one by UPDATE while others run FOR UPDATE SKIP LOCKED raises 40001. Leaving job_live is a
-- DELETE … RETURNING and an INSERT in one statement.
--
-- Lock order, everywhere: the cap lock of a queue (claim only), packs, then rows of job_live in the order of ids.
-- Claim, promote and reclaim skip what is locked, and wait for no row; but see mill.wait_for_pack.
create table mill.queue (
  queue text primary key,
  description text not null default '',
  -- 'function': invoked by wake and pump; 'worker': the container worker claims from it by itself; 'external': left to workers of the
  -- operator's own, which claim through the API.
  served_by text not null default 'worker',
  function text,
  batch_size int not null default 50,
  max_parallel int not null default 4,
  lease_seconds int not null default 300,
  -- Function-served queues: how long one invocation may take. An invocation without an answer after that time is lost.
  invocation_seconds int not null default 30,
  max_attempts int not null default 5,
  max_lease_losses int not null default 3,
  backoff_base_seconds numeric not null default 2,
  backoff_cap_seconds numeric not null default 3600,
  max_running int,
  max_running_per_group int,
  depth_limit int,
  -- 'priority': highest priority, then oldest. 'fair': tenants take turns, by virtual time.
  dequeue text not null default 'priority',
  retention_days int not null default 7,
  -- How soon its backlog should be cleared: what an autoscaler is told to aim at.
  target_seconds int not null default 60,
  paused boolean not null default false,
  -- The row of the rate limiter that jobs of this queue draw on.
  provider text,
  endpoint text,
  -- Its running jobs are found by an index of their own, which their claims pay for.
  counts_running boolean not null generated always as (
    max_running is not null or max_running_per_group is not null or dequeue = 'fair' or provider is not null) stored,
  created_at timestamptz not null default now(),
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  -- A failed attempt waits its delay, give or take this share. Null: anything up to the delay (full jitter).
  backoff_jitter numeric,
  -- Where the function is called that serves the queue, instead of a name below the setting functions.base_url.
  url text,
  -- The options as register_jobs wrote them last; null for a queue that it has not made. What differs by now was changed by an operator.
  registered jsonb,
  -- New jobs are answered as throttled; what waits and runs is worked off.
  draining boolean not null default false,
  constraint queue_name_is_a_short_word check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint served_by_a_function_a_worker_or_others check (served_by in ('function', 'worker', 'external')),
  -- A queue that is set to external keeps the name or the URL, to be given back later.
  constraint function_is_named_where_one_serves check (
    num_nonnulls(function, url) <= 1 and (served_by = 'external' or num_nonnulls(function, url) = (served_by = 'function')::int)),
  constraint function_name_is_a_path_segment check (function ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint batch_size_is_positive check (batch_size between 1 and 1000),
  constraint max_parallel_is_positive check (max_parallel between 1 and 1000),
  constraint lease_is_at_least_one_second check (lease_seconds between 1 and 86400),
  constraint an_invocation_takes_at_most_fifteen_minutes check (invocation_seconds between 1 and 900),
  constraint max_attempts_is_positive check (max_attempts between 1 and 1000),
  constraint max_lease_losses_is_positive check (max_lease_losses between 1 and 1000),
  constraint backoff_grows_from_its_base check (backoff_base_seconds > 0 and backoff_cap_seconds >= backoff_base_seconds),
  constraint max_running_is_positive check (max_running between 1 and 100000),
  constraint max_running_per_group_is_positive check (max_running_per_group between 1 and 100000),
  constraint depth_limit_is_positive check (depth_limit between 1 and 10000000),
  constraint dequeue_is_by_priority_or_fair check (dequeue in ('priority', 'fair')),
  constraint retention_is_at_least_one_day check (retention_days between 1 and 3650),
  constraint target_is_positive check (target_seconds between 1 and 86400),
  constraint endpoint_belongs_to_a_provider check (endpoint is null or provider is not null),
  constraint backoff_jitter_is_a_share check (backoff_jitter between 0 and 1),
  constraint url_is_of_the_web check (url ~ '^https?://[^[:space:]/?#]+[^[:space:]]*$' and length(url) <= 2000)
);
comment on table mill.queue is 'One row a queue; adding a queue is an INSERT.';

create table mill.kind (
  kind text primary key,
  queue text not null references mill.queue,
  description text not null default '',
  open_to_users boolean not null default false,
  created_at timestamptz not null default now(),
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  -- When a worker first asked for jobs of this kind; null while none ever has. See mill.note_asked_kinds.
  first_asked_at timestamptz,
  -- Instead of the queue's.
  max_attempts int,
  -- A JSON Schema that payloads must fit, and the form in which it is checked: see mill.compile_schema.
  schema jsonb,
  compiled_schema jsonb,
  -- A second job with the same values of these fields is a duplicate for that long. No fields: the whole payload.
  unique_by text[],
  unique_within_seconds int,
  -- As for a queue.
  registered jsonb,
  -- Whether people who look at jobs see payloads and results masked. Null: as the setting console.payloads says.
  sensitive boolean,
  constraint kind_name_is_a_short_word check (kind ~ '^[a-z][a-z0-9_.-]{0,62}$'),
  constraint max_attempts_of_a_kind_is_positive check (max_attempts between 1 and 1000),
  constraint unique_jobs_are_so_for_a_time check (
    (unique_by is null) = (unique_within_seconds is null) and unique_within_seconds between 1 and 31536000)
);
comment on table mill.kind is 'What may be enqueued. open_to_users: signed-in users may submit it for themselves.';

create table mill.claimant (
  queue text not null references mill.queue on update cascade on delete cascade,
  worker text not null,
  claimed_at timestamptz not null,
  primary key (queue, worker)
) with (fillfactor = 50);
comment on table mill.claimant is 'Which workers have claimed from each queue that no function serves, and when last, to ten seconds.';

-- What is always there and of fixed length stands first: its place in a row is known without reading what comes before. What a
-- claim changes stands together, for Postgres leaves the unchanged head and tail out of the WAL of an update that stays on its
-- page. What checks and indexes name comes before what is mostly null: the rest of a row is not taken apart for them.
create table mill.job (
  run_at timestamptz not null,
  -- Its place in its line, while it lives: the microsecond at which it became pending. Null while it runs out of a pack.
  turn bigint,
  created_at timestamptz not null,
  id uuid not null,
  -- The line of its queue and priority, while it lives: see mill.line.
  line int,
  priority int not null default 5,
  max_attempts int not null,
  lease_losses int not null default 0,
  progress smallint not null default 0,
  cancel_requested boolean not null default false,
  -- Deferred or retrying. The indexes below name this and not the state, which a claim changes; generated it would cost
  -- an enqueue, a claim and a settlement a tenth more.
  waits boolean not null default false,
  queue text not null,
  kind text not null,
  attempt int not null default 0,
  state text not null,
  started_at timestamptz,
  lease_until timestamptz,
  worker text,
  -- Its queue, while it runs in one that counts its running jobs; see mill.queue.counts_running.
  slot text,
  payload jsonb not null,
  dedupe_key text,
  -- Whose turn it counts as; only in queues that are fair or capped by group. See mill.lane_of.
  lane text,
  finished_at timestamptz,
  result jsonb,
  error jsonb,
  error_log jsonb,
  owner uuid,
  parent uuid,
  name text,
  category text,
  group_key text,
  correlation_id text,
  -- W3C Trace Context of whoever enqueued it.
  traceparent text
) partition by list (state); -- which also says what states there are

-- What a claim changes (state, attempt, worker, lease) stands in no index and in no index's predicate, so that the
-- processing version of a row lies beside its pending one and no index learns of it: a claim of 500 costs 4 ms of CPU
-- instead of 8. fillfactor 45 leaves the room for that, for a whole page claimed at once. The table is small
-- and churns, so autovacuum comes by after a thousand dead rows instead of after a fifth of a table that has
-- no stable size.
create table mill.job_live partition of mill.job
  for values in ('pending', 'processing', 'deferred', 'retrying') -- compared in this order for each row that is written
  with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create table mill.job_done partition of mill.job for values in ('completed', 'cancelled')
  partition by range (finished_at);
create table mill.job_done_default partition of mill.job_done default;
create table mill.job_dead partition of mill.job for values in ('failed');

-- On the leaves: a check is evaluated for each row of each insert and update. What has ended was checked while it lived. Two and
-- not seven: Postgres reads each from its text for every statement, and 500 jobs took 5% more to enqueue and claim.
alter table mill.job_live
  alter line set not null,
  add constraint values_are_in_range check (
    jsonb_typeof(payload) = 'object' and priority between -100 and 100 and progress between 0 and 100),
  add constraint columns_agree_with_the_state check (
    (state = 'processing') = (lease_until is not null)
    and waits = (lease_until is null and state <> 'pending') -- deferred or retrying
    and (slot is null or lease_until is not null)
    and (turn is not null or state <> 'pending')
    and finished_at is null);
alter table mill.job_done alter finished_at set not null;
alter table mill.job_dead alter finished_at set not null;

comment on table mill.job is 'Every job, in the partition that its state names.';
comment on table mill.job_done_default is 'Catches a day that mill.maintain has not prepared: settling never fails for want of one.';

alter table mill.job_live add primary key (id);
alter table mill.job_dead add primary key (id);
create index job_dead_queue on mill.job_dead (queue, finished_at);
create index job_done_id on mill.job_done (id);
-- By the number of the line: by the name of the queue and the priority, comparing them was an eighth of an enqueue.
create index job_live_ready on mill.job_live (line, turn) where not waits and turn is not null;
create index job_live_lanes on mill.job_live (queue, lane, priority desc, turn) where not waits and lane is not null;
create index job_live_waiting on mill.job_live (run_at) where waits;
create index job_live_slots on mill.job_live (slot) where slot is not null;
create unique index job_live_dedupe on mill.job_live (queue, dedupe_key) where dedupe_key is not null;
-- How many live jobs a user has: mill.refuse_depth. Jobs without an owner pay nothing for it, and a claim never does.
create index job_live_owner on mill.job_live (owner, queue) where owner is not null;

-- The fencing token. What a worker says about a job counts only while the job is processing, under this worker, in this attempt.
-- Every function that takes the token takes p_job, p_worker, p_attempt first, in this order.
create type mill.holder as (job uuid, worker text, attempt int);
comment on type mill.holder is 'Who holds a running job: the job, the worker, and the attempt that this worker claimed.';

-- Lines that handlers have written. They go with their job: mill.maintain, mill.prune, mill.discard.
create table mill.job_log (
  job uuid not null,
  n int not null,
  attempt int not null,
  bytes int not null,
  left_out int,
  at timestamptz not null,
  level text not null,
  message text not null,
  data jsonb,
  primary key (job, n),
  constraint level_is_known check (level in ('debug', 'info', 'warn', 'error'))
);
comment on table mill.job_log is 'Lines of the logs of jobs, in order. left_out: how many lines after it were not kept.';

-- Jobs that are unique by chosen fields. The row outlives its job: see mill.claim_unique. Removed by a step of the cleanup when its time is over.
create table mill.unique_job (
  kind text not null,
  digest bytea not null,
  id uuid not null,
  until timestamptz not null,
  primary key (kind, digest)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.unique_job is 'Which job of a kind stands for certain values, and until when another with these values is its duplicate.';
create index unique_job_until on mill.unique_job (until);

-- Jobs that were enqueued many at a time wait packed: up to a hundred of them in one row, which stands in its line where the first
-- of them would. A pack is claimed whole, and only then are its jobs rows of mill.job, running ones at once; or it is unpacked into
-- pending rows: for a claim that wants fewer, for whoever cancels one of them, and for claims of a queue that counts what runs by now.
-- So a job that passes through is written once instead of twice, unlocked, and into one index instead of two: a fifth more jobs a
-- second at batch 500. A row here never changes. mill.packed_job shows the jobs in them one by one.
create table mill.pack (
  turn bigint not null,
  run_at timestamptz not null,
  first uuid primary key, -- of its ids; nobody else's lie between that and the last
  last uuid not null,
  batch uuid not null, -- the first id of all that were enqueued together
  line int not null,
  jobs int not null,
  max_attempts int not null,
  queue text not null,
  kind text not null,
  ids uuid[] not null,
  payloads jsonb[] not null,
  constraint each_id_has_a_payload check (cardinality(ids) = jobs and cardinality(payloads) = jobs)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.pack is 'Jobs that wait together, up to a hundred in a row.';
create index pack_place on mill.pack (line, turn);

-- Where what runs out of packs is found when its lease expires: it stands in no line and in no index but that of ids. One row for the
-- neighbours that a claim took. Settling writes nothing here; mill.lock_expired_pack_leases removes a row when nothing is left of it.
create table mill.pack_lease (
  lease_until timestamptz not null,
  first uuid not null,
  last uuid not null,
  queue text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.pack_lease is 'When to look for jobs between two ids whose leases have expired.';
create index pack_lease_until on mill.pack_lease (lease_until);

-- The lines that jobs stand in, one a queue and priority in use.
create table mill.line (
  line int primary key generated always as identity,
  queue text not null references mill.queue on delete cascade,
  priority int not null,
  unique (queue, priority),
  constraint priority_is_between_minus_100_and_100 check (priority between -100 and 100)
);
comment on table mill.line is 'The number of each line of jobs. Nothing here changes.';

-- Where in each line claims begin to look: see mill.raise_floors. One row a line, apart from mill.line because it changes three times
-- a second. While a snapshot is held open no old version of it can go, and every claim walked over all of them: after 24,000
-- moves, an hour or two, a claim of one job took 4.0 ms instead of 0.9. So each move counts up version, and whoever looks
-- begins at the newest.
create table mill.floor_version (
  line int not null references mill.line on delete cascade,
  version bigint not null default 0,
  turn bigint not null default 0,
  safe bigint not null default 0,
  mark bigint not null default 0,
  mark_xid xid8 not null default '0',
  -- Whatever runs without a slot stands above this: where mill.lock_expired_leases begins to look.
  tail bigint not null default 0,
  advance_at timestamptz not null default '-infinity',
  look_at timestamptz not null default '-infinity',
  tail_at timestamptz not null default '-infinity',
  primary key (line, version),
  constraint safe_is_not_above_the_floor check (safe <= mark and mark <= turn),
  constraint tail_is_not_above_the_floor check (tail <= turn)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
comment on table mill.floor_version is 'The floor of each line. Read it as mill.floor; whoever moves it, counts up its version.';

create view mill.floor as
select l.line, l.queue, l.priority, v.version, v.turn, v.safe, v.mark, v.mark_xid, v.tail, v.advance_at, v.look_at, v.tail_at
from mill.line l
cross join lateral (select v.* from mill.floor_version v where v.line = l.line order by v.version desc limit 1) v;
comment on view mill.floor is
  'A claim skips what lies below turn: dead index entries. Nothing can still appear below safe; mill.lower_floors looks between the two.';

-- Turns of fair and group-capped queues. A tenant is the owner of a job, or its group_key without one; a lane
-- is a tenant''s jobs of one group_key. Both are hints that mill.repair_lanes repairs.
create table mill.tenant (
  queue text not null references mill.queue on delete cascade,
  tenant text not null,
  served bigint not null default 0,
  primary key (queue, tenant)
) with (fillfactor = 50);
comment on table mill.tenant is 'Virtual time of a tenant in a queue: how many jobs it was served, counted from when it last became active.';

create table mill.virtual_clock (
  queue text primary key references mill.queue on delete cascade,
  served bigint not null
) with (fillfactor = 10);
comment on table mill.virtual_clock is 'The virtual time of the job that was last served in a queue: where a tenant starts that becomes active.';

create table mill.lane (
  queue text not null,
  lane text not null,
  tenant text not null,
  group_key text,
  idle boolean not null default false,
  primary key (queue, lane),
  foreign key (queue, tenant) references mill.tenant on delete cascade
) with (fillfactor = 50);
comment on table mill.lane is 'Lines of jobs that claims of a fair or group-capped queue choose from. idle: none was pending when last looked at.';
create index lane_tenant on mill.lane (queue, tenant) where not idle;

-- One row per invocation of a function: asked for, begun (its one claim was made), ended. The id travels in
-- the signed request, so a replayed or duplicated wake-up claims nothing.
--
-- The function that took a job may send the request too, before pg_net does (claim_wake_up). One of the two begins; handed_at says that
-- the answer which pg_net records may be that of the other, which did nothing.
--
--   asked ──claim_jobs──► begun ──settle_jobs──► ended
--     └───────┴─ its request failed, or took too long: ended, with the failure (mill.end_lost_invocations)
create table mill.invocation (
  id uuid primary key,
  queue text not null references mill.queue on delete cascade,
  reason text not null,
  asked_at timestamptz not null,
  begun_at timestamptz,
  ended_at timestamptz,
  claimed int,
  request_id bigint,
  -- Who claimed, and what, from the claim to the end: the jobs that are taken back when the invocation is lost.
  worker text,
  jobs uuid[],
  failure text,
  handed_at timestamptz,
  constraint reason_is_known check (reason in ('wake', 'pump', 'more')),
  constraint ended_after_it_began_or_with_a_failure check (ended_at is null or begun_at is not null or failure is not null)
);
comment on table mill.invocation is 'What was invoked, why, and what came of it. failure says why an invocation was lost. Pruned after a day.';
create index invocation_open on mill.invocation (queue, asked_at) where ended_at is null;
create index invocation_age on mill.invocation (asked_at);

-- HMAC pads are kept instead of the key: signing needs nothing else, and neither pgcrypto nor a loop.
create table mill.secret (
  name text primary key,
  inner_pad bytea not null,
  outer_pad bytea not null,
  updated_at timestamptz not null default now()
);
comment on table mill.secret is 'Keys that sign invocations. No role but the owner reads it.';

-- A target is what is invoked: the function of one or more queues.
create table mill.breaker (
  target text primary key,
  state text not null default 'closed',
  reason text not null default '',
  changed_at timestamptz not null,
  retry_at timestamptz,
  opened_in_a_row int not null default 0,
  probe uuid,
  constraint breaker_state_is_known check (state in ('closed', 'open', 'half_open')),
  constraint open_says_when_to_try_again check ((state = 'open') = (retry_at is not null)),
  constraint probe_only_when_half_open check (probe is null or state = 'half_open')
);
comment on table mill.breaker is 'Whether a target is invoked: closed, open, or half-open with a single probe.';

create table mill.breaker_change (
  id bigint generated always as identity primary key,
  target text not null,
  at timestamptz not null,
  state text not null,
  reason text not null
);
comment on table mill.breaker_change is 'Every change of a breaker, with its reason.';
create index breaker_change_at on mill.breaker_change (target, at);

-- Statistics: settle appends one row per batch, kind, outcome and duration bucket; mill.fold_statistics folds them into
-- minutes. An upsert of the minute''s row by every settle would make all of them queue for that row. The breakers read
-- tenant and permanent, which are set for attempts that did not succeed.
create table mill.stat_batch (
  at timestamptz not null,
  jobs int not null,
  bucket smallint not null,
  total_ms bigint not null,
  bytes bigint not null,
  queue text not null,
  kind text not null,
  outcome text not null,
  -- Whose jobs these were; null where the jobs belong to several tenants or to none.
  tenant text,
  -- The error lies in the job itself: no retry can cure it, and it says nothing about the target.
  permanent boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.stat_batch is 'What settle, reclaim and cancel counted, not yet folded into minutes. bucket: see mill.duration_bucket.';

create table mill.stat_minute (
  minute timestamptz not null,
  queue text not null,
  kind text not null,
  outcome text not null,
  bucket smallint not null,
  jobs bigint not null,
  total_ms bigint not null,
  bytes bigint not null,
  primary key (minute, queue, kind, outcome, bucket),
  constraint outcome_is_known check (
    outcome in ('completed', 'failed', 'dead', 'snoozed', 'released', 'lost', 'cancelled'))
);
comment on table mill.stat_minute is 'Attempts by minute, queue, kind, outcome and duration bucket: a histogram as rows.';

create table mill.event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  code text not null,
  detail jsonb not null default '{}'
);
comment on table mill.event is 'What would otherwise only have been a warning in a log.';
create index event_at on mill.event (at);

create table mill.heartbeat (
  part text primary key,
  at timestamptz not null,
  detail jsonb not null default '{}'
);
comment on table mill.heartbeat is 'When each recurring part last ran; health reads it.';

-- All recurring work is a row, so that a part of the system adds its own with an INSERT in its own file. A run leaves its mark in
-- mill.heartbeat under the schedule's name; health compares that with every + slack.
create table mill.schedule (
  name text primary key,
  description text not null default '',
  schedule text not null,
  -- What one run calls: a function of ours without arguments, in one transaction.
  step text not null,
  -- What cron executes instead, where one transaction is not enough.
  command text,
  every_seconds int not null,
  slack_seconds int not null default 600,
  is_critical boolean not null default true,
  -- The function of wrangler.toml whose cron trigger does the same where Postgres has no cron.
  trigger_of text not null default 'processor',
  declared_at timestamptz not null default now(),
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  constraint schedule_has_five_fields check (schedule ~ '^\S+ \S+ \S+ \S+ \S+$'),
  constraint step_is_a_qualified_function check (step ~ '^[a-z_][a-z_0-9]*\.[a-z_0-9]+$'),
  constraint every_is_positive check (every_seconds > 0 and slack_seconds >= 0)
);
comment on table mill.schedule is 'All recurring work. mill.install_schedules gives it to cron; wrangler.toml mirrors it, and a test compares the two.';

-- What the parts above the engine do when something happens in it. The engine names none of them: each registers a row here when it
-- is installed. The routine is a function in mill. Its arguments and its answer depend on the event:
--
--   event      called by, when                                          arguments -> answer
--   ended      commit of a transaction that ended jobs with a parent    (xid8, bigint): rows of mill.ended of that xid above that n
--   acted      jobs died, were cancelled, retried or discarded          (jsonb): {action, reason, jobs}, see mill.call_acted_hooks
--   operated   a queue was paused or resumed, a breaker changed         (jsonb): {table, record, action, reason}
--   claim      a claim of a queue that draws on a provider's limit      (mill.queue, int, text[], boolean) -> tid[]
--   usage      a settlement that says what its calls used               (text, jsonb): worker, outcomes
--   wait       before an invocation for such a queue                    (text, text) -> interval: provider, endpoint
--   rest       after a round of the pump                                () -> numeric: seconds to the next round
--   tick       every round of the pump                                  ()
--   maintain   mill.maintain, every hour                                (timestamptz)
--
-- Hooks of one event are called in the order of their places. The events that have an answer (claim, wait, rest) and usage have one hook at
-- the most. A failing hook fails what it belongs to, except for ended and tick, where the failure becomes an event.
create table mill.hook (
  event text not null,
  routine text not null,
  place int not null default 100,
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  primary key (event, routine),
  constraint event_is_known check (event in ('ended', 'acted', 'operated', 'claim', 'usage', 'wait', 'rest', 'tick', 'maintain')),
  constraint routine_is_a_function_of_ours check (routine ~ '^mill\.[a-z_0-9]+$')
);
create unique index one_part_answers on mill.hook (event) where event in ('claim', 'usage', 'wait', 'rest');
comment on table mill.hook is 'What the parts above the engine do when something happens in the engine.';

-- The record of ended jobs. Jobs with a parent and a name are noted here when they end, in the transaction that ends them: one row per
-- settled batch, parent, name and state. At commit the hooks of ended are called. A hook that reads a row deletes it, or marks it as counted
-- and keeps it as the record. Without a hook the rows go at commit.
create table mill.ended (
  xid xid8 not null default pg_current_xact_id(),
  n bigint generated always as identity,
  parent uuid not null,
  name text not null,
  state text not null,
  ids uuid[] not null,
  -- Beside the ids; null when none of them has any.
  results jsonb[],
  errors jsonb[],
  at timestamptz not null,
  counted boolean not null default false,
  primary key (xid, n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table mill.ended is 'What became of jobs with a parent, one row per settled batch, parent, name and state.';
create index ended_of_parent on mill.ended (parent);
create index ended_uncounted on mill.ended (parent) where not counted;
