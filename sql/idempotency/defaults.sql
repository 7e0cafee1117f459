insert into mill.settings (key, value, type, description) values
  ('idempotency.max_keys_per_user', '5000', 'number', 'Idempotency keys that one user may have in 24 hours')
on conflict (key) do nothing;
