-- Every RPC of the engine that creates something. Applications add theirs in files of their own.
insert into mill.repeatable_call (function, created) values
  ('submit_job', '$'),
  -- A batch of which the queue took nothing created nothing.
  ('enqueue_jobs', '$[*] ? (@.status != "throttled")'),
  ('enqueue_many', '$[*] ? (@ != null)'),
  ('log_audit_event', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;
