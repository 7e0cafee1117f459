comment on table mill.compat_lease is 'The leases that compat claims gave out, one row per job: the last one.';
