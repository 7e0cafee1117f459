alter table mill.compat_lease add column seen_at timestamptz, add column heartbeat_at timestamptz;
