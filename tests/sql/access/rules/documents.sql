insert into rpc_rule (rpc, owner, service, probe, subject) values
  ('can_access_object', true, true, 'public.can_access_object({id} || ''/a'')', 'select {profile}::uuid as id'),
  ('worker_queues', false, true, null, null);
