create or replace function mill.worker_lost_error(p_message text) returns jsonb
language sql immutable
return jsonb_build_object('type', 'worker_lost', 'message', p_message, 'retryable', true);

comment on function mill.worker_lost_error(text) is 'The error of a job whose worker was lost, with how that was noticed.';
revoke execute on function mill.worker_lost_error(text) from public;
