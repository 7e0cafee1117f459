-- A worker that ends says so, and is shown no longer.
alter table mill.worker add column ended_at timestamptz;
comment on table mill.worker is 'Container workers, when each last claimed or extended a lease, and when it said that it ends.';
