-- What became of the HTTP request of an invocation, as pg_net or the relay has recorded it.
--
--   is_over     the request was answered, or it will never be
--   failure     why the invocation failed; null for an answer below 400
--   is_outage   nothing answered: the connection failed, or something in front of the function said so (502, 503, 504)
--
-- Both tables of pg_net are unlogged: a crash of Postgres empties them. A request leaves the queue in the transaction that writes its
-- answer, so a request that is in neither table was lost in a crash. One statement reads both: with two, the answer could be written in between.
--
-- p_is_handed: the function that took a job has sent the request as well, and the invocation has begun. An answer may then be that of the
-- duplicate, which claims nothing and is answered at once. So it says nothing; the invocation ends with its settlement or its time.
--
-- Its name is not that of release 0.1.0 (invocation_answer), whose arguments differ: a round of the pump that began before an upgrade still calls that one.
--
-- pg_net indexes answers by their time alone. The minute is for clocks: an answer has the time at which its transaction began.
create or replace function mill.answer_to_invocation(
  p_request bigint, p_asked_at timestamptz, p_is_handed boolean, out is_over boolean, out failure text, out is_outage boolean)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer record;
begin
  is_over := false;
  is_outage := false;
  if p_request is null or to_regclass('net._http_response') is null then
    return;
  end if;
  select r.id is not null as is_there, r.status_code, r.error_msg, coalesce(r.timed_out, false) as timed_out,
    exists (select from net.http_request_queue q where q.id = p_request) as waits
  into v_answer
  from (select) one
  left join lateral (
    select a.id, a.status_code, a.error_msg, a.timed_out from net._http_response a
    where a.id = p_request and a.created > p_asked_at - interval '1 minute'
    limit 1) r on true;

  if not v_answer.is_there and v_answer.waits or v_answer.is_there and p_is_handed then
    return;
  end if;
  is_over := true;
  if not v_answer.is_there then
    is_outage := true;
    failure := 'the request was lost when Postgres crashed';
  elsif v_answer.status_code is null then
    is_outage := not v_answer.timed_out;
    failure := coalesce(v_answer.error_msg, 'no answer in time');
  elsif v_answer.status_code >= 400 then
    is_outage := v_answer.status_code in (502, 503, 504);
    failure := 'answered ' || v_answer.status_code;
  end if;
end
$$;

comment on function mill.answer_to_invocation(bigint, timestamptz, boolean) is 'Whether the request of an invocation is over, and why it failed if it did.';
revoke execute on function mill.answer_to_invocation(bigint, timestamptz, boolean) from public;
