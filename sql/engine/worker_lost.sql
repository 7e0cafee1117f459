create or replace function mill.worker_lost() returns jsonb
language sql immutable
return '{"type": "worker_lost", "message": "the lease expired before the worker settled", "retryable": true}'::jsonb;

comment on function mill.worker_lost() is 'The error of a job whose worker was not heard of again.';
revoke execute on function mill.worker_lost() from public;
