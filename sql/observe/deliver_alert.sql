-- A change of an alert becomes one job an endpoint: the engine itself retries what a receiver does not take. The
-- id of the webhook stays the same over all attempts, so that a receiver can tell a repetition.
create or replace function mill.deliver_alert(p_alert uuid) returns int
language sql
set search_path = pg_catalog, pg_temp
as $$
  with jobs as (
    select jsonb_agg(jsonb_build_object(
      'kind', 'alert_webhook',
      'name', format('%s %s', a.rule, a.state),
      'priority', case r.severity when 'P0' then 20 when 'P1' then 10 else 5 end,
      'dedupe_key', format('%s:%s:%s', a.id, a.state, e.name),
      'payload', jsonb_build_object(
        'url', e.url,
        'webhook_id', format('alert_%s_%s', a.id, a.state),
        'event', jsonb_build_object(
          'type', 'alert.' || a.state,
          'timestamp', mill.now(),
          'data', jsonb_build_object(
            'alert', a.id, 'rule', a.rule, 'severity', r.severity, 'subject', a.subject, 'description', r.description,
            'value', round(a.value, 3), 'threshold', r.threshold,
            'since', a.since, 'fired_at', a.fired_at, 'resolved_at', a.resolved_at))))) as jobs
    from mill.alert a
    join mill.alert_rule r using (rule)
    join mill.alert_endpoint e on e.enabled and r.severity = any (e.severities)
    where a.id = p_alert
  )
  select count(*)::int from jobs cross join lateral mill.enqueue(jobs.jobs) where jobs.jobs is not null
$$;

comment on function mill.deliver_alert(uuid) is 'Enqueues a signed webhook for each endpoint that wants to know; says how many.';
revoke execute on function mill.deliver_alert(uuid) from public;

insert into mill.queue (queue, description, served_by, function, batch_size, max_attempts, backoff_base_seconds, backoff_cap_seconds) values
  ('alerts', 'Signed webhooks about alerts', 'function', 'processor', 20, 12, 5, 1800)
on conflict (queue) do nothing;
insert into mill.kind (kind, queue, description) values ('alert_webhook', 'alerts', 'One change of an alert, to one endpoint')
on conflict (kind) do nothing;
