-- Tells the container worker to look now. It looks again 0.1, 0.2, 0.4 s after it was called (worker/runner/src/lane.rs), so one
-- call in 100 ms is enough: whoever commits in between is seen by the second look.
create or replace function mill.call_worker(p_queue text, p_reason text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_now timestamptz := mill.now();
  v_url text := mill.setting('worker.url');
  v_request bigint;
begin
  if v_url is null or to_regproc('net.http_post') is null
    or exists (
      select from mill.invocation i where i.asked_at > v_now - interval '100 milliseconds' and i.queue = p_queue)
    or not mill.has_pending(p_queue)
  then
    return;
  end if;
  begin
    v_request := net.http_post(
      url => v_url || '/wake', body => '{}', headers => '{"Content-Type": "application/json"}', timeout_milliseconds => 2000);
    -- It claims by itself: that it was called is all there is to this invocation.
    insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at, request_id)
    values (mill.uuid7(), p_queue, p_reason, v_now, v_now, v_now, v_request);
  exception when others then
    perform mill.record_wake_failure(p_queue, sqlstate, sqlerrm);
  end;
end
$$;

comment on function mill.call_worker(text, text) is 'Calls the worker at the setting worker.url, if there is one, for a queue that has due jobs.';
revoke execute on function mill.call_worker(text, text) from public;
