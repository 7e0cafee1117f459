-- Queues that are left to the operator's own workers, kinds that nobody serves, and a delay of retries that stays near its mark.
alter table mill.queue
  add column backoff_jitter numeric,
  add constraint backoff_jitter_is_a_share check (backoff_jitter between 0 and 1),
  drop constraint served_by_a_function_or_a_worker,
  add constraint served_by_a_function_a_worker_or_others check (served_by in ('function', 'worker', 'external')),
  drop constraint function_is_named_where_one_serves,
  add constraint function_is_named_where_one_serves check (served_by = 'external' or (served_by = 'function') = (function is not null));

alter table mill.kind add column first_asked_at timestamptz;

create table mill.claimant (
  queue text not null references mill.queue on update cascade on delete cascade,
  worker text not null,
  claimed_at timestamptz not null,
  primary key (queue, worker)
) with (fillfactor = 50);
comment on table mill.claimant is 'Which workers have claimed from each queue that no function serves, and when last, to ten seconds.';
