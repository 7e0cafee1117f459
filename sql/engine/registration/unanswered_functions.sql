-- Queues of a definition whose function has never answered: a misspelt name or address would show only when the first job waits. A function has answered
-- once an invocation of its queue has claimed. p_changed: queues whose function was made or changed just now, of which nothing is known yet.
create or replace function mill.unanswered_functions(p_queues text[], p_changed text[]) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'queue', q.queue, 'function', q.function, 'url', q.url, 'address', mill.function_url(coalesce(q.function, q.url)), 'failure', l.failure,
      'sentence', format('The function of the queue %s has never answered at %s%s. Deploy it there, or correct its name or address and register again.', q.queue,
        coalesce(mill.function_url(coalesce(q.function, q.url)), format('%s, because the setting functions.base_url is missing', q.function)),
        coalesce(': ' || left(l.failure, 300), '')))) order by q.queue), '[]')
  from mill.queue q
  left join lateral (
    select i.failure from mill.invocation i
    where i.queue = q.queue and i.ended_at is not null and q.queue <> all (p_changed)
    order by i.asked_at desc limit 1) l on true
  where q.queue = any (p_queues) and q.served_by = 'function' and coalesce(q.function, q.url) is not null
    and (q.queue = any (p_changed) or not exists (select from mill.invocation i where i.queue = q.queue and i.begun_at is not null))
$$;

comment on function mill.unanswered_functions(text[], text[]) is 'Those of some queues whose function has never answered, with a sentence that says what to do. For register_jobs alone.';
revoke execute on function mill.unanswered_functions(text[], text[]) from public;
