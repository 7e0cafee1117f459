-- The audit log: what changed, who did it, and a chain of hashes that shows when somebody meddled with it.
--
-- Writing and chaining are apart. mill.audit appends a row and notes it in mill.audit_unchained; nobody waits for
-- anybody, so two transactions that both audit something commit side by side. mill.chain_audit, run by the tick and
-- by verify, links what has been committed since into the chain of its day, one chainer at a time. Chaining at the
-- insert would make every audited transaction wait for the commit of the one before it.
--
--   mill.audit ──► audit_log (never changes)          audit_chain: day, seq, audit_id, hash of (hash before, row)
--              └─► audit_unchained ──chain_audit──►   audit_day: rows, head, and the head that it began on
--
-- A row of audit_log is either noted in audit_unchained or linked in audit_chain; any other was smuggled in.
create table mill.audit_log (
  id bigint generated always as identity,
  at timestamptz not null,
  table_name text not null,
  record_id text,
  action text not null,
  old_values jsonb,
  new_values jsonb,
  reason text,
  source text not null,
  patient_id uuid,
  job_id uuid,
  correlation_id text,
  -- The user of the caller's token, and the role under which it came; session_user outside of any request.
  actor uuid,
  actor_role text not null,
  constraint action_is_a_short_word check (action ~ '^[A-Za-z][A-Za-z0-9_.-]{0,62}$'),
  constraint table_name_is_short check (length(table_name) between 1 and 200)
) partition by range (at);
comment on table mill.audit_log is 'What happened. Append-only: no role changes or deletes a row. Retention drops whole months.';
create table mill.audit_log_default partition of mill.audit_log default;
comment on table mill.audit_log_default is 'Catches a month that mill.maintain_audit has not prepared.';
create index audit_log_id on mill.audit_log (id);
create index audit_log_record on mill.audit_log (table_name, record_id);
create index audit_log_patient on mill.audit_log (patient_id, at) where patient_id is not null;
create index audit_log_job on mill.audit_log (job_id) where job_id is not null;
create index audit_log_at on mill.audit_log (at);


create table mill.audit_unchained (
  audit_id bigint primary key,
  at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.audit_unchained is 'Rows of audit_log that are not linked yet.';

create table mill.audit_chain (
  day date not null,
  seq int not null,
  audit_id bigint not null,
  hash bytea not null,
  primary key (day, seq),
  constraint a_hash_has_32_bytes check (octet_length(hash) = 32)
);
comment on table mill.audit_chain is 'The chain of each day: hash is sha256 of the hash before and of the row''s own digest.';
create unique index an_audit_row_is_linked_once on mill.audit_chain (day, audit_id);
create index audit_chain_hash on mill.audit_chain (hash);

-- Kept for ever, also after its rows were dropped: one row a day.
create table mill.audit_day (
  day date primary key,
  rows int not null,
  head bytea not null,
  -- A hash of the day before this one with any rows, as it was when this day began: a day cannot vanish from between.
  began_on bytea not null,
  previous_day date,
  dropped_at timestamptz
);
comment on table mill.audit_day is 'How many rows each day''s chain has, its last hash, and the hash of an earlier day that it began on.';

-- One row. Without it the latest day could be cut off whole, with its links and its row in audit_day.
create table mill.audit_total (
  only_one boolean primary key default true,
  rows bigint not null default 0,
  constraint there_is_one_row check (only_one)
);
comment on table mill.audit_total is 'How many audit rows were ever linked.';
insert into mill.audit_total default values;
