-- The schema of a full installation (gristmill migrate --with all), so that a change shows in review. Nothing runs this file.
-- Made by scripts/schema with Postgres 15. Partitions of days and months are left out.

CREATE SCHEMA mill;

CREATE SCHEMA public;

COMMENT ON SCHEMA public IS 'standard public schema';

CREATE TYPE mill.holder AS (
	job uuid,
	worker text,
	attempt integer
);

COMMENT ON TYPE mill.holder IS 'Who holds a running job: the job, the worker, and the attempt that this worker claimed.';

CREATE FUNCTION mill.add_usage(p_profile_id uuid, p_counts jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.usage_of_month as u (
    profile_id, month, files_uploaded, files_processed, pages, ai_tokens, ai_calls, ai_seconds, created_at, updated_at)
  select p_profile_id, mill.usage_month(p_now), coalesce(c.files, 0), coalesce(c.processed, 0), greatest(c.pages, 0),
    coalesce(c.ai_tokens, 0), coalesce(c.ai_calls, 0), coalesce(c.ai_seconds, 0), p_now, p_now
  from jsonb_to_record(p_counts) as c(files int, processed int, pages int, ai_tokens bigint, ai_calls int, ai_seconds numeric)
  on conflict (profile_id, month) do update set
    files_uploaded = u.files_uploaded + excluded.files_uploaded,
    files_processed = u.files_processed + excluded.files_processed,
    pages = greatest(u.pages + coalesce((p_counts ->> 'pages')::int, 0), 0), -- may be fewer than was estimated
    ai_tokens = u.ai_tokens + excluded.ai_tokens,
    ai_calls = u.ai_calls + excluded.ai_calls,
    ai_seconds = u.ai_seconds + excluded.ai_seconds,
    updated_at = p_now;
  insert into mill.stored_bytes as b (profile_id, bytes)
  select p_profile_id, greatest((p_counts ->> 'bytes')::bigint, 0) where p_counts ? 'bytes'
  on conflict (profile_id) do update set bytes = greatest(b.bytes + (p_counts ->> 'bytes')::bigint, 0)
$$;

COMMENT ON FUNCTION mill.add_usage(p_profile_id uuid, p_counts jsonb, p_now timestamp with time zone) IS 'Adds {files, processed, pages, ai_tokens, ai_calls, ai_seconds, bytes} to a profile''s month and to what it has stored.';

CREATE FUNCTION mill.advance_ended(p_xid xid8, p_after bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_waits uuid[];
  v_must uuid[];
  v_id uuid;
begin
  select coalesce(array_agg(t.parent) filter (where t.waits), '{}'), coalesce(array_agg(t.parent) filter (where not t.waits), '{}')
  into v_waits, v_must
  from (
    select e.parent, bool_and(mill.can_count_later(e)) as waits from mill.ended e where e.xid = p_xid and e.n > p_after group by e.parent) t;

  perform from mill.workflow j where j.id = any (v_must) order by j.id for update;
  foreach v_id in array v_must || array(
    select j.id from mill.workflow j
    where j.id = any (v_waits) and j.updated_at <= mill.now() - interval '100 milliseconds'
    for update skip locked)
  loop
    perform mill.catch_up_workflow(v_id);
  end loop;
end
$$;

COMMENT ON FUNCTION mill.advance_ended(p_xid xid8, p_after bigint) IS 'Advances the workflows whose tasks a transaction has ended, or leaves that to the next.';

CREATE FUNCTION mill.advance_left_behind(p_max integer DEFAULT 100) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_id uuid;
  v_job mill.workflow;
  v_count int := 0;
begin
  for v_id in select distinct e.parent from mill.ended e where not e.counted order by e.parent limit p_max loop
    perform from mill.workflow j where j.id = v_id for update skip locked;
    continue when not found and exists (select from mill.workflow j where j.id = v_id);
    begin
      perform mill.catch_up_workflow(v_id);
      v_count := v_count + 1;
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'workflow_not_advanced',
        jsonb_build_object('job', v_id, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;

  for v_job in select j.* from mill.workflow j where j.stragglers order by j.id limit p_max for update skip locked loop
    v_job.stragglers := v_job.status in ('failed', 'cancelled') and mill.stop_tasks(v_job.id, v_job.status = 'cancelled');
    perform mill.keep_progress(v_job);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.advance_left_behind(p_max integer) IS 'Advances and stops what could not be at its time; says how much there was.';

CREATE FUNCTION mill.advance_workflow(p_id uuid, p_ended uuid[], p_failed uuid[], p_is_step_done boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_job mill.workflow;
  v_ended uuid[] := p_ended;
  v_failed uuid[] := p_failed;
  v_items record;
  v_steps record;
  v_looks boolean := p_is_step_done;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.compensating and v_job.status = 'processing' then
    -- Whatever became of it: the compensation has been tried.
    if exists (select from mill.task t
        join mill.workflow_step w on w.type = v_job.type and w.version = v_job.version and w.key = t.key and w.is_compensation
        where t.id = any (p_ended))
    then
      v_job.status := 'failed';
    end if;
  else
    while v_job.status in ('queued', 'processing') loop
      v_job := mill.follow_failures(v_job, v_failed);
      exit when v_job.status = 'failed' or v_job.compensating;
      v_items := mill.follow_items(v_job, v_ended);
      if not v_looks and v_items.skipped = '{}' then
        exit when v_items.ready = '{}';
        v_failed := mill.start_tasks(v_job, v_items.ready);
        exit when v_failed = '{}';
        v_ended := v_failed;
        v_looks := true;
        continue;
      end if;
      v_looks := true;
      v_steps := mill.follow_steps(v_job);
      v_failed := v_steps.failed || mill.start_tasks(v_job, v_items.ready || v_steps.ready);
      v_ended := v_items.skipped || v_steps.skipped || v_failed;
      exit when v_ended = '{}' and not v_steps.moved;
    end loop;
  end if;
  if v_job.compensating and v_job.status = 'queued' then
    v_job.status := 'processing';
  end if;
  perform mill.keep_progress(v_job);
end
$$;

COMMENT ON FUNCTION mill.advance_workflow(p_id uuid, p_ended uuid[], p_failed uuid[], p_is_step_done boolean) IS 'Starts what became ready, skips what cannot be, and keeps the progress of one job.';

CREATE FUNCTION mill.ai_counts(p_tokens bigint, p_seconds numeric) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('ai_calls', 1, 'ai_tokens', LEAST(GREATEST(p_tokens, (0)::bigint), (1000000000)::bigint), 'ai_seconds', round(LEAST(GREATEST(p_seconds, (0)::numeric), (86400)::numeric), 3));

COMMENT ON FUNCTION mill.ai_counts(p_tokens bigint, p_seconds numeric) IS 'What a model call adds to a profile''s usage, within reason whatever was reported.';

CREATE FUNCTION mill.answer_duplicates(p_jobs jsonb, p_answered jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  with asked as materialized (
    select * from mill.parse_jobs(p_jobs, p_now, p_turn, p_random, p_max_bytes) a
    where a.dedupe_key is not null and not p_answered ? a.at::text
  )
  select coalesce(jsonb_object_agg(a.at, jsonb_build_object(
    'id', j.id, 'status', 'duplicate', 'priority', a.priority, 'run_at', a.run_at)), '{}')
  from asked a
  cross join lateral (
    select j.id from mill.job_live j where j.queue = a.queue and j.dedupe_key = a.dedupe_key limit 1) j
$$;

COMMENT ON FUNCTION mill.answer_duplicates(p_jobs jsonb, p_answered jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) IS 'Answers the jobs of a batch whose key a live job holds, as ordinal to {id, status} and what they ask for. Takes no lock.';

CREATE FUNCTION mill.answer_throttled(p_jobs jsonb, p_capacity jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_object_agg(a.ordinality - 1, '{"status": "throttled"}'::jsonb), '{}')
  from jsonb_array_elements(p_jobs) with ordinality as a(job, ordinality)
  join mill.kind k on k.kind = a.job ->> 'kind'
  where p_capacity ? k.queue
$$;

COMMENT ON FUNCTION mill.answer_throttled(p_jobs jsonb, p_capacity jsonb) IS 'The answer throttled for every job of a batch whose queue has a depth limit.';

CREATE FUNCTION mill.answer_to_invocation(p_request bigint, p_asked_at timestamp with time zone, p_is_handed boolean, OUT is_over boolean, OUT failure text, OUT is_outage boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION mill.answer_to_invocation(p_request bigint, p_asked_at timestamp with time zone, p_is_handed boolean, OUT is_over boolean, OUT failure text, OUT is_outage boolean) IS 'Whether the request of an invocation is over, and why it failed if it did.';

CREATE TABLE mill.api_rate_limits (
    provider_name text NOT NULL,
    api_endpoint text NOT NULL,
    requests_per_minute integer,
    requests_per_hour integer,
    tokens_per_minute bigint,
    tokens_per_hour bigint,
    concurrent_requests integer,
    backpressure_threshold numeric(3,2) DEFAULT 0.8 NOT NULL,
    backpressure_delay_seconds integer DEFAULT 30 NOT NULL,
    queue_depth_limit integer,
    lease_seconds integer DEFAULT 300 NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    last_rate_limit_hit timestamp with time zone,
    rate_limit_violations bigint DEFAULT 0 NOT NULL,
    provider_refusals bigint DEFAULT 0 NOT NULL,
    blocked_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    CONSTRAINT concurrent_requests_is_positive CHECK ((concurrent_requests > 0)),
    CONSTRAINT delay_is_not_negative CHECK ((backpressure_delay_seconds >= 0)),
    CONSTRAINT lease_is_at_least_one_second CHECK (((lease_seconds >= 1) AND (lease_seconds <= 86400))),
    CONSTRAINT queue_depth_limit_is_positive CHECK ((queue_depth_limit > 0)),
    CONSTRAINT requests_per_hour_is_positive CHECK ((requests_per_hour > 0)),
    CONSTRAINT requests_per_minute_is_positive CHECK ((requests_per_minute > 0)),
    CONSTRAINT status_is_known CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'maintenance'::text]))),
    CONSTRAINT threshold_is_a_share CHECK (((backpressure_threshold > (0)::numeric) AND (backpressure_threshold <= (1)::numeric))),
    CONSTRAINT tokens_per_hour_is_positive CHECK ((tokens_per_hour > 0)),
    CONSTRAINT tokens_per_minute_is_positive CHECK ((tokens_per_minute > 0))
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.api_rate_limits IS 'What each provider admits; null is no limit. disabled and maintenance: nothing is let through. A queue names the row that its jobs draw on.';

CREATE FUNCTION mill.api_capacity_left(p_limit mill.api_rate_limits, p_now timestamp with time zone) RETURNS TABLE(requests bigint, tokens bigint, slots integer, pressure numeric, wait interval)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
  select
    least(p_limit.requests_per_minute - m.requests, p_limit.requests_per_hour - h.requests)::bigint,
    least(p_limit.tokens_per_minute - m.tokens, p_limit.tokens_per_hour - h.tokens)::bigint,
    p_limit.concurrent_requests - s.slots,
    coalesce(greatest(
      m.requests::numeric / p_limit.requests_per_minute, h.requests::numeric / p_limit.requests_per_hour,
      m.tokens::numeric / p_limit.tokens_per_minute, h.tokens::numeric / p_limit.tokens_per_hour,
      s.slots::numeric / p_limit.concurrent_requests), 0),
    greatest(
      case when h.requests >= p_limit.requests_per_hour or h.tokens >= p_limit.tokens_per_hour
        then h.first + interval '61 minutes' - p_now end,
      m.first + interval '1 minute' - p_now,
      interval '0')
  from (
    select coalesce(sum(u.requests), 0) as requests, coalesce(sum(u.tokens), 0) as tokens, min(u.at) as first
    from mill.api_use u
    where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.at > p_now - interval '1 minute') m
  cross join (
    select coalesce(sum(a.requests), 0) as requests, coalesce(sum(a.tokens), 0) as tokens, min(a.at) as first
    from (
      select u.requests, u.tokens, u.at from mill.api_use u
      where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.at > p_now - interval '1 hour'
      union all
      select u.requests, u.tokens, u.minute from mill.api_use_minute u
      where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.minute > p_now - interval '61 minutes'
    ) a
    where p_limit.requests_per_hour is not null or p_limit.tokens_per_hour is not null) h
  cross join (
    select (
      select count(*) from mill.queue q join mill.job_live j on j.slot = q.queue
      where q.provider = p_limit.provider_name and q.endpoint = p_limit.api_endpoint and j.lease_until > p_now
        and p_limit.concurrent_requests is not null)::int + (
      select count(*) from mill.api_lease l
      where l.provider = p_limit.provider_name and l.endpoint = p_limit.api_endpoint and l.ended_at is null and l.expires_at > p_now
        and p_limit.concurrent_requests is not null)::int as slots) s;
end
$$;

COMMENT ON FUNCTION mill.api_capacity_left(p_limit mill.api_rate_limits, p_now timestamp with time zone) IS 'What a limit still admits: requests, tokens, slots (null: any number), how full its fullest measure is, and how long a wait is at least.';

CREATE FUNCTION mill.api_limit(p_provider text, p_endpoint text) RETURNS mill.api_rate_limits
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits;
begin
  select l.* into v_limit from mill.api_rate_limits l where l.provider_name = p_provider and l.api_endpoint = p_endpoint;
  if not found then
    raise exception 'no rate limit is configured for % / %', coalesce(left(p_provider, 64), 'null'), coalesce(left(p_endpoint, 64), 'null')
      using errcode = 'GM020', hint = 'Insert a row into mill.api_rate_limits; null in it is no limit.';
  end if;
  return v_limit;
end
$$;

COMMENT ON FUNCTION mill.api_limit(p_provider text, p_endpoint text) IS 'The limit of a provider and endpoint; GM020 when there is none.';

CREATE FUNCTION mill.append_error(p_log jsonb, p_error jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_error IS NULL) THEN p_log WHEN (jsonb_array_length(p_log) >= 10) THEN ((p_log - 0) || jsonb_build_array(p_error)) ELSE (COALESCE(p_log, '[]'::jsonb) || jsonb_build_array(p_error)) END;

COMMENT ON FUNCTION mill.append_error(p_log jsonb, p_error jsonb) IS 'The error history with one more entry, ten at the most.';

CREATE FUNCTION mill.append_log(p_job uuid, p_attempt integer, p_logs jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_there record;
  v_kept int := 0;
begin
  select coalesce(max(l.n) filter (where l.left_out is null), 0) as lines, coalesce(sum(l.bytes), 0) as bytes, coalesce(max(l.left_out), 0) as left_out
  into v_there from mill.job_log l where l.job = p_job;
  if v_there.left_out = 0 then
    insert into mill.job_log (job, n, at, attempt, level, message, data, bytes)
    select p_job, v_there.lines + l.n, l.at, p_attempt, l.level, l.message, l.data, l.bytes - lag(l.bytes, 1, 0) over (order by l.n)
    from mill.log_lines(p_logs, p_now) l
    where v_there.lines + l.n <= 1000 and v_there.bytes + l.bytes <= 65536;
    get diagnostics v_kept = row_count;
  end if;
  if v_kept < jsonb_array_length(p_logs) then
    v_there.left_out := v_there.left_out + jsonb_array_length(p_logs) - v_kept;
    insert into mill.job_log as l (job, n, at, attempt, level, message, data, bytes, left_out)
    values (p_job, v_there.lines + v_kept + 1, p_now, p_attempt, 'warn', format('%s lines were left out', v_there.left_out),
      jsonb_build_object('left_out', v_there.left_out), 0, v_there.left_out)
    on conflict (job, n) do update set at = excluded.at, attempt = excluded.attempt, message = excluded.message, data = excluded.data, left_out = excluded.left_out;
  end if;
end
$$;

COMMENT ON FUNCTION mill.append_log(p_job uuid, p_attempt integer, p_logs jsonb, p_now timestamp with time zone) IS 'Appends lines to the log of a job, within its bounds. The caller has locked the job.';

CREATE FUNCTION mill.array_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_length int := jsonb_array_length(p_value);
  v_first int := coalesce(jsonb_array_length(p_schema -> 'prefixItems'), 0); -- from here on items counts
  v_least numeric := coalesce((p_schema -> 'minContains')::numeric, 1);
  v_found int := 0;
  v_schema jsonb;
  v_violation text[];
begin
  if v_length < (p_schema -> 'minItems')::numeric then
    return array[p_path, format('must have at least %s items', p_schema -> 'minItems')];
  elsif v_length > (p_schema -> 'maxItems')::numeric then
    return array[p_path, format('must have at most %s items', p_schema -> 'maxItems')];
  elsif p_schema -> 'uniqueItems' = 'true' and (select count(*) <> count(distinct e.value) from jsonb_array_elements(p_value) e) then
    return array[p_path, 'must not have the same item twice'];
  end if;
  if p_schema ?| array['items', 'prefixItems', 'contains'] then
    for v_at in 0 .. v_length - 1 loop
      v_schema := case when v_at < v_first then p_schema -> 'prefixItems' -> v_at else p_schema -> 'items' end;
      if v_schema is not null then
        v_violation := mill.schema_violation(p_root, v_schema, p_value -> v_at, p_path || '/' || v_at, p_depth);
        if v_violation is not null then
          return v_violation;
        end if;
      end if;
      if p_schema ? 'contains' and mill.schema_violation(p_root, p_schema -> 'contains', p_value -> v_at, '', p_depth) is null then
        v_found := v_found + 1;
      end if;
    end loop;
    if p_schema ? 'contains' and v_found < v_least then
      return array[p_path, format('must have at least %s items of the kind that it has to contain', v_least)];
    elsif p_schema ? 'contains' and v_found > (p_schema -> 'maxContains')::numeric then
      return array[p_path, format('must have at most %s items of the kind that it may contain', p_schema -> 'maxContains')];
    end if;
  end if;
  return null;
end
$$;

COMMENT ON FUNCTION mill.array_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) IS 'What a schema has against an array. For mill.schema_violation alone.';

CREATE FUNCTION mill.audit(p_table text, p_record text, p_action text, p_old jsonb DEFAULT NULL::jsonb, p_new jsonb DEFAULT NULL::jsonb, p_reason text DEFAULT NULL::text, p_source text DEFAULT 'gristmill'::text, p_patient_id uuid DEFAULT NULL::uuid, p_job_id uuid DEFAULT NULL::uuid, p_correlation_id text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with appended as (
    insert into mill.audit_log (
      at, table_name, record_id, action, old_values, new_values, reason, source, patient_id, job_id,
      correlation_id, actor, actor_role)
    values (
      mill.now(), p_table, p_record, p_action, p_old, p_new, p_reason, coalesce(p_source, 'gristmill'), p_patient_id, p_job_id,
      coalesce(p_correlation_id, mill.correlation_id()), auth.uid(), coalesce(auth.jwt() ->> 'role', session_user))
    returning id, at
  )
  insert into mill.audit_unchained (audit_id, at) select a.id, a.at from appended a
  returning audit_id
$$;

COMMENT ON FUNCTION mill.audit(p_table text, p_record text, p_action text, p_old jsonb, p_new jsonb, p_reason text, p_source text, p_patient_id uuid, p_job_id uuid, p_correlation_id text) IS 'Appends an event to the audit log, in the caller''s transaction; answers its id.';

CREATE FUNCTION mill.audit_acted(p_acted jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.audit_jobs(array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j), p_acted ->> 'action', p_acted ->> 'reason')
$$;

COMMENT ON FUNCTION mill.audit_acted(p_acted jsonb) IS 'Hook of acted: appends an event for each job.';

CREATE FUNCTION mill.audit_configuration() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_hidden boolean := coalesce(old.is_sensitive, false) or coalesce(new.is_sensitive, false);
begin
  if tg_op = 'UPDATE' and old.value is not distinct from new.value then
    return null;
  end if;
  perform mill.audit('settings', coalesce(new.key, old.key), lower(tg_op),
    case when not v_hidden then to_jsonb(old.value) end, case when not v_hidden then to_jsonb(new.value) end,
    nullif(current_setting('mill.reason', true), ''), 'configuration');
  return null;
end
$$;

COMMENT ON FUNCTION mill.audit_configuration() IS 'Appends an event for each changed setting.';

CREATE TABLE mill.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    table_name text NOT NULL,
    record_id text,
    action text NOT NULL,
    old_values jsonb,
    new_values jsonb,
    reason text,
    source text NOT NULL,
    patient_id uuid,
    job_id uuid,
    correlation_id text,
    actor uuid,
    actor_role text NOT NULL,
    CONSTRAINT action_is_a_short_word CHECK ((action ~ '^[A-Za-z][A-Za-z0-9_.-]{0,62}$'::text)),
    CONSTRAINT table_name_is_short CHECK (((length(table_name) >= 1) AND (length(table_name) <= 200)))
)
PARTITION BY RANGE (at);

COMMENT ON TABLE mill.audit_log IS 'What happened. Append-only: no role changes or deletes a row. Retention drops whole months.';

CREATE FUNCTION mill.audit_digest(p_row mill.audit_log) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(convert_to((jsonb_build_array((p_row).id, ((EXTRACT(epoch FROM (p_row).at) * (1000000)::numeric))::bigint, (p_row).table_name, (p_row).record_id, (p_row).action, (p_row).old_values, (p_row).new_values, (p_row).reason, (p_row).source, (p_row).patient_id, (p_row).job_id, (p_row).correlation_id, (p_row).actor, (p_row).actor_role))::text, 'UTF8'::name));

COMMENT ON FUNCTION mill.audit_digest(p_row mill.audit_log) IS 'What is hashed of an audit row: every column.';

CREATE FUNCTION mill.audit_jobs(p_ids uuid[], p_action text, p_reason text, p_table text DEFAULT 'job'::text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  with appended as (
    insert into mill.audit_log (
      at, table_name, record_id, action, new_values, reason, source, job_id, correlation_id, actor, actor_role)
    select mill.now(), p_table, j.id::text, p_action,
      jsonb_strip_nulls(jsonb_build_object('queue', j.queue, 'kind', j.kind, 'state', j.state, 'attempt', j.attempt,
        'worker', j.worker, 'owner', j.owner, 'error', j.error ->> 'type')),
      p_reason, 'engine', j.id, coalesce(j.correlation_id, mill.correlation_id()),
      auth.uid(), coalesce(auth.jwt() ->> 'role', session_user)
    from mill.job j where j.id = any (p_ids)
    order by j.id
    returning id, at
  )
  insert into mill.audit_unchained (audit_id, at) select a.id, a.at from appended a
$$;

COMMENT ON FUNCTION mill.audit_jobs(p_ids uuid[], p_action text, p_reason text, p_table text) IS 'Appends an event for each of the jobs that exist.';

CREATE FUNCTION mill.audit_operated(p_operated jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.audit(p_operated ->> 'table', p_operated ->> 'record', p_operated ->> 'action', p_reason => p_operated ->> 'reason', p_source => 'engine')
$$;

COMMENT ON FUNCTION mill.audit_operated(p_operated jsonb) IS 'Hook of operated: appends an event for a queue or a breaker.';

CREATE FUNCTION mill.audit_status() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.audit('jobs', new.id::text, case when tg_op = 'INSERT' then 'start' else new.status end,
    case when tg_op = 'UPDATE' then jsonb_build_object('status', old.status) end,
    jsonb_strip_nulls(jsonb_build_object('status', new.status, 'type', new.type, 'version', new.version, 'error', new.error ->> 'type')),
    p_source => 'workflows', p_job_id => new.id, p_correlation_id => new.correlation_id);
  return null;
end
$$;

COMMENT ON FUNCTION mill.audit_status() IS 'Notes in the audit log that a job was started, resumed or has ended. Params and outputs stay out.';

CREATE FUNCTION mill.backoff(p_attempt integer, p_base numeric, p_cap numeric, p_jitter numeric DEFAULT NULL::numeric) RETURNS interval
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- The delay is min(cap, base * 2^(attempt-1)). Full jitter is uniform in (0, delay]; a share is uniform in delay ± share.
  -- The exponent is bounded before power() sees it.
  select make_interval(secs => (least(p_cap, p_base * power(2::numeric, least(greatest(p_attempt, 1) - 1, 30)))
    * case when p_jitter is null then greatest(random(), 0.001) else 1 + p_jitter * (2 * random() - 1) end)::double precision)
$$;

COMMENT ON FUNCTION mill.backoff(p_attempt integer, p_base numeric, p_cap numeric, p_jitter numeric) IS 'How long a failed attempt waits: exponential, with full jitter or within a share of the delay.';

CREATE FUNCTION mill.backpressure_delay(p_kind text) RETURNS interval
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(max(make_interval(secs => l.backpressure_delay_seconds)), interval '0')
  from mill.kind k
  join mill.queue q on q.queue = k.queue
  join mill.api_rate_limits l on l.provider_name = q.provider and l.api_endpoint = q.endpoint
  cross join lateral mill.api_capacity_left(l, mill.now()) r
  where k.kind = p_kind
    and (r.pressure >= l.backpressure_threshold or l.blocked_until > mill.now() or l.queue_depth_limit <= mill.depth(q.queue, l.queue_depth_limit))
$$;

COMMENT ON FUNCTION mill.backpressure_delay(p_kind text) IS 'How long a new job of a kind is put off for its provider''s sake.';

CREATE FUNCTION mill.begin_inserted_tasks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_job mill.workflow;
  v_id uuid;
begin
  for v_job in
    select j.* from mill.workflow j where j.id in (select i.job_id from mill.task_sequence i where not i.is_begun) order by j.id for update
  loop
    insert into mill.step as s (job_id, key, state, total)
    select v_job.id, i.kind, 'open', count(*) from mill.task_sequence i where i.job_id = v_job.id and not i.is_begun group by i.kind
    on conflict (job_id, key) do update set total = s.total + excluded.total, state = 'open';
    update mill.task_sequence i set is_begun = true where i.job_id = v_job.id and not i.is_begun;
    -- One by one: they are claimed in the order in which they are started.
    foreach v_id in array mill.due_in_sequence(v_job.id) loop
      perform mill.start_tasks(v_job, array[v_id]);
    end loop;
    perform mill.keep_progress(v_job);
  end loop;
  return null;
end
$$;

COMMENT ON FUNCTION mill.begin_inserted_tasks() IS 'Starts what may start of the tasks that a statement has inserted into job_tasks.';

CREATE FUNCTION mill.begin_workflow() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_definition public.workflow_definition;
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
begin
  select * into v_definition from public.workflow_definition d
  where d.type = new.type and d.active and (d.open_to_users or public.is_service_role() or auth.uid() is null)
  order by d.version desc limit 1;
  if not found then
    raise exception 'there is no workflow of this type' using errcode = 'GM060'; -- and not which: answers repeat nothing that was sent
  end if;
  if jsonb_typeof(new.params) is distinct from 'object' then
    raise exception 'params must be an object' using errcode = 'GM066';
  end if;
  if pg_column_size(new.params) > v_max_bytes then
    raise exception 'params are larger than % bytes', v_max_bytes using errcode = 'GM066';
  end if;
  new.id := mill.uuid7();
  new.version := v_definition.version;
  new.user_id := coalesce(new.user_id, auth.uid());
  new.params := v_definition.defaults || new.params;
  new.created_at := mill.now();
  new.updated_at := new.created_at;
  new.message := 'Queued';
  return new;
end
$$;

COMMENT ON FUNCTION mill.begin_workflow() IS 'Takes the newest definition of its type for a new job.';

CREATE FUNCTION mill.bury_documents(p_acted jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_acted ->> 'action' <> 'dead' then
    return;
  end if;
  update public.shell_files f set
    status = 'failed', updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, coalesce(d.error_log, jsonb_build_array(d.error)))
  from mill.job_dead d
  where d.id = any (array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j)) and d.queue in ('fast', 'ai')
    and f.id = mill.document_named(d.payload) and f.stage = mill.stage_of_kind(d.kind) and f.status in ('uploaded', 'processing')
    and case when f.stage_jobs ? f.stage then f.stage_jobs ->> f.stage = d.id::text
      else d.dedupe_key = mill.stage_key(f.id, f.run, f.stage) end;
end
$$;

COMMENT ON FUNCTION mill.bury_documents(p_acted jsonb) IS 'Hook of acted: marks the documents of dead letters failed.';

CREATE FUNCTION mill.call_acted_hooks(p_ids uuid[], p_action text, p_reason text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_ids <> '{}' then
    perform mill.call_hooks('acted', jsonb_build_object('action', p_action, 'reason', p_reason, 'jobs', to_jsonb(p_ids)));
  end if;
end
$$;

COMMENT ON FUNCTION mill.call_acted_hooks(p_ids uuid[], p_action text, p_reason text) IS 'Tells the hooks that jobs died, were cancelled, retried or discarded.';

CREATE FUNCTION mill.call_ended_hooks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_after bigint := coalesce(nullif(current_setting('mill.ended_told', true), '')::bigint, new.n - 1);
  v_routine text;
begin
  if new.n <= v_after then
    return null;
  end if;
  perform set_config('mill.ended_told', (select max(e.n) from mill.ended e where e.xid = new.xid)::text, true);
  for v_routine in select h.routine from mill.hook h where h.event = 'ended' order by h.place, h.routine loop
    begin
      execute format('select %s($1, $2)', v_routine) using new.xid, v_after;
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'ended_hook_failed',
        jsonb_build_object('hook', v_routine, 'parent', new.parent, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;
  if not found then
    delete from mill.ended e where e.xid = new.xid and e.n > v_after;
  end if;
  return null;
end
$_$;

COMMENT ON FUNCTION mill.call_ended_hooks() IS 'Calls the hooks of ended at the commit of the transaction that ended jobs with a parent.';

CREATE FUNCTION mill.call_hooks(p_event text, p_detail jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_routine text;
begin
  for v_routine in select h.routine from mill.hook h where h.event = p_event order by h.place, h.routine loop
    execute format('select %s($1)', v_routine) using p_detail;
  end loop;
end
$_$;

COMMENT ON FUNCTION mill.call_hooks(p_event text, p_detail jsonb) IS 'Calls the hooks of an event, in the order of their places.';

CREATE FUNCTION mill.call_repeatable(p_function text, p_arguments jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  -- The role that PostgREST has set; SECURITY DEFINER does not change it.
  v_role text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  v_schema text;
  v_names text[];
  v_types text[];
  v_unknown text;
  v_answer jsonb;
begin
  select n.nspname, p.proargnames[1:p.pronargs],
    array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t(type, at) order by t.at)
  into v_schema, v_names, v_types
  from mill.repeatable_call r
  join pg_proc p on p.oid = to_regproc(format('%I.%I', mill.schema_of(r.part), r.function))::oid
  join pg_namespace n on n.oid = p.pronamespace
  where r.function = p_function and p.prosecdef and not p.proretset and has_function_privilege(v_role, p.oid, 'execute');
  if not found then
    raise exception 'this function cannot be called under an idempotency key, or is not open to you' using errcode = 'GM083',
      hint = 'The functions that can are rows of mill.repeatable_call.';
  end if;
  select k.name into v_unknown from jsonb_object_keys(p_arguments) k(name) where k.name <> all (v_names) limit 1;
  if found then
    raise exception 'the function has no argument "%"', left(v_unknown, 64) using errcode = 'GM004';
  end if;

  -- Only what was given is passed, so that defaults hold for the rest.
  execute (
    select format('select to_jsonb(%I.%I(%s))', v_schema, p_function, string_agg(format('%I => a.%1$I', n.name), ', '))
      || coalesce(' from jsonb_to_record($1) as a(' || string_agg(format('%I %s', n.name, n.type), ', ') || ')', '')
    from unnest(v_names, v_types) n(name, type) where p_arguments ? n.name)
  into v_answer using p_arguments;
  return v_answer;
end
$_$;

COMMENT ON FUNCTION mill.call_repeatable(p_function text, p_arguments jsonb) IS 'Calls a function of mill.repeatable_call with named arguments, if the caller may. Raises GM083 otherwise.';

CREATE FUNCTION mill.call_with_ticket(p_function text, p_arguments jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_schema text;
  v_names text[];
  v_types text[];
  v_answer jsonb;
begin
  select n.nspname, p.proargnames[1:p.pronargs],
    array(select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t(type, at) order by t.at)
  into v_schema, v_names, v_types
  from mill.ticket_call c
  join pg_proc p on p.oid = to_regproc(format('%I.%I', mill.schema_of(c.part), c.function))::oid
  join pg_namespace n on n.oid = p.pronamespace
  where c.function = p_function and p.prosecdef and not p.proretset and has_function_privilege('authenticated', p.oid, 'execute');
  if not found or exists (select from jsonb_object_keys(p_arguments) k(name) where k.name <> all (v_names)) then
    raise exception 'a ticket cannot be used for this' using errcode = 'GM090';
  end if;
  execute (
    select format('select to_jsonb(%I.%I(%s))', v_schema, p_function, string_agg(format('%I => a.%1$I', n.name), ', '))
      || coalesce(' from jsonb_to_record($1) as a(' || string_agg(format('%I %s', n.name, n.type), ', ') || ')', '')
    from unnest(v_names, v_types) n(name, type) where p_arguments ? n.name)
  into v_answer using p_arguments;
  return v_answer;
end
$_$;

COMMENT ON FUNCTION mill.call_with_ticket(p_function text, p_arguments jsonb) IS 'Calls a function of mill.ticket_call with named arguments. Raises GM090 for any other.';

CREATE FUNCTION mill.call_worker(p_queue text, p_reason text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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

COMMENT ON FUNCTION mill.call_worker(p_queue text, p_reason text) IS 'Calls the worker at the setting worker.url, if there is one, for a queue that has due jobs.';

CREATE TABLE mill.ended (
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    n bigint NOT NULL,
    parent uuid NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    ids uuid[] NOT NULL,
    results jsonb[],
    errors jsonb[],
    at timestamp with time zone NOT NULL,
    counted boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500');

COMMENT ON TABLE mill.ended IS 'What became of jobs with a parent, one row per settled batch, parent, name and state.';

CREATE FUNCTION mill.can_count_later(p_told mill.ended) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '10ms'
    AS $$
begin
  if not mill.is_countable(p_told) then
    return false;
  end if;
  perform from (
    select t.id, t.state from mill.task t where t.job_id = p_told.parent and t.key = p_told.name order by t.item desc limit 500) t
  cross join lateral (select from mill.job_live l where l.id = t.id for key share skip locked) l
  where t.state = 'queued'
  limit 1;
  return found;
exception when lock_not_available then
  return false;
end
$$;

COMMENT ON FUNCTION mill.can_count_later(p_told mill.ended) IS 'Whether a later batch is sure to count what this one has ended, and nothing needs it before.';

CREATE FUNCTION mill.can_post(p_function text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return mill.function_url(p_function) is not null and to_regproc('net.http_post') is not null
    and exists (select from mill.secret s where s.name = 'invoke');
end
$$;

COMMENT ON FUNCTION mill.can_post(p_function text) IS 'Whether a function can be called at all: its address, a key and pg_net are there.';

CREATE FUNCTION mill.cancel(p_ids uuid[]) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_waiting uuid[];
  v_running uuid[];
begin
  perform mill.unpack_jobs(p_ids);
  select coalesce(array_agg(j.id) filter (where j.state <> 'processing'), '{}'),
    coalesce(array_agg(j.id) filter (where j.state = 'processing'), '{}')
  into v_waiting, v_running
  from (
    select j.id, j.state from mill.job_live j where j.id = any (p_ids) order by j.id for update) j;

  perform mill.end_jobs(v_waiting, 'cancelled', mill.now());
  update mill.job_live j set cancel_requested = true where j.id = any (v_running) and not j.cancel_requested;

  perform mill.call_acted_hooks(v_waiting || v_running, 'cancel', null);
  return query
  select distinct a.id,
    case when a.id = any (v_waiting) then 'cancelled' when a.id = any (v_running) then 'requested' else 'not_live' end
  from unnest(p_ids) as a(id);
end
$$;

COMMENT ON FUNCTION mill.cancel(p_ids uuid[]) IS 'Cancels jobs: cancelled for a waiting one, requested for a running one, not_live for one that has ended or never was.';

CREATE FUNCTION mill.cancel_export_job(p_id uuid, p_owner uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.lock_exports(p_owner);
  perform from mill.job_live j where j.id = p_id and j.state <> 'processing' for update;
  if not found then
    raise exception 'an export can be cancelled here while it is pending: it is being made, or has ended' using errcode = 'GM053';
  end if;
  perform mill.cancel(array[p_id]);
  perform mill.note_ended_exports(array[p_id]);
end
$$;

COMMENT ON FUNCTION mill.cancel_export_job(p_id uuid, p_owner uuid) IS 'Cancels an export that waits; GM053 for any other.';

CREATE FUNCTION mill.capacity_left(p_jobs jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_object_agg(q.queue, q.depth_limit - mill.depth(q.queue, q.depth_limit)), '{}')
  from mill.queue q
  where q.depth_limit is not null
    and exists (select from mill.kind k
                where k.queue = q.queue and p_jobs @> jsonb_build_array(jsonb_build_object('kind', k.kind)))
$$;

COMMENT ON FUNCTION mill.capacity_left(p_jobs jsonb) IS 'How many more jobs each depth-limited queue of a batch takes, as an object.';

CREATE FUNCTION mill.catch_up_workflow(p_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_ended record;
begin
  if not exists (select from mill.workflow j where j.id = p_id) then
    delete from mill.ended e where e.parent = p_id;
    return;
  end if;
  v_ended := mill.record_ended(p_id);
  perform mill.advance_workflow(p_id, v_ended.ended, v_ended.failed, v_ended.is_step_done);
end
$$;

COMMENT ON FUNCTION mill.catch_up_workflow(p_id uuid) IS 'Takes all that is known to have ended of a job and advances it. The caller holds the job.';

CREATE FUNCTION mill.chain_audit(p_max integer DEFAULT 10000, p_waits boolean DEFAULT false) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lock constant bigint := 7022311640271843; -- any constant that only this uses
  v_row record;
  v_day mill.audit_day;
  v_count int := 0;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_lock);
  elsif not pg_try_advisory_xact_lock(v_lock) then
    return 0;
  end if;

  for v_row in
    with taken as (
      delete from mill.audit_unchained u
      where u.audit_id in (select o.audit_id from mill.audit_unchained o order by o.audit_id limit p_max)
      returning u.audit_id, u.at
    )
    select t.audit_id, (t.at at time zone 'UTC')::date as day,
      -- A row that was deleted before it was linked gets a link all the same: verify then misses it.
      coalesce((select mill.audit_digest(a) from mill.audit_log a where a.id = t.audit_id and a.at = t.at), '') as digest
    from taken t
    order by 2, 1
  loop
    if v_day.day is distinct from v_row.day then
      perform mill.keep_audit_day(v_day);
      v_day := mill.open_audit_day(v_row.day);
    end if;
    v_day.rows := v_day.rows + 1;
    v_day.head := sha256(v_day.head || v_row.digest);
    insert into mill.audit_chain (day, seq, audit_id, hash) values (v_row.day, v_day.rows, v_row.audit_id, v_day.head);
    v_count := v_count + 1;
  end loop;
  perform mill.keep_audit_day(v_day);
  update mill.audit_total t set rows = t.rows + v_count where v_count > 0;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.chain_audit(p_max integer, p_waits boolean) IS 'Links audit rows that are not linked yet; says how many.';

CREATE FUNCTION mill.check_breakers() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select format('%s is %s', b.target, b.state) from mill.breaker b where b.state = 'open' $$;

COMMENT ON FUNCTION mill.check_breakers() IS 'Targets that are not invoked.';

CREATE TABLE public.data_type_registry (
    data_type text NOT NULL,
    table_name text NOT NULL,
    timestamp_column text DEFAULT 'fetched_at'::text NOT NULL,
    staleness_function text DEFAULT 'is_data_stale'::text NOT NULL,
    default_ttl_minutes integer NOT NULL,
    edge_function_name text DEFAULT 'processor'::text NOT NULL,
    refresh_strategy text DEFAULT 'on-demand'::text NOT NULL,
    refresh_schedule text,
    priority integer DEFAULT 5 NOT NULL,
    estimated_data_size_bytes bigint DEFAULT 0 NOT NULL,
    symbol_column text DEFAULT 'symbol'::text NOT NULL,
    source_timestamp_column text,
    provider text DEFAULT 'fmp'::text NOT NULL,
    endpoint_template text,
    response_schema jsonb,
    column_map jsonb,
    is_enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT column_map_is_an_object CHECK ((jsonb_typeof(column_map) = 'object'::text)),
    CONSTRAINT data_type_is_a_short_word CHECK ((data_type ~ '^[a-z][a-z0-9_-]{0,40}$'::text)),
    CONSTRAINT default_ttl_is_positive CHECK ((default_ttl_minutes > 0)),
    CONSTRAINT endpoint_is_a_path_on_its_provider CHECK (((endpoint_template ~ '^/[A-Za-z0-9]'::text) AND (endpoint_template !~ '[[:space:][:cntrl:]\\@#]|//|\.\./|/\.\.'::text) AND (length(endpoint_template) <= 500) AND (replace(endpoint_template, '{symbol}'::text, ''::text) !~ '[{}]'::text))),
    CONSTRAINT endpoint_schema_and_map_come_together CHECK ((num_nonnulls(endpoint_template, response_schema, column_map) = ANY (ARRAY[0, 3]))),
    CONSTRAINT estimate_is_not_negative CHECK ((estimated_data_size_bytes >= 0)),
    CONSTRAINT priority_is_above_scheduled_work CHECK (((priority >= 0) AND (priority <= 100))),
    CONSTRAINT provider_is_a_short_word CHECK ((provider ~ '^[a-z][a-z0-9_]{0,30}$'::text)),
    CONSTRAINT refresh_strategy_is_known CHECK ((refresh_strategy = ANY (ARRAY['on-demand'::text, 'scheduled'::text]))),
    CONSTRAINT response_schema_is_an_object CHECK ((jsonb_typeof(response_schema) = 'object'::text)),
    CONSTRAINT scheduled_types_have_a_schedule CHECK (((refresh_strategy = 'on-demand'::text) OR (refresh_schedule IS NOT NULL)))
);

COMMENT ON TABLE public.data_type_registry IS 'One row per data type; adding one is an INSERT by the owner or the service.';

CREATE FUNCTION mill.check_column_map(p_row public.data_type_registry, p_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  perform mill.refuse_registry_row(format('column_map: %s is no column of %s that a refresh may write', m.key, p_row.table_name))
  from jsonb_each(p_row.column_map) m
  where m.key in (p_row.timestamp_column, 'cache_ttl_minutes') or not exists (
    select from pg_attribute a
    where a.attrelid = p_table and a.attname = m.key and a.attnum > 0 and not a.attisdropped and a.attgenerated = '');
  perform mill.refuse_registry_row(format('column_map: %s must be a JSON pointer such as "/price"', m.key))
  from jsonb_each(p_row.column_map) m
  where jsonb_typeof(m.value) <> 'string' or m.value #>> '{}' !~ '^(/[^/]+)+$';
  -- Without them another symbol's data, or yesterday's, could not be told.
  perform mill.refuse_registry_row(format('column_map: %s is not mapped', c.name))
  from unnest(array[p_row.symbol_column, p_row.source_timestamp_column]) c(name)
  where c.name is not null and not p_row.column_map ? c.name;
  perform mill.refuse_registry_row(format('column_map: %s may not be null and is not mapped', a.attname))
  from pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
    and a.attname <> p_row.timestamp_column and not p_row.column_map ? a.attname::text;
end
$_$;

COMMENT ON FUNCTION mill.check_column_map(p_row public.data_type_registry, p_table regclass) IS 'Raises GM035 when a column map does not fit its table.';

CREATE FUNCTION mill.check_cron() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select format('%s %s', c.name, c.reason) from mill.cron_health() c where c.is_critical and c.reason is not null $$;

COMMENT ON FUNCTION mill.check_cron() IS 'Critical schedules that did not run in time.';

CREATE FUNCTION mill.check_dead_letters() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('queue %s has %s or more new ones in an hour', q.queue, d.dead)
  from mill.queue q
  cross join (select mill.setting('health.dead_letters_per_hour', '100')::int as allowed) s
  cross join lateral (
    select count(*) as dead from (
      select from mill.job_dead j where j.queue = q.queue and j.finished_at > mill.now() - interval '1 hour'
      limit s.allowed + 1) j) d
  where d.dead > s.allowed
$$;

COMMENT ON FUNCTION mill.check_dead_letters() IS 'Queues that bury many jobs. Counted no further than the limit.';

CREATE FUNCTION mill.check_definition() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_steps mill.workflow_step[];
begin
  if tg_op = 'UPDATE' and (new.type, new.version, new.tasks, new.defaults, new.documents)
    is distinct from (old.type, old.version, old.tasks, old.defaults, old.documents)
    and exists (select from mill.workflow j where j.type = old.type and j.version = old.version)
  then
    raise exception 'version % of "%" has been started and cannot change', old.version, old.type
      using errcode = 'GM069', hint = 'Insert the next version instead.';
  end if;

  -- Its tasks are inserted into job_tasks, job by job: there is nothing to check before.
  if new.tasks = '[]' then
    return new;
  end if;
  perform mill.check_definition_tasks(new.tasks);
  v_steps := array(select s from mill.definition_steps(new.type, new.version, new.tasks) s);
  perform mill.check_definition_graph(v_steps);
  perform mill.check_definition_templates(v_steps, new.tasks);
  if new.documents is not null and not exists (select from unnest(v_steps) s where s.key = new.documents) then
    perform mill.refuse_definition('GM061', format('documents names "%s", which is no task', new.documents));
  end if;
  return new;
end
$$;

COMMENT ON FUNCTION mill.check_definition() IS 'Refuses a definition that could not run, with the reason.';

CREATE FUNCTION mill.check_definition_fields(p_definition jsonb, p_fields text[], p_place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_unknown text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object' then
    perform mill.refuse_definition_of(p_place, 'must be an object');
  end if;
  v_unknown := (select k.name from jsonb_object_keys(p_definition) as k(name) where k.name <> all (p_fields) limit 1);
  if v_unknown is not null then
    perform mill.refuse_definition_of(mill.pointer(p_place, v_unknown), 'is no option');
  end if;
end
$$;

COMMENT ON FUNCTION mill.check_definition_fields(p_definition jsonb, p_fields text[], p_place text) IS 'Raises GM013 for a definition that is no object or has an unknown field.';

CREATE TABLE mill.workflow_step (
    type text NOT NULL,
    version integer NOT NULL,
    "position" integer NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    needs text[] NOT NULL,
    for_each text[],
    each_of text,
    family text,
    pieces jsonb NOT NULL,
    weight numeric NOT NULL,
    phase text NOT NULL,
    on_failure text NOT NULL,
    compensation text,
    is_compensation boolean NOT NULL,
    tolerant boolean NOT NULL,
    max_attempts integer,
    is_inserted boolean DEFAULT false NOT NULL
);

COMMENT ON TABLE mill.workflow_step IS 'The tasks of the definitions, taken apart when a definition is written.';

CREATE FUNCTION mill.check_definition_graph(p_steps mill.workflow_step[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_bad record;
  v_cycle text[];
begin
  select s.key, n.need into v_bad
  from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of || s.compensation) as n(need)
  where n.need is not null and not exists (select from unnest(p_steps) o where o.key = n.need) limit 1;
  if found then
    perform mill.refuse_definition('GM064', format('task "%s" can never start: there is no task "%s"', v_bad.key, v_bad.need));
  end if;

  v_cycle := mill.definition_cycle(p_steps);
  if v_cycle is not null then
    perform mill.refuse_definition('GM062', format('tasks wait for each other in a cycle: %s', array_to_string(v_cycle, ' needs ')));
  end if;

  select s.key, o.key as need into v_bad
  from unnest(p_steps) s join unnest(p_steps) o on (o.key = any (s.needs) or o.key = s.each_of) and o.is_compensation limit 1;
  if found then
    perform mill.refuse_definition('GM064', format(
      'task "%s" can never be reached: "%s" runs only as a compensation', v_bad.key, v_bad.need));
  end if;
  select s.key into v_bad from unnest(p_steps) s
  where s.is_compensation and (s.needs <> '{}' or s.for_each is not null or s.each_of is not null or s.compensation is not null) limit 1;
  if found then
    perform mill.refuse_definition('GM061', format(
      'task "%s" is a compensation: it has no needs, no items and no compensation of its own', v_bad.key));
  end if;
  select s.key, s.each_of into v_bad from unnest(p_steps) s where s.each_of is not null and s.family is null limit 1;
  if found then
    perform mill.refuse_definition('GM061', format('task "%s" goes along "%s", which has no items', v_bad.key, v_bad.each_of));
  end if;
end
$$;

COMMENT ON FUNCTION mill.check_definition_graph(p_steps mill.workflow_step[]) IS 'Refuses a definition with a cycle, or with a task that can never start.';

CREATE FUNCTION mill.check_definition_tasks(p_tasks jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  if jsonb_typeof(p_tasks) is distinct from 'array' or jsonb_array_length(p_tasks) not between 1 and 500
    or p_tasks @? '$[*] ? (@.type() != "object")'
  then
    perform mill.refuse_definition('GM061', 'tasks must be an array of 1 to 500 objects');
  end if;

  perform case
    when t.key !~ '^[a-z][a-z0-9_]{0,40}$' or t.key is null
      then mill.refuse_definition('GM061', format('task %s needs a key of small letters, digits and _', t.n))
    when t.key in ('params', 'item', 'index', 'job', 'task', 'failure')
      then mill.refuse_definition('GM061', format('"%s" cannot be the key of a task: templates use the word', t.key))
    when count(*) over (partition by t.key) > 1
      then mill.refuse_definition('GM061', format('there are two tasks "%s"', t.key))
    when t.unknown is not null
      then mill.refuse_definition('GM061', format('task "%s" has an unknown field "%s"', t.key, t.unknown))
    when jsonb_typeof(t.task -> 'kind') is distinct from 'string'
      then mill.refuse_definition('GM061', format('task "%s" needs a kind', t.key))
    when not exists (select from mill.kind k where k.kind = t.task ->> 'kind')
      then mill.refuse_definition('GM063', format('task "%s" is of an unknown kind "%s"', t.key, t.task ->> 'kind'))
    when jsonb_typeof(coalesce(t.task -> 'needs', '[]')) <> 'array' or t.task @? '$.needs[*] ? (@.type() != "string")'
      then mill.refuse_definition('GM061', format('needs of task "%s" must be an array of keys', t.key))
    when t.task ? 'for_each' and t.task ? 'each'
      then mill.refuse_definition('GM061', format('task "%s" has both for_each and each', t.key))
    when (t.task ->> 'for_each') !~ '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)*$'
      then mill.refuse_definition('GM065', format('for_each of task "%s" must be a reference like params.items', t.key))
    when jsonb_typeof(coalesce(t.task -> 'weight', '1')) <> 'number' or (t.task ->> 'weight')::numeric not between 0.001 and 1000000
      then mill.refuse_definition('GM061', format('weight of task "%s" must be a positive number', t.key))
    when jsonb_typeof(coalesce(t.task -> 'phase', '""')) <> 'string' or (t.task ->> 'phase') !~ '^[a-z][a-z0-9_ -]{0,40}$'
      then mill.refuse_definition('GM061', format('phase of task "%s" must be a short word', t.key))
    when jsonb_typeof(coalesce(t.task -> 'tolerant', 'true')) <> 'boolean'
      then mill.refuse_definition('GM061', format('tolerant of task "%s" must be true or false', t.key))
    when jsonb_typeof(coalesce(t.task -> 'max_attempts', '1')) <> 'number' or (t.task ->> 'max_attempts')::numeric not between 1 and 1000
      then mill.refuse_definition('GM061', format('max_attempts of task "%s" must be between 1 and 1000', t.key))
    when t.task ? 'on_failure' and coalesce(t.task -> 'on_failure' not in ('"fail"', '"skip"')
        and jsonb_typeof(t.task #> '{on_failure,compensate}') is distinct from 'string', true)
      then mill.refuse_definition('GM061', format('on_failure of task "%s" must be fail, skip or {"compensate": key}', t.key))
    when jsonb_typeof(t.task -> 'input') is distinct from 'object' or t.task -> 'input' = '{}'
      then mill.refuse_definition('GM065', format('input of task "%s" must be an object with at least one field', t.key))
  end
  from (
    select e.task, e.n, e.task ->> 'key' as key,
      (select min(f) from jsonb_object_keys(e.task) f where f not in ('key', 'kind', 'needs', 'for_each', 'each', 'input',
        'weight', 'phase', 'on_failure', 'tolerant', 'max_attempts')) as unknown
    from jsonb_array_elements(p_tasks) with ordinality as e(task, n)
  ) t;
end
$_$;

COMMENT ON FUNCTION mill.check_definition_tasks(p_tasks jsonb) IS 'Refuses a definition one of whose tasks is malformed or of an unknown kind.';

CREATE FUNCTION mill.check_definition_templates(p_steps mill.workflow_step[], p_tasks jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_bad record;
begin
  select s.key into v_bad from unnest(p_steps) s
  where s.pieces @? '$[*].text ? (@ like_regex "[{][{]|[}][}]")'
    or exists (
      select from jsonb_path_query(p_tasks -> (s.position - 1) -> 'input', 'strict $.** ? (@.type() == "object").keyvalue().key') k
      where k #>> '{}' like '%{{%')
  limit 1;
  if found then
    perform mill.refuse_definition('GM065', format(
      'input of task "%s" has braces that are no reference; {{params.name}} is one, and only within a value', v_bad.key));
  end if;

  with recursive upstream as (
    select s.key, n.need from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of) as n(need) where n.need is not null
    union
    select u.key, n.need from upstream u join unnest(p_steps) s on s.key = u.need
    cross join lateral unnest(s.needs || s.each_of) as n(need) where n.need is not null
  ),
  reference as (
    select s as step, p.piece ->> 'root' as root, false as is_list
    from unnest(p_steps) s cross join lateral jsonb_array_elements(s.pieces) as p(piece) where p.piece ? 'root'
    union all
    select s, s.for_each[1], true from unnest(p_steps) s where s.for_each is not null
  )
  select (r.step).key, r.root into v_bad
  from reference r
  where case
    when r.root in ('params', 'job') then false
    when r.root = 'task' then r.is_list
    when r.root in ('item', 'index') then r.is_list or (r.step).family is null
    when r.root = 'failure' then not (r.step).is_compensation
    when (r.step).is_compensation then not exists (select from unnest(p_steps) o where o.key = r.root)
    else not exists (select from upstream u where u.key = (r.step).key and u.need = r.root)
  end
  limit 1;
  if found then
    perform mill.refuse_definition('GM065', format(
      'task "%s" refers to "%s", which is not there when it starts', v_bad.key, v_bad.root));
  end if;
end
$_$;

COMMENT ON FUNCTION mill.check_definition_templates(p_steps mill.workflow_step[], p_tasks jsonb) IS 'Refuses a definition with a template that refers to what cannot be there.';

CREATE FUNCTION mill.check_export_storage(p_owner uuid, p_more bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit bigint := mill.setting('exports.storage_limit_bytes', '104857600')::bigint;
  v_used bigint := mill.export_storage_used(p_owner);
begin
  if v_used + p_more > v_limit then
    raise exception 'your exports use % of % bytes: delete some, or wait until they expire', v_used, v_limit
      using errcode = 'GM051', detail = jsonb_build_object('used', v_used, 'limit', v_limit);
  end if;
end
$$;

COMMENT ON FUNCTION mill.check_export_storage(p_owner uuid, p_more bigint) IS 'GM051 with used and limit when so many more bytes do not fit.';

CREATE FUNCTION mill.check_fit(p_kind text, p_compiled jsonb, p_payload jsonb, p_at bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_violation text[];
begin
  if jsonb_typeof(p_payload) = 'object' and p_payload <> '{}' then
    v_violation := mill.schema_violation(p_compiled, p_compiled, p_payload);
    if v_violation is not null then
      raise exception 'the payload does not fit the schema of "%": % %', p_kind, coalesce(nullif(v_violation[1], ''), 'it'), v_violation[2]
        using errcode = 'GM011', detail = format('job %s, field %s', p_at, v_violation[1]);
    end if;
  end if;
  return true;
end
$$;

COMMENT ON FUNCTION mill.check_fit(p_kind text, p_compiled jsonb, p_payload jsonb, p_at bigint) IS 'True, or GM011 with the job and the field when a payload does not fit the compiled schema of its kind.';

CREATE FUNCTION mill.check_fits(p_jobs jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.check_fit(k.kind, k.compiled_schema, j.job -> 'payload', j.ordinality - 1)
  from jsonb_array_elements(p_jobs) with ordinality as j(job, ordinality)
  join mill.kind k on k.kind = j.job ->> 'kind' and k.compiled_schema is not null
  order by j.ordinality;
end
$$;

COMMENT ON FUNCTION mill.check_fits(p_jobs jsonb) IS 'Raises GM011 for the first job of a batch whose payload does not fit the schema of its kind.';

CREATE FUNCTION mill.check_invocations() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('the last invocations of queue %s failed: %s', q.queue, l.failures[1])
  from mill.queue q
  cross join lateral (
    select array_agg(i.failure order by i.asked_at desc) as failures
    from (
      select i.failure, i.asked_at from mill.invocation i
      where i.queue = q.queue and i.ended_at is not null and i.asked_at > mill.now() - interval '5 minutes'
      order by i.asked_at desc
      limit 3) i) l
  where q.served_by = 'function' and not q.paused and cardinality(array_remove(l.failures, null)) = 3
$$;

COMMENT ON FUNCTION mill.check_invocations() IS 'Queues whose last three invocations failed, with the reason of the last one.';

CREATE FUNCTION mill.check_oldest_due_job() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('a job of queue %s has been due for %s s', q.queue, round(a.age))
  from mill.queue q
  cross join lateral (select extract(epoch from mill.now() - mill.oldest_served(q)) as age) a
  where not q.paused and a.age > mill.setting('health.oldest_due_seconds', '300')::numeric
$$;

COMMENT ON FUNCTION mill.check_oldest_due_job() IS 'Queues whose oldest due job waits too long. Paused ones are an operator''s will; kinds that no worker has ever asked for are a note.';

CREATE FUNCTION mill.refuse_job(p_at bigint, p_code text, p_what text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  case p_code
    when 'GM001' then
      raise exception 'unknown job kind "%"', left(p_what, 64) using errcode = 'GM001',
        detail = format('job %s', p_at), hint = 'A kind is a row of mill.kind.';
    when 'GM002' then
      raise exception 'payload must be an object with at least one field' using errcode = 'GM002',
        detail = format('job %s', p_at);
    when 'GM003' then
      raise exception 'payload is larger than % bytes', p_what using errcode = 'GM003',
        detail = format('job %s', p_at), hint = 'Store the content elsewhere and enqueue a reference to it.';
    else
      raise exception 'job is malformed' using errcode = 'GM004', detail = format('job %s, field %s', p_at, p_what);
  end case;
end
$$;

COMMENT ON FUNCTION mill.refuse_job(p_at bigint, p_code text, p_what text) IS 'Raises GM001 to GM004 for one job of a batch.';

CREATE FUNCTION mill.check_payload(p_payload jsonb, p_max_bytes integer, p_at bigint) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE WHEN ((p_payload IS NULL) OR (jsonb_typeof(p_payload) <> 'object'::text) OR (pg_column_size(p_payload) <= 8)) THEN mill.refuse_job(p_at, 'GM002'::text, NULL::text) WHEN (pg_column_size(p_payload) > p_max_bytes) THEN mill.refuse_job(p_at, 'GM003'::text, (p_max_bytes)::text) ELSE true END;

COMMENT ON FUNCTION mill.check_payload(p_payload jsonb, p_max_bytes integer, p_at bigint) IS 'True, or raises what is wrong with the payload of one job of a batch.';

CREATE FUNCTION mill.check_presence(p_list jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_group record;
  v_symbols text[];
  v_after text := '';
  v_queued int := 0;
begin
  if not mill.entry_lock('check-stale-data') then
    return jsonb_build_object('skipped', true);
  end if;

  if jsonb_typeof(p_list) <> 'null' then
    for v_group in
      select r as type, p.viewers, array_agg(p.symbol order by p.symbol) as symbols
      from mill.presence_list(p_list) p
      join public.data_type_registry r on r.data_type = p.data_type and r.is_enabled
      group by r.data_type, p.viewers order by r.data_type, p.viewers desc
    loop
      v_queued := v_queued + mill.queue_stale(v_group.type, v_group.symbols, v_group.viewers);
    end loop;
    return jsonb_build_object('queued', v_queued);
  end if;

  loop
    v_symbols := mill.watched_symbols(v_after, 200);
    exit when v_symbols = '{}';
    v_queued := v_queued + mill.check_watched(v_symbols);
    v_after := v_symbols[cardinality(v_symbols)];
  end loop;
  return jsonb_build_object('queued', v_queued);
end
$$;

COMMENT ON FUNCTION mill.check_presence(p_list jsonb) IS 'Queues what is watched and stale; {queued} or, while another run is at it, {skipped}.';

CREATE FUNCTION mill.check_quota() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select format('%s%% of the data quota is used, serving has stopped', mill.quota_percent()) where mill.is_quota_exceeded() $$;

COMMENT ON FUNCTION mill.check_quota() IS 'Whether refreshes have stopped for want of quota.';

CREATE FUNCTION mill.check_references(p_compiled jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_lost text := (
    select r.path ->> 1 from jsonb_path_query(p_compiled, 'strict $.**."$ref"', silent => true) as r(path)
    where jsonb_typeof(r.path) = 'array' and jsonb_typeof(p_compiled #> array(select jsonb_array_elements_text(r.path))) is null
    limit 1);
  v_cycle text;
begin
  if v_lost is not null then
    perform mill.refuse_schema('/$defs/' || v_lost, 'is referred to and is not there');
  end if;
  with recursive node (name, node) as (
    select '[]'::jsonb, p_compiled
    union all
    select jsonb_build_array('$defs', d.key), d.value from jsonb_each(p_compiled -> '$defs') d
    union all
    select n.name, c.node
    from node n
    cross join lateral (
      select n.node -> k.key from unnest(array['not', 'if', 'then', 'else']) as k(key) where n.node ? k.key
      union all
      select e.value
      from unnest(array['allOf', 'anyOf', 'oneOf']) as k(key)
      cross join lateral jsonb_array_elements(case when n.node ? k.key then n.node -> k.key else '[]' end) as e(value)) as c(node)
    where jsonb_typeof(n.node) = 'object'
  ),
  reached (name, target) as (
    select n.name, n.node -> '$ref' from node n where n.node ? '$ref'
    union
    select r.name, n.node -> '$ref' from reached r join node n on n.name = r.target where n.node ? '$ref'
  )
  select coalesce(r.name ->> 1, '#') into v_cycle from reached r where r.name = r.target limit 1;
  if v_cycle is not null then
    perform mill.refuse_schema(v_cycle, 'refers to itself for the same value');
  end if;
end
$_$;

COMMENT ON FUNCTION mill.check_references(p_compiled jsonb) IS 'Raises GM013 for a reference to nothing and for a name that refers to itself.';

CREATE FUNCTION mill.check_registry_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_table regclass;
  v_column text;
  v_is_ours boolean := mill.is_our_fetcher(new.edge_function_name);
begin
  foreach v_column in array array[new.table_name, new.symbol_column, new.timestamp_column,
    coalesce(new.source_timestamp_column, 'none'), new.staleness_function] loop
    perform mill.refuse_registry_row(format('%L is not a plain identifier', v_column))
    where not public.is_valid_identifier(v_column);
  end loop;

  v_table := mill.data_table(new.table_name);
  perform mill.refuse_registry_row(format('there is no table %s%s', new.table_name, case when v_is_ours then ' with row level security' end))
  where not exists (select from pg_class c where c.oid = v_table and c.relkind in ('r', 'p') and (c.relrowsecurity or not v_is_ours));
  perform mill.refuse_registry_row(format('%s.%s is no text', new.table_name, new.symbol_column))
  where not exists (
    select from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = v_table and a.attname = new.symbol_column and t.typcategory = 'S');
  perform mill.refuse_registry_row(format('%s has no primary key that begins with %s', new.table_name, new.symbol_column))
  where v_is_ours and not exists (
    select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indrelid = v_table and i.indisprimary and a.attname = new.symbol_column and a.atttypid = 'text'::regtype);
  perform mill.refuse_registry_row(format('%s.%s is no timestamptz', new.table_name, c.name))
  from unnest(array[new.timestamp_column, new.source_timestamp_column]) c(name)
  where c.name is not null and not exists (
    select from pg_attribute a where a.attrelid = v_table and a.attname = c.name
      and (a.atttypid = 'timestamptz'::regtype or not v_is_ours and a.atttypid in ('timestamp'::regtype, 'date'::regtype)));
  perform mill.refuse_registry_row(format('there is no function %s(timestamptz, integer) that returns boolean', new.staleness_function))
  where not exists (
    select from pg_proc p where p.oid = mill.staleness_function(new.staleness_function)
      and p.prorettype = 'boolean'::regtype);
  perform mill.refuse_registry_row(format('no refresh queue is served by function %s for provider %s: insert one into mill.queue, served_by external where the function is not ours',
    new.edge_function_name, new.provider))
  where mill.refresh_queue_of(new.edge_function_name, new.provider) is null;

  if v_is_ours then
    perform mill.check_response_schema(new);
  end if;
  if new.column_map is not null then
    perform mill.check_column_map(new, v_table);
  end if;
  if new.refresh_schedule is not null then
    perform mill.cron_matches(new.refresh_schedule, mill.now());
  end if;
  new.updated_at := mill.now();
  return new;
end
$$;

COMMENT ON FUNCTION mill.check_registry_row() IS 'Trigger: checks a row of data_type_registry against the catalog.';

CREATE FUNCTION mill.check_response_schema(p_row public.data_type_registry) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  perform mill.refuse_registry_row(format(
    'our processor has no fetcher of its own for %s: give endpoint_template, response_schema and column_map, or name the function that fetches it in edge_function_name', p_row.data_type))
  where p_row.endpoint_template is null and p_row.data_type <> all (array['quote', 'profile', 'earnings', 'financial-statements']);
  perform mill.refuse_registry_row('response_schema accepts anything: say at least the type')
  where not p_row.response_schema ?| array['type', 'properties', 'items', 'required', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref'];

  perform mill.refuse_registry_row(format('response_schema: %s of %s is not as a JSON Schema has it', w.keyword, w.place))
  from (
    with recursive node(place, it) as (
      select 'the whole', p_row.response_schema
      union all
      select format('%s/%s', n.place, c.name), c.it
      from node n
      cross join lateral (
        select p.key as name, p.value as it from jsonb_each(case jsonb_typeof(n.it -> 'properties') when 'object' then n.it -> 'properties' else '{}' end) p
        union all
        select k.word, n.it -> k.word from unnest(array['items', 'additionalProperties', 'not']) k(word) where jsonb_typeof(n.it -> k.word) = 'object'
        union all
        select k.word, e from unnest(array['anyOf', 'allOf', 'oneOf']) k(word)
        cross join lateral jsonb_array_elements(case jsonb_typeof(n.it -> k.word) when 'array' then n.it -> k.word else '[]' end) e) c
    )
    select n.place, k.keyword
    from node n
    cross join lateral (values
      ('the schema', jsonb_typeof(n.it) in ('object', 'boolean')),
      ('type', not n.it ? 'type' or not exists (
        select from jsonb_array_elements_text(case jsonb_typeof(n.it -> 'type') when 'array' then n.it -> 'type' else jsonb_build_array(n.it -> 'type') end) t(word)
        where t.word is null or t.word <> all (array['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']))),
      ('properties', coalesce(jsonb_typeof(n.it -> 'properties'), 'object') = 'object'),
      ('items', coalesce(jsonb_typeof(n.it -> 'items'), 'object') in ('object', 'boolean')),
      ('required', coalesce(jsonb_typeof(n.it -> 'required'), 'array') = 'array'),
      ('minimum', coalesce(jsonb_typeof(n.it -> 'minimum'), 'number') = 'number'),
      ('maximum', coalesce(jsonb_typeof(n.it -> 'maximum'), 'number') = 'number')) k(keyword, is_well)
    where not k.is_well) w;
end
$_$;

COMMENT ON FUNCTION mill.check_response_schema(p_row public.data_type_registry) IS 'Raises GM035 when a type of our processor says nothing of how it is fetched, or its response schema is none.';

CREATE PROCEDURE mill.check_stale_data(IN p_stretch integer DEFAULT 200)
    LANGUAGE plpgsql
    AS $$
declare
  v_lock constant bigint := 7022341640271841; -- any constant that only this uses
  v_after text := '';
  v_symbols text[];
begin
  perform mill.require_primary();
  if not pg_catalog.pg_try_advisory_lock(v_lock) then
    return; -- the run of the minute before is still at it
  end if;

  loop
    v_symbols := '{}'; -- where the walk itself fails, the pass ends
    begin
      v_symbols := mill.watched_symbols(v_after, p_stretch);
      perform mill.check_watched(v_symbols);
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail) values (mill.now(), 'check_stale_data_failed',
          pg_catalog.jsonb_build_object('after', v_after, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;
    exit when v_symbols = '{}';
    v_after := v_symbols[pg_catalog.cardinality(v_symbols)];
  end loop;

  perform mill.record_heartbeat('check-stale-data');
  commit;
  perform pg_catalog.pg_advisory_unlock(v_lock);
end
$$;

COMMENT ON PROCEDURE mill.check_stale_data(IN p_stretch integer) IS 'Queues what is watched and stale, a stretch of symbols a transaction. Runs never overlap.';

CREATE FUNCTION mill.check_symbol(p_symbol text, p_data_types text[], p_priority integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_type public.data_type_registry;
  v_queued int := 0;
begin
  if not exists (select from public.supported_symbols s where s.symbol = p_symbol and s.is_active) then
    return 0;
  end if;
  for v_type in
    select r.* from public.data_type_registry r where r.data_type = any (p_data_types) and r.is_enabled order by r.data_type
  loop
    v_queued := v_queued + mill.queue_stale(v_type, array[p_symbol], p_priority);
  end loop;
  return v_queued;
end
$$;

COMMENT ON FUNCTION mill.check_symbol(p_symbol text, p_data_types text[], p_priority integer) IS 'Queues what is missing or stale of a symbol; says how many refreshes were new. Without a priority each gets the number of its viewers.';

CREATE FUNCTION mill.check_unique(p_unique jsonb, p_place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.is_unique_option(p_unique) then
    perform mill.refuse_definition_of(p_place, 'must be {"by": names of fields, "within_seconds": 1 to 31536000}');
  end if;
end
$$;

COMMENT ON FUNCTION mill.check_unique(p_unique jsonb, p_place text) IS 'Raises GM013 for a unique that says nothing.';

CREATE FUNCTION mill.check_watched(p_symbols text[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_since timestamptz := mill.now() - interval '5 minutes';
  v_type public.data_type_registry;
  v_watched text[];
  v_queued int := 0;
begin
  for v_type in select r.* from public.data_type_registry r where r.is_enabled order by r.data_type loop
    v_watched := array(
      select s.symbol from unnest(p_symbols) s(symbol)
      where exists (
        select from public.active_subscriptions_v2 a
        where a.symbol = s.symbol and a.data_type = v_type.data_type and a.last_seen_at > v_since));
    perform mill.lift_pauses(v_type.data_type, v_watched);
    v_queued := v_queued + mill.queue_stale(v_type, v_watched, null);
  end loop;
  return v_queued;
end
$$;

COMMENT ON FUNCTION mill.check_watched(p_symbols text[]) IS 'Queues what is watched and stale among some symbols; says how many refreshes were new.';

CREATE FUNCTION mill.check_workers() RETURNS TABLE(detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('no worker serves queue %s, which has work', q.queue)
  from mill.queue q
  where q.served_by = 'worker' and not q.paused and mill.oldest_served(q) < mill.now() - interval '1 minute'
    and not exists (
      select from mill.worker w where q.queue = any (w.queues)
        and w.seen_at > mill.now() - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int))
    -- Workers of others are known by what they claimed alone.
    and not exists (
      select from mill.claimant c where c.queue = q.queue
        and c.claimed_at > mill.now() - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int))
$$;

COMMENT ON FUNCTION mill.check_workers() IS 'Queues of the container worker that have work and nobody to do it.';

CREATE FUNCTION mill.claim(p_worker text, p_queues text[], p_max integer, p_kinds text[] DEFAULT NULL::text[], p_lease_seconds integer DEFAULT NULL::integer, p_waits boolean DEFAULT true) RETURNS TABLE(id uuid, queue text, kind text, name text, payload jsonb, attempt integer, max_attempts integer, lease_until timestamp with time zone, owner uuid, group_key text, correlation_id text, traceparent text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_queue mill.queue;
  v_left int := least(p_max, 1000);
  v_asked int;
  v_opened int;
  v_rows tid[];
  v_packs tid[];
  v_waits boolean := p_waits;
  v_lease_until timestamptz;
  v_slot text;
begin
  if coalesce(p_worker, '') = '' then
    raise exception 'a worker needs a name' using errcode = 'GM004';
  end if;

  perform mill.note_asked_kinds(p_queues, p_kinds);
  for v_queue in
    select q.* from mill.queue q where q.queue = any (p_queues) and not q.paused order by hashtext(q.queue || v_now::text)
  loop
    exit when v_left <= 0;
    v_asked := v_left;
    loop
      v_rows := mill.lock_due_jobs(v_queue, v_left, p_kinds, v_waits);
      v_waits := false;
      v_left := v_left - cardinality(v_rows);

      -- Out here, for in the UPDATE they would be computed again for every row. It may have waited: a lease begins now.
      v_now := mill.now();
      v_lease_until := v_now + make_interval(secs => coalesce(p_lease_seconds, v_queue.lease_seconds));
      -- Also who passes over other kinds: what runs then need not stand below the first that is pending.
      v_slot := case when v_queue.counts_running or p_kinds is not null then v_queue.queue end;
      return query
      update mill.job_live j set
        state = 'processing',
        attempt = j.attempt + 1,
        worker = p_worker,
        started_at = v_now,
        lease_until = v_lease_until,
        slot = v_slot
      where j.ctid = any (v_rows)
      returning j.id, j.queue, j.kind, j.name, j.payload, j.attempt, j.max_attempts,
                j.lease_until, j.owner, j.group_key, j.correlation_id, j.traceparent;
      exit when v_left <= 0 or v_queue.counts_running;

      v_packs := mill.lock_packs(v_queue, v_left, p_kinds);
      exit when v_packs = '{}';
      return query
      with opened as (
        delete from mill.pack p where p.ctid = any (v_packs) returning p.*
      ),
      -- One for packs that were neighbours, so that nobody else's jobs lie between its ids.
      leased as (
        insert into mill.pack_lease (lease_until, first, last, queue)
        select v_lease_until, (array_agg(o.first order by o.turn))[1], (array_agg(o.last order by o.turn desc))[1], o.queue
        from (select o.*, o.turn - sum(o.jobs) over (partition by o.batch order by o.turn) as row_of_packs from opened o) o
        group by o.batch, o.row_of_packs, o.queue
      )
      insert into mill.job as j (
        id, line, queue, kind, payload, state, run_at, attempt, max_attempts, worker, created_at, started_at, lease_until)
      select p.id, o.line, o.queue, o.kind, p.payload, 'processing', o.run_at, 1, o.max_attempts, p_worker, o.run_at, v_now, v_lease_until
      from opened o cross join lateral unnest(o.ids, o.payloads) as p(id, payload)
      returning j.id, j.queue, j.kind, j.name, j.payload, j.attempt, j.max_attempts,
                j.lease_until, j.owner, j.group_key, j.correlation_id, j.traceparent;
      get diagnostics v_opened = row_count;
      v_left := v_left - v_opened;
      exit when v_left <= 0;
    end loop;

    if v_left < v_asked and v_queue.served_by <> 'function' then
      perform mill.note_claimant(v_queue.queue, p_worker);
    end if;
    if v_left < v_asked and exists (
      select from mill.floor f where f.queue = v_queue.queue and f.advance_at <= clock_timestamp())
    then
      perform mill.raise_floors(v_queue.queue);
    end if;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.claim(p_worker text, p_queues text[], p_max integer, p_kinds text[], p_lease_seconds integer, p_waits boolean) IS 'Leases due jobs of the queues to a worker and counts an attempt for each. (worker, attempt) fences what the worker may say later.';

CREATE FUNCTION mill.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_jobs jsonb;
begin
  perform mill.lock_refresh_claims();
  begin
    v_jobs := public.claim_jobs(p_worker, array[p_queue], p_max, null, p_invocation);
    if v_jobs <> '[]' and mill.quota_used(mill.setting('refresh.quota_days', '30')::int) + mill.quota_in_flight()
      > mill.quota_limit(null, null)
    then
      raise exception 'the batch would cross the quota' using errcode = 'GM039';
    end if;
    -- The grant is the row that this very transaction wrote, as it wrote the claimed jobs.
    update mill.api_use u set at = j.started_at + interval '12 seconds'
    from mill.job_live j
    where j.id = (v_jobs #>> '{0,id}')::uuid and u.xmin = j.xmin;
  exception when sqlstate 'GM039' then
    v_jobs := public.claim_jobs(p_worker, array[p_queue], 0, null, p_invocation); -- the invocation has ended
    if mill.every_minute('quota_event') then
      insert into mill.event (at, code, detail) values (mill.now(), 'quota_exceeded', jsonb_build_object('by', 'claim'));
    end if;
  end;
  return v_jobs;
end
$$;

COMMENT ON FUNCTION mill.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) IS 'Leases a batch of refreshes to a worker; none while the provider has no room or the batch would cross the quota.';

CREATE FUNCTION mill.claim_unique(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_answers jsonb;
begin
  with keys as materialized (
    select u.*, min(u.at) over (partition by u.kind, u.digest) as first from mill.unique_keys(p_jobs) u
  ),
  written as (
    insert into mill.unique_job as j (kind, digest, id, until)
    select k.kind, k.digest, mill.uuid7_at(p_turn + k.at + 1, p_random), p_now + make_interval(secs => k.within_seconds)
    from keys k
    where k.at = k.first
      and not exists (select from mill.unique_job o where o.kind = k.kind and o.digest = k.digest and o.until > p_now)
    order by k.kind, k.digest
    on conflict (kind, digest) do update set id = excluded.id, until = excluded.until where j.until <= p_now
    returning j.kind, j.digest
  )
  select coalesce(jsonb_object_agg(k.at, jsonb_strip_nulls(jsonb_build_object(
    'status', 'duplicate', 'kind', case when w.kind is null then k.kind end, 'digest', case when w.kind is null then encode(k.digest, 'hex') end,
    'first', case when w.kind is not null then k.first end))), '{}')
  into v_answers
  from keys k left join written w on w.kind = k.kind and w.digest = k.digest
  where w.kind is null or k.at > k.first;

  -- In a statement of its own: it sees the rows that the insert has waited for.
  return (
    select coalesce(jsonb_object_agg(a.key, case when a.value ? 'digest' then jsonb_build_object('status', 'duplicate', 'id', j.id) else a.value end), '{}')
    from jsonb_each(v_answers) a
    left join mill.unique_job j on j.kind = a.value ->> 'kind' and j.digest = decode(a.value ->> 'digest', 'hex'));
end
$$;

COMMENT ON FUNCTION mill.claim_unique(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text) IS 'Takes the keys of unique jobs; answers which jobs of the batch are duplicates. For mill.enqueue alone.';

CREATE FUNCTION mill.cleanup_alerts(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from mill.alert a where a.id in (
      select o.id from mill.alert o where o.state = 'resolved' and o.resolved_at < mill.now() - interval '90 days' limit p_max)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

COMMENT ON FUNCTION mill.cleanup_alerts(p_max integer) IS 'Forgets alerts that were resolved 90 days ago.';

CREATE FUNCTION mill.cleanup_analytics(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select public.refresh_analytics_from_presence_v2() $$;

COMMENT ON FUNCTION mill.cleanup_analytics(p_max integer) IS 'The count of watchers as a step of the cleanup.';

CREATE FUNCTION mill.cleanup_capacity(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select jsonb_build_object('expired', mill.fold_api_use()) $$;

COMMENT ON FUNCTION mill.cleanup_capacity(p_max integer) IS 'Ends capacity leases whose callers were lost; the tick does the same.';

CREATE FUNCTION mill.cleanup_compat_leases(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from mill.compat_lease c where c.id in (
      select o.id from mill.compat_lease o
      where o.started_at < mill.now() - interval '1 hour' and not exists (
        select from mill.job_live j where j.id = o.id and j.worker = o.worker and j.attempt = o.attempt and j.started_at = o.started_at)
      order by o.started_at limit p_max for update skip locked)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

COMMENT ON FUNCTION mill.cleanup_compat_leases(p_max integer) IS 'Forgets leases of compat claims that are over: lost, cancelled, or settled by another call.';

CREATE FUNCTION mill.cleanup_documents(p_max integer DEFAULT 1000) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_grace interval := make_interval(secs => mill.setting('documents.upload_grace_seconds', '300')::double precision);
begin
  if exists (select from mill.document_upload u where u.begun_at < mill.now() - v_grace)
    or exists (select from public.shell_files f where f.status = 'erasing' and f.updated_at < mill.now() - v_grace)
  then
    perform mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": false}, "dedupe_key": "document_sweep"}]');
    return '{"asked": true}'::jsonb;
  end if;
  return '{"asked": false}'::jsonb;
end
$$;

COMMENT ON FUNCTION mill.cleanup_documents(p_max integer) IS 'Asks for a sweep when an upload was left unfinished or an erasure incomplete.';

CREATE FUNCTION mill.cleanup_export_files(p_max integer) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_abandoned timestamptz := v_now - make_interval(secs => mill.setting('exports.abandoned_after_seconds', '3600')::int);
  v_stuck text[] := array(select f.path from mill.export_file f where f.state = 'removing' order by f.created_at limit p_max);
  v_keys text[];
begin
  if v_stuck <> '{}' then
    insert into mill.event (at, code, detail) values (v_now, 'export_files_not_removed',
      jsonb_build_object('files', cardinality(v_stuck), 'first', v_stuck[1]));
  end if;
  with chosen as (
    select f.path from mill.export_file f
    where f.state = 'stored' and f.expires_at <= v_now or f.state = 'deleted'
      or f.state = 'writing' and f.created_at <= v_abandoned and not exists (
        select from mill.job_live j where j.id = f.export_id and j.attempt = f.attempt and j.state = 'processing')
    order by f.created_at
    limit greatest(p_max - cardinality(v_stuck), 0)
    for update skip locked
  ),
  marked as (
    update mill.export_file f set state = 'removing' from chosen c where f.path = c.path returning f.path
  )
  select v_stuck || coalesce(array_agg(m.path), '{}') into v_keys from marked m;
  if cardinality(v_keys) < p_max then
    v_keys := v_keys || mill.unclaimed_export_objects(v_abandoned, p_max - cardinality(v_keys));
  end if;
  return jsonb_build_object('remove', to_jsonb(v_keys), 'more', cardinality(v_keys) = p_max and v_stuck = '{}');
end
$$;

COMMENT ON FUNCTION mill.cleanup_export_files(p_max integer) IS 'Marks files that are to go; answers their keys, so that the objects go first.';

CREATE FUNCTION mill.cleanup_exports(p_max integer) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_old timestamptz := mill.now() - make_interval(days => mill.setting('exports.remember_days', '30')::int);
  v_owner uuid;
  v_noted int := 0;
  v_forgotten int;
begin
  -- One owner's lock at a time, in one order.
  for v_owner in
    select distinct o.owner from (
      select e.owner from mill.export e
      where e.ended is null and not exists (select from mill.job_live j where j.id = e.id) limit p_max) o
    order by o.owner
  loop
    perform mill.lock_exports(v_owner);
    v_noted := v_noted + mill.note_ended_exports(array(
      select e.id from mill.export e
      where e.owner = v_owner and e.ended is null and not exists (select from mill.job_live j where j.id = e.id)));
  end loop;

  delete from mill.export e where e.id in (
    select o.id from mill.export o
    where o.created_at < v_old
      and not exists (select from mill.job_live j where j.id = o.id)
      and not exists (select from mill.export_file f where f.export_id = o.id)
    limit p_max);
  get diagnostics v_forgotten = row_count;
  delete from mill.export_batch b where b.created_at < v_old
    and not exists (select from mill.export_batch_item i where i.batch_id = b.id);
  delete from mill.export_day d where d.day < (mill.now() at time zone 'UTC')::date - 1;
  return jsonb_build_object('noted', v_noted, 'forgotten', v_forgotten, 'more', v_forgotten = p_max);
end
$$;

COMMENT ON FUNCTION mill.cleanup_exports(p_max integer) IS 'Notes exports that ended unseen and forgets old ones.';

CREATE FUNCTION mill.cleanup_idempotency(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from mill.idempotency_key k where (k.caller, k.key) in (
      select o.caller, o.key from mill.idempotency_key o where o.created_at <= mill.now() - interval '24 hours'
      order by o.created_at limit p_max)
    -- Looked at again once the row is locked: the key may have been taken anew meanwhile.
    and k.created_at <= mill.now() - interval '24 hours'
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

COMMENT ON FUNCTION mill.cleanup_idempotency(p_max integer) IS 'Deletes idempotency keys that are older than 24 hours.';

CREATE FUNCTION mill.cleanup_retention(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.maintain() $$;

COMMENT ON FUNCTION mill.cleanup_retention(p_max integer) IS 'Drops days past their retention and prunes what grows; does by itself what the hourly schedule does.';

CREATE FUNCTION mill.cleanup_subscriptions(p_max integer DEFAULT 20000) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_removed int;
begin
  if not mill.entry_lock('cleanup-subscriptions') then
    return jsonb_build_object('skipped', true);
  end if;
  delete from public.active_subscriptions_v2 a where a.ctid = any (array(
    select o.ctid from public.active_subscriptions_v2 o
    where o.last_seen_at < v_now - interval '5 minutes' limit p_max for update skip locked));
  get diagnostics v_removed = row_count;
  delete from mill.data_change c where c.at < v_now - interval '1 hour';
  -- Dead letters in a row are remembered for a while after the pause, or the next one would count as the first.
  delete from mill.data_check c where c.ctid = any (array(
    select o.ctid from mill.data_check o
    where o.next_check_at < v_now - case o.reason when 'dead' then interval '1 hour' else interval '0' end for update skip locked));
  perform mill.fold_usage(v_now);
  return jsonb_build_object('removed', v_removed);
end
$$;

COMMENT ON FUNCTION mill.cleanup_subscriptions(p_max integer) IS 'Removes subscriptions that were not seen for 5 minutes, and what else refresh keeps for a while; {removed} or {skipped}.';

CREATE FUNCTION mill.cleanup_unique_jobs(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from mill.unique_job u where (u.kind, u.digest) in (
      select o.kind, o.digest from mill.unique_job o where o.until <= mill.now() order by o.until limit p_max for update skip locked)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

COMMENT ON FUNCTION mill.cleanup_unique_jobs(p_max integer) IS 'Forgets the keys of unique jobs whose time is over.';

CREATE FUNCTION mill.cleanup_uploads(p_max integer DEFAULT 200) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_before timestamptz := mill.now() - make_interval(secs => mill.setting('documents.unclaimed_object_seconds', '86400')::double precision);
  v_since timestamptz := (select p.installed_at from mill.part p where p.part = 'compat/documents');
  v_objects text[] := array(
    select o.object from mill.stored_objects('medical-docs') o
    where o.stored_at < v_before and o.stored_at >= v_since
      and mill.is_swept_place(mill.key_within('medical-docs', o.object))
      and not exists (select from public.shell_files f where f.storage_path = mill.key_within('medical-docs', o.object) and f.bucket = 'medical-docs')
      and not exists (select from mill.document_upload u where u.place = o.object)
    order by o.stored_at limit p_max);
begin
  return jsonb_build_object('remove', to_jsonb(v_objects), 'more', cardinality(v_objects) = p_max);
end
$$;

COMMENT ON FUNCTION mill.cleanup_uploads(p_max integer) IS 'Names the files in medical-docs that no document names, so that they are removed.';

CREATE FUNCTION mill.cleanup_workers(p_max integer) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from mill.worker w where w.worker in (
      select o.worker from mill.worker o where o.seen_at < mill.now() - interval '1 day' limit p_max)
    returning 1),
  -- The last one of each queue stays: health names it.
  claimants as (
    delete from mill.claimant c where c.claimed_at < mill.now() - interval '1 day'
      and exists (select from mill.claimant later where later.queue = c.queue and later.claimed_at > c.claimed_at))
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

COMMENT ON FUNCTION mill.cleanup_workers(p_max integer) IS 'Forgets workers that were not seen for a day.';

CREATE FUNCTION mill.cleanup_workflows(p_max integer) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_old timestamptz := mill.now() - make_interval(days => mill.setting('workflows.remember_days', '90')::int);
  v_jobs uuid[] := array(
    select j.id from mill.workflow j where j.finished_at < v_old and not j.stragglers
      and not exists (
        select from mill.task t join mill.job_live l on l.id = t.id where t.job_id = j.id and t.state = 'queued')
    order by j.finished_at limit least(p_max, 100));
  v_keys text[] := array(
    select k.key from (
      select case a.bucket when 'gristmill' then '' else a.bucket || ':' end || a.storage_path as key, 1 as place
      from public.job_artifacts a where a.job_id = any (v_jobs)
      union all
      select format('%s/%s/%s', j.user_id, j.id, format(f.form, t.id)), 2
      from mill.workflow j join mill.task t on t.job_id = j.id and t.state in ('failed', 'cancelled') and t.item >= 0
      cross join (values ('json/%s.json'), ('pdf/%s.pdf'), ('audio/%s.mp3')) as f(form)
      where j.id = any (v_jobs)
      union
      -- What compat workers have stored and not named.
      select o.object, 2 from mill.stored_objects('job-artifacts') o
      where split_part(o.object, '/', 2) = any (v_jobs::text[]) and not exists (
        select from public.job_artifacts a where a.bucket || ':' || a.storage_path = o.object)) k
    order by k.place limit p_max);
  v_empty int;
begin
  delete from mill.workflow j where j.id = any (v_jobs) and not j.id = any (array(select split_part(k.key, '/', 2)::uuid from unnest(v_keys) as k(key)))
    and not exists (select from public.job_artifacts a where a.job_id = j.id);
  get diagnostics v_empty = row_count;
  return jsonb_build_object('forgotten', v_empty, 'remove', to_jsonb(v_keys), 'more', v_jobs <> '{}');
end
$$;

COMMENT ON FUNCTION mill.cleanup_workflows(p_max integer) IS 'Forgets jobs that ended long ago; answers the keys of objects that must go before.';

CREATE FUNCTION mill.clock_us() RETURNS bigint
    LANGUAGE sql
    RETURN ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint;

COMMENT ON FUNCTION mill.clock_us() IS 'Microseconds since 1970 by the real clock. Places in line come from here and never from mill.now(): a test that turns its clock back must not lose jobs below the floor.';

CREATE FUNCTION mill.combined_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_schema jsonb;
  v_violation text[];
  v_first text[];
  v_fitting int := 0;
begin
  if p_schema ? '$ref' then
    v_violation := mill.schema_violation(p_root, p_root #> array(select jsonb_array_elements_text(p_schema -> '$ref')), p_value, p_path, p_depth);
    if v_violation is not null then
      return v_violation;
    end if;
  end if;
  for v_schema in select e.value from jsonb_array_elements(p_schema -> 'allOf') e loop
    v_violation := mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
    if v_violation is not null then
      return v_violation;
    end if;
  end loop;
  if p_schema ? 'anyOf' then
    for v_schema in select e.value from jsonb_array_elements(p_schema -> 'anyOf') e loop
      v_violation := mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
      v_first := coalesce(v_first, v_violation);
      exit when v_violation is null;
    end loop;
    if v_violation is not null then -- the first of several alternatives is as good as any to name
      return array[v_first[1], v_first[2] || ', or fit another alternative'];
    end if;
  end if;
  if p_schema ? 'oneOf' then
    for v_schema in select e.value from jsonb_array_elements(p_schema -> 'oneOf') e loop
      v_fitting := v_fitting + (mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth) is null)::int;
    end loop;
    if v_fitting <> 1 then
      return array[p_path, format('must fit exactly one of the alternatives, and fits %s', v_fitting)];
    end if;
  end if;
  if p_schema ? 'not' and mill.schema_violation(p_root, p_schema -> 'not', p_value, p_path, p_depth) is null then
    return array[p_path, 'is what it must not be'];
  end if;
  if p_schema ? 'if' then
    v_schema := case when mill.schema_violation(p_root, p_schema -> 'if', p_value, p_path, p_depth) is null then p_schema -> 'then' else p_schema -> 'else' end;
    if v_schema is not null then
      return mill.schema_violation(p_root, v_schema, p_value, p_path, p_depth);
    end if;
  end if;
  return null;
end
$_$;

COMMENT ON FUNCTION mill.combined_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) IS 'What schemas that a schema combines have against a value. For mill.schema_violation alone.';

CREATE FUNCTION mill.compile_keyword(p_keyword text, p_value jsonb, p_place text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  case
    when mill.keyword_value(p_keyword) = 'a schema' then
      return mill.compile_subschema(p_value, p_place);
    when mill.keyword_value(p_keyword) = 'an array of schemas' then
      return (select jsonb_agg(mill.compile_subschema(e.value, p_place || '/' || e.ordinality - 1) order by e.ordinality)
              from jsonb_array_elements(p_value) with ordinality as e(value, ordinality));
    when mill.keyword_value(p_keyword) = 'an object of schemas' then
      return (select coalesce(jsonb_object_agg(
                case when p_keyword = 'patternProperties' then mill.compile_pattern(e.key, mill.pointer(p_place, e.key)) else e.key end,
                mill.compile_subschema(e.value, mill.pointer(p_place, e.key))), '{}')
              from jsonb_each(p_value) e);
    when p_keyword = 'pattern' then
      return to_jsonb(mill.compile_pattern(p_value #>> '{}', p_place));
    when p_keyword = 'type' then
      return case jsonb_typeof(p_value) when 'array' then p_value else jsonb_build_array(p_value) end;
    when p_keyword = '$ref' then
      if p_value #>> '{}' !~ '^#(/\$defs/[^/%]+)?$' then
        perform mill.refuse_schema(p_place, 'must be # or #/$defs/ and a name');
      end if;
      -- The path of the schema that is meant.
      return case p_value #>> '{}' when '#' then '[]' else
        jsonb_build_array('$defs', replace(replace(substr(p_value #>> '{}', 9), '~1', '/'), '~0', '~')) end;
    else
      return p_value;
  end case;
end
$_$;

COMMENT ON FUNCTION mill.compile_keyword(p_keyword text, p_value jsonb, p_place text) IS 'The value of a keyword in the form in which payloads are checked. For mill.compile_subschema alone.';

CREATE FUNCTION mill.compile_pattern(p_pattern text, p_place text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_pattern text := mill.translate_pattern(p_pattern);
begin
  if v_pattern is null then
    perform mill.refuse_schema(p_place, 'is a pattern that Postgres cannot match as ECMAScript does');
  end if;
  return v_pattern;
end
$$;

COMMENT ON FUNCTION mill.compile_pattern(p_pattern text, p_place text) IS 'A pattern of a schema as Postgres has it, or GM013.';

CREATE FUNCTION mill.compile_schema(p_schema jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_compiled jsonb;
begin
  if p_schema is null then
    return null;
  end if;
  v_compiled := mill.compile_subschema(p_schema, '');
  if jsonb_typeof(v_compiled) = 'object' then
    perform mill.check_references(v_compiled);
  end if;
  return v_compiled;
end
$$;

COMMENT ON FUNCTION mill.compile_schema(p_schema jsonb) IS 'A JSON Schema in the form that mill.schema_violation takes. GM013 for one that is not supported, with the place.';

CREATE FUNCTION mill.compile_schema_of_kind() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  new.compiled_schema := mill.compile_schema(new.schema);
  return new;
end
$$;

COMMENT ON FUNCTION mill.compile_schema_of_kind() IS 'Keeps the compiled form of a kind''s schema; GM013 for a schema that is not supported.';

CREATE FUNCTION mill.compile_subschema(p_schema jsonb, p_place text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_result jsonb := jsonb '{}';
  v_entry record;
  v_wanted text;
  v_place text;
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return p_schema;
  elsif jsonb_typeof(p_schema) is distinct from 'object' then
    perform mill.refuse_schema(p_place, 'must be an object, true or false');
  end if;
  for v_entry in select e.key, e.value from jsonb_each(p_schema) e loop
    v_place := mill.pointer(p_place, v_entry.key);
    v_wanted := mill.keyword_value(v_entry.key);
    if v_wanted is null then
      perform mill.refuse_schema(v_place, 'is a keyword that is not supported');
    elsif not mill.fits_keyword(v_entry.value, v_wanted) then
      perform mill.refuse_schema(v_place, 'must be ' || v_wanted);
    elsif v_entry.key = '$schema' and v_entry.value #>> '{}' not like '%/draft/2020-12/schema%' then
      perform mill.refuse_schema(v_place, 'must be that of 2020-12, or be left out');
    elsif v_entry.key in ('$id', '$schema') and p_place <> '' then
      perform mill.refuse_schema(v_place, 'belongs to the top of a schema');
    end if;
    continue when v_wanted = 'annotation'
      or v_entry.key = 'format' and v_entry.value #>> '{}' not in ('date-time', 'date', 'uuid', 'email', 'uri');
    v_result := v_result || jsonb_build_object(v_entry.key, mill.compile_keyword(v_entry.key, v_entry.value, v_place));
  end loop;
  return v_result;
end
$_$;

COMMENT ON FUNCTION mill.compile_subschema(p_schema jsonb, p_place text) IS 'A schema in the form in which payloads are checked, or GM013 with the place. For mill.compile_schema alone.';

CREATE FUNCTION mill.complete(p_worker text, p_ids uuid[], p_attempts integer[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lost uuid[];
begin
  if p_ids is null or cardinality(p_ids) is distinct from cardinality(p_attempts)
    or array_position(p_ids, null) is not null or array_position(p_attempts, null) is not null
  then
    raise exception 'every job needs id and attempt' using errcode = 'GM005';
  end if;

  if p_attempts[1] = all (p_attempts) then
    v_lost := mill.settle_completed(p_worker, p_ids, null, p_attempts[1], mill.now());
  end if;
  if v_lost is null or v_lost <> '{}' then -- several attempts, or some that were asked to cancel
    v_lost := array(
      select s.id from mill.settle(p_worker, (
        select coalesce(jsonb_agg(jsonb_build_object('id', j.id, 'attempt', j.attempt, 'outcome', 'completed')), '[]')
        from unnest(p_ids, p_attempts) as j(id, attempt)
        where v_lost is null or j.id = any (v_lost))) s
      where s.status = 'lost');
  end if;
  return v_lost;
end
$$;

COMMENT ON FUNCTION mill.complete(p_worker text, p_ids uuid[], p_attempts integer[]) IS 'Completes jobs without results; answers the ids that were lost, which it does not change.';

CREATE FUNCTION mill.complete_error_entry(p_entry jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (jsonb_build_object('error_type', (p_entry -> 'type'::text), 'error_message', (p_entry -> 'message'::text), 'retry_count', NULL::unknown, 'next_retry_at', NULL::unknown, 'worker_id', NULL::unknown, 'api_provider', NULL::unknown, 'rate_limit_hit', false, 'heartbeat_expired', false, 'duration_ms', NULL::unknown, 'timestamp', NULL::unknown) || (p_entry - ARRAY['type'::text, 'message'::text]));

COMMENT ON FUNCTION mill.complete_error_entry(p_entry jsonb) IS 'An entry of processing_error with every compatible key.';

CREATE FUNCTION mill.complete_export_job(p_holder mill.holder, p_url text, p_size integer, p_pages integer) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_export mill.export;
  v_path text := mill.export_object(p_url);
  v_is_done boolean;
begin
  select e.* into v_export from mill.export e where e.id = p_holder.job;
  if p_url is null then
    raise exception 'a completed export has a result_url: where its file is' using errcode = 'GM055';
  elsif coalesce(p_size, 0) < 0 or coalesce(p_pages, 0) < 0 then
    raise exception 'file_size and page_count are not negative' using errcode = 'GM004';
  end if;
  if v_path is not null then
    perform mill.register_export_object(v_export.owner, v_export.document_id, v_path, v_export.id);
    update mill.export_file f set attempt = p_holder.attempt where f.path = v_path and f.state = 'writing';
    v_is_done := public.finish_export(p_holder.job, p_holder.worker, p_holder.attempt, v_path, mill.export_file_name(v_export.title), coalesce(p_pages, 1));
  elsif p_url !~* '^https?://[^/]+' or p_url ~* '/storage/v1/' then
    raise exception 'result_url is neither a file in the bucket exports nor an address outside our storage' using errcode = 'GM055';
  else
    v_is_done := mill.settle_held(p_holder, jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object('url', p_url)));
    if v_is_done then
      update mill.export e set ended = 'completed', message = null, source = null where e.id = p_holder.job;
      perform mill.note_export(p_holder.job, 'completed', jsonb_build_object('progress', 100, 'attempt', p_holder.attempt));
    end if;
  end if;
  if v_is_done then
    update mill.export e set result_url = p_url, result_size = p_size, result_pages = p_pages where e.id = p_holder.job;
  end if;
  return v_is_done;
end
$$;

COMMENT ON FUNCTION mill.complete_export_job(p_holder mill.holder, p_url text, p_size integer, p_pages integer) IS 'Completes an export with the result that a compat worker names; false when the job was cancelled, GM055 without a stored file.';

CREATE FUNCTION mill.complete_queue_definition(p_definition jsonb, p_is_new boolean) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
      when coalesce(p_definition -> 'url', 'null') <> 'null' then '{"served_by": "function", "function": null}'::jsonb
      when coalesce(p_definition -> 'function', 'null') <> 'null' then '{"served_by": "function", "url": null}'
      when p_definition ->> 'served_by' = 'worker' then '{"function": null, "url": null}'
      when p_is_new then '{"served_by": "external"}'
      else '{}' end
    || p_definition
$$;

COMMENT ON FUNCTION mill.complete_queue_definition(p_definition jsonb, p_is_new boolean) IS 'The definition of a queue with what follows from its other fields.';

CREATE FUNCTION mill.confirm_export_files(p_keys text[]) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- The history goes with its file.
  with gone as (
    delete from mill.export_file f where f.path = any (p_keys) and f.state = 'removing' returning 1)
  select jsonb_build_object('removed', count(*)) from gone
$$;

COMMENT ON FUNCTION mill.confirm_export_files(p_keys text[]) IS 'These objects are gone: forgets their rows, and what could be downloaded of them.';

CREATE FUNCTION mill.confirm_uploads(p_objects text[]) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select jsonb_build_object('removed', cardinality(p_objects)) $$;

COMMENT ON FUNCTION mill.confirm_uploads(p_objects text[]) IS 'These files are gone from medical-docs.';

CREATE FUNCTION mill.confirm_workflows(p_keys text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_removed int;
  v_forgotten int;
begin
  delete from public.job_artifacts a
  using unnest(p_keys) as k(key)
  where a.storage_path = substr(k.key, strpos(k.key, ':') + 1)
    and a.bucket = case when strpos(k.key, ':') > 0 then split_part(k.key, ':', 1) else 'gristmill' end;
  get diagnostics v_removed = row_count;
  delete from mill.workflow j
  where j.id in (select split_part(k.key, '/', 2)::uuid from unnest(p_keys) as k(key)) and j.finished_at is not null
    and not exists (select from public.job_artifacts a where a.job_id = j.id);
  get diagnostics v_forgotten = row_count;
  return jsonb_build_object('removed', v_removed, 'forgotten', v_forgotten);
end
$$;

COMMENT ON FUNCTION mill.confirm_workflows(p_keys text[]) IS 'These objects are gone: forgets their rows, and jobs that have none left.';

CREATE FUNCTION mill.correct_estimates(p_outcomes jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_share double precision := mill.setting('refresh.estimate_share', '0.01')::double precision;
  v_seen record;
begin
  for v_seen in
    select o.data_type, o.bytes, r.estimated_data_size_bytes as estimate
    from jsonb_to_recordset(p_outcomes) as o(data_type text, bytes bigint, outcome text)
    join public.data_type_registry r using (data_type)
    where o.outcome = 'fetched' and o.bytes > 0
    order by o.data_type
  loop
    if v_seen.estimate > 0 and v_seen.bytes > 2 * v_seen.estimate and mill.every_minute('estimate_exceeded.' || v_seen.data_type) then
      insert into mill.event (at, code, detail) values (p_now, 'estimate_exceeded', to_jsonb(v_seen));
    end if;
    if v_seen.estimate = 0 or random() < v_share then
      update public.data_type_registry r set estimated_data_size_bytes = case r.estimated_data_size_bytes
        when 0 then v_seen.bytes else round(0.9 * r.estimated_data_size_bytes + 0.1 * v_seen.bytes) end
      where r.data_type = v_seen.data_type and (v_seen.estimate > 0 or r.estimated_data_size_bytes = 0);
    end if;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.correct_estimates(p_outcomes jsonb, p_now timestamp with time zone) IS 'Moves estimated sizes towards what was fetched.';

CREATE FUNCTION mill.correct_upload(p_profile_id uuid, p_document_id uuid, p_size bigint) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_counted bigint;
begin
  if not mill.is_enabled('usage_tracking') then
    return '{}'::text[];
  end if;
  select (e.counts ->> 'bytes')::bigint into v_counted from mill.usage_event e
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_document_id::text
  for update;
  if not found then
    return mill.count_upload(p_profile_id, p_document_id, p_size, false);
  end if;
  if v_counted = p_size then
    return '{}'::text[];
  end if;
  update mill.usage_event e set counts = e.counts || jsonb_build_object('bytes', p_size)
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_document_id::text;
  perform mill.add_usage(p_profile_id, jsonb_build_object('bytes', p_size - v_counted), mill.now());
  return array(
    select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(mill.now())) m
    where m.meter = 'storage_mb' and m.is_over and p_size > v_counted and mill.is_enabled('billing'));
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_document_id, 'sqlstate', sqlstate, 'message', sqlerrm));
  return '{}'::text[];
end
$$;

COMMENT ON FUNCTION mill.correct_upload(p_profile_id uuid, p_document_id uuid, p_size bigint) IS 'Puts the measured size of a file in the place of the one that was counted; answers the meters that forbid it, where more was stored than was said.';

CREATE FUNCTION mill.correlation_id() RETURNS text
    LANGUAGE sql STABLE
    RETURN "left"(((NULLIF(current_setting('request.headers'::text, true), ''::text))::jsonb ->> 'x-correlation-id'::text), 200);

COMMENT ON FUNCTION mill.correlation_id() IS 'The x-correlation-id of the request that this transaction serves, or null.';

CREATE FUNCTION mill.count_document_version() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  -- An upsert sets every column that was sent, the id among them. So users may set the id, to what it is.
  if new.id <> old.id then
    raise exception 'the id of a document cannot change' using errcode = '42501';
  end if;
  if (new.title, new.data) is distinct from (old.title, old.data) then
    new.version := old.version + 1;
    new.updated_at := mill.now();
  end if;
  return new;
end
$$;

COMMENT ON FUNCTION mill.count_document_version() IS 'Counts a change of title or data as a new version, and refuses a change of the id.';

CREATE FUNCTION mill.count_ended(p_job_id uuid, p_keys text[], p_completed integer[], p_failed integer[]) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_is_done boolean;
begin
  with counted as (
    update mill.step s set completed = s.completed + c.completed, failed = s.failed + c.failed
    from (
      select u.key, sum(u.completed)::int as completed, sum(u.failed)::int as failed
      from unnest(p_keys, p_completed, p_failed) as u(key, completed, failed) group by u.key) c
    where s.job_id = p_job_id and s.key = c.key
    returning s.completed + s.failed + s.skipped = s.total as is_done
  )
  select coalesce(bool_or(c.is_done), false) into v_is_done from counted c;
  return v_is_done;
end
$$;

COMMENT ON FUNCTION mill.count_ended(p_job_id uuid, p_keys text[], p_completed integer[], p_failed integer[]) IS 'Counts ended tasks by their steps; says whether they were the last of one.';

CREATE FUNCTION mill.count_exports(p_owner uuid, p_count integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit int := mill.setting('exports.daily_limit', '100')::int;
  v_now timestamptz := mill.now();
  v_day date := (v_now at time zone 'UTC')::date;
  v_used int;
begin
  insert into mill.export_day as d (owner, day, used) values (p_owner, v_day, p_count)
  on conflict (owner, day) do update set used = d.used + excluded.used
  returning d.used into v_used;
  if v_used > v_limit then
    raise exception 'only % exports a day are allowed', v_limit using errcode = 'GM052',
      detail = jsonb_build_object('used', v_used - p_count, 'limit', v_limit,
        'retry_after', ceil(extract(epoch from (v_day + 1)::timestamp at time zone 'UTC' - v_now))::int);
  end if;
end
$$;

COMMENT ON FUNCTION mill.count_exports(p_owner uuid, p_count integer) IS 'Counts exports against the user''s day; GM052 past its limit, which takes the count back.';

CREATE FUNCTION mill.count_processing(p_queue text) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
  select (select count(*) from mill.job_live j where j.slot = p_queue)::int + (
    select count(*)::int from (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live j
        where j.line = f.line and j.turn >= f.tail and j.turn < f.turn
          and not j.waits and j.state = 'processing' and j.slot is null
        limit 100000) j
      where f.queue = p_queue) below) + (
    select count(*)::int from mill.floor f
    cross join lateral (
      select j.state, j.slot from mill.job_live j
      where j.line = f.line and j.turn >= f.turn and not j.waits
      order by j.turn
      limit 10000) j
    where f.queue = p_queue and j.state = 'processing' and j.slot is null) + (
    select count(*)::int from (
      select from mill.pack_lease l
      cross join lateral (
        select from mill.job_live j
        where j.id between l.first and l.last and j.turn is null and j.state = 'processing' and j.slot is null
        offset 0) j
      where l.queue = p_queue
      limit 100000) packed)
$$;

COMMENT ON FUNCTION mill.count_processing(p_queue text) IS 'How many jobs of a queue are running.';

CREATE FUNCTION mill.count_served(p_queue text, p_rows tid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  -- A tenant that an enqueue is just opening is skipped, not waited for: its turn is counted next time.
  with served as (
    select mill.tenant_of(j.owner, j.group_key) as tenant, count(*) as jobs
    from mill.job_live j where j.ctid = any (p_rows) group by 1
  ),
  locked as (
    select t.tenant from mill.tenant t
    where t.queue = p_queue and t.tenant in (select s.tenant from served s)
    for no key update skip locked
  ),
  moved as (
    update mill.tenant t set
      served = greatest(t.served, (select c.served from mill.virtual_clock c where c.queue = p_queue)) + s.jobs
    from served s, locked l
    where t.queue = p_queue and t.tenant = s.tenant and l.tenant = s.tenant
    returning t.served
  )
  -- Start-time fair queueing: the clock is the virtual time at which the last job of this claim began.
  insert into mill.virtual_clock as c (queue, served)
  select p_queue, max(m.served) - 1 from moved m having count(*) > 0
  on conflict (queue) do update set served = greatest(c.served, excluded.served);
end
$$;

COMMENT ON FUNCTION mill.count_served(p_queue text, p_rows tid[]) IS 'Moves the virtual time of the tenants whose jobs were taken.';

CREATE TABLE public.shell_files (
    id uuid NOT NULL,
    patient_id uuid NOT NULL,
    uploaded_by uuid,
    filename text NOT NULL,
    original_filename text,
    file_size_bytes bigint,
    mime_type text NOT NULL,
    storage_path text,
    upload_path text,
    sha256 text,
    page_count integer,
    status text DEFAULT 'uploading'::text NOT NULL,
    stage text,
    stage_jobs jsonb DEFAULT '{}'::jsonb NOT NULL,
    run integer DEFAULT 1 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    idempotency_key text,
    verdict jsonb,
    processing_error jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    uploaded_at timestamp with time zone,
    scanned_at timestamp with time zone,
    completed_at timestamp with time zone,
    bucket text DEFAULT 'gristmill'::text NOT NULL,
    CONSTRAINT a_key_is_short CHECK (((length(idempotency_key) >= 38) AND (length(idempotency_key) <= 549))),
    CONSTRAINT a_size_is_not_negative CHECK ((file_size_bytes >= 0)),
    CONSTRAINT an_uploaded_file_has_a_place CHECK (((status = ANY (ARRAY['uploading'::text, 'erasing'::text])) OR (storage_path IS NOT NULL))),
    CONSTRAINT names_are_short CHECK (((length(filename) <= 300) AND (length(original_filename) <= 300))),
    CONSTRAINT stage_is_known CHECK ((stage = ANY (ARRAY['security'::text, 'ocr'::text, 'spatial'::text, 'pass1'::text, 'pass2'::text, 'pass3'::text]))),
    CONSTRAINT status_is_known CHECK ((status = ANY (ARRAY['uploading'::text, 'uploaded'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'refused'::text, 'infected'::text, 'erasing'::text])))
);

COMMENT ON TABLE public.shell_files IS 'One row per uploaded file. storage_path is made by the server; the client''s file name is metadata only. Until scanned_at is set, size, type and digest are what the uploader said; from then on they were measured.';

CREATE FUNCTION mill.count_stage(p_file public.shell_files, p_job_id uuid, p_result jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_file.stage like 'pass%' then
    perform mill.count_work(p_file, p_job_id, 'ai_processing_completed',
      mill.ai_counts((p_result #>> '{usage,tokens}')::bigint, (p_result #>> '{usage,seconds}')::numeric));
  elsif p_file.stage = 'ocr' then
    -- Its pages are known now; the upload had counted one.
    perform public.track_shell_file_processed_usage(p_file.patient_id, p_file.id, (p_result ->> 'page_count')::int);
  end if;
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_file.id, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;

COMMENT ON FUNCTION mill.count_stage(p_file public.shell_files, p_job_id uuid, p_result jsonb) IS 'Counts what a stage used towards its profile''s usage.';

CREATE FUNCTION mill.count_upload(p_profile_id uuid, p_document_id uuid, p_size bigint, p_blocks boolean) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_answer jsonb;
begin
  v_answer := mill.count_usage(p_profile_id, 'shell_file_uploaded', p_document_id::text,
    jsonb_build_object('files', 1, 'pages', 1, 'bytes', p_size), p_document_id, p_blocks => p_blocks);
  return case when (v_answer ->> 'allowed')::boolean then '{}'::text[] else array(select jsonb_array_elements_text(v_answer -> 'over')) end;
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_document_id, 'sqlstate', sqlstate, 'message', sqlerrm));
  return '{}'::text[];
end
$$;

COMMENT ON FUNCTION mill.count_upload(p_profile_id uuid, p_document_id uuid, p_size bigint, p_blocks boolean) IS 'Counts an upload towards its profile''s usage; answers the meters that forbid it, and then it was not counted.';

CREATE FUNCTION mill.count_usage(p_profile_id uuid, p_event text, p_once_key text, p_counts jsonb, p_file uuid, p_job uuid DEFAULT NULL::uuid, p_blocks boolean DEFAULT true) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_over text[] := '{}'::text[];
  v_is_new boolean := true;
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracked": false, "allowed": true, "over": []}'::jsonb;
  end if;

  begin
    insert into mill.usage_event (profile_id, at, event_type, shell_file_id, job_id, counts, once_key)
    values (p_profile_id, v_now, p_event, p_file, p_job, p_counts, p_once_key)
    on conflict (profile_id, event_type, once_key) where once_key is not null do nothing;
    v_is_new := found;
    if v_is_new and p_counts <> '{}' then -- an event that adds nothing locks nothing
      perform mill.add_usage(p_profile_id, p_counts, v_now);
    end if;
    v_over := array(select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(v_now)) m where m.is_over order by 1);
    if v_is_new and p_blocks and v_over <> '{}' and mill.is_enabled('billing') then
      raise exception 'past the plan' using errcode = 'GM023';
    end if;
  exception when sqlstate 'GM023' then
    perform mill.note_limits(p_profile_id, v_over, v_now);
    return jsonb_build_object('tracked', false, 'allowed', false, 'over', v_over);
  end;

  perform mill.note_limits(p_profile_id, v_over, v_now);
  return jsonb_build_object('tracked', v_is_new, 'allowed', true, 'over', v_over,
    'upgrade_prompt', v_over <> '{}' and mill.is_enabled('upgrade_prompts'));
end
$$;

COMMENT ON FUNCTION mill.count_usage(p_profile_id uuid, p_event text, p_once_key text, p_counts jsonb, p_file uuid, p_job uuid, p_blocks boolean) IS 'Counts one event of a profile: {tracked, allowed, over: [meters], upgrade_prompt}.';

CREATE FUNCTION mill.count_work(p_file public.shell_files, p_job_id uuid, p_event text, p_counts jsonb, p_part text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.count_usage(p_file.patient_id, p_event, p_job_id || p_part, p_counts, p_file.id, p_job_id, p_blocks => false);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_file.id, 'event', p_event, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;

COMMENT ON FUNCTION mill.count_work(p_file public.shell_files, p_job_id uuid, p_event text, p_counts jsonb, p_part text) IS 'Counts an event of a document''s job towards its profile''s usage, once a job, or once a part of it.';

CREATE FUNCTION mill.counted_calls(p_known jsonb, p_usage jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_usage is null then '{}' else jsonb_build_object('api_metrics', (
    select jsonb_object_agg(m.name, coalesce((p_known #>> array['api_metrics', m.name])::bigint, (p_known #>> array['api_metrics', m.said])::bigint, 0)
      + coalesce((p_usage ->> m.said)::bigint, 0))
    from (values ('total_api_calls', 'total_calls'), ('rate_limit_hits', 'rate_limit_hits'), ('backpressure_delays', 'backpressure_delays'),
      ('successful_api_calls', 'successful_calls'), ('failed_api_calls', 'failed_calls'), ('total_tokens_used', 'tokens')) m(name, said))) end
$$;

COMMENT ON FUNCTION mill.counted_calls(p_known jsonb, p_usage jsonb) IS 'The api_metrics of processing_error with a stage''s calls added.';

CREATE FUNCTION mill.cron_field_matches(p_field text, p_value integer, p_min integer, p_max integer) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_part text;
  v_is text[];
  v_from int;
  v_to int;
  v_step int;
  v_matches boolean := false;
begin
  foreach v_part in array string_to_array(p_field, ',') loop
    v_is := regexp_match(v_part, '^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?$');
    v_step := coalesce(v_is[4]::int, 1);
    v_from := coalesce(v_is[2]::int, p_min);
    v_to := coalesce(v_is[3]::int, case when v_is[2] is null or v_is[4] is not null then p_max else v_from end);
    if v_is is null or v_step = 0 or v_from < p_min or v_to > p_max or v_from > v_to then
      raise exception '"%" is no field of a schedule', v_part using errcode = 'GM035';
    end if;
    v_matches := v_matches or (p_value between v_from and v_to and (p_value - v_from) % v_step = 0);
  end loop;
  return v_matches;
end
$_$;

COMMENT ON FUNCTION mill.cron_field_matches(p_field text, p_value integer, p_min integer, p_max integer) IS 'Whether one field of a schedule allows a value; raises GM035 when it is malformed.';

CREATE FUNCTION mill.cron_health() RETURNS TABLE(name text, last_run_at timestamp with time zone, age_seconds numeric, limit_seconds integer, is_critical boolean, reason text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_has_cron boolean := to_regclass('cron.job') is not null;
  v_installed text[];
begin
  if v_has_cron then
    execute 'select array_agg(j.jobname::text) from cron.job j where j.active' into v_installed;
  end if;
  return query
  select s.name, h.at, round(a.age, 1), s.every_seconds + s.slack_seconds, s.is_critical,
    case
      when a.age > s.every_seconds + s.slack_seconds then
        case when h.at is null then 'has not run' else format('last ran %s s ago', round(a.age)) end
        || case when v_has_cron and not s.name = any (coalesce(v_installed, '{}')) then '; cron does not have it' else '' end
    end
  from mill.schedule s
  left join mill.heartbeat h on h.part = s.name
  cross join lateral (select extract(epoch from v_now - coalesce(h.at, s.declared_at)) as age) a
  order by s.name;
end
$$;

COMMENT ON FUNCTION mill.cron_health() IS 'Each schedule''s last run and, where it is late, the reason in words.';

CREATE FUNCTION mill.cron_matches(p_schedule text, p_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_field text[] := regexp_split_to_array(btrim(p_schedule), '\s+');
  v_at timestamp := p_at at time zone 'UTC';
  v_weekday int := extract(dow from v_at);
  v_day_matches boolean;
  v_weekday_matches boolean;
begin
  if cardinality(v_field) <> 5 then
    raise exception 'a schedule has five fields' using errcode = 'GM035';
  end if;
  v_day_matches := mill.cron_field_matches(v_field[3], extract(day from v_at)::int, 1, 31);
  v_weekday_matches := mill.cron_field_matches(v_field[5], v_weekday, 0, 7)
    or v_weekday = 0 and mill.cron_field_matches(v_field[5], 7, 0, 7);
  return mill.cron_field_matches(v_field[1], extract(minute from v_at)::int, 0, 59)
    and mill.cron_field_matches(v_field[2], extract(hour from v_at)::int, 0, 23)
    and mill.cron_field_matches(v_field[4], extract(month from v_at)::int, 1, 12)
    and case when v_field[3] = '*' or v_field[5] = '*'
      then v_day_matches and v_weekday_matches
      else v_day_matches or v_weekday_matches end;
end
$$;

COMMENT ON FUNCTION mill.cron_matches(p_schedule text, p_at timestamp with time zone) IS 'Whether a schedule of five fields falls on a minute; raises GM035 when it is malformed.';

CREATE FUNCTION mill.cut_error(p_error jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when jsonb_typeof(p_error) <> 'object' then jsonb_build_object('message', mill.cut_text(p_error #>> '{}', 4096))
  else jsonb_strip_nulls(jsonb_build_object(
    'type', mill.cut_text(p_error ->> 'type', 200), 'message', mill.cut_text(p_error ->> 'message', 4096),
    'stack', mill.cut_text(p_error ->> 'stack', 8192), 'provider', mill.cut_text(p_error ->> 'provider', 200),
    'http_status', case when jsonb_typeof(p_error -> 'http_status') = 'number' then p_error -> 'http_status' end,
    'retryable', case when jsonb_typeof(p_error -> 'retryable') = 'boolean' then p_error -> 'retryable' end)) end
$$;

COMMENT ON FUNCTION mill.cut_error(p_error jsonb) IS 'An error of more than 16 KiB with its message and its stack cut and fields of its own left out.';

CREATE FUNCTION mill.cut_text(p_text text, p_bytes integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_bytes bytea;
  v_end int := p_bytes - 3; -- room for the mark
begin
  if octet_length(p_text) <= p_bytes then
    return p_text;
  end if;
  v_bytes := convert_to(p_text, 'UTF8');
  while get_byte(v_bytes, v_end) & 192 = 128 loop
    v_end := v_end - 1;
  end loop;
  return convert_from(substring(v_bytes from 1 for v_end), 'UTF8') || '…';
end
$$;

COMMENT ON FUNCTION mill.cut_text(p_text text, p_bytes integer) IS 'A text of at most so many bytes; one that was cut ends with an ellipsis.';

CREATE FUNCTION mill.data_rows(p_data_type text, p_symbol text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_type public.data_type_registry;
  v_rows jsonb;
begin
  select r.* into v_type from public.data_type_registry r where r.data_type = p_data_type;
  execute format('select jsonb_agg(to_jsonb(t)) from (select * from %s t where t.%I = $1 order by t.%I desc limit 20) t',
    mill.data_table(v_type.table_name), v_type.symbol_column, v_type.timestamp_column)
  into v_rows using p_symbol;
  return coalesce(v_rows, '[]');
end
$_$;

COMMENT ON FUNCTION mill.data_rows(p_data_type text, p_symbol text) IS 'The rows of one symbol''s data, the latest 20.';

CREATE FUNCTION mill.data_table(p_name text) RETURNS regclass
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select coalesce(to_regclass(format('%I.%I', mill.schema_of('refresh'), p_name)), to_regclass(format('public.%I', p_name))) $$;

COMMENT ON FUNCTION mill.data_table(p_name text) IS 'The table of a data type, or null when there is none.';

CREATE FUNCTION mill.definition_cycle(p_steps mill.workflow_step[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_left text[] := array(select s.key from unnest(p_steps) s);
  v_rest text[];
  v_way text[];
  v_next text;
begin
  loop
    v_rest := array(
      select s.key from unnest(p_steps) s
      where s.key = any (v_left) and (s.needs || s.each_of) && v_left order by s.position);
    exit when cardinality(v_rest) = cardinality(v_left);
    v_left := v_rest;
  end loop;
  if v_left = '{}' then
    return null;
  end if;

  v_way := v_left[1:1];
  loop
    select n.need into v_next
    from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of) as n(need)
    where s.key = v_way[cardinality(v_way)] and n.need = any (v_left) limit 1;
    v_way := v_way || v_next;
    if v_next = any (v_way[:cardinality(v_way) - 1]) then
      return v_way[array_position(v_way, v_next):];
    end if;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.definition_cycle(p_steps mill.workflow_step[]) IS 'The keys along a cycle of needs, the first one again at the end; null when there is none.';

CREATE FUNCTION mill.definition_steps(p_type text, p_version integer, p_tasks jsonb) RETURNS SETOF mill.workflow_step
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with recursive task as (
    select t.ordinality::int as position, t.task,
      t.task ->> 'key' as key,
      array(select jsonb_array_elements_text(coalesce(t.task -> 'needs', '[]'))) as needs,
      string_to_array(t.task ->> 'for_each', '.') as for_each,
      t.task ->> 'each' as each_of
    from jsonb_array_elements(p_tasks) with ordinality as t(task, ordinality)
  ),
  member as (
    select t.key, t.key as family from task t where t.for_each is not null
    union
    select t.key, m.family from member m join task t on t.each_of = m.key
  )
  select p_type, p_version, t.position, t.key, t.task ->> 'kind', t.needs, t.for_each, t.each_of,
    (select m.family from member m where m.key = t.key limit 1),
    mill.template_pieces(t.task -> 'input'),
    coalesce((t.task ->> 'weight')::numeric, 1),
    coalesce(t.task ->> 'phase', t.key),
    case when jsonb_typeof(t.task -> 'on_failure') = 'object' then 'compensate' else coalesce(t.task ->> 'on_failure', 'fail') end,
    t.task #>> '{on_failure,compensate}',
    exists (select from task o where o.task #>> '{on_failure,compensate}' = t.key),
    coalesce((t.task ->> 'tolerant')::boolean, false),
    (t.task ->> 'max_attempts')::int,
    false
  from task t
$$;

COMMENT ON FUNCTION mill.definition_steps(p_type text, p_version integer, p_tasks jsonb) IS 'Takes the tasks of a definition apart.';

CREATE FUNCTION mill.delete_export_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_path text;
begin
  perform mill.refuse_in_maintenance();
  perform mill.lock_exports(old.user_id);
  delete from mill.export_history h where h.id = old.id and h.user_id = old.user_id returning h.file_path into v_path;
  if v_path is null then
    return null; -- cleanup, or the same user elsewhere, was faster
  end if;
  update mill.export_file f set state = 'deleted' where f.path = v_path and f.state <> 'removing';
  return old;
end
$$;

COMMENT ON FUNCTION mill.delete_export_history() IS 'Deletes an exported file where its row of export_history is deleted.';

CREATE FUNCTION mill.deliver_alert(p_alert uuid) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION mill.deliver_alert(p_alert uuid) IS 'Enqueues a signed webhook for each endpoint that wants to know; says how many.';

CREATE FUNCTION mill.depth(p_queue text, p_limit integer) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  select least(p_limit, packed.jobs + (
    select count(*) from (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live o
        where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
        limit p_limit - packed.jobs) j
      where f.queue = p_queue
      limit p_limit - packed.jobs) j))::int
  from (
    select least(p_limit, coalesce(sum(p.jobs), 0)) as jobs
    from mill.floor f
    cross join lateral (select p.jobs from mill.pack p where p.line = f.line and p.turn >= f.turn limit p_limit / 10 + 2) p
    where f.queue = p_queue) packed
$$;

COMMENT ON FUNCTION mill.depth(p_queue text, p_limit integer) IS 'How many jobs of a queue are due, counted no further than the limit.';

CREATE FUNCTION mill.discard(p_ids uuid[]) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_dead uuid[] := array(select j.id from mill.job_dead j where j.id = any (p_ids) order by j.id for update);
  v_gone uuid[];
begin
  perform mill.call_acted_hooks(v_dead, 'discard', null);
  with gone as (
    delete from mill.job_dead j where j.id = any (v_dead) returning j.id, j.queue, j.kind
  ),
  noted as (
    insert into mill.event (at, code, detail)
    select mill.now(), 'dead_letters_discarded', jsonb_build_object('queue', g.queue, 'kind', g.kind, 'count', count(*))
    from gone g group by g.queue, g.kind
  )
  select coalesce(array_agg(g.id), '{}') into v_gone from gone g;
  perform mill.forget_logs(v_gone);
  return query
  select distinct a.id, case when a.id = any (v_gone) then 'discarded' else 'not_dead' end from unnest(p_ids) as a(id);
end
$$;

COMMENT ON FUNCTION mill.discard(p_ids uuid[]) IS 'Deletes dead letters for good: discarded or not_dead for each.';

CREATE FUNCTION mill.document_error(p_error jsonb, p_next_retry_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'error_type', case p_error ->> 'type'
      when 'worker_lost' then 'worker_timeout' when 'rate_limited' then 'api_rate_limit' when 'panic' then 'worker_timeout'
      when 'timeout' then 'ai_timeout' else coalesce(p_error ->> 'type', 'network_error') end,
    'error_message', p_error ->> 'message', 'retry_count', (p_error ->> 'attempt')::int, 'next_retry_at', p_next_retry_at,
    'worker_id', p_error ->> 'worker', 'api_provider', p_error ->> 'provider', 'rate_limit_hit', coalesce(p_error ->> 'type' = 'rate_limited', false),
    'heartbeat_expired', coalesce(p_error ->> 'type' = 'worker_lost', false), 'duration_ms', (p_error ->> 'duration_ms')::bigint,
    'timestamp', p_error ->> 'at')
$$;

COMMENT ON FUNCTION mill.document_error(p_error jsonb, p_next_retry_at timestamp with time zone) IS 'An error of a job in the form of processing_error.';

CREATE FUNCTION mill.document_key(p_profile_id uuid, p_key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN ((p_profile_id || ':'::text) || p_key);

COMMENT ON FUNCTION mill.document_key(p_profile_id uuid, p_key text) IS 'A client''s idempotency key of a profile as it is stored.';

CREATE FUNCTION mill.document_named(p_payload jsonb) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (COALESCE((p_payload ->> 'document_id'::text), (p_payload ->> 'shell_file_id'::text)) ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'::text) THEN (COALESCE((p_payload ->> 'document_id'::text), (p_payload ->> 'shell_file_id'::text)))::uuid ELSE NULL::uuid END;

COMMENT ON FUNCTION mill.document_named(p_payload jsonb) IS 'The document that a job''s payload names, or null when it names none.';

CREATE FUNCTION mill.document_of_job(p_holder mill.holder) RETURNS public.shell_files
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_job mill.job_live := mill.held_job(p_holder);
  v_file public.shell_files;
begin
  if v_job.id is null then
    return null;
  end if;
  select f.* into v_file from public.shell_files f
  where f.id = mill.document_named(v_job.payload) and f.stage = mill.stage_of_kind(v_job.kind)
    and coalesce(v_job.payload -> 'run', to_jsonb(f.run)) = to_jsonb(f.run)
    and coalesce(f.stage_jobs ->> f.stage, v_job.id::text) = v_job.id::text
    and f.status in ('uploaded', 'processing')
  for no key update;
  return v_file;
end
$$;

COMMENT ON FUNCTION mill.document_of_job(p_holder mill.holder) IS 'The document that a held job is about, locked; null when the holder has nothing to say any more.';

CREATE FUNCTION mill.document_percent(p_status text, p_stage text, p_progress integer) RETURNS integer
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_status = 'completed'::text) THEN 100 WHEN (p_status = 'uploading'::text) THEN 0 ELSE COALESCE((CASE p_stage WHEN 'security'::text THEN 2 WHEN 'ocr'::text THEN 10 WHEN 'spatial'::text THEN 60 WHEN 'pass1'::text THEN 65 WHEN 'pass2'::text THEN 80 WHEN 'pass3'::text THEN 90 ELSE NULL::integer END + ((COALESCE(p_progress, 0) * CASE p_stage WHEN 'security'::text THEN 8 WHEN 'ocr'::text THEN 50 WHEN 'spatial'::text THEN 5 WHEN 'pass1'::text THEN 15 ELSE 10 END) / 100)), 0) END;

COMMENT ON FUNCTION mill.document_percent(p_status text, p_stage text, p_progress integer) IS 'Percent of a document, for people.';

CREATE FUNCTION mill.document_summary(p_file public.shell_files) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'id', p_file.id, 'profile_id', p_file.patient_id, 'filename', coalesce(p_file.original_filename, p_file.filename), 'mime_type', p_file.mime_type,
    'size', p_file.file_size_bytes, 'sha256', p_file.sha256, 'status', p_file.status, 'stage', p_file.stage,
    'percent', mill.document_percent(p_file.status, p_file.stage, (
      select j.progress from mill.job_live j
      where j.dedupe_key = mill.stage_key(p_file.id, p_file.run, p_file.stage) and j.queue in ('fast', 'ai'))),
    'page_count', p_file.page_count, 'error', mill.shown_error(coalesce(mill.waiting_error(p_file), p_file.processing_error -> 'current_error')),
    'created_at', p_file.created_at, 'updated_at', p_file.updated_at, 'completed_at', p_file.completed_at)
$$;

COMMENT ON FUNCTION mill.document_summary(p_file public.shell_files) IS 'A document as lists show it.';

CREATE FUNCTION mill.document_times(p_fast_late interval, p_ai_late interval) RETURNS TABLE(fast_seconds numeric, ai_seconds numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select
    case when s.finished_at is not null and d.is_recent or d.is_fast and d.now - d.uploaded_at >= p_fast_late
      then extract(epoch from coalesce(s.finished_at, d.now) - d.uploaded_at) end,
    case when d.completed_at is not null and d.is_recent or d.is_open and d.now - s.finished_at >= p_ai_late
      then extract(epoch from coalesce(d.completed_at, d.now) - s.finished_at) end
  from (
    select n.now, f.uploaded_at, f.completed_at, (f.stage_jobs ->> 'spatial')::uuid as spatial_job,
      f.uploaded_at > n.now - interval '1 hour' as is_recent,
      f.status in ('uploaded', 'processing') as is_open,
      f.status in ('uploaded', 'processing') and coalesce(f.stage, 'security') in ('security', 'ocr', 'spatial') as is_fast
    from public.shell_files f cross join (select mill.now() as now) n
    where f.uploaded_at > n.now - interval '1 day' and f.run = 1
    order by f.uploaded_at desc limit 2000) d
  -- Looked up one by one: a join would read all jobs that ever ended.
  left join lateral (select j.finished_at from mill.job_done j where j.id = d.spatial_job limit 1) s on true
$$;

COMMENT ON FUNCTION mill.document_times(p_fast_late interval, p_ai_late interval) IS 'Per document: seconds from the upload to the end of the fast stages, and from there to the end of the passes. Null where that does not count.';

CREATE FUNCTION mill.due_in_sequence(p_job_id uuid) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_first int := (
    select min(i.sequence) from mill.task_sequence i join mill.task t on t.id = i.id where i.job_id = p_job_id and t.state <> 'completed');
begin
  return (
    select coalesce(array_agg(t.id order by i.sequence, t.id), '{}')
    from mill.task t join mill.task_sequence i on i.id = t.id
    where t.job_id = p_job_id and t.state = 'waiting' and not exists (
      select from mill.task_need n
      where n.kind = i.kind and case
        when n.needs is null then v_first < i.sequence
        else exists (
          select from mill.task_sequence b join mill.task bt on bt.id = b.id
          where b.job_id = p_job_id and b.kind = n.needs and b.sequence < i.sequence and bt.state <> 'completed'
            and b.sequence >= case n.reach when 'all' then b.sequence else (
              select m.sequence from mill.task_sequence m
              where m.job_id = p_job_id and m.kind = n.needs and m.sequence < i.sequence order by m.sequence desc limit 1) end)
        end));
end
$$;

COMMENT ON FUNCTION mill.due_in_sequence(p_job_id uuid) IS 'The inserted tasks of a job that wait for nothing any more, in their order.';

CREATE FUNCTION mill.duration_bucket(p_ms bigint) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    RETURN (width_bucket(p_ms, ARRAY[(1)::bigint, (2)::bigint, (5)::bigint, (10)::bigint, (20)::bigint, (50)::bigint, (100)::bigint, (200)::bigint, (500)::bigint, (1000)::bigint, (2000)::bigint, (5000)::bigint, (10000)::bigint, (30000)::bigint, (60000)::bigint, (300000)::bigint, (1800000)::bigint]))::smallint;

COMMENT ON FUNCTION mill.duration_bucket(p_ms bigint) IS 'The bucket of a duration in ms: 0 below 1, 1 below 2, 2 below 5, … 17 from half an hour on.';

CREATE FUNCTION mill.duration_quantiles(p_queue text, p_since timestamp with time zone) RETURNS TABLE(p50_ms bigint, p95_ms bigint, p99_ms bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select
    min(b.upper) filter (where b.running >= 0.50 * b.total),
    min(b.upper) filter (where b.running >= 0.95 * b.total),
    min(b.upper) filter (where b.running >= 0.99 * b.total)
  from (
    select sum(h.jobs) over (order by h.bucket) as running, sum(h.jobs) over () as total,
      (array[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 1800000, 86400000]::bigint[])[h.bucket + 1] as upper
    from (
      select s.bucket, sum(s.jobs) as jobs from mill.stat s
      where s.queue = p_queue and s.minute >= p_since and s.outcome in ('completed', 'failed', 'dead')
      group by s.bucket) h) b
$$;

COMMENT ON FUNCTION mill.duration_quantiles(p_queue text, p_since timestamp with time zone) IS 'How long attempts of a queue took since then, as upper bounds of histogram buckets.';

CREATE TABLE mill.api_lease (
    id uuid NOT NULL,
    provider text NOT NULL,
    endpoint text NOT NULL,
    tokens bigint NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    is_settled boolean DEFAULT false NOT NULL,
    is_compat boolean DEFAULT false NOT NULL,
    CONSTRAINT settled_means_ended CHECK (((NOT is_settled) OR (ended_at IS NOT NULL)))
)
WITH (fillfactor='70');

COMMENT ON TABLE mill.api_lease IS 'Slots that were acquired without a job. The tick ends those that nobody gave back.';

CREATE FUNCTION mill.end_api_lease(p_lease mill.api_lease, p_actual_tokens bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  update mill.api_lease l set ended_at = coalesce(l.ended_at, mill.now()), is_settled = true where l.id = p_lease.id;
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select p_lease.taken_at, greatest(p_actual_tokens, 0) - p_lease.tokens, 0, p_lease.provider, p_lease.endpoint
  where p_actual_tokens is not null and greatest(p_actual_tokens, 0) <> p_lease.tokens;
$$;

COMMENT ON FUNCTION mill.end_api_lease(p_lease mill.api_lease, p_actual_tokens bigint) IS 'Ends a capacity lease and settles its tokens; null keeps the estimate.';

CREATE FUNCTION mill.end_cancelled(p_worker text, p_leases jsonb) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_ids uuid[] := array(
    select j.id
    from jsonb_to_recordset(p_leases) as l(id uuid, attempt int)
    cross join lateral (
      select j.id from mill.job_live j
      where j.id = l.id and j.attempt = l.attempt and j.worker = p_worker and j.state = 'processing'
        and j.cancel_requested
      for update skip locked) j);
begin
  if v_ids <> '{}' then
    perform mill.end_jobs(v_ids, 'cancelled', mill.now());
  end if;
  return v_ids;
end
$$;

COMMENT ON FUNCTION mill.end_cancelled(p_worker text, p_leases jsonb) IS 'Ends the jobs among a worker''s leases that were asked to cancel; says which.';

CREATE FUNCTION mill.end_invocation(p_invocation uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_queue text;
begin
  update mill.invocation i set ended_at = mill.now(), jobs = null
  where i.id = p_invocation and i.begun_at is not null and i.ended_at is null
  returning i.queue into v_queue;
  if v_queue is not null then
    perform mill.wake(q, 'more') from mill.queue q where q.queue = v_queue;
  end if;
end
$$;

COMMENT ON FUNCTION mill.end_invocation(p_invocation uuid) IS 'Ends an invocation whose jobs are settled, and asks for the next one where jobs are due.';

CREATE FUNCTION mill.end_jobs(p_ids uuid[], p_state text, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_count int;
begin
  with ended as (
    delete from mill.job_live j where j.id = any (p_ids) returning j.*
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
    select p_now, count(*), 0, 0, sum(pg_column_size(e.payload)), e.queue, e.kind, 'cancelled'
    from ended e where p_state = 'cancelled'
    group by e.queue, e.kind
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, errors, at)
    select e.parent, e.name, p_state, array_agg(e.id), array_agg(e.error), p_now
    from ended e where e.parent is not null and e.name is not null
    group by e.parent, e.name
  )
  insert into mill.job (
    id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
    worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
    created_at, started_at, finished_at)
  select
    e.id, e.queue, e.kind, e.name, e.category, e.payload, p_state, e.priority, e.run_at, e.attempt,
    e.max_attempts, e.lease_losses, e.worker, e.dedupe_key, e.group_key, e.owner, e.parent, e.progress, e.result,
    e.error, e.error_log, e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
  from ended e;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.end_jobs(p_ids uuid[], p_state text, p_now timestamp with time zone) IS 'Ends live jobs as cancelled or failed; says how many.';

CREATE FUNCTION mill.end_lost_invocations() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_running xid[] := mill.running_transactions();
  v_invocation record;
  v_rows tid[];
  v_count int := 0;
begin
  for v_invocation in
    select i.id, i.begun_at, i.worker, i.jobs, a.is_over, a.is_outage,
      case
        when not a.is_over then format('no answer within %s s', q.invocation_seconds)
        when a.failure is null and i.begun_at is null then 'answered without asking for jobs'
        else a.failure
      end as failure
    from mill.queue q
    join mill.invocation i on i.queue = q.queue
    cross join lateral mill.answer_to_invocation(i.request_id, i.asked_at, i.handed_at is not null and i.begun_at is not null) a
    where i.ended_at is null
      and (a.is_over or coalesce(i.begun_at, i.asked_at) < v_now - make_interval(secs => q.invocation_seconds))
    order by i.id
    for update of i skip locked
  loop
    if v_invocation.failure is not null and v_invocation.begun_at is not null then
      v_rows := array(
        select j.ctid from mill.job_live j
        where j.id = any (v_invocation.jobs) and j.worker = v_invocation.worker and j.state = 'processing' and j.xmax <> all (v_running)
        order by j.id
        for update skip locked);
      perform mill.return_lost_jobs(v_rows, mill.worker_lost_error('its invocation was lost: ' || v_invocation.failure),
        case when v_invocation.is_outage then 0 else mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric end, v_now);
    end if;
    update mill.invocation i set ended_at = v_now, failure = v_invocation.failure, jobs = null where i.id = v_invocation.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.end_lost_invocations() IS 'Ends invocations whose request failed or took too long, and takes their jobs back; says how many.';

CREATE FUNCTION mill.end_refresh_pauses(p_refreshes jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  delete from mill.data_check c using jsonb_to_recordset(p_refreshes) as r(data_type text, symbol text)
  where c.data_type = r.data_type and c.symbol = r.symbol and c.reason = 'dead'
$$;

COMMENT ON FUNCTION mill.end_refresh_pauses(p_refreshes jsonb) IS 'These refreshes, [{data_type, symbol}], succeeded: earlier dead letters count no more.';

CREATE FUNCTION mill.end_refused(p_file public.shell_files, p_job_id uuid, p_status text, p_error jsonb, p_place text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update public.shell_files f set
    status = p_status, storage_path = mill.key_within(f.bucket, p_place), verdict = p_error - array['worker', 'attempt'], updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, jsonb_build_array(p_error || jsonb_build_object('at', mill.now())))
  where f.id = p_file.id;
  perform mill.audit('shell_files', p_file.id::text, 'UPDATE', null, jsonb_build_object('status', p_status, 'type', p_error ->> 'type'),
    'refused by the security stage', 'documents', p_file.patient_id, p_job_id);
end
$$;

COMMENT ON FUNCTION mill.end_refused(p_file public.shell_files, p_job_id uuid, p_status text, p_error jsonb, p_place text) IS 'Ends a document as refused or infected, with its file at a place that nothing serves.';

CREATE FUNCTION mill.end_waiting_tasks(p_job_id uuid, p_ids uuid[], p_state text, p_error jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  with ended as (
    update mill.task t set state = p_state, error = p_error, finished_at = mill.now()
    where t.id = any (p_ids) and t.state in ('waiting', 'queued')
    returning t.key
  )
  update mill.step s set
    failed = s.failed + case p_state when 'failed' then c.n else 0 end,
    skipped = s.skipped + case p_state when 'skipped' then c.n else 0 end
  from (select e.key, count(*)::int as n from ended e group by e.key) c
  where s.job_id = p_job_id and s.key = c.key
$$;

COMMENT ON FUNCTION mill.end_waiting_tasks(p_job_id uuid, p_ids uuid[], p_state text, p_error jsonb) IS 'Ends tasks that have not been started, as skipped or failed.';

CREATE FUNCTION mill.enqueue(p_jobs jsonb) RETURNS TABLE(ordinal integer, id uuid, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  v_xid xid8 := pg_current_xact_id();
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_random text := mill.uuid7_tail();
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_is_limited boolean;
  v_has_lanes boolean;
  v_has_schemas boolean;
  v_has_unique boolean;
  v_queues text[];
begin
  if jsonb_typeof(p_jobs) is distinct from 'array' then
    raise exception 'jobs must be an array' using errcode = 'GM004';
  end if;
  if p_jobs @? '$[*] ? (@.type() != "object")' then
    raise exception 'job is malformed' using errcode = 'GM004', detail = 'a job is not an object';
  end if;

  if p_jobs @? '$[*].priority' then
    perform mill.open_lines(p_jobs);
  end if;
  -- A queue may come twice here, once for each of its kinds.
  select bool_or(q.depth_limit is not null), bool_or(q.dequeue = 'fair' or q.max_running_per_group is not null),
    bool_or(k.compiled_schema is not null), bool_or(k.unique_by is not null), array_agg(q.queue)
  into v_is_limited, v_has_lanes, v_has_schemas, v_has_unique, v_queues
  from mill.kind k join mill.queue q on q.queue = k.queue
  where k.kind in (select e ->> 'kind' from jsonb_array_elements(p_jobs) e);
  if v_has_schemas then
    perform mill.check_fits(p_jobs);
  end if;
  if v_has_unique or p_jobs @? '$[*].unique' then
    return query select * from mill.enqueue_keyed(p_jobs, v_now, v_turn, v_random, v_max_bytes, mill.claim_unique(p_jobs, v_now, v_turn, v_random));
  elsif v_is_limited or p_jobs @? '$[*].dedupe_key' then
    return query select * from mill.enqueue_keyed(p_jobs, v_now, v_turn, v_random, v_max_bytes);
  else
    return query
    insert into mill.job_live (
      id, line, turn, queue, kind, name, category, payload, state, waits, priority, run_at, max_attempts,
      group_key, lane, owner, parent, correlation_id, traceparent, created_at)
    select
      a.id, a.line, a.turn, a.queue, a.kind, a.name, a.category, a.payload, a.state, a.state = 'deferred', a.priority, a.run_at, a.max_attempts,
      a.group_key, a.lane, a.owner, a.parent, a.correlation_id, a.traceparent, v_now
    from mill.parse_jobs(p_jobs, v_now, v_turn, v_random, v_max_bytes) a
    returning (job_live.turn - v_turn - 1)::int, job_live.id, 'new';
  end if;

  -- Last, when nothing is waited for any more: claims and other enqueues may want these rows.
  if v_has_lanes then
    perform mill.open_lanes(p_jobs);
  end if;
  perform mill.wake(q) from mill.queue q where q.queue = any (v_queues);
end
$_$;

COMMENT ON FUNCTION mill.enqueue(p_jobs jsonb) IS 'Inserts an array of jobs {kind, payload, name, category, priority, run_at, max_attempts, dedupe_key, unique, group_key, owner, parent, correlation_id, traceparent}; answers new, duplicate or throttled for each.';

CREATE FUNCTION mill.enqueue_document_sweep() RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": true}, "dedupe_key": "document_sweep_listing"}]')
$$;

COMMENT ON FUNCTION mill.enqueue_document_sweep() IS 'Asks for a sweep that lists the object store.';

CREATE FUNCTION mill.enqueue_keyed(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer, p_answered jsonb DEFAULT NULL::jsonb) RETURNS TABLE(ordinal integer, id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_capacity jsonb := mill.capacity_left(p_jobs);
  v_answers jsonb := coalesce(p_answered, '{}'); -- ordinal to {id, status}
begin
  loop
    begin
      with asked as materialized (
        select * from mill.parse_jobs(p_jobs, p_now, p_turn, p_random, p_max_bytes) a
        where p_answered is null or not p_answered ? a.at::text
      ),
      -- One row a key: a statement may not insert the same key twice.
      firsts as (
        select distinct on (a.queue, a.dedupe_key, case when a.dedupe_key is null then a.at end) a.*
        from asked a
        order by a.queue, a.dedupe_key, case when a.dedupe_key is null then a.at end, a.at
      ),
      admitted as (
        select f.* from firsts f
        where not v_capacity ? f.queue or (
          select count(*) from firsts o where o.queue = f.queue and o.at <= f.at
            and not exists (select from mill.job_live j where j.queue = o.queue and j.dedupe_key = o.dedupe_key)
          ) <= (v_capacity ->> f.queue)::int
        order by f.queue, f.dedupe_key
      ),
      written as (
        insert into mill.job_live (
          id, line, turn, queue, kind, name, category, payload, state, waits, priority, run_at, max_attempts,
          dedupe_key, group_key, lane, owner, parent, correlation_id, traceparent, created_at)
        select
          a.id, a.line, a.turn, a.queue, a.kind, a.name, a.category, a.payload, a.state, a.state = 'deferred', a.priority, a.run_at, a.max_attempts,
          a.dedupe_key, a.group_key, a.lane, a.owner, a.parent, a.correlation_id, a.traceparent, p_now
        from admitted a
        on conflict (queue, dedupe_key) where dedupe_key is not null do nothing
        returning job_live.id
      )
      select v_answers || coalesce(jsonb_object_agg(a.at, jsonb_build_object('id', a.id, 'status', 'new')), '{}')
      into v_answers
      from asked a join written w on w.id = a.id;

      v_answers := v_answers || mill.answer_duplicates(p_jobs, v_answers, p_now, p_turn, p_random, p_max_bytes);
      if v_capacity <> '{}' then
        v_answers := mill.answer_throttled(p_jobs, v_capacity) || v_answers;
      end if;
      exit when (select count(*) from jsonb_object_keys(v_answers)) = jsonb_array_length(p_jobs);
      raise exception 'a key became free' using errcode = 'GM099';
    exception when sqlstate 'GM099' then
      v_answers := coalesce(p_answered, '{}');
    end;
  end loop;
  if p_answered is not null then
    v_answers := mill.return_unique(p_jobs, v_answers, p_turn, p_random);
  end if;
  perform mill.raise_priority_of_duplicate(v_answers, p_now);

  return query
  select e.key::int, (e.value ->> 'id')::uuid, e.value ->> 'status'
  from jsonb_each(v_answers) e
  order by e.key::int;
end
$$;

COMMENT ON FUNCTION mill.enqueue_keyed(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer, p_answered jsonb) IS 'Inserts a batch that has dedupe keys or unique jobs or may be throttled. For mill.enqueue alone.';

CREATE FUNCTION mill.enqueue_many(p_kind text, p_payloads jsonb) RETURNS uuid[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_xid xid8 := pg_current_xact_id(); -- before the clock: see mill.raise_floors
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_random text := left(mill.uuid7_tail(), 12);
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_count int;
  v_queue mill.queue;
  v_kind mill.kind;
  v_line int;
  v_ids uuid[];
begin
  if jsonb_typeof(p_payloads) is distinct from 'array' then
    raise exception 'payloads must be an array' using errcode = 'GM004';
  end if;
  select k.* into v_kind from mill.kind k where k.kind = p_kind;
  select q.* into v_queue from mill.queue q where q.queue = v_kind.queue;
  if not found then
    perform mill.refuse_job(0, case when p_kind is null then 'GM004' else 'GM001' end, coalesce(p_kind, 'kind'));
  end if;
  v_queue.max_attempts := coalesce(v_kind.max_attempts, v_queue.max_attempts);
  v_count := jsonb_array_length(p_payloads);
  if v_count > 900000 then
    raise exception '% payloads are too many for one call', v_count using errcode = 'GM004', hint = 'Send 900,000 at the most.';
  end if;

  if v_kind.compiled_schema is not null then
    perform mill.check_fit(p_kind, v_kind.compiled_schema, p.payload, p.ordinality - 1)
    from jsonb_array_elements(p_payloads) with ordinality as p(payload, ordinality);
  end if;
  if v_kind.unique_by is not null or v_queue.depth_limit is not null or v_queue.dequeue = 'fair' or v_queue.max_running_per_group is not null then
    select array_agg(e.id order by e.ordinal) into v_ids
    from mill.enqueue((
      select coalesce(jsonb_agg(jsonb_build_object('kind', p_kind, 'payload', p.payload)), '[]')
      from jsonb_array_elements(p_payloads) as p(payload))) e;
    return coalesce(v_ids, '{}');
  end if;

  -- From 65,536 on, so that they all have five digits.
  v_ids := array(select mill.uuid7_at(v_turn, v_random || to_hex(65535 + n)) from generate_series(1, v_count) n);
  select l.line into v_line from mill.line l where l.queue = v_queue.queue and l.priority = 5;
  if v_count >= 20 and v_queue.batch_size >= 20 and not v_queue.counts_running and pg_column_size(p_payloads) <= 256 * v_count then
    insert into mill.pack (line, turn, first, last, batch, jobs, queue, kind, run_at, max_attempts, ids, payloads)
    select v_line, v_turn + min(p.ordinality), v_ids[min(p.ordinality)], v_ids[max(p.ordinality)], v_ids[1], count(*),
      v_queue.queue, p_kind, v_now, v_queue.max_attempts, array_agg(p.id), array_agg(p.payload)
    from rows from (unnest(v_ids), jsonb_array_elements(p_payloads)) with ordinality as p(id, payload, ordinality)
    where mill.check_payload(p.payload, v_max_bytes, p.ordinality - 1)
    group by (p.ordinality - 1) / least(v_queue.batch_size, 100);
  else
    -- By way of mill.job: straight into job_live a row is formed first and taken apart again for its checks: 3% more instructions.
    insert into mill.job (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
    select p.id, v_line, v_turn + p.ordinality, v_queue.queue, p_kind, p.payload, 'pending', v_now, v_queue.max_attempts, v_now
    from rows from (unnest(v_ids), jsonb_array_elements(p_payloads)) with ordinality as p(id, payload, ordinality)
    where mill.check_payload(p.payload, v_max_bytes, p.ordinality - 1);
  end if;
  perform mill.wake(v_queue);
  return v_ids;
end
$$;

COMMENT ON FUNCTION mill.enqueue_many(p_kind text, p_payloads jsonb) IS 'Enqueues a job of one kind for each payload of an array; answers their ids in that order, null for one that was throttled.';

CREATE FUNCTION mill.entry_lock(p_name text) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select pg_try_advisory_xact_lock(702234, hashtext(p_name)) $$;

COMMENT ON FUNCTION mill.entry_lock(p_name text) IS 'Whether this run of a recurring step is the only one; the others skip.';

CREATE FUNCTION mill.estimated_tokens(p_payload jsonb) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (jsonb_typeof((p_payload -> 'estimated_tokens'::text)) = 'number'::text) THEN (LEAST(GREATEST(((p_payload ->> 'estimated_tokens'::text))::numeric, (0)::numeric), (1000000000)::numeric))::bigint ELSE (1000)::bigint END;

COMMENT ON FUNCTION mill.estimated_tokens(p_payload jsonb) IS 'What a job says that it will use; 1000 when it says nothing.';

CREATE FUNCTION mill.every_minute(p_part text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into mill.heartbeat as h (part, at) values (p_part, clock_timestamp())
  on conflict (part) do update set at = excluded.at where h.at <= clock_timestamp() - interval '1 minute';
  return found;
end
$$;

COMMENT ON FUNCTION mill.every_minute(p_part text) IS 'True for one caller a minute.';

CREATE TABLE mill.workflow (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    version integer NOT NULL,
    params jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    percent smallint DEFAULT 0 NOT NULL,
    phase text DEFAULT 'queued'::text NOT NULL,
    docs_complete integer DEFAULT 0 NOT NULL,
    docs_total integer DEFAULT 0 NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    output jsonb,
    error jsonb,
    compensating boolean DEFAULT false NOT NULL,
    stragglers boolean DEFAULT false NOT NULL,
    priority integer DEFAULT 5 NOT NULL,
    idempotency_key text,
    correlation_id text,
    revision bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT a_finished_job_says_when CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT idempotency_key_is_short CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
    CONSTRAINT only_a_completed_job_is_at_100 CHECK (((percent = 100) = (status = 'completed'::text))),
    CONSTRAINT params_are_an_object CHECK ((jsonb_typeof(params) = 'object'::text)),
    CONSTRAINT percent_is_a_percentage CHECK (((percent >= 0) AND (percent <= 100))),
    CONSTRAINT priority_is_between_minus_100_and_100 CHECK (((priority >= '-100'::integer) AND (priority <= 100))),
    CONSTRAINT status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.workflow IS 'Jobs of many tasks, as public.jobs shows them.';

CREATE FUNCTION mill.expand_step(p_job mill.workflow, p_step mill.workflow_step, p_state text) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_us bigint := mill.clock_us();
  v_random text := mill.uuid7_tail();
  v_max int := mill.setting('workflows.max_items', '20000')::int;
  v_list jsonb := (case p_step.for_each[1] when 'params' then p_job.params else mill.step_output(p_job, p_step.for_each[1]) end)
    #> p_step.for_each[2:];
  v_total int;
  v_ids uuid[];
begin
  if jsonb_typeof(v_list) is distinct from 'array' or jsonb_array_length(v_list) > v_max then
    insert into mill.task (id, job_id, key, item, state) values (mill.uuid7_at(v_us, v_random), p_job.id, p_step.key, -1, 'waiting');
    update mill.step s set total = 1 where s.job_id = p_job.id and s.key = p_step.key;
    return array[]::uuid[];
  end if;

  v_total := jsonb_array_length(v_list);
  with made as (
    insert into mill.task (id, job_id, key, item, value, state)
    select mill.uuid7_at(v_us + row_number() over (), v_random), p_job.id, s.key, e.n - 1, e.value,
      case when s.key = p_step.key then p_state else 'waiting' end
    from mill.workflow_step s cross join jsonb_array_elements(v_list) with ordinality as e(value, n)
    where s.type = p_job.type and s.version = p_job.version and s.family = p_step.family
    returning task.id, task.key
  )
  select coalesce(array_agg(m.id), '{}') into v_ids from made m where m.key = p_step.key;
  update mill.step s set total = v_total
  from mill.workflow_step w
  where s.job_id = p_job.id and w.type = p_job.type and w.version = p_job.version and w.key = s.key and w.family = p_step.family;
  return v_ids;
end
$$;

COMMENT ON FUNCTION mill.expand_step(p_job mill.workflow, p_step mill.workflow_step, p_state text) IS 'One task for each item of the list that a step fans out over.';

CREATE FUNCTION mill.expired_days(p_today date) RETURNS TABLE(partition text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_day date;
  v_keeps boolean;
  v_keepers text[];
begin
  for partition in
    select c.relname from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent = 'mill.job_done'::regclass and c.relname ~ '^job_done_\d{8}$'
    order by 1
  loop
    v_day := to_date(right(partition, 8), 'YYYYMMDD');
    v_keepers := array(select q.queue from mill.queue q where v_day >= p_today - q.retention_days);
    continue when v_day >= p_today - coalesce((select min(q.retention_days) from mill.queue q), 7);
    if v_keepers <> '{}' then
      execute format('select exists (select from mill.%I j where j.queue = any ($1))', partition) into v_keeps using v_keepers;
      continue when v_keeps;
    end if;
    return next;
  end loop;
end
$_$;

COMMENT ON FUNCTION mill.expired_days(p_today date) IS 'Day partitions that no queue wants kept any more.';

CREATE FUNCTION mill.explain_attempts(p_job jsonb) RETURNS TABLE(code text, until timestamp with time zone, sentence text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_id text := p_job ->> 'id';
  v_state text := p_job ->> 'state';
  v_run_at timestamptz := (p_job ->> 'run_at')::timestamptz;
  v_lease timestamptz := (p_job ->> 'lease_until')::timestamptz;
  v_attempt text := format('attempt %s of %s', p_job ->> 'attempt', p_job ->> 'max_attempts');
  v_error text := concat_ws(': ', p_job #>> '{error,type}', left(p_job #>> '{error,message}', 500));
begin
  case
    when v_state = 'completed' then
      return query select 'completed', null::timestamptz, format('The job was completed at %s. There is nothing to do.', mill.time_text((p_job ->> 'finished_at')::timestamptz));
    when v_state = 'cancelled' then
      return query select 'cancelled', null::timestamptz, format('The job was cancelled at %s. Enqueue it again if it is still wanted.', mill.time_text((p_job ->> 'finished_at')::timestamptz));
    when v_state = 'failed' then
      return query select 'dead', null::timestamptz, format(
        'The job is a dead letter since %s, after %s. Its last error: %s. Mend the cause, then run: select public.retry_jobs(array[''%s'']::uuid[]);',
        mill.time_text((p_job ->> 'finished_at')::timestamptz), v_attempt, coalesce(nullif(v_error, ''), 'none'), v_id);
    when v_state = 'processing' and (p_job ->> 'cancel_requested')::boolean then
      return query select 'cancel_requested', v_lease, format(
        'The job is being cancelled. Worker %s learns it with its next heartbeat; without one the job ends after its lease, at %s.', p_job ->> 'worker', mill.time_text(v_lease));
    when v_state = 'processing' and v_lease <= v_now then
      return query select 'lease_expired', null::timestamptz, format(
        'Worker %s has not been heard of: its lease ended at %s. The pump gives the job back in its next round. If this stays so, the pump does not run: run gristmill doctor.',
        p_job ->> 'worker', mill.time_text(v_lease));
    when v_state = 'processing' then
      return query select 'running', v_lease, format(
        'Worker %s has run it since %s (%s), and holds it until %s at the least.', p_job ->> 'worker', mill.time_text((p_job ->> 'started_at')::timestamptz), v_attempt,
        mill.time_text(v_lease));
    when v_run_at <= v_now then
      return query select 'due_soon', null::timestamptz, format(
        'The job has been due since %s. The next claim of its queue or the next round of the pump makes it pending. If this stays so, run gristmill doctor.', mill.time_text(v_run_at));
    when v_state = 'retrying' then
      return query select 'retrying', v_run_at, format(
        '%s failed: %s. The job is tried again at %s.', upper(left(v_attempt, 1)) || substr(v_attempt, 2), coalesce(nullif(v_error, ''), 'no error was given'), mill.time_text(v_run_at));
    when p_job #>> '{error,type}' = 'unknown_kind' then
      return query select 'unknown_kind', v_run_at, format(
        'The last worker had no handler for the kind %s and gave the job back. It is offered again at %s. Deploy a function or start a worker that handles %1$s.', p_job ->> 'kind',
        mill.time_text(v_run_at));
    when v_error <> '' then
      return query select 'snoozed', v_run_at, format(
        'A worker has put the job off until %s: %s. No attempt was used up.', mill.time_text(v_run_at), v_error);
    else
      return query select 'not_due', v_run_at, format('The job is not due before %s, as it was enqueued.', mill.time_text(v_run_at));
  end case;
end
$_$;

COMMENT ON FUNCTION mill.explain_attempts(p_job jsonb) IS 'Why a job that is not pending is where it is. For mill.explain_job alone.';

CREATE FUNCTION mill.explain_job(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_job jsonb := mill.explained_job(p_id);
  v_queue mill.queue;
  v_reasons jsonb;
begin
  if v_job is null then
    return null;
  end if;
  select q.* into v_queue from mill.queue q where q.queue = v_job ->> 'queue';
  if v_job ->> 'state' <> 'pending' then
    select jsonb_agg(to_jsonb(r) order by r.ordinality) into v_reasons from (
      select e.*, row_number() over () as ordinality from (
        select * from mill.explain_attempts(v_job)
        union all
        select l.* from mill.explain_limits(v_job, v_queue) l where l.code = 'queue_paused' and v_job ->> 'state' in ('deferred', 'retrying')) e) r;
  else
    select jsonb_agg(to_jsonb(r) order by r.ordinality) into v_reasons from (
      select e.*, row_number() over () as ordinality from (
        select * from mill.explain_limits(v_job, v_queue)
        union all select * from mill.explain_service(v_job, v_queue)
        union all select * from mill.explain_place(v_job, v_queue)
        union all
        select 'pump_silent', null, format('The pump, which finds what was lost, %s. Run gristmill doctor.', c.reason)
        from mill.cron_health() c join mill.schedule s on s.name = c.name
        where s.step = 'mill.pump_once' and c.reason is not null) e) r;
  end if;
  v_reasons := coalesce(v_reasons, jsonb_build_array(jsonb_build_object(
    'code', 'ready', 'until', null, 'sentence', 'Nothing holds the job back: the next claim of its queue takes it.')));
  v_reasons := (select jsonb_agg(r - 'ordinality' order by o) from jsonb_array_elements(v_reasons) with ordinality as e(r, o));
  return jsonb_build_object('id', p_id, 'queue', v_job -> 'queue', 'kind', v_job -> 'kind', 'state', v_job -> 'state',
    'sentence', v_reasons #> '{0,sentence}', 'reasons', v_reasons);
end
$$;

COMMENT ON FUNCTION mill.explain_job(p_id uuid) IS 'Why a job is not running, as {id, queue, kind, state, sentence, reasons: [{code, until, sentence}]}; null for an unknown job.';

CREATE TABLE mill.queue (
    queue text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    served_by text DEFAULT 'worker'::text NOT NULL,
    function text,
    batch_size integer DEFAULT 50 NOT NULL,
    max_parallel integer DEFAULT 4 NOT NULL,
    lease_seconds integer DEFAULT 300 NOT NULL,
    invocation_seconds integer DEFAULT 30 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    max_lease_losses integer DEFAULT 3 NOT NULL,
    backoff_base_seconds numeric DEFAULT 2 NOT NULL,
    backoff_cap_seconds numeric DEFAULT 3600 NOT NULL,
    max_running integer,
    max_running_per_group integer,
    depth_limit integer,
    dequeue text DEFAULT 'priority'::text NOT NULL,
    retention_days integer DEFAULT 7 NOT NULL,
    target_seconds integer DEFAULT 60 NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    provider text,
    endpoint text,
    counts_running boolean GENERATED ALWAYS AS (((max_running IS NOT NULL) OR (max_running_per_group IS NOT NULL) OR (dequeue = 'fair'::text) OR (provider IS NOT NULL))) STORED NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    backoff_jitter numeric,
    url text,
    registered jsonb,
    CONSTRAINT a_provider_is_named_with_its_endpoint CHECK (((provider IS NULL) = (endpoint IS NULL))),
    CONSTRAINT a_refresh_queue_draws_on_a_provider CHECK (((queue !~ '^refresh(-|$)'::text) OR (provider IS NOT NULL))),
    CONSTRAINT an_invocation_takes_at_most_fifteen_minutes CHECK (((invocation_seconds >= 1) AND (invocation_seconds <= 900))),
    CONSTRAINT backoff_grows_from_its_base CHECK (((backoff_base_seconds > (0)::numeric) AND (backoff_cap_seconds >= backoff_base_seconds))),
    CONSTRAINT backoff_jitter_is_a_share CHECK (((backoff_jitter >= (0)::numeric) AND (backoff_jitter <= (1)::numeric))),
    CONSTRAINT batch_size_is_positive CHECK (((batch_size >= 1) AND (batch_size <= 1000))),
    CONSTRAINT depth_limit_is_positive CHECK (((depth_limit >= 1) AND (depth_limit <= 10000000))),
    CONSTRAINT dequeue_is_by_priority_or_fair CHECK ((dequeue = ANY (ARRAY['priority'::text, 'fair'::text]))),
    CONSTRAINT endpoint_belongs_to_a_provider CHECK (((endpoint IS NULL) OR (provider IS NOT NULL))),
    CONSTRAINT function_is_named_where_one_serves CHECK (((num_nonnulls(function, url) <= 1) AND ((served_by = 'external'::text) OR (num_nonnulls(function, url) = ((served_by = 'function'::text))::integer)))),
    CONSTRAINT function_name_is_a_path_segment CHECK ((function ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT lease_is_at_least_one_second CHECK (((lease_seconds >= 1) AND (lease_seconds <= 86400))),
    CONSTRAINT max_attempts_is_positive CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT max_lease_losses_is_positive CHECK (((max_lease_losses >= 1) AND (max_lease_losses <= 1000))),
    CONSTRAINT max_parallel_is_positive CHECK (((max_parallel >= 1) AND (max_parallel <= 1000))),
    CONSTRAINT max_running_is_positive CHECK (((max_running >= 1) AND (max_running <= 100000))),
    CONSTRAINT max_running_per_group_is_positive CHECK (((max_running_per_group >= 1) AND (max_running_per_group <= 100000))),
    CONSTRAINT queue_name_is_a_short_word CHECK ((queue ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT retention_is_at_least_one_day CHECK (((retention_days >= 1) AND (retention_days <= 3650))),
    CONSTRAINT served_by_a_function_a_worker_or_others CHECK ((served_by = ANY (ARRAY['function'::text, 'worker'::text, 'external'::text]))),
    CONSTRAINT target_is_positive CHECK (((target_seconds >= 1) AND (target_seconds <= 86400))),
    CONSTRAINT url_is_of_the_web CHECK (((url ~ '^https?://[^[:space:]/?#]+[^[:space:]]*$'::text) AND (length(url) <= 2000)))
);

COMMENT ON TABLE mill.queue IS 'One row a queue; adding a queue is an INSERT.';

CREATE FUNCTION mill.explain_limits(p_job jsonb, p_queue mill.queue) RETURNS TABLE(code text, until timestamp with time zone, sentence text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_wait interval := mill.provider_wait(p_queue);
  v_group text := p_job ->> 'group_key';
  v_running int;
begin
  if p_queue.paused then
    return query select 'queue_paused', null::timestamptz, format(
      'The queue %s is paused. To let it go on, run: select public.pause_queue(%L, false);', p_queue.queue, p_queue.queue);
  end if;
  if v_wait > interval '0' then
    return query select 'provider_full', mill.now() + v_wait, format(
      'The provider %s has no capacity left before %s. Raise its row in mill.api_rate_limits if the provider allows more.', p_queue.provider, mill.time_text(mill.now() + v_wait));
  end if;
  if p_queue.max_running is not null then
    select count(*) into v_running from mill.job_live j where j.slot = p_queue.queue;
    if v_running >= p_queue.max_running then
      return query select 'queue_at_cap', null::timestamptz, format(
        '%s of %s jobs of the queue %s run. The next one starts when one of them ends. Raise max_running for more at once.', v_running, p_queue.max_running, p_queue.queue);
    end if;
  end if;
  if p_queue.max_running_per_group is not null and v_group is not null then
    select count(*) into v_running from mill.job_live j where j.slot = p_queue.queue and j.group_key = v_group;
    if v_running >= p_queue.max_running_per_group then
      return query select 'group_at_cap', null::timestamptz, format(
        '%s of %s jobs of the group %s run. The next one starts when one of them ends. Raise max_running_per_group of the queue %s for more at once.', v_running,
        p_queue.max_running_per_group, left(v_group, 64), p_queue.queue);
    end if;
  end if;
end
$$;

COMMENT ON FUNCTION mill.explain_limits(p_job jsonb, p_queue mill.queue) IS 'Which pause, cap or limit holds a pending job back. For mill.explain_job alone.';

CREATE FUNCTION mill.explain_place(p_job jsonb, p_queue mill.queue) RETURNS TABLE(code text, until timestamp with time zone, sentence text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_most constant int := 10000;
  v_turn bigint := (p_job ->> 'turn')::bigint;
  v_priority int := (p_job ->> 'priority')::int;
  v_lane text := p_job ->> 'lane';
  v_before int;
  v_others int;
  v_number text;
begin
  if v_lane is not null then
    select count(*) into v_before from (
      select from mill.job_live j
      where j.queue = p_queue.queue and j.lane = v_lane and not j.waits and j.state = 'pending' and (j.priority > v_priority or j.priority = v_priority and j.turn < v_turn)
      limit v_most) j;
    select count(distinct l.tenant) - 1 into v_others from mill.lane l where l.queue = p_queue.queue and not l.idle;
    if v_before > 0 or v_others > 0 then
      v_number := case when v_before < v_most then v_before::text else v_most || ' or more' end;
      return query select 'its_turn', null::timestamptz, format(
        'Tenants take turns in the queue %s. %s jobs of the same tenant or group go before this one, and %s other tenants have jobs. Add workers or raise max_parallel to shorten the wait.',
        p_queue.queue, v_number, greatest(v_others, 0));
    end if;
    return;
  end if;

  select least(v_most, coalesce(sum(b.jobs), 0)) into v_before from (
    select 1 as jobs from mill.floor f
    cross join lateral (
      select from mill.job_live o
      where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending' and (f.priority > v_priority or o.turn < v_turn)
      limit v_most) o
    where f.queue = p_queue.queue and f.priority >= v_priority
    union all
    select p.jobs from mill.floor f
    cross join lateral (
      select p.jobs from mill.pack p where p.line = f.line and p.turn >= f.turn and (f.priority > v_priority or p.turn < v_turn) limit v_most / 10) p
    where f.queue = p_queue.queue and f.priority >= v_priority) b;
  if v_before > 0 then
    v_number := case when v_before < v_most then v_before::text else v_most || ' or more' end;
    return query select 'behind_others', null::timestamptz, format(
      '%s due jobs of the queue %s go before this one, by priority and age. Add workers or raise max_parallel to shorten the wait.', v_number, p_queue.queue);
  end if;
end
$$;

COMMENT ON FUNCTION mill.explain_place(p_job jsonb, p_queue mill.queue) IS 'How many due jobs a pending job stands behind. For mill.explain_job alone.';

CREATE FUNCTION mill.explain_service(p_job jsonb, p_queue mill.queue) RETURNS TABLE(code text, until timestamp with time zone, sentence text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_alive timestamptz := v_now - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int);
  v_seen timestamptz;
  v_breaker mill.breaker;
  v_last mill.invocation;
  v_running int;
  v_function text := coalesce(p_queue.function, p_queue.url);
begin
  if p_queue.served_by <> 'function' then
    if (select k.first_asked_at is null from mill.kind k where k.kind = p_job ->> 'kind') then
      return query select 'kind_unserved', null::timestamptz, format(
        'No worker has ever asked for jobs of the kind %s. Start a worker that handles it.', p_job ->> 'kind');
      return;
    end if;
    v_seen := greatest(
      (select max(w.seen_at) from mill.worker w where p_queue.queue = any (w.queues)), (select max(c.claimed_at) from mill.claimant c where c.queue = p_queue.queue));
    if v_seen is null or v_seen < v_alive then
      return query select 'no_worker', null::timestamptz, format('No worker has asked for jobs of the queue %s %s. Start %s.', p_queue.queue,
        coalesce('since ' || mill.time_text(v_seen), 'yet'),
        case p_queue.served_by when 'external' then 'the worker of your own that serves it' else 'one: gristmill work, or a worker of your own' end);
    end if;
    return;
  end if;

  if not mill.can_post(v_function) then
    return query select 'cannot_invoke', null::timestamptz, format('Functions cannot be called, because %s. Run gristmill configure, then gristmill doctor.', concat_ws(' and ',
      case when mill.function_url(v_function) is null then 'the setting functions.base_url is missing' end,
      case when to_regproc('net.http_post') is null then 'neither pg_net nor the relay is there' end,
      case when not exists (select from mill.secret s where s.name = 'invoke') then 'there is no key to sign with' end));
    return;
  end if;
  select b.* into v_breaker from mill.breaker b where b.target = mill.target_of(v_function, p_queue.provider) and b.state <> 'closed';
  if v_breaker.state = 'open' then
    return query select 'breaker_open', v_breaker.retry_at, format(
      'The circuit breaker of %s is open (%s): nothing is called before %s. Mend the cause; the breaker closes by itself after one good call.',
      v_breaker.target, v_breaker.reason, mill.time_text(v_breaker.retry_at));
  elsif v_breaker.state = 'half_open' then
    return query select 'breaker_probing', null::timestamptz, format(
      'The circuit breaker of %s is half open: one call at a time is let through until one has succeeded.', v_breaker.target);
  end if;

  select i.* into v_last from mill.invocation i where i.queue = p_queue.queue order by i.asked_at desc limit 1;
  if v_last.failure is not null then
    return query select 'invocation_failed', null::timestamptz, format(
      'The function was called at %s, and that failed: %s. Look into the log of the function; it is called again with the next round of the pump.',
      mill.time_text(v_last.asked_at), left(v_last.failure, 300));
  elsif v_last.begun_at is null and v_last.asked_at > v_now - make_interval(secs => p_queue.invocation_seconds) then
    return query select 'invoked', null::timestamptz, format(
      'The function was called at %s and has not claimed jobs yet. If this stays so, look into its log.', mill.time_text(v_last.asked_at));
  end if;
  select count(*) into v_running from mill.invocation i
  where i.queue = p_queue.queue and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds) and i.ended_at is null;
  if v_running >= p_queue.max_parallel then
    return query select 'all_invocations_busy', null::timestamptz, format(
      '%s of %s invocations of the queue %s are at work. The next one begins when one of them ends. Raise max_parallel or batch_size for more at once.', v_running, p_queue.max_parallel,
      p_queue.queue);
  end if;
end
$$;

COMMENT ON FUNCTION mill.explain_service(p_job jsonb, p_queue mill.queue) IS 'Who should fetch a pending job, and why nobody does. For mill.explain_job alone.';

CREATE FUNCTION mill.explained_job(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select to_jsonb(j) from (
    select j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.max_attempts, j.run_at, j.created_at, j.started_at, j.finished_at, j.lease_until,
      j.worker, j.lease_losses, j.cancel_requested, j.error, j.owner, j.group_key, j.lane, j.line, j.turn
    from mill.job j where j.id = p_id
    union all
    select p.id, p.queue, p.kind, p.state, p.priority, p.attempt, p.max_attempts, p.run_at, p.created_at, p.started_at, p.finished_at, p.lease_until,
      p.worker, 0, false, p.error, p.owner, null, null, k.line, k.turn
    from mill.packed_job p join mill.pack k on k.first = p.pack
    where p.pack = mill.pack_of(p_id) and p.id = p_id) j
  limit 1
$$;

COMMENT ON FUNCTION mill.explained_job(p_id uuid) IS 'What mill.explain_job has to know about a job, or null. For mill.explain_job alone.';

CREATE FUNCTION mill.export_batch_json(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object('id', p_id, 'created_at', b.created_at,
    'total', count(*), 'done', count(*) filter (where x.value ->> 'status' in ('completed', 'failed', 'cancelled')),
    'completed', count(*) filter (where x.value ->> 'status' = 'completed'),
    'exports', jsonb_agg(x.value order by i.position))
  from mill.export_batch b
  join mill.export_batch_item i on i.batch_id = b.id
  join mill.export e on e.id = i.export_id
  cross join lateral mill.export_json(e) x(value)
  where b.id = p_id
  group by b.created_at
$$;

COMMENT ON FUNCTION mill.export_batch_json(p_id uuid) IS 'A batch as callers see it.';

CREATE FUNCTION mill.export_events_after(p_owner uuid, p_ids uuid[], p_after bigint) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_gone uuid[] := array(
    select e.id from mill.export e
    where e.id = any (p_ids) and not exists (select from mill.job_live j where j.id = e.id)
      and (e.ended is null or e.ended = 'failed'));
  v_retried uuid[] := mill.retried_exports(p_ids);
begin
  if v_gone <> '{}' or v_retried <> '{}' then
    perform mill.lock_exports(p_owner);
    perform mill.note_ended_exports(v_gone);
    perform mill.note_retried_exports(v_retried);
  end if;
  return (
    select jsonb_build_object(
      'events', coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'event', v.event, 'data', v.data) order by v.id), '[]'),
      'ended', not exists (
        select from mill.export e
        where e.id = any (p_ids) and (e.ended is null or exists (select from mill.job_live j where j.id = e.id))))
    from mill.export_event v
    where v.export_id = any (p_ids) and v.id > p_after);
end
$$;

COMMENT ON FUNCTION mill.export_events_after(p_owner uuid, p_ids uuid[], p_after bigint) IS 'Events of exports after one, and whether more can come.';

CREATE FUNCTION mill.export_expiry() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.now() + make_interval(days => mill.setting('exports.expire_days', '7')::int) $$;

COMMENT ON FUNCTION mill.export_expiry() IS 'Until when a file that is stored now can be downloaded.';

CREATE FUNCTION mill.export_file_name(p_title text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select coalesce(nullif(btrim(left(regexp_replace(p_title, '[[:cntrl:]/\\:*?"<>|]+', ' ', 'g'), 120), ' .'), ''), 'document') || '.pdf' $$;

COMMENT ON FUNCTION mill.export_file_name(p_title text) IS 'A title as the name of a file.';

CREATE TABLE mill.export (
    id uuid NOT NULL,
    owner uuid NOT NULL,
    document_id uuid,
    version integer NOT NULL,
    title text NOT NULL,
    template text NOT NULL,
    options jsonb NOT NULL,
    source jsonb,
    ended text,
    message text,
    created_at timestamp with time zone NOT NULL,
    result_url text,
    result_size integer,
    result_pages integer,
    CONSTRAINT ended_as_a_job_ends CHECK ((ended = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT source_is_kept_until_it_is_done CHECK (((source IS NOT NULL) OR (ended IS NOT NULL)))
);

COMMENT ON TABLE mill.export IS 'One row an export, under the id of its job.';

CREATE FUNCTION mill.export_json(p_export mill.export) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_strip_nulls(jsonb_build_object(
    'id', p_export.id, 'document_id', p_export.document_id, 'version', p_export.version, 'title', p_export.title,
    'template', p_export.template, 'options', p_export.options, 'status', s.status, 'progress', s.progress,
    'cancel_requested', nullif(s.cancel_requested, false), 'attempt', s.attempt, 'max_attempts', s.max_attempts,
    'retry_at', case when s.status = 'retrying' then s.run_at end,
    'message', case s.status
      when 'failed' then coalesce(p_export.message, mill.export_message(s.error))
      when 'retrying' then mill.export_message(s.error) end,
    'file', case when h.expires_at > mill.now() then jsonb_build_object(
      'name', h.file_name, 'size', h.file_size, 'pages', h.page_count, 'downloads', h.download_count, 'expires_at', h.expires_at,
      'path', h.file_path) end,
    -- Where a worker of the user's own has put the file, outside of our storage.
    'result_url', case when h.id is null and s.status = 'completed' and p_export.result_url ~* '^https?://' and p_export.result_url !~* '/storage/v1/'
      then p_export.result_url end,
    'created_at', p_export.created_at, 'started_at', s.started_at, 'finished_at', s.finished_at))
  from mill.export_status(p_export.id, p_export.ended) s
  left join mill.export_history h on h.id = p_export.id
$$;

COMMENT ON FUNCTION mill.export_json(p_export mill.export) IS 'An export as callers see it.';

CREATE FUNCTION mill.export_message(p_error jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case p_error ->> 'type'
    when 'worker_lost' then 'The export was interrupted several times. Please ask for it again.'
    when 'storage' then 'The file could not be stored. Please ask for it again later.'
    else coalesce(p_error ->> 'message', 'The export did not succeed. Please ask for it again.')
  end
$$;

COMMENT ON FUNCTION mill.export_message(p_error jsonb) IS 'Why an export failed, as a person understands it.';

CREATE FUNCTION mill.export_object(p_said text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select 'exports:' || coalesce(
    substring(p_said from '/storage/v1/(?:object|render/image)/(?:sign/|public/|authenticated/)?exports/([^?#]+)'),
    substring(p_said from '^(?:exports/)?([^:/?#]+/[^:?#]+)$'))
$_$;

COMMENT ON FUNCTION mill.export_object(p_said text) IS 'The object that a path or a URL of the bucket exports means; null for anything else.';

CREATE FUNCTION mill.export_options(p_options jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_page text := coalesce(p_options ->> 'page_size', p_options ->> 'pageSize', 'a4');
  v_colour text := coalesce(p_options ->> 'color_mode', p_options ->> 'colorMode', 'color');
  -- The compatible word for standard.
  v_quality text := coalesce(nullif(lower(p_options ->> 'quality'), 'normal'), 'standard');
  v_given jsonb := p_options -> 'margins';
  v_margins jsonb := jsonb '{"top": 0.8, "right": 0.85, "bottom": 0.8, "left": 0.85}';
begin
  if jsonb_typeof(v_given) = 'number' then
    v_given := jsonb_build_object('top', v_given, 'right', v_given, 'bottom', v_given, 'left', v_given);
  end if;
  v_margins := v_margins || coalesce(nullif(v_given, 'null'), '{}');
  if lower(v_page) not in ('a4', 'letter', 'legal') then
    raise exception 'page_size must be A4, Letter or Legal' using errcode = 'GM004';
  elsif lower(v_quality) not in ('draft', 'standard', 'high') then
    raise exception 'quality must be draft, standard or high' using errcode = 'GM004';
  elsif lower(v_colour) not in ('color', 'grayscale') then
    raise exception 'color_mode must be color or grayscale' using errcode = 'GM004';
  elsif (select count(*) from jsonb_each(v_margins)) <> 4
    or v_margins @? '$.* ? (@.type() != "number" || @ < 0 || @ > 2)' then
    raise exception 'margins must be top, right, bottom and left, each from 0 to 2 inches' using errcode = 'GM004';
  end if;
  return jsonb_build_object('page_size', lower(v_page), 'color_mode', lower(v_colour), 'quality', lower(v_quality), 'margins', v_margins);
end
$_$;

COMMENT ON FUNCTION mill.export_options(p_options jsonb) IS 'Options of an export with all of them set; GM004 for one that is not known.';

CREATE FUNCTION mill.export_status(p_id uuid, p_ended text) RETURNS TABLE(status text, progress integer, attempt integer, max_attempts integer, run_at timestamp with time zone, cancel_requested boolean, error jsonb, started_at timestamp with time zone, finished_at timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select s.* from (
    (select j.state, j.progress::int, j.attempt, j.max_attempts, j.run_at, j.cancel_requested, j.error, j.started_at, j.finished_at
     from mill.job_live j where j.id = p_id)
    union all
    (select j.state, j.progress::int, j.attempt, j.max_attempts, j.run_at, false, j.error, j.started_at, j.finished_at
     from mill.job j where j.id = p_id and j.state in ('completed', 'cancelled', 'failed'))
    union all
    (select p_ended, case p_ended when 'completed' then 100 else 0 end, null, null, null, false, null, null, null
     where p_ended is not null)
  ) s(status, progress, attempt, max_attempts, run_at, cancel_requested, error, started_at, finished_at)
  limit 1
$$;

COMMENT ON FUNCTION mill.export_status(p_id uuid, p_ended text) IS 'Where an export is: its job''s state, or how it ended.';

CREATE FUNCTION mill.export_storage_used(p_owner uuid) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- What is being written counts, and what is not removed yet: bytes are bytes. What the user has deleted counts no more, although its object
  -- lies there until the next cleanup.
  select coalesce(sum(f.size), 0)::bigint from mill.export_file f where f.owner = p_owner and f.state <> 'deleted'
$$;

COMMENT ON FUNCTION mill.export_storage_used(p_owner uuid) IS 'Bytes that a user''s exports occupy.';

CREATE FUNCTION mill.fields_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_field record;
  v_schema jsonb;
  v_is_named boolean;
  v_violation text[];
begin
  for v_field in select e.key, e.value from jsonb_each(p_value) e loop
    if p_schema ? 'propertyNames' then
      v_violation := mill.schema_violation(p_root, p_schema -> 'propertyNames', to_jsonb(v_field.key), '', p_depth);
      if v_violation is not null then
        return array[mill.pointer(p_path, v_field.key), 'has a name that ' || v_violation[2]];
      end if;
    end if;
    v_is_named := p_schema -> 'properties' ? v_field.key;
    for v_schema in
      select p_schema -> 'properties' -> v_field.key where v_is_named
      union all
      select p.value from jsonb_each(p_schema -> 'patternProperties') p where v_field.key collate "C" ~ p.key
    loop
      v_is_named := true;
      v_violation := mill.schema_violation(p_root, v_schema, v_field.value, mill.pointer(p_path, v_field.key), p_depth);
      if v_violation is not null then
        return v_violation;
      end if;
    end loop;
    if not coalesce(v_is_named, false) and p_schema ? 'additionalProperties' then
      v_violation := mill.schema_violation(p_root, p_schema -> 'additionalProperties', v_field.value, mill.pointer(p_path, v_field.key), p_depth);
      if v_violation is not null then
        return v_violation;
      end if;
    end if;
  end loop;
  return null;
end
$$;

COMMENT ON FUNCTION mill.fields_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) IS 'What a schema has against the fields of an object. For mill.object_violation alone.';

CREATE FUNCTION mill.file_extension(p_mime_type text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE p_mime_type WHEN 'application/pdf'::text THEN 'pdf'::text WHEN 'image/png'::text THEN 'png'::text WHEN 'image/jpeg'::text THEN 'jpg'::text WHEN 'image/tiff'::text THEN 'tif'::text WHEN 'image/webp'::text THEN 'webp'::text WHEN 'image/heic'::text THEN 'heic'::text WHEN 'text/plain'::text THEN 'txt'::text ELSE NULL::text END;

COMMENT ON FUNCTION mill.file_extension(p_mime_type text) IS 'How the name of a stored file of this type ends; null for a type that is not read here.';

CREATE FUNCTION mill.find_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[], p_share integer) RETURNS tid[]
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
  with running as materialized (
    select j.group_key, count(*)::int as jobs
    from mill.job_live j
    where p_queue.max_running_per_group is not null and j.slot = p_queue.queue and j.group_key is not null
    group by j.group_key
  ),
  front as materialized (
    select l.lane, l.tenant, l.group_key, greatest(t.served, c.served) as served,
      case when l.group_key is null then p_max else p_queue.max_running_per_group - coalesce(r.jobs, 0) end as capacity
    from mill.lane l
    join mill.tenant t on t.queue = l.queue and t.tenant = l.tenant
    left join mill.virtual_clock c on c.queue = l.queue -- idling earns no credit
    left join running r on r.group_key = l.group_key
    where l.queue = p_queue.queue and not l.idle
      and (l.group_key is null or coalesce(r.jobs, 0) < p_queue.max_running_per_group)
    order by 4, l.lane
    limit 1000
  ),
  candidate as (
    select j.ctid, f.tenant, f.group_key, f.served, f.capacity, j.priority, j.turn
    from front f
    cross join lateral (
      select j.ctid, j.priority, j.turn from mill.job_live j
      where j.queue = p_queue.queue and j.lane = f.lane and not j.waits and j.state = 'pending'
        and (p_kinds is null or j.kind = any (p_kinds))
      order by j.priority desc, j.turn
      limit least(p_share, f.capacity)) j
  ),
  allowed as (
    -- Lanes of several tenants may belong to one group: the cap is the group's.
    select c.*, row_number() over (partition by c.group_key order by c.served, c.priority desc, c.turn) as nth_of_group
    from candidate c
  ),
  ordered as (
    select a.ctid, a.priority, a.turn,
      case when p_queue.dequeue = 'fair' then
        a.served + row_number() over (partition by a.tenant order by a.priority desc, a.turn) end as virtual_time
    from allowed a
    where a.group_key is null or a.nth_of_group <= a.capacity
  )
  select array(select o.ctid from ordered o order by o.virtual_time, o.priority desc, o.turn limit p_max)
$$;

COMMENT ON FUNCTION mill.find_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[], p_share integer) IS 'Where the jobs are whose turn it is, not yet locked.';

CREATE FUNCTION mill.fit_tokens(p_queue mill.queue, p_rows tid[], p_room bigint, p_most bigint, OUT rows tid[], OUT tokens bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_oversized uuid[];
begin
  with asked as (
    select r.at, r.place, j.id, mill.estimated_tokens(j.payload) as tokens
    from mill.job_live j join unnest(p_rows) with ordinality as r(place, at) on r.place = j.ctid
    where j.ctid = any (p_rows)
  ),
  running as (
    select a.*, sum(a.tokens) filter (where a.tokens <= p_most) over (order by a.at) as total from asked a
  )
  select coalesce(array_agg(r.place order by r.at) filter (where r.tokens <= p_most and r.total <= p_room), '{}'),
    coalesce(max(r.total) filter (where r.tokens <= p_most and r.total <= p_room), 0),
    coalesce(array_agg(r.id) filter (where r.tokens > p_most), '{}')
  into rows, tokens, v_oversized
  from running r;

  if p_queue.dequeue = 'fair' and cardinality(rows) < cardinality(p_rows) then
    perform mill.uncount_served(p_queue.queue, array(select unnest(p_rows) except select unnest(rows)));
  end if;
  if v_oversized <> '{}' then
    update mill.job_live j set error = mill.stamped_error(jsonb_build_object('type', 'over_limit', 'retryable', false,
      'message', format('its tokens are more than %s / %s ever admits at once', p_queue.provider, p_queue.endpoint)),
      null, j.attempt, mill.now())
    where j.id = any (v_oversized);
    perform mill.end_jobs(v_oversized, 'failed', mill.now());
    perform mill.call_acted_hooks(v_oversized, 'dead', 'its tokens never fit the limit');
  end if;
end
$$;

COMMENT ON FUNCTION mill.fit_tokens(p_queue mill.queue, p_rows tid[], p_room bigint, p_most bigint, OUT rows tid[], OUT tokens bigint) IS 'The first of the locked jobs whose estimated tokens fit, and how many tokens that is. For mill.lock_jobs_within_limit alone.';

CREATE FUNCTION mill.fits_keyword(p_value jsonb, p_wanted text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce(case p_wanted
    when 'a schema' then jsonb_typeof(p_value) in ('object', 'boolean')
    when 'an object of schemas' then jsonb_typeof(p_value) = 'object'
    when 'an array of schemas' then jsonb_typeof(p_value) = 'array' and p_value <> '[]'
    when 'an integer of at least 0' then jsonb_typeof(p_value) = 'number' and p_value::numeric >= 0 and p_value::numeric % 1 = 0
    when 'a number' then jsonb_typeof(p_value) = 'number'
    when 'a number above 0' then jsonb_typeof(p_value) = 'number' and p_value::numeric > 0
    when 'true or false' then jsonb_typeof(p_value) = 'boolean'
    when 'an array of names' then jsonb_typeof(p_value) = 'array' and not p_value @? '$[*] ? (@.type() != "string")'
    when 'an object of arrays of names' then jsonb_typeof(p_value) = 'object'
      and not p_value @? 'strict $.* ? (@.type() != "array")' and not p_value @? '$.*[*] ? (@.type() != "string")'
    when 'a type or an array of types' then case jsonb_typeof(p_value)
      when 'array' then p_value <> '[]' and p_value <@ '["string", "number", "integer", "boolean", "object", "array", "null"]'
      when 'string' then p_value <@ '["string", "number", "integer", "boolean", "object", "array", "null"]' end
    when 'an array' then jsonb_typeof(p_value) = 'array'
    when 'a text' then jsonb_typeof(p_value) = 'string'
    else true end, false)
$_$;

COMMENT ON FUNCTION mill.fits_keyword(p_value jsonb, p_wanted text) IS 'Whether the value of a keyword is what mill.keyword_value says.';

CREATE FUNCTION mill.fold_api_use() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_expired int;
begin
  if not pg_try_advisory_xact_lock(7022311640271844) then -- any constant that only this uses
    return 0;
  end if;
  with folded as (
    delete from mill.api_use u where u.at < v_now - interval '70 seconds' returning u.*
  )
  insert into mill.api_use_minute as m (provider, endpoint, minute, requests, tokens)
  select f.provider, f.endpoint, date_trunc('minute', f.at), sum(f.requests), sum(f.tokens)
  from folded f group by 1, 2, 3
  on conflict (provider, endpoint, minute) do update set
    requests = m.requests + excluded.requests, tokens = m.tokens + excluded.tokens;

  update mill.api_lease l set ended_at = v_now
  where l.id in (
    select o.id from mill.api_lease o where o.ended_at is null and o.expires_at <= v_now for update skip locked);
  get diagnostics v_expired = row_count;
  if v_expired > 0 then
    insert into mill.event (at, code, detail) values (v_now, 'capacity_leases_expired', jsonb_build_object('count', v_expired));
  end if;
  if mill.every_minute('fold_api_use') then
    delete from mill.api_use_minute m where m.minute < v_now - interval '2 days';
    delete from mill.api_lease l where l.taken_at < v_now - interval '1 day' and l.ended_at is not null;
  end if;
  return v_expired;
end
$$;

COMMENT ON FUNCTION mill.fold_api_use() IS 'Ends slots whose callers were lost, folds old use into minutes; says how many slots had expired.';

CREATE FUNCTION mill.fold_statistics() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_before timestamptz := mill.now() - make_interval(secs => greatest(60, mill.setting('breaker.window_seconds', '60')::int));
  v_count int;
begin
  if not pg_try_advisory_xact_lock(7022311640271842) then -- any constant that only this uses
    return 0;
  end if;
  with folded as (
    delete from mill.stat_batch b where b.at < v_before returning b.*
  )
  insert into mill.stat_minute as m (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
  select date_trunc('minute', f.at), f.queue, f.kind, f.outcome, f.bucket, sum(f.jobs), sum(f.total_ms), sum(f.bytes)
  from folded f
  group by 1, 2, 3, 4, 5
  on conflict (minute, queue, kind, outcome, bucket) do update set
    jobs = m.jobs + excluded.jobs, total_ms = m.total_ms + excluded.total_ms, bytes = m.bytes + excluded.bytes;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.fold_statistics() IS 'Folds statistics into minutes; says how many rows of mill.stat_minute were written.';

CREATE FUNCTION mill.fold_usage(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  -- Whole hours that ended an hour ago: nothing is appended to them any more.
  v_until timestamptz := date_trunc('hour', p_now - interval '1 hour');
begin
  delete from public.api_data_usage u
  where u.created_at < p_now - make_interval(days => mill.setting('refresh.quota_days', '30')::int + 1);
  if not exists (select from public.api_data_usage u where u.created_at < v_until and u.created_at > date_trunc('hour', u.created_at)) then
    return;
  end if;
  with folded as (
    delete from public.api_data_usage u where u.created_at < v_until and u.created_at >= v_until - interval '1 day' returning u.*
  )
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes)
  select date_trunc('hour', f.created_at), f.provider, f.data_type, sum(f.calls), sum(f.data_size_bytes)
  from folded f group by 1, 2, 3;
end
$$;

COMMENT ON FUNCTION mill.fold_usage(p_now timestamp with time zone) IS 'Folds usage into hours and deletes what is past the quota''s window.';

CREATE FUNCTION mill.follow_buckets() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.install_storage_policies();
  return null;
end
$$;

COMMENT ON FUNCTION mill.follow_buckets() IS 'Makes the buckets and policies of Supabase Storage anew when the list of buckets has changed.';

CREATE FUNCTION mill.follow_failures(p_job mill.workflow, p_failed uuid[]) RETURNS mill.workflow
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_first record;
  v_undo uuid[];
begin
  if p_failed = '{}' then
    return p_job;
  end if;
  select t.key, t.item, t.state, t.error, w.on_failure, w.compensation into v_first
  from mill.task t
  join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = t.key
  where t.id = any (p_failed) and w.on_failure <> 'skip'
  order by w.on_failure, w.position, t.item limit 1; -- compensate before fail
  if not found then
    return p_job;
  end if;

  p_job.error := jsonb_build_object(
    'task', v_first.key, 'item', v_first.item,
    'type', coalesce(v_first.error ->> 'type', v_first.state),
    'message', coalesce(v_first.error ->> 'message', format('the task was %s', v_first.state)));
  p_job.stragglers := mill.stop_tasks(p_job.id, false);
  if v_first.on_failure = 'compensate' then
    v_undo := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = v_first.compensation);
    update mill.step s set state = 'open' where s.job_id = p_job.id and s.key = v_first.compensation;
    p_job.compensating := true;
    if mill.start_tasks(p_job, v_undo) = '{}' then
      return p_job;
    end if;
  end if;
  p_job.status := 'failed';
  return p_job;
end
$$;

COMMENT ON FUNCTION mill.follow_failures(p_job mill.workflow, p_failed uuid[]) IS 'Applies the definition''s word on failed tasks to a job.';

CREATE FUNCTION mill.follow_items(p_job mill.workflow, p_ended uuid[], OUT ready uuid[], OUT skipped uuid[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  ready := '{}';
  skipped := '{}';
  if exists (select from mill.workflow_step w where w.type = p_job.type and w.version = p_job.version and w.is_inserted) then
    ready := mill.due_in_sequence(p_job.id);
    return;
  end if;
  if p_ended = '{}' or not exists (
    select from mill.workflow_step w where w.type = p_job.type and w.version = p_job.version and w.each_of is not null)
  then
    return;
  end if;

  select coalesce(array_agg(t.id) filter (where p.state = 'completed' or w.tolerant), '{}'),
    coalesce(array_agg(t.id) filter (where p.state <> 'completed' and not w.tolerant), '{}')
  into ready, skipped
  from mill.task p
  join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.each_of = p.key
  join mill.step s on s.job_id = p_job.id and s.key = w.key and s.state = 'open'
  join mill.task t on t.job_id = p_job.id and t.key = w.key and t.item = p.item and t.state = 'waiting'
  where p.id = any (p_ended) and p.job_id = p_job.id;
  perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
end
$$;

COMMENT ON FUNCTION mill.follow_items(p_job mill.workflow, p_ended uuid[], OUT ready uuid[], OUT skipped uuid[]) IS 'What became possible because items have ended.';

CREATE FUNCTION mill.follow_registry_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into mill.kind (kind, queue, description, part)
  values ('refresh.' || new.data_type, mill.refresh_queue_of(new.edge_function_name, new.provider), 'Refresh of ' || new.data_type, 'refresh')
  on conflict (kind) do update set queue = excluded.queue;

  if not exists (
    select from pg_publication_tables t
    where t.pubname = 'supabase_realtime' and format('%I.%I', t.schemaname, t.tablename)::regclass = mill.data_table(new.table_name))
  then
    begin
      execute format('alter publication supabase_realtime add table %s', mill.data_table(new.table_name));
    exception when insufficient_privilege then
      insert into mill.event (at, code, detail) values (mill.now(), 'data_table_not_published',
        jsonb_build_object('data_type', new.data_type, 'table', new.table_name, 'message', sqlerrm));
    end;
  end if;
  if not mill.is_our_fetcher(new.edge_function_name) then
    perform mill.warn_of_registry_row(new);
  end if;
  return null;
end
$$;

COMMENT ON FUNCTION mill.follow_registry_row() IS 'Trigger: what follows from a row of data_type_registry.';

CREATE FUNCTION mill.follow_steps(p_job mill.workflow, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[], OUT moved boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_step mill.workflow_step;
  v_opened record;
begin
  ready := '{}';
  skipped := '{}';
  failed := '{}';
  update mill.step s set state = case when s.completed = s.total then 'completed' else 'partial' end
  where s.job_id = p_job.id and s.state = 'open' and s.completed + s.failed + s.skipped = s.total;
  moved := found;

  for v_step in
    select w.*
    from mill.workflow_step w
    join mill.step s on s.job_id = p_job.id and s.key = w.key and s.state = 'waiting'
    where w.type = p_job.type and w.version = p_job.version and not w.is_compensation
      and not exists (
        select from mill.step n where n.job_id = p_job.id and n.key = any (w.needs) and n.state in ('waiting', 'open'))
      and (w.each_of is null or exists (
        select from mill.step e where e.job_id = p_job.id and e.key = w.each_of and (e.state = 'skipped' or e.total is not null)))
    order by w.position
  loop
    v_opened := mill.open_step(p_job, v_step);
    ready := ready || v_opened.ready;
    skipped := skipped || v_opened.skipped;
    failed := failed || v_opened.failed;
    moved := true;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.follow_steps(p_job mill.workflow, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[], OUT moved boolean) IS 'What became possible because steps have ended.';

CREATE FUNCTION mill.forget_logs(p_jobs uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  delete from mill.job_log l where l.job = any (p_jobs);
end
$$;

COMMENT ON FUNCTION mill.forget_logs(p_jobs uuid[]) IS 'Removes the logs of jobs that go.';

CREATE FUNCTION mill.forget_part(p_part text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $_$
declare
  v_remove text := format('mill.remove_%s', replace(p_part, '/', '_'));
  v_foreign text;
  v_jobs uuid[];
  v_table regclass;
begin
  select string_agg(format('%s in queue %s', k.kind, k.queue), ', ' order by k.kind) into v_foreign
  from mill.kind k join mill.queue q on q.queue = k.queue where q.part = p_part and k.part is distinct from p_part;
  if v_foreign is not null then
    raise exception 'kinds of jobs that are not of % use its queues: %', p_part, v_foreign using errcode = 'foreign_key_violation',
      hint = 'Give them another queue: update mill.kind set queue = ''default'' where kind = ''…''';
  end if;

  delete from mill.hook h where h.part = p_part;
  perform mill.unpack(array(select p.ctid from mill.pack p where p.kind = any (mill.kinds_of_part(p_part)) for update));
  v_jobs := array(select j.id from mill.job_live j where j.id = any (mill.jobs_of_part(p_part)) order by j.id for update);
  perform mill.end_jobs(v_jobs, 'cancelled', mill.now());
  perform mill.call_acted_hooks(v_jobs, 'cancel', format('%s was removed', p_part));
  if mill.hook_of('ended') is null then
    delete from mill.ended;
  end if;
  -- A part that has put something outside of our schemas takes it back itself.
  if to_regproc(v_remove) is not null then
    execute format('select %s()', v_remove);
  end if;

  if to_regclass('cron.job') is not null then
    execute $q$ select cron.unschedule(j.jobname) from cron.job j
      where j.jobname in (select s.name from mill.schedule s where s.part = $1) $q$ using p_part;
  end if;
  -- A row may be needed by one of a table that comes later, so what fails is tried again after the others.
  for v_pass in 1 .. 3 loop
    for v_table in
      select d.adrelid::regclass from pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attname = 'part'
      join pg_class c on c.oid = d.adrelid and c.relnamespace = 'mill'::regnamespace
      where pg_get_expr(d.adbin, d.adrelid) like '%mill.part%'
      order by c.relname
    loop
      begin
        execute format('delete from %s where part = $1', v_table) using p_part;
      exception when foreign_key_violation then
        if v_pass = 3 then
          raise;
        end if;
      end;
    end loop;
  end loop;
end
$_$;

COMMENT ON FUNCTION mill.forget_part(p_part text) IS 'Deletes the rows that a part has registered and cancels its live jobs. For gristmill migrate --without.';

CREATE FUNCTION mill.forget_tasks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from mill.task_claim c where c.id in (select t.id from mill.task t where t.job_id = old.id);
  delete from mill.task_sequence s where s.job_id = old.id;
  delete from mill.task t where t.job_id = old.id;
  delete from mill.ended e where e.parent = old.id;
  return null;
end
$$;

COMMENT ON FUNCTION mill.forget_tasks() IS 'Deletes the tasks of a job that is deleted.';

CREATE FUNCTION mill.function_url(p_function text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return case when p_function like 'http%://%' then p_function else mill.setting('functions.base_url') || '/' || p_function end;
end
$$;

COMMENT ON FUNCTION mill.function_url(p_function text) IS 'Where a function is called: below the setting functions.base_url, or at the URL that is given. Null without that setting.';

CREATE FUNCTION mill.give_slots_to_running_jobs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update mill.job_live j set slot = j.queue
  where j.id = any (array(
    select r.id from mill.job_live r
    where r.queue = new.queue and r.state = 'processing' and r.slot is null
    order by r.id for update));
  return null;
end
$$;

COMMENT ON FUNCTION mill.give_slots_to_running_jobs() IS 'Gives the running jobs of a queue the slots that its new options count.';

CREATE FUNCTION mill.grant_api_capacity(p_provider text, p_endpoint text, p_tokens bigint, p_is_compat boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits;
  v_capacity record;
  v_now timestamptz;
  v_reason text;
  v_lease mill.api_lease;
begin
  -- Looked at twice: a caller that is refused anyway does not stand in line for the lock.
  for v_look in 1 .. 2 loop
    if v_look = 2 then
      perform mill.lock_api(p_provider, p_endpoint, true);
    end if;
    v_limit := mill.api_limit(p_provider, p_endpoint);
    v_now := mill.now(); -- not before: time passes while waiting for the lock
    select r.* into v_capacity from mill.api_capacity_left(v_limit, v_now) r;
    v_reason := case
      when v_limit.status <> 'active' then v_limit.status
      when v_limit.blocked_until > v_now then 'blocked'
      when v_capacity.requests < 1 then 'requests'
      when v_capacity.tokens < p_tokens then 'tokens'
      when v_capacity.slots < 1 then 'concurrency'
    end;
    exit when v_reason is not null;
  end loop;
  if v_reason is not null then
    update mill.api_rate_limits l set
      rate_limit_violations = l.rate_limit_violations + 1, last_rate_limit_hit = greatest(l.last_rate_limit_hit, v_now)
    where l.provider_name = p_provider and l.api_endpoint = p_endpoint;
    return jsonb_build_object('granted', false, 'reason', v_reason, 'retry_after_seconds', case v_reason
      when 'blocked' then ceil(extract(epoch from v_limit.blocked_until - v_now))
      when 'concurrency' then 1
      when 'requests' then greatest(ceil(extract(epoch from v_capacity.wait)), 1)
      when 'tokens' then greatest(ceil(extract(epoch from v_capacity.wait)), 1)
      else v_limit.backpressure_delay_seconds end);
  end if;

  insert into mill.api_use (at, tokens, requests, provider, endpoint) values (v_now, p_tokens, 1, p_provider, p_endpoint);
  insert into mill.api_lease (id, provider, endpoint, tokens, taken_at, expires_at, is_compat)
  values (mill.uuid7(), p_provider, p_endpoint, p_tokens, v_now, v_now + make_interval(secs => v_limit.lease_seconds), p_is_compat)
  returning * into v_lease;
  return jsonb_build_object('granted', true, 'lease_id', v_lease.id, 'granted_at', v_now, 'expires_at', v_lease.expires_at,
    'retry_after_seconds', 0, 'backpressure', v_capacity.pressure >= v_limit.backpressure_threshold,
    'delay_seconds', case when v_capacity.pressure >= v_limit.backpressure_threshold then v_limit.backpressure_delay_seconds else 0 end);
end
$$;

COMMENT ON FUNCTION mill.grant_api_capacity(p_provider text, p_endpoint text, p_tokens bigint, p_is_compat boolean) IS 'Reserves one call of a provider: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}. For reserve_api_capacity and acquire_api_capacity.';

CREATE FUNCTION mill.has_format(p_text text, p_format text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case p_format
    when 'date' then mill.is_date(p_text)
    when 'date-time' then substr(p_text, 11, 1) ~ '^[tT\s]$' and mill.is_date(left(p_text, 10)) and mill.is_time_with_zone(substr(p_text, 12))
    when 'uuid' then p_text collate "C" ~* '^(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when 'email' then p_text collate "C" ~* '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$'
    -- RFC 3986: a scheme, then an authority and a path or a path alone, a query, a fragment. Literals of IP addresses are not looked into.
    when 'uri' then p_text collate "C" ~* ('^[a-z][a-z0-9+.-]*:(?:'
      || '//(?:(?:[a-z0-9._~!$&''()*+,;=:-]|%[0-9a-f]{2})*@)?(?:\[[0-9a-fv:.]+\]|(?:[a-z0-9._~!$&''()*+,;=-]|%[0-9a-f]{2})*)(?::[0-9]*)?(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*'
      || '|/(?:(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})+(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*)?'
      || '|(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})+(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*)'
      || '(?:\?(?:[a-z0-9._~!$&''()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9._~!$&''()*+,;=:@/?-]|%[0-9a-f]{2})*)?$')
    else true end
$_$;

COMMENT ON FUNCTION mill.has_format(p_text text, p_format text) IS 'Whether a text has a format of JSON Schema; true for formats that are not checked.';

CREATE FUNCTION mill.has_pending(p_queue text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
  return exists (
      select from mill.floor f
      cross join lateral (select from mill.pack p where p.line = f.line and p.turn >= f.turn limit 1) p
      where f.queue = p_queue)
    or exists (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
        limit 1) j
      where f.queue = p_queue);
end
$$;

COMMENT ON FUNCTION mill.has_pending(p_queue text) IS 'Whether a queue has due jobs that nobody holds.';

CREATE FUNCTION mill.health_notes() RETURNS TABLE(note text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('%s: no worker serves this kind; its oldest job has been due for %s s', w.kind, round(extract(epoch from mill.now() - w.due_since)))
  from mill.queue q
  cross join lateral mill.waiting_kinds(q.queue) w
  join mill.kind k on k.kind = w.kind
  where q.served_by <> 'function' and not q.paused and k.first_asked_at is null
    and exists (select from mill.kind o where o.queue = q.queue and o.first_asked_at is null)
  union all
  select case
      when c.worker is null then format('queue %s is external: nobody has claimed from it', q.queue)
      else format('queue %s is external: %s claimed last, %s s ago', q.queue, c.worker, round(extract(epoch from mill.now() - c.claimed_at)))
    end
  from mill.queue q
  left join lateral (
    select c.worker, c.claimed_at from mill.claimant c where c.queue = q.queue order by c.claimed_at desc limit 1) c on true
  where q.served_by = 'external' and (c.worker is not null or mill.has_pending(q.queue)) -- one that nobody uses is no news
$$;

COMMENT ON FUNCTION mill.health_notes() IS 'What health says beside its checks: kinds that no worker serves, and who claimed last from each external queue.';

CREATE FUNCTION mill.heartbeat(p_worker text, p_leases jsonb) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_held uuid[];
  v_progress jsonb;
  v_cancelled uuid[];
begin
  if jsonb_typeof(p_leases) is distinct from 'array' or exists (
    select from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) where l.id is null or l.attempt is null)
  then
    raise exception 'every lease needs id and attempt' using errcode = 'GM005';
  end if;

  -- Locked along the sorted leases, then changed by id.
  v_held := array(
    select a.id
    from (
      select distinct on (l.id) l.id, l.attempt from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) order by l.id) a
    cross join lateral (
      select from mill.job_live j
      where j.id = a.id and j.attempt = a.attempt and j.worker = p_worker and j.state = 'processing'
        and not j.cancel_requested
      for update) j);
  v_progress := (
    select jsonb_object_agg(l.id, least(greatest(l.progress, 0), 100))
    from jsonb_to_recordset(p_leases) as l(id uuid, progress int) where l.progress is not null);
  update mill.job_live j set
    lease_until = v_now + (select make_interval(secs => q.lease_seconds) from mill.queue q where q.queue = j.queue),
    progress = coalesce((v_progress ->> j.id::text)::smallint, j.progress)
  where j.id = any (v_held);
  if p_leases @? '$[*].logs' then
    perform mill.keep_logs(p_leases, v_held, v_now);
  end if;
  v_cancelled := mill.end_cancelled(p_worker, p_leases);

  return query
  select distinct on (l.id) l.id,
    case when l.id = any (v_held) then 'held' when l.id = any (v_cancelled) then 'cancelled' else 'lost' end
  from jsonb_to_recordset(p_leases) as l(id uuid);
end
$_$;

COMMENT ON FUNCTION mill.heartbeat(p_worker text, p_leases jsonb) IS 'Extends the leases [{id, attempt, progress, logs}] that the worker still holds; says lost or cancelled for the others, so that it stops.';

CREATE FUNCTION mill.heartbeat_by_name(p_id uuid, p_worker text, p_seconds numeric, p_progress integer DEFAULT NULL::integer, p_heartbeat_seconds numeric DEFAULT NULL::numeric) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_lease mill.compat_lease := mill.lock_compat_lease(p_id);
  v_until timestamptz := (select j.lease_until from mill.job_live j where j.id = p_id);
  v_now timestamptz := mill.now();
begin
  if v_lease.id is null or v_lease.worker is distinct from p_worker or not exists (
    select from mill.heartbeat(p_worker, jsonb_build_array(jsonb_build_object('id', p_id, 'attempt', v_lease.attempt, 'progress', p_progress))) h
    where h.status = 'held')
  then
    return false;
  end if;
  update mill.job_live j set lease_until = greatest(v_until, v_now + make_interval(secs => p_seconds::double precision)) where j.id = p_id;
  update mill.compat_lease c set seen_at = v_now, heartbeat_at = v_now + make_interval(secs => p_heartbeat_seconds::double precision) where c.id = p_id;
  return true;
end
$$;

COMMENT ON FUNCTION mill.heartbeat_by_name(p_id uuid, p_worker text, p_seconds numeric, p_progress integer, p_heartbeat_seconds numeric) IS 'Extends the lease of the job that a worker holds to at least the seconds from now, and notes when its next heartbeat is due; false when it is lost or the job was cancelled.';

CREATE TABLE mill.job (
    run_at timestamp with time zone NOT NULL,
    turn bigint,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    line integer,
    priority integer DEFAULT 5 NOT NULL,
    max_attempts integer NOT NULL,
    lease_losses integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    waits boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    state text NOT NULL,
    started_at timestamp with time zone,
    lease_until timestamp with time zone,
    worker text,
    slot text,
    payload jsonb NOT NULL,
    dedupe_key text,
    lane text,
    finished_at timestamp with time zone,
    result jsonb,
    error jsonb,
    error_log jsonb,
    owner uuid,
    parent uuid,
    name text,
    category text,
    group_key text,
    correlation_id text,
    traceparent text
)
PARTITION BY LIST (state);

COMMENT ON TABLE mill.job IS 'Every job, in the partition that its state names.';

CREATE TABLE mill.job_live (
    run_at timestamp with time zone NOT NULL,
    turn bigint,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    line integer NOT NULL,
    priority integer DEFAULT 5 NOT NULL,
    max_attempts integer NOT NULL,
    lease_losses integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    waits boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    state text NOT NULL,
    started_at timestamp with time zone,
    lease_until timestamp with time zone,
    worker text,
    slot text,
    payload jsonb NOT NULL,
    dedupe_key text,
    lane text,
    finished_at timestamp with time zone,
    result jsonb,
    error jsonb,
    error_log jsonb,
    owner uuid,
    parent uuid,
    name text,
    category text,
    group_key text,
    correlation_id text,
    traceparent text,
    CONSTRAINT columns_agree_with_the_state CHECK ((((state = 'processing'::text) = (lease_until IS NOT NULL)) AND (waits = ((lease_until IS NULL) AND (state <> 'pending'::text))) AND ((slot IS NULL) OR (lease_until IS NOT NULL)) AND ((turn IS NOT NULL) OR (state <> 'pending'::text)) AND (finished_at IS NULL))),
    CONSTRAINT values_are_in_range CHECK (((jsonb_typeof(payload) = 'object'::text) AND ((priority >= '-100'::integer) AND (priority <= 100)) AND ((progress >= 0) AND (progress <= 100))))
)
WITH (fillfactor='45', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

CREATE FUNCTION mill.held_job(p_holder mill.holder) RETURNS mill.job_live
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_job mill.job_live;
begin
  select j.* into v_job from mill.job_live j
  where j.id = p_holder.job and j.attempt = p_holder.attempt and j.worker = p_holder.worker and j.state = 'processing'
    and not j.cancel_requested
  for update;
  return v_job;
end
$$;

COMMENT ON FUNCTION mill.held_job(p_holder mill.holder) IS 'The running job that a holder holds, locked until the transaction ends; its id is null when the lease is lost or the job was asked to cancel.';

CREATE FUNCTION mill.held_jobs(p_worker text, p_leases jsonb) RETURNS SETOF mill.job_live
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
  select h.*
  from (select distinct l.id, l.attempt from jsonb_to_recordset(p_leases) as l(id uuid, attempt int) order by l.id) l
  cross join lateral (
    select j.* from mill.job_live j
    where j.id = l.id and j.attempt = l.attempt and j.worker = p_worker and j.state = 'processing' and not j.cancel_requested
    for update) h;
end
$$;

COMMENT ON FUNCTION mill.held_jobs(p_worker text, p_leases jsonb) IS 'The running jobs among [{id, attempt}] that a worker holds, locked until the transaction ends. Jobs that were asked to cancel are left out.';

CREATE FUNCTION mill.holder_of_export_job(p_id uuid, p_owner uuid) RETURNS mill.holder
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease mill.compat_lease;
begin
  perform mill.lock_exports(p_owner);
  v_lease := mill.lock_compat_lease(p_id);
  return case when v_lease.id is not null then (p_id, v_lease.worker, v_lease.attempt)::mill.holder end;
end
$$;

COMMENT ON FUNCTION mill.holder_of_export_job(p_id uuid, p_owner uuid) IS 'Who holds an export that fetch_next_export_job gave out; null for any other.';

CREATE FUNCTION mill.hook_of(p_event text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return (select h.routine from mill.hook h where h.event = p_event order by h.place, h.routine limit 1);
end
$$;

COMMENT ON FUNCTION mill.hook_of(p_event text) IS 'The first hook of an event, or null.';

CREATE FUNCTION mill.idempotency_caller() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_caller text := case when public.is_service_role() then 'service' else auth.uid()::text end;
begin
  if v_caller is null then
    raise exception 'sign in to use an idempotency key' using errcode = '42501';
  end if;
  return v_caller;
end
$$;

COMMENT ON FUNCTION mill.idempotency_caller() IS 'Whose idempotency keys count for this call: a user''s id, or "service".';

CREATE FUNCTION mill.insert_api_call() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_type public.data_type_registry;
  v_row public.api_call_queue;
begin
  perform mill.require_primary();
  if new.id is not null or coalesce(new.status, 'pending') <> 'pending' or coalesce(new.retry_count, 0) <> 0
    or num_nonnulls(new.created_at, new.processed_at, new.error_message) > 0
  then
    raise exception 'a refresh is queued by its symbol, data_type, priority, estimated_data_size_bytes and metadata' using errcode = '0A000';
  end if;
  select r.* into v_type from public.data_type_registry r where r.data_type = new.data_type and r.is_enabled;
  if not found then
    raise exception 'there is no data type "%"', new.data_type using errcode = 'GM036';
  end if;
  perform mill.queue_refreshes(v_type, array[new.symbol], coalesce(new.priority, 5), new.estimated_data_size_bytes, new.metadata);
  select q.* into v_row from mill.job_live j join public.api_call_queue q on q.id = j.id
  where j.queue = (select k.queue from mill.kind k where k.kind = 'refresh.' || new.data_type) and j.dedupe_key = new.symbol || ':' || new.data_type;
  if not found then
    raise exception 'the data quota is used up' using errcode = 'GM039';
  end if;
  return v_row;
end
$$;

COMMENT ON FUNCTION mill.insert_api_call() IS 'Trigger: queues a refresh.';

CREATE FUNCTION mill.insert_artifact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_state text;
begin
  select j.user_id, t.state into new.user_id, v_state
  from mill.task t join mill.workflow j on j.id = t.job_id where t.id = new.task_id and t.job_id = new.job_id;
  if not found then
    raise exception 'there is no such task of this job' using errcode = '23503';
  elsif v_state <> 'queued' or not exists (select from mill.job_live l where l.id = new.task_id and l.state = 'processing') then
    raise exception 'the task is not being worked on' using errcode = '55000', hint = 'Insert an artifact before its task is completed.';
  elsif not coalesce(new.storage_path ~ format('^%s/%s/%s(/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$', new.user_id, new.job_id,
    case new.artifact_type when 'audio_mp3' then 'audio' else new.artifact_type end), false)
  then
    raise exception 'storage_path must be {user}/{job}/audio|pdf|json/…, as the artifact_type says, of letters, digits, "-", "_" and "."' using errcode = '23514';
  end if;
  delete from public.job_artifacts a where a.storage_path = new.storage_path and a.task_id = new.task_id;
  new.id := mill.uuid7();
  new.created_at := mill.now();
  new.bucket := 'job-artifacts';
  return new;
end
$_$;

COMMENT ON FUNCTION mill.insert_artifact() IS 'Completes and checks an artifact that a compat worker inserts.';

CREATE FUNCTION mill.insert_export_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_path text := mill.export_object(new.file_path);
  v_file mill.export_file;
  v_export mill.export;
begin
  perform mill.refuse_in_maintenance();
  if new.user_id is null or new.file_path is null then
    raise exception 'a row of export_history needs user_id and file_path' using errcode = 'GM004';
  elsif coalesce(new.format, 'pdf') <> 'pdf' then
    raise exception 'format must be pdf' using errcode = 'GM004';
  end if;
  perform mill.lock_exports(new.user_id);
  v_file := mill.register_export_object(new.user_id, new.document_id, v_path);
  select e.* into v_export from mill.export e where e.id = v_file.export_id;

  insert into mill.export_history as h (
    id, user_id, document_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
  values (v_export.id, v_export.owner, v_export.document_id, coalesce(new.document_version, v_export.version),
    coalesce(new.template_slug, v_export.template), coalesce(new.file_name, mill.export_file_name(v_export.title)), v_path, v_file.size,
    coalesce(new.page_count, v_export.result_pages, 1), coalesce(v_file.expires_at, mill.export_expiry()), mill.now())
  on conflict (id) do update set version = coalesce(new.document_version, h.version), template = coalesce(new.template_slug, h.template),
    file_name = coalesce(new.file_name, h.file_name), file_path = excluded.file_path, file_size = excluded.file_size;
  select h.* into new from public.export_history h where h.id = v_export.id;
  return new;
end
$$;

COMMENT ON FUNCTION mill.insert_export_history() IS 'Describes the file of an export where the service inserts a row into export_history.';

CREATE FUNCTION mill.insert_export_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_owner uuid := case when public.is_service_role() then new.user_id else auth.uid() end;
  v_max_attempts int := (select q.max_attempts from mill.queue q where q.queue = 'exports');
  v_options jsonb := coalesce(new.options, '{}');
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if v_owner is null or v_owner is distinct from coalesce(new.user_id, v_owner) then
    raise exception 'an export is asked for in one''s own name' using errcode = '42501';
  elsif coalesce(new.format, 'pdf') <> 'pdf' then
    raise exception 'format must be pdf' using errcode = 'GM004';
  elsif coalesce(new.status, 'pending') <> 'pending' or coalesce(new.progress, 0) <> 0 or coalesce(new.attempts, 0) <> 0
    or coalesce(new.max_attempts, v_max_attempts) <> v_max_attempts
    or num_nonnulls(new.id, new.run_after, new.result_url, new.file_size, new.page_count, new.error_message, new.locked_by, new.started_at,
      new.completed_at, new.created_at) > 0
  then
    raise exception 'a new export has user_id, document_id, format, options and the status pending; the rest is not the caller''s to set'
      using errcode = '42501';
  end if;
  if v_options ->> 'quality' = 'normal' then
    v_options := v_options || '{"quality": "standard"}';
  end if;
  v_ids := mill.request_exports(v_owner, array[new.document_id],
    coalesce(v_options ->> 'template', v_options ->> 'templateSlug', 'minimal'), v_options, null);
  select j.* into new from public.export_jobs j where j.id = v_ids[1];
  return new;
end
$$;

COMMENT ON FUNCTION mill.insert_export_job() IS 'Asks for an export where a row is inserted into export_jobs.';

CREATE FUNCTION mill.insert_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_user uuid := case when public.is_service_role() then new.user_id else auth.uid() end;
  v_id uuid;
begin
  if not public.is_service_role() then
    perform mill.refuse_in_maintenance();
  end if;
  if v_user is null or v_user <> coalesce(new.user_id, v_user) then
    raise exception 'a job is started under one''s own id' using errcode = '42501';
  end if;
  if coalesce(new.status, 'queued') <> 'queued' then
    raise exception 'a new job has the status queued' using errcode = '42501';
  end if;
  insert into mill.workflow (type, params, user_id, idempotency_key)
  values (new.type, coalesce(new.params, '{}'), v_user, new.idempotency_key)
  returning id into v_id;
  select s.* into new from public.jobs s where s.id = v_id;
  return new;
end
$$;

COMMENT ON FUNCTION mill.insert_job() IS 'Starts a job where a row is inserted into jobs.';

CREATE FUNCTION mill.insert_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_job mill.workflow;
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
begin
  select * into v_job from mill.workflow j where j.id = new.job_id for update;
  if not found then
    raise exception 'there is no such job' using errcode = '23503';
  elsif not exists (select from public.workflow_definition d where d.type = v_job.type and d.version = v_job.version and d.tasks = '[]') then
    raise exception 'the tasks of a job of this type come from its definition' using errcode = '42501',
      hint = 'Insert a workflow_definition without tasks for a type of your own.';
  elsif v_job.status not in ('queued', 'processing') then
    raise exception 'the job is % already', v_job.status using errcode = 'GM067';
  elsif coalesce(new.status, 'pending') <> 'pending' then
    raise exception 'a new task has the status pending' using errcode = '42501';
  elsif not exists (select from mill.kind k where k.kind = new.task_type) then
    raise exception 'unknown job kind "%"', new.task_type using errcode = 'GM001';
  end if;
  new.input := coalesce(new.input, '{}');
  if jsonb_typeof(new.input) <> 'object' or pg_column_size(new.input) > v_max_bytes then
    raise exception 'input must be an object of at most % bytes', v_max_bytes using errcode = 'GM066';
  end if;
  new.id := mill.uuid7();
  new.key := new.task_type;
  new.item := coalesce((select max(t.item) + 1 from mill.task t where t.job_id = new.job_id and t.key = new.key), 0);
  new.sequence := coalesce(new.sequence, (select max(i.sequence) + 1 from mill.task_sequence i where i.job_id = new.job_id), 0);
  new.status := 'pending';
  new.attempts := 0;
  new.max_attempts := 3;
  new.phase := regexp_replace(new.task_type, '_generation$', '');
  new.progress := 0;
  insert into mill.workflow_step (type, version, position, key, kind, needs, family, pieces, weight, phase, on_failure, is_compensation, tolerant, max_attempts, is_inserted)
  select v_job.type, v_job.version, coalesce(max(w.position), 0) + 1, new.key, new.task_type, '{}', new.key, mill.template_pieces('"{{item}}"'),
    1, new.phase, 'fail', false, false, new.max_attempts, true
  from mill.workflow_step w where w.type = v_job.type and w.version = v_job.version
  on conflict do nothing;
  insert into mill.task (id, job_id, key, item, value) values (new.id, new.job_id, new.key, new.item, new.input);
  insert into mill.task_sequence (id, job_id, kind, sequence) values (new.id, new.job_id, new.task_type, new.sequence);
  return new;
end
$_$;

COMMENT ON FUNCTION mill.insert_task() IS 'Writes a task down that is inserted into job_tasks.';

CREATE FUNCTION mill.install_schedules() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_count int := 0;
  v_schedule record;
begin
  if to_regclass('cron.job') is null then
    return 0;
  end if;
  -- cron.schedule changes neither address nor user of a job that is there.
  perform cron.unschedule(m.jobid) from mill.misplaced_schedules() m;
  for v_schedule in
    select s.name, s.schedule, coalesce(s.command, format('select mill.run_schedule(%L)', s.name)) as command
    from mill.schedule s order by s.name
  loop
    perform cron.schedule(v_schedule.name, v_schedule.schedule, v_schedule.command);
    v_count := v_count + 1;
  end loop;
  -- What was declared once and is no more. Only commands that are surely ours.
  perform cron.unschedule(j.jobname) from cron.job j
  where j.command like 'select mill.run_schedule(%' and not exists (select from mill.schedule s where s.name = j.jobname);
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.install_schedules() IS 'Installs or updates the cron jobs; says how many, 0 without a cron schema.';

CREATE FUNCTION mill.install_storage_policies() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_buckets regclass := to_regclass('storage.buckets');
  v_policy text;
  v_ours text := (select string_agg(quote_literal(m.bucket), ', ' order by m.bucket) from mill.bucket m);
  v_object constant text := 'case bucket_id when ''gristmill'' then name else bucket_id || '':'' || name end'; -- see sql/files/tables.sql
begin
  if v_objects is null then
    return;
  end if;
  -- 50 MiB, as the function documents has it; a limit that an operator has set stays. See docs/documents.md.
  execute format($q$ insert into %1$s as b (id, name, public, file_size_limit) select m.bucket, m.bucket, false, 52428800 from mill.bucket m
    on conflict (id) do update set file_size_limit = coalesce(b.file_size_limit, excluded.file_size_limit) $q$, v_buckets);
  foreach v_policy in array array['files of accessible profiles', 'read what is one''s own', 'store what is being uploaded',
    'replace what is being uploaded', 'remove what no document is made of']
  loop
    execute format('drop policy if exists %I on %s', 'gristmill: ' || v_policy, v_objects);
  end loop;
  -- The Storage API removes only what it can see, so whoever may remove an object sees it too.
  execute format($q$ create policy "gristmill: read what is one's own" on %1$s for select to authenticated
    using (bucket_id in (%2$s) and (public.can_access_object(%3$s) or public.can_remove_object(%3$s))) $q$, v_objects, v_ours, v_object);
  execute format($q$ create policy "gristmill: store what is being uploaded" on %1$s for insert to authenticated
    with check (bucket_id in (%2$s) and public.can_write_object(%3$s)) $q$, v_objects, v_ours, v_object);
  execute format($q$ create policy "gristmill: remove what no document is made of" on %1$s for delete to authenticated
    using (bucket_id in (%2$s) and public.can_remove_object(%3$s)) $q$, v_objects, v_ours, v_object);
end
$_$;

COMMENT ON FUNCTION mill.install_storage_policies() IS 'Makes the buckets and their policies where Supabase Storage is; elsewhere it does nothing.';

CREATE FUNCTION mill.invocation_body(p_queue mill.queue, p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return jsonb_build_object(
    'invocation', p_id, 'queue', p_queue.queue, 'batch', p_queue.batch_size, 'seconds', p_queue.invocation_seconds,
    'kinds', array(select k.kind from mill.kind k where k.queue = p_queue.queue order by k.kind));
end
$$;

COMMENT ON FUNCTION mill.invocation_body(p_queue mill.queue, p_id uuid) IS 'What an invocation of the function of a queue is told, as docs/protocol.md has it.';

CREATE FUNCTION mill.invoke(p_queue text, p_reason text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_id uuid := mill.uuid7();
  v_queue mill.queue;
  v_function text;
  v_request bigint;
begin
  select q.* into v_queue from mill.queue q where q.queue = p_queue and q.served_by = 'function' and not q.paused;
  v_function := coalesce(v_queue.function, v_queue.url);
  if v_function is null or not mill.can_post(v_function) or mill.provider_wait(v_queue) > interval '0'
    or not mill.may_invoke(mill.target_of(v_function, v_queue.provider), v_id)
  then
    return null;
  end if;

  v_request := mill.post_signed(v_function, v_id, mill.invocation_body(v_queue, v_id), v_queue.invocation_seconds * 1000);
  insert into mill.invocation (id, queue, reason, asked_at, request_id)
  values (v_id, v_queue.queue, p_reason, mill.now(), v_request);
  return v_id;
end
$$;

COMMENT ON FUNCTION mill.invoke(p_queue text, p_reason text) IS 'Asks for one signed invocation of the queue''s function; null when it has none, is paused, its breaker is open, its provider has no room or nothing can send.';

CREATE FUNCTION mill.invoke_cleanup() RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.post_signed('cleanup', mill.uuid7(), jsonb_build_object('reason', 'schedule'), 120000) $$;

COMMENT ON FUNCTION mill.invoke_cleanup() IS 'Asks for one run of the cleanup function; null when nothing can send.';

CREATE FUNCTION mill.invoke_cleanup_exports() RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.post_signed('cleanup-exports', mill.uuid7(), jsonb_build_object('reason', 'schedule'), 120000) $$;

COMMENT ON FUNCTION mill.invoke_cleanup_exports() IS 'Asks for one run of the function cleanup-exports; null when nothing can send.';

CREATE FUNCTION mill.invoke_due() RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.wake(q, 'pump') from mill.queue q where q.served_by = 'worker';
  select count(mill.invoke(w.queue, 'pump'))::int
  from (
    select q.queue,
      -- Counting stops where more work would not mean more invocations.
      least(q.max_parallel, ceil(mill.depth(q.queue, q.batch_size * q.max_parallel)::numeric / q.batch_size)) - a.active as wanted
    from mill.queue q
    cross join lateral (
      select count(*) as active from mill.invocation i
      where i.queue = q.queue and i.ended_at is null
        and (i.begun_at is not null or i.asked_at > mill.now() - interval '2 seconds')
        and coalesce(i.begun_at, i.asked_at) > mill.now() - make_interval(secs => q.invocation_seconds)) a
    where q.served_by = 'function' and not q.paused
      and not exists (select from mill.breaker b where b.target = mill.target_of(coalesce(q.function, q.url), q.provider) and b.state = 'open')
  ) w
  cross join lateral generate_series(1, w.wanted)
$$;

COMMENT ON FUNCTION mill.invoke_due() IS 'Invokes the functions of queues with due jobs; says how many invocations were asked for.';

CREATE FUNCTION mill.is_completed_by(p_holder mill.holder) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return exists (
    select from mill.job_done j
    where j.id = p_holder.job and j.attempt = p_holder.attempt and j.worker = p_holder.worker and j.state = 'completed');
end
$$;

COMMENT ON FUNCTION mill.is_completed_by(p_holder mill.holder) IS 'Whether this holder has completed its job: true for a call that repeats one whose answer was lost.';

CREATE FUNCTION mill.is_countable(p_told mill.ended) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return p_told.state = 'completed'
    and (p_told.results is null or not exists (select from unnest(p_told.results) as o(output) where o.output ? 'artifacts'))
    and exists (
      select from mill.workflow j join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = p_told.name
      where j.id = p_told.parent and w.family is not null and not w.is_inserted and not exists (
        select from mill.workflow_step f where f.type = j.type and f.version = j.version and f.each_of = w.key));
end
$$;

COMMENT ON FUNCTION mill.is_countable(p_told mill.ended) IS 'Whether what ended is only to be counted: nothing waits for any of it by itself.';

CREATE FUNCTION mill.is_date(p_text text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce((
    select d.day between 1 and case
      when d.month = 2 then case when d.year % 4 = 0 and (d.year % 100 <> 0 or d.year % 400 = 0) then 29 else 28 end
      when d.month in (4, 6, 9, 11) then 30
      when d.month between 1 and 12 then 31
      else 0 end
    from (select m.part[1]::int as year, m.part[2]::int as month, m.part[3]::int as day
          from regexp_match(p_text, '^([0-9]{4})-([0-9]{2})-([0-9]{2})$') as m(part)) d), false)
$_$;

COMMENT ON FUNCTION mill.is_date(p_text text) IS 'Whether a text is a day of the calendar, as in 2030-12-31.';

CREATE FUNCTION mill.is_enabled(p_feature text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.setting('features.' || p_feature || '_enabled', 'false') = 'true' $$;

COMMENT ON FUNCTION mill.is_enabled(p_feature text) IS 'Whether a feature flag of mill.settings is on.';

CREATE FUNCTION mill.is_our_fetcher(p_function text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$ select exists (select from mill.queue q where q.queue ~ '^refresh(-|$)' and q.function = p_function) $_$;

COMMENT ON FUNCTION mill.is_our_fetcher(p_function text) IS 'Whether a function serves a refresh queue.';

CREATE FUNCTION mill.is_place_of_document(p_key text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (p_key ~ '^[^/]+/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$'::text);

COMMENT ON FUNCTION mill.is_place_of_document(p_key text) IS 'Whether a key has the form of a place where files of documents lie.';

CREATE FUNCTION mill.is_quota_exceeded(p_quota_gb numeric DEFAULT NULL::numeric, p_rolling_days integer DEFAULT NULL::integer, p_safety_buffer numeric DEFAULT NULL::numeric) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.quota_used(coalesce(p_rolling_days, mill.setting('refresh.quota_days', '30')::int))
    + mill.quota_in_flight() + mill.quota_next_batch() > mill.quota_limit(p_quota_gb, p_safety_buffer)
$$;

COMMENT ON FUNCTION mill.is_quota_exceeded(p_quota_gb numeric, p_rolling_days integer, p_safety_buffer numeric) IS 'Whether the next batch would pass the data quota; the settings count where an argument is null.';

CREATE FUNCTION mill.is_sent_at_once() RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  -- pg_net has no such function: it is the relay's own.
  if to_regprocedure('net._is_served()') is null then
    return false;
  end if;
  return net._is_served();
end
$$;

COMMENT ON FUNCTION mill.is_sent_at_once() IS 'Whether the relay serves, which sends a request within milliseconds of its commit.';

CREATE FUNCTION mill.is_upload_place(p_key text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((length(p_key) <= 512) AND (p_key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/[A-Za-z0-9_!.*''() &$@=;:+,?-]{1,200})+$'::text) AND (p_key !~ '/[.]+(/|$)'::text) AND (NOT mill.is_place_of_document(p_key)));

COMMENT ON FUNCTION mill.is_upload_place(p_key text) IS 'Whether a user may name a place like this for a file of its own.';

CREATE FUNCTION mill.is_swept_place(p_key text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (mill.is_upload_place(p_key) OR mill.is_place_of_document(p_key) OR (p_key ~ '^quarantine/[0-9a-f-]{36}/[^/]+$'::text));

COMMENT ON FUNCTION mill.is_swept_place(p_key text) IS 'Whether an object of medical-docs is of a kind that documents have.';

CREATE FUNCTION mill.is_time_with_zone(p_text text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce((
    select t.hour <= 23 and t.minute <= 59 and t.zone_hour <= 23 and t.zone_minute <= 59 and (
      t.second < 60 or t.second < 61
        and (t.hour * 60 + t.minute - t.sign * (t.zone_hour * 60 + t.zone_minute) + 2880) % 1440 = 1439)
    from (
      select m.part[1]::int as hour, m.part[2]::int as minute, m.part[3]::numeric as second,
        case m.part[4] when '-' then -1 else 1 end as sign, coalesce(m.part[5], '0')::int as zone_hour, coalesce(m.part[6], '0')::int as zone_minute
      from regexp_match(p_text, '^([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)(?:[zZ]|([+-])([0-9]{2})(?::?([0-9]{2}))?)$') as m(part)) t), false)
$_$;

COMMENT ON FUNCTION mill.is_time_with_zone(p_text text) IS 'Whether a text is a time of a day with its zone, as in 23:59:59.5+01:00.';

CREATE FUNCTION mill.is_unique_option(p_unique jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN COALESCE(((jsonb_typeof(p_unique) = 'object'::text) AND (((p_unique - 'by'::text) - 'within_seconds'::text) = '{}'::jsonb) AND (jsonb_typeof((p_unique -> 'by'::text)) = 'array'::text) AND (NOT (p_unique @? '$."by"[*]?(@.type() != "string" || @ == "")'::jsonpath)) AND (jsonb_typeof((p_unique -> 'within_seconds'::text)) = 'number'::text) AND ((((p_unique ->> 'within_seconds'::text))::numeric >= (1)::numeric) AND (((p_unique ->> 'within_seconds'::text))::numeric <= (31536000)::numeric)) AND ((((p_unique ->> 'within_seconds'::text))::numeric % (1)::numeric) = (0)::numeric)), false);

COMMENT ON FUNCTION mill.is_unique_option(p_unique jsonb) IS 'Whether a value says by which fields jobs are unique, and for how long.';

CREATE FUNCTION mill.jobs_of_part(p_part text) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_routine text := format('mill.jobs_of_%s', replace(p_part, '/', '_'));
  v_more uuid[] := array[]::uuid[];
begin
  if to_regproc(v_routine) is not null then
    execute format('select array(select %s())', v_routine) into v_more;
  end if;
  return array(
    select j.id from mill.job_live j where j.kind = any (mill.kinds_of_part(p_part))
    union
    select j.id from mill.job_live j where j.id = any (v_more));
end
$$;

COMMENT ON FUNCTION mill.jobs_of_part(p_part text) IS 'The live jobs of a part, but for those that wait packed.';

CREATE FUNCTION mill.jobs_of_workflows() RETURNS SETOF uuid
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select t.id from mill.task t where t.state = 'queued' $$;

COMMENT ON FUNCTION mill.jobs_of_workflows() IS 'The tasks that are jobs of the engine now. For mill.jobs_of_part alone.';

CREATE FUNCTION mill.judge_alerts() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_rule mill.alert_rule;
  v_changed int := 0;
begin
  if not pg_try_advisory_xact_lock(7022311640271850) then -- any constant that only this uses
    return 0;
  end if;
  for v_rule in select r.* from mill.alert_rule r where r.enabled order by r.rule loop
    begin
      v_changed := v_changed + mill.judge_rule(v_rule);
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'alert_rule_failed',
        jsonb_build_object('rule', v_rule.rule, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;
  return v_changed;
end
$$;

COMMENT ON FUNCTION mill.judge_alerts() IS 'Evaluates every rule; says how many alerts fired or resolved.';

CREATE FUNCTION mill.judge_breakers() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_rate numeric := mill.setting('breaker.failure_rate', '0.5')::numeric;
  v_minimum int := mill.setting('breaker.min_attempts', '20')::int;
  v_target record;
  v_changed int := 0;
begin
  insert into mill.breaker (target, changed_at)
  select distinct mill.target_of(coalesce(q.function, q.url), q.provider), '-infinity'::timestamptz from mill.queue q
  where coalesce(q.function, q.url) is not null and not exists (select from mill.breaker b where b.target = mill.target_of(coalesce(q.function, q.url), q.provider))
  on conflict do nothing;

  for v_target in
    select b.target, b.state, b.retry_at, b.probe, s.attempts, s.failures, s.permanent, mill.probe_state(b.probe) as probe_state,
      s.failures > s.worst and s.failures - s.worst >= v_rate * (s.attempts - s.worst) as others_fail_too,
      s.failures - s.worst >= v_minimum / 4.0 as others_fail_often
    from mill.breaker b cross join lateral mill.recent_attempts(b.target, b.changed_at) s
    order by b.target
    for no key update of b skip locked
  loop
    if v_target.state = 'closed' and v_target.attempts >= v_minimum and v_target.failures >= v_rate * v_target.attempts
      and v_target.others_fail_too and v_target.others_fail_often
    then
      perform mill.set_breaker(v_target.target, 'open', format('%s of %s attempts failed', v_target.failures, v_target.attempts));
    elsif v_target.state = 'open' and v_target.retry_at <= v_now then
      perform mill.set_breaker(v_target.target, 'half_open', 'the cooldown is over');
    elsif v_target.probe_state = 'lost' or
      v_target.probe_state = 'ended' and v_target.failures >= v_rate * v_target.attempts and v_target.others_fail_too
    then
      perform mill.set_breaker(v_target.target, 'open', format('the probe was %s, %s of %s attempts failed',
        v_target.probe_state, v_target.failures, v_target.attempts));
    elsif v_target.probe_state = 'ended' and v_target.attempts + v_target.permanent > 0 and v_target.failures < v_rate * greatest(v_target.attempts, 1) then
      perform mill.set_breaker(v_target.target, 'closed', 'the probe succeeded');
    elsif v_target.probe_state = 'ended' then
      -- It found nothing to do, or failed for one tenant alone: another may go.
      update mill.breaker b set probe = null where b.target = v_target.target;
    else
      continue;
    end if;
    v_changed := v_changed + 1;
  end loop;
  return v_changed;
end
$$;

COMMENT ON FUNCTION mill.judge_breakers() IS 'Moves each target''s breaker by its recent attempts; says how many moved.';

CREATE TABLE mill.alert_rule (
    rule text NOT NULL,
    severity text NOT NULL,
    description text NOT NULL,
    measure text NOT NULL,
    threshold numeric NOT NULL,
    hold_seconds integer DEFAULT 0 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT hold_is_not_negative CHECK ((hold_seconds >= 0)),
    CONSTRAINT measure_is_a_function_of_ours CHECK ((measure ~ '^mill\.[a-z_0-9]+$'::text)),
    CONSTRAINT severity_is_known CHECK ((severity = ANY (ARRAY['P0'::text, 'P1'::text, 'P2'::text])))
);

COMMENT ON TABLE mill.alert_rule IS 'When to alarm. Adding a rule is an INSERT; its measure is a function that answers (subject text, value numeric).';

CREATE FUNCTION mill.judge_rule(p_rule mill.alert_rule) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_high jsonb;
  v_changed uuid[];
begin
  execute format('select coalesce(jsonb_object_agg(m.subject, m.value), ''{}'') from %s() m where m.value >= $1', p_rule.measure)
  into v_high using p_rule.threshold;

  delete from mill.alert a where a.rule = p_rule.rule and a.state = 'pending' and not v_high ? a.subject;
  update mill.alert a set value = (v_high ->> a.subject)::numeric
  where a.rule = p_rule.rule and a.state <> 'resolved' and v_high ? a.subject;
  insert into mill.alert (id, rule, subject, state, value, since)
  select mill.uuid7(), p_rule.rule, h.key, 'pending', h.value::numeric, v_now from jsonb_each_text(v_high) h
  on conflict (rule, subject) where state <> 'resolved' do nothing;

  with changed as (
    update mill.alert a set
      state = case when v_high ? a.subject then 'firing' else 'resolved' end,
      fired_at = coalesce(a.fired_at, v_now),
      resolved_at = case when not v_high ? a.subject then v_now end
    where a.rule = p_rule.rule and (
      a.state = 'pending' and a.since <= v_now - make_interval(secs => p_rule.hold_seconds)
      or a.state = 'firing' and not v_high ? a.subject)
    returning a.id
  )
  select coalesce(array_agg(c.id), '{}') into v_changed from changed c;
  perform mill.deliver_alert(c.id) from unnest(v_changed) c(id);
  return cardinality(v_changed);
end
$_$;

COMMENT ON FUNCTION mill.judge_rule(p_rule mill.alert_rule) IS 'Fires and resolves the alerts of one rule; says how many changed.';

CREATE FUNCTION mill.judge_stage(p_file public.shell_files, p_job_id uuid, p_kind text, p_payload jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_stage text := mill.stage_of_kind(p_kind);
  v_holder uuid := (p_file.stage_jobs ->> v_stage)::uuid;
  v_is_retryable boolean := false;
  v_type text;
  v_message text;
begin
  if mill.document_named(p_payload) is null then
    v_type := 'unknown_document';
    v_message := 'the payload names no document: shell_file_id must be the id of one';
  elsif p_file.id is null then
    v_type := 'unknown_document';
    v_message := format('there is no document %s', mill.document_named(p_payload));
  elsif p_file.status = 'erasing' then
    v_type := 'erased';
    v_message := format('document %s is being erased', p_file.id);
  elsif p_file.status = 'uploading' then
    v_type := 'not_uploaded';
    v_message := format('the file of document %s is not stored yet', p_file.id);
    v_is_retryable := true;
  elsif p_payload ? 'storage_path' and (p_payload ->> 'storage_path') is distinct from p_file.storage_path
    and (p_payload ->> 'storage_path') is distinct from p_file.upload_path
  then
    v_type := 'other_file';
    v_message := format('storage_path is not where the file of document %s lies', p_file.id);
  elsif p_file.status in ('refused', 'infected') then
    v_type := 'refused';
    v_message := format('document %s was refused by the security stage', p_file.id);
  elsif p_payload ? 'run' and p_payload -> 'run' <> to_jsonb(p_file.run) then
    v_type := 'other_run';
    v_message := format('the job is of run %s of document %s, which is in run %s', p_payload ->> 'run', p_file.id, p_file.run);
  elsif p_file.status = 'completed' or mill.stage_number(v_stage) < mill.stage_number(p_file.stage) then
    return jsonb_build_object('outcome', 'done', 'stage', v_stage, 'by_job', v_holder);
  elsif mill.stage_number(v_stage) > mill.stage_number(p_file.stage) then
    v_type := 'not_reached';
    v_message := format('document %s %s in stage %s, before %s', p_file.id,
      case p_file.status when 'failed' then 'failed' else 'is' end, p_file.stage, v_stage);
    v_is_retryable := p_file.status <> 'failed';
  elsif v_holder <> p_job_id and exists (select from mill.job_live j where j.id = v_holder and j.state = 'processing') then
    return jsonb_build_object('outcome', 'busy', 'by_job', v_holder);
  else
    return null;
  end if;
  return jsonb_build_object('outcome', 'refused', 'type', v_type, 'message', v_message, 'retryable', v_is_retryable);
end
$$;

COMMENT ON FUNCTION mill.judge_stage(p_file public.shell_files, p_job_id uuid, p_kind text, p_payload jsonb) IS 'Null when the job may begin its stage; otherwise {outcome: done, by_job}, {outcome: busy, by_job} or {outcome: refused, type, message, retryable}.';

CREATE FUNCTION mill.keep_artifacts(p_ids uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$
  with made as (
    select j.id as job_id, j.user_id, t.id as task_id, a.artifact, a.artifact ->> 'type' as type, coalesce(a.artifact ->> 'bucket', 'gristmill') as bucket,
      format('%s/%s/%s/%s', j.user_id, j.id,
        case a.artifact ->> 'type' when 'audio_mp3' then 'audio' else a.artifact ->> 'type' end,
        t.id || '.' || case a.artifact ->> 'type' when 'audio_mp3' then 'mp3' else a.artifact ->> 'type' end) as path
    from mill.task t
    join mill.workflow j on j.id = t.job_id
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(t.output -> 'artifacts') when 'array' then t.output -> 'artifacts' else '[]' end) as a(artifact)
    where t.id = any (p_ids) and t.state = 'completed'
  ),
  judged as (
    select m.*, m.type in ('audio_mp3', 'pdf', 'json') and m.bucket in ('gristmill', 'job-artifacts') and m.artifact ->> 'storage_path' = m.path
      and m.artifact ->> 'sha256' ~ '^[0-9a-f]{64}$' and m.artifact ->> 'bytes' ~ '^\d{1,15}$'
      and coalesce(m.artifact ->> 'duration_seconds', '0') ~ '^\d{1,9}(\.\d+)?$' is true as is_good
    from made m
  ),
  refused as (
    insert into mill.event (at, code, detail)
    select mill.now(), 'artifact_refused', jsonb_build_object('job', g.job_id, 'task', g.task_id) from judged g where not coalesce(g.is_good, false)
  )
  insert into public.job_artifacts (id, job_id, user_id, task_id, artifact_type, storage_path, file_size_bytes, duration_seconds, sha256, title, created_at, bucket)
  select mill.uuid7(), g.job_id, g.user_id, g.task_id, g.type, g.path, (g.artifact ->> 'bytes')::bigint,
    (g.artifact ->> 'duration_seconds')::numeric, g.artifact ->> 'sha256', left(g.artifact ->> 'title', 200), mill.now(), g.bucket
  from judged g where g.is_good
  on conflict (storage_path) do update set
    file_size_bytes = excluded.file_size_bytes, duration_seconds = excluded.duration_seconds, sha256 = excluded.sha256, title = excluded.title,
    bucket = excluded.bucket
$_$;

COMMENT ON FUNCTION mill.keep_artifacts(p_ids uuid[]) IS 'Registers the artifacts that completed tasks named in their outputs.';

CREATE TABLE mill.audit_day (
    day date NOT NULL,
    rows integer NOT NULL,
    head bytea NOT NULL,
    began_on bytea NOT NULL,
    previous_day date,
    dropped_at timestamp with time zone
);

COMMENT ON TABLE mill.audit_day IS 'How many rows each day''s chain has, its last hash, and the hash of an earlier day that it began on.';

CREATE FUNCTION mill.keep_audit_day(p_day mill.audit_day) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.audit_day (day, rows, head, began_on, previous_day)
  select p_day.day, p_day.rows, p_day.head, p_day.began_on, p_day.previous_day where p_day.day is not null
  on conflict (day) do update set rows = excluded.rows, head = excluded.head
$$;

COMMENT ON FUNCTION mill.keep_audit_day(p_day mill.audit_day) IS 'Writes down where a day''s chain stands. For mill.chain_audit alone.';

CREATE FUNCTION mill.keep_definition_steps() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from mill.workflow_step s where s.type = new.type and s.version = new.version and not s.is_inserted;
  insert into mill.workflow_step select * from mill.definition_steps(new.type, new.version, new.tasks);
  return null;
end
$$;

COMMENT ON FUNCTION mill.keep_definition_steps() IS 'Keeps a definition taken apart.';

CREATE FUNCTION mill.keep_logs(p_items jsonb, p_held uuid[], p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.append_log(i.id, i.attempt, i.logs, p_now)
  from (
    select distinct on (i.id) i.id, i.attempt, i.logs from jsonb_to_recordset(p_items) as i(id uuid, attempt int, logs jsonb)
    where jsonb_typeof(i.logs) = 'array' and i.logs <> '[]' and i.id = any (p_held)
    order by i.id) i;
end
$$;

COMMENT ON FUNCTION mill.keep_logs(p_items jsonb, p_held uuid[], p_now timestamp with time zone) IS 'Keeps the logs in outcomes or leases [{id, attempt, logs}] of the jobs that are held.';

CREATE FUNCTION mill.keep_progress(p_job mill.workflow) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_at record;
  v_docs record;
begin
  with step as (
    select w.phase, w.position, w.weight, s.state not in ('waiting', 'open') as ended,
      s.completed + s.failed + s.skipped as n, coalesce(s.total, 0) as total
    from mill.step s
    join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = s.key
    where s.job_id = p_job.id and not w.is_compensation
  ),
  phase as (
    select p.phase, min(p.position) as position, sum(p.n) as n, sum(p.total) as total,
      coalesce(sum(sum(p.weight)) over (order by min(p.position) rows between unbounded preceding and 1 preceding), 0) as begins
    from step p group by p.phase
  ),
  overall as (
    select sum(p.weight) as weight, bool_and(p.ended) as ended,
      sum(p.weight * case when p.ended then 1 when p.total > 0 then p.n::numeric / p.total else 0 end) as done
    from step p
  )
  select o.ended, o.done > 0 as begun, floor(100 * o.done / o.weight)::int as percent, h.phase, h.n, h.total into v_at
  from overall o join lateral (
    select p.* from phase p where p.begins <= o.done order by p.begins desc limit 1) h on true;

  select s.completed, s.total into v_docs from mill.step s join public.workflow_definition d on d.documents = s.key
  where s.job_id = p_job.id and d.type = p_job.type and d.version = p_job.version;

  if p_job.status in ('queued', 'processing') and v_at.ended and not p_job.compensating then
    p_job.status := 'completed';
    p_job.output := mill.workflow_output(p_job);
  elsif p_job.status = 'queued' and v_at.begun then
    p_job.status := 'processing';
  end if;
  p_job.percent := case when p_job.status = 'completed' then 100 else greatest(p_job.percent, least(coalesce(v_at.percent, 0), 99)) end;
  p_job.phase := case
    when p_job.status = 'completed' then 'complete' when p_job.compensating then 'compensating'
    when p_job.status in ('queued', 'failed', 'cancelled') then p_job.phase else v_at.phase end;
  p_job.message := case
    when p_job.status = 'completed' then 'Complete'
    when p_job.status = 'cancelled' then 'Cancelled'
    when p_job.error is not null then format('%s failed: %s', p_job.error ->> 'task', p_job.error ->> 'message')
    when p_job.status = 'queued' then 'Queued'
    else format('%s: %s of %s', initcap(v_at.phase), v_at.n, v_at.total) end;

  update mill.workflow j set
    status = p_job.status, percent = p_job.percent, phase = p_job.phase, message = p_job.message, output = p_job.output,
    error = p_job.error, compensating = p_job.compensating, stragglers = p_job.stragglers,
    docs_complete = coalesce(v_docs.completed, 0), docs_total = coalesce(v_docs.total, 0),
    revision = j.revision + 1, updated_at = mill.now(),
    finished_at = case when p_job.status in ('completed', 'failed', 'cancelled') then coalesce(j.finished_at, mill.now()) end
  where j.id = p_job.id and (j.status, j.percent, j.phase, j.message, j.docs_complete, j.docs_total, j.stragglers, j.compensating)
    is distinct from (p_job.status, p_job.percent, p_job.phase, p_job.message, coalesce(v_docs.completed, 0),
      coalesce(v_docs.total, 0), p_job.stragglers, p_job.compensating);
end
$$;

COMMENT ON FUNCTION mill.keep_progress(p_job mill.workflow) IS 'Writes what changed about a job, in one update.';

CREATE FUNCTION mill.keep_scanned(p_file public.shell_files, p_place text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_place is not null then
    delete from mill.document_upload u where u.place = p_place and u.document_id = p_file.id and u.is_copy;
    if not found then
      raise exception 'this place was not given out for document %', p_file.id using errcode = 'GM046';
    end if;
  end if;
  update public.shell_files f set storage_path = coalesce(mill.key_within(f.bucket, p_place), f.storage_path), scanned_at = mill.now()
  where f.id = p_file.id and (p_place is not null or f.scanned_at is not null);
end
$$;

COMMENT ON FUNCTION mill.keep_scanned(p_file public.shell_files, p_place text) IS 'Notes that a document''s file was scanned, and where the scanned bytes lie.';

CREATE FUNCTION mill.keep_upserted_file() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return old;
end
$$;

COMMENT ON FUNCTION mill.keep_upserted_file() IS 'Keeps a row of shell_files as it is, whatever a client sends.';

CREATE FUNCTION mill.kept_answer(p_caller text, p_key text, p_request bytea) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    AS $_$
declare
  v_since timestamptz := mill.now() - interval '24 hours';
  v_kept mill.idempotency_key;
begin
  -- Printable ASCII, as the header may have it.
  if coalesce(p_key, '') !~ '^[ -~]{1,255}$' then
    raise exception 'an idempotency key has 1 to 255 printable ASCII characters' using errcode = 'GM004';
  end if;
  begin
    perform pg_advisory_xact_lock(702261, hashtext(p_caller || ' ' || p_key));
  exception when lock_not_available then
    raise exception 'the first call with this idempotency key is still running' using errcode = 'GM081', detail = '{"retry_after": 2}';
  end;

  select k.* into v_kept from mill.idempotency_key k where k.caller = p_caller and k.key = p_key and k.created_at > v_since;
  if found and v_kept.request <> p_request then
    raise exception 'the idempotency key was used for another request' using errcode = 'GM080', hint = 'Take a new key for each request.';
  end if;
  if not found then
    perform mill.refuse_more_keys(p_caller, v_since);
  end if;
  return v_kept.answer;
end
$_$;

COMMENT ON FUNCTION mill.kept_answer(p_caller text, p_key text, p_request bytea) IS 'Takes an idempotency key until the end of the transaction; answers what was answered under it, or null. Raises GM080 for another request, GM081 when the first one does not end, GM082 for a caller with too many keys.';

CREATE FUNCTION mill.key_within(p_bucket text, p_object text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN ((p_bucket <> 'gristmill'::text) AND starts_with(p_object, (p_bucket || ':'::text))) THEN substr(p_object, (length(p_bucket) + 2)) ELSE p_object END;

COMMENT ON FUNCTION mill.key_within(p_bucket text, p_object text) IS 'The key of a named object within its bucket.';

CREATE FUNCTION mill.keyword_value(p_keyword text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case
    when p_keyword in ('title', 'description', 'default', 'examples', 'deprecated', '$comment', 'readOnly', 'writeOnly', '$id', '$schema') then 'annotation'
    when p_keyword in ('additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else') then 'a schema'
    when p_keyword in ('properties', 'patternProperties', '$defs') then 'an object of schemas'
    when p_keyword in ('prefixItems', 'allOf', 'anyOf', 'oneOf') then 'an array of schemas'
    when p_keyword in ('minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties')
      then 'an integer of at least 0'
    when p_keyword in ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum') then 'a number'
    when p_keyword = 'multipleOf' then 'a number above 0'
    when p_keyword = 'uniqueItems' then 'true or false'
    when p_keyword = 'required' then 'an array of names'
    when p_keyword = 'dependentRequired' then 'an object of arrays of names'
    when p_keyword = 'type' then 'a type or an array of types'
    when p_keyword = 'enum' then 'an array'
    when p_keyword = 'const' then 'any value'
    when p_keyword in ('pattern', 'format', '$ref') then 'a text'
  end
$_$;

COMMENT ON FUNCTION mill.keyword_value(p_keyword text) IS 'What the value of a keyword of JSON Schema must be, in words; null for a keyword that is not supported.';

CREATE TABLE mill.kind (
    kind text NOT NULL,
    queue text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    open_to_users boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    first_asked_at timestamp with time zone,
    max_attempts integer,
    schema jsonb,
    compiled_schema jsonb,
    unique_by text[],
    unique_within_seconds integer,
    registered jsonb,
    CONSTRAINT kind_name_is_a_short_word CHECK ((kind ~ '^[a-z][a-z0-9_.-]{0,62}$'::text)),
    CONSTRAINT max_attempts_of_a_kind_is_positive CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT unique_jobs_are_so_for_a_time CHECK ((((unique_by IS NULL) = (unique_within_seconds IS NULL)) AND ((unique_within_seconds >= 1) AND (unique_within_seconds <= 31536000))))
);

COMMENT ON TABLE mill.kind IS 'What may be enqueued. open_to_users: signed-in users may submit it for themselves.';

CREATE FUNCTION mill.kind_definition(p_kind mill.kind) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object('queue', p_kind.queue, 'description', p_kind.description, 'open_to_users', p_kind.open_to_users, 'max_attempts', p_kind.max_attempts,
    'schema', p_kind.schema,
    'unique', case when p_kind.unique_by is not null then jsonb_build_object('by', p_kind.unique_by, 'within_seconds', p_kind.unique_within_seconds) end)
$$;

COMMENT ON FUNCTION mill.kind_definition(p_kind mill.kind) IS 'A kind in the form of register_jobs.';

CREATE FUNCTION mill.kind_from_definition(p_kind mill.kind, p_definition jsonb, p_place text) RETURNS mill.kind
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_kind mill.kind := jsonb_populate_record(p_kind, p_definition - 'unique' - 'schema');
  v_unique jsonb := p_definition -> 'unique';
begin
  if p_definition ? 'schema' then
    v_kind.schema := nullif(p_definition -> 'schema', 'null');
    v_kind.compiled_schema := mill.compile_schema(v_kind.schema);
  end if;
  if v_unique in ('null', 'false') then
    v_kind.unique_by := null;
    v_kind.unique_within_seconds := null;
  elsif v_unique is not null then
    perform mill.check_unique(v_unique, mill.pointer(p_place, 'unique'));
    v_kind.unique_by := array(select jsonb_array_elements_text(v_unique -> 'by'));
    v_kind.unique_within_seconds := (v_unique ->> 'within_seconds')::int;
  end if;
  return v_kind;
end
$$;

COMMENT ON FUNCTION mill.kind_from_definition(p_kind mill.kind, p_definition jsonb, p_place text) IS 'A kind as a definition asks for it. For mill.register_kind alone.';

CREATE FUNCTION mill.kind_of_stage(p_stage text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (CASE WHEN (p_stage ~~ 'pass%'::text) THEN 'ai_queue_'::text ELSE 'fast_queue_'::text END || p_stage);

COMMENT ON FUNCTION mill.kind_of_stage(p_stage text) IS 'The kind of job that a stage is.';

CREATE FUNCTION mill.kinds_of_part(p_part text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select coalesce(array_agg(k.kind), '{}') from mill.kind k where k.part = p_part $$;

COMMENT ON FUNCTION mill.kinds_of_part(p_part text) IS 'The kinds of jobs that a part has registered.';

CREATE FUNCTION mill.tenant_of(p_owner uuid, p_group_key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN COALESCE((p_owner)::text, ('group '::text || p_group_key), ''::text);

COMMENT ON FUNCTION mill.tenant_of(p_owner uuid, p_group_key text) IS 'Whose turn a job counts as: its owner''s, so that splitting work over many keys gains nothing; the key''s without an owner.';

CREATE FUNCTION mill.lane_of(p_dequeue text, p_per_group integer, p_owner uuid, p_group_key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_per_group IS NOT NULL) THEN ((mill.tenant_of(p_owner, p_group_key) || '/'::text) || COALESCE(p_group_key, ''::text)) WHEN (p_dequeue = 'fair'::text) THEN mill.tenant_of(p_owner, p_group_key) ELSE NULL::text END;

COMMENT ON FUNCTION mill.lane_of(p_dequeue text, p_per_group integer, p_owner uuid, p_group_key text) IS 'The line a job stands in: its tenant''s, and where groups are capped its tenant''s of that group.';

CREATE FUNCTION mill.lift_pauses(p_data_type text, p_symbols text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_now timestamptz := mill.now();
begin
  update mill.data_check c set next_check_at = v_now
  where c.ctid = any (array(
    select p.ctid from mill.data_check p
    where p.data_type = p_data_type and p.symbol = any (p_symbols) and p.reason = 'dead' and p.next_check_at > v_now
      and exists (
        select from public.active_subscriptions_v2 a
        where a.symbol = p.symbol and a.data_type = p.data_type and a.subscribed_at > p.noted_at)
    for update skip locked));
end
$$;

COMMENT ON FUNCTION mill.lift_pauses(p_data_type text, p_symbols text[]) IS 'Ends the pauses of symbols that have had a new watcher since their refresh became a dead letter.';

CREATE FUNCTION mill.limit_wait(p_provider text, p_endpoint text) RETURNS interval
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce((
    select case
      when l.status <> 'active' then interval '1 minute'
      when l.blocked_until > n.at then l.blocked_until - n.at
      when least(r.requests, r.tokens) <= 0 then greatest(r.wait, interval '0.5 seconds')
      else interval '0' end
    from (select mill.now() as at) n
    cross join lateral mill.api_limit(p_provider, p_endpoint) l
    cross join lateral mill.api_capacity_left(l, n.at) r
    where p_provider is not null), interval '0')
$$;

COMMENT ON FUNCTION mill.limit_wait(p_provider text, p_endpoint text) IS 'How long a provider''s limit admits no request, at least; zero when it does, or there is none.';

CREATE FUNCTION mill.live_jobs_of_part(p_part text) RETURNS TABLE(queue text, jobs bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select c.queue, sum(c.jobs)::bigint
  from (
    select j.queue, 1 as jobs from mill.job_live j where j.id = any (mill.jobs_of_part(p_part))
    union all
    select p.queue, p.jobs from mill.pack p where p.kind = any (mill.kinds_of_part(p_part))) c
  group by c.queue order by c.queue
$$;

COMMENT ON FUNCTION mill.live_jobs_of_part(p_part text) IS 'How many live jobs of a part each queue has: what removing the part cancels.';

CREATE FUNCTION mill.lock_api(p_provider text, p_endpoint text, p_waits boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_class constant int := 702232;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_class, hashtext(p_provider || '/' || p_endpoint));
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_class, hashtext(p_provider || '/' || p_endpoint));
end
$$;

COMMENT ON FUNCTION mill.lock_api(p_provider text, p_endpoint text, p_waits boolean) IS 'Takes the lock of a limit until the end of the transaction; false when it may not wait and another has it.';

CREATE TABLE mill.compat_lease (
    id uuid NOT NULL,
    worker text NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone,
    heartbeat_at timestamp with time zone
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.compat_lease IS 'The leases that compat claims gave out, one row per job: the last one.';

CREATE FUNCTION mill.lock_compat_lease(p_id uuid) RETURNS mill.compat_lease
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_lease mill.compat_lease;
begin
  perform from mill.job_live j where j.id = p_id for update;
  select c.* into v_lease
  from mill.compat_lease c
  join mill.job_live j on j.id = c.id and j.worker = c.worker and j.attempt = c.attempt and j.started_at = c.started_at
  where c.id = p_id and j.state = 'processing';
  return v_lease;
end
$$;

COMMENT ON FUNCTION mill.lock_compat_lease(p_id uuid) IS 'Locks a job; the lease that a compat claim gave out for it, null when it is not processing under one.';

CREATE FUNCTION mill.lock_due_jobs(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_rows tid[];
begin
  if p_queue.provider is not null and mill.hook_of('claim') is not null then
    execute format('select %s($1, $2, $3, $4)', mill.hook_of('claim')) into v_rows using p_queue, p_max, p_kinds, p_waits;
    return v_rows;
  elsif p_queue.counts_running then
    return mill.lock_jobs_within_caps(p_queue, p_max, p_kinds, p_waits);
  end if;
  return mill.lock_jobs_by_priority(p_queue.queue, p_max, p_kinds, true, p_waits);
end
$_$;

COMMENT ON FUNCTION mill.lock_due_jobs(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) IS 'Locks due jobs in the way that the options of their queue ask for.';

CREATE FUNCTION mill.lock_expired_leases(p_now timestamp with time zone, p_max integer) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_line record;
  v_floor record;
  v_begun timestamptz;
  v_took interval;
  v_end bigint;
  v_first bigint;
  v_running xid[] := mill.running_transactions();
  v_rows tid[] := array(
    select x.ctid
    from mill.queue q
    cross join lateral (
      select j.ctid from mill.job_live j
      where j.slot = q.queue and j.lease_until <= p_now and j.xmax <> all (v_running)
      limit p_max
      for update skip locked) x);
begin
  v_rows := v_rows || mill.lock_expired_pack_leases(p_now, p_max);
  for v_line in
    select f.line, f.version from mill.floor f where f.tail_at <= clock_timestamp()
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found;
    v_begun := clock_timestamp();
    select j.turn into v_first
    from mill.job_live j
    where j.line = v_floor.line and j.turn >= v_floor.tail and not j.waits
    order by j.turn
    limit 1;
    v_first := least(v_first, v_floor.turn); -- null, which least leaves out: nothing is left
    select j.turn into v_end
    from mill.job_live j
    where j.line = v_floor.line and j.turn >= v_floor.turn
      and not j.waits and j.state = 'pending'
    order by j.turn
    limit 1;
    v_rows := v_rows || array(
      select j.ctid from mill.job_live j
      where j.line = v_floor.line and j.turn >= v_first
        and j.turn < coalesce(v_end, 9223372036854775807)
        and not j.waits and j.lease_until <= p_now and j.xmax <> all (v_running)
      order by j.turn
      limit p_max
      for update skip locked);
    v_took := clock_timestamp() - v_begun;
    if v_first > v_floor.tail or v_took > interval '250 milliseconds' then
      update mill.floor_version v set
        version = v.version + 1,
        tail = v_first,
        tail_at = case when v_took > interval '250 milliseconds' then clock_timestamp() + 20 * v_took else v.tail_at end
      where v.ctid = v_floor.place;
    end if;
  end loop;
  return v_rows;
end
$$;

COMMENT ON FUNCTION mill.lock_expired_leases(p_now timestamp with time zone, p_max integer) IS 'Locks jobs whose leases have expired and says where they are. For mill.reclaim alone.';

CREATE FUNCTION mill.lock_expired_pack_leases(p_now timestamp with time zone, p_max integer) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_leases tid[] := array(
    select l.ctid from mill.pack_lease l where l.lease_until <= p_now order by l.lease_until limit 10000 for update skip locked);
  v_running xid[] := mill.running_transactions();
  v_rows tid[];
begin
  if v_leases = '{}' then
    return '{}'::tid[];
  end if;
  v_rows := array(
    select j.ctid
    from mill.pack_lease l
    cross join lateral (
      select j.ctid from mill.job_live j
      where j.id between l.first and l.last and j.turn is null and not j.waits and j.slot is null and j.lease_until <= p_now
        and j.xmax <> all (v_running)
      limit p_max
      for update skip locked) j
    where l.ctid = any (v_leases)
    limit p_max);
  if cardinality(v_rows) >= p_max then
    return v_rows; -- more than can be taken back at once: no lease is done with
  end if;

  with looked as materialized (
    select l.ctid as place, (
      select min(j.lease_until) from mill.job_live j
      where j.id between l.first and l.last and j.turn is null and not j.waits and j.slot is null) as next
    from mill.pack_lease l
    where l.ctid = any (v_leases)
  ),
  kept as (
    update mill.pack_lease l set lease_until = k.next from looked k where l.ctid = k.place and k.next > p_now
  )
  delete from mill.pack_lease l where l.ctid = any (array(select k.place from looked k where k.next is null));
  return v_rows;
end
$$;

COMMENT ON FUNCTION mill.lock_expired_pack_leases(p_now timestamp with time zone, p_max integer) IS 'Locks jobs claimed out of packs whose leases have expired and says where they are. For mill.lock_expired_leases alone.';

CREATE FUNCTION mill.lock_exports(p_owner uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select pg_advisory_xact_lock(702250, hashtext(p_owner::text))
$$;

COMMENT ON FUNCTION mill.lock_exports(p_owner uuid) IS 'One change at a time to the exports of an owner, until the transaction ends.';

CREATE FUNCTION mill.lock_jobs_by_priority(p_queue text, p_max integer, p_kinds text[], p_takes_packs boolean DEFAULT false, p_waits boolean DEFAULT false) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_rows tid[];
  v_first record;
  v_pack record;
  v_late int := age(pg_snapshot_xmin(pg_current_snapshot())::xid);
  v_running xid[]; -- null while nobody asks
  v_asks boolean := exists (select from mill.floor f where f.queue = p_queue and f.advance_at <= clock_timestamp());
  v_was_short boolean := false;
  v_again boolean;
begin
  loop
    if v_asks then
      v_running := mill.running_transactions();
    end if;
    select f.priority, p.turn into v_first
    from (select f.line, f.turn, f.priority from mill.floor f where f.queue = p_queue order by f.priority desc) f
    cross join lateral (
      select p.turn from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds)) and p.xmax = '0'::xid
      order by p.turn
      limit 1) p
    limit 1;

    v_rows := array(
      select j.ctid
      from (
        select f.line, f.turn, case when f.priority = v_first.priority then v_first.turn else 9223372036854775807 end as before
        from mill.floor f
        where f.queue = p_queue and f.priority >= coalesce(v_first.priority, -100)
        order by f.priority desc) f
      cross join lateral (
        select j.ctid from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and j.turn < f.before and not j.waits and j.state = 'pending'
          and (p_kinds is null or j.kind = any (p_kinds))
          and (j.xmax = '0'::xid or age(j.xmax) > v_late or j.xmax <> all (v_running))
        order by j.turn
        limit p_max
        for no key update skip locked) j
      limit p_max);
    exit when cardinality(v_rows) = p_max;
    v_again := not v_asks;
    v_asks := true; -- whoever looks again finds its own rows by that, too

    -- Whichever is to be had: also one that was touched in vain.
    select p.ctid as place, p.jobs into v_pack
    from (select f.line, f.turn from mill.floor f where f.queue = p_queue order by f.priority desc) f
    cross join lateral (
      select p.ctid, p.jobs from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds))
      order by p.turn
      limit 1
      for update skip locked) p
    limit 1;
    if found then
      exit when p_takes_packs and v_pack.jobs <= p_max - cardinality(v_rows);
      perform mill.unpack(array[v_pack.place]);
      continue;
    end if;

    continue when v_first.turn is not null; -- another has taken it since
    exit when v_was_short;
    v_was_short := true;
    if v_rows = '{}' and p_waits then -- before anything is held
      perform mill.wait_for_pack(p_queue, p_kinds);
      v_again := true; -- also if there is none: it may have been unpacked since the first look
    end if;
    -- Both run, whatever the first finds.
    exit when mill.promote(100) + mill.lower_floors(p_queue) = 0 and not v_again;
  end loop;

  return v_rows;
end
$$;

COMMENT ON FUNCTION mill.lock_jobs_by_priority(p_queue text, p_max integer, p_kinds text[], p_takes_packs boolean, p_waits boolean) IS 'Locks due jobs of a queue, highest priority then oldest, and says where they are; only to the first pack that a caller who takes packs has room for.';

CREATE FUNCTION mill.lock_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[]) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lanes int;
  v_rows tid[];
begin
  for v_try in 1 .. 2 loop
    select count(*) into v_lanes
    from (select from mill.lane l where l.queue = p_queue.queue and not l.idle limit 1000) l;
    v_rows := mill.find_jobs_in_turn(p_queue, p_max, p_kinds, least(p_max, 2 * p_max / greatest(v_lanes, 1) + 1));
    if cardinality(v_rows) < p_max and v_lanes > 1 then
      v_rows := mill.find_jobs_in_turn(p_queue, p_max, p_kinds, p_max);
    end if;
    exit when v_try = 2 or cardinality(v_rows) = p_max;
    exit when mill.promote(100) + mill.repair_lanes(p_queue.queue, false) = 0;
  end loop;

  -- Nobody else claims here now; a row that cancel or a duplicate has locked is left for the next claim.
  v_rows := array(
    select j.ctid from mill.job_live j where j.ctid = any (v_rows) and j.state = 'pending' for update skip locked);
  perform mill.count_served(p_queue.queue, v_rows);
  return v_rows;
end
$$;

COMMENT ON FUNCTION mill.lock_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[]) IS 'Locks due jobs of a fair or group-capped queue.';

CREATE FUNCTION mill.lock_jobs_within_caps(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_max int := p_max;
  v_lock constant int := 702231;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_lock, hashtext(p_queue.queue));
  elsif not pg_try_advisory_xact_lock(v_lock, hashtext(p_queue.queue)) then
    return '{}'::tid[];
  end if;

  if p_queue.max_running is not null then
    v_max := least(p_max, p_queue.max_running - (
      select count(*)::int from mill.job_live j where j.slot = p_queue.queue));
    if v_max <= 0 then
      return '{}'::tid[];
    end if;
  end if;
  if p_queue.max_running_per_group is null and p_queue.dequeue = 'priority' then
    return mill.lock_jobs_by_priority(p_queue.queue, v_max, p_kinds);
  end if;
  return mill.lock_jobs_in_turn(p_queue, v_max, p_kinds);
end
$$;

COMMENT ON FUNCTION mill.lock_jobs_within_caps(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) IS 'Locks due jobs of a capped or fair queue within its caps. Waits for the queue''s other claims, or gives nothing if it may not wait.';

CREATE FUNCTION mill.lock_jobs_within_limit(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits;
  v_capacity record;
  v_now timestamptz;
  v_max int;
  v_rows tid[];
  v_tokens bigint := 0;
begin
  -- Looked at twice: a claim that would get nothing anyway does not stand in line for the lock.
  for v_look in 1 .. 2 loop
    if v_look = 2 and not mill.lock_api(p_queue.provider, p_queue.endpoint, p_waits) then
      return '{}'::tid[];
    end if;
    v_limit := mill.api_limit(p_queue.provider, p_queue.endpoint);
    v_now := mill.now();
    if v_limit.status <> 'active' or v_limit.blocked_until > v_now then
      return '{}'::tid[];
    end if;
    select r.* into v_capacity from mill.api_capacity_left(v_limit, v_now) r;
    v_max := least(p_max, v_capacity.requests, v_capacity.slots);
    if v_max <= 0 or v_capacity.tokens <= 0 then
      return '{}'::tid[];
    end if;
  end loop;

  if p_queue.max_running is null and p_queue.max_running_per_group is null and p_queue.dequeue = 'priority' then
    v_rows := mill.lock_jobs_by_priority(p_queue.queue, v_max, p_kinds);
  else
    v_rows := mill.lock_jobs_within_caps(p_queue, v_max, p_kinds, p_waits);
  end if;
  if v_capacity.tokens is not null then
    select f.rows, f.tokens into v_rows, v_tokens
    from mill.fit_tokens(p_queue, v_rows, v_capacity.tokens, least(v_limit.tokens_per_minute, v_limit.tokens_per_hour)) f;
  end if;
  if cardinality(v_rows) > 0 then
    insert into mill.api_use (at, tokens, requests, provider, endpoint)
    values (v_now, v_tokens, cardinality(v_rows), p_queue.provider, p_queue.endpoint);
  end if;
  return v_rows;
end
$$;

COMMENT ON FUNCTION mill.lock_jobs_within_limit(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) IS 'Locks due jobs of a queue within its provider''s limit and records the grant.';

CREATE FUNCTION mill.lock_packs(p_queue mill.queue, p_max integer, p_kinds text[]) RETURNS tid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
begin
  return array(
    select p.ctid
    from (
      select p.ctid, sum(p.jobs) over (rows unbounded preceding) as jobs
      from (
        select p.ctid, p.jobs
        from (select f.line, f.turn from mill.floor f where f.queue = p_queue.queue order by f.priority desc) f
        cross join lateral (
          select p.ctid, p.jobs from mill.pack p
          where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds)) and p.jobs <= p_max
          order by p.turn
          limit greatest(1, p_max / least(p_queue.batch_size, 100))
          for update skip locked) p
        limit greatest(1, p_max / least(p_queue.batch_size, 100))) p) p
    where p.jobs <= p_max);
end
$$;

COMMENT ON FUNCTION mill.lock_packs(p_queue mill.queue, p_max integer, p_kinds text[]) IS 'Locks packs of due jobs, the oldest first and no more jobs than asked for, and says where they are.';

CREATE FUNCTION mill.lock_refresh_claims() RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select pg_advisory_xact_lock(702235, 0) $$;

COMMENT ON FUNCTION mill.lock_refresh_claims() IS 'Claims of refresh queues take turns until their transactions end.';

CREATE FUNCTION mill.log_lines(p_logs jsonb, p_now timestamp with time zone) RETURNS TABLE(n bigint, at timestamp with time zone, level text, message text, data jsonb, bytes bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select l.n, coalesce(mill.time_or_null(l.line ->> 'at'), p_now),
    case when l.line ->> 'level' in ('debug', 'info', 'warn', 'error') then l.line ->> 'level' else 'info' end,
    m.message, d.data, sum(octet_length(m.message) + coalesce(octet_length(d.data::text), 0)) over (order by l.n)
  from jsonb_array_elements(p_logs) with ordinality as l(line, n)
  cross join lateral (select coalesce(mill.cut_text(case jsonb_typeof(l.line) when 'object' then l.line ->> 'message' else l.line #>> '{}' end, 4096), '') as message) m
  cross join lateral (select case when jsonb_typeof(l.line -> 'data') = 'object' then l.line -> 'data' end as data) d
$$;

COMMENT ON FUNCTION mill.log_lines(p_logs jsonb, p_now timestamp with time zone) IS 'The lines of a log as rows; bytes is the size of a line and of those before it.';

CREATE FUNCTION mill.lower_floors(p_queue text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_line record;
  v_floor record;
  v_late bigint;
  v_begun timestamptz;
  v_snapshot pg_snapshot;
  v_found int := 0;
begin
  for v_line in
    select f.line, f.version from mill.floor f
    where f.queue = p_queue and f.safe < f.turn and f.look_at <= clock_timestamp() + interval '1 second'
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found or v_floor.safe = v_floor.turn;
    v_begun := clock_timestamp();
    v_snapshot := pg_current_snapshot();
    select least(
      (select j.turn from mill.job_live j
       where j.line = v_floor.line and not j.waits and j.state = 'pending'
         and j.turn >= v_floor.safe and j.turn < v_floor.turn
       order by j.turn
       limit 1),
      (select p.turn from mill.pack p
       where p.line = v_floor.line and p.turn >= v_floor.safe and p.turn < v_floor.turn
       order by p.turn
       limit 1))
    into v_late;

    if v_late is not null then
      update mill.floor_version v set version = v.version + 1, turn = v_late, safe = least(v.safe, v_late),
        mark = least(v.mark, v_late), tail = least(v.tail, v_late)
      where v.ctid = v_floor.place;
      v_found := v_found + 1;
    elsif v_floor.mark < v_floor.turn
      and (pg_snapshot_xmin(v_snapshot) >= v_floor.mark_xid or pg_snapshot_xmax(v_snapshot) < v_floor.mark_xid) then
      -- Whoever ran when the mark was set has ended, and nothing of theirs lies below it.
      update mill.floor_version v set
        version = v.version + 1,
        safe = v_floor.mark,
        mark = v_floor.turn,
        mark_xid = pg_snapshot_xmax(v_snapshot),
        look_at = clock_timestamp() + 20 * (clock_timestamp() - v_begun)
      where v.ctid = v_floor.place;
    end if;
  end loop;
  return v_found;
end
$$;

COMMENT ON FUNCTION mill.lower_floors(p_queue text) IS 'Looks for jobs that appeared below the floors of a queue; says in how many lines there were any.';

CREATE FUNCTION mill.maintain() RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_today date := (v_now at time zone 'UTC')::date;
  v_day date;
  v_name text;
  v_made int := 0;
  v_dropped int := 0;
  v_skipped int := 0;
  v_hook text;
begin
  for v_day in select d::date from generate_series(v_today, v_today + 3, interval '1 day') d loop
    v_name := 'job_done_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('mill.' || v_name) is not null;
    begin
      execute format('create table mill.%I partition of mill.job_done for values from (%L) to (%L)',
        v_name, v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
      v_made := v_made + 1;
    -- 23514: rows of that day already lie in the default partition; they stay there and are pruned below.
    exception when lock_not_available or check_violation then
      v_skipped := v_skipped + 1;
    end;
  end loop;

  for v_name in select d.partition from mill.expired_days(v_today) d loop
    begin
      execute format('delete from mill.job_log l using mill.%I j where j.id = l.job', v_name);
      execute format('drop table mill.%I', v_name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      v_skipped := v_skipped + 1;
    end;
  end loop;

  for v_hook in select h.routine from mill.hook h where h.event = 'maintain' order by h.place, h.routine loop
    execute format('select %s($1)', v_hook) using v_now;
  end loop;
  perform mill.prune(v_now);
  if v_skipped > 0 then
    insert into mill.event (at, code, detail)
    values (v_now, 'maintain_skipped', jsonb_build_object('partitions', v_skipped));
  end if;
  return jsonb_build_object('made', v_made, 'dropped', v_dropped, 'skipped', v_skipped);
end
$_$;

COMMENT ON FUNCTION mill.maintain() IS 'Makes the coming days'' partitions, drops expired ones, prunes what grows.';

CREATE FUNCTION mill.maintain_audit(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_keep_from date := (p_now at time zone 'UTC')::date - mill.setting('audit.retention_days', '2555')::int;
  v_month timestamp;
  v_name text;
begin
  for v_month in
    select generate_series(date_trunc('month', p_now at time zone 'UTC'), p_now at time zone 'UTC' + interval '1 month', interval '1 month')
  loop
    v_name := 'audit_log_' || to_char(v_month, 'YYYYMM');
    continue when to_regclass('mill.' || v_name) is not null;
    begin
      execute format('create table mill.%I partition of mill.audit_log for values from (%L) to (%L)',
        v_name, v_month at time zone 'UTC', (v_month + interval '1 month') at time zone 'UTC');
    -- 23514: rows of that month already lie in the default partition, and stay there.
    exception when lock_not_available or check_violation then
      insert into mill.event (at, code, detail) values (p_now, 'maintain_skipped', jsonb_build_object('partition', v_name));
    end;
  end loop;

  for v_name, v_month in
    select c.relname, to_timestamp(right(c.relname, 6), 'YYYYMM') at time zone 'UTC'
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'mill.audit_log'::regclass and c.relname ~ '^audit_log_\d{6}$'
      and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= v_keep_from
  loop
    begin
      execute format('drop table mill.%I', v_name);
      update mill.audit_day d set dropped_at = p_now where d.day >= v_month and d.day < v_month + interval '1 month';
      delete from mill.audit_chain c where c.day >= v_month and c.day < v_month + interval '1 month';
    exception when lock_not_available then
      insert into mill.event (at, code, detail) values (p_now, 'maintain_skipped', jsonb_build_object('partition', v_name));
    end;
  end loop;
end
$_$;

COMMENT ON FUNCTION mill.maintain_audit(p_now timestamp with time zone) IS 'Prepares months of the audit log and drops expired ones.';

CREATE FUNCTION mill.maintain_unless_running() RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.entry_lock('maintain-partitions') then
    return jsonb_build_object('skipped', true);
  end if;
  return mill.maintain();
end
$$;

COMMENT ON FUNCTION mill.maintain_unless_running() IS 'mill.maintain, or {skipped} while another run is at it.';

CREATE FUNCTION mill.make_tasks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_step mill.workflow_step;
begin
  insert into mill.step (job_id, key, total)
  select new.id, w.key, case when w.family is null then 1 end
  from mill.workflow_step w where w.type = new.type and w.version = new.version and not w.is_inserted;
  insert into mill.task (id, job_id, key)
  select mill.uuid7_at(mill.clock_us() + w.position, mill.uuid7_tail()), new.id, w.key
  from mill.workflow_step w where w.type = new.type and w.version = new.version and w.family is null;
  -- Lists among the params are known already: their tasks are there from the beginning.
  for v_step in
    select * from mill.workflow_step w where w.type = new.type and w.version = new.version and w.for_each[1] = 'params'
  loop
    perform mill.expand_step(new, v_step, 'waiting');
  end loop;
  perform mill.advance_workflow(new.id, '{}', '{}', true);
  return null;
end
$$;

COMMENT ON FUNCTION mill.make_tasks() IS 'Makes the steps and tasks of a new job and starts those that wait for nothing.';

CREATE FUNCTION mill.max_document_bytes() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.setting('documents.max_bytes', '52428800')::bigint $$;

COMMENT ON FUNCTION mill.max_document_bytes() IS 'The largest file that is processed.';

CREATE FUNCTION mill.may_invoke(p_target text, p_invocation uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_state text := (select b.state from mill.breaker b where b.target = p_target);
begin
  if coalesce(v_state, 'closed') = 'closed' then
    return true;
  end if;
  if v_state = 'open' then
    return false;
  end if;
  update mill.breaker b set probe = p_invocation
  where b.target = (
    select o.target from mill.breaker o
    where o.target = p_target and o.state = 'half_open' and o.probe is null
    for no key update skip locked);
  return found;
end
$$;

COMMENT ON FUNCTION mill.may_invoke(p_target text, p_invocation uuid) IS 'Whether the breaker lets this invocation of a target through.';

CREATE FUNCTION mill.may_object(p_act text, p_key text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_user uuid := auth.uid();
  v_bucket text := case when strpos(p_key, ':') > 0 then split_part(p_key, ':', 1) else 'gristmill' end;
  v_key text := substr(p_key, strpos(p_key, ':') + 1);
  v_routine text;
  v_verdict boolean;
  v_is_allowed boolean := false;
begin
  if public.is_service_role() then
    return true;
  end if;
  if v_user is null or split_part(v_key, '/', 1) !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return false;
  end if;
  for v_routine in select r.routine from mill.object_rule r where r.act = p_act and r.bucket = v_bucket order by r.routine loop
    execute format('select %s($1, $2)', v_routine) into v_verdict using v_key, v_user;
    if not v_verdict then
      return false;
    end if;
    v_is_allowed := v_is_allowed or coalesce(v_verdict, false);
  end loop;
  return v_is_allowed;
end
$_$;

COMMENT ON FUNCTION mill.may_object(p_act text, p_key text) IS 'Whether the caller may read, write or remove an object.';

CREATE FUNCTION mill.may_read_artifact(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN NULLIF((p_key ~ (('^'::text || p_user) || '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/(audio|pdf|json)/.+)?$'::text)), false);

COMMENT ON FUNCTION mill.may_read_artifact(p_key text, p_user uuid) IS 'Rule of read: the artifacts of a user''s workflows.';

CREATE FUNCTION mill.may_read_document(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_folder uuid := split_part(p_key, '/', 1)::uuid;
  v_has_folder boolean := v_folder = p_user or public.has_profile_access(p_user, v_folder);
begin
  if mill.is_place_of_document(p_key) then
    return v_has_folder and exists (
      select from public.shell_files f
      where f.id = split_part(p_key, '/', 2)::uuid and f.storage_path = p_key and f.scanned_at is not null
        and f.status in ('uploaded', 'processing', 'completed', 'failed'));
  end if;
  return nullif(v_has_folder, false); -- other places are others' to open as well
end
$$;

COMMENT ON FUNCTION mill.may_read_document(p_key text, p_user uuid) IS 'Rule of read: the folders of accessible profiles, and of documents only what was scanned.';

CREATE FUNCTION mill.may_read_export(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN NULLIF((starts_with(p_key, (p_user || '/exports/'::text)) OR (p_key = (p_user || '/'::text))), false);

COMMENT ON FUNCTION mill.may_read_export(p_key text, p_user uuid) IS 'Rule of read: the exports of a user.';

CREATE FUNCTION mill.may_read_exported_file(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select nullif(starts_with(p_key, p_user || '/') and not exists (
    select from mill.export_file f
    where f.path = 'exports:' || p_key and (f.state in ('removing', 'deleted') or f.expires_at <= mill.now())), false)
$$;

COMMENT ON FUNCTION mill.may_read_exported_file(p_key text, p_user uuid) IS 'Rule of read in the bucket exports: the files of a user, until they are deleted or expire.';

CREATE FUNCTION mill.may_read_job_artifact(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN mill.may_read_artifact(p_key, p_user);

COMMENT ON FUNCTION mill.may_read_job_artifact(p_key text, p_user uuid) IS 'Rule of read in the bucket job-artifacts: the artifacts of a user''s workflows.';

CREATE FUNCTION mill.may_read_upload(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_key like '%/' or mill.is_place_of_document(p_key) then coalesce(mill.may_read_document(p_key, p_user), false) else false end
$$;

COMMENT ON FUNCTION mill.may_read_upload(p_key text, p_user uuid) IS 'Rule of read in medical-docs: what was scanned, by whoever has the profile.';

CREATE FUNCTION mill.may_remove_document(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_folder uuid := split_part(p_key, '/', 1)::uuid;
begin
  if not mill.is_place_of_document(p_key) then
    return null;
  end if;
  return (v_folder = p_user or public.has_profile_access(p_user, v_folder)) and not exists (
    select from public.shell_files f
    where f.id = split_part(p_key, '/', 2)::uuid and f.status <> 'erasing'
      and (f.storage_path = p_key or exists (select from mill.document_upload u where u.place = p_key and u.is_copy)));
end
$$;

COMMENT ON FUNCTION mill.may_remove_document(p_key text, p_user uuid) IS 'Rule of remove: uploads that no document is made of.';

CREATE FUNCTION mill.may_remove_upload(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_status text;
begin
  if mill.is_place_of_document(p_key) then
    return exists (
      select from public.shell_files f
      where f.id = split_part(p_key, '/', 2)::uuid and f.bucket = 'medical-docs' and f.status = 'erasing' and public.has_profile_access(p_user, f.patient_id));
  end if;
  select f.status into v_status from public.shell_files f
  where f.patient_id in (select public.accessible_profiles()) and f.bucket = 'medical-docs'
    and (f.storage_path = p_key or f.status = 'erasing' and f.upload_path = p_key)
  order by f.status = 'erasing' limit 1;
  return case when found then v_status = 'erasing' else split_part(p_key, '/', 1) = p_user::text end;
end
$$;

COMMENT ON FUNCTION mill.may_remove_upload(p_key text, p_user uuid) IS 'Rule of remove in medical-docs: what no document is made of.';

CREATE FUNCTION mill.may_replace_job_artifact(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when exists (
    select from public.job_artifacts a join mill.task t on t.id = a.task_id
    where a.bucket = 'job-artifacts' and a.storage_path = p_key and t.state = 'completed') then false end
$$;

COMMENT ON FUNCTION mill.may_replace_job_artifact(p_key text, p_user uuid) IS 'Rule of replace in the bucket job-artifacts: not once the task is complete.';

CREATE FUNCTION mill.may_write_document(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_document uuid;
begin
  select u.document_id into v_document from mill.document_upload u where u.place = p_key and not u.is_copy;
  if not found then
    return null;
  end if;
  return exists (
    select from public.shell_files f where f.id = v_document and public.has_profile_access(p_user, f.patient_id));
end
$$;

COMMENT ON FUNCTION mill.may_write_document(p_key text, p_user uuid) IS 'Rule of write: the place of an upload that was begun.';

CREATE FUNCTION mill.may_write_upload(p_key text, p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.is_upload_place(p_key) and split_part(p_key, '/', 1) = p_user::text $$;

COMMENT ON FUNCTION mill.may_write_upload(p_key text, p_user uuid) IS 'Rule of write in medical-docs: below one''s own id.';

CREATE FUNCTION mill.measure_ai_passes() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'documents', round((percentile_disc(0.95) within group (order by t.ai_seconds)), 3)
  from mill.document_times('2 minutes', '10 minutes') t where t.ai_seconds is not null
  having count(*) >= 20
$$;

COMMENT ON FUNCTION mill.measure_ai_passes() IS 'p95 of the seconds from the end of the fast stages to the end of the passes, of an hour with 20 or more documents.';

CREATE FUNCTION mill.measure_breakers() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select b.target, (b.state = 'open')::int::numeric from mill.breaker b $$;

COMMENT ON FUNCTION mill.measure_breakers() IS '1 for a target that is not invoked.';

CREATE FUNCTION mill.measure_call_rate() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select u.provider, sum(u.calls)::numeric from public.api_data_usage u
  where u.created_at > mill.now() - interval '1 minute' and u.created_at <= mill.now() group by u.provider
$$;

COMMENT ON FUNCTION mill.measure_call_rate() IS 'Calls of the last minute to each provider.';

CREATE FUNCTION mill.measure_content_length() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'providers', count(*)::numeric from mill.event e
  where e.at > mill.now() - interval '1 hour' and e.code = 'content_length_missing'
$$;

COMMENT ON FUNCTION mill.measure_content_length() IS 'Batches of the last hour in which a provider did not say how long its answer is.';

CREATE FUNCTION mill.measure_cron_lock() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'process-queue-batch', extract(epoch from mill.now() - a.query_start)
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = 7022311640271840 -- that of mill.pump
$$;

COMMENT ON FUNCTION mill.measure_cron_lock() IS 'Seconds for which one run of the pump has held its lock; a sound one ends within the minute.';

CREATE FUNCTION mill.measure_dead_letters() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select q.queue, (select count(*) from (
    select from mill.job_dead j where j.queue = q.queue and j.finished_at > mill.now() - interval '1 hour' limit 10000) j)::numeric
  from mill.queue q
$$;

COMMENT ON FUNCTION mill.measure_dead_letters() IS 'Dead letters of the last hour a queue, counted to 10,000.';

CREATE FUNCTION mill.measure_depth() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- No further than the rules ask: this runs in every tick.
  select q.queue, mill.depth(q.queue, r.enough)::numeric
  from mill.queue q
  cross join (
    select ceil(coalesce(max(a.threshold), 1000))::int + 1 as enough from mill.alert_rule a where a.measure = 'mill.measure_depth') r
$$;

COMMENT ON FUNCTION mill.measure_depth() IS 'Due jobs a queue, counted to just above the highest threshold.';

CREATE FUNCTION mill.measure_estimates() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select e.detail ->> 'data_type', max((e.detail ->> 'bytes')::numeric / nullif((e.detail ->> 'estimate')::numeric, 0))
  from mill.event e where e.code = 'estimate_exceeded' and e.at > mill.now() - interval '1 hour'
  group by 1
$$;

COMMENT ON FUNCTION mill.measure_estimates() IS 'For each type of the last hour''s surprises: how many times its estimate an answer was.';

CREATE FUNCTION mill.measure_fast_stages() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'documents', round((percentile_disc(0.95) within group (order by t.fast_seconds)), 3)
  from mill.document_times('2 minutes', '10 minutes') t where t.fast_seconds is not null
  having count(*) >= 20 -- with fewer the slowest one would be the p95
$$;

COMMENT ON FUNCTION mill.measure_fast_stages() IS 'p95 of the seconds from upload to the end of the fast stages, of an hour with 20 or more documents.';

CREATE FUNCTION mill.measure_lease_losses() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select s.queue, 100.0 * sum(s.jobs) filter (where s.outcome = 'lost') / sum(s.jobs)
  from mill.stat s
  where s.minute > mill.now() - interval '1 hour' and s.outcome in ('completed', 'failed', 'dead', 'lost')
  group by s.queue
  having sum(s.jobs) >= 100 -- below that one lost worker would be a catastrophe
    and count(*) filter (where s.outcome = 'lost') > 0
$$;

COMMENT ON FUNCTION mill.measure_lease_losses() IS 'Percent of the last hour''s attempts whose worker was lost, of queues with 100 or more.';

CREATE FUNCTION mill.measure_not_completed() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select s.queue, round(100.0 * coalesce(sum(s.jobs) filter (where s.outcome = 'dead'), 0) / sum(s.jobs), 4)
  from mill.stat s
  where s.minute > mill.now() - interval '1 hour' and s.outcome in ('completed', 'dead')
  group by s.queue
  having sum(s.jobs) >= 100 -- below that one dead letter would break the objective
$$;

COMMENT ON FUNCTION mill.measure_not_completed() IS 'Percent of the jobs that ended in the last hour and became dead letters, of queues with 100 or more. Cancelled jobs do not count.';

CREATE FUNCTION mill.measure_quota() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select 'data', mill.quota_percent() $$;

COMMENT ON FUNCTION mill.measure_quota() IS 'Percent of the data quota in use.';

CREATE FUNCTION mill.measure_rate_limits() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select v.provider, 100.0 * v.refused / greatest(v.refused, (
    select sum(u.requests) from (
      select a.requests from mill.api_use a where a.provider = v.provider and a.at > mill.now() - interval '1 hour'
      union all
      select m.requests from mill.api_use_minute m where m.provider = v.provider and m.minute > mill.now() - interval '1 hour') u))
  from (
    select e.detail ->> 'provider' as provider, count(*)::numeric as refused
    from mill.event e where e.code = 'rate_limited' and e.at > mill.now() - interval '1 hour'
    group by 1) v
$$;

COMMENT ON FUNCTION mill.measure_rate_limits() IS 'Percent of the last hour''s calls that a provider refused for their rate.';

CREATE FUNCTION mill.measure_staleness_lock() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'check-stale-data', extract(epoch from mill.now() - a.query_start)
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = 7022341640271841 -- that of mill.check_stale_data
$$;

COMMENT ON FUNCTION mill.measure_staleness_lock() IS 'Seconds for which one run of the staleness pass has held its lock; a sound one ends within the minute.';

CREATE FUNCTION mill.measure_stalled() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select q.queue, extract(epoch from mill.now() - greatest(o.due, (
    select max(s.minute) + interval '1 minute' from mill.stat s
    where s.queue = q.queue and s.outcome = 'completed' and s.minute > mill.now() - interval '1 hour')))
  from mill.queue q
  cross join lateral (select mill.oldest_due(q.queue) as due) o
  where o.due is not null and not q.paused
$$;

COMMENT ON FUNCTION mill.measure_stalled() IS 'For queues with due work: seconds without a completed job.';

CREATE FUNCTION mill.measure_unrefreshed() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select s.data_type, extract(epoch from mill.now() - greatest(s.since, (
    select max(u.created_at) from public.api_data_usage u where u.data_type = s.data_type))) / 3600
  from (select a.data_type, min(a.subscribed_at) as since from public.active_subscriptions_v2 a group by a.data_type) s
$$;

COMMENT ON FUNCTION mill.measure_unrefreshed() IS 'Hours since each watched data type was last fetched.';

CREATE FUNCTION mill.measure_upload(p_file public.shell_files, p_job_id uuid, p_measured jsonb) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_size bigint := (p_measured ->> 'size')::bigint;
begin
  update public.shell_files f set
    file_size_bytes = v_size, sha256 = coalesce(p_measured ->> 'sha256', f.sha256), mime_type = coalesce(p_measured ->> 'mime_type', f.mime_type)
  where f.id = p_file.id;
  perform mill.audit('shell_files', p_file.id::text, 'UPDATE',
    jsonb_build_object('file_size_bytes', p_file.file_size_bytes, 'mime_type', p_file.mime_type, 'sha256', p_file.sha256),
    jsonb_build_object('file_size_bytes', v_size, 'mime_type', p_measured ->> 'mime_type', 'sha256', p_measured ->> 'sha256'),
    'measured by the security stage', 'documents', p_file.patient_id, p_job_id);
  return mill.correct_upload(p_file.patient_id, p_file.id, v_size);
end
$$;

COMMENT ON FUNCTION mill.measure_upload(p_file public.shell_files, p_job_id uuid, p_measured jsonb) IS 'Puts the measured size, digest and type of a file in the place of the claimed ones; answers the meters of the plan that forbid it.';

CREATE FUNCTION mill.measure_warnings() RETURNS TABLE(subject text, value numeric)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select e.detail ->> 'data_type', count(*)::numeric
  from mill.event e where e.at > mill.now() - interval '1 hour' and e.detail ? 'data_type'
  group by 1
$$;

COMMENT ON FUNCTION mill.measure_warnings() IS 'Events of the last hour that name a data type, for each.';

CREATE FUNCTION mill.merge_registered(p_current jsonb, p_registered jsonb, p_asked jsonb, p_together text[], p_force boolean, OUT changes jsonb, OUT kept jsonb) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_kept text[] := array(
    select a.key from jsonb_each(p_asked) a
    where not p_force and p_current -> a.key <> a.value and p_current -> a.key <> p_registered -> a.key);
begin
  if v_kept && p_together then
    v_kept := v_kept || p_together;
  end if;
  select coalesce(jsonb_object_agg(a.key, a.value) filter (where a.key <> all (v_kept)), '{}'),
    coalesce(jsonb_agg(jsonb_build_object('field', a.key, 'value', p_current -> a.key, 'asked', a.value) order by a.key) filter (where a.key = any (v_kept)), '[]')
  into changes, kept
  from jsonb_each(p_asked) a
  where p_current -> a.key <> a.value;
end
$$;

COMMENT ON FUNCTION mill.merge_registered(p_current jsonb, p_registered jsonb, p_asked jsonb, p_together text[], p_force boolean, OUT changes jsonb, OUT kept jsonb) IS 'Which fields of a definition are written, and which are kept as an operator has changed them.';

CREATE FUNCTION mill.migrate_processing_error() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if (select a.atttypid from pg_attribute a where a.attrelid = 'public.shell_files'::regclass and a.attname = 'processing_error') = 'jsonb'::regtype then
    return false;
  end if;
  alter table public.shell_files
    alter column processing_error drop default,
    alter column processing_error type jsonb using
      case when processing_error is null then '{}'::jsonb else jsonb_build_object('legacy_error', processing_error) end,
    alter column processing_error set default '{}',
    alter column processing_error set not null;
  return true;
end
$$;

COMMENT ON FUNCTION mill.migrate_processing_error() IS 'Turns a TEXT processing_error into jsonb; false when it already is.';

CREATE FUNCTION mill.misplaced_schedules() RETURNS TABLE(jobid bigint, jobname text, why text)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  if to_regclass('cron.job') is null then
    return;
  end if;
  return query execute $q$
    select j.jobid, j.jobname::text, w.why
    from cron.job j
    join mill.schedule s on s.name = j.jobname
    cross join lateral (
      select case
        when j.database <> current_database() then format('is for database %s', j.database)
        when not exists (select from pg_roles r where r.rolname = j.username) then format('is for user %s, who is not there', j.username)
        when not c.is_pg_cron and j.username = current_user then null
        when j.nodeport <> current_setting('port')::int then format('is for port %s', j.nodeport)
        when c.is_pg_cron and j.nodename <> current_setting('cron.host', true) then format('is for host %s', j.nodename)
      end as why
      from (select exists (select from pg_extension e where e.extname = 'pg_cron') as is_pg_cron) c) w
    where w.why is not null
    order by j.jobid
  $q$;
end
$_$;

COMMENT ON FUNCTION mill.misplaced_schedules() IS 'Cron jobs of our schedules that belong to another server, database or user, and why.';

CREATE FUNCTION mill.move_export(p_holder mill.holder, p_progress integer, p_message text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_owner uuid := (select e.owner from mill.export e where e.id = p_holder.job);
  v_progress int;
begin
  perform mill.lock_exports(v_owner);
  if (mill.held_job(p_holder)).id is null then
    return null;
  end if;
  if p_holder.attempt > 1 then
    perform mill.note_retried_exports(array[p_holder.job]);
  end if;
  update mill.job_live j set progress = greatest(j.progress, p_progress) where j.id = p_holder.job returning j.progress into v_progress;
  perform mill.note_export(p_holder.job, 'progress',
    jsonb_build_object('progress', v_progress, 'message', p_message, 'attempt', p_holder.attempt));
  return v_owner;
end
$$;

COMMENT ON FUNCTION mill.move_export(p_holder mill.holder, p_progress integer, p_message text) IS 'Raises the progress of an export that a worker still holds; its owner, or null when it does not.';

CREATE FUNCTION mill.next_round() RETURNS numeric
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.seconds_to_next_round() $$;

COMMENT ON FUNCTION mill.next_round() IS 'mill.seconds_to_next_round, for a pump of release 0.1.0 that is under way.';

CREATE FUNCTION mill.note_asked_kinds(p_queues text[], p_kinds text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (
    select from mill.kind k
    where k.first_asked_at is null and k.queue = any (p_queues) and (p_kinds is null or k.kind = any (p_kinds)))
  then
    update mill.kind k set first_asked_at = mill.now()
    where k.kind in (
      select o.kind from mill.kind o
      where o.first_asked_at is null and o.queue = any (p_queues) and (p_kinds is null or o.kind = any (p_kinds))
      for no key update skip locked);
  end if;
end
$$;

COMMENT ON FUNCTION mill.note_asked_kinds(p_queues text[], p_kinds text[]) IS 'Records that a worker asks for these kinds, or for all of these queues. For mill.claim alone.';

CREATE FUNCTION mill.note_claimant(p_queue text, p_worker text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (
    select from mill.claimant c
    where c.queue = p_queue and c.worker = p_worker and c.claimed_at > mill.now() - interval '10 seconds')
  then
    return;
  end if;
  update mill.claimant c set claimed_at = mill.now()
  where (c.queue, c.worker) in (
    select o.queue, o.worker from mill.claimant o where o.queue = p_queue and o.worker = p_worker for update skip locked);
  if not found and pg_try_advisory_xact_lock(702233, hashtext(p_queue || ' ' || p_worker)) then
    insert into mill.claimant (queue, worker, claimed_at) values (p_queue, p_worker, mill.now()) on conflict do nothing;
  end if;
end
$$;

COMMENT ON FUNCTION mill.note_claimant(p_queue text, p_worker text) IS 'Records who claimed from a queue that no function serves. For mill.claim alone.';

CREATE FUNCTION mill.note_compat_leases(p_ids uuid[], p_seconds numeric, p_heartbeat_seconds numeric DEFAULT NULL::numeric) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_until timestamptz := v_now + make_interval(secs => p_seconds::double precision);
  v_heartbeat_at timestamptz := v_now + make_interval(secs => p_heartbeat_seconds::double precision);
begin
  insert into mill.compat_lease as c (id, worker, attempt, started_at, seen_at, heartbeat_at)
  select j.id, j.worker, j.attempt, j.started_at, v_now, v_heartbeat_at from mill.job_live j
  where j.id = any (p_ids) and j.state = 'processing' order by j.id
  on conflict (id) do update set worker = excluded.worker, attempt = excluded.attempt, started_at = excluded.started_at,
    seen_at = excluded.seen_at, heartbeat_at = excluded.heartbeat_at;
  update mill.job_live j set lease_until = v_until where j.id = any (p_ids) and j.state = 'processing' and j.lease_until <> v_until;
end
$$;

COMMENT ON FUNCTION mill.note_compat_leases(p_ids uuid[], p_seconds numeric, p_heartbeat_seconds numeric) IS 'Records that a compat claim gave out the leases of these jobs, lets them last for the seconds, and notes when a heartbeat is due.';

CREATE FUNCTION mill.note_ended_exports(p_ids uuid[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_ended record;
  v_count int := 0;
begin
  for v_ended in
    select e.id, j.state, case when j.state = 'failed' then mill.export_message(j.error) end as message
    from mill.export e
    join mill.job j on j.id = e.id and j.state in ('failed', 'cancelled')
    where e.id = any (p_ids) and e.ended is distinct from j.state
      and not exists (select from mill.job_live l where l.id = e.id)
    order by e.id
  loop
    update mill.export e set ended = v_ended.state, message = v_ended.message where e.id = v_ended.id;
    perform mill.note_export(v_ended.id, v_ended.state, jsonb_strip_nulls(jsonb_build_object('message', v_ended.message)));
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.note_ended_exports(p_ids uuid[]) IS 'Notes how exports ended that the engine ended by itself; says how many.';

CREATE FUNCTION mill.note_export(p_id uuid, p_event text, p_data jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.export_event (export_id, event, data, at)
  values (p_id, p_event, jsonb_build_object('id', p_id) || p_data, mill.now())
$$;

COMMENT ON FUNCTION mill.note_export(p_id uuid, p_event text, p_data jsonb) IS 'Appends an event of an export.';

CREATE FUNCTION mill.note_fetches(p_outcomes jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes, job_id)
  select p_now, r.provider, r.data_type, count(*), sum(o.bytes), case when count(*) = 1 then (array_agg(o.id))[1] end
  from jsonb_to_recordset(p_outcomes) as o(id uuid, data_type text, bytes bigint)
  join public.data_type_registry r using (data_type)
  where o.bytes is not null
  group by r.provider, r.data_type
  order by r.data_type;

  insert into mill.event (at, code, detail)
  select p_now, e.code, jsonb_build_object('count', count(*), 'symbols', (array_agg(distinct o.symbol))[:5])
  from jsonb_to_recordset(p_outcomes) as o(symbol text, events text[]) cross join lateral unnest(o.events) e(code)
  group by e.code;

  perform mill.correct_estimates(p_outcomes, p_now);
end
$$;

COMMENT ON FUNCTION mill.note_fetches(p_outcomes jsonb, p_now timestamp with time zone) IS 'Counts what a batch of calls carried, and records their events.';

CREATE FUNCTION mill.note_limits(p_profile_id uuid, p_meters text[], p_now timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.usage_event (profile_id, at, event_type, counts, once_key)
  select p_profile_id, p_now, 'limit_hit', jsonb_build_object('meter', m), m || ' ' || (p_now at time zone 'UTC')::date
  from unnest(p_meters) m
  on conflict (profile_id, event_type, once_key) where once_key is not null do nothing
$$;

COMMENT ON FUNCTION mill.note_limits(p_profile_id uuid, p_meters text[], p_now timestamp with time zone) IS 'Writes down which limits a profile has reached.';

CREATE FUNCTION mill.note_retried_exports(p_ids uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.note_export(j.id, 'progress', jsonb_build_object('progress', j.progress, 'message', 'retrying', 'retry_at', j.run_at,
    'attempts', j.attempt - (j.state = 'processing')::int, 'max_attempts', j.max_attempts))
  from mill.job_live j where j.id = any (mill.retried_exports(p_ids))
$$;

COMMENT ON FUNCTION mill.note_retried_exports(p_ids uuid[]) IS 'Tells listeners of exports that an attempt came to nothing, and when the next one begins.';

CREATE FUNCTION mill.noted_errors(p_known jsonb, p_log jsonb, p_next_retry_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_log is null then p_known else
    p_known || jsonb_build_object(
      'current_error', mill.document_error(p_log -> -1, p_next_retry_at),
      'error_history', (
        select jsonb_agg(h.entry order by h.at) from (
          select distinct on (e.entry ->> 'timestamp') e.entry || '{"resolved": false}' as entry, e.entry ->> 'timestamp' as at
          from (
            select mill.complete_error_entry(k) as entry, 1 as source from jsonb_array_elements(coalesce(p_known -> 'error_history', '[]')) k
            union all
            select mill.document_error(l.error, case when l.at = jsonb_array_length(p_log) then p_next_retry_at end), 2
            from jsonb_array_elements(p_log) with ordinality l(error, at)) e
          order by e.entry ->> 'timestamp', e.source) h)) end
$$;

COMMENT ON FUNCTION mill.noted_errors(p_known jsonb, p_log jsonb, p_next_retry_at timestamp with time zone) IS 'processing_error with the errors of a job added, each once.';

CREATE FUNCTION mill.now() RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return coalesce(nullif(current_setting('mill.now', true), '')::timestamptz, clock_timestamp());
end
$$;

COMMENT ON FUNCTION mill.now() IS 'The engine''s clock. A test sets it with: set mill.now = ''2030-01-01 00:00+00''. Workers'' clocks never count.';

CREATE FUNCTION mill.number_violation(p_schema jsonb, p_number numeric, p_path text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return case
    when p_number < (p_schema -> 'minimum')::numeric then array[p_path, format('must be at least %s', p_schema -> 'minimum')]
    when p_number > (p_schema -> 'maximum')::numeric then array[p_path, format('must be at most %s', p_schema -> 'maximum')]
    when p_number <= (p_schema -> 'exclusiveMinimum')::numeric then array[p_path, format('must be above %s', p_schema -> 'exclusiveMinimum')]
    when p_number >= (p_schema -> 'exclusiveMaximum')::numeric then array[p_path, format('must be below %s', p_schema -> 'exclusiveMaximum')]
    when p_number % (p_schema -> 'multipleOf')::numeric <> 0 then array[p_path, format('must be a multiple of %s', p_schema -> 'multipleOf')]
  end;
end
$$;

COMMENT ON FUNCTION mill.number_violation(p_schema jsonb, p_number numeric, p_path text) IS 'What a schema has against a number. For mill.schema_violation alone.';

CREATE FUNCTION mill.object_named(p_bucket text, p_key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE p_bucket WHEN 'gristmill'::text THEN p_key ELSE ((p_bucket || ':'::text) || p_key) END;

COMMENT ON FUNCTION mill.object_named(p_bucket text, p_key text) IS 'The name of an object of a bucket, as programs of ours say it.';

CREATE FUNCTION mill.object_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_missing text;
  v_count int;
begin
  v_missing := (select r.name from jsonb_array_elements_text(p_schema -> 'required') as r(name) where not p_value ? r.name limit 1);
  if v_missing is null and p_schema ? 'dependentRequired' then
    v_missing := (
      select r.name from jsonb_each(p_schema -> 'dependentRequired') d cross join lateral jsonb_array_elements_text(d.value) as r(name)
      where p_value ? d.key and not p_value ? r.name limit 1);
  end if;
  if v_missing is not null then
    return array[mill.pointer(p_path, v_missing), 'is missing'];
  end if;
  if p_schema ?| array['minProperties', 'maxProperties'] then
    v_count := (select count(*) from jsonb_object_keys(p_value));
    if v_count < (p_schema -> 'minProperties')::numeric then
      return array[p_path, format('must have at least %s fields', p_schema -> 'minProperties')];
    elsif v_count > (p_schema -> 'maxProperties')::numeric then
      return array[p_path, format('must have at most %s fields', p_schema -> 'maxProperties')];
    end if;
  end if;
  if p_schema ?| array['properties', 'patternProperties', 'additionalProperties', 'propertyNames'] then
    return mill.fields_violation(p_root, p_schema, p_value, p_path, p_depth);
  end if;
  return null;
end
$$;

COMMENT ON FUNCTION mill.object_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) IS 'What a schema has against an object. For mill.schema_violation alone.';

CREATE FUNCTION mill.oldest_due(p_queue text) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
  select min(j.run_at)
  from mill.floor f
  cross join lateral (
    (select o.run_at from mill.job_live o
     where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
     order by o.turn limit 1)
    union all
    (select p.run_at from mill.pack p where p.line = f.line and p.turn >= f.turn order by p.turn limit 1)) j
  where f.queue = p_queue
$$;

COMMENT ON FUNCTION mill.oldest_due(p_queue text) IS 'Since when the longest waiting due job of a queue has been due, or null.';

CREATE FUNCTION mill.oldest_served(p_queue mill.queue) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
    when p_queue.served_by = 'function' or not exists (select from mill.kind k where k.queue = p_queue.queue and k.first_asked_at is null)
      then mill.oldest_due(p_queue.queue)
    else (
      select min(w.due_since) from mill.waiting_kinds(p_queue.queue) w
      where not exists (select from mill.kind k where k.kind = w.kind and k.first_asked_at is null))
  end
$$;

COMMENT ON FUNCTION mill.oldest_served(p_queue mill.queue) IS 'Since when the longest waiting due job of a queue has been due, not counting kinds that no worker has ever asked for.';

CREATE FUNCTION mill.open_audit_day(p_day date) RETURNS mill.audit_day
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_day mill.audit_day;
  v_before mill.audit_day;
begin
  select d.* into v_day from mill.audit_day d where d.day = p_day;
  if not found then
    select d.* into v_before from mill.audit_day d where d.day < p_day order by d.day desc limit 1;
    v_day.day := p_day;
    v_day.rows := 0;
    v_day.began_on := coalesce(v_before.head, decode(repeat('00', 32), 'hex'));
    v_day.head := v_day.began_on;
    v_day.previous_day := v_before.day;
  end if;
  return v_day;
end
$$;

COMMENT ON FUNCTION mill.open_audit_day(p_day date) IS 'A day''s chain as it stands, or a new one. For mill.chain_audit alone.';

CREATE FUNCTION mill.open_floor_on_new_line() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into mill.floor_version (line) values (new.line);
  return null;
end
$$;

COMMENT ON FUNCTION mill.open_floor_on_new_line() IS 'A line is made with its floor.';

CREATE FUNCTION mill.open_lane(p_queue text, p_tenant text, p_lane text, p_group_key text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_served bigint := coalesce((select c.served from mill.virtual_clock c where c.queue = p_queue), 0);
begin
  insert into mill.tenant as t (queue, tenant, served) values (p_queue, p_tenant, v_served)
  on conflict (queue, tenant) do update set served = greatest(t.served, v_served);
  insert into mill.lane as l (queue, lane, tenant, group_key) values (p_queue, p_lane, p_tenant, p_group_key)
  on conflict (queue, lane) do update set idle = false where l.idle;
end
$$;

COMMENT ON FUNCTION mill.open_lane(p_queue text, p_tenant text, p_lane text, p_group_key text) IS 'Makes one lane one that claims look at.';

CREATE FUNCTION mill.open_lanes(p_jobs jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.open_lane(w.queue, w.tenant, w.lane, w.group_key)
  from (
    select distinct q.queue, mill.tenant_of(a.owner, a.group_key) as tenant,
      mill.lane_of(q.dequeue, q.max_running_per_group, a.owner, a.group_key) as lane,
      case when q.max_running_per_group is not null then a.group_key end as group_key
    from jsonb_to_recordset(p_jobs) as a(kind text, owner uuid, group_key text)
    join mill.kind k on k.kind = a.kind
    join mill.queue q on q.queue = k.queue and (q.dequeue = 'fair' or q.max_running_per_group is not null)
    order by 1, 2, 3
  ) w
  where not exists (select from mill.lane l where l.queue = w.queue and l.lane = w.lane and not l.idle);
end
$$;

COMMENT ON FUNCTION mill.open_lanes(p_jobs jsonb) IS 'Opens the lanes that a batch of jobs will stand in.';

CREATE FUNCTION mill.open_line_on_new_queue() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into mill.line (queue, priority) values (new.queue, 5) on conflict do nothing;
  return null;
end
$$;

COMMENT ON FUNCTION mill.open_line_on_new_queue() IS 'A queue is made with the line of its usual priority.';

CREATE FUNCTION mill.open_lines(p_jobs jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.line (queue, priority)
  select distinct k.queue, (a.job ->> 'priority')::int
  from jsonb_array_elements(p_jobs) as a(job)
  join mill.kind k on k.kind = a.job ->> 'kind'
  where (a.job ->> 'priority')::int between -100 and 100
    and not exists (select from mill.line l where l.queue = k.queue and l.priority = (a.job ->> 'priority')::int)
  order by 1, 2
  on conflict do nothing
$$;

COMMENT ON FUNCTION mill.open_lines(p_jobs jsonb) IS 'Makes the floors of the lines that a batch of jobs will stand in.';

CREATE FUNCTION mill.open_step(p_job mill.workflow, p_step mill.workflow_step, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_runs boolean := (p_step.tolerant or not exists (
    select from mill.step s where s.job_id = p_job.id and s.key = any (p_step.needs || p_step.each_of)
      and (s.state = 'skipped' or s.key <> coalesce(p_step.each_of, '') and s.state = 'partial')))
    -- Its items are those of a step that never came to have any.
    and not exists (
      select from mill.step s where s.job_id = p_job.id and s.key = p_step.key and s.total is null and p_step.each_of is not null);
begin
  ready := '{}';
  failed := '{}';
  if not v_runs then
    skipped := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = p_step.key and t.state = 'waiting');
    update mill.step s set state = 'skipped' where s.job_id = p_job.id and s.key = p_step.key;
    perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
    return;
  end if;

  update mill.step s set state = 'open' where s.job_id = p_job.id and s.key = p_step.key;
  if p_step.is_inserted then
    skipped := '{}'; -- Which of its tasks are ready is for mill.follow_items to say.
    return;
  end if;
  if p_step.for_each is not null
    and exists (select from mill.step s where s.job_id = p_job.id and s.key = p_step.key and s.total is null)
  then
    ready := mill.expand_step(p_job, p_step, 'queued');
    if ready <> '{}' then
      skipped := '{}';
      return;
    end if;
  end if;
  failed := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = p_step.key and t.item = -1 and t.state = 'waiting');
  perform mill.end_waiting_tasks(p_job.id, failed, 'failed', jsonb_build_object('type', 'not_a_list', 'retryable', false, 'message',
    format('"%s" goes over %s, which is no list or one that is too long', p_step.key, array_to_string(p_step.for_each, '.'))));

  select coalesce(array_agg(t.id) filter (where p.id is null or p.state = 'completed' or p_step.tolerant), '{}'),
    coalesce(array_agg(t.id) filter (where p.state <> 'completed' and not p_step.tolerant), '{}')
  into ready, skipped
  from mill.task t
  left join mill.task p on p.job_id = p_job.id and p.key = p_step.each_of and p.item = t.item
  where t.job_id = p_job.id and t.key = p_step.key and t.state = 'waiting'
    and (p.id is null or p.state in ('completed', 'failed', 'cancelled', 'skipped'));
  perform mill.end_waiting_tasks(p_job.id, skipped, 'skipped', null);
end
$$;

COMMENT ON FUNCTION mill.open_step(p_job mill.workflow, p_step mill.workflow_step, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[]) IS 'Opens or skips a step whose needs have ended.';

CREATE FUNCTION mill.own_key() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  new.idempotency_key := mill.document_key(new.patient_id, new.idempotency_key);
  return new;
end
$$;

COMMENT ON FUNCTION mill.own_key() IS 'Puts the profile before the key of a new document.';

CREATE FUNCTION mill.pack_of(p_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
begin
  return (
    select p.first from mill.pack p
    where p.first <= p_id and p.first >= (left(p_id::text, 31) || '00000')::uuid
    order by p.first desc
    limit 1);
end
$$;

COMMENT ON FUNCTION mill.pack_of(p_id uuid) IS 'The only pack that can hold a job, or null.';

CREATE FUNCTION mill.uuid7_at(p_us bigint, p_random text) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN ((('0'::text || to_hex((((p_us / 1000) << 16) | (28672 + (((p_us % (1000)::bigint) * 4096) / 1000))))) || p_random))::uuid;

COMMENT ON FUNCTION mill.uuid7_at(p_us bigint, p_random text) IS 'The time-ordered id of a microsecond since 1970, with a random half from mill.uuid7_tail.';

CREATE FUNCTION mill.valid_traceparent(p_traceparent text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_traceparent ~ '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$'::text) THEN p_traceparent ELSE NULL::text END;

COMMENT ON FUNCTION mill.valid_traceparent(p_traceparent text) IS 'A traceparent of W3C Trace Context, or null for anything else.';

CREATE TABLE mill.line (
    line integer NOT NULL,
    queue text NOT NULL,
    priority integer NOT NULL,
    CONSTRAINT priority_is_between_minus_100_and_100 CHECK (((priority >= '-100'::integer) AND (priority <= 100)))
);

COMMENT ON TABLE mill.line IS 'The number of each line of jobs. Nothing here changes.';

CREATE FUNCTION mill.parse_jobs(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) RETURNS TABLE(at integer, id uuid, line integer, turn bigint, queue text, kind text, name text, category text, payload jsonb, state text, priority integer, run_at timestamp with time zone, max_attempts integer, dedupe_key text, group_key text, lane text, owner uuid, parent uuid, correlation_id text, traceparent text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((a.ordinality - 1))::integer AS int4,
     mill.uuid7_at((parse_jobs.p_turn + a.ordinality), parse_jobs.p_random) AS uuid7_at,
     k.line,
     (parse_jobs.p_turn + a.ordinality),
     k.queue,
     k.kind,
     a.name,
     a.category,
     a.payload,
         CASE
             WHEN (a.run_at > parse_jobs.p_now) THEN 'deferred'::text
             ELSE 'pending'::text
         END AS "case",
     a.priority,
     COALESCE(a.run_at, parse_jobs.p_now) AS "coalesce",
     COALESCE(a.max_attempts, k.max_attempts) AS "coalesce",
     a.dedupe_key,
     a.group_key,
     mill.lane_of(k.dequeue, k.max_running_per_group, a.owner, a.group_key) AS lane_of,
     a.owner,
     a.parent,
     a.correlation_id,
     mill.valid_traceparent(a.traceparent) AS valid_traceparent
    FROM (( SELECT e.ordinality,
             (e.job ->> 'kind'::text) AS kind,
             (e.job -> 'payload'::text) AS payload,
             (e.job ->> 'name'::text) AS name,
             (e.job ->> 'category'::text) AS category,
             COALESCE(((e.job ->> 'priority'::text))::integer, 5) AS priority,
             ((e.job ->> 'run_at'::text))::timestamp with time zone AS run_at,
             ((e.job ->> 'max_attempts'::text))::integer AS max_attempts,
             (e.job ->> 'dedupe_key'::text) AS dedupe_key,
             (e.job ->> 'group_key'::text) AS group_key,
             ((e.job ->> 'owner'::text))::uuid AS owner,
             ((e.job ->> 'parent'::text))::uuid AS parent,
             (e.job ->> 'correlation_id'::text) AS correlation_id,
             (e.job ->> 'traceparent'::text) AS traceparent
            FROM jsonb_array_elements(parse_jobs.p_jobs) WITH ORDINALITY e(job, ordinality)
          OFFSET 0) a
      LEFT JOIN ( SELECT k_1.kind,
             q.queue,
             COALESCE(k_1.max_attempts, q.max_attempts) AS max_attempts,
             q.dequeue,
             q.max_running_per_group,
             l.line,
             l.priority
            FROM ((mill.kind k_1
              JOIN mill.queue q ON ((q.queue = k_1.queue)))
              JOIN mill.line l ON ((l.queue = q.queue)))
          OFFSET 0) k ON (((k.kind = a.kind) AND (k.priority = a.priority))))
   WHERE
         CASE
             WHEN (a.kind IS NULL) THEN mill.refuse_job((a.ordinality - 1), 'GM004'::text, 'kind'::text)
             WHEN ((a.priority < '-100'::integer) OR (a.priority > 100)) THEN mill.refuse_job((a.ordinality - 1), 'GM004'::text, 'priority'::text)
             WHEN (k.kind IS NULL) THEN mill.refuse_job((a.ordinality - 1), 'GM001'::text, a.kind)
             WHEN (NOT mill.check_payload(a.payload, parse_jobs.p_max_bytes, (a.ordinality - 1))) THEN false
             WHEN ((a.max_attempts < 1) OR (a.max_attempts > 1000)) THEN mill.refuse_job((a.ordinality - 1), 'GM004'::text, 'max_attempts'::text)
             WHEN ((length(a.dedupe_key) < 1) OR (length(a.dedupe_key) > 200)) THEN mill.refuse_job((a.ordinality - 1), 'GM004'::text, 'dedupe_key'::text)
             WHEN ((length(a.group_key) < 1) OR (length(a.group_key) > 200)) THEN mill.refuse_job((a.ordinality - 1), 'GM004'::text, 'group_key'::text)
             ELSE true
         END;
END;

COMMENT ON FUNCTION mill.parse_jobs(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) IS 'Parses and checks a batch of jobs. Given the same arguments it gives the same ids.';

CREATE FUNCTION mill.pattern_bracket(p_text text, OUT size integer, OUT bracket text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_at int := case when substr(p_text, 2, 1) = '^' then 3 else 2 end;
  v_from int; -- the character before, which may begin a range
  v_is_range boolean := false;
  v_escape record;
  v_code int;
  v_class text;
begin
  bracket := case when v_at = 3 then '[^' else '[' end;
  loop
    if v_at > length(p_text) then
      return; -- it has no end
    elsif substr(p_text, v_at, 1) = ']' then
      exit;
    end if;
    v_class := null;
    if substr(p_text, v_at, 1) = '\' then
      v_escape := mill.pattern_escape(substr(p_text, v_at));
      if v_escape.size is null or v_escape.class is not null and v_is_range then
        return;
      end if;
      v_at := v_at + v_escape.size;
      v_code := v_escape.code;
      v_class := v_escape.class;
    else
      v_code := ascii(substr(p_text, v_at, 1));
      v_at := v_at + 1;
    end if;

    if v_class is not null then
      bracket := bracket || v_class;
      v_from := null;
      if substr(p_text, v_at, 1) = '-' and substr(p_text, v_at + 1, 1) <> ']' then
        return; -- a range from a class
      end if;
    elsif v_is_range then
      if v_code < v_from then
        return;
      end if;
      bracket := bracket || '-' || mill.pattern_character(v_code);
      v_is_range := false;
    else
      bracket := bracket || mill.pattern_character(v_code);
      v_from := v_code;
      if substr(p_text, v_at, 1) = '-' and substr(p_text, v_at + 1, 1) not in (']', '') then
        v_is_range := true;
        v_at := v_at + 1;
      end if;
    end if;
  end loop;
  if v_at > 2 and bracket not in ('[', '[^') then
    size := v_at;
    bracket := bracket || ']';
  end if;
end
$$;

COMMENT ON FUNCTION mill.pattern_bracket(p_text text, OUT size integer, OUT bracket text) IS 'A bracket at the beginning of a pattern as Postgres has it, and how many characters it took.';

CREATE FUNCTION mill.pattern_character(p_code integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case
    when chr(p_code) ~ '^[A-Za-z0-9_ ]$' then chr(p_code)
    when p_code < 65536 then '\u' || lpad(to_hex(p_code), 4, '0')
    else '\U' || lpad(to_hex(p_code), 8, '0') end
$_$;

COMMENT ON FUNCTION mill.pattern_character(p_code integer) IS 'A character as a regular expression of Postgres that matches nothing else.';

CREATE FUNCTION mill.pattern_escape(p_text text, OUT size integer, OUT code integer, OUT class text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_match text[];
begin
  v_match := regexp_match(p_text, '^\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2}))');
  if v_match is not null then
    code := ('x' || lpad(coalesce(v_match[1], v_match[2], v_match[3]), 8, '0'))::bit(32)::int;
    -- Halves of a pair stand for one character together, which a text of Postgres has as one.
    if code between 1 and 1114111 and code not between 55296 and 57343 then
      size := case when v_match[1] is not null then 6 when v_match[2] is not null then 4 + length(v_match[2]) else 4 end;
    end if;
    return;
  end if;
  size := 2;
  case
    when substr(p_text, 2, 1) in ('n', 'r', 't', 'f', 'v') then
      code := case substr(p_text, 2, 1) when 'n' then 10 when 'r' then 13 when 't' then 9 when 'f' then 12 else 11 end;
    when substr(p_text, 2, 1) = 'd' then class := '0-9';
    when substr(p_text, 2, 1) = 'w' then class := 'A-Za-z0-9_';
    when substr(p_text, 2, 1) = 's' then
      class := '\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
    when substr(p_text, 2, 1) ~ '^[!-/:-@\[-`{-~]$' then code := ascii(substr(p_text, 2, 1));
    else size := null;
  end case;
end
$_$;

COMMENT ON FUNCTION mill.pattern_escape(p_text text, OUT size integer, OUT code integer, OUT class text) IS 'What an escape at the beginning of a pattern matches, and how many characters it takes.';

CREATE FUNCTION mill.pause(p_queue text, p_paused boolean DEFAULT true) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update mill.queue q set paused = p_paused where q.queue = p_queue;
  if not found then
    raise exception 'unknown queue "%"', left(p_queue, 64) using errcode = 'GM007';
  end if;
  insert into mill.event (at, code, detail)
  values (mill.now(), case when p_paused then 'queue_paused' else 'queue_resumed' end, jsonb_build_object('queue', p_queue));
  perform mill.call_hooks('operated', jsonb_build_object('table', 'queue', 'record', p_queue, 'action', case when p_paused then 'pause' else 'resume' end));
  if not p_paused then
    perform mill.wake(q, 'pump') from mill.queue q where q.queue = p_queue;
  end if;
  return p_paused;
end
$$;

COMMENT ON FUNCTION mill.pause(p_queue text, p_paused boolean) IS 'Pauses or resumes a queue. What runs goes on; what waits stays.';

CREATE FUNCTION mill.pause_dead_refreshes(p_acted jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_longest int := mill.setting('refresh.failure_pause_max_minutes', '15')::int;
begin
  if p_acted ->> 'action' <> 'dead' then
    return;
  end if;
  insert into mill.data_check as c (data_type, symbol, next_check_at, reason, failures, noted_at)
  select distinct d.payload ->> 'data_type', d.payload ->> 'symbol', v_now, 'dead', 1, v_now
  from mill.job_dead d
  where d.id = any (array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j))
    and d.queue ~ '^refresh(-|$)' and d.payload ->> 'data_type' is not null and d.payload ->> 'symbol' is not null
  on conflict (data_type, symbol) do update set
    failures = case c.reason when 'dead' then least(c.failures + 1, 30) else 1 end,
    next_check_at = v_now + case c.reason when 'dead'
      then make_interval(mins => least(power(2, least(c.failures, 30) - 1), v_longest)::int) else interval '0' end,
    reason = 'dead', noted_at = v_now;
end
$_$;

COMMENT ON FUNCTION mill.pause_dead_refreshes(p_acted jsonb) IS 'Hook of acted: says when a symbol whose refresh became a dead letter is asked for again.';

CREATE FUNCTION mill.piece_text(p_value jsonb, p_whole boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN p_whole THEN COALESCE((p_value)::text, 'null'::text) ELSE substr((to_jsonb(COALESCE((p_value #>> '{}'::text[]), ''::text)))::text, 2, (length((to_jsonb(COALESCE((p_value #>> '{}'::text[]), ''::text)))::text) - 2)) END;

COMMENT ON FUNCTION mill.piece_text(p_value jsonb, p_whole boolean) IS 'A value as JSON text in the place of a reference. What is missing is null, or nothing within a text.';

CREATE FUNCTION mill.pointer(p_path text, p_key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN ((p_path || '/'::text) || replace(replace(p_key, '~'::text, '~0'::text), '/'::text, '~1'::text));

COMMENT ON FUNCTION mill.pointer(p_path text, p_key text) IS 'The JSON Pointer of a key below another pointer.';

CREATE FUNCTION mill.post_signed(p_function text, p_id uuid, p_body jsonb, p_timeout_ms integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_request jsonb;
begin
  if not mill.can_post(p_function) then
    return null;
  end if;
  v_request := mill.signed_request(p_function, p_id, p_body::text);
  return net.http_post(
    url => v_request ->> 'url', body => p_body, headers => v_request -> 'headers', timeout_milliseconds => p_timeout_ms);
end
$$;

COMMENT ON FUNCTION mill.post_signed(p_function text, p_id uuid, p_body jsonb, p_timeout_ms integer) IS 'Posts to a function with a Standard Webhooks signature; null when nothing can send.';

CREATE FUNCTION mill.presence_list(p_list jsonb) RETURNS TABLE(symbol text, data_type text, viewers integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_list jsonb := case when jsonb_typeof(p_list) = 'string' then (p_list #>> '{}')::jsonb else p_list end;
begin
  if jsonb_typeof(v_list) <> 'array' then
    raise exception 'presence_subscriptions must be a list' using errcode = '22023', hint = '[{"symbol": "AAPL", "dataType": "quote", "userId": "…"}]';
  end if;
  return query
  select s.symbol, s.data_type, least(greatest(count(distinct s.viewer), 1), 100)::int
  from (
    select e ->> 'symbol' as symbol, coalesce(e ->> 'dataType', e ->> 'data_type') as data_type, coalesce(e ->> 'userId', e ->> 'user_id') as viewer
    from jsonb_array_elements(v_list) e) s
  join public.supported_symbols k on k.symbol = s.symbol and k.is_active
  group by s.symbol, s.data_type;
end
$$;

COMMENT ON FUNCTION mill.presence_list(p_list jsonb) IS 'A list of subscriptions as programs hand it in: symbols, types and how many look at each, counted to 100.';

CREATE FUNCTION mill.probe_state(p_probe uuid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
    when i.failure is not null then 'lost'
    when i.ended_at is not null then 'ended'
    when i.begun_at is null and i.asked_at < mill.now() - interval '30 seconds' then 'lost'
    when i.begun_at < mill.now() - make_interval(secs => q.invocation_seconds) then 'lost'
    else 'under way'
  end
  from mill.invocation i join mill.queue q using (queue)
  where i.id = p_probe
$$;

COMMENT ON FUNCTION mill.probe_state(p_probe uuid) IS 'What became of a breaker''s probe: under way, ended or lost; null without one.';

CREATE FUNCTION mill.promote(p_max integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_running xid[] := mill.running_transactions();
  v_rows tid[];
begin
  v_rows := array(
    select j.ctid from mill.job_live j
    where j.waits and j.run_at <= v_now and j.xmax <> all (v_running)
    order by j.run_at
    limit p_max
    for update skip locked);
  if cardinality(v_rows) = 0 then
    return 0;
  end if;

  perform pg_current_xact_id(); -- before the clock: see mill.raise_floors
  update mill.job_live j set state = 'pending', waits = false, turn = mill.clock_us() where j.ctid = any (v_rows);
  return cardinality(v_rows);
end
$$;

COMMENT ON FUNCTION mill.promote(p_max integer) IS 'Makes deferred and retrying jobs pending once they are due, at the end of their line; says how many.';

CREATE FUNCTION mill.provider_wait(p_queue mill.queue) RETURNS interval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_wait interval;
begin
  if p_queue.provider is not null and mill.hook_of('wait') is not null then
    execute format('select %s($1, $2)', mill.hook_of('wait')) into v_wait using p_queue.provider, p_queue.endpoint;
  end if;
  return v_wait;
end
$_$;

COMMENT ON FUNCTION mill.provider_wait(p_queue mill.queue) IS 'How long the provider of a queue has no room; null without a provider or a limit.';

CREATE FUNCTION mill.prune(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  with gone as (
    delete from mill.job_done_default j
    where j.finished_at < p_now - make_interval(
      days => coalesce((select q.retention_days from mill.queue q where q.queue = j.queue), 7))
    returning j.id
  )
  delete from mill.job_log l using gone g where l.job = g.id;
  delete from mill.invocation i where i.asked_at < p_now - interval '1 day';
  delete from mill.event e where e.at < p_now - interval '30 days';
  delete from mill.stat_minute s where s.minute < p_now - interval '30 days';
  delete from mill.breaker_change c where c.at < p_now - interval '90 days';

  -- Lanes that nobody stands in, and tenants without a lane. An enqueue that is opening one holds its row.
  delete from mill.lane l where (l.queue, l.lane) in (
    select o.queue, o.lane from mill.lane o
    where o.idle and not exists (select from mill.job_live j where j.queue = o.queue and j.lane = o.lane)
    for update skip locked);
  delete from mill.tenant t where (t.queue, t.tenant) in (
    select o.queue, o.tenant from mill.tenant o
    where not exists (select from mill.lane l where l.queue = o.queue and l.tenant = o.tenant)
    for update skip locked);
end
$$;

COMMENT ON FUNCTION mill.prune(p_now timestamp with time zone) IS 'Deletes what is past its time outside of the day partitions.';

CREATE PROCEDURE mill.pump(IN p_seconds numeric DEFAULT 59, IN p_interval numeric DEFAULT NULL::numeric)
    LANGUAGE plpgsql
    AS $$
declare
  v_until timestamptz := clock_timestamp() + pg_catalog.make_interval(secs => p_seconds::double precision);
  v_patience timestamptz := clock_timestamp() + pg_catalog.make_interval(secs => least(p_seconds, 5)::double precision);
  v_pause numeric := coalesce(p_interval, mill.setting('pump.interval_seconds', '5')::numeric);
  v_rest numeric := v_pause;
  v_lock constant bigint := 7022311640271840; -- any constant that only the pump uses
begin
  -- The run of the minute before may be in its last round. A run that gave up at once would leave a minute without any.
  while not pg_catalog.pg_try_advisory_lock(v_lock) loop
    if clock_timestamp() >= v_patience then
      return;
    end if;
    perform pg_catalog.pg_sleep(0.25);
    commit;
  end loop;

  loop
    -- Reclaim is committed before anything else can fail.
    begin
      perform mill.tick();
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'tick_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    begin
      perform mill.invoke_due();
      -- Where a provider's limit is what holds jobs up, the next round is when it has capacity again.
      v_rest := least(v_pause, mill.seconds_to_next_round());
      perform mill.record_heartbeat('process-queue-batch');
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'pump_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    exit when clock_timestamp() + pg_catalog.make_interval(secs => v_rest::double precision) >= v_until;
    begin
      perform pg_catalog.pg_sleep(v_rest);
    exception when query_canceled then
      perform pg_catalog.pg_advisory_unlock(v_lock);
      raise;
    end;
  end loop;

  perform pg_catalog.pg_advisory_unlock(v_lock);
end
$$;

COMMENT ON PROCEDURE mill.pump(IN p_seconds numeric, IN p_interval numeric) IS 'Every few seconds for a minute: reclaim, promote, invoke, each committed. Runs never overlap.';

CREATE FUNCTION mill.pump_once() RETURNS jsonb
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.record_heartbeat('process-queue-batch');
  select mill.tick() || jsonb_build_object('invoked', mill.invoke_due());
$$;

COMMENT ON FUNCTION mill.pump_once() IS 'One round of the pump in one transaction.';

CREATE FUNCTION mill.queue_refreshes(p_type public.data_type_registry, p_symbols text[], p_priority integer, p_size bigint DEFAULT NULL::bigint, p_metadata jsonb DEFAULT NULL::jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_jobs jsonb;
  v_queued int;
begin
  if coalesce(cardinality(p_symbols), 0) = 0 then
    return 0;
  end if;
  if mill.is_quota_exceeded() then
    if mill.every_minute('quota_event') then
      insert into mill.event (at, code, detail)
      values (mill.now(), 'quota_exceeded', jsonb_build_object('by', 'producer', 'data_type', p_type.data_type));
    end if;
    return 0;
  end if;

  select jsonb_agg(jsonb_build_object(
    'kind', 'refresh.' || p_type.data_type,
    'name', s.symbol || ' ' || p_type.data_type,
    'priority', coalesce(p_priority, mill.viewers(s.symbol, p_type.data_type)),
    'dedupe_key', s.symbol || ':' || p_type.data_type,
    'payload', jsonb_build_object('symbol', s.symbol, 'data_type', p_type.data_type,
      'estimated_size', coalesce(p_size, p_type.estimated_data_size_bytes))
      || case when p_metadata is null then '{}' else jsonb_build_object('metadata', p_metadata) end))
  into v_jobs
  from unnest(p_symbols) s(symbol);
  select count(*) filter (where e.status = 'new') into v_queued from mill.enqueue(v_jobs) e;
  return v_queued;
end
$$;

COMMENT ON FUNCTION mill.queue_refreshes(p_type public.data_type_registry, p_symbols text[], p_priority integer, p_size bigint, p_metadata jsonb) IS 'Queues refreshes of symbols; says how many were new, 0 while the quota is used up.';

CREATE FUNCTION mill.queue_stale(p_type public.data_type_registry, p_symbols text[], p_priority integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if coalesce(cardinality(p_symbols), 0) = 0 then
    return 0;
  end if;
  return mill.queue_refreshes(p_type, mill.stale_or_broken(p_type, p_symbols), p_priority);
exception
  when query_canceled then raise;
  when others then
    insert into mill.event (at, code, detail) values (mill.now(), 'queue_stale_failed',
      jsonb_build_object('data_type', p_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    return 0;
end
$$;

COMMENT ON FUNCTION mill.queue_stale(p_type public.data_type_registry, p_symbols text[], p_priority integer) IS 'Queues the stale ones of some symbols; says how many refreshes were new. Without a priority each gets the number of its viewers.';

CREATE FUNCTION mill.quota_in_flight() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce(sum((j.payload ->> 'estimated_size')::bigint), 0)::bigint
  from mill.queue q join mill.job_live j on j.slot = q.queue
  where q.queue ~ '^refresh(-|$)'
$_$;

COMMENT ON FUNCTION mill.quota_in_flight() IS 'Estimated bytes of the refreshes under way.';

CREATE FUNCTION mill.quota_limit(p_quota_gb numeric, p_safety_buffer numeric) RETURNS numeric
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(p_quota_gb, mill.setting('refresh.quota_gb', '20')::numeric) * 1073741824
    * coalesce(p_safety_buffer, mill.setting('refresh.quota_buffer', '0.95')::numeric)
$$;

COMMENT ON FUNCTION mill.quota_limit(p_quota_gb numeric, p_safety_buffer numeric) IS 'Bytes that may be used before serving stops; settings where an argument is null.';

CREATE FUNCTION mill.quota_next_batch() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $_$
  select coalesce(sum((n.payload ->> 'estimated_size')::bigint), 0)::bigint
  from mill.queue q
  cross join lateral (
    select j.payload
    from (select f.line, f.turn from mill.floor f where f.queue = q.queue order by f.priority desc) f
    cross join lateral (
      select j.payload from mill.job_live j
      where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
      order by j.turn limit q.batch_size) j
    limit q.batch_size) n
  where q.queue ~ '^refresh(-|$)'
$_$;

COMMENT ON FUNCTION mill.quota_next_batch() IS 'Estimated bytes of the batches that would be served next.';

CREATE FUNCTION mill.quota_percent() RETURNS numeric
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select round(100.0 * mill.quota_used(mill.setting('refresh.quota_days', '30')::int) / mill.quota_limit(null, 1), 2)
$$;

COMMENT ON FUNCTION mill.quota_percent() IS 'How much of the data quota the rolling days have used.';

CREATE FUNCTION mill.quota_used(p_days integer) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(sum(u.data_size_bytes), 0)::bigint from public.api_data_usage u where u.created_at > mill.now() - make_interval(days => p_days)
$$;

COMMENT ON FUNCTION mill.quota_used(p_days integer) IS 'Bytes that the wire carried within the rolling days.';

CREATE FUNCTION mill.raise_floors(p_queue text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_line record;
  v_floor record;
  v_first bigint;
begin
  perform mill.promote(100);
  perform mill.lower_floors(p_queue);
  for v_line in
    select f.line, f.version from mill.floor f where f.queue = p_queue and f.advance_at <= clock_timestamp()
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found or v_floor.advance_at > clock_timestamp(); -- another claim moves it, or has just done so
    -- Both in one statement: what is unpacked meanwhile is seen as the one or as the other.
    select least(
      (select j.turn from mill.job_live j
       where j.line = v_floor.line and j.turn >= v_floor.turn and not j.waits and j.state = 'pending'
       order by j.turn
       limit 1),
      (select p.turn from mill.pack p where p.line = v_floor.line and p.turn >= v_floor.turn order by p.turn limit 1))
    into v_first;
    -- An empty line: whoever is enqueueing now took the clock at most moments ago, and lower_floors covers the rest.
    v_first := greatest(v_floor.turn, coalesce(v_first, mill.clock_us() - 100000));

    update mill.floor_version v set
      version = v.version + 1,
      turn = v_first,
      advance_at = clock_timestamp() + interval '300 milliseconds'
    where v.ctid = v_floor.place;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.raise_floors(p_queue text) IS 'Moves the floors of a queue up to where live work begins.';

CREATE FUNCTION mill.raise_priority_of_duplicate(p_answers jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_wanted record;
begin
  for v_wanted in
    select (a.value ->> 'id')::uuid as id, max((a.value ->> 'priority')::int) as priority,
      min((a.value ->> 'run_at')::timestamptz) as run_at
    from jsonb_each(p_answers) a
    where a.value ->> 'status' = 'duplicate'
    group by 1 order by 1
  loop
    update mill.job_live j set
      priority = greatest(j.priority, v_wanted.priority),
      run_at = case when j.state = 'deferred' then least(j.run_at, v_wanted.run_at) else j.run_at end,
      state = case when j.state = 'deferred' and v_wanted.run_at <= p_now then 'pending' else j.state end,
      waits = j.waits and not (j.state = 'deferred' and v_wanted.run_at <= p_now),
      -- Never below the floor of the line that it joins.
      (line, turn) = (
        select f.line, greatest(j.turn, f.turn) from mill.floor f
        where f.queue = j.queue and f.priority = greatest(j.priority, v_wanted.priority))
    where j.id = v_wanted.id and (
      j.state = 'pending' and j.priority < v_wanted.priority
      or j.state = 'deferred' and (j.priority < v_wanted.priority or j.run_at > v_wanted.run_at));
  end loop;
end
$$;

COMMENT ON FUNCTION mill.raise_priority_of_duplicate(p_answers jsonb, p_now timestamp with time zone) IS 'Raises the priority of the jobs that a batch duplicates, and moves their run_at forward; never the other way.';

CREATE FUNCTION mill.ran(p_part text, p_detail jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.record_heartbeat(p_part, p_detail) $$;

COMMENT ON FUNCTION mill.ran(p_part text, p_detail jsonb) IS 'mill.record_heartbeat, for a procedure of release 0.1.0 that is under way.';

CREATE FUNCTION mill.reassign_lanes(p_queue text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_strays uuid[];
  v_moved int;
begin
  perform mill.unpack(array(
    select p.ctid from mill.line l
    cross join lateral (select p.ctid from mill.pack p where p.line = l.line for update skip locked) p
    where l.queue = p_queue));
  -- Along the two indexes of what waits: a look at all live jobs, once a minute, would cost every other queue. Line by line:
  -- a join could be planned as a walk over the whole index.
  v_strays := array(
    select j.id
    from mill.queue q join mill.line l on l.queue = q.queue
    cross join lateral (
      select j.id, j.lane, j.owner, j.group_key from mill.job_live j
      where j.line = l.line and j.turn is not null and not j.waits and j.state = 'pending'
      offset 0) j
    where q.queue = p_queue
      and j.lane is distinct from mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key)
    union all
    select j.id from mill.job_live j join mill.queue q using (queue)
    where j.queue = p_queue and j.waits
      and j.lane is distinct from mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key));
  with strays as (
    select j.id, mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key) as lane
    from mill.job_live j join mill.queue q using (queue)
    where j.id = any (v_strays) and j.state <> 'processing'
    order by j.id
    for update of j skip locked
  )
  update mill.job_live j set lane = s.lane from strays s where j.id = s.id;
  get diagnostics v_moved = row_count;
  if v_moved > 0 then
    delete from mill.lane l where l.queue = p_queue;
    perform mill.repair_lanes(p_queue, true);
  end if;
  return v_moved;
end
$$;

COMMENT ON FUNCTION mill.reassign_lanes(p_queue text) IS 'Moves waiting jobs into the lanes that their queue''s options ask for; says how many.';

CREATE FUNCTION mill.reassign_lanes_on_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.reassign_lanes(new.queue);
  return null;
end
$$;

COMMENT ON FUNCTION mill.reassign_lanes_on_change() IS 'A queue that becomes fair or capped by group takes its waiting jobs along.';

CREATE FUNCTION mill.receive_upserted_file() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_path text := regexp_replace(new.storage_path, '^medical-docs/', ''); -- fullPath of supabase-js has the bucket
begin
  perform mill.refuse_in_maintenance();
  if not (public.is_service_role() or public.has_profile_access(auth.uid(), new.patient_id)) then
    raise exception 'this profile does not exist, or is not yours' using errcode = '42501';
  end if;
  if coalesce(new.status, 'uploaded') <> 'uploaded' then
    raise exception 'a file is registered with the status uploaded' using errcode = '42501';
  end if;
  if v_path is null or not mill.is_upload_place(v_path)
    or not (public.is_service_role() or split_part(v_path, '/', 1) = auth.uid()::text)
  then
    raise exception 'storage_path is a file below the caller''s own id in the bucket medical-docs' using errcode = '42501';
  end if;
  if new.file_size_bytes not between 1 and mill.max_document_bytes() then
    raise exception 'a file has 1 to % bytes', mill.max_document_bytes() using errcode = 'GM049';
  end if;
  new := jsonb_populate_record(null::public.shell_files, jsonb_build_object(
    'id', mill.uuid7(), 'patient_id', new.patient_id, 'uploaded_by', split_part(v_path, '/', 1), 'bucket', 'medical-docs',
    'filename', coalesce(new.filename, new.original_filename, regexp_replace(v_path, '^.*/', '')),
    'original_filename', coalesce(new.original_filename, new.filename), 'mime_type', coalesce(new.mime_type, 'application/octet-stream'),
    'file_size_bytes', coalesce(mill.size_of_object('medical-docs:' || v_path), new.file_size_bytes, 0), 'storage_path', v_path, 'upload_path', v_path,
    'idempotency_key', new.idempotency_key, 'status', 'uploaded', 'stage_jobs', '{}'::jsonb, 'run', 1, 'version', 1, 'processing_error', '{}'::jsonb,
    'created_at', v_now, 'updated_at', v_now, 'uploaded_at', v_now));
  return new;
end
$$;

COMMENT ON FUNCTION mill.receive_upserted_file() IS 'Makes a document of a row that a client inserts into shell_files.';

CREATE FUNCTION mill.recent_attempts(p_target text, p_since timestamp with time zone, OUT attempts bigint, OUT failures bigint, OUT worst bigint, OUT permanent bigint) RETURNS record
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(sum(t.attempts), 0), coalesce(sum(t.failures), 0), coalesce(max(t.failures) filter (where t.tenant is not null), 0),
    coalesce(sum(t.permanent), 0)
  from (
    select s.tenant,
      sum(c.attempts) filter (where not s.permanent) as attempts,
      sum(c.attempts) filter (where not s.permanent and s.outcome <> 'completed') as failures,
      sum(c.attempts) filter (where s.permanent) as permanent
    from mill.stat_batch s
    cross join lateral (select case s.outcome when 'lost' then 1 else s.jobs end as attempts) c
    where s.outcome in ('completed', 'failed', 'dead', 'lost')
      and s.queue = any (array(select q.queue from mill.queue q where mill.target_of(coalesce(q.function, q.url), q.provider) = p_target))
      and s.at >= (select greatest(p_since, mill.now() - make_interval(secs => mill.setting('breaker.window_seconds', '60')::int)))
    group by s.tenant) t
$$;

COMMENT ON FUNCTION mill.recent_attempts(p_target text, p_since timestamp with time zone, OUT attempts bigint, OUT failures bigint, OUT worst bigint, OUT permanent bigint) IS 'Attempts that a target ended within the breaker''s window, how many of them failed, and the most that failed of one tenant.';

CREATE FUNCTION mill.reclaim(p_max integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_rows tid[] := mill.lock_expired_leases(v_now, p_max);
begin
  if v_rows = '{}' then
    return 0;
  end if;
  return mill.return_lost_jobs(v_rows, mill.worker_lost_error('the lease expired before the worker settled'),
    mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric, v_now);
end
$$;

COMMENT ON FUNCTION mill.reclaim(p_max integer) IS 'Returns jobs of lost workers to retrying with jitter, or buries them; says how many leases were lost.';

CREATE FUNCTION mill.reclaim_while_pump_is_silent() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_lost int;
begin
  if exists (
      select from mill.heartbeat h
      where h.part = 'tick' and h.at > v_now - interval '10 seconds' or h.part = 'reclaim_while_pump_is_silent' and h.at > v_now - interval '1 second')
    or not pg_try_advisory_xact_lock(7022311640271843) -- any constant that only this uses
  then
    return;
  end if;
  insert into mill.heartbeat (part, at) values ('reclaim_while_pump_is_silent', v_now) on conflict (part) do update set at = excluded.at;
  v_lost := mill.end_lost_invocations();
  perform mill.reclaim();
  perform mill.promote();
  if v_lost > 0 then
    perform mill.wake(q, 'pump') from mill.queue q where q.served_by = 'function';
  end if;
end
$$;

COMMENT ON FUNCTION mill.reclaim_while_pump_is_silent() IS 'Takes back lost leases and invocations where the pump has not run for ten seconds.';

CREATE FUNCTION mill.record_ended(p_job_id uuid, OUT ended uuid[], OUT failed uuid[], OUT is_step_done boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_told mill.ended;
  v_ids uuid[];
  v_keys text[] := array[]::text[];
  v_completed int[] := array[]::int[];
  v_failed int[] := array[]::int[];
  v_has_artifacts boolean := false;
begin
  ended := '{}';
  failed := '{}';
  for v_told in
    select e.* from mill.ended e where e.parent = p_job_id and not e.counted order by e.n
  loop
    if cardinality(v_told.ids) >= 50 and mill.is_countable(v_told) then
      update mill.ended e set counted = true where e.xid = v_told.xid and e.n = v_told.n;
      v_keys := v_keys || v_told.name;
      v_completed := v_completed || cardinality(v_told.ids);
      v_failed := v_failed || 0;
      continue;
    end if;
    delete from mill.ended e where e.xid = v_told.xid and e.n = v_told.n;
    if v_told.results is null and v_told.errors is null then
      with changed as (
        update mill.task t set state = v_told.state, finished_at = v_told.at
        where t.id = any (v_told.ids) and t.state = 'queued'
        returning t.id
      )
      select array_agg(c.id) into v_ids from changed c;
    else
      with changed as (
        update mill.task t set state = v_told.state, output = e.output, error = e.error, finished_at = v_told.at
        from unnest(v_told.ids, v_told.results, v_told.errors) as e(id, output, error)
        where t.id = e.id and t.state = 'queued'
        returning t.id
      )
      select array_agg(c.id) into v_ids from changed c;
      v_has_artifacts := v_has_artifacts or exists (select from unnest(v_told.results) as o(output) where o.output ? 'artifacts');
    end if;
    continue when v_ids is null;
    ended := ended || v_ids;
    v_keys := v_keys || v_told.name;
    if v_told.state = 'completed' then
      v_completed := v_completed || cardinality(v_ids);
      v_failed := v_failed || 0;
    else
      failed := failed || v_ids;
      v_completed := v_completed || 0;
      v_failed := v_failed || cardinality(v_ids);
    end if;
  end loop;

  is_step_done := mill.count_ended(p_job_id, v_keys, v_completed, v_failed);
  if v_has_artifacts then
    perform mill.keep_artifacts(ended);
  end if;
end
$$;

COMMENT ON FUNCTION mill.record_ended(p_job_id uuid, OUT ended uuid[], OUT failed uuid[], OUT is_step_done boolean) IS 'Keeps what became of tasks of a job and counts it, one update a step; says what ended, what of it not well, and whether a step was done with it.';

CREATE FUNCTION mill.record_heartbeat(p_part text, p_detail jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.heartbeat (part, at, detail) values (p_part, mill.now(), p_detail)
  on conflict (part) do update set at = excluded.at, detail = excluded.detail
$$;

COMMENT ON FUNCTION mill.record_heartbeat(p_part text, p_detail jsonb) IS 'Records that a recurring part has run to its end.';

CREATE FUNCTION mill.record_wake_failure(p_queue text, p_sqlstate text, p_message text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into mill.event (at, code, detail)
  values (mill.now(), 'wake_failed', jsonb_build_object('queue', p_queue, 'sqlstate', p_sqlstate, 'message', p_message))
$$;

COMMENT ON FUNCTION mill.record_wake_failure(p_queue text, p_sqlstate text, p_message text) IS 'Records that a queue could not be woken.';

CREATE FUNCTION mill.refresh_queue_of(p_function text, p_provider text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select q.queue from mill.queue q
  where q.queue ~ '^refresh(-|$)' and q.provider = p_provider
    and (q.function = p_function or q.served_by = 'external' and not mill.is_our_fetcher(p_function))
  order by q.queue limit 1
$_$;

COMMENT ON FUNCTION mill.refresh_queue_of(p_function text, p_provider text) IS 'The refresh queue that a function, or a program of the user, serves for a provider; null where there is none.';

CREATE FUNCTION mill.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'the audit log is append-only' using errcode = 'GM024';
end
$$;

COMMENT ON FUNCTION mill.refuse_audit_change() IS 'Refuses UPDATE, DELETE and TRUNCATE of the audit log.';

CREATE FUNCTION mill.refuse_definition(p_code text, p_reason text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception '%', p_reason using errcode = p_code, hint = 'See docs/add-a-workflow.md.';
end
$$;

COMMENT ON FUNCTION mill.refuse_definition(p_code text, p_reason text) IS 'Raises GM061 to GM065 for a workflow definition.';

CREATE FUNCTION mill.refuse_definition_of(p_place text, p_problem text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'the definition cannot be registered: % %', p_place, p_problem using errcode = 'GM013', detail = p_place;
end
$$;

COMMENT ON FUNCTION mill.refuse_definition_of(p_place text, p_problem text) IS 'Raises GM013 with the place in the definition, a JSON Pointer.';

CREATE FUNCTION mill.refuse_in_maintenance() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if mill.setting('maintenance.enabled', 'false') = 'true' then
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'GM022', 'message', 'writing is stopped for maintenance',
        'details', json_build_object('reason', mill.setting('maintenance.reason'),
          'retry_after', mill.setting('maintenance.retry_after_seconds', '60')::int)::text, 'hint', 'Try again later; reading goes on.')::text,
      detail = json_build_object('status', 503, 'headers', json_build_object(
        'Retry-After', mill.setting('maintenance.retry_after_seconds', '60')))::text;
  end if;
end
$$;

COMMENT ON FUNCTION mill.refuse_in_maintenance() IS 'Refuses with GM022 and 503 while the maintenance flag is set.';

CREATE FUNCTION mill.refuse_more_keys(p_caller text, p_since timestamp with time zone) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_most int;
  v_oldest timestamptz;
begin
  if p_caller = 'service' then
    return;
  end if;
  v_most := mill.setting('idempotency.max_keys_per_user', '5000')::int;
  if (select count(*) from (
    select from mill.idempotency_key k where k.caller = p_caller and k.created_at > p_since limit v_most) k) < v_most
  then
    return;
  end if;
  select min(k.created_at) into v_oldest from mill.idempotency_key k where k.caller = p_caller and k.created_at > p_since;
  raise exception 'more than % idempotency keys in 24 hours', v_most using errcode = 'GM082',
    detail = jsonb_build_object('limit', v_most, 'retry_after', greatest(1, ceil(extract(epoch from v_oldest - p_since))::int))::text,
    hint = 'Try again when the oldest key has expired, or call without a key.';
end
$$;

COMMENT ON FUNCTION mill.refuse_more_keys(p_caller text, p_since timestamp with time zone) IS 'Raises GM082 for a user who has as many idempotency keys as one may have.';

CREATE FUNCTION mill.refuse_registry_row(p_problem text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'the data type cannot be registered' using errcode = 'GM035', detail = p_problem;
end
$$;

COMMENT ON FUNCTION mill.refuse_registry_row(p_problem text) IS 'Raises GM035.';

CREATE FUNCTION mill.refuse_schema(p_place text, p_problem text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'the schema cannot be used: % %', coalesce(nullif(p_place, ''), 'it'), p_problem using errcode = 'GM013', detail = p_place,
    hint = 'docs/protocol.md lists what schemas may have.';
end
$$;

COMMENT ON FUNCTION mill.refuse_schema(p_place text, p_problem text) IS 'Raises GM013 with the place in the schema, a JSON Pointer.';

CREATE FUNCTION mill.refuse_to_drop_jobs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (select from mill.line l join mill.job_live j on j.line = l.line where l.queue = old.queue)
    or exists (select from mill.pack p where p.queue = old.queue)
  then
    raise exception 'queue "%" has jobs', old.queue using errcode = 'foreign_key_violation',
      hint = 'Let its workers finish them, or cancel them: select mill.cancel(array(select id from mill.job_live where queue = ''…'' union all select id from mill.packed_job where queue = ''…''))';
  end if;
  return old;
end
$$;

COMMENT ON FUNCTION mill.refuse_to_drop_jobs() IS 'A queue with live jobs cannot be deleted.';

CREATE FUNCTION mill.refuse_users_in_maintenance() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if coalesce(auth.jwt() ->> 'role', '') in ('anon', 'authenticated') then
    perform mill.refuse_in_maintenance();
  end if;
  return null;
end
$$;

COMMENT ON FUNCTION mill.refuse_users_in_maintenance() IS 'A statement trigger: users'' own writes are refused while the maintenance flag is set.';

CREATE TABLE mill.export_file (
    path text NOT NULL,
    export_id uuid NOT NULL,
    attempt integer NOT NULL,
    owner uuid NOT NULL,
    size bigint NOT NULL,
    state text DEFAULT 'writing'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT a_stored_file_expires CHECK (((state <> 'stored'::text) OR (expires_at IS NOT NULL))),
    CONSTRAINT file_state_is_known CHECK ((state = ANY (ARRAY['writing'::text, 'stored'::text, 'removing'::text, 'deleted'::text]))),
    CONSTRAINT size_is_not_negative CHECK ((size >= 0))
);

COMMENT ON TABLE mill.export_file IS 'Every object of an export that was or may have been written. The row comes before the object and goes after it.';

CREATE FUNCTION mill.register_export_object(p_owner uuid, p_document_id uuid, p_path text, p_export uuid DEFAULT NULL::uuid) RETURNS mill.export_file
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file mill.export_file;
  v_size bigint := mill.size_of_object(p_path);
begin
  if p_path is null or v_size is null or not starts_with(p_path, format('exports:%s/', p_owner)) then
    raise exception 'there is no such file in the bucket exports, below the folder of the user' using errcode = 'GM055',
      hint = 'Store it at {user}/{document}_{time}.pdf, and then say where it is.';
  end if;
  select f.* into v_file from mill.export_file f where f.path = p_path for update;
  if v_file.path is null then
    insert into mill.export_file as f (path, export_id, attempt, owner, size, created_at)
    select p_path, e.id, j.attempt, e.owner, v_size, mill.now()
    from mill.export e
    join mill.job_live j on j.id = e.id and j.state = 'processing'
    where e.owner = p_owner and (e.document_id = p_document_id or p_document_id is null) and e.id = coalesce(p_export, e.id)
    order by j.started_at desc limit 1
    returning f.* into v_file;
    if v_file.path is not null then
      perform mill.check_export_storage(p_owner, 0);
    end if;
  end if;
  if v_file.path is null or v_file.owner <> p_owner or v_file.state in ('removing', 'deleted') or v_file.export_id <> coalesce(p_export, v_file.export_id) then
    raise exception 'this file belongs to no export that is being made or was completed' using errcode = 'GM050';
  end if;
  return v_file;
end
$$;

COMMENT ON FUNCTION mill.register_export_object(p_owner uuid, p_document_id uuid, p_path text, p_export uuid) IS 'Registers an object in the bucket exports as the file of an export; GM055 when it is not stored, GM050 without an export, GM051 without room.';

CREATE FUNCTION mill.register_kind(p_definition jsonb, p_place text, p_force boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_old mill.kind;
  v_new mill.kind;
  v_asked jsonb;
  v_merged record;
  v_text text;
begin
  perform mill.check_definition_fields(p_definition, array['kind', 'queue', 'description', 'open_to_users', 'max_attempts', 'schema', 'unique'], p_place);
  select k.* into v_old from mill.kind k where k.kind = p_definition ->> 'kind' for update;
  if not found then
    insert into mill.kind (kind, queue) values (p_definition ->> 'kind', p_definition ->> 'queue') returning * into v_old;
  elsif v_old.registered is null then
    raise exception 'the kind "%" was not made by register_jobs', v_old.kind using errcode = 'GM012', detail = p_place, hint = 'Take another name.';
  end if;

  v_new := mill.kind_from_definition(v_old, p_definition, p_place);
  v_asked := (select coalesce(jsonb_object_agg(a.key, mill.kind_definition(v_new) -> a.key), '{}') from jsonb_object_keys(p_definition - 'kind') as a(key));
  v_merged := mill.merge_registered(mill.kind_definition(v_old), v_old.registered, v_asked, '{}', p_force or v_old.registered is null);
  if v_old.registered is null or v_merged.changes <> '{}' then
    v_new := mill.kind_from_definition(v_old, v_merged.changes, p_place);
    update mill.kind k set queue = v_new.queue, description = v_new.description, open_to_users = v_new.open_to_users, max_attempts = v_new.max_attempts,
      schema = v_new.schema, unique_by = v_new.unique_by, unique_within_seconds = v_new.unique_within_seconds,
      registered = coalesce(v_old.registered, mill.kind_definition(v_new)) || v_merged.changes
    where k.kind = v_old.kind;
  end if;
  return jsonb_build_object('kept', v_merged.kept, 'status',
    case when v_old.registered is null then 'created' when v_merged.changes <> '{}' then 'updated' else 'unchanged' end);
exception
  when check_violation or not_null_violation then
    get stacked diagnostics v_text = constraint_name;
    perform mill.refuse_definition_of(p_place, coalesce(nullif(replace(v_text, '_', ' '), ''), sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range then
    perform mill.refuse_definition_of(p_place, 'has a value of another type: ' || sqlerrm);
  when sqlstate 'GM013' then
    get stacked diagnostics v_text = pg_exception_detail;
    raise exception '%', sqlerrm using errcode = 'GM013', hint = 'docs/protocol.md says what a definition may have.',
      detail = case when starts_with(v_text, p_place || '/') then v_text else p_place || '/schema' || v_text end;
end
$$;

COMMENT ON FUNCTION mill.register_kind(p_definition jsonb, p_place text, p_force boolean) IS 'Creates or updates a kind from its definition. For register_jobs alone.';

CREATE FUNCTION mill.register_queue(p_definition jsonb, p_place text, p_force boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_options constant text[] := array['description', 'served_by', 'function', 'url', 'batch_size', 'max_parallel', 'lease_seconds', 'invocation_seconds',
    'max_attempts', 'max_lease_losses', 'backoff_base_seconds', 'backoff_cap_seconds', 'backoff_jitter', 'max_running', 'max_running_per_group', 'depth_limit',
    'dequeue', 'retention_days', 'target_seconds', 'paused', 'provider', 'endpoint'];
  v_old mill.queue;
  v_new mill.queue;
  v_asked jsonb;
  v_merged record;
  v_constraint text;
begin
  perform mill.check_definition_fields(p_definition, v_options || 'queue'::text, p_place);
  if coalesce(p_definition ->> 'queue', '') = '' then
    perform mill.refuse_definition_of(p_place || '/queue', 'is missing');
  end if;
  select q.* into v_old from mill.queue q where q.queue = p_definition ->> 'queue' for update;
  if not found then
    insert into mill.queue (queue, served_by) values (p_definition ->> 'queue', 'external') returning * into v_old;
    v_asked := mill.complete_queue_definition(p_definition - 'queue', true);
  elsif v_old.registered is null then
    raise exception 'the queue "%" was not made by register_jobs', v_old.queue using errcode = 'GM012', detail = p_place, hint = 'Take another name.';
  else
    v_asked := mill.complete_queue_definition(p_definition - 'queue', false);
  end if;

  v_new := jsonb_populate_record(v_old, v_asked);
  v_asked := (select jsonb_object_agg(a.key, to_jsonb(v_new) -> a.key) from jsonb_object_keys(v_asked) as a(key));
  v_merged := mill.merge_registered(to_jsonb(v_old), v_old.registered, v_asked, array['served_by', 'function', 'url'], p_force or v_old.registered is null);
  if v_old.registered is null or v_merged.changes <> '{}' then
    v_new := jsonb_populate_record(v_old, v_merged.changes);
    update mill.queue q set (description, served_by, function, url, batch_size, max_parallel, lease_seconds, invocation_seconds,
      max_attempts, max_lease_losses, backoff_base_seconds, backoff_cap_seconds, backoff_jitter, max_running, max_running_per_group, depth_limit,
      dequeue, retention_days, target_seconds, paused, provider, endpoint, registered)
    = (v_new.description, v_new.served_by, v_new.function, v_new.url, v_new.batch_size, v_new.max_parallel, v_new.lease_seconds, v_new.invocation_seconds,
      v_new.max_attempts, v_new.max_lease_losses, v_new.backoff_base_seconds, v_new.backoff_cap_seconds, v_new.backoff_jitter, v_new.max_running,
      v_new.max_running_per_group, v_new.depth_limit, v_new.dequeue, v_new.retention_days, v_new.target_seconds, v_new.paused, v_new.provider, v_new.endpoint,
      case when v_old.registered is null
        then (select jsonb_object_agg(o.name, to_jsonb(v_new) -> o.name) from unnest(v_options) as o(name)) else v_old.registered || v_merged.changes end)
    where q.queue = v_old.queue;
  end if;
  return jsonb_build_object('kept', v_merged.kept, 'status',
    case when v_old.registered is null then 'created' when v_merged.changes <> '{}' then 'updated' else 'unchanged' end);
exception
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform mill.refuse_definition_of(p_place, coalesce(nullif(replace(v_constraint, '_', ' '), ''), sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range then
    perform mill.refuse_definition_of(p_place, 'has a value of another type: ' || sqlerrm);
end
$$;

COMMENT ON FUNCTION mill.register_queue(p_definition jsonb, p_place text, p_force boolean) IS 'Creates or updates a queue from its definition. For register_jobs alone.';

CREATE FUNCTION mill.register_upload(p_file public.shell_files, p_place text, p_size bigint, p_sha256 text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update public.shell_files f set
    status = 'uploaded', storage_path = p_place, upload_path = p_place, file_size_bytes = p_size, sha256 = p_sha256,
    uploaded_at = mill.now(), updated_at = mill.now(), version = f.version + 1
  where f.id = p_file.id;
  perform mill.start_stage(p_file.id, 'security');
  -- What the uploader said. The security stage audits what it measured.
  perform mill.audit('shell_files', p_file.id::text, 'INSERT', null,
    jsonb_build_object('claimed_size_bytes', p_size, 'claimed_mime_type', p_file.mime_type, 'claimed_sha256', p_sha256),
    'uploaded', 'documents', p_file.patient_id);
end
$$;

COMMENT ON FUNCTION mill.register_upload(p_file public.shell_files, p_place text, p_size bigint, p_sha256 text) IS 'Marks a document uploaded and enqueues its first stage, in the caller''s transaction.';

CREATE FUNCTION mill.release_storage(p_profile_id uuid, p_shell_file_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.count_usage(p_profile_id, 'storage_used', 'removed ' || p_shell_file_id,
    jsonb_build_object('bytes', -(e.counts ->> 'bytes')::bigint), p_shell_file_id, p_blocks => false)
  from mill.usage_event e
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_shell_file_id::text
$$;

COMMENT ON FUNCTION mill.release_storage(p_profile_id uuid, p_shell_file_id uuid) IS 'A file was erased: takes its bytes off what the profile has stored, once.';

CREATE FUNCTION mill.remove_compat_documents() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  revoke insert, update on public.shell_files from authenticated, service_role;
end
$$;

COMMENT ON FUNCTION mill.remove_compat_documents() IS 'Takes back what this part has granted. For mill.forget_part alone.';

CREATE FUNCTION mill.remove_documents() RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  update mill.kind k set part = 'compat', queue = 'standard'
  where k.part = 'documents' and k.kind ~ '^(fast|ai)_queue_' and exists (select from mill.part p where p.part = 'compat')
$$;

COMMENT ON FUNCTION mill.remove_documents() IS 'Leaves the stages of documents to compat. For mill.forget_part alone.';

CREATE FUNCTION mill.remove_files() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_policy record;
begin
  for v_policy in
    select p.polname, p.polrelid::regclass as objects from pg_policy p
    where p.polrelid = to_regclass('storage.objects') and p.polname like 'gristmill: %'
  loop
    execute format('drop policy %I on %s', v_policy.polname, v_policy.objects);
  end loop;
end
$$;

COMMENT ON FUNCTION mill.remove_files() IS 'Drops the policies of Supabase Storage. For mill.forget_part alone.';

CREATE FUNCTION mill.repair_floors() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_count int;
begin
  update mill.floor_version v set
    version = v.version + 1, turn = s.turn, safe = s.turn, mark = s.turn, tail = least(v.tail, s.turn)
  from (
    select v.ctid as place, j.turn
    from mill.floor f join mill.floor_version v on v.line = f.line and v.version = f.version
    cross join lateral (
      select least(
        (select j.turn from mill.job_live j
         where j.line = f.line and not j.waits and j.state = 'pending' and j.turn < f.safe
         order by j.turn
         limit 1),
        (select p.turn from mill.pack p where p.line = f.line and p.turn < f.safe order by p.turn limit 1)) as turn) j
    where j.turn is not null
    order by f.queue, f.priority
    for no key update of v skip locked) s
  where v.ctid = s.place;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.repair_floors() IS 'Lowers floors to jobs that lie below them for whatever reason; says how many.';

CREATE FUNCTION mill.repair_hints() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_is_minute boolean := mill.every_minute('repair_hints');
  v_queue text;
begin
  if v_is_minute then
    perform mill.repair_floors();
  end if;
  for v_queue in
    select q.queue from mill.queue q where q.dequeue = 'fair' or q.max_running_per_group is not null order by q.queue
  loop
    perform mill.repair_lanes(v_queue, true);
    if v_is_minute then
      perform mill.reassign_lanes(v_queue);
    end if;
  end loop;
end
$$;

COMMENT ON FUNCTION mill.repair_hints() IS 'Repairs what claims take as hints: lanes every time, floors and strays once a minute.';

CREATE FUNCTION mill.repair_lanes(p_queue text, p_may_make boolean) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_busy text[];
  v_opened int;
begin
  with recursive busy(lane) as (
    (select j.lane from mill.job_live j
     where j.queue = p_queue and not j.waits and j.state = 'pending' and j.lane is not null
     order by j.lane limit 1)
    union all
    select (select j.lane from mill.job_live j
            where j.queue = p_queue and not j.waits and j.state = 'pending' and j.lane is not null and j.lane > b.lane
            order by j.lane limit 1)
    from busy b where b.lane is not null
  )
  select coalesce(array_agg(b.lane) filter (where b.lane is not null), '{}') into v_busy from busy b;

  update mill.lane l set idle = not l.idle
  where l.queue = p_queue and l.lane in (
    select o.lane from mill.lane o
    where o.queue = p_queue and o.idle = (o.lane = any (v_busy))
    for no key update skip locked);
  get diagnostics v_opened = row_count;

  if p_may_make then
    perform mill.open_lane(p_queue, mill.tenant_of(j.owner, j.group_key), b.lane,
      case when q.max_running_per_group is not null then j.group_key end)
    from unnest(v_busy) as b(lane)
    join mill.queue q on q.queue = p_queue
    cross join lateral (
      select j.owner, j.group_key from mill.job_live j
      where j.queue = p_queue and j.lane = b.lane and not j.waits and j.state = 'pending' limit 1) j
    where not exists (select from mill.lane l where l.queue = p_queue and l.lane = b.lane);
  end if;
  return v_opened;
end
$$;

COMMENT ON FUNCTION mill.repair_lanes(p_queue text, p_may_make boolean) IS 'Opens lanes that have pending jobs and closes those that have none; says how many changed.';

CREATE FUNCTION mill.request_exports(p_owner uuid, p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_options jsonb := mill.export_options(p_options);
  v_jobs jsonb;
  v_answers jsonb;
  v_new uuid[];
begin
  if coalesce(p_template, '') not in ('minimal', 'modern', 'classic') then
    raise exception 'template must be minimal, modern or classic' using errcode = 'GM004';
  end if;
  perform mill.lock_exports(p_owner);

  select jsonb_agg(jsonb_build_object('kind', 'export_pdf', 'name', d.title, 'owner', p_owner, 'group_key', p_owner,
    'dedupe_key', concat_ws(':', p_owner, d.id, d.version, p_template, md5(v_options::text)), 'correlation_id', p_correlation_id,
    'payload', jsonb_build_object('document_id', d.id, 'version', d.version, 'template', p_template)) order by a.at)
  into v_jobs
  from unnest(p_document_ids) with ordinality a(id, at)
  join public.documents d on d.id = a.id and d.owner = p_owner;
  if coalesce(jsonb_array_length(v_jobs), 0) < cardinality(p_document_ids) then
    raise exception 'there is no such document, or it is not yours' using errcode = 'GM050';
  end if;
  perform mill.check_export_storage(p_owner, 1);

  select jsonb_agg(to_jsonb(e) order by e.ordinal), coalesce(array_agg(distinct e.id) filter (where e.status = 'new'), '{}')
  into v_answers, v_new from mill.enqueue(v_jobs) e;
  if v_answers @? '$[*] ? (@.status == "throttled")' then
    raise exception 'too many exports are waiting' using errcode = 'GM006', detail = '{"retry_after": 30}';
  end if;
  if v_new <> '{}' then
    perform mill.count_exports(p_owner, cardinality(v_new));
  end if;

  insert into mill.export (id, owner, document_id, version, title, template, options, source, created_at)
  select distinct on (a.value ->> 'id') (a.value ->> 'id')::uuid, p_owner, d.id, d.version, d.title, p_template, v_options, d.data, mill.now()
  from jsonb_array_elements(v_answers) with ordinality a(value, at)
  join public.documents d on d.id = p_document_ids[a.at]
  where a.value ->> 'status' = 'new';
  perform mill.note_export(n.id, 'progress', '{"progress": 0, "message": "waiting"}') from unnest(v_new) n(id);
  return array(select (a.value ->> 'id')::uuid from jsonb_array_elements(v_answers) with ordinality a(value, at) order by a.at);
end
$_$;

COMMENT ON FUNCTION mill.request_exports(p_owner uuid, p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) IS 'Asks for exports of documents, in their order; answers the id of each, new or pending already.';

CREATE FUNCTION mill.require_document(p_id uuid) RETURNS public.shell_files
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f
  where f.id = p_id and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))
  for update;
  if not found then
    raise exception 'there is no such document' using errcode = 'GM046';
  end if;
  return v_file;
end
$$;

COMMENT ON FUNCTION mill.require_document(p_id uuid) IS 'Locks a document that the caller may reach, or raises GM046.';

CREATE FUNCTION mill.require_primary() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then
    raise exception 'this runs on the primary only' using errcode = 'GM037', hint = 'Use POST, and the address of the primary.';
  end if;
end
$$;

COMMENT ON FUNCTION mill.require_primary() IS 'Raises GM037 on a replica and in a read-only transaction.';

CREATE FUNCTION mill.require_profile(p_profile_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if coalesce(auth.jwt() ->> 'role', '') in ('anon', 'authenticated') and not public.has_profile_access(auth.uid(), p_profile_id)
    or not exists (select from public.user_profiles p where p.id = p_profile_id)
  then
    raise exception 'this profile does not exist, or is not yours' using errcode = '42501';
  end if;
end
$$;

COMMENT ON FUNCTION mill.require_profile(p_profile_id uuid) IS 'Refuses a caller that may not act for a profile.';

CREATE FUNCTION mill.reschedule_compat_lease(p_id uuid, p_delay numeric, p_jitter numeric, p_reason text, p_more jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.settle_compat_lease(p_id, jsonb_build_object('outcome', 'snoozed', 'delay_seconds', p_delay + p_jitter,
    'error', p_more || jsonb_build_object('type', 'rescheduled', 'message', p_reason, 'retryable', true, 'reschedule_reason', p_reason,
      'reschedule_delay_seconds', trim_scale(p_delay), 'jitter_seconds', trim_scale(p_jitter),
      'total_delay_seconds', trim_scale(p_delay + p_jitter), 'rescheduled_at', mill.now())))
$$;

COMMENT ON FUNCTION mill.reschedule_compat_lease(p_id uuid, p_delay numeric, p_jitter numeric, p_reason text, p_more jsonb) IS 'Puts off a job that is processing under a lease that a compat claim gave out; false for any other. p_more: further keys of its error.';

CREATE FUNCTION mill.resolved_errors(p_known jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select (p_known - 'current_error') || case when p_known ? 'error_history' then jsonb_build_object('error_history', (
    select jsonb_agg(mill.complete_error_entry(e) || '{"resolved": true}') from jsonb_array_elements(p_known -> 'error_history') e)) else '{}' end
$$;

COMMENT ON FUNCTION mill.resolved_errors(p_known jsonb) IS 'processing_error once the stage has succeeded.';

CREATE FUNCTION mill.resume_acted(p_acted jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_acted ->> 'action' = 'retry' then
    perform mill.resume_revived(array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j));
  end if;
end
$$;

COMMENT ON FUNCTION mill.resume_acted(p_acted jsonb) IS 'Hook of acted: dead letters that were sent back resume their workflows.';

CREATE FUNCTION mill.resume_revived(p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_job record;
begin
  for v_job in
    select t.job_id, array_agg(t.id) as ids from mill.task t where t.id = any (p_ids) group by t.job_id order by t.job_id
  loop
    perform mill.resume_workflow(v_job.job_id, v_job.ids);
  end loop;
end
$$;

COMMENT ON FUNCTION mill.resume_revived(p_ids uuid[]) IS 'Resumes the jobs of tasks whose dead letters were sent back.';

CREATE FUNCTION mill.resume_workflow(p_id uuid, p_revived uuid[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_job mill.workflow;
  v_count int;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.status <> 'failed' or v_job.compensating then
    return 0;
  end if;

  perform mill.record_ended(p_id);
  perform mill.write_ended(p_id);
  delete from mill.task t where t.job_id = p_id and t.item = -1;
  update mill.task t set
    state = case when t.id = any (p_revived) then 'queued' else 'waiting' end,
    error = null, finished_at = null
  where t.job_id = p_id and t.state in ('failed', 'cancelled', 'skipped');
  get diagnostics v_count = row_count;
  update mill.step s set
    completed = c.completed, failed = 0, skipped = 0,
    total = case when w.family is null or c.n > 0 or s.completed = s.total then s.total end,
    state = case when s.state = 'completed' then 'completed' else 'waiting' end
  from mill.workflow_step w
  cross join lateral (
    select count(*)::int as n, (count(*) filter (where t.state = 'completed'))::int as completed
    from mill.task t where t.job_id = p_id and t.key = w.key) c
  where s.job_id = p_id and w.type = v_job.type and w.version = v_job.version and w.key = s.key;

  update mill.workflow j set status = 'processing', error = null, finished_at = null, stragglers = false where j.id = p_id;
  perform mill.advance_workflow(p_id,
    array(select t.id from mill.task t where t.job_id = p_id and t.state = 'completed'), '{}', true);
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.resume_workflow(p_id uuid, p_revived uuid[]) IS 'Lets a failed job go on from its failed tasks; says how many tasks wait or run again.';

CREATE FUNCTION mill.retried_exports(p_ids uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(array_agg(j.id order by j.id), '{}')
  from mill.job_live j
  cross join lateral (
    select v.data from mill.export_event v where v.export_id = j.id order by v.id desc limit 1) latest
  where j.id = any (p_ids)
    and j.attempt > (j.state = 'processing')::int
    and (latest.data ->> 'retry_at')::timestamptz is distinct from j.run_at
    and (j.state <> 'processing' or coalesce((latest.data ->> 'attempt')::int, 0) < j.attempt)
$$;

COMMENT ON FUNCTION mill.retried_exports(p_ids uuid[]) IS 'Exports with a failed attempt behind them whose listeners have not been told yet.';

CREATE FUNCTION mill.retry(p_ids uuid[]) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_xid xid8 := pg_current_xact_id();
  v_now timestamptz := mill.now();
  v_turn bigint := mill.clock_us();
  v_dead uuid[] := array(
    select j.id from mill.job_dead j where j.id = any (p_ids) order by j.id for update);
  v_revived uuid[];
  v_queues text[];
begin
  insert into mill.line (queue, priority)
  select distinct j.queue, j.priority from mill.job_dead j join mill.queue q using (queue)
  where j.id = any (v_dead) and not exists (select from mill.line l where l.queue = j.queue and l.priority = j.priority)
  order by 1, 2
  on conflict do nothing;

  with inserted as (
    insert into mill.job_live (
      id, line, turn, queue, kind, name, category, payload, state, priority, run_at, max_attempts,
      dedupe_key, group_key, lane, owner, parent, progress, error, error_log, correlation_id, traceparent, created_at)
    select
      j.id, l.line, v_turn + row_number() over (order by j.id), j.queue, j.kind, j.name, j.category, j.payload, 'pending',
      j.priority, v_now, j.max_attempts, j.dedupe_key, j.group_key,
      mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key),
      j.owner, j.parent, 0, j.error, j.error_log, j.correlation_id, j.traceparent, j.created_at
    from mill.job_dead j join mill.queue q using (queue) join mill.line l using (queue, priority)
    where j.id = any (v_dead) and exists (select from mill.kind k where k.kind = j.kind)
    order by j.queue, j.dedupe_key
    on conflict (queue, dedupe_key) where dedupe_key is not null do nothing
    returning job_live.id, job_live.queue
  )
  select coalesce(array_agg(i.id), '{}'), array_agg(distinct i.queue) into v_revived, v_queues from inserted i;
  delete from mill.job_dead j where j.id = any (v_revived);
  perform mill.call_acted_hooks(v_revived, 'retry', null);
  perform mill.wake(q) from mill.queue q where q.queue = any (v_queues);

  return query
  select distinct a.id,
    case
      when a.id = any (v_revived) then 'retried'
      when exists (select from mill.job_dead j where j.id = a.id and not exists (select from mill.kind k where k.kind = j.kind)) then 'unknown_kind'
      when a.id = any (v_dead) then 'duplicate'
      else 'not_dead' end
  from unnest(p_ids) as a(id);
end
$$;

COMMENT ON FUNCTION mill.retry(p_ids uuid[]) IS 'Sends dead letters back to pending: retried, duplicate, unknown_kind or not_dead for each.';

CREATE FUNCTION mill.return_lost_jobs(p_rows tid[], p_error jsonb, p_first_jitter numeric, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_jitter numeric := mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric;
  v_cancelled uuid[];
  v_dead uuid[];
  v_count int;
begin
  with counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant)
    select p_now, count(*), mill.duration_bucket(d.ms), sum(d.ms), sum(d.bytes), d.queue, d.kind, 'lost',
      case when count(distinct coalesce(d.tenant, '')) = 1 then min(d.tenant) end
    from (
      select j.queue, j.kind, (extract(epoch from p_now - j.started_at) * 1000)::bigint as ms,
        pg_column_size(j.payload) as bytes, nullif(mill.tenant_of(j.owner, j.group_key), '') as tenant
      from mill.job_live j where j.ctid = any (p_rows)) d
    group by d.queue, d.kind, mill.duration_bucket(d.ms)
  ),
  returned as (
    update mill.job_live j set
      state = 'retrying',
      waits = true,
      run_at = p_now + make_interval(
        secs => (random() * case when j.lease_losses = 0 then p_first_jitter else v_jitter end)::double precision),
      lease_losses = j.lease_losses + 1,
      worker = null,
      lease_until = null,
      slot = null,
      -- The worker that was lost, not the one that noticed.
      error = mill.stamped_error(p_error, j.worker, j.attempt, p_now),
      error_log = mill.append_error(j.error_log, mill.stamped_error(p_error, j.worker, j.attempt, p_now))
    where j.ctid = any (p_rows)
    returning j.id, j.queue, j.lease_losses, j.attempt, j.max_attempts, j.cancel_requested
  )
  select count(*),
    coalesce(array_agg(r.id) filter (where r.cancel_requested), '{}'),
    coalesce(array_agg(r.id) filter (where not r.cancel_requested
      and (r.lease_losses >= q.max_lease_losses or r.attempt >= r.max_attempts)), '{}')
  into v_count, v_cancelled, v_dead
  from returned r join mill.queue q using (queue);

  perform mill.end_jobs(v_cancelled, 'cancelled', p_now);
  perform mill.end_jobs(v_dead, 'failed', p_now);
  perform mill.call_acted_hooks(v_dead, 'dead', 'its workers were lost');
  if v_count > 0 then
    insert into mill.event (at, code, detail)
    values (p_now, 'leases_lost', jsonb_build_object(
      'count', v_count, 'dead', cardinality(v_dead), 'reason', p_error ->> 'message'));
  end if;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.return_lost_jobs(p_rows tid[], p_error jsonb, p_first_jitter numeric, p_now timestamp with time zone) IS 'Returns running jobs of a lost worker to retrying, or buries them; says how many. p_first_jitter: seconds over which first losses return.';

CREATE FUNCTION mill.return_unique(p_jobs jsonb, p_answers jsonb, p_turn bigint, p_random text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
begin
  if exists (select from jsonb_each(p_answers) a where a.value ->> 'status' <> 'new') then
    delete from mill.unique_job j using mill.unique_keys(p_jobs) k
    where j.kind = k.kind and j.digest = k.digest and j.id = mill.uuid7_at(p_turn + k.at + 1, p_random) and p_answers -> k.at::text ->> 'status' <> 'new';
  end if;
  return (
    select coalesce(jsonb_object_agg(a.key, case
      when a.value ? 'first' and p_answers #> array[a.value ->> 'first', 'id'] is not null
        then jsonb_build_object('status', 'duplicate', 'id', p_answers #> array[a.value ->> 'first', 'id'])
      when a.value ? 'first' then p_answers -> (a.value ->> 'first')
      else a.value end), '{}')
    from jsonb_each(p_answers) a);
end
$$;

COMMENT ON FUNCTION mill.return_unique(p_jobs jsonb, p_answers jsonb, p_turn bigint, p_random text) IS 'Gives back the keys of jobs that were not made; answers the jobs that came twice in a batch. For mill.enqueue_keyed alone.';

CREATE FUNCTION mill.rule_values() RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_rule record;
  v_values jsonb;
  v_all jsonb := pg_catalog.jsonb_build_array();
begin
  for v_rule in select r.rule, r.measure from mill.alert_rule r where r.enabled order by r.rule loop
    begin
      execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''rule'', $1, ''subject'', m.subject, ''value'', m.value) order by m.subject), ''[]'')
         from %s() m where m.value is not null', v_rule.measure)
      into v_values using v_rule.rule;
      v_all := v_all || v_values;
    exception when others then
      null; -- mill.judge_alerts records it as an event, once a minute
    end;
  end loop;
  return v_all;
end
$_$;

COMMENT ON FUNCTION mill.rule_values() IS 'The value of each enabled rule for each of its subjects. A rule that cannot be measured is left out.';

CREATE FUNCTION mill.run_schedule(p_name text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_step text := (select s.step from mill.schedule s where s.name = p_name);
begin
  if v_step is null then
    raise exception 'there is no schedule "%"', left(p_name, 64) using errcode = 'GM030';
  end if;
  execute format('select %s()', v_step);
  perform mill.record_heartbeat(p_name);
  return true;
exception
  when query_canceled or sqlstate 'GM030' then
    raise;
  when others then
    insert into mill.event (at, code, detail) values (mill.now(), 'schedule_failed',
      jsonb_build_object('schedule', p_name, 'sqlstate', sqlstate, 'message', sqlerrm));
    return false;
end
$$;

COMMENT ON FUNCTION mill.run_schedule(p_name text) IS 'Runs a schedule''s step and records it; false when it failed.';

CREATE FUNCTION mill.run_step(p_step text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format('select %s()', p_step);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'tick_failed',
    jsonb_build_object('step', p_step, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;

COMMENT ON FUNCTION mill.run_step(p_step text) IS 'Runs one step of the tick; a failure becomes an event tick_failed.';

CREATE FUNCTION mill.running_transactions() RETURNS xid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return array(select x::xid from pg_snapshot_xip(pg_current_snapshot()) x);
end
$$;

COMMENT ON FUNCTION mill.running_transactions() IS 'The transactions that write now, but for the caller''s own.';

CREATE FUNCTION mill.schema_of(p_part text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return coalesce((select p.schema from mill.part p where p.part = p_part), 'public');
end
$$;

COMMENT ON FUNCTION mill.schema_of(p_part text) IS 'The schema that holds the exposed objects of a part; public when the part is not installed.';

CREATE FUNCTION mill.schema_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text DEFAULT ''::text, p_depth integer DEFAULT 0) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_type text := jsonb_typeof(p_value);
  v_violation text[];
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return case when p_schema = 'false' then array[p_path, 'is not allowed'] end;
  elsif p_depth > 80 then
    return array[p_path, 'is nested too deeply'];
  elsif not (p_schema -> 'type') ? v_type
    and not (v_type = 'number' and p_schema -> 'type' ? 'integer' and p_value::numeric % 1 = 0)
  then
    return array[p_path, 'must be of the type ' || (select string_agg(t.name, ' or ') from jsonb_array_elements_text(p_schema -> 'type') as t(name))];
  elsif p_schema ? 'enum' and not exists (select from jsonb_array_elements(p_schema -> 'enum') e where e.value = p_value) then
    return array[p_path, 'must be one of ' || left(p_schema ->> 'enum', 200)];
  elsif p_value <> p_schema -> 'const' then
    return array[p_path, 'must be ' || left(p_schema ->> 'const', 200)];
  end if;
  v_violation := case v_type
    when 'string' then mill.text_violation(p_schema, p_value #>> '{}', p_path)
    when 'number' then mill.number_violation(p_schema, p_value::numeric, p_path)
    when 'array' then mill.array_violation(p_root, p_schema, p_value, p_path, p_depth + 1)
    when 'object' then mill.object_violation(p_root, p_schema, p_value, p_path, p_depth + 1) end;
  if v_violation is null and p_schema ?| array['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'] then
    return mill.combined_violation(p_root, p_schema, p_value, p_path, p_depth + 1);
  end if;
  return v_violation;
end
$_$;

COMMENT ON FUNCTION mill.schema_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) IS 'The first thing that is wrong with a value under a compiled schema, as {place, sentence}; null when it fits.';

CREATE FUNCTION mill.seconds_to_capacity() RETURNS double precision
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select extract(epoch from min(w.wait))::double precision
  from mill.queue q cross join lateral (select mill.limit_wait(q.provider, q.endpoint) as wait) w
  where q.served_by = 'function' and q.provider is not null and not q.paused and w.wait > interval '0' and mill.has_pending(q.queue)
$$;

COMMENT ON FUNCTION mill.seconds_to_capacity() IS 'Seconds until a provider that jobs wait for has room again; null when none is waited for.';

CREATE FUNCTION mill.seconds_to_next_round() RETURNS numeric
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_seconds numeric;
begin
  if mill.hook_of('rest') is not null then
    execute format('select %s()', mill.hook_of('rest')) into v_seconds;
  end if;
  return v_seconds;
end
$$;

COMMENT ON FUNCTION mill.seconds_to_next_round() IS 'In how many seconds a hook wants the next round of the pump; null when none does.';

CREATE FUNCTION mill.set_breaker(p_target text, p_state text, p_reason text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_cooldown numeric := mill.setting('breaker.cooldown_seconds', '30')::numeric;
begin
  insert into mill.breaker as b (target, state, reason, changed_at, retry_at, opened_in_a_row)
  values (p_target, p_state, p_reason, v_now,
    case when p_state = 'open' then v_now + make_interval(secs => v_cooldown::double precision) end, (p_state = 'open')::int)
  on conflict (target) do update set
    state = p_state,
    reason = p_reason,
    changed_at = v_now,
    probe = null,
    opened_in_a_row = case p_state when 'open' then b.opened_in_a_row + 1 when 'closed' then 0 else b.opened_in_a_row end,
    retry_at = case when p_state = 'open' then
      v_now + make_interval(secs => least(v_cooldown * 2 ^ least(b.opened_in_a_row, 10), greatest(v_cooldown, 600))::double precision) end;
  perform mill.call_hooks('operated', jsonb_build_object('table', 'breaker', 'record', p_target, 'action', p_state, 'reason', p_reason));
  insert into mill.breaker_change (target, at, state, reason) values (p_target, v_now, p_state, p_reason);
end
$$;

COMMENT ON FUNCTION mill.set_breaker(p_target text, p_state text, p_reason text) IS 'Changes a breaker and writes its history. An operator may call it too.';

CREATE FUNCTION mill.set_secret(p_name text, p_key bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_key bytea := case when length(p_key) > 64 then sha256(p_key) else p_key end;
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if length(p_key) < 24 then
    raise exception 'a signing key needs at least 24 bytes, this one has %', length(p_key) using errcode = 'GM010';
  end if;
  for v_at in 0 .. length(v_key) - 1 loop
    v_inner := set_byte(v_inner, v_at, get_byte(v_inner, v_at) # get_byte(v_key, v_at));
    v_outer := set_byte(v_outer, v_at, get_byte(v_outer, v_at) # get_byte(v_key, v_at));
  end loop;
  insert into mill.secret (name, inner_pad, outer_pad) values (p_name, v_inner, v_outer)
  on conflict (name) do update
    set inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad, updated_at = now();
end
$$;

COMMENT ON FUNCTION mill.set_secret(p_name text, p_key bytea) IS 'Stores the pads of a signing key. Call it with a bound parameter, so that the key is in no log.';

CREATE FUNCTION mill.setting(p_key text, p_default text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return coalesce((select s.value from mill.settings s where s.key = p_key), p_default);
end
$$;

COMMENT ON FUNCTION mill.setting(p_key text, p_default text) IS 'One value of mill.settings, or the default.';

CREATE FUNCTION mill.settle(p_worker text, p_outcomes jsonb) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_attempt int := (p_outcomes #>> '{0,attempt}')::int;
  v_ids uuid[];
  v_results jsonb; -- by id; null when there is none
  v_is_whole boolean;
  v_is_completed boolean;
  v_has_more boolean; -- usage or logs
  v_lost uuid[];
begin
  if jsonb_typeof(p_outcomes) = 'array' then
    select coalesce(array_agg(o.id), '{}'), jsonb_object_agg(o.id, o.result) filter (where o.id is not null and o.result is not null),
      bool_and(o.id is not null and o.attempt is not null
        and coalesce(o.outcome, '') in ('completed', 'failed', 'snoozed', 'released', 'dead')),
      bool_and(o.outcome = 'completed' and o.attempt = v_attempt),
      bool_or(o.has_more)
    into v_ids, v_results, v_is_whole, v_is_completed, v_has_more
    from (
      select (e ->> 'id')::uuid as id, (e ->> 'attempt')::int as attempt, e ->> 'outcome' as outcome, e -> 'result' as result,
        e ?| '{usage,logs}' as has_more
      from jsonb_array_elements(p_outcomes) e
      offset 0) o; -- taken apart once
  end if;
  if v_ids is null or not v_is_whole then
    raise exception 'every outcome needs id, attempt and one of completed, failed, snoozed, released, dead'
      using errcode = 'GM005';
  end if;
  -- The size of the whole batch is known at once, so only a large one is looked at closer.
  if pg_column_size(p_outcomes) > 1048576 and exists (
    select from jsonb_array_elements(p_outcomes) e where pg_column_size(e -> 'result') > 1048576)
  then
    raise exception 'the result of a job is larger than 1 MiB' using errcode = 'GM014',
      hint = 'Store the content elsewhere and settle with a reference to it.';
  end if;

  if v_has_more and p_outcomes @? '$[*].usage' and mill.hook_of('usage') is not null then
    execute format('select %s($1, $2)', mill.hook_of('usage')) using p_worker, p_outcomes;
  end if;
  if v_is_completed then
    v_lost := mill.settle_completed(p_worker, v_ids, v_results, v_attempt, v_now);
    if v_lost <> '{}' then
      perform mill.end_cancelled(p_worker, p_outcomes);
    end if;
  else
    v_lost := mill.settle_mixed(p_worker, p_outcomes, v_now);
  end if;
  if v_has_more then
    perform mill.keep_logs(p_outcomes, array(select unnest(v_ids) except select unnest(v_lost)), v_now);
  end if;

  return query
  select o.id, case when o.id = any (v_lost) then 'lost' else 'accepted' end from unnest(v_ids) as o(id);
end
$_$;

COMMENT ON FUNCTION mill.settle(p_worker text, p_outcomes jsonb) IS 'Settles a batch: accepted or lost for each outcome, and a lost one changes nothing.';

CREATE FUNCTION mill.settle_by_name(p_id uuid, p_worker text, p_outcome jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_lease mill.compat_lease := mill.lock_compat_lease(p_id);
begin
  if v_lease.id is null or v_lease.worker is distinct from p_worker or not mill.settle_held((p_id, p_worker, v_lease.attempt)::mill.holder, p_outcome) then
    return false;
  end if;
  delete from mill.compat_lease c where c.id = p_id;
  return true;
end
$$;

COMMENT ON FUNCTION mill.settle_by_name(p_id uuid, p_worker text, p_outcome jsonb) IS 'Settles the job that a compat claim gave to this worker; false when the worker holds it no more.';

CREATE FUNCTION mill.settle_calls(p_outcomes jsonb, p_pauses jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  v_limit record;
begin
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select s.at, 0, s.requests, q.provider, q.endpoint
  from (
    select j.queue, j.started_at, count(*) as held, count(*) filter (where o.called) as called
    from jsonb_to_recordset(p_outcomes) as o(id uuid, called boolean) join mill.job_live j on j.id = o.id
    group by j.queue, j.started_at) b
  join mill.queue q on q.queue = b.queue and q.provider is not null
  cross join lateral (values (b.started_at + interval '12 seconds', -b.held), (p_now, b.called)) s(at, requests)
  where s.requests <> 0;

  for v_limit in
    select distinct q.provider, q.endpoint, k.value::numeric as seconds
    from jsonb_each_text(p_pauses) k join mill.queue q on q.provider = k.key and q.queue ~ '^refresh(-|$)' order by 1, 2
  loop
    perform public.report_api_rate_limit(v_limit.provider, v_limit.endpoint, ceil(v_limit.seconds)::int);
  end loop;
end
$_$;

COMMENT ON FUNCTION mill.settle_calls(p_outcomes jsonb, p_pauses jsonb, p_now timestamp with time zone) IS 'Counts the calls of held jobs against their provider''s limit, and blocks a provider that asked for a pause.';

CREATE FUNCTION mill.settle_compat_lease(p_id uuid, p_outcome jsonb, p_queues text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return (p_queues is null or exists (select from mill.job_live j where j.id = p_id and j.queue ~ p_queues))
    and mill.settle_by_name(p_id, (mill.lock_compat_lease(p_id)).worker, p_outcome);
end
$$;

COMMENT ON FUNCTION mill.settle_compat_lease(p_id uuid, p_outcome jsonb, p_queues text) IS 'Settles a job that is processing under a lease that a compat claim gave out; false for any other. p_queues is a pattern for its queue.';

CREATE FUNCTION mill.settle_completed(p_worker text, p_ids uuid[], p_results jsonb, p_attempt integer, p_now timestamp with time zone) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  v_lost uuid[];
begin
  with ended as (
    delete from mill.job_live j
    where j.id = any (p_ids) and j.attempt = p_attempt and j.worker = p_worker and j.state = 'processing'
      and not j.cancel_requested
    returning j.id, j.queue, j.kind, j.name, j.category, j.payload, j.priority, j.run_at, j.max_attempts,
      j.lease_losses, j.dedupe_key, j.group_key, j.owner, j.parent, j.error, j.error_log, j.correlation_id,
      j.traceparent, j.created_at, j.started_at
  ),
  kept as (
    insert into mill.job_done (
      id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
      worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
      created_at, started_at, finished_at)
    select
      e.id, e.queue, e.kind, e.name, e.category, e.payload, 'completed', e.priority, e.run_at, p_attempt,
      e.max_attempts, e.lease_losses, p_worker, e.dedupe_key, e.group_key, e.owner, e.parent, 100,
      case when p_results is not null then p_results -> e.id::text end,
      e.error, e.error_log, e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
    from ended e
  ),
  -- Jobs of one claim began together: nearly always one group, or one per parent and name.
  grouped as materialized (
    select e.queue, e.kind, e.parent, case when e.parent is not null then e.name end as key,
      (extract(epoch from p_now - e.started_at) * 1000)::bigint as ms,
      count(*) as jobs, sum(pg_column_size(e.payload)) as bytes, array_agg(e.id) as ids
    from ended e
    group by e.started_at, e.queue, e.kind, e.parent, key
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
    select p_now, sum(g.jobs), mill.duration_bucket(g.ms), sum(g.jobs * g.ms), sum(g.bytes), g.queue, g.kind, 'completed'
    from grouped g
    group by g.queue, g.kind, mill.duration_bucket(g.ms)
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, results, at)
    select g.parent, g.key, 'completed', g.ids,
      case when p_results is not null then array(select p_results -> i.id::text from unnest(g.ids) as i(id)) end, p_now
    from grouped g
    where g.key is not null
  )
  select case
    when coalesce(sum(g.jobs), 0) < cardinality(p_ids) then
      array(select unnest(p_ids) except select unnest(g.ids) from grouped g)
    else '{}'
  end
  into v_lost
  from grouped g;
  return v_lost;
end
$$;

COMMENT ON FUNCTION mill.settle_completed(p_worker text, p_ids uuid[], p_results jsonb, p_attempt integer, p_now timestamp with time zone) IS 'Completes a batch; says which of it were lost. For mill.settle alone.';

CREATE FUNCTION mill.settle_ended(p_held jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_ids uuid[] := array(
    select h.key::uuid from jsonb_each(p_held) h where h.value ->> 'verdict' in ('completed', 'dead', 'cancelled'));
begin
  with ended as (
    delete from mill.job_live j where j.id = any (v_ids)
    returning j.*, p_held -> j.id::text ->> 'verdict' as verdict,
      nullif(p_held -> j.id::text -> 'result', 'null') as given_result,
      nullif(p_held -> j.id::text -> 'error', 'null') as given_error
  ),
  noted as (
    insert into mill.ended (parent, name, state, ids, results, errors, at)
    select e.parent, e.name, case e.verdict when 'dead' then 'failed' else e.verdict end, array_agg(e.id),
      case e.verdict when 'completed' then array_agg(e.given_result) end,
      case when e.verdict <> 'completed' then array_agg(coalesce(e.given_error, e.error)) end, p_now
    from ended e where e.parent is not null and e.name is not null
    group by e.parent, e.name, e.verdict
  )
  insert into mill.job (
    id, queue, kind, name, category, payload, state, priority, run_at, attempt, max_attempts, lease_losses,
    worker, dedupe_key, group_key, owner, parent, progress, result, error, error_log, correlation_id, traceparent,
    created_at, started_at, finished_at)
  select
    e.id, e.queue, e.kind, e.name, e.category, e.payload,
    case e.verdict when 'dead' then 'failed' else e.verdict end,
    e.priority, e.run_at, e.attempt, e.max_attempts, e.lease_losses, e.worker,
    e.dedupe_key, e.group_key, e.owner, e.parent, case e.verdict when 'completed' then 100 else e.progress end,
    case e.verdict when 'completed' then e.given_result end, coalesce(e.given_error, e.error),
    mill.append_error(e.error_log, e.given_error), e.correlation_id, e.traceparent, e.created_at, e.started_at, p_now
  from ended e;
end
$$;

COMMENT ON FUNCTION mill.settle_ended(p_held jsonb, p_now timestamp with time zone) IS 'Moves the completed, dead and cancelled jobs of a batch to where they lie. For mill.settle_mixed alone.';

CREATE FUNCTION mill.settle_fetched(p_outcomes jsonb, p_held jsonb, p_now timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_batch record;
  v_status jsonb := jsonb '{}';
begin
  for v_batch in
    select r as type, jsonb_agg(jsonb_build_object('id', o ->> 'id', 'symbol', p_held -> (o ->> 'id') ->> 'symbol', 'rows', o -> 'rows')
      order by p_held -> (o ->> 'id') ->> 'symbol') as fetched
    from jsonb_array_elements(p_outcomes) o
    join public.data_type_registry r on r.data_type = p_held -> (o ->> 'id') ->> 'data_type' and r.data_type = o ->> 'data_type'
    where o ->> 'outcome' = 'fetched'
    group by r.data_type order by r.data_type
  loop
    v_status := v_status || mill.write_fetched(v_batch.type, v_batch.fetched, p_now);
  end loop;

  return (
    select coalesce(jsonb_agg(case
      when o ->> 'outcome' <> 'fetched' then o
      -- The lease is lost, and settling says so.
      when not p_held ? (o ->> 'id') then s.head || '{"outcome": "released"}'
      when s.status in ('written', 'unchanged') then s.head || jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object(
        'status', s.status, 'rows', jsonb_array_length(o -> 'rows'), 'bytes', o -> 'bytes'))
      when s.status = 'released' then s.head || '{"outcome": "released"}'
      else s.head || jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object(
        'type', split_part(s.status, ':', 1), 'message', 'the fetched data was refused: ' || s.status, 'retryable', s.status <> 'wrong_data_type'))
      end), '[]')
    from jsonb_array_elements(p_outcomes) o
    cross join lateral (select jsonb_build_object('id', o -> 'id', 'attempt', o -> 'attempt') as head,
      coalesce(v_status ->> (o ->> 'id'), 'wrong_data_type') as status) s);
end
$$;

COMMENT ON FUNCTION mill.settle_fetched(p_outcomes jsonb, p_held jsonb, p_now timestamp with time zone) IS 'Writes what the held jobs of a batch fetched and says how each ends.';

CREATE FUNCTION mill.settle_held(p_holder mill.holder, p_outcome jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return exists (
    select from mill.settle(p_holder.worker, jsonb_build_array(
      p_outcome || jsonb_build_object('id', p_holder.job, 'attempt', p_holder.attempt))) s
    where s.status = 'accepted');
end
$$;

COMMENT ON FUNCTION mill.settle_held(p_holder mill.holder, p_outcome jsonb) IS 'Settles the job of a holder in the caller''s transaction; false when the job is lost.';

CREATE FUNCTION mill.settle_mixed(p_worker text, p_outcomes jsonb, p_now timestamp with time zone) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
declare
  v_held jsonb;
begin
  perform pg_current_xact_id(); -- before floors are read: see mill.raise_floors
  perform from mill.job_live j
  where j.id = (select (o ->> 'id')::uuid from jsonb_array_elements(p_outcomes) o order by 1 limit 1)
    and j.worker = p_worker and j.state = 'processing'
  for update;
  with asked as materialized (
    select distinct on (o.id) o.*
    from jsonb_to_recordset(p_outcomes)
      as o(id uuid, attempt int, outcome text, result jsonb, error jsonb, delay_seconds numeric)
    order by o.id
  ),
  held as materialized (
    select a.*, j.queue, j.kind, j.bytes, nullif(mill.tenant_of(j.owner, j.group_key), '') as tenant, (extract(epoch from p_now - j.started_at) * 1000)::bigint as ms,
      case
        when j.cancel_requested then 'cancelled'
        when a.outcome = 'failed' and (j.attempt >= j.max_attempts or a.error -> 'retryable' = 'false') then 'dead'
        else a.outcome
      end as verdict,
      a.outcome = 'dead' or a.outcome = 'failed' and a.error -> 'retryable' = 'false' as permanent
    from asked a
    cross join lateral (
      select j.queue, j.kind, j.started_at, j.attempt, j.max_attempts, j.cancel_requested, j.owner, j.group_key,
        pg_column_size(j.payload) as bytes
      from mill.job_live j
      where j.id = a.id and j.attempt = a.attempt and j.worker = p_worker and j.state = 'processing'
      for update) j
  ),
  counted as (
    insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant, permanent)
    select p_now, count(*), c.bucket, sum(h.ms), sum(h.bytes), h.queue, h.kind, h.verdict, c.tenant, c.permanent
    from held h
    cross join lateral (
      select mill.duration_bucket(h.ms) as bucket, case when h.verdict in ('failed', 'dead') then h.tenant end as tenant,
        h.verdict = 'dead' and coalesce(h.permanent, false) as permanent) c
    group by h.queue, h.kind, h.verdict, c.bucket, c.tenant, c.permanent
  )
  select coalesce(jsonb_object_agg(h.id, jsonb_build_object(
    'verdict', h.verdict, 'result', h.result, 'delay', h.delay_seconds,
    'error', case when h.error is not null then mill.stamped_error(h.error, p_worker, h.attempt, p_now) end)), '{}')
  into v_held
  from held h;

  perform mill.settle_ended(v_held, p_now);
  if v_held @? '$.*.verdict ? (@ == "dead")' then
    perform mill.call_acted_hooks(array(select h.key::uuid from jsonb_each(v_held) h where h.value ->> 'verdict' = 'dead'), 'dead', null);
  end if;
  perform mill.settle_returned(v_held, p_now);
  return array(
    select distinct o.id from jsonb_to_recordset(p_outcomes) as o(id uuid)
    where coalesce(v_held -> o.id::text ->> 'verdict', 'cancelled') = 'cancelled');
end
$_$;

COMMENT ON FUNCTION mill.settle_mixed(p_worker text, p_outcomes jsonb, p_now timestamp with time zone) IS 'Settles a batch of any outcomes; says which of it were lost. For mill.settle alone.';

CREATE FUNCTION mill.settle_returned(p_held jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_ids uuid[] := array(
    select h.key::uuid from jsonb_each(p_held) h where h.value ->> 'verdict' in ('failed', 'snoozed', 'released'));
begin
  update mill.job_live j set
    state = case
      when p_held -> j.id::text ->> 'verdict' = 'failed' then 'retrying'
      when p_held -> j.id::text ->> 'verdict' = 'snoozed' or (p_held -> j.id::text ->> 'delay')::double precision > 0 then 'deferred'
      else 'pending' end,
    waits = p_held -> j.id::text ->> 'verdict' <> 'released' or coalesce((p_held -> j.id::text ->> 'delay')::double precision > 0, false),
    attempt = j.attempt - (p_held -> j.id::text ->> 'verdict' <> 'failed')::int,
    run_at = p_now + case p_held -> j.id::text ->> 'verdict'
      when 'failed' then coalesce(
        make_interval(secs => (p_held -> j.id::text ->> 'delay')::double precision),
        (select mill.backoff(j.attempt, q.backoff_base_seconds, q.backoff_cap_seconds, q.backoff_jitter) from mill.queue q where q.queue = j.queue))
      when 'snoozed' then make_interval(secs => coalesce((p_held -> j.id::text ->> 'delay')::double precision, 30))
      else make_interval(secs => coalesce(greatest((p_held -> j.id::text ->> 'delay')::double precision, 0), 0)) end,
    -- A job that was released without a delay goes back to the head of its line, but not below the floor.
    turn = greatest(j.turn, (select f.turn from mill.floor f where f.line = j.line)),
    worker = null,
    lease_until = null,
    slot = null,
    error = coalesce(nullif(p_held -> j.id::text -> 'error', 'null'), j.error),
    error_log = mill.append_error(j.error_log, nullif(p_held -> j.id::text -> 'error', 'null'))
  where j.id = any (v_ids);
end
$$;

COMMENT ON FUNCTION mill.settle_returned(p_held jsonb, p_now timestamp with time zone) IS 'Returns the failed, snoozed and released jobs of a batch to their line. For mill.settle_mixed alone.';

CREATE FUNCTION mill.settle_usage(p_worker text, p_outcomes jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  with said as materialized (
    select distinct on (o.id) o.id, o.attempt,
      least(greatest((o.usage ->> 'requests')::numeric, 0), 1000000)::int as requests,
      least(greatest((o.usage ->> 'tokens')::numeric, 0), 1000000000)::bigint as tokens
    from jsonb_to_recordset(p_outcomes) as o(id uuid, attempt int, usage jsonb)
    where jsonb_typeof(o.usage) = 'object'
    order by o.id
  ),
  used as (
    select j.queue, j.started_at, s.requests, s.tokens, mill.estimated_tokens(j.payload) as estimated
    from said s
    cross join lateral (
      select j.queue, j.started_at, j.payload from mill.job_live j
      where j.id = s.id and j.attempt = s.attempt and j.worker = p_worker and j.state = 'processing'
      for update) j
  )
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select u.started_at,
    sum(coalesce(u.tokens - case when l.tokens_per_minute is null and l.tokens_per_hour is null then 0 else u.estimated end, 0)),
    sum(coalesce(u.requests - 1, 0)), l.provider_name, l.api_endpoint
  from used u
  join mill.queue q on q.queue = u.queue
  join mill.api_rate_limits l on l.provider_name = q.provider and l.api_endpoint = q.endpoint
  group by u.started_at, l.provider_name, l.api_endpoint
$$;

COMMENT ON FUNCTION mill.settle_usage(p_worker text, p_outcomes jsonb) IS 'Settles what jobs of limited queues really used. For mill.settle alone.';

CREATE FUNCTION mill.share_batch(p_max integer) RETURNS TABLE(queue text, jobs integer)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
  select n.queue, count(*)::int
  from (
    select q.queue
    from mill.queue q
    cross join lateral (
      select j.priority, j.turn
      from (select f.line, f.turn from mill.floor f where f.queue = q.queue order by f.priority desc) f
      cross join lateral (
        select j.priority, j.turn from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
        order by j.turn limit p_max) j
      limit p_max) j
    where q.queue ~ '^refresh(-|$)' and not q.paused
    order by j.priority desc, j.turn limit p_max) n
  group by n.queue
$_$;

COMMENT ON FUNCTION mill.share_batch(p_max integer) IS 'How many of the refreshes that come first each refresh queue has.';

CREATE FUNCTION mill.shown_error(p_error jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (p_error || jsonb_build_object('type', COALESCE((p_error -> 'error_type'::text), (p_error -> 'type'::text)), 'message', COALESCE((p_error -> 'error_message'::text), (p_error -> 'message'::text))));

COMMENT ON FUNCTION mill.shown_error(p_error jsonb) IS 'An entry of processing_error as the functions show it.';

CREATE FUNCTION mill.shown_progress(p_job mill.workflow) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'id', p_job.id, 'type', p_job.type, 'revision', p_job.revision * 2 + 1 + s.begun::int,
    'status', s.status,
    'progress', jsonb_build_object(
      'percent', s.percent, 'phase', s.phase, 'docs_complete', p_job.docs_complete, 'docs_total', p_job.docs_total, 'message', s.message),
    'error', p_job.error, 'created_at', p_job.created_at, 'updated_at', p_job.updated_at, 'finished_at', p_job.finished_at)
  from mill.workflow_state s where s.id = p_job.id
$$;

COMMENT ON FUNCTION mill.shown_progress(p_job mill.workflow) IS 'What is shown of a job.';

CREATE FUNCTION mill.sign(p_name text, p_message bytea) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select 'v1,' || encode(sha256(s.outer_pad || sha256(s.inner_pad || p_message)), 'base64')
  from mill.secret s where s.name = p_name
$$;

COMMENT ON FUNCTION mill.sign(p_name text, p_message bytea) IS 'The Standard Webhooks signature of a message, or null without such a key.';

CREATE FUNCTION mill.signed_request(p_function text, p_id uuid, p_body text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_seconds text := floor(extract(epoch from mill.now()))::bigint::text;
begin
  return jsonb_build_object(
    'url', mill.function_url(p_function),
    'headers', jsonb_build_object(
      'Content-Type', 'application/json', 'webhook-id', p_id, 'webhook-timestamp', v_seconds,
      'webhook-signature', mill.sign('invoke', convert_to(p_id || '.' || v_seconds || '.' || p_body, 'UTF8'))),
    'body', p_body);
end
$$;

COMMENT ON FUNCTION mill.signed_request(p_function text, p_id uuid, p_body text) IS 'A request to a function with a Standard Webhooks signature of now, as {url, headers, body}. The body is a text.';

CREATE FUNCTION mill.size_of_object(p_object text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_size bigint;
begin
  if v_objects is null then
    return (select o.size from mill.stored_object o where o.object = p_object);
  end if;
  execute format($q$ select (o.metadata ->> 'size')::bigint from %s o where o.bucket_id = $1 and o.name = $2 $q$, v_objects)
    into v_size using split_part(p_object, ':', 1), substr(p_object, strpos(p_object, ':') + 1);
  return v_size;
end
$_$;

COMMENT ON FUNCTION mill.size_of_object(p_object text) IS 'Bytes of an object BUCKET:KEY, by the store''s own word; null when there is none.';

CREATE FUNCTION mill.stage_after(p_stage text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE p_stage WHEN 'security'::text THEN 'ocr'::text WHEN 'ocr'::text THEN 'spatial'::text WHEN 'spatial'::text THEN 'pass1'::text WHEN 'pass1'::text THEN 'pass2'::text WHEN 'pass2'::text THEN 'pass3'::text ELSE NULL::text END;

COMMENT ON FUNCTION mill.stage_after(p_stage text) IS 'The stage that follows, or null after the last.';

CREATE FUNCTION mill.stage_key(p_id uuid, p_run integer, p_stage text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN format('document:%s:%s:%s'::text, p_id, p_run, p_stage);

COMMENT ON FUNCTION mill.stage_key(p_id uuid, p_run integer, p_stage text) IS 'The dedupe key of a stage.';

CREATE FUNCTION mill.stage_number(p_stage text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    RETURN array_position(ARRAY['security'::text, 'ocr'::text, 'spatial'::text, 'pass1'::text, 'pass2'::text, 'pass3'::text], p_stage);

COMMENT ON FUNCTION mill.stage_number(p_stage text) IS 'Where a stage stands in the order of stages.';

CREATE FUNCTION mill.stage_of_kind(p_kind text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN "substring"(p_kind, '^(?:fast|ai)_queue_(.+)$'::text);

COMMENT ON FUNCTION mill.stage_of_kind(p_kind text) IS 'The stage that a kind of job is, or null.';

CREATE FUNCTION mill.stale_or_broken(p_type public.data_type_registry, p_symbols text[]) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return mill.stale_symbols(p_type, p_symbols);
exception
  when query_canceled then raise;
  when others then
    -- Once a minute and type: a pass comes by here for every few hundred symbols.
    if mill.every_minute('staleness_failed.' || p_type.data_type) then
      insert into mill.event (at, code, detail) values (mill.now(), 'staleness_failed',
        jsonb_build_object('data_type', p_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    end if;
    return p_symbols;
end
$$;

COMMENT ON FUNCTION mill.stale_or_broken(p_type public.data_type_registry, p_symbols text[]) IS 'mill.stale_symbols, or all of the symbols where the check itself fails.';

CREATE FUNCTION mill.stale_symbols(p_type public.data_type_registry, p_symbols text[]) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
declare
  v_stale text[];
  -- A row's own time to live is optional, and so is the column.
  v_ttl text := case when exists (
      select from pg_attribute a
      where a.attrelid = mill.data_table(p_type.table_name) and a.attname = 'cache_ttl_minutes' and not a.attisdropped)
    then 't.cache_ttl_minutes' else 'null::int' end;
begin
  execute format($query$
    select array(
      select s.symbol from unnest($1) s(symbol)
      left join lateral (
        select t.%1$I as fetched_at, %2$s as ttl from %3$s t
        where t.%4$I = s.symbol order by t.%1$I desc limit 1) d on true
      where %5$s(d.fetched_at - $5, case when d.ttl > 0 then d.ttl else $2 end)
        and not exists (
          select from mill.data_check c where c.data_type = $3 and c.symbol = s.symbol
            and c.next_check_at > case c.reason when 'unchanged' then $4 + $5 else $4 end))
    $query$, p_type.timestamp_column, v_ttl, mill.data_table(p_type.table_name), p_type.symbol_column, mill.staleness_function(p_type.staleness_function))
  into v_stale
  using p_symbols, p_type.default_ttl_minutes, p_type.data_type, mill.now(), make_interval(secs => mill.setting('refresh.pass_seconds', '30')::int);
  return v_stale;
end
$_$;

COMMENT ON FUNCTION mill.stale_symbols(p_type public.data_type_registry, p_symbols text[]) IS 'Which of the symbols need a refresh of one data type.';

CREATE FUNCTION mill.staleness_function(p_name text) RETURNS regproc
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(
    to_regprocedure(format('%I.%I(timestamptz, integer)', mill.schema_of('refresh'), p_name)),
    to_regprocedure(format('public.%I(timestamptz, integer)', p_name)))::oid::regproc
$$;

COMMENT ON FUNCTION mill.staleness_function(p_name text) IS 'The function that tells whether data of a type is stale, or null when there is none.';

CREATE FUNCTION mill.stamped_error(p_error jsonb, p_worker text, p_attempt integer, p_at timestamp with time zone) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (CASE WHEN (pg_column_size(p_error) > 16384) THEN mill.cut_error(p_error) WHEN (jsonb_typeof(p_error) = 'object'::text) THEN p_error ELSE jsonb_build_object('message', (p_error #>> '{}'::text[])) END || jsonb_build_object('worker', p_worker, 'attempt', p_attempt, 'at', p_at));

COMMENT ON FUNCTION mill.stamped_error(p_error jsonb, p_worker text, p_attempt integer, p_at timestamp with time zone) IS 'An error with who met it, in which attempt and when.';

CREATE FUNCTION mill.start_stage(p_id uuid, p_stage text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files;
begin
  update public.shell_files f set stage = p_stage, updated_at = mill.now(), version = f.version + 1
  where f.id = p_id returning f.* into v_file;
  perform mill.enqueue(jsonb_build_array(jsonb_build_object(
    'kind', mill.kind_of_stage(p_stage),
    'payload', jsonb_build_object('document_id', p_id, 'run', v_file.run, 'stage', p_stage),
    'dedupe_key', mill.stage_key(p_id, v_file.run, p_stage),
    'owner', v_file.uploaded_by, 'correlation_id', mill.correlation_id())));
end
$$;

COMMENT ON FUNCTION mill.start_stage(p_id uuid, p_stage text) IS 'Moves a document to a stage and enqueues it.';

CREATE FUNCTION mill.start_tasks(p_job mill.workflow, p_ids uuid[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_xid xid8 := pg_current_xact_id();
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_group record;
  v_waits boolean := false;
  v_step mill.workflow_step;
  v_ids uuid[];
  v_started uuid[];
  v_failed uuid[] := array[]::uuid[];
begin
  if p_ids = '{}' then
    return v_failed;
  end if;
  for v_group in
    select s.key, g.ids, g.waits
    from (select t.key, array_agg(t.id) as ids, bool_or(t.state = 'waiting') as waits from mill.task t where t.id = any (p_ids) group by t.key) g
    join mill.workflow_step s on s.type = p_job.type and s.version = p_job.version and s.key = g.key
    order by s.position
  loop
    select * into v_step from mill.workflow_step s where s.type = p_job.type and s.version = p_job.version and s.key = v_group.key;
    v_ids := v_group.ids;
    v_waits := v_waits or v_group.waits;
    insert into mill.line (queue, priority)
    select k.queue, p_job.priority from mill.kind k where k.kind = v_step.kind
      and not exists (select from mill.line l where l.queue = k.queue and l.priority = p_job.priority)
    on conflict do nothing;

    with ready as (
      select i.id, i.input, row_number() over () as n from mill.task_inputs(p_job, v_step, v_ids) i
      where pg_column_size(i.input) <= v_max_bytes
    ),
    written as (
      insert into mill.job_live (
        id, line, turn, queue, kind, name, category, payload, state, priority, run_at, max_attempts, group_key, lane, owner, parent, correlation_id, created_at)
      select r.id, l.line, v_turn + r.n, q.queue, k.kind, v_step.key, 'workflow', r.input, 'pending', p_job.priority, v_now,
        coalesce(v_step.max_attempts, q.max_attempts), g.group_key, mill.lane_of(q.dequeue, q.max_running_per_group, p_job.user_id, g.group_key),
        p_job.user_id, p_job.id, p_job.correlation_id, v_now
      from ready r join mill.kind k on k.kind = v_step.kind join mill.queue q on q.queue = k.queue
        join mill.line l on l.queue = q.queue and l.priority = p_job.priority
        -- A queue's cap counts the running tasks of one user, over all of that user's workflows.
        cross join lateral (select case when q.max_running_per_group is not null then p_job.user_id::text end as group_key) g
      returning job_live.id
    )
    select coalesce(array_agg(w.id), '{}') into v_started from written w;
    v_turn := v_turn + cardinality(v_started);
    perform mill.wake(q) from mill.kind k join mill.queue q on q.queue = k.queue where k.kind = v_step.kind;
    perform mill.open_lanes(jsonb_build_array(jsonb_build_object('kind', v_step.kind, 'owner', p_job.user_id, 'group_key', p_job.user_id)));

    if cardinality(v_started) < cardinality(v_ids) then
      v_ids := array(select unnest(v_ids) except select unnest(v_started));
      perform mill.end_waiting_tasks(p_job.id, v_ids, 'failed', jsonb_build_object('type', 'input_too_large', 'retryable', false,
        'message', format('the input of "%s" is larger than %s bytes: pass references, not content', v_step.key, v_max_bytes)));
      v_failed := v_failed || v_ids;
    end if;
  end loop;
  if v_waits then
    update mill.task t set state = 'queued' where t.id = any (p_ids) and t.state = 'waiting';
  end if;
  return v_failed;
end
$$;

COMMENT ON FUNCTION mill.start_tasks(p_job mill.workflow, p_ids uuid[]) IS 'Hands ready tasks to the engine; says which could not be.';

CREATE FUNCTION mill.start_upserted_file() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_over text[] := mill.count_upload(new.patient_id, new.id, new.file_size_bytes, true);
begin
  if v_over <> '{}' then
    raise exception 'the plan does not cover it: %', array_to_string(v_over, ', ') using errcode = 'GM023';
  end if;
  perform mill.register_upload(new, new.storage_path, new.file_size_bytes, null);
  return null;
end
$$;

COMMENT ON FUNCTION mill.start_upserted_file() IS 'Starts a document that a client has inserted into shell_files.';

CREATE FUNCTION mill.step_output(p_job mill.workflow, p_key text) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when s.family is null
    then (select t.output from mill.task t where t.job_id = p_job.id and t.key = p_key and t.item = 0)
    else coalesce((
      select jsonb_agg(coalesce(t.output, k.output) order by t.item)
      from mill.task t
      left join (
        select u.id, u.output from mill.ended e cross join lateral unnest(e.ids, e.results) as u(id, output)
        where e.parent = p_job.id and e.name = p_key and e.counted) k on k.id = t.id
      where t.job_id = p_job.id and t.key = p_key and t.item >= 0), '[]')
  end
  from mill.workflow_step s
  where s.type = p_job.type and s.version = p_job.version and s.key = p_key
$$;

COMMENT ON FUNCTION mill.step_output(p_job mill.workflow, p_key text) IS 'What a step gave: one value, or those of its items in their order.';

CREATE FUNCTION mill.stop_tasks(p_job_id uuid, p_is_cancelled boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_ids uuid[];
  v_running uuid[];
begin
  select coalesce(array_agg(l.id) filter (where l.state <> 'processing'), '{}'),
    coalesce(array_agg(l.id) filter (where l.state = 'processing'), '{}')
  into v_ids, v_running
  from mill.task t
  cross join lateral (
    select j.id, j.state from mill.job_live j where j.id = t.id for update skip locked) l
  where t.job_id = p_job_id and t.state = 'queued';

  if p_is_cancelled then
    perform mill.end_jobs(v_ids, 'cancelled', mill.now());
    update mill.job_live j set cancel_requested = true where j.id = any (v_running) and not j.cancel_requested;
    update mill.task t set state = 'cancelled', finished_at = mill.now()
    where t.job_id = p_job_id and (t.state = 'waiting' or t.id = any (v_ids));
    return exists (
      select from mill.task t join mill.job_live j on j.id = t.id
      where t.job_id = p_job_id and t.state = 'queued' and not j.cancel_requested);
  end if;
  delete from mill.job_live j where j.id = any (v_ids);
  update mill.task t set state = 'waiting' where t.id = any (v_ids);
  return exists (
    select from mill.task t join mill.job_live j on j.id = t.id
    where t.job_id = p_job_id and t.state = 'queued' and j.state <> 'processing');
end
$$;

COMMENT ON FUNCTION mill.stop_tasks(p_job_id uuid, p_is_cancelled boolean) IS 'Takes back what has not begun; true when something could not be reached.';

CREATE FUNCTION mill.stop_workflow(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  v_job mill.workflow;
  v_waiting int;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.status not in ('queued', 'processing') then
    raise exception 'the job is % already', v_job.status using errcode = 'GM067';
  end if;
  perform mill.record_ended(p_id);
  select count(*) into v_waiting from mill.task t
  where t.job_id = p_id and (t.state = 'waiting' or t.state = 'queued' and exists (select from mill.job_live l where l.id = t.id));
  v_job.stragglers := mill.stop_tasks(p_id, true);
  v_job.status := 'cancelled';
  v_job.compensating := false;
  perform mill.keep_progress(v_job);
  return (
    select jsonb_build_object('id', p_id, 'status', 'cancelled', 'cancelled', v_waiting - count(*),
      'running', coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'key', t.key, 'item', t.item) order by t.id), '[]'))
    from mill.task t join mill.job_live l on l.id = t.id where t.job_id = p_id and t.state = 'queued');
end
$$;

COMMENT ON FUNCTION mill.stop_workflow(p_id uuid) IS 'Cancels what has not run of a job and asks what runs to stop: how many tasks were cancelled, and which still run.';

CREATE FUNCTION mill.stored_objects(p_bucket text) RETURNS TABLE(object text, size bigint, content_type text, stored_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_objects regclass := to_regclass('storage.objects');
begin
  if v_objects is null then
    return query select o.object, o.size, o.content_type, o.stored_at from mill.stored_object o where starts_with(o.object, p_bucket || ':');
  else
    return query execute format($q$
      select o.bucket_id || ':' || o.name, (o.metadata ->> 'size')::bigint, coalesce(o.metadata ->> 'mimetype', ''), o.created_at
      from %s o where o.bucket_id = $1 and o.metadata ? 'size' $q$, v_objects) using p_bucket;
  end if;
end
$_$;

COMMENT ON FUNCTION mill.stored_objects(p_bucket text) IS 'What lies in a bucket other than gristmill, by the store''s own word.';

CREATE FUNCTION mill.stored_size(p_place text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_size bigint;
begin
  if v_objects is not null then
    execute format($q$ select (o.metadata ->> 'size')::bigint from %s o where o.bucket_id = 'gristmill' and o.name = $1 $q$, v_objects)
    into v_size using p_place;
  end if;
  return v_size;
end
$_$;

COMMENT ON FUNCTION mill.stored_size(p_place text) IS 'The size of a stored object where Postgres knows it, otherwise null.';

CREATE FUNCTION mill.target_of(p_function text, p_provider text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_provider IS NULL) THEN p_function ELSE ((p_function || ':'::text) || p_provider) END;

COMMENT ON FUNCTION mill.target_of(p_function text, p_provider text) IS 'The breaker''s name for a function and the provider that it asks, if any.';

CREATE FUNCTION mill.task_inputs(p_job mill.workflow, p_step mill.workflow_step, p_ids uuid[]) RETURNS TABLE(id uuid, input jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  v_own text[] := array['item', 'index', 'task'] || array(
    select s.key from mill.workflow_step s
    where s.type = p_job.type and s.version = p_job.version and s.family = p_step.family);
  v_texts text[];
  v_roots text[];
  v_paths text[];
  v_wholes boolean[];
begin
  select array_agg(case when p.root = any (v_own) then null else coalesce(p.text, mill.piece_text((
      case p.root
        when 'params' then p_job.params
        when 'job' then jsonb_build_object('id', p_job.id, 'user', p_job.user_id, 'type', p_job.type)
        when 'failure' then p_job.error
        else mill.step_output(p_job, p.root)
      end) #> p.path, p.whole)) end order by p.n),
    array_agg(p.root order by p.n), array_agg(p.path::text order by p.n), array_agg(p.whole order by p.n)
  into v_texts, v_roots, v_paths, v_wholes
  from (
    select e.n, e.piece ->> 'text' as text, e.piece ->> 'root' as root, (e.piece ->> 'whole')::boolean as whole,
      array(select jsonb_array_elements_text(e.piece -> 'path')) as path
    from jsonb_array_elements(p_step.pieces) with ordinality as e(piece, n)) p;

  if array_position(v_texts, null) is null then
    return query select a.id, array_to_string(v_texts, '')::jsonb from unnest(p_ids) as a(id);
    return;
  end if;
  -- One expression for all of them, its pieces quoted: a subquery over the pieces for each task took five times as long.
  return query execute format('select t.id, (%s)::jsonb from mill.task t where t.id = any ($1)', (
    select string_agg(coalesce(quote_literal(p.text), format('mill.piece_text((%s) #> %L, %L)',
      case p.root
        when 'item' then 't.value'
        when 'index' then 'to_jsonb(t.item)'
        when 'task' then 'jsonb_build_object(''id'', t.id, ''key'', t.key, ''item'', t.item)'
        else format('select a.output from mill.task a where a.job_id = t.job_id and a.key = %L and a.item = t.item', p.root)
      end, p.path, p.whole)), ' || ' order by p.n)
    from unnest(v_texts, v_roots, v_paths, v_wholes) with ordinality as p(text, root, path, whole, n)))
  using p_ids;
end
$_$;

COMMENT ON FUNCTION mill.task_inputs(p_job mill.workflow, p_step mill.workflow_step, p_ids uuid[]) IS 'The inputs of tasks that are about to start.';

CREATE FUNCTION mill.task_states(p_job_id uuid, p_max integer) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(to_jsonb(s) order by s.id), '[]')
  from (
    select t.id, t.key, t.item, w.kind as task_type, w.phase,
      case when t.state = 'queued' then coalesce(l.state, e.state, 'pending') else t.state end as status,
      coalesce(l.attempt, 0) as attempt,
      case when t.state = 'completed' or e.state = 'completed' then 100 else coalesce(l.progress, 0) end as progress,
      coalesce(t.error, e.error, l.error) as error,
      l.started_at, coalesce(t.finished_at, e.at) as finished_at
    from mill.task t
    join mill.workflow j on j.id = t.job_id
    join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = t.key
    left join mill.job_live l on l.id = t.id
    -- It has ended in a batch that is its record.
    left join (
      select u.id, b.state, b.at, u.error
      from mill.ended b cross join lateral unnest(b.ids, b.errors) as u(id, error)
      where b.parent = p_job_id) e on e.id = t.id
    where t.job_id = p_job_id and t.item >= 0
    order by t.id limit p_max) s
$$;

COMMENT ON FUNCTION mill.task_states(p_job_id uuid, p_max integer) IS 'The first tasks of a job. Statuses: waiting, pending, deferred, retrying, processing, completed, failed, cancelled, skipped.';

CREATE FUNCTION mill.template_pieces(p_template jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with pattern as (
    select '(?<!\\)"\{\{ *([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*) *\}\}"|\{\{ *([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*) *\}\}' as p
  ),
  texts as (
    select t.text, t.n from pattern, regexp_split_to_table(p_template::text, p) with ordinality as t(text, n)
  ),
  refs as (
    select string_to_array(coalesce(r.m[1], r.m[2]), '.') as path, r.m[1] is not null as whole, r.n
    from pattern, regexp_matches(p_template::text, p, 'g') with ordinality as r(m, n)
  )
  select jsonb_agg(piece order by n, is_ref)
  from (
    select jsonb_build_object('text', t.text) as piece, t.n, false as is_ref from texts t
    union all
    select jsonb_build_object('root', r.path[1], 'path', to_jsonb(r.path[2:]), 'whole', r.whole), r.n, true from refs r
  ) pieces
$$;

COMMENT ON FUNCTION mill.template_pieces(p_template jsonb) IS 'A template as an array of {text} and {root, path, whole}.';

CREATE FUNCTION mill.text_violation(p_schema jsonb, p_text text, p_path text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return case
    when length(p_text) < (p_schema -> 'minLength')::numeric then array[p_path, format('must have at least %s characters', p_schema -> 'minLength')]
    when length(p_text) > (p_schema -> 'maxLength')::numeric then array[p_path, format('must have at most %s characters', p_schema -> 'maxLength')]
    when p_text collate "C" !~ (p_schema ->> 'pattern') then array[p_path, 'does not match the pattern']
    when not mill.has_format(p_text, p_schema ->> 'format') then array[p_path, format('must be of the format %s', p_schema ->> 'format')]
  end;
end
$$;

COMMENT ON FUNCTION mill.text_violation(p_schema jsonb, p_text text, p_path text) IS 'What a schema has against a text. For mill.schema_violation alone.';

CREATE FUNCTION mill.tick() RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_reclaimed int;
  v_promoted int;
  v_step text;
begin
  perform mill.run_step('mill.end_lost_invocations');
  v_reclaimed := mill.reclaim();
  v_promoted := mill.promote();
  foreach v_step in array array['mill.judge_breakers', 'mill.fold_statistics', 'mill.repair_hints'] || array(
    select h.routine from mill.hook h where h.event = 'tick' order by h.place, h.routine)
  loop
    perform mill.run_step(v_step);
  end loop;

  insert into mill.heartbeat (part, at) values ('tick', mill.now())
  on conflict (part) do update set at = excluded.at;
  return jsonb_build_object('reclaimed', v_reclaimed, 'promoted', v_promoted);
end
$$;

COMMENT ON FUNCTION mill.tick() IS 'One round of housekeeping: lost invocations, reclaim and promote, then breakers, statistics, hints, and the hooks of tick.';

CREATE FUNCTION mill.ticket_claims(p_ticket text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_payload text := split_part(p_ticket, '.', 1);
  v_claims jsonb;
begin
  if length(p_ticket) <= 2048 and sha256(convert_to(split_part(p_ticket, '.', 2), 'UTF8')) = sha256(convert_to(mill.ticket_signature(v_payload), 'UTF8')) then
    v_claims := convert_from(decode(rpad(translate(v_payload, '-_', '+/'), (length(v_payload) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
  end if;
  if to_timestamp((v_claims ->> 'expires')::bigint) > mill.now() then
    return v_claims;
  end if;
  raise exception 'the ticket is not valid, or no longer' using errcode = 'GM090', hint = 'Ask for a new one.';
end
$$;

COMMENT ON FUNCTION mill.ticket_claims(p_ticket text) IS 'What a ticket says: {kind, arguments, user, expires}. Raises GM090 for one that is forged or expired.';

CREATE FUNCTION mill.ticket_signature(p_payload text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select translate(split_part(mill.sign('tickets', convert_to(p_payload, 'UTF8')), ',', 2), '+/=', '-_') $$;

COMMENT ON FUNCTION mill.ticket_signature(p_payload text) IS 'The signature of a ticket''s payload.';

CREATE FUNCTION mill.time_or_null(p_text text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return case when p_text ~ '^[0-9]{4}-' then p_text::timestamptz end;
exception when others then
  return null;
end
$$;

COMMENT ON FUNCTION mill.time_or_null(p_text text) IS 'A text as a time, or null.';

CREATE FUNCTION mill.time_text(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' $$;

COMMENT ON FUNCTION mill.time_text(p_at timestamp with time zone) IS 'A time to the second, in UTC.';

CREATE FUNCTION mill.touch_plan() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  new.updated_at := mill.now();
  return new;
end
$$;

COMMENT ON FUNCTION mill.touch_plan() IS 'Notes when a plan was changed.';

CREATE FUNCTION mill.touch_updated_at() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  new.updated_at := mill.now();
  return new;
end
$$;

COMMENT ON FUNCTION mill.touch_updated_at() IS 'A row trigger: updated_at is the time of the last change.';

CREATE FUNCTION mill.translate_pattern(p_pattern text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_rest text := p_pattern;
  v_result text := '';
  v_is_atom boolean := false; -- whether a quantifier may follow
  v_groups boolean[] := array[]::boolean[]; -- the open ones; true for a lookahead
  v_token text;
  v_escape record;
  v_bracket record;
begin
  while v_rest <> '' loop
    v_token := left(v_rest, 1);
    case
      when v_token = '\' then
        if v_rest ~ '^\\[DWS]' then
          v_escape := mill.pattern_escape('\' || lower(substr(v_rest, 2, 1)));
          v_result := v_result || '[^' || v_escape.class || ']';
        else
          v_escape := mill.pattern_escape(v_rest);
          if v_escape.size is null then
            return null;
          end if;
          v_result := v_result || coalesce('[' || v_escape.class || ']', mill.pattern_character(v_escape.code));
        end if;
        v_token := left(v_rest, v_escape.size);
        v_is_atom := true;
      when v_token = '[' then
        v_bracket := mill.pattern_bracket(v_rest);
        if v_bracket.size is null then
          return null;
        end if;
        v_result := v_result || v_bracket.bracket;
        v_token := left(v_rest, v_bracket.size);
        v_is_atom := true;
      when v_token = '(' then
        v_token := coalesce(substring(v_rest from '^\(\?[:=!]'), '(');
        if v_token = '(' and substr(v_rest, 2, 1) = '?' then
          return null;
        end if;
        v_groups := v_groups || (v_token in ('(?=', '(?!'));
        v_result := v_result || case v_token when '(' then '(?:' else v_token end;
        v_is_atom := false;
      when v_token = ')' then
        if v_groups = '{}' then
          return null;
        end if;
        v_is_atom := not v_groups[cardinality(v_groups)];
        v_groups := trim_array(v_groups, 1);
        v_result := v_result || ')';
      when v_token in ('*', '+', '?', '{') then
        v_token := substring(v_rest from '^(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})');
        if v_token is null or not v_is_atom or exists (select from regexp_matches(v_token, '\d+', 'g') as n(bound) where n.bound[1]::int > 255) then
          return null;
        end if;
        v_result := v_result || v_token;
        v_token := v_token || coalesce(substring(substr(v_rest, length(v_token) + 1) from '^\?'), '');
        v_is_atom := false;
      when v_token in ('^', '$', '|') then
        v_result := v_result || v_token;
        v_is_atom := false;
      when v_token = '.' then
        v_result := v_result || '[^\u000a\u000d\u2028\u2029]';
        v_is_atom := true;
      when v_token in (']', '}') then
        return null;
      else
        v_result := v_result || mill.pattern_character(ascii(v_token));
        v_is_atom := true;
    end case;
    v_rest := substr(v_rest, length(v_token) + 1);
  end loop;
  if v_groups <> '{}' then
    return null;
  end if;
  perform '' ~ v_result; -- Postgres may find it too complex, or a bound in the wrong order
  return v_result;
exception when invalid_regular_expression then
  return null;
end
$_$;

COMMENT ON FUNCTION mill.translate_pattern(p_pattern text) IS 'An ECMAScript regular expression as one of Postgres that matches the same texts; null when there is none.';

CREATE FUNCTION mill.unclaimed_export_objects(p_before timestamp with time zone, p_max integer) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce(array_agg(u.object), '{}') from (
    select o.object from (
      select s.object, s.stored_at, substr(s.object, 9, 36)::uuid as owner, substr(s.object, 46, 36)::uuid as document
      from mill.stored_objects('exports') s
      where s.object ~ '^exports:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[^/]+$') o
    where o.stored_at < p_before
      and not exists (select from mill.export_file f where f.path = o.object)
      and exists (
        select from mill.export e
        where e.owner = o.owner and e.document_id = o.document and e.created_at <= o.stored_at)
      and not exists (
        select from mill.export e join mill.job_live j on j.id = e.id and j.state = 'processing'
        where e.owner = o.owner and e.document_id = o.document)
    order by o.stored_at limit p_max) u
$_$;

COMMENT ON FUNCTION mill.unclaimed_export_objects(p_before timestamp with time zone, p_max integer) IS 'Objects in the bucket exports that were stored for an export and belong to none.';

CREATE FUNCTION mill.uncount_served(p_queue text, p_rows tid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with left_over as (
    select mill.tenant_of(j.owner, j.group_key) as tenant, count(*) as jobs
    from mill.job_live j where j.ctid = any (p_rows) group by 1
  ),
  locked as (
    select t.tenant from mill.tenant t
    where t.queue = p_queue and t.tenant in (select o.tenant from left_over o)
    for no key update skip locked
  )
  update mill.tenant t set served = t.served - o.jobs
  from left_over o, locked l
  where t.queue = p_queue and t.tenant = o.tenant and l.tenant = o.tenant
$$;

COMMENT ON FUNCTION mill.uncount_served(p_queue text, p_rows tid[]) IS 'Takes back turns of tenants whose jobs were left. For mill.fit_tokens alone.';

CREATE FUNCTION mill.uncount_storage(p_profile_id uuid, p_document_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.release_storage(p_profile_id, p_document_id);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_document_id, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;

COMMENT ON FUNCTION mill.uncount_storage(p_profile_id uuid, p_document_id uuid) IS 'Gives an erased file''s storage back to its profile.';

CREATE FUNCTION mill.unique_keys(p_jobs jsonb) RETURNS TABLE(at integer, kind text, digest bytea, within_seconds integer)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select (e.ordinality - 1)::int, k.kind,
    sha256(convert_to(jsonb_build_array(e.job -> 'unique_scope', u.fields, case when cardinality(u.fields) = 0 then e.job -> 'payload' else (
      select jsonb_agg(coalesce(e.job -> 'payload' -> f.name, e.job -> 'payload' #> string_to_array(f.name, '.')) order by f.n)
      from unnest(u.fields) with ordinality as f(name, n)) end)::text, 'UTF8')),
    u.within_seconds
  from jsonb_array_elements(p_jobs) with ordinality as e(job, ordinality)
  join mill.kind k on k.kind = e.job ->> 'kind'
  cross join lateral (
    select k.unique_by as fields, k.unique_within_seconds as within_seconds where coalesce(e.job -> 'unique', 'null') = 'null'
    union all
    select case when mill.is_unique_option(e.job -> 'unique') or mill.refuse_job(e.ordinality - 1, 'GM004', 'unique')
        then array(select jsonb_array_elements_text(e.job -> 'unique' -> 'by')) end, (e.job -> 'unique' ->> 'within_seconds')::int
    where e.job -> 'unique' not in ('null', 'false')) u
  where u.fields is not null
$$;

COMMENT ON FUNCTION mill.unique_keys(p_jobs jsonb) IS 'The keys of the jobs of a batch that are to be unique. GM004 for an option that says nothing.';

CREATE FUNCTION mill.unpack(p_packs tid[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_count int;
begin
  with packs as (
    delete from mill.pack p where p.ctid = any (p_packs) returning p.*
  )
  insert into mill.job (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
  select j.id, p.line, p.turn + j.ordinality - 1, p.queue, p.kind, j.payload, 'pending', p.run_at, p.max_attempts, p.run_at
  from packs p cross join lateral unnest(p.ids, p.payloads) with ordinality as j(id, payload, ordinality);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

COMMENT ON FUNCTION mill.unpack(p_packs tid[]) IS 'Makes rows of packed jobs; says how many.';

CREATE FUNCTION mill.unpack_jobs(p_ids uuid[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
declare
  v_packs uuid[] := array(
    select distinct p.first from unnest(p_ids) as a(id) join mill.pack p on p.first = mill.pack_of(a.id) and p.last >= a.id);
begin
  if v_packs = '{}' then
    return 0;
  end if;
  return mill.unpack(array(select p.ctid from mill.pack p where p.first = any (v_packs) order by p.first for update));
end
$$;

COMMENT ON FUNCTION mill.unpack_jobs(p_ids uuid[]) IS 'Makes rows of the packs that the given jobs wait in; says of how many jobs.';

CREATE FUNCTION mill.update_api_call() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_row public.api_call_queue;
begin
  perform mill.require_primary();
  if (new.id, new.symbol, new.data_type, new.priority, new.created_at, new.metadata)
    is distinct from (old.id, old.symbol, old.data_type, old.priority, old.created_at, old.metadata)
  then
    raise exception 'of a refresh only its status can be changed, and what belongs to that' using errcode = '0A000';
  end if;
  if (mill.lock_compat_lease(old.id)).id is null then
    return null;
  end if;
  case new.status
    when 'completed' then
      perform public.complete_queue_job(old.id, new.estimated_data_size_bytes);
    when 'failed' then
      perform mill.settle_compat_lease(old.id, jsonb_build_object(
        'outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', new.error_message, 'retryable', false)));
    when 'pending' then
      -- A retry that is counted is a failed attempt; one that is not gives the job back.
      if new.retry_count > old.retry_count then
        perform public.fail_queue_job(old.id, new.error_message);
      else
        perform public.reset_job_immediate(old.id);
      end if;
    when 'processing' then
      null; -- it is
    else
      raise exception 'the status of a refresh is pending, processing, completed or failed' using errcode = '22023';
  end case;
  select q.* into v_row from public.api_call_queue q where q.id = old.id;
  return v_row;
end
$$;

COMMENT ON FUNCTION mill.update_api_call() IS 'Trigger: completes, fails or gives back a refresh that get_queue_batch gave out.';

CREATE FUNCTION mill.update_export_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_changes text[] := array(
    select n.key from jsonb_each(to_jsonb(new)) n where n.value is distinct from to_jsonb(old) -> n.key and n.key <> 'completed_at');
  v_status text := case when 'status' = any (v_changes) then new.status else 'progress' end;
  v_may text[] := case when v_status = 'progress' then '{progress}'::text[]
    when v_status = 'completed' then '{status,progress,result_url,file_size,page_count}'
    when v_status = 'failed' then '{status,error_message}'
    when v_status = 'pending' then '{status,error_message,run_after}' else '{}' end;
  v_holder mill.holder;
  v_is_done boolean;
begin
  perform mill.refuse_in_maintenance();
  if v_changes = '{}' and (old.status <> 'processing' or not public.is_service_role()) then
    return old; -- a repeat of what was written already
  elsif v_changes = '{status}' and v_status = 'cancelled' then
    perform mill.cancel_export_job(old.id, old.user_id);
  elsif not public.is_service_role() then
    raise exception 'a user may set the status of an own export to cancelled while it is pending, and nothing else' using errcode = '42501';
  elsif not v_changes <@ v_may then
    raise exception 'export_jobs takes progress, or the status completed, failed or pending with what belongs to it; not a change of %',
      (select string_agg(c.name, ', ') from unnest(v_changes) c(name)) using errcode = 'GM004';
  elsif coalesce(new.progress, 0) not between 0 and 100 then
    raise exception 'progress must be from 0 to 100' using errcode = 'GM004';
  else
    v_holder := mill.holder_of_export_job(old.id, old.user_id);
    if v_holder.job is null and v_status in ('failed', 'pending') and old.started_at < mill.now() - interval '15 minutes' then
      return null;
    elsif v_holder.job is null then
      raise exception 'no lease of fetch_next_export_job holds this export: that lease is over, or another worker has the job' using errcode = 'GM056',
        hint = 'Call fetch_next_export_job again, and write to the job that it answers.';
    end if;
    if v_status = 'progress' then
      v_is_done := mill.heartbeat_by_name(old.id, v_holder.worker, 900);
      if v_is_done then
        perform mill.move_export(v_holder, least(new.progress, 99), null);
      end if;
    elsif v_status = 'completed' then
      v_is_done := mill.complete_export_job(v_holder, new.result_url, new.file_size, new.page_count);
    else
      v_is_done := mill.settle_held(v_holder, jsonb_build_object(
        'outcome', case v_status when 'failed' then 'dead' else 'failed' end,
        'error', jsonb_build_object('type', 'worker', 'message', left(coalesce(new.error_message, 'The export did not succeed.'), 2000)),
        'delay_seconds', case when 'run_after' = any (v_changes) then least(greatest(extract(epoch from new.run_after - mill.now()), 0), 2592000) end));
      perform mill.note_ended_exports(array[old.id]);
    end if;
    if v_status <> 'progress' then
      delete from mill.compat_lease c where c.id = old.id;
    end if;
    if not v_is_done then
      -- The job was asked to cancel. It ends as cancelled now, and nothing else of the update is true: no row was updated.
      perform mill.note_ended_exports(array[old.id]);
      return null;
    end if;
  end if;
  select j.* into new from public.export_jobs j where j.id = old.id;
  return new;
end
$$;

COMMENT ON FUNCTION mill.update_export_job() IS 'Does what an update of export_jobs means: cancel, progress, complete, fail, retry.';

CREATE FUNCTION mill.update_job_queue() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_open constant text[] := array['status', 'scheduled_at', 'updated_at', 'started_at', 'worker_id', 'heartbeat_at', 'error_details'];
  v_lease mill.compat_lease;
  v_delay numeric;
  v_more jsonb := case when new.error_details is distinct from old.error_details and jsonb_typeof(new.error_details) = 'object' then new.error_details else '{}' end;
begin
  if new.status is distinct from 'pending' or new.worker_id is not null or new.started_at is not null or new.heartbeat_at is not null
    or to_jsonb(new) - v_open <> to_jsonb(old) - v_open
  then
    raise exception 'a job is changed here only to be rescheduled' using errcode = 'GM008',
      detail = 'A reschedule sets status to pending, scheduled_at to a time, and worker_id, started_at and heartbeat_at to null.',
      hint = 'complete_job and fail_job end a job, update_job_heartbeat extends its lease.';
  end if;
  v_lease := mill.lock_compat_lease(old.id);
  if v_lease.id is null or v_lease.worker is distinct from old.worker_id or v_lease.started_at is distinct from old.started_at then
    return null;
  end if;
  v_delay := coalesce(round(extract(epoch from new.scheduled_at - mill.now()), 3), mill.setting('queue.backpressure_delay_seconds', '30')::numeric);
  if not mill.reschedule_compat_lease(old.id, greatest(v_delay, 0), 0, coalesce(v_more ->> 'reschedule_reason', 'rescheduled'), v_more) then
    return null;
  end if;
  select q.* into new from public.job_queue q where q.id = old.id;
  return new;
end
$$;

COMMENT ON FUNCTION mill.update_job_queue() IS 'Reschedules a job where a row of job_queue is set back to pending.';

CREATE FUNCTION mill.upload_over_plan(p_profile_id uuid) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select array(
    select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(mill.now())) m
    where m.used + case when m.meter in ('files', 'pages') then 1 else 0 end > m.allowed order by 1)
  where mill.is_enabled('billing') and mill.is_enabled('usage_tracking')
$$;

COMMENT ON FUNCTION mill.upload_over_plan(p_profile_id uuid) IS 'The meters that one more file would exceed, while billing is on.';

CREATE FUNCTION mill.upsert_statement(p_type public.data_type_registry, p_columns text[]) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select format('insert into %s (%s, %I) select %s, $2 from jsonb_populate_recordset(null::%s, $1) r on conflict (%s) do update set %s',
    mill.data_table(p_type.table_name),
    (select string_agg(format('%I', c), ', ') from unnest(p_columns) c), p_type.timestamp_column,
    (select string_agg(format('r.%I', c), ', ') from unnest(p_columns) c), mill.data_table(p_type.table_name),
    (select string_agg(format('%I', a.attname), ', ')
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = mill.data_table(p_type.table_name) and i.indisprimary),
    (select string_agg(format('%1$I = excluded.%1$I', c), ', ') from unnest(p_columns || p_type.timestamp_column) c))
$_$;

COMMENT ON FUNCTION mill.upsert_statement(p_type public.data_type_registry, p_columns text[]) IS 'The statement that writes rows ($1) of a data type as fetched at $2.';

CREATE FUNCTION mill.url_text(p_bytes bytea) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select translate(encode(p_bytes, 'base64'), E'+/=\n', '-_') $$;

COMMENT ON FUNCTION mill.url_text(p_bytes bytea) IS 'Bytes as base64 in the alphabet of URLs, without padding.';

CREATE FUNCTION mill.usage_meters(p_profile_id uuid, p_month date) RETURNS TABLE(meter text, used numeric, allowed numeric, is_over boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select m.meter, m.used, m.allowed, coalesce(m.used > m.allowed, false)
  from public.user_profiles p
  join public.subscription_plans s on s.plan_type = p.plan
  left join mill.usage_of_month u on u.profile_id = p.id and u.month = p_month
  left join mill.stored_bytes b on b.profile_id = p.id
  cross join lateral (values
    ('files', coalesce(u.files_uploaded, 0)::numeric, s.shell_files_limit::numeric),
    ('pages', coalesce(u.pages, 0), s.pages_limit),
    ('ai_tokens', coalesce(u.ai_tokens, 0), s.ai_tokens_limit),
    ('storage_mb', round(coalesce(b.bytes, 0) / 1000000.0, 6), s.storage_limit_mb)) as m(meter, used, allowed)
  where p.id = p_profile_id
$$;

COMMENT ON FUNCTION mill.usage_meters(p_profile_id uuid, p_month date) IS 'What a profile has used in a month beside what its plan allows; null is unlimited.';

CREATE FUNCTION mill.usage_month(p_at timestamp with time zone) RETURNS date
    LANGUAGE sql IMMUTABLE
    RETURN (date_trunc('month'::text, (p_at AT TIME ZONE 'UTC'::text)))::date;

COMMENT ON FUNCTION mill.usage_month(p_at timestamp with time zone) IS 'The month that usage at a time counts to, by UTC.';

CREATE FUNCTION mill.usage_percentage(p_used numeric, p_limit numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    RETURN COALESCE(round((((100)::numeric * p_used) / NULLIF(p_limit, (0)::numeric)), 1), (CASE WHEN ((p_limit = (0)::numeric) AND (p_used > (0)::numeric)) THEN 100 ELSE 0 END)::numeric);

COMMENT ON FUNCTION mill.usage_percentage(p_used numeric, p_limit numeric) IS 'How much of a limit is used up, in percent.';

CREATE FUNCTION mill.usage_status(p_profile_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'profile_id', p.id,
    'plan', p.plan,
    'price_cents', s.monthly_price_cents,
    'month', to_char(t.month, 'YYYY-MM'),
    'resets_at', (t.month + interval '1 month') at time zone 'UTC',
    'meters', m.meters,
    'ai_seconds', coalesce(u.ai_seconds, 0),
    'over', m.over,
    'billing_enabled', mill.is_enabled('billing'),
    'is_blocked', m.over <> '[]' and mill.is_enabled('billing'),
    'upgrade_prompt', m.over <> '[]' and mill.is_enabled('upgrade_prompts'))
  from public.user_profiles p
  cross join (select mill.usage_month(mill.now()) as month) t
  join public.subscription_plans s on s.plan_type = p.plan
  left join mill.usage_of_month u on u.profile_id = p.id and u.month = t.month
  cross join lateral (
    select jsonb_object_agg(m.meter, jsonb_build_object('used', m.used, 'limit', m.allowed,
        'percent', round(100 * m.used / nullif(m.allowed, 0), 1), 'is_over', m.is_over)) as meters,
      coalesce(jsonb_agg(m.meter order by m.meter) filter (where m.is_over), '[]') as over
    from mill.usage_meters(p.id, t.month) m) m
  where p.id = p_profile_id
$$;

COMMENT ON FUNCTION mill.usage_status(p_profile_id uuid) IS 'What a profile has used this month beside its plan, meter by meter; a limit of null is unlimited.';

CREATE FUNCTION mill.usage_summary(p_profile_id uuid) RETURNS TABLE(plan_type text, month date, files numeric, files_limit numeric, pages numeric, pages_limit numeric, ai_tokens numeric, ai_tokens_limit numeric, storage_mb numeric, storage_mb_limit numeric, ai_jobs integer, is_over boolean, upgrade_required boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select p.plan, t.month,
    max(m.used) filter (where m.meter = 'files'), max(m.allowed) filter (where m.meter = 'files'),
    max(m.used) filter (where m.meter = 'pages'), max(m.allowed) filter (where m.meter = 'pages'),
    max(m.used) filter (where m.meter = 'ai_tokens'), max(m.allowed) filter (where m.meter = 'ai_tokens'),
    round(max(m.used) filter (where m.meter = 'storage_mb'), 2), max(m.allowed) filter (where m.meter = 'storage_mb'),
    coalesce((select u.ai_calls from mill.usage_of_month u where u.profile_id = p.id and u.month = t.month), 0),
    bool_or(m.is_over), bool_or(m.is_over) and (mill.is_enabled('billing') or mill.is_enabled('upgrade_prompts'))
  from public.user_profiles p
  cross join (select mill.usage_month(mill.now()) as month) t
  cross join lateral mill.usage_meters(p.id, t.month) m
  where p.id = p_profile_id
  group by p.id, p.plan, t.month
$$;

COMMENT ON FUNCTION mill.usage_summary(p_profile_id uuid) IS 'What a profile has used this month beside its plan, as one row; null is unlimited.';

CREATE FUNCTION mill.uuid7_tail() RETURNS text
    LANGUAGE sql
    RETURN "right"((gen_random_uuid())::text, 17);

COMMENT ON FUNCTION mill.uuid7_tail() IS 'The random half of a time-ordered id, as text.';

CREATE FUNCTION mill.uuid7(p_at timestamp with time zone DEFAULT clock_timestamp()) RETURNS uuid
    LANGUAGE sql
    RETURN mill.uuid7_at(((EXTRACT(epoch FROM p_at) * (1000000)::numeric))::bigint, mill.uuid7_tail());

COMMENT ON FUNCTION mill.uuid7(p_at timestamp with time zone) IS 'A time-ordered id: inserts stay at the right edge of the index.';

CREATE FUNCTION mill.verify_audit_day(p_day date) RETURNS TABLE(seq integer, audit_id bigint, problem text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with day as (
    select d.* from mill.audit_day d where d.day = p_day
  ),
  log as (
    select a.id, mill.audit_digest(a) as digest from mill.audit_log a
    where a.at >= p_day::timestamp at time zone 'UTC' and a.at < (p_day + 1)::timestamp at time zone 'UTC'
  ),
  link as (
    select c.seq, c.audit_id, c.hash, l.digest,
      row_number() over (order by c.seq) as place,
      lag(c.hash, 1, d.began_on) over (order by c.seq) as hash_before,
      lag(c.audit_id) over (order by c.seq) as id_before
    from mill.audit_chain c join day d on d.day = c.day left join log l on l.id = c.audit_id
    where d.dropped_at is null
  )
  select k.seq, k.audit_id,
    case
      when k.digest is null then 'deleted'
      when k.seq <> k.place then 'link_missing'
      else 'altered_or_reordered'
    end
  from link k
  where k.digest is null or k.seq <> k.place or k.hash is distinct from sha256(k.hash_before || k.digest)
  union all
  select null, l.id, 'not_in_the_chain' from log l
  where not exists (select from link k where k.audit_id = l.id)
    and not exists (select from mill.audit_unchained u where u.audit_id = l.id)
  union all
  select d.rows, null, 'end_of_the_day_missing' from day d
  where d.dropped_at is null
    and not exists (select from link k where k.seq = d.rows and k.hash = d.head)
  union all
  select null, null, 'day_missing' where exists (select from mill.audit_chain c where c.day = p_day) and not exists (select from day)
  union all
  -- The day before has vanished, or is not the one that this day began on.
  select null, null, 'day_before_missing' from day d
  where d.previous_day is not null and not exists (
    select from mill.audit_day b
    where b.day = d.previous_day and (b.dropped_at is not null or d.began_on = b.head
      or exists (select from mill.audit_chain c where c.day = b.day and c.hash = d.began_on)))
  union all
  select null, null, 'day_before_missing' from day d
  where d.previous_day is null and d.began_on <> decode(repeat('00', 32), 'hex')
$$;

COMMENT ON FUNCTION mill.verify_audit_day(p_day date) IS 'What is wrong with the audit rows and the chain of a day; no row when nothing is.';

CREATE FUNCTION mill.viewers(p_symbol text, p_data_type text) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  select count(*)::int from (
    select from public.active_subscriptions_v2 a
    where a.symbol = p_symbol and a.data_type = p_data_type and a.last_seen_at > mill.now() - interval '5 minutes'
    limit 100) v
$$;

COMMENT ON FUNCTION mill.viewers(p_symbol text, p_data_type text) IS 'How many users watch a symbol''s data of a type now, counted to 100.';

CREATE FUNCTION mill.wait_for_pack(p_queue text, p_kinds text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '100ms'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_sort TO 'off'
    AS $$
declare
  v_pack uuid := (
    select p.first
    from mill.floor f
    cross join lateral (
      select p.first from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds))
      order by p.turn
      limit 1) p
    where f.queue = p_queue
    limit 1);
begin
  if v_pack is not null then
    begin
      perform from mill.pack p where p.first = v_pack for update; -- not shared: whoever waits gets it if it is still there
    exception when lock_not_available then
      null; -- a transaction that stays open after its claim; what it has is its own
    end;
  end if;
end
$$;

COMMENT ON FUNCTION mill.wait_for_pack(p_queue text, p_kinds text[]) IS 'Waits for whoever is unpacking jobs of a queue.';

CREATE FUNCTION mill.waiting_error(p_file public.shell_files) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.document_error(j.error, j.run_at)
  from mill.job_live j
  where j.dedupe_key = mill.stage_key(p_file.id, p_file.run, p_file.stage) and j.queue in ('fast', 'ai')
    and j.state in ('retrying', 'deferred') and j.error is not null
$$;

COMMENT ON FUNCTION mill.waiting_error(p_file public.shell_files) IS 'The error after which a document''s stage waits for its next attempt, or null.';

CREATE FUNCTION mill.waiting_kinds(p_queue text) RETURNS TABLE(kind text, due_since timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  select j.kind, min(j.run_at)
  from mill.floor f
  cross join lateral (
    (select o.kind, o.run_at from mill.job_live o
     where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
     order by o.turn limit 10000)
    union all
    (select p.kind, p.run_at from mill.pack p where p.line = f.line and p.turn >= f.turn order by p.turn limit 10000)) j
  where f.queue = p_queue
  group by j.kind
$$;

COMMENT ON FUNCTION mill.waiting_kinds(p_queue text) IS 'The kinds of due jobs that nobody holds, in front of a queue, each with its oldest.';

CREATE FUNCTION mill.wake(p_queue mill.queue, p_reason text DEFAULT 'wake'::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_running int;
begin
  if p_queue.paused or p_queue.served_by = 'external' then
    return;
  end if;
  if p_queue.served_by = 'worker' then
    perform mill.call_worker(p_queue.queue, p_reason);
    return;
  end if;

  -- After one second a request counts as lost: the next enqueue asks anew.
  if exists (
      select from mill.invocation i
      where i.queue = p_queue.queue and i.ended_at is null and i.begun_at is null and i.asked_at > v_now - interval '1 second')
    or not mill.has_pending(p_queue.queue)
  then
    return;
  end if;
  select count(*) into v_running
  from mill.invocation i
  where i.queue = p_queue.queue and i.begun_at is not null and i.ended_at is null
    and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds);
  if v_running >= p_queue.max_parallel then
    select count(*) into v_running
    from mill.invocation i
    where i.queue = p_queue.queue and i.begun_at is not null and i.ended_at is null
      and i.begun_at > v_now - make_interval(secs => p_queue.invocation_seconds)
      and not (mill.answer_to_invocation(i.request_id, i.asked_at, i.handed_at is not null)).is_over;
  end if;
  if v_running < p_queue.max_parallel then
    begin
      perform mill.invoke(p_queue.queue, p_reason);
    exception when others then
      perform mill.record_wake_failure(p_queue.queue, sqlstate, sqlerrm);
    end;
  end if;
end
$$;

COMMENT ON FUNCTION mill.wake(p_queue mill.queue, p_reason text) IS 'Asks for an invocation of a queue that has due jobs, unless one is on its way; calls the worker where that serves it.';

CREATE FUNCTION mill.walk_all_scheduled() RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_max int := mill.setting('refresh.scheduled_stretch', '100')::int;
  v_depth int := mill.setting('refresh.scheduled_depth', '1000')::int;
  v_type public.data_type_registry;
  v_queued int := 0;
begin
  if not mill.entry_lock('scheduled-refreshes') then
    return jsonb_build_object('skipped', true);
  end if;
  for v_type in
    select r.* from public.data_type_registry r where r.is_enabled and r.refresh_strategy = 'scheduled' order by r.data_type
  loop
    -- Asked of each type's queue, and again after each: the walk of one type may have filled it for the next.
    continue when mill.depth(mill.refresh_queue_of(v_type.edge_function_name, v_type.provider), v_depth) >= v_depth;
    begin
      v_queued := v_queued + mill.walk_scheduled(v_type, v_max);
    exception
      when query_canceled then raise;
      when others then
        insert into mill.event (at, code, detail) values (mill.now(), 'scheduled_refresh_failed',
          jsonb_build_object('data_type', v_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;
  return jsonb_build_object('queued', v_queued);
end
$$;

COMMENT ON FUNCTION mill.walk_all_scheduled() IS 'Queues the next stretch of every scheduled type that is due; {queued} or {skipped}.';

CREATE FUNCTION mill.walk_scheduled(p_type public.data_type_registry, p_max integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := date_trunc('minute', mill.now());
  v_walk mill.refresh_walk;
  v_symbols text[];
  v_priority constant int := -1;
begin
  insert into mill.refresh_walk (data_type, looked_at) values (p_type.data_type, v_now - interval '1 minute') on conflict do nothing;
  select w.* into v_walk from mill.refresh_walk w where w.data_type = p_type.data_type for update;
  -- Minutes that were missed count, an hour of them at the most.
  if v_walk.walking is null and exists (
    select from generate_series(greatest(v_walk.looked_at + interval '1 minute', v_now - interval '1 hour'), v_now, interval '1 minute') m(at)
    where mill.cron_matches(p_type.refresh_schedule, m.at))
  then
    v_walk.walking := '';
  end if;

  v_symbols := array(
    select s.symbol from public.supported_symbols s
    where s.symbol > v_walk.walking and s.is_active order by s.symbol limit p_max);
  update mill.refresh_walk w set looked_at = v_now,
    walking = case when cardinality(v_symbols) = p_max then v_symbols[p_max] end
  where w.data_type = p_type.data_type;
  return mill.queue_stale(p_type, v_symbols, v_priority);
end
$$;

COMMENT ON FUNCTION mill.walk_scheduled(p_type public.data_type_registry, p_max integer) IS 'Goes on with the walk of a scheduled type, or begins one when its schedule says so; says how many refreshes were new.';

CREATE FUNCTION mill.warn_of_registry_row(p_row public.data_type_registry) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_table regclass := mill.data_table(p_row.table_name);
begin
  insert into mill.event (at, code, detail)
  select mill.now(), w.code, jsonb_build_object('data_type', p_row.data_type, 'table', p_row.table_name, 'message', w.message)
  from (values
    ('row_level_security_missing', 'whoever may select from the table reads every row, also through Realtime: enable row level security',
      exists (select from pg_class c where c.oid = v_table and not c.relrowsecurity)),
    ('symbol_index_missing', 'no index begins with the symbol column, so every look at a symbol reads the whole table',
      not exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = v_table and a.attname = p_row.symbol_column))
    ) w(code, message, applies)
  where w.applies;
end
$$;

COMMENT ON FUNCTION mill.warn_of_registry_row(p_row public.data_type_registry) IS 'Records what is doubtful about the table of a data type that a program of the user writes.';

CREATE FUNCTION mill.watch_alerts() RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select case when mill.every_minute('watch_alerts') then mill.judge_alerts() end $$;

COMMENT ON FUNCTION mill.watch_alerts() IS 'mill.judge_alerts once a minute, for the tick.';

CREATE FUNCTION mill.watched_symbols(p_after text, p_max integer) RETURNS text[]
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  with recursive walk(symbol, n) as (
    (select a.symbol, 1 from public.active_subscriptions_v2 a where a.symbol > p_after order by a.symbol limit 1)
    union all
    select n.symbol, w.n + 1
    from walk w
    cross join lateral (
      select a.symbol from public.active_subscriptions_v2 a where a.symbol > w.symbol order by a.symbol limit 1) n
    where w.n < p_max
  )
  select coalesce(array_agg(w.symbol order by w.symbol), '{}') from walk w
$$;

COMMENT ON FUNCTION mill.watched_symbols(p_after text, p_max integer) IS 'The next p_max symbols after one that have subscriptions, in order.';

CREATE FUNCTION mill.worker_interval_seconds(p_asked integer) RETURNS numeric
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select least(greatest(coalesce(p_asked, mill.setting('worker.heartbeat_interval_seconds', '30')::numeric), 0), 86400)
$$;

COMMENT ON FUNCTION mill.worker_interval_seconds(p_asked integer) IS 'How many seconds a compat worker has until its next heartbeat; null asks for worker.heartbeat_interval_seconds.';

CREATE FUNCTION mill.worker_lease_seconds(p_interval numeric) RETURNS numeric
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select p_interval + greatest(mill.setting('worker.timeout_seconds', '300')::numeric, 0)
$$;

COMMENT ON FUNCTION mill.worker_lease_seconds(p_interval numeric) IS 'How long claim_next_job_v3 and update_job_heartbeat lease a job whose next heartbeat is due after the interval.';

CREATE FUNCTION mill.worker_lost_error(p_message text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('type', 'worker_lost', 'message', p_message, 'retryable', true);

COMMENT ON FUNCTION mill.worker_lost_error(p_message text) IS 'The error of a job whose worker was lost, with how that was noticed.';

CREATE FUNCTION mill.worker_seen(p_worker text, p_queues text[] DEFAULT NULL::text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
begin
  if not exists (
    select from mill.worker w
    where w.worker = p_worker and w.seen_at >= v_now - interval '10 seconds' and w.queues = coalesce(p_queues, w.queues))
  then
    insert into mill.worker as w (worker, queues, first_seen_at, seen_at)
    values (p_worker, coalesce(p_queues, '{}'), v_now, v_now)
    on conflict (worker) do update set seen_at = excluded.seen_at, queues = coalesce(p_queues, w.queues)
    where w.seen_at < excluded.seen_at - interval '10 seconds' or w.queues <> coalesce(p_queues, w.queues);
  end if;
end
$$;

COMMENT ON FUNCTION mill.worker_seen(p_worker text, p_queues text[]) IS 'Records that a container worker is alive, and which queues it serves.';

CREATE FUNCTION mill.workflow_output(p_job mill.workflow) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_object_agg(t.key, t.output)
  from mill.workflow_step w
  join mill.task t on t.job_id = p_job.id and t.key = w.key and t.item = 0 and t.state = 'completed'
  where w.type = p_job.type and w.version = p_job.version and w.family is null
    and pg_column_size(t.output) <= 65536
    and not exists (
      select from mill.workflow_step o where o.type = w.type and o.version = w.version and w.key = any (o.needs))
$$;

COMMENT ON FUNCTION mill.workflow_output(p_job mill.workflow) IS 'What the tasks gave that nothing else depends on, by key. Lists of items stay with their tasks.';

CREATE FUNCTION mill.write_blocks(p_id uuid, p_blocks jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from public.document_blocks b where b.document_id = p_id;
  insert into public.document_blocks (document_id, block_number, page_number, kind, text, content, box)
  select p_id, b.at, (b.row ->> 'page')::int, b.row ->> 'kind', b.row ->> 'text', coalesce(b.row -> 'content', '{}'),
    array(select jsonb_array_elements_text(b.row -> 'box'))::real[]
  from jsonb_array_elements(p_blocks) with ordinality b(row, at);
  return jsonb_array_length(p_blocks);
end
$$;

COMMENT ON FUNCTION mill.write_blocks(p_id uuid, p_blocks jsonb) IS 'Replaces a document''s blocks.';

CREATE FUNCTION mill.write_ended(p_job_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  with kept as (
    delete from mill.ended e where e.parent = p_job_id and e.counted returning e.*)
  update mill.task t set state = k.state, output = u.output, finished_at = k.at
  from kept k cross join lateral unnest(k.ids, k.results) as u(id, output)
  where t.id = u.id and t.state = 'queued'
$$;

COMMENT ON FUNCTION mill.write_ended(p_job_id uuid) IS 'Writes to the tasks of a job what mill.ended keeps of them. The caller holds the job.';

CREATE FUNCTION mill.write_entities(p_id uuid, p_entities jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from public.document_entities e where e.document_id = p_id;
  insert into public.document_entities (document_id, entity_number, kind, text, detail, page_number, box, confidence)
  select p_id, e.at, e.row ->> 'kind', e.row ->> 'text', coalesce(e.row -> 'detail', '{}'), (e.row ->> 'page')::int,
    case when jsonb_typeof(e.row -> 'box') = 'array' then array(select jsonb_array_elements_text(e.row -> 'box'))::real[] end,
    (e.row ->> 'confidence')::real
  from jsonb_array_elements(p_entities) with ordinality e(row, at);
  return jsonb_array_length(p_entities);
end
$$;

COMMENT ON FUNCTION mill.write_entities(p_id uuid, p_entities jsonb) IS 'Replaces a document''s entities.';

CREATE FUNCTION mill.write_facts(p_id uuid, p_facts jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from public.document_facts f where f.document_id = p_id;
  insert into public.document_facts (document_id, fact_number, kind, name, value, code_system, code, page_number, box, confidence)
  select p_id, f.at, f.row ->> 'kind', f.row ->> 'name', f.row -> 'value', f.row ->> 'code_system', f.row ->> 'code', (f.row ->> 'page')::int,
    case when jsonb_typeof(f.row -> 'box') = 'array' then array(select jsonb_array_elements_text(f.row -> 'box'))::real[] end,
    (f.row ->> 'confidence')::real
  from jsonb_array_elements(p_facts) with ordinality f(row, at);
  return jsonb_array_length(p_facts);
end
$$;

COMMENT ON FUNCTION mill.write_facts(p_id uuid, p_facts jsonb) IS 'Replaces a document''s facts.';

CREATE FUNCTION mill.write_fetched(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_status jsonb := jsonb '{}';
  v_one jsonb;
begin
  return mill.write_rows(p_type, p_fetched, p_now);
exception
  when query_canceled then raise;
  when others then
    if jsonb_array_length(p_fetched) = 1 then
      return jsonb_build_object(p_fetched #>> '{0,id}',
        case when sqlstate in ('40P01', '40001') then 'released' else 'write_refused: ' || sqlerrm end);
    end if;
    for v_one in select f from jsonb_array_elements(p_fetched) f loop
      v_status := v_status || mill.write_fetched(p_type, jsonb_build_array(v_one), p_now);
    end loop;
    return v_status;
end
$$;

COMMENT ON FUNCTION mill.write_fetched(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) IS 'mill.write_rows, job by job where it must; further answers are released and write_refused with its reason.';

CREATE FUNCTION mill.write_narrative(p_id uuid, p_narrative jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.document_narratives (document_id, sentences, timeline)
  values (p_id, p_narrative -> 'sentences', p_narrative -> 'timeline')
  on conflict (document_id) do update set sentences = excluded.sentences, timeline = excluded.timeline;
  return jsonb_array_length(p_narrative -> 'sentences');
end
$$;

COMMENT ON FUNCTION mill.write_narrative(p_id uuid, p_narrative jsonb) IS 'Replaces a document''s narrative.';

CREATE FUNCTION mill.write_page(p_file public.shell_files, p_job_id uuid, p_page jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_number int := (p_page ->> 'number')::int;
begin
  delete from public.document_pages p where p.document_id = p_file.id and p.page_number = v_number;
  insert into public.document_pages (document_id, page_number, source, width, height, confidence, text, job_id)
  values (p_file.id, v_number, p_page ->> 'source', (p_page ->> 'width')::real, (p_page ->> 'height')::real,
    (p_page ->> 'confidence')::real, p_page ->> 'text', p_job_id);
  insert into public.document_words (document_id, page_number, word_number, text, box, confidence, line_number)
  select p_file.id, v_number, w.at, w.word ->> 't', array(select jsonb_array_elements_text(w.word -> 'b'))::real[],
    (w.word ->> 'c')::real, (w.word ->> 'l')::int
  from jsonb_array_elements(p_page -> 'words') with ordinality w(word, at);
  perform mill.count_work(p_file, p_job_id, 'page_extracted', '{}', format('/%s', v_number));
  perform mill.audit('document_pages', format('%s/%s', p_file.id, v_number), 'INSERT', null,
    jsonb_build_object('words', jsonb_array_length(p_page -> 'words')), 'ocr', 'documents', p_file.patient_id, p_job_id);
end
$$;

COMMENT ON FUNCTION mill.write_page(p_file public.shell_files, p_job_id uuid, p_page jsonb) IS 'Keeps a page {number, source, width, height, confidence, text, words: [{t, b, c, l}]}.';

CREATE FUNCTION mill.write_rows(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_columns text[] := array(
    select distinct k from jsonb_array_elements(p_fetched) f, jsonb_array_elements(f -> 'rows') r, jsonb_object_keys(r) k order by k);
  v_status jsonb := (select jsonb_object_agg(f ->> 'id', 'written') from jsonb_array_elements(p_fetched) f);
  v_rows jsonb;
begin
  if p_type.source_timestamp_column is not null then
    execute format($query$
      select jsonb_object_agg(f.id, case
        when s.theirs is null then 'no_source_timestamp'
        -- One from the future would make everything true that follows look old.
        when s.theirs > $2 + interval '1 day' then 'source_in_future'
        when s.theirs < s.ours then 'older_source'
        when s.theirs = s.ours then 'unchanged'
        else 'written' end)
      from jsonb_to_recordset($1) as f(id text, symbol text, rows jsonb)
      cross join lateral (
        select max(r.%1$I) as theirs, (select max(t.%1$I) from %2$s t where t.%3$I = f.symbol) as ours
        from jsonb_populate_recordset(null::%2$s, f.rows) r) s
      $query$, p_type.source_timestamp_column, mill.data_table(p_type.table_name), p_type.symbol_column)
    into v_status using p_fetched, p_now;
  end if;
  v_status := v_status || coalesce((
    select jsonb_object_agg(f ->> 'id', 'other_symbol') from jsonb_array_elements(p_fetched) f
    where f -> 'rows' = '[]' or exists (
      select from jsonb_array_elements(f -> 'rows') r where r ->> p_type.symbol_column is distinct from f ->> 'symbol')), '{}');

  select jsonb_agg(r) into v_rows
  from jsonb_array_elements(p_fetched) f, jsonb_array_elements(f -> 'rows') r where v_status ->> (f ->> 'id') = 'written';
  if v_rows is not null then
    execute mill.upsert_statement(p_type, v_columns) using v_rows, p_now;
  end if;
  insert into mill.data_check (data_type, symbol, next_check_at, reason)
  select p_type.data_type, f ->> 'symbol', p_now + make_interval(mins => p_type.default_ttl_minutes), 'unchanged'
  from jsonb_array_elements(p_fetched) f where v_status ->> (f ->> 'id') = 'unchanged'
  on conflict (data_type, symbol) do update set
    next_check_at = excluded.next_check_at, reason = excluded.reason, failures = 0, noted_at = null;
  return v_status;
end
$_$;

COMMENT ON FUNCTION mill.write_rows(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) IS 'For each id written, unchanged, or why not: older_source, source_in_future, no_source_timestamp, other_symbol.';

CREATE FUNCTION public.abandon_document_upload(p_id uuid, p_place text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  delete from mill.document_upload u where u.place = p_place and u.document_id = p_id and not u.is_copy;
  delete from public.shell_files f
  where f.id = p_id and f.status = 'uploading' and not exists (select from mill.document_upload u where u.document_id = p_id);
  return not exists (select from mill.document_upload u where u.place = p_place)
    and not exists (select from public.shell_files f where f.id = p_id and p_place in (f.storage_path, f.upload_path));
end
$$;

COMMENT ON FUNCTION public.abandon_document_upload(p_id uuid, p_place text) IS 'Takes back an upload; true when nothing names its place any more, so that the caller may remove what is stored there.';

CREATE FUNCTION public.accessible_profiles() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select p.id from public.user_profiles p where p.user_id = auth.uid()
  union
  select g.profile_id from public.profile_access_grants g
  where g.grantee_user_id = auth.uid() and (g.expires_at is null or g.expires_at > mill.now())
$$;

COMMENT ON FUNCTION public.accessible_profiles() IS 'The profiles that the caller owns or was let into.';

CREATE FUNCTION public.acquire_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer DEFAULT 1000) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
begin
  if v_limit.status <> 'active' then
    raise exception 'the rate limit of % / % is not active', p_provider_name, p_api_endpoint
      using errcode = 'GM020', detail = format('Its status is %s.', v_limit.status);
  end if;
  return (mill.grant_api_capacity(p_provider_name, p_api_endpoint, greatest(coalesce(p_estimated_tokens, 1000), 0), true) ->> 'granted')::boolean;
end
$$;

COMMENT ON FUNCTION public.acquire_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer) IS 'Whether a provider may be called now; true reserves the call and its estimated tokens. GM020 without an active limit.';

CREATE FUNCTION public.begin_document_stage(p_job uuid, p_worker text, p_attempt integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_job mill.job_live := mill.held_job((p_job, p_worker, p_attempt)::mill.holder);
  v_file public.shell_files;
  v_verdict jsonb;
  v_keep_at text;
begin
  if v_job.id is null then
    return null;
  end if;
  select f.* into v_file from public.shell_files f where f.id = mill.document_named(v_job.payload) for no key update;
  v_verdict := mill.judge_stage(v_file, p_job, v_job.kind, v_job.payload);
  if v_verdict is not null then
    return v_verdict;
  end if;
  update public.shell_files f set status = 'processing', updated_at = mill.now(), version = f.version + 1,
    stage_jobs = f.stage_jobs || jsonb_build_object(f.stage, p_job),
    -- What an earlier attempt met, also when its worker was never heard of again.
    processing_error = mill.noted_errors(f.processing_error, v_job.error_log)
  where f.id = v_file.id;
  if v_file.stage like 'pass%' then
    perform mill.count_work(v_file, p_job, 'ai_processing_started', '{}');
  end if;
  if v_file.stage = 'security' and v_file.scanned_at is null then
    v_keep_at := mill.object_named(v_file.bucket,
      format('%s/%s/%s.%s', v_file.patient_id, v_file.id, mill.uuid7(), coalesce(mill.file_extension(v_file.mime_type), 'bin')));
    insert into mill.document_upload (place, document_id, begun_at, is_copy) values (v_keep_at, v_file.id, mill.now(), true);
  end if;
  return jsonb_build_object('outcome', 'work',
    'id', v_file.id, 'patient_id', v_file.patient_id, 'stage', v_file.stage, 'mime_type', v_file.mime_type,
    'storage_path', mill.object_named(v_file.bucket, v_file.storage_path), 'sha256', v_file.sha256, 'file_size_bytes', v_file.file_size_bytes, 'page_count', v_file.page_count,
    'is_scanned', v_file.scanned_at is not null, 'keep_at', v_keep_at, 'max_bytes', mill.max_document_bytes())
    -- Read by Google Vision on an earlier try of this job, which had to wait: each cost a call.
    || case when v_file.stage = 'ocr' then jsonb_build_object('pages_read', (
      select coalesce(jsonb_agg(p.page_number), '[]') from public.document_pages p
      where p.document_id = v_file.id and p.job_id = p_job and p.source = 'google_vision')) else '{}' end;
end
$$;

COMMENT ON FUNCTION public.begin_document_stage(p_job uuid, p_worker text, p_attempt integer) IS 'What a stage works on: {outcome: work, …}, or why the job has no work, as mill.judge_stage says it; null when the lease is lost.';

CREATE FUNCTION public.begin_document_upload(p_mime_type text, p_filename text DEFAULT NULL::text, p_idempotency_key text DEFAULT NULL::text, p_profile_id uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_profile uuid := coalesce(p_profile_id, public.default_profile());
  v_id uuid := mill.uuid7();
  v_extension text := mill.file_extension(p_mime_type);
  v_file public.shell_files;
  v_place text;
  v_over text[];
begin
  perform mill.refuse_in_maintenance();
  if v_extension is null then
    raise exception 'this is not a type of file that is read here' using errcode = 'GM047';
  end if;
  if not public.has_profile_access(auth.uid(), v_profile) then
    raise exception 'there is no such profile' using errcode = 'GM046';
  end if;
  insert into public.shell_files (
    id, patient_id, uploaded_by, filename, original_filename, mime_type, idempotency_key, created_at, updated_at)
  values (v_id, v_profile, auth.uid(), v_id || '.' || v_extension, left(p_filename, 300), p_mime_type, p_idempotency_key, v_now, v_now)
  on conflict (idempotency_key) do nothing;
  if not found then
    select f.* into v_file from public.shell_files f where f.idempotency_key = mill.document_key(v_profile, p_idempotency_key);
    v_id := v_file.id;
  else
    v_over := mill.upload_over_plan(v_profile);
    if v_over <> '{}' then
      delete from public.shell_files f where f.id = v_id;
      perform mill.note_limits(v_profile, v_over, v_now);
      return jsonb_build_object('over', v_over);
    end if;
  end if;
  v_place := format('%s/%s/%s.%s', v_profile, v_id, mill.uuid7(), v_extension);
  insert into mill.document_upload (place, document_id, begun_at) values (v_place, v_id, v_now);
  return jsonb_build_object('id', v_id, 'place', v_place, 'is_stored', coalesce(v_file.status, 'uploading') <> 'uploading', 'sha256', v_file.sha256);
end
$$;

COMMENT ON FUNCTION public.begin_document_upload(p_mime_type text, p_filename text, p_idempotency_key text, p_profile_id uuid) IS 'Registers an upload: {id, place, is_stored, sha256}, where is_stored says that an earlier upload with this key has ended; or {over}, the meters of the plan that forbid it.';

CREATE FUNCTION public.begin_erase_document(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_jobs uuid[];
  v_file public.shell_files;
begin
  perform mill.refuse_in_maintenance();
  if exists (select from public.shell_files f where f.id = p_id and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))) then
    select array_agg(j.id) into v_jobs from mill.job_live j
    where j.queue in ('fast', 'ai') and j.dedupe_key like 'document:' || p_id || ':%';
    perform mill.cancel(v_jobs);
  end if;
  v_file := mill.require_document(p_id);
  if v_file.status <> 'erasing' then
    delete from public.document_pages p where p.document_id = p_id;
    delete from public.document_blocks b where b.document_id = p_id;
    delete from public.document_entities e where e.document_id = p_id;
    delete from public.document_facts f where f.document_id = p_id;
    delete from public.document_narratives n where n.document_id = p_id;
    delete from mill.document_raw r where r.document_id = p_id;
    update public.shell_files f set status = 'erasing', original_filename = null, processing_error = '{}', verdict = null,
      updated_at = mill.now(), version = f.version + 1
    where f.id = p_id;
    perform mill.audit('shell_files', p_id::text, 'DELETE', null, jsonb_build_object('phase', 'begun'), 'erased on request', 'documents', v_file.patient_id);
  end if;
  return jsonb_build_object('places', coalesce(
    (select jsonb_agg(p.place) from (
      select mill.object_named(v_file.bucket, v_file.storage_path) as place where v_file.storage_path is not null
      -- A worker that died after it had copied the file may have left this one.
      union select mill.object_named(v_file.bucket, v_file.upload_path) where v_file.upload_path is not null
      union select u.place from mill.document_upload u where u.document_id = p_id) p), '[]'));
end
$$;

COMMENT ON FUNCTION public.begin_erase_document(p_id uuid) IS 'Erases what was read out of a document and marks it erasing; answers the places of its objects.';

CREATE FUNCTION public.begin_export(p_job uuid, p_worker text, p_attempt integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if mill.move_export((p_job, p_worker, p_attempt)::mill.holder, 25, 'fetching') is null then
    return null;
  end if;
  return (
    select jsonb_build_object('title', e.title, 'template', e.template, 'options', e.options, 'data', e.source, 'created_at', e.created_at)
    from mill.export e where e.id = p_job);
end
$$;

COMMENT ON FUNCTION public.begin_export(p_job uuid, p_worker text, p_attempt integer) IS 'What a worker is to set, or null when it holds the export no more.';

CREATE FUNCTION public.call_once(p_key text, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_request text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_caller text := mill.idempotency_caller();
  v_request bytea;
  v_answer jsonb;
begin
  if jsonb_typeof(p_arguments) is distinct from 'object' then
    raise exception 'the arguments must be an object' using errcode = 'GM004';
  end if;
  v_request := sha256(convert_to(concat_ws(' ', p_function, coalesce(p_request, (p_arguments - 'p_correlation_id')::text)), 'UTF8'));
  v_answer := mill.kept_answer(v_caller, p_key, v_request);
  if v_answer is not null then
    return jsonb_build_object('answer', v_answer, 'replayed', true);
  end if;

  v_answer := mill.call_repeatable(p_function, p_arguments);
  if v_answer @? (select r.created from mill.repeatable_call r where r.function = p_function) then
    if pg_column_size(v_answer) > 1048576 then
      raise exception 'the answer has more than 1 MiB and cannot be kept' using errcode = 'GM084', hint = 'Send fewer at a time.';
    end if;
    -- The same key may be there from more than 24 hours ago.
    insert into mill.idempotency_key (caller, key, request, answer, created_at) values (v_caller, p_key, v_request, v_answer, mill.now())
    on conflict (caller, key) do update set request = excluded.request, answer = excluded.answer, created_at = excluded.created_at;
  end if;
  return jsonb_build_object('answer', v_answer, 'replayed', false);
end
$$;

COMMENT ON FUNCTION public.call_once(p_key text, p_function text, p_arguments jsonb, p_request text) IS 'Calls a function that creates something, once per idempotency key of the caller in 24 hours: {answer, replayed}. Raises GM080 when the key was used for another request, GM081 while the first call is running, GM082 past the user''s number of keys.';

CREATE FUNCTION public.can_access_object(p_key text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return mill.may_object('read', p_key);
end
$$;

COMMENT ON FUNCTION public.can_access_object(p_key text) IS 'Whether the caller may read an object, or list below a prefix that ends in "/".';

CREATE FUNCTION public.can_remove_object(p_key text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return mill.may_object('remove', p_key);
end
$$;

COMMENT ON FUNCTION public.can_remove_object(p_key text) IS 'Whether the caller may remove this object.';

CREATE FUNCTION public.can_write_object(p_key text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return mill.may_object('write', p_key);
end
$$;

COMMENT ON FUNCTION public.can_write_object(p_key text) IS 'Whether the caller may store an object at this place.';

CREATE FUNCTION public.cancel_export(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_status text;
begin
  perform mill.refuse_in_maintenance();
  perform mill.lock_exports(auth.uid());
  if not exists (select from mill.export e where e.id = p_id and e.owner = auth.uid()) then
    raise exception 'there is no such export, or it is not yours' using errcode = 'GM050';
  end if;
  select c.status into v_status from mill.cancel(array[p_id]) c;
  if v_status = 'not_live' then
    raise exception 'the export has ended already' using errcode = 'GM053';
  end if;
  perform mill.note_ended_exports(array[p_id]);
  return (select mill.export_json(e) from mill.export e where e.id = p_id);
end
$$;

COMMENT ON FUNCTION public.cancel_export(p_id uuid) IS 'Cancels an export of the caller''s; GM053 once it has ended.';

CREATE FUNCTION public.cancel_jobs(p_ids uuid[]) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(to_jsonb(c)), '[]') from mill.cancel(p_ids) c
$$;

COMMENT ON FUNCTION public.cancel_jobs(p_ids uuid[]) IS 'Cancels jobs; cancelled, requested or not_live for each.';

CREATE FUNCTION public.cancel_workflow(p_id uuid) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.refuse_in_maintenance();
  -- Null for an unknown job and for another's alike.
  select mill.stop_workflow(j.id) from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

COMMENT ON FUNCTION public.cancel_workflow(p_id uuid) IS 'Cancels a job of the caller''s: {id, status, cancelled, running}. Raises GM067 when it has ended already.';

CREATE FUNCTION public.change_plan(p_profile_id uuid, p_plan text, p_reason text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_old text;
  v_is_up boolean;
begin
  perform mill.require_profile(p_profile_id);
  select p.plan into v_old from public.user_profiles p where p.id = p_profile_id for update;
  if not exists (select from public.subscription_plans s where s.plan_type = p_plan and s.is_active) then
    raise exception 'unknown plan "%"', left(p_plan, 64) using errcode = 'GM025';
  end if;
  if v_old = p_plan then
    return v_old;
  end if;
  v_is_up := (select n.monthly_price_cents > o.monthly_price_cents from public.subscription_plans n, public.subscription_plans o
              where n.plan_type = p_plan and o.plan_type = v_old);
  update public.user_profiles p set plan = p_plan, updated_at = mill.now() where p.id = p_profile_id;
  insert into mill.usage_event (profile_id, at, event_type, counts)
  values (p_profile_id, mill.now(), case when v_is_up then 'plan_upgraded' else 'plan_downgraded' end,
    jsonb_build_object('from', v_old, 'to', p_plan));
  perform mill.audit('user_profiles', p_profile_id::text, 'change_plan', jsonb_build_object('plan', v_old),
    jsonb_build_object('plan', p_plan), p_reason, 'usage', p_profile_id);
  return p_plan;
end
$$;

COMMENT ON FUNCTION public.change_plan(p_profile_id uuid, p_plan text, p_reason text) IS 'Puts a profile on a plan, with its event and its line in the audit log.';

CREATE FUNCTION public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority integer DEFAULT 5) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_watched text[];
begin
  perform mill.require_primary();
  if public.is_service_role() then
    perform mill.check_symbol(p_symbol, p_data_types, least(greatest(coalesce(p_priority, 5), -100), 100));
    return;
  end if;
  v_watched := array(
    select a.data_type from public.active_subscriptions_v2 a
    where a.user_id = auth.uid() and a.symbol = p_symbol and a.data_type = any (p_data_types)
      and a.last_seen_at > mill.now() - interval '5 minutes'
    order by a.data_type);
  perform mill.check_symbol(p_symbol, array[w.data_type], greatest(0, least(coalesce(p_priority, 5), mill.viewers(p_symbol, w.data_type))))
  from unnest(v_watched) w(data_type);
end
$$;

COMMENT ON FUNCTION public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority integer) IS 'Queues what is missing or stale of a symbol. A user reaches what the user watches, with at most the number of its viewers as priority.';

CREATE FUNCTION public.check_and_queue_stale_data_from_presence(presence_subscriptions jsonb DEFAULT NULL::jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  perform mill.check_presence(presence_subscriptions);
end
$$;

COMMENT ON FUNCTION public.check_and_queue_stale_data_from_presence(presence_subscriptions jsonb) IS 'Queues what is stale of what is in the list of subscriptions or, without a list, of what is watched. Does nothing while another run is at it.';

CREATE FUNCTION public.check_and_queue_stale_data_from_presence_v2(presence_subscriptions jsonb DEFAULT NULL::jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select public.check_and_queue_stale_data_from_presence(presence_subscriptions) $$;

COMMENT ON FUNCTION public.check_and_queue_stale_data_from_presence_v2(presence_subscriptions jsonb) IS 'check_and_queue_stale_data_from_presence under its second name.';

CREATE FUNCTION public.check_cron_job_health(p_critical_jobs text[] DEFAULT NULL::text[], critical_jobs text[] DEFAULT NULL::text[]) RETURNS TABLE(jobname text, last_run timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select w.name, h.at
  from (
    select unnest(coalesce(p_critical_jobs, critical_jobs)) as name
    union
    select s.name from mill.schedule s where coalesce(p_critical_jobs, critical_jobs) is null and s.is_critical) w
  left join (mill.schedule s join mill.heartbeat h on h.part = s.name) on s.name = w.name
  order by 1
$$;

COMMENT ON FUNCTION public.check_cron_job_health(p_critical_jobs text[], critical_jobs text[]) IS 'When each of the named cron jobs, or each critical one, last succeeded; null for one that never did and for one that does not exist.';

CREATE FUNCTION public.claim_jobs(p_worker text, p_queues text[], p_max integer, p_kinds text[] DEFAULT NULL::text[], p_invocation uuid DEFAULT NULL::uuid, p_leave_external boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_queues text[] := case when p_leave_external or p_invocation is not null
    then array(select q.queue from mill.queue q where q.queue = any (p_queues) and q.served_by <> 'external') else p_queues end;
  v_jobs jsonb;
  v_lease int;
begin
  if p_invocation is not null then
    -- A request that was given up may arrive after all.
    update mill.invocation i set begun_at = mill.now(), worker = p_worker, ended_at = null, failure = null
    from mill.queue q
    where i.id = p_invocation and i.begun_at is null and q.queue = i.queue
    returning least(q.lease_seconds, q.invocation_seconds) into v_lease;
    if not found then
      return '[]'::jsonb;
    end if;
  else
    perform mill.worker_seen(p_worker, v_queues);
  end if;
  perform mill.reclaim_while_pump_is_silent();

  select coalesce(jsonb_agg(to_jsonb(c)), '[]'::jsonb) into v_jobs from mill.claim(p_worker, v_queues, p_max, p_kinds, v_lease) c;

  -- An invocation that found nothing has nothing to settle: it ends here.
  if p_invocation is not null then
    update mill.invocation i
    set claimed = jsonb_array_length(v_jobs),
      jobs = array(select (j ->> 'id')::uuid from jsonb_array_elements(v_jobs) j),
      ended_at = case when v_jobs = '[]' then mill.now() end
    where i.id = p_invocation;
  end if;
  return v_jobs;
end
$$;

COMMENT ON FUNCTION public.claim_jobs(p_worker text, p_queues text[], p_max integer, p_kinds text[], p_invocation uuid, p_leave_external boolean) IS 'Leases due jobs to a worker, as an array.';

CREATE FUNCTION public.claim_next_job_v3(worker_id text, job_types text[] DEFAULT NULL::text[], heartbeat_interval_seconds integer DEFAULT NULL::integer) RETURNS TABLE(job_id uuid, job_type text, job_payload jsonb, retry_count integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_types text[] := coalesce(job_types, array(
    select k.kind from mill.kind k where k.part is null or k.part in ('engine', 'compat') or k.kind ~ '^(fast|ai)_queue_'));
  v_interval numeric := mill.worker_interval_seconds(heartbeat_interval_seconds);
  v_job record;
begin
  select c.* into v_job
  from mill.claim(
    worker_id,
    array(select distinct k.queue from mill.kind k where k.kind = any (v_types)),
    1,
    v_types) c;
  if found then
    perform mill.note_compat_leases(array[v_job.id], mill.worker_lease_seconds(v_interval), v_interval);
    return query select v_job.id, v_job.kind, v_job.payload, v_job.attempt - 1;
  end if;
end
$$;

COMMENT ON FUNCTION public.claim_next_job_v3(worker_id text, job_types text[], heartbeat_interval_seconds integer) IS 'Leases the next due job of the types, or of any, to a worker; no row when there is none.';

CREATE FUNCTION public.claim_refresh(p_worker text, p_queue text DEFAULT 'refresh'::text, p_max integer DEFAULT 50, p_invocation uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_jobs jsonb;
begin
  perform mill.require_primary();
  v_jobs := mill.claim_refresh(p_worker, p_queue, least(p_max, 50), p_invocation);
  return jsonb_build_object(
    'jobs', v_jobs,
    'types', (
      select coalesce(jsonb_object_agg(r.data_type, jsonb_build_object(
        'provider', r.provider, 'endpoint_template', r.endpoint_template, 'response_schema', r.response_schema, 'column_map', r.column_map,
        'symbol_column', r.symbol_column, 'source_timestamp_column', r.source_timestamp_column)), '{}')
      from public.data_type_registry r
      where r.is_enabled and r.data_type in (select j #>> '{payload,data_type}' from jsonb_array_elements(v_jobs) j)));
end
$$;

COMMENT ON FUNCTION public.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) IS 'Leases up to 50 refreshes to a processor, with the registry rows they need.';

CREATE FUNCTION public.is_service_role() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select coalesce(auth.jwt() ->> 'role', '') = 'service_role' $$;

COMMENT ON FUNCTION public.is_service_role() IS 'Whether the caller''s token carries the service role.';

CREATE TABLE mill.task (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    item integer DEFAULT 0 NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    finished_at timestamp with time zone,
    key text NOT NULL,
    value jsonb,
    output jsonb,
    error jsonb,
    CONSTRAINT task_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'queued'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'skipped'::text])))
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.task IS 'Every task of every job. A queued one is the engine''s job of the same id, or named in mill.ended. Item -1 stands for a list that was none.';

CREATE TABLE mill.task_claim (
    id uuid NOT NULL,
    worker text NOT NULL,
    attempt integer NOT NULL,
    heartbeat_at timestamp with time zone
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.task_claim IS 'The last claim of a task by a compat worker, and when the worker was last heard of.';

CREATE TABLE mill.task_sequence (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    kind text NOT NULL,
    sequence integer NOT NULL,
    is_begun boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.task_sequence IS 'The tasks that were inserted into job_tasks, with their places.';

CREATE VIEW public.job_tasks WITH (security_barrier='true') AS
 SELECT t.id,
    t.job_id,
    w.kind AS task_type,
    COALESCE(i.sequence, (((w."position" - 1) * 100000) + t.item)) AS sequence,
        CASE
            WHEN ((t.state = 'queued'::text) AND (l.state = 'processing'::text)) THEN
            CASE
                WHEN ((c.id IS NOT NULL) AND (c.heartbeat_at IS NULL)) THEN 'claimed'::text
                ELSE 'processing'::text
            END
            WHEN ((t.state = ANY (ARRAY['waiting'::text, 'queued'::text])) AND (COALESCE(e.state, ''::text) <> ALL (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text]))) THEN 'pending'::text
            WHEN (COALESCE(e.state, t.state) = 'completed'::text) THEN 'complete'::text
            ELSE 'failed'::text
        END AS status,
    COALESCE(l.payload, ( SELECT d.payload
           FROM mill.job d
          WHERE (d.id = t.id)
         LIMIT 1),
        CASE
            WHEN w.is_inserted THEN t.value
            ELSE NULL::jsonb
        END) AS input,
    COALESCE(t.output, e.output) AS output,
    COALESCE(l.worker, ( SELECT d.worker
           FROM mill.job d
          WHERE (d.id = t.id)
         LIMIT 1)) AS worker_id,
    COALESCE(l.started_at, ( SELECT d.started_at
           FROM mill.job d
          WHERE (d.id = t.id)
         LIMIT 1)) AS claimed_at,
        CASE
            WHEN (l.state = 'processing'::text) THEN COALESCE(c.heartbeat_at, l.started_at)
            ELSE NULL::timestamp with time zone
        END AS heartbeat_at,
    COALESCE(l.attempt, ( SELECT d.attempt
           FROM mill.job d
          WHERE (d.id = t.id)
         LIMIT 1), 0) AS attempts,
    COALESCE(l.max_attempts, ( SELECT d.max_attempts
           FROM mill.job d
          WHERE (d.id = t.id)
         LIMIT 1), w.max_attempts, ( SELECT q.max_attempts
           FROM (mill.kind k
             JOIN mill.queue q ON ((q.queue = k.queue)))
          WHERE (k.kind = w.kind))) AS max_attempts,
        CASE COALESCE(e.state, t.state)
            WHEN 'cancelled'::text THEN 'cancelled'::text
            WHEN 'skipped'::text THEN 'skipped: a task that it needs is not complete'::text
            ELSE (COALESCE(t.error, e.error, l.error) ->> 'message'::text)
        END AS error,
    t.key,
    t.item,
    w.phase,
        CASE
            WHEN ((t.state = 'completed'::text) OR (e.state = 'completed'::text)) THEN 100
            ELSE COALESCE((l.progress)::integer, 0)
        END AS progress,
    COALESCE(t.error, e.error, l.error) AS error_details,
    COALESCE(t.finished_at, e.at) AS finished_at
   FROM ((((((mill.task t
     JOIN mill.workflow j ON ((j.id = t.job_id)))
     JOIN mill.workflow_step w ON (((w.type = j.type) AND (w.version = j.version) AND (w.key = t.key))))
     LEFT JOIN mill.task_sequence i ON ((i.id = t.id)))
     LEFT JOIN mill.job_live l ON ((l.id = t.id)))
     LEFT JOIN mill.task_claim c ON (((c.id = l.id) AND (c.worker = l.worker) AND (c.attempt = l.attempt))))
     LEFT JOIN ( SELECT b.parent,
            u.id,
            b.state,
            b.at,
            u.output,
            u.error
           FROM (mill.ended b
             CROSS JOIN LATERAL UNNEST(b.ids, b.results, b.errors) u(id, output, error))) e ON (((e.parent = t.job_id) AND (e.id = t.id))))
  WHERE ((t.item >= 0) AND (public.is_service_role() OR (j.user_id = ( SELECT auth.uid() AS uid))));

COMMENT ON VIEW public.job_tasks IS 'Tasks of one''s own jobs. The service inserts tasks for jobs whose definition has none. Statuses: pending, claimed, processing, complete, failed.';

CREATE FUNCTION public.claim_tasks(p_worker_id text, p_max_tasks integer DEFAULT 5, p_task_types text[] DEFAULT NULL::text[]) RETURNS SETOF public.job_tasks
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease_seconds constant int := 300;
  v_types text[] := coalesce(p_task_types, array(select distinct w.kind from mill.workflow_step w));
  v_ids uuid[];
begin
  v_ids := array(
    select c.id from mill.claim(
      p_worker_id, array(select distinct k.queue from mill.kind k where k.kind = any (v_types)), coalesce(p_max_tasks, 5), v_types) c);
  perform mill.note_compat_leases(v_ids, v_lease_seconds);
  insert into mill.task_claim as c (id, worker, attempt)
  select j.id, j.worker, j.attempt from mill.job_live j where j.id = any (v_ids) order by j.id
  on conflict (id) do update set worker = excluded.worker, attempt = excluded.attempt, heartbeat_at = null;
  -- As job_tasks would show them, without its search through what has ended. A job that is no task of a workflow has no job_id.
  return query
  select j.id, t.job_id, j.kind, coalesce(i.sequence, (w.position - 1) * 100000 + t.item), 'claimed'::text, j.payload, null::jsonb, j.worker, j.started_at,
    j.started_at, j.attempt, j.max_attempts, j.error ->> 'message', t.key, t.item, w.phase, j.progress::int, j.error, null::timestamptz
  from unnest(v_ids) with ordinality c(id, place)
  join mill.job_live j on j.id = c.id
  left join mill.task t on t.id = c.id
  left join mill.task_sequence i on i.id = c.id
  left join mill.workflow f on f.id = t.job_id
  left join mill.workflow_step w on w.type = f.type and w.version = f.version and w.key = t.key
  order by c.place;
end
$$;

COMMENT ON FUNCTION public.claim_tasks(p_worker_id text, p_max_tasks integer, p_task_types text[]) IS 'Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow.';

CREATE FUNCTION public.claim_wake_up(p_job uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  v_queue mill.queue;
  v_id uuid;
begin
  -- Beside the relay a second request would save nothing, and would cost the news of a crash that the relay's answer brings (mill.answer_to_invocation).
  if mill.setting('wake.by_function', 'true') <> 'true' or mill.is_sent_at_once() then
    return null;
  end if;
  select q.* into v_queue
  from mill.queue q
  where q.served_by = 'function' and not q.paused and q.queue = coalesce(
    (select j.queue from mill.job_live j where j.id = p_job),
    (select p.queue from mill.pack p where p.first = mill.pack_of(p_job) and p.last >= p_job));
  if not found then
    return null;
  end if;

  -- The newest: it is most likely the one that this job has asked for.
  update mill.invocation i set handed_at = mill.now()
  where i.id = (
    select o.id from mill.invocation o
    where o.queue = v_queue.queue and o.ended_at is null and o.begun_at is null and o.handed_at is null
    order by o.asked_at desc
    limit 1
    for no key update skip locked)
  returning i.id into v_id;
  return case when v_id is not null
    then mill.signed_request(coalesce(v_queue.function, v_queue.url), v_id, mill.invocation_body(v_queue, v_id)::text) end;
end
$$;

COMMENT ON FUNCTION public.claim_wake_up(p_job uuid) IS 'The signed request of an invocation that was asked for and has not begun, of the queue of a job, as {url, headers, body}. One caller gets it, once.';

CREATE FUNCTION public.cleanup_steps() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(s.step order by s.place, s.step), '[]') from mill.cleanup_step s where s.enabled
$$;

COMMENT ON FUNCTION public.cleanup_steps() IS 'The names of the cleanup''s steps, in their order.';

CREATE FUNCTION public.complete_job(p_job_id uuid, p_worker_id text, p_job_result jsonb DEFAULT NULL::jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.settle_by_name(p_job_id, p_worker_id, jsonb_build_object('outcome', 'completed')
    || case when p_job_result is null then '{}' else jsonb_build_object('result', p_job_result) end) then
    return false;
  end if;
  perform mill.audit_jobs(array[p_job_id], 'complete', null, 'job_queue');
  return true;
end
$$;

COMMENT ON FUNCTION public.complete_job(p_job_id uuid, p_worker_id text, p_job_result jsonb) IS 'Completes a job that the worker holds; false when the lease is lost, and then nothing has changed.';

CREATE FUNCTION public.complete_queue_job(p_job_id uuid, p_data_size_bytes bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_payload jsonb := (select j.payload from mill.job_live j where j.id = p_job_id);
  v_done boolean;
begin
  perform mill.require_primary();
  v_done := mill.settle_compat_lease(p_job_id, jsonb_build_object(
    'outcome', 'completed', 'result', jsonb_build_object('status', 'completed', 'bytes', p_data_size_bytes)), '^refresh(-|$)');
  -- Only the first completion counts: a second one finds the job gone and adds no usage.
  if v_done then
    perform mill.end_refresh_pauses(jsonb_build_array(v_payload));
    perform mill.note_fetches(jsonb_build_array(v_payload || jsonb_build_object(
      'id', p_job_id, 'outcome', 'fetched', 'bytes', coalesce(p_data_size_bytes, 0))), mill.now());
  end if;
end
$_$;

COMMENT ON FUNCTION public.complete_queue_job(p_job_id uuid, p_data_size_bytes bigint) IS 'Completes a refresh that get_queue_batch gave out and counts its bytes. Nothing happens when no such lease runs.';

CREATE FUNCTION public.complete_task(p_task_id uuid, p_worker_id text, p_output jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.settle_by_name(p_task_id, p_worker_id, jsonb_build_object('outcome', 'completed', 'result', p_output)) then
    return false;
  end if;
  delete from mill.task_claim c where c.id = p_task_id;
  return true;
end
$$;

COMMENT ON FUNCTION public.complete_task(p_task_id uuid, p_worker_id text, p_output jsonb) IS 'Completes a task that the worker holds and starts what waited for it; false when the lease is lost, and then nothing has changed.';

CREATE FUNCTION public.confirm_cleanup_step(p_step text, p_keys text[]) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_confirm text := (select s.confirm from mill.cleanup_step s where s.step = p_step);
  v_report jsonb;
begin
  if v_confirm is null then
    raise exception 'cleanup step "%" has nothing to confirm', left(p_step, 64) using errcode = 'GM031';
  end if;
  execute format('select %s($1)', v_confirm) into v_report using p_keys;
  return coalesce(v_report, '{}');
end
$_$;

COMMENT ON FUNCTION public.confirm_cleanup_step(p_step text, p_keys text[]) IS 'These objects are gone: the step may forget their rows.';

CREATE FUNCTION public.cron_report() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'last_run', c.last_run_at, 'is_late', c.reason is not null) order by c.name), '[]')
  from mill.cron_health() c where c.is_critical
$$;

COMMENT ON FUNCTION public.cron_report() IS 'The critical schedules as an array of {name, last_run, is_late}.';

CREATE FUNCTION public.default_profile() RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_user uuid := auth.uid();
  v_profile uuid;
begin
  if v_user is null then
    raise exception 'sign in to have a profile' using errcode = '42501';
  end if;
  loop
    select p.id into v_profile from public.user_profiles p where p.user_id = v_user and p.is_default;
    exit when found;
    insert into public.user_profiles (user_id, is_default) values (v_user, true)
    on conflict (user_id) where is_default do nothing;
  end loop;
  return v_profile;
end
$$;

COMMENT ON FUNCTION public.default_profile() IS 'The caller''s own profile, made at the first call.';

CREATE FUNCTION public.discard_jobs(p_ids uuid[]) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(to_jsonb(d)), '[]') from mill.discard(p_ids) d
$$;

COMMENT ON FUNCTION public.discard_jobs(p_ids uuid[]) IS 'Deletes dead letters; discarded or not_dead for each.';

CREATE FUNCTION public.document_content(p_id uuid, p_parts text[]) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_strip_nulls(jsonb_build_object(
    'pages', case when 'pages' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('number', p.page_number, 'source', p.source, 'width', p.width, 'height', p.height, 'text', p.text,
        'words', case when 'words' = any (p_parts) then (
          select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('t', w.text, 'b', to_jsonb(w.box), 'c', w.confidence, 'l', w.line_number)) order by w.word_number), '[]')
          from public.document_words w where w.document_id = p_id and w.page_number = p.page_number) end) order by p.page_number), '[]')
      from public.document_pages p where p.document_id = p_id) end,
    'blocks', case when 'blocks' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('kind', b.kind, 'page', b.page_number, 'text', b.text, 'content', b.content, 'box', b.box) order by b.block_number), '[]')
      from public.document_blocks b where b.document_id = p_id) end,
    'entities', case when 'entities' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('kind', e.kind, 'text', e.text, 'detail', e.detail, 'page', e.page_number, 'box', e.box, 'confidence', e.confidence) order by e.entity_number), '[]')
      from public.document_entities e where e.document_id = p_id) end,
    'facts', case when 'facts' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('number', f.fact_number, 'kind', f.kind, 'name', f.name, 'value', f.value, 'code_system', f.code_system, 'code', f.code, 'page', f.page_number, 'box', f.box, 'confidence', f.confidence) order by f.fact_number), '[]')
      from public.document_facts f where f.document_id = p_id) end,
    'narrative', case when 'narrative' = any (p_parts) then (
      select jsonb_build_object('sentences', n.sentences, 'timeline', n.timeline) from public.document_narratives n where n.document_id = p_id) end))
$$;

COMMENT ON FUNCTION public.document_content(p_id uuid, p_parts text[]) IS 'Parts of a document: pages, words (with pages), blocks, entities, facts, narrative.';

CREATE FUNCTION public.document_events(p_id uuid, p_after bigint DEFAULT 0) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'ended', s.summary ->> 'status' in ('completed', 'failed', 'refused', 'infected'),
    'events', case when s.id > p_after then jsonb_build_array(jsonb_build_object('id', s.id, 'event', 'progress', 'data', s.summary)) else '[]' end)
  from (
    select f.version * 128 + (mill.document_summary(f) ->> 'percent')::int as id, mill.document_summary(f) as summary
    from public.shell_files f
    where f.id = p_id and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))) s
$$;

COMMENT ON FUNCTION public.document_events(p_id uuid, p_after bigint) IS 'What happened to a document after an event: {events, ended}; null when there is no such document.';

CREATE FUNCTION public.document_file(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object('path', d.place, 'name', coalesce(f.original_filename, f.filename))
  from public.document_place(p_id) d(place) join public.shell_files f on f.id = p_id
  where d.place is not null
$$;

COMMENT ON FUNCTION public.document_file(p_id uuid) IS 'Place and name of the checked file of a document of the caller''s; null for an unknown document and another''s alike.';

CREATE FUNCTION public.document_leftovers(p_limit integer DEFAULT 100) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with old as (
    select mill.now() - make_interval(secs => mill.setting('documents.upload_grace_seconds', '300')::double precision) as at)
  select jsonb_build_object(
    'uploads', coalesce((
      select jsonb_agg(jsonb_build_object('id', u.document_id, 'place', u.place)) from (
        select u.* from mill.document_upload u, old where u.begun_at < old.at
        order by u.looked_at nulls first, u.begun_at limit p_limit) u), '[]'),
    'erasing', coalesce((
      select jsonb_agg(f.id) from (
        select f.id from public.shell_files f, old where f.status = 'erasing' and f.updated_at < old.at limit p_limit) f), '[]'))
$$;

COMMENT ON FUNCTION public.document_leftovers(p_limit integer) IS 'Unfinished uploads and erasures: {uploads: [{id, place}], erasing: [id]}.';

CREATE FUNCTION public.document_place(p_id uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f
  where f.id = p_id and f.status in ('uploaded', 'processing', 'completed', 'failed')
    and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id));
  if v_file.id is not null and v_file.scanned_at is null then
    raise exception 'the file has not been checked yet' using errcode = 'GM048';
  end if;
  return mill.object_named(v_file.bucket, v_file.storage_path);
end
$$;

COMMENT ON FUNCTION public.document_place(p_id uuid) IS 'Where the checked file of a document of the caller''s lies, as BUCKET:KEY unless in gristmill; null for an unknown document and another''s alike.';

CREATE FUNCTION public.download_export(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_export mill.export;
  v_file jsonb;
begin
  select e.* into v_export from mill.export e where e.id = p_id and e.owner = auth.uid();
  if v_export.id is null then
    raise exception 'there is no such export, or it is not yours' using errcode = 'GM050';
  end if;
  update mill.export_history h set download_count = h.download_count + 1
  where h.id = p_id and h.expires_at > mill.now()
  returning jsonb_build_object('path', h.file_path, 'name', h.file_name, 'size', h.file_size) into v_file;
  if v_file is not null then
    return v_file;
  end if;
  if v_export.ended = 'completed' then
    raise exception 'the file was kept for % days and has expired', mill.setting('exports.expire_days', '7') using errcode = 'GM054';
  end if;
  raise exception 'there is no file yet' using errcode = 'GM055',
    detail = (select jsonb_build_object('status', s.status, 'progress', s.progress) from mill.export_status(p_id, v_export.ended) s);
end
$$;

COMMENT ON FUNCTION public.download_export(p_id uuid) IS 'Path and name of a finished export''s file, counted as a download; GM054 once expired, GM055 while there is none.';

CREATE FUNCTION public.download_export_batch(p_id uuid, p_partial boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_batch jsonb := public.get_export_batch(p_id);
  v_files jsonb;
begin
  if v_batch is null then
    raise exception 'there is no such batch, or it is not yours' using errcode = 'GM050';
  end if;
  if not p_partial and v_batch -> 'done' <> v_batch -> 'total' then
    raise exception 'the batch is not finished' using errcode = 'GM055',
      detail = jsonb_build_object('done', v_batch -> 'done', 'total', v_batch -> 'total');
  end if;
  with counted as (
    update mill.export_history h set download_count = h.download_count + 1
    where h.expires_at > mill.now() and h.id in (select i.export_id from mill.export_batch_item i where i.batch_id = p_id)
    returning h.*
  )
  select jsonb_agg(jsonb_build_object('path', c.file_path, 'name', c.file_name, 'size', c.file_size) order by i.position)
  into v_files
  from mill.export_batch_item i join counted c on c.id = i.export_id where i.batch_id = p_id;
  if v_files is not null then
    return v_files;
  elsif (v_batch ->> 'completed')::int > 0 then
    raise exception 'the files of this batch have expired' using errcode = 'GM054';
  end if;
  raise exception 'no export of this batch has a file' using errcode = 'GM055',
    detail = jsonb_build_object('done', v_batch -> 'done', 'total', v_batch -> 'total');
end
$$;

COMMENT ON FUNCTION public.download_export_batch(p_id uuid, p_partial boolean) IS 'Paths and names of a batch''s files, each counted as a download; GM055 while it runs, unless the finished part is enough.';

CREATE FUNCTION public.enqueue_job_v3(job_type text, job_name text, job_payload jsonb, job_category text DEFAULT 'standard'::text, priority integer DEFAULT 5, scheduled_at timestamp with time zone DEFAULT now()) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_payload jsonb := case
    when jsonb_typeof(job_payload) = 'object' and job_payload <> '{}'
      then '{"estimated_tokens": 1000}'::jsonb || job_payload
    else job_payload
  end;
  v_job record;
begin
  perform mill.refuse_in_maintenance();
  select e.id, e.status into v_job
  from mill.enqueue(jsonb_build_array(jsonb_build_object(
    'kind', job_type, 'name', job_name, 'payload', v_payload, 'category', job_category, 'priority', priority,
    'run_at', coalesce(scheduled_at, now()) + mill.backpressure_delay(job_type)))) e;
  if v_job.status = 'throttled' then
    raise exception 'the queue of "%" is full', job_type using errcode = 'GM006', hint = 'Try again later.';
  end if;
  perform mill.audit_jobs(array[v_job.id], 'enqueue', null, 'job_queue');
  return v_job.id;
end
$$;

COMMENT ON FUNCTION public.enqueue_job_v3(job_type text, job_name text, job_payload jsonb, job_category text, priority integer, scheduled_at timestamp with time zone) IS 'Enqueues one job of an allowed type; answers its id.';

CREATE FUNCTION public.enqueue_jobs(p_jobs jsonb) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(to_jsonb(e)), '[]') from mill.enqueue(p_jobs) e
$$;

COMMENT ON FUNCTION public.enqueue_jobs(p_jobs jsonb) IS 'Enqueues many jobs; new, duplicate or throttled for each.';

CREATE FUNCTION public.enqueue_many(p_kind text, p_payloads jsonb) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select to_jsonb(mill.enqueue_many(p_kind, p_payloads))
$$;

COMMENT ON FUNCTION public.enqueue_many(p_kind text, p_payloads jsonb) IS 'Enqueues a job of one kind for each payload; answers their ids, null for one that was throttled.';

CREATE FUNCTION public.explain_job(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_job jsonb := mill.explained_job(p_id);
  v_state text := v_job ->> 'state';
  v_code text;
  v_until timestamptz;
  v_sentence text;
begin
  if public.is_service_role() then
    return mill.explain_job(p_id);
  end if;
  if v_job is null or (v_job ->> 'owner')::uuid is distinct from auth.uid() then
    return null;
  end if;
  case
    when v_state = 'pending' then
      v_code := 'waiting';
      v_sentence := 'The job waits for its turn.';
    when v_state = 'processing' then
      v_code := 'running';
      v_sentence := 'The job is running.';
    when v_state = 'failed' then
      v_code := 'dead';
      v_sentence := 'The job has failed and is not tried again.';
    when v_state = 'retrying' then
      v_code := 'retrying';
      v_until := (v_job ->> 'run_at')::timestamptz;
      v_sentence := format('An attempt has failed. The job is tried again at %s.', mill.time_text(v_until));
    when v_state = 'deferred' then
      v_code := 'not_due';
      v_until := (v_job ->> 'run_at')::timestamptz;
      v_sentence := format('The job is not due before %s.', mill.time_text(v_until));
    else
      v_code := v_state;
      v_sentence := format('The job is %s.', v_state);
  end case;
  return jsonb_build_object('id', p_id, 'queue', v_job -> 'queue', 'kind', v_job -> 'kind', 'state', v_state, 'sentence', v_sentence,
    'reasons', jsonb_build_array(jsonb_build_object('code', v_code, 'until', v_until, 'sentence', v_sentence)));
end
$$;

COMMENT ON FUNCTION public.explain_job(p_id uuid) IS 'Why a job is not running: {id, queue, kind, state, sentence, reasons}. The service learns every reason, the owner only where the job stands; null for an unknown job and for another''s.';

CREATE FUNCTION public.export_batch_events(p_id uuid, p_after bigint DEFAULT 0) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.export_events_after(
    b.owner, array(select i.export_id from mill.export_batch_item i where i.batch_id = b.id), p_after)
  from mill.export_batch b where b.id = p_id and b.owner = auth.uid()
$$;

COMMENT ON FUNCTION public.export_batch_events(p_id uuid, p_after bigint) IS 'Events of all exports of a batch of the caller''s after one, or null.';

CREATE FUNCTION public.export_events(p_id uuid, p_after bigint DEFAULT 0) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.export_events_after(e.owner, array[e.id], p_after)
  from mill.export e where e.id = p_id and e.owner = auth.uid()
$$;

COMMENT ON FUNCTION public.export_events(p_id uuid, p_after bigint) IS 'Events of an export of the caller''s after one: {events: [{id, event, data}], ended}, or null.';

CREATE FUNCTION public.fail_document_stage(p_job uuid, p_worker text, p_attempt integer, p_outcome jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
  v_error jsonb := p_outcome -> 'error';
  v_calls jsonb;
begin
  v_error := v_error || coalesce((
    select jsonb_build_object('duration_ms', (extract(epoch from mill.now() - j.started_at) * 1000)::bigint)
    from mill.job_live j where j.id = p_job and j.started_at is not null), '{}');
  if v_error ? 'provider' then
    v_calls := jsonb_build_object('total_calls', 1, 'failed_calls', 1, 'rate_limit_hits', (v_error ->> 'type' = 'rate_limited')::int,
      'backpressure_delays', (p_outcome ->> 'outcome' = 'snoozed')::int);
    update public.shell_files f set processing_error = f.processing_error || mill.counted_calls(f.processing_error, v_calls)
    where f.id = v_file.id;
  end if;
  if not mill.settle_held(v_holder, p_outcome || jsonb_build_object('error', v_error)) then
    return false;
  end if;
  update public.shell_files f set updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, j.error_log, j.run_at)
  from mill.job_live j
  where j.id = p_job and j.state in ('retrying', 'deferred') and f.id = v_file.id;
  return true;
end
$$;

COMMENT ON FUNCTION public.fail_document_stage(p_job uuid, p_worker text, p_attempt integer, p_outcome jsonb) IS 'Returns the job of a stage to its queue and notes why with its document; false when the lease is lost.';

CREATE FUNCTION public.fail_job(p_job_id uuid, p_worker_id text, p_error_message text, p_error_details jsonb DEFAULT NULL::jsonb) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.settle_by_name(p_job_id, p_worker_id, jsonb_build_object('outcome', 'failed', 'error',
    coalesce(p_error_details, '{}') || jsonb_build_object('type', coalesce(p_error_details ->> 'type', 'error'), 'message', p_error_message)))
$$;

COMMENT ON FUNCTION public.fail_job(p_job_id uuid, p_worker_id text, p_error_message text, p_error_details jsonb) IS 'Fails an attempt of a job that the worker holds; it is retried or dead-lettered. False when the lease is lost.';

CREATE FUNCTION public.fail_queue_job(p_job_id uuid, p_error_message text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  perform mill.require_primary();
  perform mill.settle_compat_lease(p_job_id, jsonb_build_object(
    'outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', p_error_message, 'retryable', true)), '^refresh(-|$)');
end
$_$;

COMMENT ON FUNCTION public.fail_queue_job(p_job_id uuid, p_error_message text) IS 'Fails an attempt of a refresh that get_queue_batch gave out; three retries follow. Nothing happens when no such lease runs.';

CREATE FUNCTION public.fail_task(p_task_id uuid, p_worker_id text, p_error text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.settle_by_name(p_task_id, p_worker_id,
    jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', coalesce(p_error, ''))))
  then
    return false;
  end if;
  delete from mill.task_claim c where c.id = p_task_id;
  return true;
end
$$;

COMMENT ON FUNCTION public.fail_task(p_task_id uuid, p_worker_id text, p_error text) IS 'Fails an attempt of a task that the worker holds: tried again after a delay, or given up. False when the lease is lost.';

CREATE TABLE mill.export_history (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    document_id uuid,
    version integer NOT NULL,
    format text DEFAULT 'pdf'::text NOT NULL,
    template text NOT NULL,
    file_name text NOT NULL,
    file_path text NOT NULL,
    file_size bigint NOT NULL,
    page_count integer NOT NULL,
    download_count integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT downloads_are_counted_up CHECK ((download_count >= 0)),
    CONSTRAINT format_is_pdf CHECK ((format = 'pdf'::text))
);

COMMENT ON TABLE mill.export_history IS 'What can be downloaded. A row goes with its file; document_id is null once the document is gone.';

CREATE VIEW public.export_jobs WITH (security_barrier='true') AS
 SELECT e.id,
    e.owner AS user_id,
    e.document_id,
    'pdf'::text AS format,
    jsonb_build_object('templateSlug', e.template, 'pageSize',
        CASE (e.options ->> 'page_size'::text)
            WHEN 'a4'::text THEN 'A4'::text
            ELSE initcap((e.options ->> 'page_size'::text))
        END, 'margins', (e.options -> 'margins'::text), 'quality',
        CASE (e.options ->> 'quality'::text)
            WHEN 'standard'::text THEN 'normal'::text
            ELSE (e.options ->> 'quality'::text)
        END, 'colorMode', (e.options -> 'color_mode'::text)) AS options,
        CASE
            WHEN (l.state = ANY (ARRAY['deferred'::text, 'retrying'::text])) THEN 'pending'::text
            ELSE COALESCE(l.state, d.state, e.ended)
        END AS status,
    COALESCE((l.progress)::integer, (d.progress)::integer,
        CASE e.ended
            WHEN 'completed'::text THEN 100
            ELSE 0
        END) AS progress,
    COALESCE(l.attempt, d.attempt, 0) AS attempts,
    COALESCE(l.max_attempts, d.max_attempts, 5) AS max_attempts,
    COALESCE(l.run_at, d.run_at, e.created_at) AS run_after,
        CASE
            WHEN (h.id IS NOT NULL) THEN COALESCE(e.result_url, (('/v1/exports/'::text || e.id) || '/download'::text))
            WHEN ((e.result_url ~* '^https?://'::text) AND (e.result_url !~* '/storage/v1/'::text)) THEN e.result_url
            ELSE NULL::text
        END AS result_url,
    (COALESCE(h.file_size, (e.result_size)::bigint))::integer AS file_size,
    COALESCE(h.page_count, e.result_pages) AS page_count,
        CASE
            WHEN (l.id IS NOT NULL) THEN (l.error ->> 'message'::text)
            WHEN (COALESCE(d.state, e.ended) = 'failed'::text) THEN COALESCE(e.message, (d.error ->> 'message'::text))
            ELSE NULL::text
        END AS error_message,
    l.worker AS locked_by,
    COALESCE(l.started_at, d.started_at) AS started_at,
        CASE
            WHEN (l.id IS NULL) THEN COALESCE(d.finished_at, h.created_at)
            ELSE NULL::timestamp with time zone
        END AS completed_at,
    e.created_at
   FROM (((mill.export e
     LEFT JOIN mill.job_live l ON ((l.id = e.id)))
     LEFT JOIN mill.job d ON (((d.id = e.id) AND (d.state = ANY (ARRAY['completed'::text, 'cancelled'::text, 'failed'::text])))))
     LEFT JOIN mill.export_history h ON ((h.id = e.id)))
  WHERE ((e.owner = auth.uid()) OR public.is_service_role());

COMMENT ON VIEW public.export_jobs IS 'Exports under their compatible name. Inserting asks for one, updating is what the compat client and worker do.';

CREATE FUNCTION public.fetch_next_export_job(p_user_id uuid DEFAULT NULL::uuid) RETURNS SETOF public.export_jobs
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease_seconds constant int := 900;
  v_queue mill.queue;
  v_id uuid;
begin
  if p_user_id is null then
    select c.id into v_id from mill.claim('fetch_next_export_job', array['exports'], 1, array['export_pdf']) c;
    perform mill.note_compat_leases(array[v_id], v_lease_seconds);
    return query select j.* from public.export_jobs j where j.id = v_id;
    return;
  end if;
  perform mill.promote(100);
  select q.* into v_queue from mill.queue q where q.queue = 'exports' and not q.paused;
  perform pg_advisory_xact_lock(702231, hashtext('exports')); -- as mill.lock_jobs_within_caps
  select j.id into v_id from mill.job_live j
  where j.queue = v_queue.queue and not j.waits and j.state = 'pending'
    and j.lane = mill.lane_of(v_queue.dequeue, v_queue.max_running_per_group, p_user_id, p_user_id::text)
    and (select count(*) from mill.job_live r where r.slot = v_queue.queue and r.owner = p_user_id)
      < coalesce(v_queue.max_running_per_group, 1000000)
    and (select count(*) from mill.job_live r where r.slot = v_queue.queue)
      < coalesce(v_queue.max_running, 1000000)
  order by j.priority desc, j.turn limit 1 for update skip locked;
  update mill.job_live j set state = 'processing', attempt = j.attempt + 1, worker = 'fetch_next_export_job',
    started_at = mill.now(), slot = v_queue.queue, lease_until = mill.now() + make_interval(secs => v_queue.lease_seconds)
  where j.id = v_id;
  perform mill.note_compat_leases(array[v_id], v_lease_seconds);
  return query select j.* from public.export_jobs j where j.id = v_id;
end
$$;

COMMENT ON FUNCTION public.fetch_next_export_job(p_user_id uuid) IS 'Leases the next export, of one user when one is named, within the caps.';

CREATE FUNCTION public.finish_document_stage(p_job uuid, p_worker text, p_attempt integer, p_result jsonb, p_outcome jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
  v_next text := mill.stage_after(v_file.stage);
  v_rows int;
  v_over text[] := '{}'::text[];
begin
  if v_file.id is null then
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  if v_file.stage = 'security' and p_result ? 'size' then
    v_over := mill.measure_upload(v_file, p_job, p_result);
    perform mill.keep_scanned(v_file, p_result ->> 'place');
  end if;
  -- The uploader said fewer bytes than it stored, and the plan does not cover them.
  if v_over <> '{}' then
    perform mill.end_refused(v_file, p_job, 'refused', jsonb_build_object('type', 'unsupported', 'reason', 'plan_limit',
      'message', format('the plan does not cover its size: %s', array_to_string(v_over, ', ')), 'retryable', false),
      coalesce(p_result ->> 'place', v_file.storage_path));
    return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
  end if;
  -- Pages beyond the last are of an earlier run.
  if v_file.stage = 'ocr' then
    perform mill.write_page(v_file, p_job, p.page) from jsonb_array_elements(p_result -> 'pages') p(page);
    delete from public.document_pages p where p.document_id = v_file.id and p.page_number > (p_result ->> 'page_count')::int;
  end if;
  v_rows := case v_file.stage
    when 'spatial' then mill.write_blocks(v_file.id, p_result -> 'blocks')
    when 'pass1' then mill.write_entities(v_file.id, p_result -> 'entities')
    when 'pass2' then mill.write_facts(v_file.id, p_result -> 'facts')
    when 'pass3' then mill.write_narrative(v_file.id, p_result) end;
  update public.shell_files f set
    status = case when v_next is null then 'completed' else 'processing' end,
    completed_at = case when v_next is null then mill.now() end,
    verdict = coalesce(p_result -> 'verdict', f.verdict),
    page_count = coalesce((p_result ->> 'page_count')::int, f.page_count),
    processing_error = mill.resolved_errors(f.processing_error) || mill.counted_calls(f.processing_error, p_result -> 'usage'),
    updated_at = mill.now(), version = f.version + 1
  where f.id = v_file.id;
  perform mill.audit('documents.' || v_file.stage, v_file.id::text, 'UPDATE', null, jsonb_build_object('stage', v_file.stage, 'rows', v_rows),
    'processed', 'documents', v_file.patient_id, p_job);
  if p_result ? 'raw' and mill.setting('documents.keep_raw_answers', 'false')::boolean then
    insert into mill.document_raw (document_id, stage, at, answer) values (v_file.id, v_file.stage, mill.now(), p_result #>> '{raw,answer}');
  end if;
  perform mill.count_stage(v_file, p_job, p_result);
  if v_next is not null then
    perform mill.start_stage(v_file.id, v_next);
  end if;
  return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
end
$$;

COMMENT ON FUNCTION public.finish_document_stage(p_job uuid, p_worker text, p_attempt integer, p_result jsonb, p_outcome jsonb) IS 'Writes what a stage found, moves the document on and completes the job; false when the lease is lost, and then nothing has changed. A repeated call answers true.';

CREATE FUNCTION public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_file public.shell_files := mill.require_document(p_id);
  v_size bigint := coalesce(mill.stored_size(p_place), p_size);
  v_over text[];
begin
  if v_size is null or v_size not between 1 and mill.max_document_bytes() then
    raise exception 'a file has 1 to % bytes', mill.max_document_bytes() using errcode = 'GM049';
  end if;
  if p_sha256 !~ '^[0-9a-f]{64}$' then
    raise exception 'p_sha256 is the SHA-256 of the file, as 64 hexadecimal digits' using errcode = 'GM049';
  end if;
  delete from mill.document_upload u where u.place = p_place and u.document_id = p_id and not u.is_copy;
  if not found then
    -- The client repeats a call whose answer it never received, or the sweep finished the upload first.
    if v_file.upload_path is distinct from p_place then
      raise exception 'there is no such upload' using errcode = 'GM046';
    end if;
    update public.shell_files f set sha256 = p_sha256 where f.id = p_id and f.sha256 is null;
    return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', true);
  end if;
  if v_file.status = 'uploading' then
    v_over := mill.count_upload(v_file.patient_id, p_id, v_size, true);
    if v_over <> '{}' then
      delete from public.shell_files f where f.id = p_id and not exists (select from mill.document_upload u where u.document_id = p_id);
      return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false, 'over', v_over);
    end if;
    perform mill.register_upload(v_file, p_place, v_size, p_sha256);
    return jsonb_build_object('id', p_id, 'status', 'uploaded', 'is_new', true);
  end if;
  -- The digest of one that the sweep registered is found by its first stage; until then its size has to do.
  return jsonb_build_object('id', p_id, 'status', v_file.status, 'is_new', false,
    'is_other', coalesce(v_file.sha256 <> p_sha256, v_file.file_size_bytes is distinct from v_size));
end
$_$;

COMMENT ON FUNCTION public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) IS 'Ends an upload: {id, status, is_new, is_other, over}. Unless is_new, the caller removes what it stored; is_other: the key belongs to another file; over: the meters of the plan that forbid it.';

CREATE FUNCTION public.finish_erase_document(p_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  delete from public.shell_files f where f.id = p_id and f.status = 'erasing';
  if not found then
    return false;
  end if;
  perform mill.audit('shell_files', p_id::text, 'DELETE', jsonb_build_object('sha256', v_file.sha256), null, 'object, rows and derived text are gone', 'documents', v_file.patient_id);
  perform mill.uncount_storage(v_file.patient_id, p_id);
  return true;
end
$$;

COMMENT ON FUNCTION public.finish_erase_document(p_id uuid) IS 'Its objects are gone: the row of an erasing document goes too.';

CREATE FUNCTION public.finish_export(p_job uuid, p_worker text, p_attempt integer, p_path text, p_name text, p_pages integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_now timestamptz := mill.now();
  v_expires timestamptz := v_now + make_interval(days => mill.setting('exports.expire_days', '7')::int);
  v_export mill.export;
  v_size bigint;
begin
  select e.* into v_export from mill.export e where e.id = p_job;
  perform mill.lock_exports(v_export.owner);
  select f.size into v_size from mill.export_file f
  where f.path = p_path and f.export_id = p_job and f.attempt = p_attempt and f.state = 'writing' for update;
  if v_size is null or not mill.settle_held(v_holder, jsonb_build_object(
    'outcome', 'completed', 'result', jsonb_build_object('file', p_name, 'size', v_size, 'pages', p_pages)))
  then
    perform mill.note_ended_exports(array[p_job]);
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  update mill.export_file f set state = 'stored', expires_at = v_expires where f.path = p_path;
  insert into mill.export_history (
    id, user_id, document_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
  values (p_job, v_export.owner, v_export.document_id, v_export.version, v_export.template, p_name, p_path, v_size, p_pages,
    v_expires, v_now)
  -- A compat worker may have described its file before it completed the job.
  on conflict (id) do update set file_path = excluded.file_path, file_size = excluded.file_size, page_count = excluded.page_count,
    expires_at = excluded.expires_at;
  update mill.export e set ended = 'completed', message = null, source = null where e.id = p_job;
  perform mill.note_export(p_job, 'completed', jsonb_build_object('progress', 100, 'attempt', p_attempt, 'file',
    jsonb_build_object('name', p_name, 'size', v_size, 'pages', p_pages, 'expires_at', v_expires)));
  return true;
end
$$;

COMMENT ON FUNCTION public.finish_export(p_job uuid, p_worker text, p_attempt integer, p_path text, p_name text, p_pages integer) IS 'Completes an export whose file is stored; false when the export was cancelled or lost, and then nothing has changed. A repeated call answers true.';

CREATE FUNCTION public.forget_object(p_object text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  delete from mill.stored_object o where o.object = p_object;
  return found;
end
$$;

COMMENT ON FUNCTION public.forget_object(p_object text) IS 'An object of another bucket than gristmill is gone. For the storage stand-in.';

CREATE FUNCTION public.get_data_changes(p_after bigint DEFAULT 0) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_user uuid := auth.uid();
  v_events jsonb;
begin
  if v_user is null then
    raise exception 'sign in to watch' using errcode = '42501';
  end if;
  select jsonb_agg(jsonb_build_object('id', c.id, 'event', 'change', 'data', jsonb_build_object(
    'data_type', c.data_type, 'symbol', c.symbol, 'at', c.at, 'rows', mill.data_rows(c.data_type, c.symbol))) order by c.id)
  into v_events
  from (
    select max(c.id) as id, max(c.at) as at, c.data_type, c.symbol
    from mill.data_change c
    join public.active_subscriptions_v2 a on a.user_id = v_user and a.symbol = c.symbol and a.data_type = c.data_type
    where c.id > p_after
    group by c.data_type, c.symbol
    order by 1 limit 100) c;
  return jsonb_build_object('events', coalesce(v_events, '[]'), 'ended', false);
end
$$;

COMMENT ON FUNCTION public.get_data_changes(p_after bigint) IS 'What changed, after an event''s id, of what the caller watches.';

CREATE FUNCTION public.get_document(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown document and for another's alike.
  select mill.document_summary(f) || jsonb_build_object('verdict', f.verdict,
      'processing_error', f.processing_error || coalesce((
        select jsonb_build_object('current_error', w.error) from (select mill.waiting_error(f) as error) w where w.error is not null), '{}'))
    || public.document_content(f.id, array['entities', 'facts', 'narrative'])
  from public.shell_files f
  where f.id = p_id and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))
$$;

COMMENT ON FUNCTION public.get_document(p_id uuid) IS 'A document of the caller''s with all that was found in it, or null.';

CREATE FUNCTION public.get_export(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown one and for another's alike.
  select mill.export_json(e) from mill.export e where e.id = p_id and e.owner = auth.uid()
$$;

COMMENT ON FUNCTION public.get_export(p_id uuid) IS 'One export of the caller''s, or null.';

CREATE FUNCTION public.get_export_batch(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.export_batch_json(b.id) from mill.export_batch b where b.id = p_id and b.owner = auth.uid()
$$;

COMMENT ON FUNCTION public.get_export_batch(p_id uuid) IS 'One batch of the caller''s with its exports, or null.';

CREATE FUNCTION public.get_job(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown job and for another's alike.
  select jsonb_build_object(
    'id', j.id, 'queue', j.queue, 'kind', j.kind, 'name', j.name, 'state', j.state, 'priority', j.priority,
    'payload', j.payload, 'progress', j.progress, 'attempt', j.attempt, 'max_attempts', j.max_attempts,
    'result', j.result, 'error', j.error, 'correlation_id', j.correlation_id, 'traceparent', j.traceparent,
    'run_at', j.run_at, 'created_at', j.created_at, 'started_at', j.started_at, 'finished_at', j.finished_at)
  from (
    select j.id, j.queue, j.kind, j.name, j.state, j.priority, j.payload, j.progress, j.attempt, j.max_attempts, j.result, j.error,
      j.correlation_id, j.run_at, j.created_at, j.started_at, j.finished_at, j.owner, j.traceparent
    from mill.job j where j.id = p_id
    union all
    select p.id, p.queue, p.kind, p.name, p.state, p.priority, p.payload, p.progress, p.attempt, p.max_attempts, p.result, p.error,
      p.correlation_id, p.run_at, p.created_at, p.started_at, p.finished_at, p.owner, p.traceparent
    from mill.packed_job p where p.pack = mill.pack_of(p_id) and p.id = p_id) j
  where public.is_service_role() or j.owner = auth.uid()
$$;

COMMENT ON FUNCTION public.get_job(p_id uuid) IS 'One job of the caller''s (any, for the service), or null.';

CREATE FUNCTION public.get_job_logs(p_id uuid, p_after bigint DEFAULT 0) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Empty for an unknown job and for another's alike.
  select coalesce(jsonb_agg(jsonb_build_object('n', l.n, 'at', l.at, 'attempt', l.attempt, 'level', l.level, 'message', l.message, 'data', l.data) order by l.n), '[]')
  from mill.job_log l
  where l.job = p_id and l.n > p_after
    and (public.is_service_role() or exists (select from mill.job j where j.id = p_id and j.owner = auth.uid()))
$$;

COMMENT ON FUNCTION public.get_job_logs(p_id uuid, p_after bigint) IS 'The lines of the log of one job of the caller''s (any, for the service) after line p_after, in order.';

CREATE FUNCTION public.get_queue_batch(batch_size integer DEFAULT 50) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease_seconds constant int := 300;
  v_worker text := 'batch-' || mill.uuid7();
  v_share record;
  v_ids uuid[] := array[]::uuid[];
begin
  perform mill.require_primary();
  -- Claims of refresh queues take turns, so nobody else comes between the claims of this loop.
  perform mill.lock_refresh_claims();
  -- What is due again is counted by mill.share_batch only once it is pending. The pump does that every five seconds, and a processor that ends
  -- with an empty queue would end before.
  perform mill.promote(100);
  for v_share in select s.* from mill.share_batch(least(coalesce(batch_size, 50), 1000)) s order by s.queue loop
    v_ids := v_ids || array(
      select (j ->> 'id')::uuid from jsonb_array_elements(mill.claim_refresh(v_worker, v_share.queue, v_share.jobs, null)) j);
  end loop;
  perform mill.note_compat_leases(v_ids, v_lease_seconds);
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', j.id, 'symbol', j.payload ->> 'symbol', 'data_type', j.payload ->> 'data_type',
      'edge_function', r.edge_function_name, 'edge_function_name', r.edge_function_name,
      'priority', j.priority, 'estimated_size', (j.payload ->> 'estimated_size')::bigint) order by j.priority desc, j.turn), '[]')
    from mill.job_live j
    left join public.data_type_registry r on r.data_type = j.payload ->> 'data_type'
    where j.id = any (v_ids));
end
$$;

COMMENT ON FUNCTION public.get_queue_batch(batch_size integer) IS 'Leases due refreshes for five minutes, as an array of {id, symbol, data_type, edge_function, edge_function_name, priority, estimated_size}, highest priority first.';

CREATE FUNCTION public.get_user_usage_status(p_profile_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  return mill.usage_status(p_profile_id) || (
    select jsonb_build_object(
      'current_period', jsonb_build_object('start', s.month, 'end', (s.month + interval '1 month - 1 day')::date),
      'usage', (
        -- The compatible names of our meters.
        select jsonb_object_agg(n.key, jsonb_build_object('used', m.used, 'limit', m.allowed, 'percentage', mill.usage_percentage(m.used, m.allowed)))
        from jsonb_each_text('{"shell_files": "files", "pages": "pages", "ai_tokens": "ai_tokens"}') n
        join mill.usage_meters(p_profile_id, s.month) m on m.meter = n.value)
        || jsonb_build_object('storage', jsonb_build_object('used_mb', s.storage_mb, 'limit_mb', s.storage_mb_limit,
          'percentage', mill.usage_percentage(s.storage_mb, s.storage_mb_limit))),
      'status', jsonb_build_object('plan_type', s.plan_type, 'over_limit', s.is_over, 'upgrade_required', s.upgrade_required))
    from mill.usage_summary(p_profile_id) s);
end
$$;

COMMENT ON FUNCTION public.get_user_usage_status(p_profile_id uuid) IS 'What a profile has used this month: {current_period, usage, status}, and the keys of mill.usage_status; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted.';

CREATE FUNCTION public.get_workflow(p_id uuid, p_max_tasks integer DEFAULT 200) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown job and for another's alike.
  select mill.shown_progress(j) || jsonb_build_object(
    'version', j.version, 'params', j.params, 'output', j.output, 'correlation_id', j.correlation_id,
    'steps', (
      select coalesce(jsonb_agg(jsonb_build_object('key', w.key, 'kind', w.kind, 'phase', w.phase, 'needs', w.needs, 'each', w.each_of,
        'state', s.state, 'total', s.total, 'completed', s.completed, 'failed', s.failed, 'skipped', s.skipped) order by w.position), '[]')
      from mill.step s join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = s.key
      where s.job_id = j.id),
    'tasks', mill.task_states(j.id, least(p_max_tasks, 1000)),
    'artifacts', (
      select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'task_id', a.task_id, 'type', a.artifact_type, 'storage_path', a.storage_path, 'bucket', a.bucket,
        'bytes', a.file_size_bytes, 'duration', a.duration_seconds, 'sha256', a.sha256, 'title', a.title) order by a.artifact_type, a.task_id), '[]')
      from (select r.* from public.job_artifacts r where r.job_id = j.id order by r.id limit 1000) a))
  from mill.workflow j
  where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

COMMENT ON FUNCTION public.get_workflow(p_id uuid, p_max_tasks integer) IS 'One job of the caller''s (any, for the service) with its steps, its first tasks and its artifacts, or null.';

CREATE FUNCTION public.has_profile_access(p_user_id uuid, p_profile_id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select (coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') or p_user_id is not distinct from auth.uid())
    and (
      exists (select from public.user_profiles p where p.id = p_profile_id and p.user_id = p_user_id)
      or exists (
        select from public.profile_access_grants g
        where g.profile_id = p_profile_id and g.grantee_user_id = p_user_id
          and (g.expires_at is null or g.expires_at > mill.now())))
$$;

COMMENT ON FUNCTION public.has_profile_access(p_user_id uuid, p_profile_id uuid) IS 'Whether a user owns a profile or was let in. For a signed-in caller only about itself.';

CREATE FUNCTION public.health_report() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_check record;
  v_details jsonb;
  v_checks jsonb := jsonb_build_array();
  v_notes jsonb;
begin
  for v_check in select c.name, c.step from mill.health_check c order by c.place, c.name loop
    begin
      execute format('select coalesce(jsonb_agg(c.detail), ''[]'') from %s() c', v_check.step) into v_details;
    exception when others then
      v_details := jsonb_build_array('could not be looked at: ' || sqlstate);
    end;
    v_checks := v_checks || jsonb_build_object('name', v_check.name, 'ok', v_details = '[]', 'details', v_details);
  end loop;
  begin
    select coalesce(jsonb_agg(n.note), '[]') into v_notes from mill.health_notes() n;
  exception when others then
    v_notes := jsonb_build_array('notes could not be made: ' || sqlstate);
  end;
  return jsonb_build_object('checks', v_checks, 'notes', v_notes, 'at', mill.now());
end
$$;

COMMENT ON FUNCTION public.health_report() IS 'Every health check with what is not well, in words, and notes on what nobody serves; no content, no whole-table counts.';

CREATE FUNCTION public.heartbeat_jobs(p_worker text, p_leases jsonb) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.worker_seen(p_worker);
  select coalesce(jsonb_agg(to_jsonb(h)), '[]') from mill.heartbeat(p_worker, p_leases) h;
$$;

COMMENT ON FUNCTION public.heartbeat_jobs(p_worker text, p_leases jsonb) IS 'Extends leases [{id, attempt, progress, logs}]; held, lost or cancelled for each.';

CREATE FUNCTION public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress integer DEFAULT NULL::integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if not mill.heartbeat_by_name(p_task_id, p_worker_id, 300, p_progress) then
    return false;
  end if;
  update mill.task_claim c set heartbeat_at = mill.now() where c.id = p_task_id;
  return true;
end
$$;

COMMENT ON FUNCTION public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress integer) IS 'Extends the worker''s lease on a task; false when it is lost or the task was cancelled, and the worker must stop.';

CREATE FUNCTION public.invoke_processor_if_healthy() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  if mill.entry_lock('invoke-processor') and mill.has_pending('refresh') then
    perform mill.invoke('refresh', 'pump');
  end if;
end
$$;

COMMENT ON FUNCTION public.invoke_processor_if_healthy() IS 'Asks for one invocation of the processor when refreshes are due and its breaker allows it.';

CREATE FUNCTION public.invoke_processor_loop() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  if mill.entry_lock('invoke-processor-loop') then
    perform mill.pump_once();
  end if;
end
$$;

COMMENT ON FUNCTION public.invoke_processor_loop() IS 'One round of the pump: reclaims, promotes and invokes. Does nothing while another call is at it.';

CREATE FUNCTION public.is_data_stale(p_fetched_at timestamp with time zone, p_ttl_minutes integer) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if p_ttl_minutes <= 0 then
    raise exception 'a time to live of % minutes is not positive', p_ttl_minutes using errcode = '22023';
  end if;
  return coalesce(p_fetched_at <= mill.now() - make_interval(mins => p_ttl_minutes), true);
end
$$;

COMMENT ON FUNCTION public.is_data_stale(p_fetched_at timestamp with time zone, p_ttl_minutes integer) IS 'Whether data fetched then is older than its time to live; missing data is stale. A time to live of zero or less raises.';

CREATE FUNCTION public.is_profile_stale(p_modified_at timestamp with time zone, p_ttl_minutes integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select public.is_data_stale(p_modified_at, p_ttl_minutes) $$;

COMMENT ON FUNCTION public.is_profile_stale(p_modified_at timestamp with time zone, p_ttl_minutes integer) IS 'is_data_stale under its compatible name for company profiles.';

CREATE FUNCTION public.is_quota_exceeded(p_quota_gb numeric DEFAULT 20, p_rolling_days integer DEFAULT 30, p_safety_buffer numeric DEFAULT 0.95) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  return mill.is_quota_exceeded(nullif(p_quota_gb, 20), nullif(p_rolling_days, 30), nullif(p_safety_buffer, 0.95));
end
$$;

COMMENT ON FUNCTION public.is_quota_exceeded(p_quota_gb numeric, p_rolling_days integer, p_safety_buffer numeric) IS 'Whether the next batch would pass the data quota. Null and the compatible defaults (20 GB of 2^30 bytes, 30 days, 0.95) stand for the settings.';

CREATE FUNCTION public.is_valid_identifier(p_identifier text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$ select coalesce(p_identifier ~ '^[a-z_][a-z0-9_]{0,62}$', false) $_$;

COMMENT ON FUNCTION public.is_valid_identifier(p_identifier text) IS 'Whether a name may stand for a table, column or function in the registry.';

CREATE FUNCTION public.issue_ticket(p_function text, p_arguments jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_kind text := (select c.kind from mill.ticket_call c where c.function = p_function);
  v_expires timestamptz := mill.now() + make_interval(secs => mill.setting('streams.ticket_seconds', '75')::int);
  v_payload text;
begin
  if auth.uid() is null or v_kind is null or jsonb_typeof(p_arguments) is distinct from 'object' or p_arguments ? 'p_after' then
    raise exception 'a ticket cannot be given for this' using errcode = 'GM090';
  end if;
  -- A thing that the caller cannot read gets no ticket.
  if mill.call_with_ticket(p_function, p_arguments || jsonb '{"p_after": 9007199254740991}') is null then
    return null;
  end if;
  v_payload := mill.url_text(convert_to(jsonb_build_object('kind', v_kind, 'arguments', p_arguments, 'user', auth.uid(),
    'expires', floor(extract(epoch from v_expires))::bigint)::text, 'UTF8'));
  return jsonb_build_object('ticket', v_payload || '.' || mill.ticket_signature(v_payload), 'expires_at', date_trunc('second', v_expires));
end
$$;

COMMENT ON FUNCTION public.issue_ticket(p_function text, p_arguments jsonb) IS 'A ticket for a stream of the caller''s: {ticket, expires_at}, or null where there is nothing to read. Raises GM090 for what has no tickets.';

CREATE FUNCTION public.limit_of_call(p_provider_name text, p_model text, p_queue text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_endpoint text := (
    select l.api_endpoint from mill.api_rate_limits l
    where l.provider_name = p_provider_name
      and (l.api_endpoint = p_model or starts_with(p_model, l.api_endpoint || '-'))
    order by length(l.api_endpoint) desc limit 1);
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, coalesce(v_endpoint, p_model));
begin
  return jsonb_build_object('provider_name', v_limit.provider_name, 'api_endpoint', v_limit.api_endpoint, 'is_of_queue', exists (
    select from mill.queue q where q.queue = p_queue and q.provider = v_limit.provider_name and q.endpoint = v_limit.api_endpoint));
end
$$;

COMMENT ON FUNCTION public.limit_of_call(p_provider_name text, p_model text, p_queue text) IS 'The limit that a call of a model draws on: {provider_name, api_endpoint, is_of_queue}. is_of_queue: a claim from that queue has reserved one call of it. GM020 when there is none.';

CREATE FUNCTION public.list_documents(p_profile_id uuid DEFAULT NULL::uuid, p_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 50) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(mill.document_summary(f) order by f.created_at desc), '[]')
  from (
    select f.* from public.shell_files f
    where f.patient_id in (select public.accessible_profiles())
      and (p_profile_id is null or f.patient_id = p_profile_id) and (p_before is null or f.created_at < p_before)
    order by f.created_at desc limit least(greatest(p_limit, 1), 200)) f
$$;

COMMENT ON FUNCTION public.list_documents(p_profile_id uuid, p_before timestamp with time zone, p_limit integer) IS 'The caller''s documents, newest first, without their content.';

CREATE FUNCTION public.list_exports(p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(mill.export_json(p.export) order by (p.export).id desc), '[]')
  from (
    select e as export from mill.export e
    where e.owner = auth.uid() and (p_before is null or e.id < p_before)
    order by e.id desc
    limit least(greatest(p_limit, 1), 100)) p
$$;

COMMENT ON FUNCTION public.list_exports(p_limit integer, p_before uuid) IS 'The caller''s exports, newest first.';

CREATE FUNCTION public.list_workflows(p_limit integer DEFAULT 50, p_before uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(mill.shown_progress(j) order by j.id desc), '[]')
  from (
    select * from mill.workflow j
    where (public.is_service_role() or j.user_id = auth.uid()) and (p_before is null or j.id < p_before)
    order by j.id desc limit least(greatest(p_limit, 1), 200)) j
$$;

COMMENT ON FUNCTION public.list_workflows(p_limit integer, p_before uuid) IS 'The caller''s jobs (all, for the service), newest first; p_before is the last id of the page before.';

CREATE FUNCTION public.log_audit_event(p_table_name text, p_record_id text, p_action text, p_old_values jsonb DEFAULT NULL::jsonb, p_new_values jsonb DEFAULT NULL::jsonb, p_reason text DEFAULT NULL::text, p_source text DEFAULT NULL::text, p_patient_id uuid DEFAULT NULL::uuid, p_job_id uuid DEFAULT NULL::uuid, p_correlation_id text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.audit(p_table_name, p_record_id, p_action, p_old_values, p_new_values, p_reason,
    coalesce(p_source, 'api'), p_patient_id, p_job_id, p_correlation_id)
$$;

COMMENT ON FUNCTION public.log_audit_event(p_table_name text, p_record_id text, p_action text, p_old_values jsonb, p_new_values jsonb, p_reason text, p_source text, p_patient_id uuid, p_job_id uuid, p_correlation_id text) IS 'Appends an event to the audit log, in the caller''s transaction; answers its id.';

CREATE FUNCTION public.maintain_queue_partitions() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  perform mill.maintain_unless_running();
end
$$;

COMMENT ON FUNCTION public.maintain_queue_partitions() IS 'Prepares and drops day partitions; waits one second for a lock, then leaves it for the next time.';

CREATE FUNCTION public.metrics_report() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'queues', public.queue_stats(),
    'breakers', (select coalesce(jsonb_object_agg(b.target, b.state), '{}') from mill.breaker b),
    'schedules', (select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'age_seconds', c.age_seconds, 'late', c.reason is not null)), '[]')
                  from mill.cron_health() c),
    'alerts', (select coalesce(jsonb_agg(jsonb_build_object('rule', r.rule, 'severity', r.severity, 'threshold', r.threshold,
                 'firing', (select count(*) from mill.alert a where a.rule = r.rule and a.state = 'firing'))), '[]')
               from mill.alert_rule r where r.enabled),
    'rule_values', mill.rule_values(),
    'workers', (select count(*) from mill.worker w
                where w.seen_at > mill.now() - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int)))
$$;

COMMENT ON FUNCTION public.metrics_report() IS 'What /metrics shows: numbers under names of queues, targets, schedules and rules, no content.';

CREATE FUNCTION public.note_object(p_object text, p_size bigint, p_content_type text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_routine text;
  v_verdict boolean;
begin
  for v_routine in
    select r.routine from mill.object_rule r where r.act = 'replace' and r.bucket = split_part(p_object, ':', 1)
      and exists (select from mill.stored_object o where o.object = p_object)
  loop
    execute format('select %s($1, null)', v_routine) into v_verdict using substr(p_object, strpos(p_object, ':') + 1);
    if not v_verdict then
      return false;
    end if;
  end loop;
  insert into mill.stored_object as o (object, size, content_type, stored_at) values (p_object, p_size, p_content_type, mill.now())
  on conflict (object) do update set size = excluded.size, content_type = excluded.content_type, stored_at = excluded.stored_at;
  return true;
end
$_$;

COMMENT ON FUNCTION public.note_object(p_object text, p_size bigint, p_content_type text) IS 'An object of another bucket than gristmill is stored: BUCKET:KEY. False when an application refuses to have it replaced. For the storage stand-in.';

CREATE FUNCTION public.orphaned_objects(p_places text[]) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce(jsonb_agg(p.place), '[]') from unnest(p_places) p(place)
  -- Only what documents keep: {profile}/{document}/{file}, or quarantined. Other parts have places of their own.
  where p.place ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/|quarantine/)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.][a-z]{3,4}$'
    and not exists (select from public.shell_files f where f.storage_path = p.place and f.bucket = 'gristmill')
    and not exists (select from mill.document_upload u where u.place = p.place)
$_$;

COMMENT ON FUNCTION public.orphaned_objects(p_places text[]) IS 'Which of these objects belong to no document.';

CREATE FUNCTION public.pause_queue(p_queue text, p_paused boolean DEFAULT true) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.pause(p_queue, p_paused)
$$;

COMMENT ON FUNCTION public.pause_queue(p_queue text, p_paused boolean) IS 'Stops claims and invocations of a queue, or lets them go on; says whether it is paused now.';

CREATE FUNCTION public.queue_refresh_if_not_exists(p_symbol text, p_data_type text, p_priority integer DEFAULT 5, p_estimated_size bigint DEFAULT NULL::bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_type public.data_type_registry;
begin
  perform mill.require_primary();
  select r.* into v_type from public.data_type_registry r where r.data_type = p_data_type and r.is_enabled;
  if not found then
    raise exception 'there is no data type "%"', p_data_type using errcode = 'GM036';
  end if;
  perform mill.queue_refreshes(v_type, array[p_symbol], coalesce(p_priority, 5), p_estimated_size);
end
$$;

COMMENT ON FUNCTION public.queue_refresh_if_not_exists(p_symbol text, p_data_type text, p_priority integer, p_estimated_size bigint) IS 'Queues one refresh unless it is queued already or the quota is used up.';

CREATE FUNCTION public.queue_scheduled_refreshes() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_primary();
  perform mill.walk_all_scheduled();
end
$$;

COMMENT ON FUNCTION public.queue_scheduled_refreshes() IS 'Queues the next stretch of every scheduled type that is due. Does nothing while another run is at it.';

CREATE FUNCTION public.queue_stats() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'queue', q.queue, 'served_by', q.served_by, 'paused', q.paused,
    'pending', d.pending,
    'processing', mill.count_processing(q.queue),
    'oldest_due_seconds', round(extract(epoch from n.now - mill.oldest_due(q.queue)), 3),
    'dead', (select count(*) from (select from mill.job_dead j where j.queue = q.queue limit 100000) j),
    'last_minute', coalesce(m.outcomes, '{}'),
    'p50_ms', t.p50_ms, 'p95_ms', t.p95_ms, 'p99_ms', t.p99_ms,
    'mean_ms', round(w.mean_ms, 1),
    -- Work that waits, in seconds of one worker, and how many would clear it in the queue's target.
    'backlog_seconds', round(d.pending * w.mean_ms / 1000, 1),
    'target_seconds', q.target_seconds,
    'workers_wanted', ceil(d.pending * w.mean_ms / 1000 / q.target_seconds)::int) order by q.queue), '[]')
  from mill.queue q
  cross join (select mill.now() as now) n
  cross join lateral (select mill.depth(q.queue, 100000) as pending) d
  cross join lateral (
    -- A queue that has finished nothing in the hour is taken to need a second a job.
    select coalesce(sum(s.total_ms) / nullif(sum(s.jobs), 0), 1000) as mean_ms from mill.stat s
    where s.queue = q.queue and s.minute >= n.now - interval '1 hour' and s.outcome in ('completed', 'failed', 'dead')) w
  cross join lateral (
    select jsonb_object_agg(o.outcome, o.jobs) as outcomes from (
      select s.outcome, sum(s.jobs) as jobs from mill.stat s
      where s.queue = q.queue and s.minute >= date_trunc('minute', n.now) - interval '1 minute'
        and s.minute < date_trunc('minute', n.now)
      group by s.outcome) o) m
  cross join lateral mill.duration_quantiles(q.queue, n.now - interval '15 minutes') t
$$;

COMMENT ON FUNCTION public.queue_stats() IS 'Depth, age, throughput, durations, backlog in seconds of work and the workers that would clear it, for each queue.';

CREATE FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_claims jsonb := mill.ticket_claims(p_ticket);
  v_before text := coalesce(current_setting('request.jwt.claims', true), '');
  v_sub_before text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  v_answer jsonb;
begin
  if not exists (select from mill.ticket_call c where c.function = p_function and c.kind = v_claims ->> 'kind')
    or p_arguments - 'p_after' is distinct from v_claims -> 'arguments'
  then
    raise exception 'the ticket is for something else' using errcode = 'GM090', hint = 'Ask for a new one.';
  end if;
  -- Supabase's auth.uid() looks at the older setting first.
  perform set_config('request.jwt.claim.sub', '', true),
    set_config('request.jwt.claims', jsonb_build_object('sub', v_claims ->> 'user', 'role', 'authenticated')::text, true);
  v_answer := mill.call_with_ticket(p_function, p_arguments);
  -- What follows in the transaction is the caller's own again.
  perform set_config('request.jwt.claims', v_before, true), set_config('request.jwt.claim.sub', v_sub_before, true);
  return v_answer;
end
$$;

COMMENT ON FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb) IS 'What a function of mill.ticket_call answers to the user of the ticket. Raises GM090 for a ticket that is forged, expired or for something else.';

CREATE FUNCTION public.reclaim_stale_tasks() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.reclaim()
$$;

COMMENT ON FUNCTION public.reclaim_stale_tasks() IS 'Takes back expired leases, of tasks and of other jobs; says how many. The pump does so every few seconds.';

CREATE FUNCTION public.recover_stuck_jobs(timeout_minutes integer DEFAULT 5, max_retries integer DEFAULT 3) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_now timestamptz := mill.now();
begin
  perform mill.require_primary();
  update mill.job_live j set lease_until = v_now, max_attempts = least(j.max_attempts, coalesce(max_retries, 3) + 1)
  where j.ctid = any (array(
    select o.ctid from mill.queue q
    cross join lateral (
      select o.ctid from mill.job_live o
      where o.slot = q.queue and o.started_at <= v_now - make_interval(mins => coalesce(timeout_minutes, 5))
      limit 1000 for update skip locked) o
    where q.queue ~ '^refresh(-|$)'));
  perform mill.reclaim();
end
$_$;

COMMENT ON FUNCTION public.recover_stuck_jobs(timeout_minutes integer, max_retries integer) IS 'Takes back refreshes that run for longer than the minutes, and every expired lease.';

CREATE FUNCTION public.recover_upload(p_place text, p_size bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_forget interval := make_interval(secs => mill.setting('documents.upload_forget_seconds', '3600')::double precision);
  v_file public.shell_files;
  v_is_copy boolean;
begin
  select f.* into v_file from public.shell_files f
  where f.id = (select u.document_id from mill.document_upload u where u.place = p_place) for update;
  -- Read once the document is locked: an upload that finished while this call waited has no ticket any more, and its object stays.
  select u.is_copy into v_is_copy from mill.document_upload u where u.place = p_place;
  if v_is_copy is null then
    return case when exists (select from public.shell_files f where mill.object_named(f.bucket, f.storage_path) = p_place) then 'registered' else 'forgotten' end;
  end if;
  if v_is_copy and v_file.stage = 'security' and v_file.status in ('uploaded', 'processing') then
    update mill.document_upload u set looked_at = v_now where u.place = p_place;
    return 'waiting';
  elsif v_is_copy then
    delete from mill.document_upload u where u.place = p_place;
    return 'forgotten';
  end if;
  if p_size is null then
    update mill.document_upload u set looked_at = v_now where u.place = p_place and u.begun_at > v_now - v_forget;
    if found then
      return 'waiting';
    end if;
  end if;
  delete from mill.document_upload u where u.place = p_place;
  if p_size is null then
    delete from public.shell_files f
    where f.id = v_file.id and f.status = 'uploading' and not exists (select from mill.document_upload u where u.document_id = f.id);
    return 'forgotten';
  end if;
  if v_file.status <> 'uploading' then
    return 'forgotten';
  end if;
  perform mill.register_upload(v_file, p_place, p_size, null);
  perform mill.count_upload(v_file.patient_id, v_file.id, p_size, false);
  return 'registered';
end
$$;

COMMENT ON FUNCTION public.recover_upload(p_place text, p_size bigint) IS 'Ends an unfinished upload by the size of its object, null where there is none: registered; waiting, to be looked at again; forgotten, and then the object, if any, is to be removed.';

CREATE FUNCTION public.refresh_analytics_from_presence_v2() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_now timestamptz := mill.now();
  v_counted int;
begin
  if not mill.entry_lock('refresh-analytics-from-presence-v2') then
    return jsonb_build_object('skipped', true);
  end if;
  insert into public.subscription_analytics as s (symbol, data_type, watchers, counted_at)
  select a.symbol, a.data_type, count(*), v_now from public.active_subscriptions_v2 a
  where a.last_seen_at > v_now - interval '5 minutes'
  group by a.symbol, a.data_type
  on conflict (symbol, data_type) do update set watchers = excluded.watchers, counted_at = excluded.counted_at;
  get diagnostics v_counted = row_count;
  delete from public.subscription_analytics s where s.counted_at < v_now;
  return jsonb_build_object('counted', v_counted);
end
$$;

COMMENT ON FUNCTION public.refresh_analytics_from_presence_v2() IS 'Counts watchers by symbol and type; {counted} or {skipped}.';

CREATE FUNCTION public.refuse_document(p_job uuid, p_worker text, p_attempt integer, p_status text, p_error jsonb, p_place text, p_measured jsonb DEFAULT NULL::jsonb, p_outcome jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
begin
  if v_file.id is null then
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  if p_measured is not null then
    perform mill.measure_upload(v_file, p_job, p_measured);
  end if;
  perform mill.end_refused(v_file, p_job, p_status, p_error || jsonb_build_object('worker', p_worker, 'attempt', p_attempt), p_place);
  return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
end
$$;

COMMENT ON FUNCTION public.refuse_document(p_job uuid, p_worker text, p_attempt integer, p_status text, p_error jsonb, p_place text, p_measured jsonb, p_outcome jsonb) IS 'Ends a document as refused or infected, and its job with it; false when the lease is lost, and then nothing has changed. A repeated call answers true.';

CREATE FUNCTION public.register_jobs(p_definition jsonb, p_force boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_answer jsonb := jsonb '{"queues": [], "kinds": [], "kept": []}';
  v_item record;
  v_done jsonb;
begin
  perform pg_advisory_xact_lock(7022311640271844); -- any constant that only this uses
  perform mill.check_definition_fields(p_definition, array['queues', 'kinds'], '');
  for v_item in
    select d.part, d.value, format('/%s/%s', d.part, d.ordinality - 1) as place
    from (
      select 'queues' as part, q.* from jsonb_array_elements(coalesce(p_definition -> 'queues', '[]')) with ordinality q
      union all
      select 'kinds' as part, k.* from jsonb_array_elements(coalesce(p_definition -> 'kinds', '[]')) with ordinality k) d
    order by d.part desc, d.ordinality -- queues first
  loop
    if v_item.part = 'queues' then
      v_done := mill.register_queue(v_item.value, v_item.place, p_force);
      v_answer := jsonb_insert(v_answer, '{queues,-1}', jsonb_build_object('queue', v_item.value -> 'queue', 'status', v_done -> 'status'), true);
    else
      if jsonb_typeof(v_item.value) = 'object' and v_item.value ->> 'queue' is not null
        and not exists (select from mill.queue q where q.queue = v_item.value ->> 'queue')
      then
        perform mill.register_queue(jsonb_build_object('queue', v_item.value -> 'queue'), v_item.place, p_force);
        v_answer := jsonb_insert(v_answer, '{queues,-1}', jsonb_build_object('queue', v_item.value -> 'queue', 'status', 'created'), true);
      end if;
      v_done := mill.register_kind(v_item.value, v_item.place, p_force);
      v_answer := jsonb_insert(v_answer, '{kinds,-1}', jsonb_build_object('kind', v_item.value -> 'kind', 'status', v_done -> 'status'), true);
    end if;
    v_answer := jsonb_set(v_answer, '{kept}', v_answer -> 'kept' || (
      select coalesce(jsonb_agg(jsonb_build_object(rtrim(v_item.part, 's'), v_item.value -> rtrim(v_item.part, 's')) || k.value), '[]')
      from jsonb_array_elements(v_done -> 'kept') k));
  end loop;
  return v_answer;
end
$$;

COMMENT ON FUNCTION public.register_jobs(p_definition jsonb, p_force boolean) IS 'Creates and updates queues and kinds from {queues, kinds}; says what became of each, and which options were kept as an operator has changed them.';

CREATE FUNCTION public.register_stored_file(p_storage_path text, p_filename text DEFAULT NULL::text, p_mime_type text DEFAULT NULL::text, p_size bigint DEFAULT NULL::bigint, p_idempotency_key text DEFAULT NULL::text, p_profile_id uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_id uuid;
begin
  insert into public.shell_files as f (patient_id, filename, original_filename, file_size_bytes, mime_type, storage_path, idempotency_key, status)
  values (coalesce(p_profile_id, public.default_profile()), left(p_filename, 300), left(p_filename, 300), p_size, p_mime_type, p_storage_path,
    coalesce(p_idempotency_key, p_storage_path), 'uploaded')
  on conflict (idempotency_key) do update set status = excluded.status
  returning f.id into v_id;
  return (select jsonb_build_object('id', f.id, 'status', f.status) from public.shell_files f where f.id = v_id);
end
$$;

COMMENT ON FUNCTION public.register_stored_file(p_storage_path text, p_filename text, p_mime_type text, p_size bigint, p_idempotency_key text, p_profile_id uuid) IS 'Makes a document of a file that the caller has stored in medical-docs: {id, status}. A repeat answers the same document.';

CREATE FUNCTION public.release_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer DEFAULT 1000, p_actual_tokens integer DEFAULT NULL::integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease mill.api_lease;
begin
  perform mill.api_limit(p_provider_name, p_api_endpoint);
  select l.* into v_lease from mill.api_lease l
  where l.provider = p_provider_name and l.endpoint = p_api_endpoint and l.ended_at is null and l.is_compat
  order by (l.tokens <> coalesce(p_estimated_tokens, 1000)), l.taken_at
  limit 1
  for update skip locked;
  if found then
    perform mill.end_api_lease(v_lease, p_actual_tokens);
  end if;
end
$$;

COMMENT ON FUNCTION public.release_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer, p_actual_tokens integer) IS 'Gives back a call that acquire_api_capacity reserved and settles its actual tokens; without them the estimate stands.';

CREATE FUNCTION public.report_api_rate_limit(p_provider_name text, p_api_endpoint text, p_retry_after_seconds integer DEFAULT NULL::integer) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
  v_now timestamptz := mill.now();
begin
  update mill.api_rate_limits l set
    provider_refusals = l.provider_refusals + 1,
    last_rate_limit_hit = v_now,
    -- An hour at the most: a provider's mistake must not stop a queue for a year.
    blocked_until = greatest(l.blocked_until, v_now + make_interval(
      secs => least(greatest(coalesce(p_retry_after_seconds, l.backpressure_delay_seconds), 0), 3600)))
  where l.provider_name = p_provider_name and l.api_endpoint = p_api_endpoint
  returning l.* into v_limit;
  insert into mill.event (at, code, detail) values (v_now, 'rate_limited',
    jsonb_build_object('provider', p_provider_name, 'endpoint', p_api_endpoint));
  return v_limit.blocked_until;
end
$$;

COMMENT ON FUNCTION public.report_api_rate_limit(p_provider_name text, p_api_endpoint text, p_retry_after_seconds integer) IS 'A provider said 429: nobody is let through for its Retry-After, or for the limit''s own delay. Answers until when.';

CREATE FUNCTION public.report_export(p_job uuid, p_worker text, p_attempt integer, p_progress integer, p_message text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.move_export((p_job, p_worker, p_attempt)::mill.holder, least(greatest(p_progress, 0), 99), left(p_message, 200)) is not null
$$;

COMMENT ON FUNCTION public.report_export(p_job uuid, p_worker text, p_attempt integer, p_progress integer, p_message text) IS 'How far an export is; false tells the worker to stop.';

CREATE FUNCTION public.reprocess_document(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  perform mill.refuse_in_maintenance();
  if v_file.status not in ('completed', 'failed') then
    raise exception 'a document that is % cannot be processed again', v_file.status using errcode = 'GM048';
  end if;
  update public.shell_files f set run = f.run + 1, status = 'uploaded', stage_jobs = '{}', completed_at = null, processing_error = mill.resolved_errors(f.processing_error)
  where f.id = p_id;
  perform mill.start_stage(p_id, 'security');
  perform mill.audit('shell_files', p_id::text, 'UPDATE', null, jsonb_build_object('run', v_file.run + 1), 'processed again on request', 'documents', v_file.patient_id);
  return jsonb_build_object('id', p_id, 'run', v_file.run + 1);
end
$$;

COMMENT ON FUNCTION public.reprocess_document(p_id uuid) IS 'Starts a finished or failed document over.';

CREATE FUNCTION public.request_export(p_document_id uuid, p_template text DEFAULT 'minimal'::text, p_options jsonb DEFAULT '{}'::jsonb, p_correlation_id text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if auth.uid() is null then
    raise exception 'sign in to export' using errcode = '42501';
  end if;
  v_ids := mill.request_exports(auth.uid(), array[p_document_id], p_template, p_options, p_correlation_id);
  return (select mill.export_json(e) from mill.export e where e.id = v_ids[1]);
end
$$;

COMMENT ON FUNCTION public.request_export(p_document_id uuid, p_template text, p_options jsonb, p_correlation_id text) IS 'Asks for a PDF of one of the caller''s documents; answers the export.';

CREATE FUNCTION public.request_export_batch(p_document_ids uuid[], p_template text DEFAULT 'minimal'::text, p_options jsonb DEFAULT '{}'::jsonb, p_correlation_id text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_batch uuid := mill.uuid7();
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if auth.uid() is null then
    raise exception 'sign in to export' using errcode = '42501';
  end if;
  if coalesce(cardinality(p_document_ids), 0) not between 1 and 10 then
    raise exception 'a batch has 1 to 10 documents' using errcode = 'GM004';
  end if;
  v_ids := mill.request_exports(auth.uid(), p_document_ids, p_template, p_options, p_correlation_id);
  insert into mill.export_batch (id, owner, created_at) values (v_batch, auth.uid(), mill.now());
  insert into mill.export_batch_item (batch_id, position, export_id)
  select v_batch, i.position, i.id from unnest(v_ids) with ordinality i(id, position);
  return mill.export_batch_json(v_batch);
end
$$;

COMMENT ON FUNCTION public.request_export_batch(p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) IS 'Asks for PDFs of up to ten of the caller''s documents, all or none; answers the batch.';

CREATE FUNCTION public.reschedule_job(p_job_id uuid, p_delay_seconds integer, p_reason text, p_add_jitter boolean DEFAULT true) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_delay numeric := greatest(coalesce(p_delay_seconds, mill.setting('queue.backpressure_delay_seconds', '30')::numeric), 0);
  v_jitter numeric := case when coalesce(p_add_jitter, true) then round(random()::numeric * least(v_delay / 2, 30), 3) else 0 end;
begin
  return mill.reschedule_compat_lease(p_job_id, v_delay, v_jitter, coalesce(p_reason, 'rescheduled'));
end
$$;

COMMENT ON FUNCTION public.reschedule_job(p_job_id uuid, p_delay_seconds integer, p_reason text, p_add_jitter boolean) IS 'Puts a running job off without consuming an attempt, with jitter of at most half of the delay and 30 s; false when no compat claim holds it.';

CREATE FUNCTION public.reserve_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint DEFAULT 1000) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
  v_tokens bigint := greatest(coalesce(p_estimated_tokens, 1000), 0);
begin
  if v_tokens > least(v_limit.tokens_per_minute, v_limit.tokens_per_hour) then
    raise exception '% tokens are more than % / % ever admits at once', v_tokens, p_provider_name, p_api_endpoint
      using errcode = 'GM021', hint = 'Split the request, or raise the limit.';
  end if;
  return mill.grant_api_capacity(p_provider_name, p_api_endpoint, v_tokens, false);
end
$$;

COMMENT ON FUNCTION public.reserve_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint) IS 'Reserves one call of a provider with its estimated tokens: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}.';

CREATE FUNCTION public.reserve_export_file(p_job uuid, p_worker text, p_attempt integer, p_size bigint, p_bucket text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_owner uuid := mill.move_export((p_job, p_worker, p_attempt)::mill.holder, 75, 'writing');
  v_path text := (select f.path from mill.export_file f where f.export_id = p_job and f.attempt = p_attempt);
  v_time bigint := extract(epoch from mill.now()) * 1000;
begin
  if v_owner is null then
    return null;
  elsif v_path is not null then
    return v_path; -- Said twice, because the first answer was lost: the room is taken already.
  elsif coalesce(p_bucket, 'exports') <> 'exports' then
    raise exception 'exports lie in the bucket exports' using errcode = 'GM004';
  end if;
  perform mill.check_export_storage(v_owner, p_size);
  loop
    v_path := case when p_bucket is null then format('%s/exports/%s/%s.pdf', v_owner, p_job, p_attempt)
      else (select format('exports:%s/%s_%s.pdf', v_owner, coalesce(e.document_id, e.id), v_time) from mill.export e where e.id = p_job) end;
    insert into mill.export_file (path, export_id, attempt, owner, size, created_at)
    values (v_path, p_job, p_attempt, v_owner, p_size, mill.now()) on conflict (path) do nothing;
    exit when found or p_bucket is null;
    v_time := v_time + 1; -- two exports of one document within a millisecond
  end loop;
  return v_path;
end
$$;

COMMENT ON FUNCTION public.reserve_export_file(p_job uuid, p_worker text, p_attempt integer, p_size bigint, p_bucket text) IS 'Where a worker is to store its file, with room for it taken; null when it holds the export no more, GM051 without room.';

CREATE FUNCTION public.reset_job_immediate(p_job_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  perform mill.require_primary();
  perform mill.settle_compat_lease(p_job_id, jsonb_build_object('outcome', 'released'), '^refresh(-|$)');
end
$_$;

COMMENT ON FUNCTION public.reset_job_immediate(p_job_id uuid) IS 'Gives a refresh that get_queue_batch gave out back at once, without consuming its attempt: for deadlocks. Nothing happens when no such lease runs.';

CREATE FUNCTION public.retry_jobs(p_ids uuid[]) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(to_jsonb(r)), '[]') from mill.retry(p_ids) r
$$;

COMMENT ON FUNCTION public.retry_jobs(p_ids uuid[]) IS 'Sends dead letters back to pending; retried, duplicate, unknown_kind or not_dead for each.';

CREATE FUNCTION public.retry_workflow(p_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_job mill.workflow;
begin
  perform mill.refuse_in_maintenance();
  select * into v_job from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid());
  if not found then
    return null;
  end if;
  if v_job.status <> 'failed' then
    raise exception 'only a failed job can be resumed; this one is %', v_job.status using errcode = 'GM067';
  end if;
  if v_job.compensating then
    raise exception 'the job has been undone by its compensation and cannot be resumed' using errcode = 'GM067',
      hint = 'Start it anew.';
  end if;
  perform mill.retry(array(select t.id from mill.task t where t.job_id = p_id and t.state = 'failed'));
  perform mill.resume_workflow(p_id, '{}');
  return (select mill.shown_progress(j) from mill.workflow j where j.id = p_id);
end
$$;

COMMENT ON FUNCTION public.retry_workflow(p_id uuid) IS 'Resumes a failed job of the caller''s from its failed tasks, keeping what is done. Raises GM067 when there is nothing to resume.';

CREATE FUNCTION public.run_cleanup_step(p_step text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_step mill.cleanup_step;
  v_report jsonb;
  v_error text;
begin
  select s.* into v_step from mill.cleanup_step s where s.step = p_step and s.enabled;
  if not found then
    raise exception 'there is no cleanup step "%"', left(p_step, 64) using errcode = 'GM031';
  end if;
  begin
    execute format('select %s($1)', v_step.run) into v_report using v_step.max_items;
  exception
    when query_canceled then
      raise;
    when others then
      v_error := format('%s %s', sqlstate, sqlerrm);
      v_report := jsonb_build_object('error', sqlstate);
      insert into mill.event (at, code, detail) values (mill.now(), 'cleanup_failed',
        jsonb_build_object('step', p_step, 'sqlstate', sqlstate, 'message', sqlerrm));
  end;
  update mill.cleanup_step s set last_run_at = mill.now(), last_error = v_error, last_report = v_report - 'remove'
  where s.step = p_step;
  perform mill.record_heartbeat('cleanup');
  return coalesce(v_report, '{}');
end
$_$;

COMMENT ON FUNCTION public.run_cleanup_step(p_step text) IS 'Runs a piece of a cleanup step; answers its report, with more when there is more and remove where objects must go first.';

CREATE FUNCTION public.run_schedules(p_trigger_of text, p_schedule text) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_object_agg(s.name, mill.run_schedule(s.name)), '{}')
  from mill.schedule s where s.trigger_of = p_trigger_of and s.schedule = p_schedule
$$;

COMMENT ON FUNCTION public.run_schedules(p_trigger_of text, p_schedule text) IS 'Runs what a cron trigger stands for; says for each schedule whether it succeeded.';

CREATE FUNCTION public.save_document_page(p_job uuid, p_worker text, p_attempt integer, p_page jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_file public.shell_files := mill.document_of_job((p_job, p_worker, p_attempt)::mill.holder);
begin
  if v_file.id is null then
    return false;
  end if;
  perform mill.write_page(v_file, p_job, p_page);
  return true;
end
$$;

COMMENT ON FUNCTION public.save_document_page(p_job uuid, p_worker text, p_attempt integer, p_page jsonb) IS 'Keeps a page, as mill.write_page has it; false when the lease is lost.';

CREATE FUNCTION public.set_maintenance(p_enabled boolean, p_reason text DEFAULT NULL::text, p_retry_after_seconds integer DEFAULT 60) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform set_config('mill.reason', coalesce(p_reason, ''), true); -- for the audit log
  insert into mill.settings (key, value, type, description) values
    ('maintenance.enabled', coalesce(p_enabled, false)::text, 'boolean', 'Writing routes answer 503; reads and running jobs go on'),
    ('maintenance.reason', coalesce(p_reason, ''), 'string', 'Why; callers are told'),
    ('maintenance.retry_after_seconds', least(greatest(coalesce(p_retry_after_seconds, 60), 1), 86400)::text, 'number', 'When callers should come back')
  on conflict (key) do update set value = excluded.value, updated_at = mill.now();
  return coalesce(p_enabled, false);
end
$$;

COMMENT ON FUNCTION public.set_maintenance(p_enabled boolean, p_reason text, p_retry_after_seconds integer) IS 'Stops users'' writes, or lets them go on; says whether they are stopped now.';

CREATE FUNCTION public.settle_and_claim(p_worker text, p_outcomes jsonb, p_queues text[], p_max integer, p_kinds text[] DEFAULT NULL::text[], p_leave_external boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_queues text[] := case when p_leave_external
    then array(select q.queue from mill.queue q where q.queue = any (p_queues) and q.served_by <> 'external') else p_queues end;
  v_settled jsonb := jsonb '[]';
  v_jobs jsonb;
begin
  perform mill.worker_seen(p_worker, v_queues);
  if p_outcomes is distinct from '[]' then
    v_settled := public.settle_jobs(p_worker, p_outcomes);
  end if;
  perform mill.reclaim_while_pump_is_silent(); -- after the settlement: it locks rows in whatever order, and skips those that are locked
  select coalesce(jsonb_agg(to_jsonb(c)), '[]') into v_jobs
  from mill.claim(p_worker, v_queues, p_max, p_kinds, p_waits => p_outcomes = '[]') c;
  return jsonb_build_object('settled', v_settled, 'jobs', v_jobs);
end
$$;

COMMENT ON FUNCTION public.settle_and_claim(p_worker text, p_outcomes jsonb, p_queues text[], p_max integer, p_kinds text[], p_leave_external boolean) IS 'Settles a batch of outcomes and leases due jobs to the same worker, as {settled: [{id, status}], jobs: [job]}.';

CREATE FUNCTION public.settle_api_capacity(p_lease_id uuid, p_actual_tokens bigint DEFAULT NULL::bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_lease mill.api_lease;
begin
  select l.* into v_lease from mill.api_lease l where l.id = p_lease_id and not l.is_settled for update;
  if not found then
    return false;
  end if;
  perform mill.end_api_lease(v_lease, p_actual_tokens);
  return true;
end
$$;

COMMENT ON FUNCTION public.settle_api_capacity(p_lease_id uuid, p_actual_tokens bigint) IS 'Gives back what reserve_api_capacity granted and settles the actual tokens; false when there was nothing to give back.';

CREATE FUNCTION public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid DEFAULT NULL::uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_answers jsonb;
begin
  if jsonb_typeof(p_outcomes) = 'array' and jsonb_array_length(p_outcomes) > 1000 then
    raise exception '% outcomes are too many for one call', jsonb_array_length(p_outcomes) using errcode = 'GM005', hint = 'Send 1,000 at the most.';
  end if;
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into v_answers from mill.settle(p_worker, p_outcomes) s;
  if p_invocation is not null then
    perform mill.end_invocation(p_invocation);
  end if;
  return v_answers;
end
$$;

COMMENT ON FUNCTION public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid) IS 'Settles a batch of outcomes, as an array of {id, status}.';

CREATE FUNCTION public.settle_refresh(p_worker text, p_outcomes jsonb, p_invocation uuid DEFAULT NULL::uuid, p_pauses jsonb DEFAULT NULL::jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  v_now timestamptz := mill.now();
  v_held jsonb; -- id to payload
  v_plain jsonb;
  v_fetches jsonb;
  v_answers jsonb;
begin
  perform mill.require_primary();
  select coalesce(jsonb_object_agg(h.id, h.payload), '{}') into v_held from mill.held_jobs(p_worker, p_outcomes) h;

  v_plain := mill.settle_fetched(p_outcomes, v_held, v_now);
  v_fetches := (select coalesce(jsonb_agg(o), '[]') from jsonb_array_elements(p_outcomes) o where v_held ? (o ->> 'id'));
  perform mill.settle_calls(v_fetches, p_pauses, v_now);
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into v_answers from mill.settle(p_worker, v_plain) s;
  if p_invocation is not null then
    perform mill.end_invocation(p_invocation);
  end if;
  perform mill.note_fetches(v_fetches, v_now);

  perform mill.end_refresh_pauses(coalesce((
    select jsonb_agg(v_held -> (o ->> 'id')) from jsonb_array_elements(v_plain) o
    where o ->> 'outcome' = 'completed' and v_held ? (o ->> 'id')), '[]'));

  -- Last, for the lock is kept until commit: see mill.data_change.
  if v_plain @? '$[*].result ? (@.status == "written")' then
    perform pg_advisory_xact_lock(702236, 0);
    insert into mill.data_change (at, data_type, symbol)
    select v_now, v_held -> (o ->> 'id') ->> 'data_type', v_held -> (o ->> 'id') ->> 'symbol'
    from jsonb_array_elements(v_plain) o where o #>> '{result,status}' = 'written';
  end if;
  return v_answers;
end
$_$;

COMMENT ON FUNCTION public.settle_refresh(p_worker text, p_outcomes jsonb, p_invocation uuid, p_pauses jsonb) IS 'Writes what a batch fetched and settles it, as an array of {id, status}.';

CREATE FUNCTION public.start_workflow(p_type text, p_params jsonb DEFAULT '{}'::jsonb, p_priority integer DEFAULT NULL::integer, p_idempotency_key text DEFAULT NULL::text, p_user_id uuid DEFAULT NULL::uuid, p_correlation_id text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_user uuid := case when public.is_service_role() then p_user_id else auth.uid() end;
  v_id uuid;
  v_first mill.workflow;
begin
  perform mill.refuse_in_maintenance();
  if v_user is null then
    raise exception 'sign in to start a job' using errcode = '42501';
  end if;
  insert into mill.workflow (type, params, user_id, priority, idempotency_key, correlation_id)
  values (p_type, p_params, v_user,
    -- Users stand in one line; the service may let a job pass.
    case when public.is_service_role() then coalesce(p_priority, 5) else 5 end, p_idempotency_key, p_correlation_id)
  on conflict (user_id, idempotency_key) where idempotency_key is not null do nothing
  returning id into v_id;
  if v_id is not null then
    return jsonb_build_object('id', v_id, 'status', 'queued', 'new', true);
  end if;

  select * into v_first from mill.workflow j where j.user_id = v_user and j.idempotency_key = p_idempotency_key;
  if v_first.type <> p_type or v_first.params <> (
    select d.defaults || p_params from public.workflow_definition d where d.type = v_first.type and d.version = v_first.version)
  then
    raise exception 'the idempotency key was used for another job' using errcode = 'GM068';
  end if;
  return jsonb_build_object('id', v_first.id, 'status', v_first.status, 'new', false);
end
$$;

COMMENT ON FUNCTION public.start_workflow(p_type text, p_params jsonb, p_priority integer, p_idempotency_key text, p_user_id uuid, p_correlation_id text) IS 'Starts a job of a workflow type; answers {id, status, new}. new is false when the idempotency key has started it before.';

CREATE FUNCTION public.storage_buckets() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select b.bucket from mill.bucket b order by b.bucket $$;

COMMENT ON FUNCTION public.storage_buckets() IS 'The buckets that there are. The storage stand-in asks.';

CREATE FUNCTION public.submit_job(p_kind text, p_payload jsonb, p_name text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_dedupe_key text DEFAULT NULL::text, p_group_key text DEFAULT NULL::text, p_owner uuid DEFAULT NULL::uuid, p_correlation_id text DEFAULT NULL::text, p_traceparent text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_owner uuid := case when public.is_service_role() then p_owner else auth.uid() end;
  v_job record;
begin
  perform mill.refuse_in_maintenance();
  if not public.is_service_role() then
    if v_owner is null then
      raise exception 'sign in to submit a job' using errcode = '42501';
    end if;
    if not exists (select from mill.kind k where k.kind = p_kind and k.open_to_users) then
      raise exception 'unknown job kind "%"', left(p_kind, 64) using errcode = 'GM001';
    end if;
  end if;

  select e.id, e.status into v_job
  from mill.enqueue(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
    'kind', p_kind, 'name', p_name, 'priority', p_priority,
    'run_at', p_run_at, 'group_key', p_group_key, 'correlation_id', p_correlation_id, 'traceparent', p_traceparent,
    -- A user's keys, also those of unique jobs, live in the user's own name space: nobody can probe or block another's.
    'dedupe_key', case when public.is_service_role() then '' else v_owner || ':' end || p_dedupe_key,
    'unique_scope', case when not public.is_service_role() then v_owner end,
    'owner', v_owner)) || jsonb_build_object('payload', p_payload))) e;
  if v_job.status = 'throttled' then
    raise exception 'the queue of "%" is full', p_kind using errcode = 'GM006', hint = 'Try again later.';
  end if;
  return jsonb_build_object('id', v_job.id, 'status', v_job.status);
end
$$;

COMMENT ON FUNCTION public.submit_job(p_kind text, p_payload jsonb, p_name text, p_priority integer, p_run_at timestamp with time zone, p_dedupe_key text, p_group_key text, p_owner uuid, p_correlation_id text, p_traceparent text) IS 'Enqueues one job for the caller; answers {id, status} with status new or duplicate.';

CREATE FUNCTION public.tick() RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ select mill.pump_once() $$;

COMMENT ON FUNCTION public.tick() IS 'One round of the pump: reclaim, promote, invoke.';

CREATE FUNCTION public.track_ai_processing_usage(p_profile_id uuid, p_job_id uuid, p_tokens_used integer, p_processing_seconds integer DEFAULT 0) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  perform mill.count_usage(p_profile_id, 'ai_processing_completed', p_job_id::text,
    mill.ai_counts(coalesce(p_tokens_used, 0), coalesce(p_processing_seconds, 0)), null, p_job_id, p_blocks => false);
  return (
    select jsonb_build_object('ai_tokens_used', s.ai_tokens, 'ai_tokens_limit', s.ai_tokens_limit, 'ai_processing_jobs', s.ai_jobs,
      'over_limit', coalesce(s.ai_tokens > s.ai_tokens_limit, false))
    from mill.usage_summary(p_profile_id) s);
end
$$;

COMMENT ON FUNCTION public.track_ai_processing_usage(p_profile_id uuid, p_job_id uuid, p_tokens_used integer, p_processing_seconds integer) IS 'Counts a job''s model calls, once per job: {ai_tokens_used, ai_tokens_limit, ai_processing_jobs, over_limit}; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted.';

CREATE FUNCTION public.track_shell_file_processed_usage(p_profile_id uuid, p_shell_file_id uuid, p_actual_pages integer) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select mill.count_usage(p_profile_id, 'shell_file_processed', p_shell_file_id::text, jsonb_build_object('processed', 1,
    'pages', least(greatest(p_actual_pages, 0), 100000) - coalesce((
      select (e.counts ->> 'pages')::int from mill.usage_event e
      where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_shell_file_id::text), 0)),
    p_shell_file_id, p_blocks => false)
$$;

COMMENT ON FUNCTION public.track_shell_file_processed_usage(p_profile_id uuid, p_shell_file_id uuid, p_actual_pages integer) IS 'Counts a processed file, once, and corrects its pages.';

CREATE FUNCTION public.track_shell_file_upload_usage(p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages integer DEFAULT 1) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_is_refused boolean := false;
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  if coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated')
    and not exists (select from public.shell_files f where f.id = p_shell_file_id)
  then
    v_is_refused := not (mill.count_usage(p_profile_id, 'shell_file_uploaded', p_shell_file_id::text, jsonb_build_object(
      'files', 1, 'pages', least(greatest(coalesce(p_estimated_pages, 1), 0), 100000),
      'bytes', greatest(coalesce(p_file_size_bytes, 0), 0)), p_shell_file_id) ->> 'allowed')::boolean;
  end if;
  return (
    select jsonb_build_object('shell_files_used', s.files, 'shell_files_limit', s.files_limit, 'pages_used', s.pages, 'pages_limit', s.pages_limit,
      'storage_used_mb', s.storage_mb, 'storage_limit_mb', s.storage_mb_limit, 'over_limit', s.is_over or v_is_refused,
      'upgrade_required', s.upgrade_required or v_is_refused, 'plan_type', s.plan_type)
    from mill.usage_summary(p_profile_id) s);
end
$$;

COMMENT ON FUNCTION public.track_shell_file_upload_usage(p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages integer) IS 'Counts a file of the service''s own, once, and answers what the profile has used: {shell_files_used, shell_files_limit, pages_used, pages_limit, storage_used_mb, storage_limit_mb, over_limit, upgrade_required, plan_type}. Past the plan while billing is on nothing is counted. A user''s call counts nothing. {tracking_disabled: true} while nothing is counted.';

CREATE FUNCTION public.update_job_heartbeat(p_job_id uuid, p_worker_id text, heartbeat_interval_seconds integer DEFAULT NULL::integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_interval numeric := mill.worker_interval_seconds(heartbeat_interval_seconds);
begin
  return mill.heartbeat_by_name(p_job_id, p_worker_id, mill.worker_lease_seconds(v_interval), p_heartbeat_seconds => v_interval);
end
$$;

COMMENT ON FUNCTION public.update_job_heartbeat(p_job_id uuid, p_worker_id text, heartbeat_interval_seconds integer) IS 'Extends the worker''s lease on a job; false when it is lost or the job was cancelled, and the worker must stop.';

CREATE FUNCTION public.upsert_active_subscription_v2(p_user_id uuid DEFAULT NULL::uuid, p_symbol text DEFAULT NULL::text, p_data_type text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_user uuid := case when public.is_service_role() then p_user_id else auth.uid() end;
  v_now timestamptz := mill.now();
  v_is_new boolean;
begin
  perform mill.require_primary();
  if v_user is null or p_user_id <> v_user then
    raise exception 'sign in to subscribe' using errcode = '42501';
  end if;
  update public.active_subscriptions_v2 a set last_seen_at = v_now
  where a.user_id = v_user and a.symbol = p_symbol and a.data_type = p_data_type;
  if found then
    return jsonb_build_object('status', 'seen', 'queued', 0);
  end if;

  if not exists (select from public.supported_symbols s where s.symbol = p_symbol and s.is_active) then
    raise exception 'the symbol "%" is not supported', p_symbol using errcode = 'GM036';
  end if;
  if not exists (select from public.data_type_registry r where r.data_type = p_data_type and r.is_enabled) then
    raise exception 'there is no data type "%"', p_data_type using errcode = 'GM036';
  end if;
  if (select count(*) from (
      select from public.active_subscriptions_v2 a where a.user_id = v_user
      limit mill.setting('refresh.max_subscriptions', '500')::int) s) >= mill.setting('refresh.max_subscriptions', '500')::int
  then
    raise exception 'too many subscriptions' using errcode = 'GM038', hint = 'End some that are not looked at.';
  end if;
  insert into public.active_subscriptions_v2 as a (user_id, symbol, data_type, subscribed_at, last_seen_at)
  values (v_user, p_symbol, p_data_type, v_now, v_now)
  on conflict (user_id, symbol, data_type) do update set last_seen_at = excluded.last_seen_at
  returning a.subscribed_at = v_now into v_is_new;
  return jsonb_build_object('status', case when v_is_new then 'new' else 'seen' end,
    'queued', mill.check_symbol(p_symbol, array[p_data_type], null));
end
$$;

COMMENT ON FUNCTION public.upsert_active_subscription_v2(p_user_id uuid, p_symbol text, p_data_type text) IS 'The caller watches a symbol''s data, still or from now on. GM036: no such symbol or type; GM038: too many.';

CREATE FUNCTION public.verify_audit_log(p_from date DEFAULT NULL::date, p_to date DEFAULT NULL::date, p_known_head text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_findings jsonb;
  v_answer jsonb;
begin
  perform mill.chain_audit(p_max => 1000000, p_waits => true);

  select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(f)) order by f.day, f.seq nulls last), '[]') into v_findings
  from (
    select d.day, v.seq, v.audit_id, v.problem
    from (
      select d.day from mill.audit_day d
      union select c.day from mill.audit_chain c group by c.day
      union select (a.at at time zone 'UTC')::date from mill.audit_log a group by 1
    ) d
    cross join lateral mill.verify_audit_day(d.day) v
    where (p_from is null or d.day >= p_from) and (p_to is null or d.day <= p_to)
    union all
    select null, null, null, 'days_missing'
    where (select t.rows from mill.audit_total t) is distinct from (select coalesce(sum(d.rows), 0) from mill.audit_day d)
    union all
    select null, null, null, 'known_head_missing'
    where p_known_head is not null
      and not exists (select from mill.audit_chain c where c.hash = decode(p_known_head, 'hex'))
      and not exists (select from mill.audit_day d where d.head = decode(p_known_head, 'hex'))
  ) f;

  select jsonb_build_object(
    'ok', v_findings = '[]', 'days', count(*), 'rows', coalesce(sum(d.rows), 0), 'findings', v_findings,
    'head', (select encode(h.head, 'hex') from mill.audit_day h order by h.day desc limit 1))
  into v_answer
  from mill.audit_day d where (p_from is null or d.day >= p_from) and (p_to is null or d.day <= p_to);
  return v_answer;
end
$$;

COMMENT ON FUNCTION public.verify_audit_log(p_from date, p_to date, p_known_head text) IS 'Checks the audit log from one day to another: {ok, days, rows, findings: [{day, seq, audit_id, problem}], head}.';

CREATE FUNCTION public.worker_queues() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(q.queue order by q.queue), '[]') from mill.queue q where q.served_by = 'worker'
$$;

COMMENT ON FUNCTION public.worker_queues() IS 'The queues that a container worker claims from, as an array.';

CREATE FUNCTION public.workflow_events(p_id uuid, p_after bigint) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown job and for another's alike.
  select jsonb_build_object(
    'events', case when (p.state ->> 'revision')::bigint > p_after then jsonb_build_array(jsonb_build_object(
      'id', p.state -> 'revision',
      'event', case when p.state ->> 'status' in ('completed', 'failed', 'cancelled') then p.state ->> 'status' else 'progress' end,
      'data', p.state)) else '[]' end,
    'ended', p.state ->> 'status' in ('completed', 'failed', 'cancelled'))
  from mill.workflow j cross join lateral (select mill.shown_progress(j) as state) p
  where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

COMMENT ON FUNCTION public.workflow_events(p_id uuid, p_after bigint) IS 'Events of one job of the caller''s (any, for the service) after a given one, or null.';

CREATE FUNCTION public.workflow_progress(p_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  -- Null for an unknown job and for another's alike.
  select mill.shown_progress(j) from mill.workflow j where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

COMMENT ON FUNCTION public.workflow_progress(p_id uuid) IS 'Status and progress of one job of the caller''s (any, for the service), or null.';

CREATE TABLE mill.alert (
    id uuid NOT NULL,
    rule text NOT NULL,
    subject text NOT NULL,
    state text NOT NULL,
    value numeric NOT NULL,
    since timestamp with time zone NOT NULL,
    fired_at timestamp with time zone,
    resolved_at timestamp with time zone,
    CONSTRAINT alert_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'firing'::text, 'resolved'::text]))),
    CONSTRAINT firing_has_fired CHECK (((state = 'pending'::text) OR (fired_at IS NOT NULL))),
    CONSTRAINT resolved_says_when CHECK (((state = 'resolved'::text) = (resolved_at IS NOT NULL)))
);

COMMENT ON TABLE mill.alert IS 'What alarmed. pending: above its threshold, not yet for long enough.';

CREATE TABLE mill.alert_endpoint (
    name text NOT NULL,
    url text NOT NULL,
    severities text[] DEFAULT ARRAY['P0'::text, 'P1'::text, 'P2'::text] NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    CONSTRAINT severities_are_known CHECK ((severities <@ ARRAY['P0'::text, 'P1'::text, 'P2'::text])),
    CONSTRAINT url_is_https_or_local CHECK (((url ~ '^https://[^/]'::text) OR (url ~ '^http://(127\.0\.0\.1|localhost)(:\d+)?(/|$)'::text)))
);

COMMENT ON TABLE mill.alert_endpoint IS 'Where alerts are delivered, as signed webhooks.';

CREATE TABLE mill.api_use (
    at timestamp with time zone NOT NULL,
    tokens bigint NOT NULL,
    requests integer NOT NULL,
    provider text NOT NULL,
    endpoint text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.api_use IS 'Grants, and what settling took back or added, at the time of the grant. A row a call, not a job.';

CREATE TABLE mill.api_use_minute (
    provider text NOT NULL,
    endpoint text NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL
)
WITH (fillfactor='70');

COMMENT ON TABLE mill.api_use_minute IS 'mill.api_use, folded into minutes once it is older than one.';

CREATE VIEW mill.api_use_now AS
 SELECT l.provider_name,
    l.api_endpoint,
    m.requests AS requests_minute,
    m.tokens AS tokens_minute,
    h.requests AS requests_hour,
    h.tokens AS tokens_hour,
    s.slots AS active,
    (COALESCE(m.first, n.at) + '00:01:00'::interval) AS minute_reset_at,
    (COALESCE(h.first, n.at) + '01:00:00'::interval) AS hour_reset_at
   FROM ((((mill.api_rate_limits l
     CROSS JOIN ( SELECT COALESCE((NULLIF(current_setting('mill.now'::text, true), ''::text))::timestamp with time zone, clock_timestamp()) AS at
         OFFSET 0) n)
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum(u.requests), (0)::bigint))::integer AS requests,
            (COALESCE(sum(u.tokens), (0)::numeric))::bigint AS tokens,
            min(u.at) AS first
           FROM mill.api_use u
          WHERE ((u.provider = l.provider_name) AND (u.endpoint = l.api_endpoint) AND (u.at > (n.at - '00:01:00'::interval)))) m)
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum(a.requests), (0)::numeric))::integer AS requests,
            (COALESCE(sum(a.tokens), (0)::numeric))::bigint AS tokens,
            min(a.at) AS first
           FROM ( SELECT u.requests,
                    u.tokens,
                    u.at
                   FROM mill.api_use u
                  WHERE ((u.provider = l.provider_name) AND (u.endpoint = l.api_endpoint) AND (u.at > (n.at - '01:00:00'::interval)))
                UNION ALL
                 SELECT u.requests,
                    u.tokens,
                    u.minute
                   FROM mill.api_use_minute u
                  WHERE ((u.provider = l.provider_name) AND (u.endpoint = l.api_endpoint) AND (u.minute > (n.at - '01:01:00'::interval)))) a) h)
     CROSS JOIN LATERAL ( SELECT ((( SELECT count(*) AS count
                   FROM (mill.queue q
                     JOIN mill.job_live j ON ((j.slot = q.queue)))
                  WHERE ((q.provider = l.provider_name) AND (q.endpoint = l.api_endpoint) AND (j.lease_until > n.at))))::integer + (( SELECT count(*) AS count
                   FROM mill.api_lease e
                  WHERE ((e.provider = l.provider_name) AND (e.endpoint = l.api_endpoint) AND (e.ended_at IS NULL) AND (e.expires_at > n.at))))::integer) AS slots) s);

COMMENT ON VIEW mill.api_use_now IS 'Requests and tokens of the last minute and hour of each limit, and the calls under way.';

CREATE TABLE mill.audit_chain (
    day date NOT NULL,
    seq integer NOT NULL,
    audit_id bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT a_hash_has_32_bytes CHECK ((octet_length(hash) = 32))
);

COMMENT ON TABLE mill.audit_chain IS 'The chain of each day: hash is sha256 of the hash before and of the row''s own digest.';

CREATE TABLE mill.audit_log_default (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    table_name text NOT NULL,
    record_id text,
    action text NOT NULL,
    old_values jsonb,
    new_values jsonb,
    reason text,
    source text NOT NULL,
    patient_id uuid,
    job_id uuid,
    correlation_id text,
    actor uuid,
    actor_role text NOT NULL,
    CONSTRAINT action_is_a_short_word CHECK ((action ~ '^[A-Za-z][A-Za-z0-9_.-]{0,62}$'::text)),
    CONSTRAINT table_name_is_short CHECK (((length(table_name) >= 1) AND (length(table_name) <= 200)))
);

COMMENT ON TABLE mill.audit_log_default IS 'Catches a month that mill.maintain_audit has not prepared.';

ALTER TABLE mill.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.audit_total (
    only_one boolean DEFAULT true NOT NULL,
    rows bigint DEFAULT 0 NOT NULL,
    CONSTRAINT there_is_one_row CHECK (only_one)
);

COMMENT ON TABLE mill.audit_total IS 'How many audit rows were ever linked.';

CREATE TABLE mill.audit_unchained (
    audit_id bigint NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.audit_unchained IS 'Rows of audit_log that are not linked yet.';

CREATE TABLE mill.breaker (
    target text NOT NULL,
    state text DEFAULT 'closed'::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    retry_at timestamp with time zone,
    opened_in_a_row integer DEFAULT 0 NOT NULL,
    probe uuid,
    CONSTRAINT breaker_state_is_known CHECK ((state = ANY (ARRAY['closed'::text, 'open'::text, 'half_open'::text]))),
    CONSTRAINT open_says_when_to_try_again CHECK (((state = 'open'::text) = (retry_at IS NOT NULL))),
    CONSTRAINT probe_only_when_half_open CHECK (((probe IS NULL) OR (state = 'half_open'::text)))
);

COMMENT ON TABLE mill.breaker IS 'Whether a target is invoked: closed, open, or half-open with a single probe.';

CREATE TABLE mill.breaker_change (
    id bigint NOT NULL,
    target text NOT NULL,
    at timestamp with time zone NOT NULL,
    state text NOT NULL,
    reason text NOT NULL
);

COMMENT ON TABLE mill.breaker_change IS 'Every change of a breaker, with its reason.';

ALTER TABLE mill.breaker_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.breaker_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.bucket (
    bucket text NOT NULL,
    description text NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT bucket_is_a_plain_name CHECK ((bucket ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);

COMMENT ON TABLE mill.bucket IS 'The buckets that applications have. The storage stand-in serves these; on Supabase they are made.';

CREATE TABLE mill.claimant (
    queue text NOT NULL,
    worker text NOT NULL,
    claimed_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.claimant IS 'Which workers have claimed from each queue that no function serves, and when last, to ten seconds.';

CREATE TABLE mill.cleanup_step (
    step text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    run text NOT NULL,
    confirm text,
    max_items integer DEFAULT 1000 NOT NULL,
    place integer DEFAULT 100 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    last_run_at timestamp with time zone,
    last_error text,
    last_report jsonb,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT confirm_is_a_function_of_ours CHECK ((confirm ~ '^mill\.[a-z_0-9]+$'::text)),
    CONSTRAINT max_items_is_positive CHECK (((max_items >= 1) AND (max_items <= 100000))),
    CONSTRAINT run_is_a_function_of_ours CHECK ((run ~ '^mill\.[a-z_0-9]+$'::text)),
    CONSTRAINT step_is_a_short_word CHECK ((step ~ '^[a-z][a-z0-9_-]{0,62}$'::text))
);

COMMENT ON TABLE mill.cleanup_step IS 'What the cleanup function does, and how it last went.';

CREATE TABLE mill.data_change (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    data_type text NOT NULL,
    symbol text NOT NULL
);

COMMENT ON TABLE mill.data_change IS 'One row a written refresh, pruned after an hour.';

ALTER TABLE mill.data_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.data_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.data_check (
    data_type text NOT NULL,
    symbol text NOT NULL,
    next_check_at timestamp with time zone NOT NULL,
    reason text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    noted_at timestamp with time zone,
    CONSTRAINT a_dead_letter_has_its_time CHECK (((reason = 'dead'::text) = (noted_at IS NOT NULL))),
    CONSTRAINT failures_are_counted_from_one CHECK (((reason = 'dead'::text) = (failures > 0))),
    CONSTRAINT reason_is_known CHECK ((reason = ANY (ARRAY['unchanged'::text, 'dead'::text])))
)
WITH (fillfactor='80');

COMMENT ON TABLE mill.data_check IS 'Not before next_check_at is a symbol asked for again: the provider had nothing newer, or its job is a dead letter.';

CREATE TABLE mill.document_raw (
    document_id uuid NOT NULL,
    stage text NOT NULL,
    at timestamp with time zone NOT NULL,
    answer text
);

COMMENT ON TABLE mill.document_raw IS 'Raw answers of models, where an operator has asked for them. Never logged. The prompt is what the stage before wrote.';

CREATE TABLE mill.document_upload (
    place text NOT NULL,
    document_id uuid NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    is_copy boolean DEFAULT false NOT NULL,
    looked_at timestamp with time zone
);

COMMENT ON TABLE mill.document_upload IS 'Places where an object may be written: uploads that were begun and neither finished nor abandoned, and copies of scanned files. mill.document_sweep decides what becomes of old ones.';

ALTER TABLE mill.ended ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.ended_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.event (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    code text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

COMMENT ON TABLE mill.event IS 'What would otherwise only have been a warning in a log.';

ALTER TABLE mill.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.export_batch (
    id uuid NOT NULL,
    owner uuid NOT NULL,
    created_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE mill.export_batch IS 'Exports that were asked for together.';

CREATE TABLE mill.export_batch_item (
    batch_id uuid NOT NULL,
    "position" integer NOT NULL,
    export_id uuid NOT NULL
);

COMMENT ON TABLE mill.export_batch_item IS 'An export may be in several batches: the second found it pending.';

CREATE TABLE mill.export_day (
    owner uuid NOT NULL,
    day date NOT NULL,
    used integer NOT NULL
);

COMMENT ON TABLE mill.export_day IS 'How many exports a user has asked for on a day, UTC.';

CREATE TABLE mill.export_event (
    export_id uuid NOT NULL,
    id bigint NOT NULL,
    event text NOT NULL,
    data jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT event_is_known CHECK ((event = ANY (ARRAY['progress'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

COMMENT ON TABLE mill.export_event IS 'What happened to an export, in order; see public.export_events.';

ALTER TABLE mill.export_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.export_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.floor_version (
    line integer NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    turn bigint DEFAULT 0 NOT NULL,
    safe bigint DEFAULT 0 NOT NULL,
    mark bigint DEFAULT 0 NOT NULL,
    mark_xid xid8 DEFAULT '0'::xid8 NOT NULL,
    tail bigint DEFAULT 0 NOT NULL,
    advance_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    look_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    tail_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT safe_is_not_above_the_floor CHECK (((safe <= mark) AND (mark <= turn))),
    CONSTRAINT tail_is_not_above_the_floor CHECK ((tail <= turn))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='200');

COMMENT ON TABLE mill.floor_version IS 'The floor of each line. Read it as mill.floor; whoever moves it, counts up its version.';

CREATE VIEW mill.floor AS
 SELECT l.line,
    l.queue,
    l.priority,
    v.version,
    v.turn,
    v.safe,
    v.mark,
    v.mark_xid,
    v.tail,
    v.advance_at,
    v.look_at,
    v.tail_at
   FROM (mill.line l
     CROSS JOIN LATERAL ( SELECT v_1.line,
            v_1.version,
            v_1.turn,
            v_1.safe,
            v_1.mark,
            v_1.mark_xid,
            v_1.tail,
            v_1.advance_at,
            v_1.look_at,
            v_1.tail_at
           FROM mill.floor_version v_1
          WHERE (v_1.line = l.line)
          ORDER BY v_1.version DESC
         LIMIT 1) v);

COMMENT ON VIEW mill.floor IS 'A claim skips what lies below turn: dead index entries. Nothing can still appear below safe; mill.lower_floors looks between the two.';

CREATE TABLE mill.health_check (
    name text NOT NULL,
    step text NOT NULL,
    place integer DEFAULT 100 NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT step_is_a_function_of_ours CHECK ((step ~ '^mill\.[a-z_0-9]+$'::text))
);

COMMENT ON TABLE mill.health_check IS 'What health looks at, beside whether Postgres answers at all.';

CREATE TABLE mill.heartbeat (
    part text NOT NULL,
    at timestamp with time zone NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

COMMENT ON TABLE mill.heartbeat IS 'When each recurring part last ran; health reads it.';

CREATE TABLE mill.hook (
    event text NOT NULL,
    routine text NOT NULL,
    place integer DEFAULT 100 NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT event_is_known CHECK ((event = ANY (ARRAY['ended'::text, 'acted'::text, 'operated'::text, 'claim'::text, 'usage'::text, 'wait'::text, 'rest'::text, 'tick'::text, 'maintain'::text]))),
    CONSTRAINT routine_is_a_function_of_ours CHECK ((routine ~ '^mill\.[a-z_0-9]+$'::text))
);

COMMENT ON TABLE mill.hook IS 'What the parts above the engine do when something happens in the engine.';

CREATE TABLE mill.idempotency_key (
    caller text NOT NULL,
    key text NOT NULL,
    request bytea NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT key_has_1_to_255_characters CHECK (((length(key) >= 1) AND (length(key) <= 255))),
    CONSTRAINT request_is_a_sha256 CHECK ((length(request) = 32))
);

COMMENT ON TABLE mill.idempotency_key IS 'Answers of calls that were made under an Idempotency-Key, kept for 24 hours.';

CREATE TABLE mill.invocation (
    id uuid NOT NULL,
    queue text NOT NULL,
    reason text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    begun_at timestamp with time zone,
    ended_at timestamp with time zone,
    claimed integer,
    request_id bigint,
    worker text,
    jobs uuid[],
    failure text,
    handed_at timestamp with time zone,
    CONSTRAINT ended_after_it_began_or_with_a_failure CHECK (((ended_at IS NULL) OR (begun_at IS NOT NULL) OR (failure IS NOT NULL))),
    CONSTRAINT reason_is_known CHECK ((reason = ANY (ARRAY['wake'::text, 'pump'::text, 'more'::text])))
);

COMMENT ON TABLE mill.invocation IS 'What was invoked, why, and what came of it. failure says why an invocation was lost. Pruned after a day.';

CREATE TABLE mill.job_dead (
    run_at timestamp with time zone NOT NULL,
    turn bigint,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    line integer,
    priority integer DEFAULT 5 NOT NULL,
    max_attempts integer NOT NULL,
    lease_losses integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    waits boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    state text NOT NULL,
    started_at timestamp with time zone,
    lease_until timestamp with time zone,
    worker text,
    slot text,
    payload jsonb NOT NULL,
    dedupe_key text,
    lane text,
    finished_at timestamp with time zone NOT NULL,
    result jsonb,
    error jsonb,
    error_log jsonb,
    owner uuid,
    parent uuid,
    name text,
    category text,
    group_key text,
    correlation_id text,
    traceparent text
);

CREATE TABLE mill.job_done (
    run_at timestamp with time zone NOT NULL,
    turn bigint,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    line integer,
    priority integer DEFAULT 5 NOT NULL,
    max_attempts integer NOT NULL,
    lease_losses integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    waits boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    state text NOT NULL,
    started_at timestamp with time zone,
    lease_until timestamp with time zone,
    worker text,
    slot text,
    payload jsonb NOT NULL,
    dedupe_key text,
    lane text,
    finished_at timestamp with time zone NOT NULL,
    result jsonb,
    error jsonb,
    error_log jsonb,
    owner uuid,
    parent uuid,
    name text,
    category text,
    group_key text,
    correlation_id text,
    traceparent text
)
PARTITION BY RANGE (finished_at);

CREATE TABLE mill.job_done_default (
    run_at timestamp with time zone NOT NULL,
    turn bigint,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    line integer,
    priority integer DEFAULT 5 NOT NULL,
    max_attempts integer NOT NULL,
    lease_losses integer DEFAULT 0 NOT NULL,
    progress smallint DEFAULT 0 NOT NULL,
    cancel_requested boolean DEFAULT false NOT NULL,
    waits boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    state text NOT NULL,
    started_at timestamp with time zone,
    lease_until timestamp with time zone,
    worker text,
    slot text,
    payload jsonb NOT NULL,
    dedupe_key text,
    lane text,
    finished_at timestamp with time zone NOT NULL,
    result jsonb,
    error jsonb,
    error_log jsonb,
    owner uuid,
    parent uuid,
    name text,
    category text,
    group_key text,
    correlation_id text,
    traceparent text
);

COMMENT ON TABLE mill.job_done_default IS 'Catches a day that mill.maintain has not prepared: settling never fails for want of one.';

CREATE TABLE mill.job_log (
    job uuid NOT NULL,
    n integer NOT NULL,
    attempt integer NOT NULL,
    bytes integer NOT NULL,
    left_out integer,
    at timestamp with time zone NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    data jsonb,
    CONSTRAINT level_is_known CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
);

COMMENT ON TABLE mill.job_log IS 'Lines of the logs of jobs, in order. left_out: how many lines after it were not kept.';

CREATE TABLE mill.lane (
    queue text NOT NULL,
    lane text NOT NULL,
    tenant text NOT NULL,
    group_key text,
    idle boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.lane IS 'Lines of jobs that claims of a fair or group-capped queue choose from. idle: none was pending when last looked at.';

ALTER TABLE mill.line ALTER COLUMN line ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.line_line_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.migration (
    path text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE mill.migration IS 'The files of sql/ that were applied, with the SHA-256 of their text.';

CREATE TABLE mill.object (
    kind text NOT NULL,
    name text NOT NULL,
    path text NOT NULL,
    arguments text,
    checksum text
);

COMMENT ON TABLE mill.object IS 'What each file has made, so that what a later release no longer has can be removed. arguments: of a routine, to tell it from a routine of the user with the same name. checksum: of the statement that made a trigger or policy.';

CREATE TABLE mill.object_rule (
    act text NOT NULL,
    routine text NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    bucket text DEFAULT 'gristmill'::text NOT NULL,
    CONSTRAINT act_is_known CHECK ((act = ANY (ARRAY['read'::text, 'write'::text, 'remove'::text, 'replace'::text]))),
    CONSTRAINT routine_is_a_function_of_ours CHECK ((routine ~ '^mill\.[a-z_0-9]+$'::text))
);

COMMENT ON TABLE mill.object_rule IS 'What applications say about users who reach for an object in storage.';

CREATE TABLE mill.pack (
    turn bigint NOT NULL,
    run_at timestamp with time zone NOT NULL,
    first uuid NOT NULL,
    last uuid NOT NULL,
    batch uuid NOT NULL,
    line integer NOT NULL,
    jobs integer NOT NULL,
    max_attempts integer NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    ids uuid[] NOT NULL,
    payloads jsonb[] NOT NULL,
    CONSTRAINT each_id_has_a_payload CHECK (((cardinality(ids) = jobs) AND (cardinality(payloads) = jobs)))
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.pack IS 'Jobs that wait together, up to a hundred in a row.';

CREATE TABLE mill.pack_lease (
    lease_until timestamp with time zone NOT NULL,
    first uuid NOT NULL,
    last uuid NOT NULL,
    queue text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.pack_lease IS 'When to look for jobs between two ids whose leases have expired.';

CREATE VIEW mill.packed_job AS
 SELECT p.first AS pack,
    j.id,
    p.queue,
    p.kind,
    j.payload,
    'pending'::text AS state,
    l.priority,
    p.run_at,
    p.max_attempts,
    p.run_at AS created_at,
    NULL::text AS name,
    NULL::text AS category,
    NULL::text AS worker,
    NULL::timestamp with time zone AS lease_until,
    0 AS attempt,
    (0)::smallint AS progress,
    NULL::jsonb AS result,
    NULL::jsonb AS error,
    NULL::uuid AS owner,
    NULL::text AS correlation_id,
    NULL::timestamp with time zone AS started_at,
    NULL::timestamp with time zone AS finished_at,
    NULL::text AS traceparent
   FROM ((mill.pack p
     JOIN mill.line l ON ((l.line = p.line)))
     CROSS JOIN LATERAL UNNEST(p.ids, p.payloads) j(id, payload));

COMMENT ON VIEW mill.packed_job IS 'The jobs that wait in packs, one by one: what mill.job would say of them.';

CREATE TABLE mill.part (
    part text NOT NULL,
    schema text DEFAULT 'public'::text NOT NULL,
    asked boolean DEFAULT false NOT NULL,
    installed_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE mill.part IS 'The installed parts. schema: where their exposed objects lie. asked: named by --with, not only needed by another part.';

CREATE TABLE mill.refresh_walk (
    data_type text NOT NULL,
    looked_at timestamp with time zone NOT NULL,
    walking text
);

COMMENT ON TABLE mill.refresh_walk IS 'The cursor of a scheduled refresh over supported_symbols.';

CREATE TABLE mill.repeatable_call (
    function text NOT NULL,
    created jsonpath DEFAULT '$'::jsonpath NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT function_is_a_plain_name CHECK ((function ~ '^[a-z_][a-z0-9_]{0,62}$'::text))
);

COMMENT ON TABLE mill.repeatable_call IS 'Exposed functions that call_once may call.';

CREATE TABLE mill.schedule (
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    schedule text NOT NULL,
    step text NOT NULL,
    command text,
    every_seconds integer NOT NULL,
    slack_seconds integer DEFAULT 600 NOT NULL,
    is_critical boolean DEFAULT true NOT NULL,
    trigger_of text DEFAULT 'processor'::text NOT NULL,
    declared_at timestamp with time zone DEFAULT now() NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT every_is_positive CHECK (((every_seconds > 0) AND (slack_seconds >= 0))),
    CONSTRAINT schedule_has_five_fields CHECK ((schedule ~ '^\S+ \S+ \S+ \S+ \S+$'::text)),
    CONSTRAINT step_is_a_qualified_function CHECK ((step ~ '^[a-z_][a-z_0-9]*\.[a-z_0-9]+$'::text))
);

COMMENT ON TABLE mill.schedule IS 'All recurring work. mill.install_schedules gives it to cron; wrangler.toml mirrors it, and a test compares the two.';

CREATE TABLE mill.secret (
    name text NOT NULL,
    inner_pad bytea NOT NULL,
    outer_pad bytea NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE mill.secret IS 'Keys that sign invocations. No role but the owner reads it.';

CREATE TABLE mill.settings (
    key text NOT NULL,
    value text NOT NULL,
    type text DEFAULT 'string'::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    is_sensitive boolean DEFAULT false NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT type_is_known CHECK ((type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text, 'json'::text, 'system'::text])))
);

COMMENT ON TABLE mill.settings IS 'Settings of the whole system. Secrets have a table of their own.';

CREATE TABLE mill.stat_batch (
    at timestamp with time zone NOT NULL,
    jobs integer NOT NULL,
    bucket smallint NOT NULL,
    total_ms bigint NOT NULL,
    bytes bigint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    tenant text,
    permanent boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.stat_batch IS 'What settle, reclaim and cancel counted, not yet folded into minutes. bucket: see mill.duration_bucket.';

CREATE TABLE mill.stat_minute (
    minute timestamp with time zone NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    bucket smallint NOT NULL,
    jobs bigint NOT NULL,
    total_ms bigint NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT outcome_is_known CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'dead'::text, 'snoozed'::text, 'released'::text, 'lost'::text, 'cancelled'::text])))
);

COMMENT ON TABLE mill.stat_minute IS 'Attempts by minute, queue, kind, outcome and duration bucket: a histogram as rows.';

CREATE VIEW mill.stat AS
 SELECT s.minute,
    s.queue,
    s.kind,
    s.outcome,
    s.bucket,
    (sum(s.jobs))::bigint AS jobs,
    (sum(s.total_ms))::bigint AS total_ms,
    (sum(s.bytes))::bigint AS bytes
   FROM ( SELECT m.minute,
            m.queue,
            m.kind,
            m.outcome,
            m.bucket,
            m.jobs,
            m.total_ms,
            m.bytes
           FROM mill.stat_minute m
        UNION ALL
         SELECT date_trunc('minute'::text, b.at) AS date_trunc,
            b.queue,
            b.kind,
            b.outcome,
            b.bucket,
            b.jobs,
            b.total_ms,
            b.bytes
           FROM mill.stat_batch b) s
  GROUP BY s.minute, s.queue, s.kind, s.outcome, s.bucket;

COMMENT ON VIEW mill.stat IS 'Statistics by minute, up to now.';

CREATE TABLE mill.step (
    job_id uuid NOT NULL,
    key text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    total integer,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    CONSTRAINT no_more_ended_than_there_are CHECK ((((completed + failed) + skipped) <= total)),
    CONSTRAINT step_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'open'::text, 'completed'::text, 'partial'::text, 'skipped'::text])))
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.step IS 'How far each step of a job is: counted as tasks settle, one update a batch.';

CREATE TABLE mill.stored_bytes (
    profile_id uuid NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT stored_bytes_are_not_negative CHECK ((bytes >= 0))
)
WITH (fillfactor='80');

COMMENT ON TABLE mill.stored_bytes IS 'How much a profile has stored now.';

CREATE TABLE mill.stored_object (
    object text NOT NULL,
    size bigint NOT NULL,
    content_type text NOT NULL,
    stored_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE mill.stored_object IS 'What lies in buckets other than gristmill, as the storage stand-in says. Supabase has storage.objects instead.';

CREATE TABLE mill.task_need (
    kind text NOT NULL,
    needs text,
    reach text NOT NULL,
    CONSTRAINT reach_is_known CHECK ((reach = ANY (ARRAY['nearest'::text, 'all'::text])))
);

COMMENT ON TABLE mill.task_need IS 'Whose output an inserted task needs, by kinds. A new rule is an INSERT.';

CREATE TABLE mill.tenant (
    queue text NOT NULL,
    tenant text NOT NULL,
    served bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.tenant IS 'Virtual time of a tenant in a queue: how many jobs it was served, counted from when it last became active.';

CREATE TABLE mill.ticket_call (
    function text NOT NULL,
    kind text NOT NULL,
    part text DEFAULT NULLIF(current_setting('mill.part'::text, true), ''::text),
    CONSTRAINT function_is_a_plain_name CHECK ((function ~ '^[a-z_][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT kind_is_a_plain_name CHECK ((kind ~ '^[a-z_]{1,32}$'::text))
);

COMMENT ON TABLE mill.ticket_call IS 'Exposed functions that read_with_ticket may call.';

CREATE TABLE mill.unique_job (
    kind text NOT NULL,
    digest bytea NOT NULL,
    id uuid NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE mill.unique_job IS 'Which job of a kind stands for certain values, and until when another with these values is its duplicate.';

CREATE TABLE mill.usage_event (
    id bigint NOT NULL,
    profile_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    event_type text NOT NULL,
    shell_file_id uuid,
    job_id uuid,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    once_key text,
    CONSTRAINT event_type_is_known CHECK ((event_type = ANY (ARRAY['shell_file_uploaded'::text, 'shell_file_processed'::text, 'ai_processing_started'::text, 'ai_processing_completed'::text, 'page_extracted'::text, 'storage_used'::text, 'plan_upgraded'::text, 'plan_downgraded'::text, 'limit_hit'::text])))
);

COMMENT ON TABLE mill.usage_event IS 'What was counted, one row per event; counts is what it added, or the meter and limit of a limit_hit.';

ALTER TABLE mill.usage_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mill.usage_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mill.usage_of_month (
    profile_id uuid NOT NULL,
    month date NOT NULL,
    files_uploaded integer DEFAULT 0 NOT NULL,
    files_processed integer DEFAULT 0 NOT NULL,
    pages integer DEFAULT 0 NOT NULL,
    ai_tokens bigint DEFAULT 0 NOT NULL,
    ai_calls integer DEFAULT 0 NOT NULL,
    ai_seconds numeric DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone,
    CONSTRAINT month_is_its_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric))
)
WITH (fillfactor='80');

COMMENT ON TABLE mill.usage_of_month IS 'One row per profile and month (UTC). Made by whatever counts first in a month.';

CREATE TABLE mill.virtual_clock (
    queue text NOT NULL,
    served bigint NOT NULL
)
WITH (fillfactor='10');

COMMENT ON TABLE mill.virtual_clock IS 'The virtual time of the job that was last served in a queue: where a tenant starts that becomes active.';

CREATE TABLE mill.worker (
    worker text NOT NULL,
    queues text[] NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

COMMENT ON TABLE mill.worker IS 'Container workers, and when each last claimed or extended a lease.';

CREATE VIEW mill.workflow_state AS
 SELECT j.id,
    b.begun,
        CASE
            WHEN b.begun THEN 'processing'::text
            ELSE j.status
        END AS status,
        CASE
            WHEN b.begun THEN GREATEST((j.percent)::integer, 5)
            ELSE (j.percent)::integer
        END AS percent,
        CASE
            WHEN b.begun THEN f.phase
            ELSE j.phase
        END AS phase,
        CASE
            WHEN b.begun THEN initcap(f.phase)
            ELSE j.message
        END AS message
   FROM ((mill.workflow j
     CROSS JOIN LATERAL ( SELECT ((j.status = 'queued'::text) AND (EXISTS ( SELECT
                   FROM (mill.task t
                     JOIN mill.job_live l ON ((l.id = t.id)))
                  WHERE ((t.job_id = j.id) AND (t.state = 'queued'::text) AND (l.started_at IS NOT NULL))))) AS begun) b)
     LEFT JOIN LATERAL ( SELECT w.phase
           FROM (mill.workflow_step w
             JOIN mill.step s ON (((s.job_id = j.id) AND (s.key = w.key))))
          WHERE ((w.type = j.type) AND (w.version = j.version) AND (NOT w.is_compensation))
          ORDER BY w."position"
         LIMIT 1) f ON (b.begun));

COMMENT ON VIEW mill.workflow_state IS 'Status, percent, phase and message of each job, as they are shown.';

CREATE TABLE public.active_subscriptions_v2 (
    user_id uuid NOT NULL,
    symbol text NOT NULL,
    data_type text NOT NULL,
    subscribed_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    id bigint NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05');

COMMENT ON TABLE public.active_subscriptions_v2 IS 'Who is looking at what. Only the client''s heartbeat moves last_seen_at; what is silent for 5 minutes is removed.';

ALTER TABLE public.active_subscriptions_v2 ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.active_subscriptions_v2_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.api_call_queue AS
 SELECT j.id,
    (j.payload ->> 'symbol'::text) AS symbol,
    (j.payload ->> 'data_type'::text) AS data_type,
    j.priority,
        CASE
            WHEN (j.state = ANY (ARRAY['processing'::text, 'completed'::text])) THEN j.state
            WHEN (j.state = ANY (ARRAY['failed'::text, 'cancelled'::text])) THEN 'failed'::text
            ELSE 'pending'::text
        END AS status,
    COALESCE(((j.result ->> 'bytes'::text))::bigint, ((j.payload ->> 'estimated_size'::text))::bigint) AS estimated_data_size_bytes,
    j.created_at,
        CASE
            WHEN (j.state = 'processing'::text) THEN j.started_at
            WHEN (j.finished_at IS NOT NULL) THEN j.finished_at
            WHEN (((j.error ->> 'at'::text))::timestamp with time zone >= j.started_at) THEN ((j.error ->> 'at'::text))::timestamp with time zone
            ELSE NULL::timestamp with time zone
        END AS processed_at,
        CASE
            WHEN ((j.state = 'processing'::text) OR (j.finished_at IS NOT NULL)) THEN GREATEST((j.attempt - 1), 0)
            ELSE j.attempt
        END AS retry_count,
    (j.error ->> 'message'::text) AS error_message,
    COALESCE((j.payload -> 'metadata'::text), '{}'::jsonb) AS metadata
   FROM mill.job j
  WHERE (j.queue ~ '^refresh(-|$)'::text);

COMMENT ON VIEW public.api_call_queue IS 'The refresh queue under its compatible column names. Statuses: pending, processing, completed, failed.';

CREATE TABLE public.api_data_usage (
    created_at timestamp with time zone NOT NULL,
    provider text NOT NULL,
    data_type text NOT NULL,
    calls bigint NOT NULL,
    data_size_bytes bigint NOT NULL,
    id bigint NOT NULL,
    job_id uuid,
    CONSTRAINT usage_is_not_negative CHECK (((calls >= 0) AND (data_size_bytes >= 0)))
);

COMMENT ON TABLE public.api_data_usage IS 'What the wire carried. Folded into hours; kept for a little longer than the quota''s window.';

ALTER TABLE public.api_data_usage ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.api_data_usage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.api_rate_limits AS
 SELECT l.id,
    l.provider_name,
    l.api_endpoint,
    l.requests_per_minute,
    l.requests_per_hour,
    l.tokens_per_minute,
    l.tokens_per_hour,
    l.concurrent_requests,
    COALESCE(( SELECT u.requests_minute
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), 0) AS current_requests_minute,
    COALESCE(( SELECT u.requests_hour
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), 0) AS current_requests_hour,
    COALESCE(( SELECT u.tokens_minute
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), (0)::bigint) AS current_tokens_minute,
    COALESCE(( SELECT u.tokens_hour
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), (0)::bigint) AS current_tokens_hour,
    COALESCE(( SELECT u.active
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), 0) AS active_requests,
    COALESCE(( SELECT u.minute_reset_at
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), (now() + '00:01:00'::interval)) AS minute_reset_at,
    COALESCE(( SELECT u.hour_reset_at
           FROM mill.api_use_now u
          WHERE ((u.provider_name = l.provider_name) AND (u.api_endpoint = l.api_endpoint))), (now() + '01:00:00'::interval)) AS hour_reset_at,
    l.backpressure_threshold,
    l.backpressure_delay_seconds,
    l.queue_depth_limit,
    l.status,
    l.last_rate_limit_hit,
    l.rate_limit_violations,
    l.created_at,
    l.updated_at,
    l.lease_seconds,
    l.provider_refusals,
    l.blocked_until
   FROM mill.api_rate_limits l;

COMMENT ON VIEW public.api_rate_limits IS 'What each provider admits and what of it is in use; null is no limit. disabled and maintenance: no call is granted.';

CREATE VIEW public.audit_log AS
 SELECT a.id,
    a.at,
    a.table_name,
    a.record_id,
    a.action,
    a.old_values,
    a.new_values,
    a.reason,
    a.source,
    a.patient_id,
    a.job_id,
    a.correlation_id,
    a.actor,
    a.actor_role
   FROM mill.audit_log a;

COMMENT ON VIEW public.audit_log IS 'What happened. Append-only: no role changes or deletes a row.';

CREATE TABLE public.company_profiles (
    symbol text NOT NULL,
    company_name text NOT NULL,
    price numeric NOT NULL,
    market_cap numeric,
    beta numeric,
    last_dividend numeric,
    price_range text,
    average_volume numeric,
    currency text NOT NULL,
    cik text,
    isin text,
    cusip text,
    exchange text NOT NULL,
    exchange_full_name text,
    industry text,
    sector text,
    website text,
    description text,
    ceo text,
    country text,
    full_time_employees text,
    phone text,
    address text,
    city text,
    state text,
    zip text,
    image text,
    ipo_date date,
    is_etf boolean NOT NULL,
    is_actively_trading boolean NOT NULL,
    is_adr boolean NOT NULL,
    is_fund boolean NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    cache_ttl_minutes integer,
    CONSTRAINT own_ttl_is_positive CHECK ((cache_ttl_minutes > 0))
);

COMMENT ON TABLE public.company_profiles IS 'What a company is.';

CREATE TABLE public.document_blocks (
    document_id uuid NOT NULL,
    block_number integer NOT NULL,
    page_number integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    content jsonb DEFAULT '{}'::jsonb NOT NULL,
    box real[] NOT NULL,
    CONSTRAINT a_box_has_four_sides CHECK ((cardinality(box) = 4)),
    CONSTRAINT block_kind_is_known CHECK ((kind = ANY (ARRAY['line'::text, 'block'::text, 'pair'::text, 'row'::text])))
);

COMMENT ON TABLE public.document_blocks IS 'What geometry alone says: lines, blocks, key-value pairs, rows of tables.';

CREATE TABLE public.document_entities (
    document_id uuid NOT NULL,
    entity_number integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    page_number integer,
    box real[],
    confidence real,
    CONSTRAINT entity_kind_is_known CHECK ((kind = ANY (ARRAY['person'::text, 'provider'::text, 'date'::text, 'condition'::text, 'medication'::text, 'lab'::text])))
);

COMMENT ON TABLE public.document_entities IS 'First pass: people, dates, conditions, medications, labs, providers, with where they stand.';

CREATE TABLE public.document_facts (
    document_id uuid NOT NULL,
    fact_number integer NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    value jsonb NOT NULL,
    code_system text,
    code text,
    page_number integer,
    box real[],
    confidence real,
    CONSTRAINT a_code_has_a_system CHECK (((code IS NULL) = (code_system IS NULL))),
    CONSTRAINT fact_kind_is_known CHECK ((kind = ANY (ARRAY['patient'::text, 'provider'::text, 'date'::text, 'condition'::text, 'medication'::text, 'lab'::text])))
);

COMMENT ON TABLE public.document_facts IS 'Second pass: what is so, with dose, unit, range and result, and a code where it is sure.';

CREATE TABLE public.document_narratives (
    document_id uuid NOT NULL,
    sentences jsonb NOT NULL,
    timeline jsonb NOT NULL,
    CONSTRAINT sentences_are_an_array CHECK ((jsonb_typeof(sentences) = 'array'::text)),
    CONSTRAINT timeline_is_an_array CHECK ((jsonb_typeof(timeline) = 'array'::text))
);

COMMENT ON TABLE public.document_narratives IS 'Third pass: sentences and a timeline, each entry citing the numbers of its facts.';

CREATE TABLE public.document_pages (
    document_id uuid NOT NULL,
    page_number integer NOT NULL,
    source text NOT NULL,
    width real NOT NULL,
    height real NOT NULL,
    confidence real,
    text text NOT NULL,
    job_id uuid,
    CONSTRAINT source_is_known CHECK ((source = ANY (ARRAY['text_layer'::text, 'tesseract'::text, 'google_vision'::text, 'plain'::text])))
);

COMMENT ON TABLE public.document_pages IS 'What a page says. width and height in points, or pixels of the image.';

CREATE TABLE public.document_words (
    document_id uuid NOT NULL,
    page_number integer NOT NULL,
    word_number integer NOT NULL,
    text text NOT NULL,
    box real[] NOT NULL,
    confidence real,
    line_number integer,
    CONSTRAINT a_box_has_four_sides CHECK ((cardinality(box) = 4))
);

COMMENT ON TABLE public.document_words IS 'Each word of a page with its box.';

CREATE TABLE public.documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    owner uuid DEFAULT auth.uid() NOT NULL,
    title text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT document_has_at_most_one_mebibyte CHECK ((octet_length((data)::text) <= 1048576)),
    CONSTRAINT document_is_an_object CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT title_is_there_and_short CHECK (((length(title) >= 1) AND (length(title) <= 300))),
    CONSTRAINT version_counts_from_one CHECK ((version >= 1))
);

COMMENT ON TABLE public.documents IS 'What is exported: resumes first. version counts changes of title and data.';

CREATE TABLE public.earnings (
    symbol text NOT NULL,
    report_date date NOT NULL,
    eps_actual numeric,
    eps_estimated numeric,
    revenue_actual numeric,
    revenue_estimated numeric,
    last_updated timestamp with time zone NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    cache_ttl_minutes integer,
    CONSTRAINT own_ttl_is_positive CHECK ((cache_ttl_minutes > 0))
);

COMMENT ON TABLE public.earnings IS 'Earnings reports, past and announced.';

CREATE VIEW public.export_history WITH (security_barrier='true') AS
 SELECT h.id,
    h.user_id,
    h.document_id,
    h.version AS document_version,
    h.format,
    h.template AS template_slug,
    h.file_name,
    substr(h.file_path, (strpos(h.file_path, ':'::text) + 1)) AS file_path,
    (h.file_size)::integer AS file_size,
    h.download_count,
    h.expires_at,
    h.created_at,
    h.page_count
   FROM mill.export_history h
  WHERE ((h.user_id = auth.uid()) OR public.is_service_role());

COMMENT ON VIEW public.export_history IS 'What can be downloaded. A row goes with its file; document_id is null once the document is gone.';

CREATE TABLE public.financial_statements (
    symbol text NOT NULL,
    fiscal_year integer NOT NULL,
    period text NOT NULL,
    statement_date date NOT NULL,
    reported_currency text NOT NULL,
    cik text,
    filing_date date,
    accepted_at timestamp with time zone NOT NULL,
    revenue numeric NOT NULL,
    cost_of_revenue numeric NOT NULL,
    gross_profit numeric NOT NULL,
    research_and_development_expenses numeric NOT NULL,
    selling_general_and_administrative_expenses numeric NOT NULL,
    operating_expenses numeric NOT NULL,
    interest_expense numeric NOT NULL,
    depreciation_and_amortization numeric NOT NULL,
    ebitda numeric NOT NULL,
    operating_income numeric NOT NULL,
    income_before_tax numeric NOT NULL,
    income_tax_expense numeric NOT NULL,
    net_income numeric NOT NULL,
    eps numeric NOT NULL,
    eps_diluted numeric NOT NULL,
    weighted_average_shares_out numeric NOT NULL,
    weighted_average_shares_out_diluted numeric NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    cache_ttl_minutes integer,
    CONSTRAINT own_ttl_is_positive CHECK ((cache_ttl_minutes > 0))
);

COMMENT ON TABLE public.financial_statements IS 'Income statements, one row a period.';

CREATE TABLE public.job_artifacts (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    user_id uuid NOT NULL,
    task_id uuid NOT NULL,
    artifact_type text NOT NULL,
    storage_path text NOT NULL,
    file_size_bytes bigint,
    duration_seconds numeric,
    sha256 text,
    title text,
    created_at timestamp with time zone NOT NULL,
    public_url text,
    bucket text DEFAULT 'gristmill'::text NOT NULL,
    CONSTRAINT bytes_are_not_negative CHECK ((file_size_bytes >= 0)),
    CONSTRAINT duration_is_not_negative CHECK ((duration_seconds >= (0)::numeric)),
    CONSTRAINT path_is_under_its_own_job CHECK (starts_with(storage_path, (((user_id || '/'::text) || job_id) || '/'::text))),
    CONSTRAINT sha256_is_64_hex_digits CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT type_is_known CHECK ((artifact_type = ANY (ARRAY['audio_mp3'::text, 'pdf'::text, 'json'::text])))
);

COMMENT ON TABLE public.job_artifacts IS 'What tasks made, by the path of the object in storage. Nothing here is signed: URLs are made when asked for.';

CREATE VIEW public.job_queue AS
 SELECT j.id,
    j.kind AS job_type,
    j.name AS job_name,
    j.payload AS job_payload,
    COALESCE(j.category, 'standard'::text) AS job_category,
    j.priority,
    j.state AS status,
    j.run_at AS scheduled_at,
    j.created_at,
    GREATEST(j.created_at, j.started_at, j.finished_at, l.seen_at,
        CASE
            WHEN ((j.error ->> 'at'::text) ~ '^\d{4}-\d\d-\d\d'::text) THEN ((j.error ->> 'at'::text))::timestamp with time zone
            ELSE NULL::timestamp with time zone
        END) AS updated_at,
        CASE
            WHEN ((j.lease_until IS NOT NULL) OR (j.finished_at IS NOT NULL)) THEN j.started_at
            ELSE NULL::timestamp with time zone
        END AS started_at,
        CASE
            WHEN (j.state <> 'failed'::text) THEN j.finished_at
            ELSE NULL::timestamp with time zone
        END AS completed_at,
    j.worker AS worker_id,
        CASE
            WHEN (j.lease_until IS NOT NULL) THEN COALESCE(l.heartbeat_at, (j.lease_until - ( SELECT make_interval(secs => (s.value)::double precision) AS make_interval
               FROM mill.settings s
              WHERE (s.key = 'worker.timeout_seconds'::text))))
            ELSE NULL::timestamp with time zone
        END AS heartbeat_at,
        CASE
            WHEN (j.state = 'failed'::text) THEN j.finished_at
            ELSE NULL::timestamp with time zone
        END AS dead_letter_at,
        CASE
            WHEN ((j.lease_until IS NULL) AND (j.finished_at IS NULL)) THEN j.attempt
            ELSE GREATEST((j.attempt - 1), 0)
        END AS retry_count,
    (j.max_attempts - 1) AS max_retries,
    j.result AS job_result,
        CASE
            WHEN (j.error IS NOT NULL) THEN (( SELECT jsonb_object_agg(e.key, e.value ORDER BY g.n) AS jsonb_object_agg
               FROM (jsonb_array_elements(COALESCE(j.error_log, jsonb_build_array(j.error))) WITH ORDINALITY g(error, n)
                 CROSS JOIN LATERAL jsonb_each((g.error ||
                    CASE (g.error ->> 'type'::text)
                        WHEN 'rescheduled'::text THEN '{}'::jsonb
                        WHEN 'worker_lost'::text THEN jsonb_build_object('error_type', 'worker_timeout', 'error_message', (g.error -> 'message'::text), 'original_worker', (g.error -> 'worker'::text), 'timeout_at', (g.error -> 'at'::text), 'reclaim_jitter_seconds',
                        CASE
                            WHEN (g.error = j.error) THEN round(EXTRACT(epoch FROM (j.run_at - ((g.error ->> 'at'::text))::timestamp with time zone)), 3)
                            ELSE NULL::numeric
                        END)
                        ELSE jsonb_build_object('error_type', (g.error -> 'type'::text), 'error_message', (g.error -> 'message'::text))
                    END)) e(key, value))
              WHERE (jsonb_typeof(g.error) = 'object'::text)) ||
            CASE
                WHEN (j.state = 'failed'::text) THEN jsonb_build_object('dead_letter_reason',
                CASE
                    WHEN ((j.error ->> 'type'::text) = 'worker_lost'::text) THEN 'worker_timeout'::text
                    WHEN ((j.attempt >= j.max_attempts) AND ((j.error -> 'retryable'::text) IS DISTINCT FROM 'false'::jsonb)) THEN 'max_retries_exceeded'::text
                    ELSE COALESCE((j.error ->> 'type'::text), 'error'::text)
                END, 'final_worker', COALESCE(j.worker, (j.error ->> 'worker'::text)), 'dead_lettered_at', j.finished_at)
                ELSE '{}'::jsonb
            END)
            ELSE NULL::jsonb
        END AS error_details,
    j.queue AS job_lane,
    j.lease_until AS lease_expires_at,
    j.progress,
    j.owner AS user_id
   FROM (( SELECT j_1.id,
            j_1.kind,
            j_1.name,
            j_1.payload,
            j_1.category,
            j_1.queue,
            j_1.state,
            j_1.priority,
            j_1.run_at,
            j_1.worker,
            j_1.lease_until,
            j_1.attempt,
            j_1.max_attempts,
            j_1.progress,
            j_1.result,
            j_1.error,
            j_1.error_log,
            j_1.owner,
            j_1.created_at,
            j_1.started_at,
            j_1.finished_at
           FROM mill.job j_1
        UNION ALL
         SELECT p.id,
            p.kind,
            p.name,
            p.payload,
            p.category,
            p.queue,
            p.state,
            p.priority,
            p.run_at,
            p.worker,
            p.lease_until,
            p.attempt,
            p.max_attempts,
            p.progress,
            p.result,
            p.error,
            NULL::jsonb,
            p.owner,
            p.created_at,
            p.started_at,
            p.finished_at
           FROM mill.packed_job p) j
     LEFT JOIN mill.compat_lease l ON (((l.id = j.id) AND (l.worker = j.worker) AND (l.attempt = j.attempt) AND (l.started_at = j.started_at) AND (j.lease_until IS NOT NULL))));

COMMENT ON VIEW public.job_queue IS 'Every job under its compatible column names. Statuses: pending, processing, completed, failed, cancelled, retrying, deferred. An update to pending reschedules.';

CREATE VIEW public.jobs WITH (security_barrier='true') AS
 SELECT j.id,
    j.user_id,
    j.type,
    j.params,
        CASE s.status
            WHEN 'completed'::text THEN 'complete'::text
            ELSE s.status
        END AS status,
    jsonb_build_object('percent', s.percent, 'phase', s.phase, 'docsComplete', j.docs_complete, 'docsTotal', j.docs_total, 'message', s.message) AS progress,
    j.created_at,
    j.updated_at,
    j.version,
    j.output,
    j.error,
    j.priority,
    j.idempotency_key,
    j.correlation_id,
    j.revision,
    j.finished_at
   FROM (mill.workflow j
     JOIN mill.workflow_state s ON ((s.id = j.id)))
  WHERE (public.is_service_role() OR (j.user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON VIEW public.jobs IS 'Jobs of many tasks. Inserting starts one. Users see their own, create under their own id, and change nothing else. Statuses: queued, processing, complete, failed, cancelled.';

CREATE TABLE public.profile_access_grants (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    profile_id uuid NOT NULL,
    grantee_user_id uuid NOT NULL,
    granted_by uuid DEFAULT auth.uid() NOT NULL,
    granted_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT a_grant_ends_after_it_began CHECK (((expires_at IS NULL) OR (expires_at > granted_at)))
);

COMMENT ON TABLE public.profile_access_grants IS 'Whom a profile''s owner lets in. A grant reaches all that the profile owns, but not the grants themselves; revoking is a DELETE.';

CREATE TABLE public.quotes (
    symbol text NOT NULL,
    name text NOT NULL,
    price numeric NOT NULL,
    change numeric NOT NULL,
    change_percentage numeric NOT NULL,
    volume numeric NOT NULL,
    day_low numeric NOT NULL,
    day_high numeric NOT NULL,
    year_low numeric NOT NULL,
    year_high numeric NOT NULL,
    market_cap numeric,
    price_avg_50 numeric NOT NULL,
    price_avg_200 numeric NOT NULL,
    exchange text NOT NULL,
    open numeric NOT NULL,
    previous_close numeric NOT NULL,
    quoted_at timestamp with time zone NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    cache_ttl_minutes integer,
    CONSTRAINT own_ttl_is_positive CHECK ((cache_ttl_minutes > 0)),
    CONSTRAINT price_is_positive CHECK ((price > (0)::numeric))
)
WITH (fillfactor='80');

COMMENT ON TABLE public.quotes IS 'The latest quote of a symbol.';

CREATE TABLE public.subscription_analytics (
    symbol text NOT NULL,
    data_type text NOT NULL,
    watchers integer NOT NULL,
    counted_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.subscription_analytics IS 'Watchers by symbol and type, counted in batches by the cleanup and on no hot path.';

CREATE TABLE public.subscription_plans (
    plan_type text NOT NULL,
    shell_files_limit integer,
    pages_limit integer,
    ai_tokens_limit bigint,
    storage_limit_mb integer,
    monthly_price_cents integer DEFAULT 0 NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    display_name text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    features jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    sort_order integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT limits_are_not_negative CHECK (((LEAST((shell_files_limit)::bigint, (pages_limit)::bigint, ai_tokens_limit, (storage_limit_mb)::bigint) IS NULL) OR (LEAST((shell_files_limit)::bigint, (pages_limit)::bigint, ai_tokens_limit, (storage_limit_mb)::bigint) >= 0))),
    CONSTRAINT plan_name_is_a_short_word CHECK ((plan_type ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT price_is_not_negative CHECK ((monthly_price_cents >= 0))
);

COMMENT ON TABLE public.subscription_plans IS 'What each plan admits a month; null is unlimited.';

CREATE TABLE public.supported_symbols (
    symbol text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    exchange text,
    is_active boolean DEFAULT true NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT symbol_is_a_ticker CHECK ((symbol ~ '^[A-Z0-9^][A-Z0-9.^=-]{0,19}$'::text))
);

COMMENT ON TABLE public.supported_symbols IS 'What may be watched and is refreshed on schedule. Users cannot make us ask for anything else.';

CREATE VIEW public.system_configuration AS
 SELECT s.key AS config_key,
    s.value AS config_value,
    s.type AS config_type,
    s.description,
    s.is_sensitive,
    s.updated_at
   FROM mill.settings s;

COMMENT ON VIEW public.system_configuration IS 'Settings of the whole system. Secrets are not here.';

CREATE VIEW public.usage_events WITH (security_barrier='true') AS
 SELECT (('00000000-0000-8000-8000-'::text || lpad(to_hex(e.id), 12, '0'::text)))::uuid AS id,
    e.profile_id,
    e.event_type,
    e.counts AS metrics,
    e.shell_file_id,
    e.job_id,
    NULL::text AS user_agent,
    NULL::inet AS ip_address,
    e.at AS created_at
   FROM mill.usage_event e
  WHERE ((COALESCE((auth.jwt() ->> 'role'::text), ''::text) <> ALL (ARRAY['anon'::text, 'authenticated'::text])) OR (e.profile_id IN ( SELECT public.accessible_profiles() AS accessible_profiles)));

COMMENT ON VIEW public.usage_events IS 'What was counted, one row per event; metrics is what it added.';

CREATE TABLE public.user_profiles (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    display_name text DEFAULT ''::text NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT display_name_is_short CHECK ((length(display_name) <= 200))
);

COMMENT ON TABLE public.user_profiles IS 'Whose data it is. A user may have several; see profile_access_grants for who else gets in.';

CREATE VIEW public.user_usage_tracking WITH (security_barrier='true') AS
 SELECT (md5(((u.profile_id)::text || u.month)))::uuid AS id,
    u.profile_id,
    u.month AS billing_cycle_start,
    ((u.month + '1 mon -1 days'::interval))::date AS billing_cycle_end,
    u.files_uploaded AS shell_files_uploaded,
    u.pages AS total_pages_processed,
    ((COALESCE(e.bytes, (0)::numeric) / 1000000.0))::numeric(10,2) AS total_file_size_mb,
    u.ai_tokens AS ai_tokens_used,
    u.ai_calls AS ai_processing_jobs,
    ((u.ai_seconds / (60)::numeric))::numeric(10,2) AS ai_processing_minutes,
    (((COALESCE(b.bytes, (0)::bigint))::numeric / 1000000.0))::numeric(10,2) AS storage_used_mb,
    s.plan_type,
    s.shell_files_limit,
    s.pages_limit,
    s.ai_tokens_limit,
    s.storage_limit_mb,
    o.is_over AS is_over_limit,
    (o.is_over AND f.is_on) AS upgrade_required,
    COALESCE(e.warnings, 0) AS warnings_sent,
    COALESCE(u.created_at, ((u.month)::timestamp without time zone AT TIME ZONE 'UTC'::text)) AS created_at,
    u.updated_at
   FROM ((((((mill.usage_of_month u
     JOIN public.user_profiles p ON ((p.id = u.profile_id)))
     JOIN public.subscription_plans s ON ((s.plan_type = p.plan)))
     LEFT JOIN mill.stored_bytes b ON ((b.profile_id = u.profile_id)))
     CROSS JOIN LATERAL ( SELECT (COALESCE((u.files_uploaded > s.shell_files_limit), false) OR COALESCE((u.pages > s.pages_limit), false) OR COALESCE((u.ai_tokens > s.ai_tokens_limit), false) OR COALESCE((round(((COALESCE(b.bytes, (0)::bigint))::numeric / 1000000.0), 6) > (s.storage_limit_mb)::numeric), false)) AS is_over) o)
     CROSS JOIN LATERAL ( SELECT COALESCE(bool_or((c.value = 'true'::text)), false) AS is_on
           FROM mill.settings c
          WHERE (c.key = ANY (ARRAY['features.billing_enabled'::text, 'features.upgrade_prompts_enabled'::text]))) f)
     CROSS JOIN LATERAL ( SELECT sum(((e_1.counts ->> 'bytes'::text))::bigint) FILTER (WHERE (e_1.event_type = 'shell_file_uploaded'::text)) AS bytes,
            (count(*) FILTER (WHERE (e_1.event_type = 'limit_hit'::text)))::integer AS warnings
           FROM mill.usage_event e_1
          WHERE ((e_1.profile_id = u.profile_id) AND (e_1.event_type = ANY (ARRAY['shell_file_uploaded'::text, 'limit_hit'::text])) AND (e_1.at >= ((u.month)::timestamp without time zone AT TIME ZONE 'UTC'::text)) AND (e_1.at < ((u.month + '1 mon'::interval) AT TIME ZONE 'UTC'::text)))) e)
  WHERE ((COALESCE((auth.jwt() ->> 'role'::text), ''::text) <> ALL (ARRAY['anon'::text, 'authenticated'::text])) OR (u.profile_id IN ( SELECT public.accessible_profiles() AS accessible_profiles)));

COMMENT ON VIEW public.user_usage_tracking IS 'What a profile has used, one row per month, beside its plan; a limit of null is unlimited.';

CREATE TABLE public.workflow_definition (
    type text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    tasks jsonb NOT NULL,
    defaults jsonb DEFAULT '{}'::jsonb NOT NULL,
    documents text,
    open_to_users boolean DEFAULT true NOT NULL,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT defaults_are_an_object CHECK ((jsonb_typeof(defaults) = 'object'::text)),
    CONSTRAINT type_is_a_short_word CHECK ((type ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT version_is_positive CHECK ((version > 0))
);

COMMENT ON TABLE public.workflow_definition IS 'What a type of workflow is made of; a new workflow is an INSERT. The newest active version is started. See docs/add-a-workflow.md.';

ALTER TABLE ONLY mill.audit_log ATTACH PARTITION mill.audit_log_default DEFAULT;

ALTER TABLE ONLY mill.job ATTACH PARTITION mill.job_dead FOR VALUES IN ('failed');

ALTER TABLE ONLY mill.job ATTACH PARTITION mill.job_done FOR VALUES IN ('completed', 'cancelled');

ALTER TABLE ONLY mill.job_done ATTACH PARTITION mill.job_done_default DEFAULT;

ALTER TABLE ONLY mill.job ATTACH PARTITION mill.job_live FOR VALUES IN ('pending', 'processing', 'deferred', 'retrying');

ALTER TABLE ONLY public.api_rate_limits ALTER COLUMN requests_per_minute SET DEFAULT 60;

ALTER TABLE ONLY public.api_rate_limits ALTER COLUMN concurrent_requests SET DEFAULT 10;

ALTER TABLE ONLY public.api_rate_limits ALTER COLUMN backpressure_threshold SET DEFAULT 0.8;

ALTER TABLE ONLY public.api_rate_limits ALTER COLUMN backpressure_delay_seconds SET DEFAULT 5;

ALTER TABLE ONLY public.api_rate_limits ALTER COLUMN queue_depth_limit SET DEFAULT 1000;

ALTER TABLE ONLY public.job_tasks ALTER COLUMN max_attempts SET DEFAULT 3;

ALTER TABLE ONLY mill.alert_endpoint
    ADD CONSTRAINT alert_endpoint_pkey PRIMARY KEY (name);

ALTER TABLE ONLY mill.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.alert_rule
    ADD CONSTRAINT alert_rule_pkey PRIMARY KEY (rule);

ALTER TABLE ONLY mill.api_rate_limits
    ADD CONSTRAINT an_id_names_one_limit UNIQUE (id);

ALTER TABLE ONLY mill.api_lease
    ADD CONSTRAINT api_lease_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.api_rate_limits
    ADD CONSTRAINT api_rate_limits_pkey PRIMARY KEY (provider_name, api_endpoint);

ALTER TABLE ONLY mill.api_use_minute
    ADD CONSTRAINT api_use_minute_pkey PRIMARY KEY (provider, endpoint, minute);

ALTER TABLE ONLY mill.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (day, seq);

ALTER TABLE ONLY mill.audit_day
    ADD CONSTRAINT audit_day_pkey PRIMARY KEY (day);

ALTER TABLE ONLY mill.audit_total
    ADD CONSTRAINT audit_total_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY mill.audit_unchained
    ADD CONSTRAINT audit_unchained_pkey PRIMARY KEY (audit_id);

ALTER TABLE ONLY mill.breaker_change
    ADD CONSTRAINT breaker_change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.breaker
    ADD CONSTRAINT breaker_pkey PRIMARY KEY (target);

ALTER TABLE ONLY mill.bucket
    ADD CONSTRAINT bucket_pkey PRIMARY KEY (bucket);

ALTER TABLE ONLY mill.claimant
    ADD CONSTRAINT claimant_pkey PRIMARY KEY (queue, worker);

ALTER TABLE ONLY mill.cleanup_step
    ADD CONSTRAINT cleanup_step_pkey PRIMARY KEY (step);

ALTER TABLE ONLY mill.compat_lease
    ADD CONSTRAINT compat_lease_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.data_change
    ADD CONSTRAINT data_change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.data_check
    ADD CONSTRAINT data_check_pkey PRIMARY KEY (data_type, symbol);

ALTER TABLE ONLY mill.document_upload
    ADD CONSTRAINT document_upload_pkey PRIMARY KEY (place);

ALTER TABLE ONLY mill.ended
    ADD CONSTRAINT ended_pkey PRIMARY KEY (xid, n);

ALTER TABLE ONLY mill.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.export_batch_item
    ADD CONSTRAINT export_batch_item_pkey PRIMARY KEY (batch_id, "position");

ALTER TABLE ONLY mill.export_batch
    ADD CONSTRAINT export_batch_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.export_day
    ADD CONSTRAINT export_day_pkey PRIMARY KEY (owner, day);

ALTER TABLE ONLY mill.export_event
    ADD CONSTRAINT export_event_pkey PRIMARY KEY (export_id, id);

ALTER TABLE ONLY mill.export_file
    ADD CONSTRAINT export_file_pkey PRIMARY KEY (path);

ALTER TABLE ONLY mill.export_history
    ADD CONSTRAINT export_history_file_path_key UNIQUE (file_path);

ALTER TABLE ONLY mill.export_history
    ADD CONSTRAINT export_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.export
    ADD CONSTRAINT export_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.floor_version
    ADD CONSTRAINT floor_version_pkey PRIMARY KEY (line, version);

ALTER TABLE ONLY mill.health_check
    ADD CONSTRAINT health_check_pkey PRIMARY KEY (name);

ALTER TABLE ONLY mill.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (part);

ALTER TABLE ONLY mill.hook
    ADD CONSTRAINT hook_pkey PRIMARY KEY (event, routine);

ALTER TABLE ONLY mill.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (caller, key);

ALTER TABLE ONLY mill.invocation
    ADD CONSTRAINT invocation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.job_dead
    ADD CONSTRAINT job_dead_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.job_live
    ADD CONSTRAINT job_live_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.job_log
    ADD CONSTRAINT job_log_pkey PRIMARY KEY (job, n);

ALTER TABLE ONLY mill.kind
    ADD CONSTRAINT kind_pkey PRIMARY KEY (kind);

ALTER TABLE ONLY mill.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (queue, lane);

ALTER TABLE ONLY mill.line
    ADD CONSTRAINT line_pkey PRIMARY KEY (line);

ALTER TABLE ONLY mill.line
    ADD CONSTRAINT line_queue_priority_key UNIQUE (queue, priority);

ALTER TABLE ONLY mill.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (path);

ALTER TABLE ONLY mill.task_need
    ADD CONSTRAINT need_is_said_once UNIQUE NULLS NOT DISTINCT (kind, needs);

ALTER TABLE ONLY mill.object
    ADD CONSTRAINT object_pkey PRIMARY KEY (kind, name);

ALTER TABLE ONLY mill.object_rule
    ADD CONSTRAINT object_rule_pkey PRIMARY KEY (act, routine);

ALTER TABLE ONLY mill.pack
    ADD CONSTRAINT pack_pkey PRIMARY KEY (first);

ALTER TABLE ONLY mill.part
    ADD CONSTRAINT part_pkey PRIMARY KEY (part);

ALTER TABLE ONLY mill.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (queue);

ALTER TABLE ONLY mill.refresh_walk
    ADD CONSTRAINT refresh_walk_pkey PRIMARY KEY (data_type);

ALTER TABLE ONLY mill.repeatable_call
    ADD CONSTRAINT repeatable_call_pkey PRIMARY KEY (function);

ALTER TABLE ONLY mill.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name);

ALTER TABLE ONLY mill.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (name);

ALTER TABLE ONLY mill.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (key);

ALTER TABLE ONLY mill.stat_minute
    ADD CONSTRAINT stat_minute_pkey PRIMARY KEY (minute, queue, kind, outcome, bucket);

ALTER TABLE ONLY mill.step
    ADD CONSTRAINT step_pkey PRIMARY KEY (job_id, key);

ALTER TABLE ONLY mill.stored_bytes
    ADD CONSTRAINT stored_bytes_pkey PRIMARY KEY (profile_id);

ALTER TABLE ONLY mill.stored_object
    ADD CONSTRAINT stored_object_pkey PRIMARY KEY (object);

ALTER TABLE ONLY mill.task_claim
    ADD CONSTRAINT task_claim_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.task_sequence
    ADD CONSTRAINT task_sequence_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (queue, tenant);

ALTER TABLE ONLY mill.ticket_call
    ADD CONSTRAINT ticket_call_pkey PRIMARY KEY (function);

ALTER TABLE ONLY mill.unique_job
    ADD CONSTRAINT unique_job_pkey PRIMARY KEY (kind, digest);

ALTER TABLE ONLY mill.usage_event
    ADD CONSTRAINT usage_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.usage_of_month
    ADD CONSTRAINT usage_of_month_pkey PRIMARY KEY (profile_id, month);

ALTER TABLE ONLY mill.virtual_clock
    ADD CONSTRAINT virtual_clock_pkey PRIMARY KEY (queue);

ALTER TABLE ONLY mill.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (worker);

ALTER TABLE ONLY mill.workflow
    ADD CONSTRAINT workflow_pkey PRIMARY KEY (id);

ALTER TABLE ONLY mill.workflow_step
    ADD CONSTRAINT workflow_step_pkey PRIMARY KEY (type, version, key);

ALTER TABLE ONLY public.profile_access_grants
    ADD CONSTRAINT a_grantee_has_one_grant_per_profile UNIQUE (profile_id, grantee_user_id);

ALTER TABLE ONLY public.shell_files
    ADD CONSTRAINT a_key_names_one_document UNIQUE (idempotency_key);

ALTER TABLE ONLY public.subscription_plans
    ADD CONSTRAINT a_plan_has_one_id UNIQUE (id);

ALTER TABLE ONLY public.active_subscriptions_v2
    ADD CONSTRAINT a_user_watches_a_thing_once UNIQUE (user_id, symbol, data_type);

ALTER TABLE ONLY public.active_subscriptions_v2
    ADD CONSTRAINT active_subscriptions_v2_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_data_usage
    ADD CONSTRAINT api_data_usage_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.company_profiles
    ADD CONSTRAINT company_profiles_pkey PRIMARY KEY (symbol);

ALTER TABLE ONLY public.data_type_registry
    ADD CONSTRAINT data_type_registry_pkey PRIMARY KEY (data_type);

ALTER TABLE ONLY public.document_blocks
    ADD CONSTRAINT document_blocks_pkey PRIMARY KEY (document_id, block_number);

ALTER TABLE ONLY public.document_entities
    ADD CONSTRAINT document_entities_pkey PRIMARY KEY (document_id, entity_number);

ALTER TABLE ONLY public.document_facts
    ADD CONSTRAINT document_facts_pkey PRIMARY KEY (document_id, fact_number);

ALTER TABLE ONLY public.document_narratives
    ADD CONSTRAINT document_narratives_pkey PRIMARY KEY (document_id);

ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_pkey PRIMARY KEY (document_id, page_number);

ALTER TABLE ONLY public.document_words
    ADD CONSTRAINT document_words_pkey PRIMARY KEY (document_id, page_number, word_number);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.earnings
    ADD CONSTRAINT earnings_pkey PRIMARY KEY (symbol, report_date);

ALTER TABLE ONLY public.financial_statements
    ADD CONSTRAINT financial_statements_pkey PRIMARY KEY (symbol, fiscal_year, period);

ALTER TABLE ONLY public.job_artifacts
    ADD CONSTRAINT job_artifacts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.job_artifacts
    ADD CONSTRAINT job_artifacts_storage_path_key UNIQUE (storage_path);

ALTER TABLE ONLY public.profile_access_grants
    ADD CONSTRAINT profile_access_grants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_pkey PRIMARY KEY (symbol);

ALTER TABLE ONLY public.shell_files
    ADD CONSTRAINT shell_files_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.subscription_analytics
    ADD CONSTRAINT subscription_analytics_pkey PRIMARY KEY (symbol, data_type);

ALTER TABLE ONLY public.subscription_plans
    ADD CONSTRAINT subscription_plans_pkey PRIMARY KEY (plan_type);

ALTER TABLE ONLY public.supported_symbols
    ADD CONSTRAINT supported_symbols_pkey PRIMARY KEY (symbol);

ALTER TABLE ONLY public.user_profiles
    ADD CONSTRAINT user_profiles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workflow_definition
    ADD CONSTRAINT workflow_definition_pkey PRIMARY KEY (type, version);

CREATE INDEX alert_resolved ON mill.alert USING btree (resolved_at) WHERE (state = 'resolved'::text);

CREATE UNIQUE INDEX an_audit_row_is_linked_once ON mill.audit_chain USING btree (day, audit_id);

CREATE UNIQUE INDEX an_event_counts_once ON mill.usage_event USING btree (profile_id, event_type, once_key) WHERE (once_key IS NOT NULL);

CREATE INDEX api_lease_age ON mill.api_lease USING btree (taken_at);

CREATE INDEX api_lease_open ON mill.api_lease USING btree (provider, endpoint, taken_at) WHERE (ended_at IS NULL);

CREATE INDEX api_use_window ON mill.api_use USING btree (provider, endpoint, at) INCLUDE (requests, tokens);

CREATE INDEX audit_chain_hash ON mill.audit_chain USING btree (hash);

CREATE INDEX audit_log_at ON ONLY mill.audit_log USING btree (at);

CREATE INDEX audit_log_default_at_idx ON mill.audit_log_default USING btree (at);

CREATE INDEX audit_log_id ON ONLY mill.audit_log USING btree (id);

CREATE INDEX audit_log_default_id_idx ON mill.audit_log_default USING btree (id);

CREATE INDEX audit_log_job ON ONLY mill.audit_log USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX audit_log_default_job_id_idx ON mill.audit_log_default USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX audit_log_patient ON ONLY mill.audit_log USING btree (patient_id, at) WHERE (patient_id IS NOT NULL);

CREATE INDEX audit_log_default_patient_id_at_idx ON mill.audit_log_default USING btree (patient_id, at) WHERE (patient_id IS NOT NULL);

CREATE INDEX audit_log_record ON ONLY mill.audit_log USING btree (table_name, record_id);

CREATE INDEX audit_log_default_table_name_record_id_idx ON mill.audit_log_default USING btree (table_name, record_id);

CREATE INDEX breaker_change_at ON mill.breaker_change USING btree (target, at);

CREATE INDEX compat_lease_age ON mill.compat_lease USING btree (started_at);

CREATE INDEX data_change_at ON mill.data_change USING btree (at);

CREATE INDEX document_upload_age ON mill.document_upload USING btree (begun_at);

CREATE INDEX document_upload_document ON mill.document_upload USING btree (document_id);

CREATE INDEX ended_of_parent ON mill.ended USING btree (parent);

CREATE INDEX ended_uncounted ON mill.ended USING btree (parent) WHERE (NOT counted);

CREATE INDEX event_at ON mill.event USING btree (at);

CREATE INDEX export_age ON mill.export USING btree (created_at);

CREATE INDEX export_batch_age ON mill.export_batch USING btree (created_at);

CREATE INDEX export_batch_item_export ON mill.export_batch_item USING btree (export_id);

CREATE INDEX export_document ON mill.export USING btree (document_id);

CREATE INDEX export_file_expiry ON mill.export_file USING btree (expires_at) WHERE (state = 'stored'::text);

CREATE INDEX export_file_export ON mill.export_file USING btree (export_id);

CREATE INDEX export_file_owner ON mill.export_file USING btree (owner) INCLUDE (size, state);

CREATE INDEX export_file_unfinished ON mill.export_file USING btree (created_at) WHERE (state <> 'stored'::text);

CREATE INDEX export_history_document ON mill.export_history USING btree (document_id);

CREATE INDEX export_history_user ON mill.export_history USING btree (user_id, created_at DESC);

CREATE INDEX export_owner ON mill.export USING btree (owner, id DESC);

CREATE INDEX idempotency_key_by_age ON mill.idempotency_key USING btree (created_at);

CREATE INDEX invocation_age ON mill.invocation USING btree (asked_at);

CREATE INDEX invocation_open ON mill.invocation USING btree (queue, asked_at) WHERE (ended_at IS NULL);

CREATE INDEX job_dead_queue ON mill.job_dead USING btree (queue, finished_at);

CREATE INDEX job_done_id ON ONLY mill.job_done USING btree (id);

CREATE INDEX job_done_default_id_idx ON mill.job_done_default USING btree (id);

CREATE UNIQUE INDEX job_live_dedupe ON mill.job_live USING btree (queue, dedupe_key) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX job_live_lanes ON mill.job_live USING btree (queue, lane, priority DESC, turn) WHERE ((NOT waits) AND (lane IS NOT NULL));

CREATE INDEX job_live_ready ON mill.job_live USING btree (line, turn) WHERE ((NOT waits) AND (turn IS NOT NULL));

CREATE INDEX job_live_slots ON mill.job_live USING btree (slot) WHERE (slot IS NOT NULL);

CREATE INDEX job_live_waiting ON mill.job_live USING btree (run_at) WHERE waits;

CREATE INDEX jobs_by_end ON mill.workflow USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE UNIQUE INDEX jobs_idempotency ON mill.workflow USING btree (user_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX jobs_of_definition ON mill.workflow USING btree (type, version);

CREATE INDEX jobs_of_user ON mill.workflow USING btree (user_id, created_at DESC);

CREATE INDEX jobs_with_stragglers ON mill.workflow USING btree (id) WHERE stragglers;

CREATE INDEX lane_tenant ON mill.lane USING btree (queue, tenant) WHERE (NOT idle);

CREATE UNIQUE INDEX one_open_alert_a_subject ON mill.alert USING btree (rule, subject) WHERE (state <> 'resolved'::text);

CREATE UNIQUE INDEX one_part_answers ON mill.hook USING btree (event) WHERE (event = ANY (ARRAY['claim'::text, 'usage'::text, 'wait'::text, 'rest'::text]));

CREATE INDEX pack_lease_until ON mill.pack_lease USING btree (lease_until);

CREATE INDEX pack_place ON mill.pack USING btree (line, turn);

CREATE INDEX stored_object_age ON mill.stored_object USING btree (stored_at);

CREATE UNIQUE INDEX task_place ON mill.task USING btree (job_id, key, item);

CREATE INDEX task_sequence_new ON mill.task_sequence USING btree (job_id) WHERE (NOT is_begun);

CREATE INDEX task_sequence_place ON mill.task_sequence USING btree (job_id, kind, sequence);

CREATE INDEX unique_job_until ON mill.unique_job USING btree (until);

CREATE INDEX usage_event_profile ON mill.usage_event USING btree (profile_id, at);

CREATE UNIQUE INDEX a_user_has_one_default_profile ON public.user_profiles USING btree (user_id) WHERE is_default;

CREATE INDEX active_subscriptions_by_symbol ON public.active_subscriptions_v2 USING btree (symbol, data_type);

CREATE INDEX api_data_usage_at ON public.api_data_usage USING btree (created_at);

CREATE INDEX documents_owner ON public.documents USING btree (owner, updated_at DESC);

CREATE INDEX job_artifacts_of_job ON public.job_artifacts USING btree (job_id);

CREATE INDEX profile_access_grants_grantee ON public.profile_access_grants USING btree (grantee_user_id);

CREATE INDEX shell_files_patient ON public.shell_files USING btree (patient_id, created_at DESC);

CREATE INDEX shell_files_unfinished ON public.shell_files USING btree (updated_at) WHERE (status = ANY (ARRAY['uploading'::text, 'erasing'::text]));

CREATE INDEX shell_files_uploaded ON public.shell_files USING btree (uploaded_at);

CREATE INDEX user_profiles_user ON public.user_profiles USING btree (user_id);

ALTER INDEX mill.audit_log_at ATTACH PARTITION mill.audit_log_default_at_idx;

ALTER INDEX mill.audit_log_id ATTACH PARTITION mill.audit_log_default_id_idx;

ALTER INDEX mill.audit_log_job ATTACH PARTITION mill.audit_log_default_job_id_idx;

ALTER INDEX mill.audit_log_patient ATTACH PARTITION mill.audit_log_default_patient_id_at_idx;

ALTER INDEX mill.audit_log_record ATTACH PARTITION mill.audit_log_default_table_name_record_id_idx;

ALTER INDEX mill.job_done_id ATTACH PARTITION mill.job_done_default_id_idx;

CREATE TRIGGER audit_configuration AFTER INSERT OR DELETE OR UPDATE ON mill.settings FOR EACH ROW EXECUTE FUNCTION mill.audit_configuration();

CREATE TRIGGER audit_rows_never_change BEFORE DELETE OR UPDATE ON mill.audit_log FOR EACH ROW EXECUTE FUNCTION mill.refuse_audit_change();

CREATE TRIGGER audit_start AFTER INSERT ON mill.workflow FOR EACH ROW EXECUTE FUNCTION mill.audit_status();

CREATE TRIGGER audit_status AFTER UPDATE OF status ON mill.workflow FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION mill.audit_status();

CREATE TRIGGER begin_workflow BEFORE INSERT ON mill.workflow FOR EACH ROW EXECUTE FUNCTION mill.begin_workflow();

CREATE TRIGGER buckets_are_made AFTER INSERT ON mill.bucket FOR EACH STATEMENT EXECUTE FUNCTION mill.follow_buckets();

CREATE CONSTRAINT TRIGGER call_ended_hooks AFTER INSERT ON mill.ended DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION mill.call_ended_hooks();

CREATE TRIGGER compile_changed_schema_of_kind BEFORE UPDATE OF schema ON mill.kind FOR EACH ROW WHEN ((new.schema IS DISTINCT FROM old.schema)) EXECUTE FUNCTION mill.compile_schema_of_kind();

CREATE TRIGGER compile_schema_of_kind BEFORE INSERT ON mill.kind FOR EACH ROW WHEN ((new.schema IS NOT NULL)) EXECUTE FUNCTION mill.compile_schema_of_kind();

CREATE TRIGGER forget_tasks AFTER DELETE ON mill.workflow FOR EACH ROW EXECUTE FUNCTION mill.forget_tasks();

CREATE TRIGGER give_slots_to_running_jobs AFTER UPDATE ON mill.queue FOR EACH ROW WHEN ((new.counts_running AND (NOT old.counts_running))) EXECUTE FUNCTION mill.give_slots_to_running_jobs();

CREATE TRIGGER limits_say_when_they_changed BEFORE UPDATE OF provider_name, api_endpoint, requests_per_minute, requests_per_hour, tokens_per_minute, tokens_per_hour, concurrent_requests, backpressure_threshold, backpressure_delay_seconds, queue_depth_limit, lease_seconds, status ON mill.api_rate_limits FOR EACH ROW EXECUTE FUNCTION mill.touch_updated_at();

CREATE TRIGGER make_tasks AFTER INSERT ON mill.workflow FOR EACH ROW EXECUTE FUNCTION mill.make_tasks();

CREATE TRIGGER open_floor_on_new_line AFTER INSERT ON mill.line FOR EACH ROW EXECUTE FUNCTION mill.open_floor_on_new_line();

CREATE TRIGGER open_line_on_new_queue AFTER INSERT ON mill.queue FOR EACH ROW EXECUTE FUNCTION mill.open_line_on_new_queue();

CREATE TRIGGER reassign_lanes_on_change AFTER UPDATE OF dequeue, max_running_per_group ON mill.queue FOR EACH ROW WHEN (((old.dequeue <> new.dequeue) OR (old.max_running_per_group IS DISTINCT FROM new.max_running_per_group))) EXECUTE FUNCTION mill.reassign_lanes_on_change();

CREATE TRIGGER refuse_to_drop_jobs BEFORE DELETE ON mill.queue FOR EACH ROW EXECUTE FUNCTION mill.refuse_to_drop_jobs();

CREATE TRIGGER settings_say_when_they_changed BEFORE UPDATE ON mill.settings FOR EACH ROW EXECUTE FUNCTION mill.touch_updated_at();

CREATE TRIGGER the_audit_log_is_never_emptied BEFORE TRUNCATE ON mill.audit_log FOR EACH STATEMENT EXECUTE FUNCTION mill.refuse_audit_change();

CREATE TRIGGER a_clients_repeat_changes_nothing BEFORE UPDATE ON public.shell_files FOR EACH ROW WHEN ((CURRENT_USER = ANY (ARRAY['anon'::name, 'authenticated'::name, 'service_role'::name]))) EXECUTE FUNCTION mill.keep_upserted_file();

CREATE TRIGGER a_clients_row_becomes_a_document BEFORE INSERT ON public.shell_files FOR EACH ROW WHEN ((CURRENT_USER = ANY (ARRAY['anon'::name, 'authenticated'::name, 'service_role'::name]))) EXECUTE FUNCTION mill.receive_upserted_file();

CREATE TRIGGER a_clients_row_is_started AFTER INSERT ON public.shell_files FOR EACH ROW WHEN ((CURRENT_USER = ANY (ARRAY['anon'::name, 'authenticated'::name, 'service_role'::name]))) EXECUTE FUNCTION mill.start_upserted_file();

CREATE TRIGGER a_data_type_is_a_kind_and_published AFTER INSERT OR UPDATE OF table_name, edge_function_name, provider ON public.data_type_registry FOR EACH ROW EXECUTE FUNCTION mill.follow_registry_row();

CREATE TRIGGER a_row_is_a_refresh_to_queue INSTEAD OF INSERT ON public.api_call_queue FOR EACH ROW EXECUTE FUNCTION mill.insert_api_call();

CREATE TRIGGER a_status_is_a_word_about_a_lease INSTEAD OF UPDATE ON public.api_call_queue FOR EACH ROW EXECUTE FUNCTION mill.update_api_call();

CREATE TRIGGER artifacts_are_checked BEFORE INSERT ON public.job_artifacts FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION mill.insert_artifact();

CREATE TRIGGER check_definition BEFORE INSERT OR UPDATE ON public.workflow_definition FOR EACH ROW EXECUTE FUNCTION mill.check_definition();

CREATE TRIGGER documents_count_versions BEFORE UPDATE ON public.documents FOR EACH ROW EXECUTE FUNCTION mill.count_document_version();

CREATE TRIGGER export_jobs_are_asked_for INSTEAD OF INSERT ON public.export_jobs FOR EACH ROW EXECUTE FUNCTION mill.insert_export_job();

CREATE TRIGGER export_jobs_change_by_their_lease INSTEAD OF UPDATE ON public.export_jobs FOR EACH ROW EXECUTE FUNCTION mill.update_export_job();

CREATE TRIGGER history_goes_with_its_file INSTEAD OF DELETE ON public.export_history FOR EACH ROW EXECUTE FUNCTION mill.delete_export_history();

CREATE TRIGGER history_is_beside_a_file INSTEAD OF INSERT ON public.export_history FOR EACH ROW EXECUTE FUNCTION mill.insert_export_history();

CREATE TRIGGER job_queue_is_rescheduled INSTEAD OF UPDATE ON public.job_queue FOR EACH ROW EXECUTE FUNCTION mill.update_job_queue();

CREATE TRIGGER jobs_are_started INSTEAD OF INSERT ON public.jobs FOR EACH ROW EXECUTE FUNCTION mill.insert_job();

CREATE TRIGGER keep_definition_steps AFTER INSERT OR UPDATE OF type, version, tasks ON public.workflow_definition FOR EACH ROW EXECUTE FUNCTION mill.keep_definition_steps();

CREATE TRIGGER plans_note_their_changes BEFORE UPDATE ON public.subscription_plans FOR EACH ROW EXECUTE FUNCTION mill.touch_plan();

CREATE TRIGGER tasks_are_begun AFTER INSERT ON public.job_tasks FOR EACH STATEMENT EXECUTE FUNCTION mill.begin_inserted_tasks();

CREATE TRIGGER tasks_are_written_down INSTEAD OF INSERT ON public.job_tasks FOR EACH ROW EXECUTE FUNCTION mill.insert_task();

CREATE TRIGGER users_wait_in_maintenance BEFORE INSERT OR DELETE OR UPDATE ON public.documents FOR EACH STATEMENT EXECUTE FUNCTION mill.refuse_users_in_maintenance();

CREATE TRIGGER users_wait_in_maintenance BEFORE INSERT OR DELETE OR UPDATE ON public.profile_access_grants FOR EACH STATEMENT EXECUTE FUNCTION mill.refuse_users_in_maintenance();

CREATE TRIGGER users_wait_in_maintenance BEFORE INSERT OR UPDATE ON public.shell_files FOR EACH STATEMENT WHEN ((CURRENT_USER = ANY (ARRAY['anon'::name, 'authenticated'::name, 'service_role'::name]))) EXECUTE FUNCTION mill.refuse_users_in_maintenance();

CREATE TRIGGER users_wait_in_maintenance BEFORE INSERT OR DELETE OR UPDATE ON public.user_profiles FOR EACH STATEMENT EXECUTE FUNCTION mill.refuse_users_in_maintenance();

CREATE TRIGGER what_a_row_names_exists BEFORE INSERT OR UPDATE OF data_type, table_name, symbol_column, timestamp_column, source_timestamp_column, staleness_function, edge_function_name, refresh_schedule, provider, endpoint_template, response_schema, column_map ON public.data_type_registry FOR EACH ROW EXECUTE FUNCTION mill.check_registry_row();

CREATE TRIGGER zz_a_key_belongs_to_its_profile BEFORE INSERT ON public.shell_files FOR EACH ROW WHEN ((new.idempotency_key IS NOT NULL)) EXECUTE FUNCTION mill.own_key();

ALTER TABLE ONLY mill.alert
    ADD CONSTRAINT alert_rule_fkey FOREIGN KEY (rule) REFERENCES mill.alert_rule(rule) ON DELETE CASCADE;

ALTER TABLE ONLY mill.claimant
    ADD CONSTRAINT claimant_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY mill.document_raw
    ADD CONSTRAINT document_raw_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.document_upload
    ADD CONSTRAINT document_upload_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.export_batch_item
    ADD CONSTRAINT export_batch_item_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES mill.export_batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.export_batch_item
    ADD CONSTRAINT export_batch_item_export_id_fkey FOREIGN KEY (export_id) REFERENCES mill.export(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.export
    ADD CONSTRAINT export_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE SET NULL;

ALTER TABLE ONLY mill.export_event
    ADD CONSTRAINT export_event_export_id_fkey FOREIGN KEY (export_id) REFERENCES mill.export(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.export_file
    ADD CONSTRAINT export_file_export_id_fkey FOREIGN KEY (export_id) REFERENCES mill.export(id);

ALTER TABLE ONLY mill.export_history
    ADD CONSTRAINT export_history_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE SET NULL;

ALTER TABLE ONLY mill.export_history
    ADD CONSTRAINT export_history_file_path_fkey FOREIGN KEY (file_path) REFERENCES mill.export_file(path) ON DELETE CASCADE;

ALTER TABLE ONLY mill.export_history
    ADD CONSTRAINT export_history_id_fkey FOREIGN KEY (id) REFERENCES mill.export(id);

ALTER TABLE ONLY mill.floor_version
    ADD CONSTRAINT floor_version_line_fkey FOREIGN KEY (line) REFERENCES mill.line(line) ON DELETE CASCADE;

ALTER TABLE ONLY mill.invocation
    ADD CONSTRAINT invocation_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue) ON DELETE CASCADE;

ALTER TABLE ONLY mill.kind
    ADD CONSTRAINT kind_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue);

ALTER TABLE ONLY mill.lane
    ADD CONSTRAINT lane_queue_tenant_fkey FOREIGN KEY (queue, tenant) REFERENCES mill.tenant(queue, tenant) ON DELETE CASCADE;

ALTER TABLE ONLY mill.line
    ADD CONSTRAINT line_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue) ON DELETE CASCADE;

ALTER TABLE ONLY mill.refresh_walk
    ADD CONSTRAINT refresh_walk_data_type_fkey FOREIGN KEY (data_type) REFERENCES public.data_type_registry(data_type) ON DELETE CASCADE;

ALTER TABLE ONLY mill.step
    ADD CONSTRAINT step_job_id_fkey FOREIGN KEY (job_id) REFERENCES mill.workflow(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.stored_bytes
    ADD CONSTRAINT stored_bytes_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.user_profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.tenant
    ADD CONSTRAINT tenant_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue) ON DELETE CASCADE;

ALTER TABLE ONLY mill.queue
    ADD CONSTRAINT the_limit_of_a_queue_exists FOREIGN KEY (provider, endpoint) REFERENCES mill.api_rate_limits(provider_name, api_endpoint) ON UPDATE CASCADE;

ALTER TABLE ONLY mill.usage_event
    ADD CONSTRAINT usage_event_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.user_profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.usage_of_month
    ADD CONSTRAINT usage_of_month_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.user_profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY mill.virtual_clock
    ADD CONSTRAINT virtual_clock_queue_fkey FOREIGN KEY (queue) REFERENCES mill.queue(queue) ON DELETE CASCADE;

ALTER TABLE ONLY mill.workflow_step
    ADD CONSTRAINT workflow_step_type_version_fkey FOREIGN KEY (type, version) REFERENCES public.workflow_definition(type, version) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY mill.workflow
    ADD CONSTRAINT workflow_type_version_fkey FOREIGN KEY (type, version) REFERENCES public.workflow_definition(type, version);

ALTER TABLE ONLY public.active_subscriptions_v2
    ADD CONSTRAINT active_subscriptions_v2_data_type_fkey FOREIGN KEY (data_type) REFERENCES public.data_type_registry(data_type) ON DELETE CASCADE;

ALTER TABLE ONLY public.active_subscriptions_v2
    ADD CONSTRAINT active_subscriptions_v2_symbol_fkey FOREIGN KEY (symbol) REFERENCES public.supported_symbols(symbol) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_blocks
    ADD CONSTRAINT document_blocks_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_entities
    ADD CONSTRAINT document_entities_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_facts
    ADD CONSTRAINT document_facts_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_narratives
    ADD CONSTRAINT document_narratives_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.shell_files(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_words
    ADD CONSTRAINT document_words_document_id_page_number_fkey FOREIGN KEY (document_id, page_number) REFERENCES public.document_pages(document_id, page_number) ON DELETE CASCADE;

ALTER TABLE ONLY public.job_artifacts
    ADD CONSTRAINT job_artifacts_job_id_fkey FOREIGN KEY (job_id) REFERENCES mill.workflow(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profile_access_grants
    ADD CONSTRAINT profile_access_grants_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.user_profiles(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shell_files
    ADD CONSTRAINT shell_files_patient_id_fkey FOREIGN KEY (patient_id) REFERENCES public.user_profiles(id);

ALTER TABLE ONLY public.user_profiles
    ADD CONSTRAINT the_plan_exists FOREIGN KEY (plan) REFERENCES public.subscription_plans(plan_type);

CREATE POLICY a_user_makes_profiles_of_its_own ON public.user_profiles FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY a_user_renames_its_own_profiles ON public.user_profiles FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

ALTER TABLE public.active_subscriptions_v2 ENABLE ROW LEVEL SECURITY;

CREATE POLICY an_owner_lets_others_in ON public.profile_access_grants FOR INSERT TO authenticated WITH CHECK (((granted_by = ( SELECT auth.uid() AS uid)) AND (profile_id IN ( SELECT p.id
   FROM public.user_profiles p
  WHERE (p.user_id = ( SELECT auth.uid() AS uid))))));

CREATE POLICY an_owner_revokes_and_a_grantee_leaves ON public.profile_access_grants FOR DELETE TO authenticated USING (((grantee_user_id = ( SELECT auth.uid() AS uid)) OR (profile_id IN ( SELECT p.id
   FROM public.user_profiles p
  WHERE (p.user_id = ( SELECT auth.uid() AS uid))))));

ALTER TABLE public.api_data_usage ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_profiles ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.data_type_registry ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_narratives ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_pages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_words ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;

CREATE POLICY documents_are_their_owners ON public.documents TO authenticated USING ((owner = auth.uid())) WITH CHECK ((owner = auth.uid()));

ALTER TABLE public.earnings ENABLE ROW LEVEL SECURITY;

CREATE POLICY everyone_reads ON public.company_profiles FOR SELECT TO authenticated, service_role USING (true);

CREATE POLICY everyone_reads ON public.data_type_registry FOR SELECT TO authenticated, service_role USING (true);

CREATE POLICY everyone_reads ON public.earnings FOR SELECT TO authenticated, service_role USING (true);

CREATE POLICY everyone_reads ON public.financial_statements FOR SELECT TO authenticated, service_role USING (true);

CREATE POLICY everyone_reads ON public.quotes FOR SELECT TO authenticated, service_role USING (true);

CREATE POLICY everyone_reads ON public.supported_symbols FOR SELECT TO authenticated, service_role USING (true);

ALTER TABLE public.financial_statements ENABLE ROW LEVEL SECURITY;

CREATE POLICY grants_are_seen_by_both_sides ON public.profile_access_grants FOR SELECT TO authenticated USING (((grantee_user_id = ( SELECT auth.uid() AS uid)) OR (profile_id IN ( SELECT p.id
   FROM public.user_profiles p
  WHERE (p.user_id = ( SELECT auth.uid() AS uid))))));

ALTER TABLE public.job_artifacts ENABLE ROW LEVEL SECURITY;

CREATE POLICY plans_are_seen_by_everyone ON public.subscription_plans FOR SELECT TO anon, authenticated USING (true);

ALTER TABLE public.profile_access_grants ENABLE ROW LEVEL SECURITY;

CREATE POLICY profiles_are_seen_by_those_with_access ON public.user_profiles FOR SELECT TO authenticated USING (((id IN ( SELECT public.accessible_profiles() AS accessible_profiles)) OR (user_id = ( SELECT auth.uid() AS uid))));

ALTER TABLE public.quotes ENABLE ROW LEVEL SECURITY;

CREATE POLICY readable_by_whoever_has_the_profile ON public.shell_files FOR SELECT TO authenticated USING ((patient_id IN ( SELECT public.accessible_profiles() AS accessible_profiles)));

CREATE POLICY readable_with_its_document ON public.document_blocks FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_blocks.document_id))));

CREATE POLICY readable_with_its_document ON public.document_entities FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_entities.document_id))));

CREATE POLICY readable_with_its_document ON public.document_facts FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_facts.document_id))));

CREATE POLICY readable_with_its_document ON public.document_narratives FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_narratives.document_id))));

CREATE POLICY readable_with_its_document ON public.document_pages FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_pages.document_id))));

CREATE POLICY readable_with_its_document ON public.document_words FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM public.shell_files f
  WHERE (f.id = document_words.document_id))));

ALTER TABLE public.shell_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.subscription_analytics ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.subscription_plans ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.supported_symbols ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.user_profiles ENABLE ROW LEVEL SECURITY;

CREATE POLICY users_end_their_own ON public.active_subscriptions_v2 FOR DELETE TO authenticated USING ((user_id = auth.uid()));

CREATE POLICY users_register_it_again ON public.shell_files FOR UPDATE TO authenticated USING ((patient_id IN ( SELECT public.accessible_profiles() AS accessible_profiles))) WITH CHECK ((patient_id IN ( SELECT public.accessible_profiles() AS accessible_profiles)));

CREATE POLICY users_register_what_they_stored ON public.shell_files FOR INSERT TO authenticated WITH CHECK ((patient_id IN ( SELECT public.accessible_profiles() AS accessible_profiles)));

CREATE POLICY users_see_their_own ON public.active_subscriptions_v2 FOR SELECT TO authenticated USING ((user_id = auth.uid()));

CREATE POLICY users_see_their_own_artifacts ON public.job_artifacts FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

ALTER TABLE public.workflow_definition ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA mill TO gristmill_app;

GRANT USAGE ON SCHEMA public TO anon;
GRANT USAGE ON SCHEMA public TO authenticated;
GRANT USAGE ON SCHEMA public TO service_role;

REVOKE ALL ON FUNCTION mill.add_usage(p_profile_id uuid, p_counts jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.advance_ended(p_xid xid8, p_after bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.advance_left_behind(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.advance_workflow(p_id uuid, p_ended uuid[], p_failed uuid[], p_is_step_done boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.ai_counts(p_tokens bigint, p_seconds numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.answer_duplicates(p_jobs jsonb, p_answered jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.answer_throttled(p_jobs jsonb, p_capacity jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.answer_to_invocation(p_request bigint, p_asked_at timestamp with time zone, p_is_handed boolean, OUT is_over boolean, OUT failure text, OUT is_outage boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.api_capacity_left(p_limit mill.api_rate_limits, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.api_limit(p_provider text, p_endpoint text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.append_error(p_log jsonb, p_error jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.append_log(p_job uuid, p_attempt integer, p_logs jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.array_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit(p_table text, p_record text, p_action text, p_old jsonb, p_new jsonb, p_reason text, p_source text, p_patient_id uuid, p_job_id uuid, p_correlation_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_acted(p_acted jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_configuration() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_digest(p_row mill.audit_log) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_jobs(p_ids uuid[], p_action text, p_reason text, p_table text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_operated(p_operated jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.audit_status() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.backoff(p_attempt integer, p_base numeric, p_cap numeric, p_jitter numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.backpressure_delay(p_kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.begin_inserted_tasks() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.begin_workflow() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.bury_documents(p_acted jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_acted_hooks(p_ids uuid[], p_action text, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_ended_hooks() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_hooks(p_event text, p_detail jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_repeatable(p_function text, p_arguments jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_with_ticket(p_function text, p_arguments jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.call_worker(p_queue text, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.can_count_later(p_told mill.ended) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.can_post(p_function text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cancel(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cancel_export_job(p_id uuid, p_owner uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.capacity_left(p_jobs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.catch_up_workflow(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.chain_audit(p_max integer, p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_breakers() FROM PUBLIC;

GRANT SELECT ON TABLE public.data_type_registry TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.data_type_registry TO service_role;

REVOKE ALL ON FUNCTION mill.check_column_map(p_row public.data_type_registry, p_table regclass) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_cron() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_dead_letters() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_definition() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_definition_fields(p_definition jsonb, p_fields text[], p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_definition_graph(p_steps mill.workflow_step[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_definition_tasks(p_tasks jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_definition_templates(p_steps mill.workflow_step[], p_tasks jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_export_storage(p_owner uuid, p_more bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_fit(p_kind text, p_compiled jsonb, p_payload jsonb, p_at bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_fits(p_jobs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_invocations() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_oldest_due_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_job(p_at bigint, p_code text, p_what text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_payload(p_payload jsonb, p_max_bytes integer, p_at bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_presence(p_list jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_quota() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_references(p_compiled jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_registry_row() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_response_schema(p_row public.data_type_registry) FROM PUBLIC;

REVOKE ALL ON PROCEDURE mill.check_stale_data(IN p_stretch integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_symbol(p_symbol text, p_data_types text[], p_priority integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_unique(p_unique jsonb, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_watched(p_symbols text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.check_workers() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.claim(p_worker text, p_queues text[], p_max integer, p_kinds text[], p_lease_seconds integer, p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.claim_unique(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_alerts(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_analytics(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_capacity(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_compat_leases(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_documents(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_export_files(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_exports(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_idempotency(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_retention(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_subscriptions(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_unique_jobs(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_uploads(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_workers(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cleanup_workflows(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.clock_us() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.combined_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.compile_keyword(p_keyword text, p_value jsonb, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.compile_pattern(p_pattern text, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.compile_schema(p_schema jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.compile_schema_of_kind() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.compile_subschema(p_schema jsonb, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.complete(p_worker text, p_ids uuid[], p_attempts integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.complete_error_entry(p_entry jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.complete_export_job(p_holder mill.holder, p_url text, p_size integer, p_pages integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.complete_queue_definition(p_definition jsonb, p_is_new boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.confirm_export_files(p_keys text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.confirm_uploads(p_objects text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.confirm_workflows(p_keys text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.correct_estimates(p_outcomes jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.correct_upload(p_profile_id uuid, p_document_id uuid, p_size bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.correlation_id() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_document_version() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_ended(p_job_id uuid, p_keys text[], p_completed integer[], p_failed integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_exports(p_owner uuid, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_processing(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_served(p_queue text, p_rows tid[]) FROM PUBLIC;

GRANT SELECT ON TABLE public.shell_files TO authenticated;
GRANT SELECT ON TABLE public.shell_files TO service_role;

GRANT INSERT(patient_id),UPDATE(patient_id) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(patient_id),UPDATE(patient_id) ON TABLE public.shell_files TO service_role;

GRANT INSERT(filename),UPDATE(filename) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(filename),UPDATE(filename) ON TABLE public.shell_files TO service_role;

GRANT INSERT(original_filename),UPDATE(original_filename) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(original_filename),UPDATE(original_filename) ON TABLE public.shell_files TO service_role;

GRANT INSERT(file_size_bytes),UPDATE(file_size_bytes) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(file_size_bytes),UPDATE(file_size_bytes) ON TABLE public.shell_files TO service_role;

GRANT INSERT(mime_type),UPDATE(mime_type) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(mime_type),UPDATE(mime_type) ON TABLE public.shell_files TO service_role;

GRANT INSERT(storage_path),UPDATE(storage_path) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(storage_path),UPDATE(storage_path) ON TABLE public.shell_files TO service_role;

GRANT INSERT(status),UPDATE(status) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(status),UPDATE(status) ON TABLE public.shell_files TO service_role;

GRANT INSERT(idempotency_key),UPDATE(idempotency_key) ON TABLE public.shell_files TO authenticated;
GRANT INSERT(idempotency_key),UPDATE(idempotency_key) ON TABLE public.shell_files TO service_role;

REVOKE ALL ON FUNCTION mill.count_stage(p_file public.shell_files, p_job_id uuid, p_result jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_upload(p_profile_id uuid, p_document_id uuid, p_size bigint, p_blocks boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_usage(p_profile_id uuid, p_event text, p_once_key text, p_counts jsonb, p_file uuid, p_job uuid, p_blocks boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.count_work(p_file public.shell_files, p_job_id uuid, p_event text, p_counts jsonb, p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.counted_calls(p_known jsonb, p_usage jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cron_field_matches(p_field text, p_value integer, p_min integer, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cron_health() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cron_matches(p_schedule text, p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cut_error(p_error jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.cut_text(p_text text, p_bytes integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.data_rows(p_data_type text, p_symbol text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.data_table(p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.definition_cycle(p_steps mill.workflow_step[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.definition_steps(p_type text, p_version integer, p_tasks jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.delete_export_history() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.deliver_alert(p_alert uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.depth(p_queue text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.discard(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_error(p_error jsonb, p_next_retry_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_key(p_profile_id uuid, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_named(p_payload jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_of_job(p_holder mill.holder) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_percent(p_status text, p_stage text, p_progress integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_summary(p_file public.shell_files) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.document_times(p_fast_late interval, p_ai_late interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.due_in_sequence(p_job_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.duration_bucket(p_ms bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.duration_quantiles(p_queue text, p_since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_api_lease(p_lease mill.api_lease, p_actual_tokens bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_cancelled(p_worker text, p_leases jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_invocation(p_invocation uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_jobs(p_ids uuid[], p_state text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_lost_invocations() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_refresh_pauses(p_refreshes jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_refused(p_file public.shell_files, p_job_id uuid, p_status text, p_error jsonb, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.end_waiting_tasks(p_job_id uuid, p_ids uuid[], p_state text, p_error jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.enqueue(p_jobs jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION mill.enqueue(p_jobs jsonb) TO gristmill_app;

REVOKE ALL ON FUNCTION mill.enqueue_document_sweep() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.enqueue_keyed(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer, p_answered jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.enqueue_many(p_kind text, p_payloads jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION mill.enqueue_many(p_kind text, p_payloads jsonb) TO gristmill_app;

REVOKE ALL ON FUNCTION mill.entry_lock(p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.estimated_tokens(p_payload jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.every_minute(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.expand_step(p_job mill.workflow, p_step mill.workflow_step, p_state text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.expired_days(p_today date) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explain_attempts(p_job jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explain_job(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explain_limits(p_job jsonb, p_queue mill.queue) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explain_place(p_job jsonb, p_queue mill.queue) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explain_service(p_job jsonb, p_queue mill.queue) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.explained_job(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_batch_json(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_events_after(p_owner uuid, p_ids uuid[], p_after bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_expiry() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_file_name(p_title text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_json(p_export mill.export) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_message(p_error jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_object(p_said text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_options(p_options jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_status(p_id uuid, p_ended text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.export_storage_used(p_owner uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fields_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.file_extension(p_mime_type text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.find_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[], p_share integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fit_tokens(p_queue mill.queue, p_rows tid[], p_room bigint, p_most bigint, OUT rows tid[], OUT tokens bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fits_keyword(p_value jsonb, p_wanted text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fold_api_use() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fold_statistics() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.fold_usage(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.follow_buckets() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.follow_failures(p_job mill.workflow, p_failed uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.follow_items(p_job mill.workflow, p_ended uuid[], OUT ready uuid[], OUT skipped uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.follow_registry_row() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.follow_steps(p_job mill.workflow, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[], OUT moved boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.forget_logs(p_jobs uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.forget_part(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.forget_tasks() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.function_url(p_function text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.give_slots_to_running_jobs() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.grant_api_capacity(p_provider text, p_endpoint text, p_tokens bigint, p_is_compat boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.has_format(p_text text, p_format text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.has_pending(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.health_notes() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.heartbeat(p_worker text, p_leases jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.heartbeat_by_name(p_id uuid, p_worker text, p_seconds numeric, p_progress integer, p_heartbeat_seconds numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.held_job(p_holder mill.holder) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.held_jobs(p_worker text, p_leases jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.holder_of_export_job(p_id uuid, p_owner uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.hook_of(p_event text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.idempotency_caller() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_api_call() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_artifact() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_export_history() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_export_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.insert_task() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.install_schedules() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.install_storage_policies() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.invocation_body(p_queue mill.queue, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.invoke(p_queue text, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.invoke_cleanup() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.invoke_cleanup_exports() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.invoke_due() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_completed_by(p_holder mill.holder) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_countable(p_told mill.ended) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_date(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_enabled(p_feature text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_our_fetcher(p_function text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_place_of_document(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_quota_exceeded(p_quota_gb numeric, p_rolling_days integer, p_safety_buffer numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_sent_at_once() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_upload_place(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_swept_place(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_time_with_zone(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.is_unique_option(p_unique jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.jobs_of_part(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.jobs_of_workflows() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.judge_alerts() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.judge_breakers() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.judge_rule(p_rule mill.alert_rule) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.judge_stage(p_file public.shell_files, p_job_id uuid, p_kind text, p_payload jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_artifacts(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_audit_day(p_day mill.audit_day) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_definition_steps() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_logs(p_items jsonb, p_held uuid[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_progress(p_job mill.workflow) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_scanned(p_file public.shell_files, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keep_upserted_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.kept_answer(p_caller text, p_key text, p_request bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.key_within(p_bucket text, p_object text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.keyword_value(p_keyword text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.kind_definition(p_kind mill.kind) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.kind_from_definition(p_kind mill.kind, p_definition jsonb, p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.kind_of_stage(p_stage text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.kinds_of_part(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.tenant_of(p_owner uuid, p_group_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lane_of(p_dequeue text, p_per_group integer, p_owner uuid, p_group_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lift_pauses(p_data_type text, p_symbols text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.limit_wait(p_provider text, p_endpoint text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.live_jobs_of_part(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_api(p_provider text, p_endpoint text, p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_compat_lease(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_due_jobs(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_expired_leases(p_now timestamp with time zone, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_expired_pack_leases(p_now timestamp with time zone, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_exports(p_owner uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_jobs_by_priority(p_queue text, p_max integer, p_kinds text[], p_takes_packs boolean, p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_jobs_in_turn(p_queue mill.queue, p_max integer, p_kinds text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_jobs_within_caps(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_jobs_within_limit(p_queue mill.queue, p_max integer, p_kinds text[], p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_packs(p_queue mill.queue, p_max integer, p_kinds text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lock_refresh_claims() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.log_lines(p_logs jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.lower_floors(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.maintain() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.maintain_audit(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.maintain_unless_running() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.make_tasks() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.max_document_bytes() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_invoke(p_target text, p_invocation uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_object(p_act text, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_artifact(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_document(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_export(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_exported_file(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_job_artifact(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_read_upload(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_remove_document(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_remove_upload(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_replace_job_artifact(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_write_document(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.may_write_upload(p_key text, p_user uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_ai_passes() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_breakers() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_call_rate() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_content_length() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_cron_lock() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_dead_letters() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_depth() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_estimates() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_fast_stages() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_lease_losses() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_not_completed() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_quota() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_rate_limits() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_staleness_lock() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_stalled() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_unrefreshed() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_upload(p_file public.shell_files, p_job_id uuid, p_measured jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.measure_warnings() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.merge_registered(p_current jsonb, p_registered jsonb, p_asked jsonb, p_together text[], p_force boolean, OUT changes jsonb, OUT kept jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.migrate_processing_error() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.misplaced_schedules() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.move_export(p_holder mill.holder, p_progress integer, p_message text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.next_round() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_asked_kinds(p_queues text[], p_kinds text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_claimant(p_queue text, p_worker text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_compat_leases(p_ids uuid[], p_seconds numeric, p_heartbeat_seconds numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_ended_exports(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_export(p_id uuid, p_event text, p_data jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_fetches(p_outcomes jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_limits(p_profile_id uuid, p_meters text[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.note_retried_exports(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.noted_errors(p_known jsonb, p_log jsonb, p_next_retry_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.now() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.number_violation(p_schema jsonb, p_number numeric, p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.object_named(p_bucket text, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.object_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.oldest_due(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.oldest_served(p_queue mill.queue) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_audit_day(p_day date) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_floor_on_new_line() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_lane(p_queue text, p_tenant text, p_lane text, p_group_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_lanes(p_jobs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_line_on_new_queue() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_lines(p_jobs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.open_step(p_job mill.workflow, p_step mill.workflow_step, OUT ready uuid[], OUT skipped uuid[], OUT failed uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.own_key() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pack_of(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.uuid7_at(p_us bigint, p_random text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.valid_traceparent(p_traceparent text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.parse_jobs(p_jobs jsonb, p_now timestamp with time zone, p_turn bigint, p_random text, p_max_bytes integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pattern_bracket(p_text text, OUT size integer, OUT bracket text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pattern_character(p_code integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pattern_escape(p_text text, OUT size integer, OUT code integer, OUT class text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pause(p_queue text, p_paused boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pause_dead_refreshes(p_acted jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.piece_text(p_value jsonb, p_whole boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pointer(p_path text, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.post_signed(p_function text, p_id uuid, p_body jsonb, p_timeout_ms integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.presence_list(p_list jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.probe_state(p_probe uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.promote(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.provider_wait(p_queue mill.queue) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.prune(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON PROCEDURE mill.pump(IN p_seconds numeric, IN p_interval numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.pump_once() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.queue_refreshes(p_type public.data_type_registry, p_symbols text[], p_priority integer, p_size bigint, p_metadata jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.queue_stale(p_type public.data_type_registry, p_symbols text[], p_priority integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.quota_in_flight() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.quota_limit(p_quota_gb numeric, p_safety_buffer numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.quota_next_batch() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.quota_percent() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.quota_used(p_days integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.raise_floors(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.raise_priority_of_duplicate(p_answers jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.ran(p_part text, p_detail jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.reassign_lanes(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.reassign_lanes_on_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.receive_upserted_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.recent_attempts(p_target text, p_since timestamp with time zone, OUT attempts bigint, OUT failures bigint, OUT worst bigint, OUT permanent bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.reclaim(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.reclaim_while_pump_is_silent() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.record_ended(p_job_id uuid, OUT ended uuid[], OUT failed uuid[], OUT is_step_done boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.record_heartbeat(p_part text, p_detail jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.record_wake_failure(p_queue text, p_sqlstate text, p_message text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refresh_queue_of(p_function text, p_provider text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_audit_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_definition(p_code text, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_definition_of(p_place text, p_problem text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_in_maintenance() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_more_keys(p_caller text, p_since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_registry_row(p_problem text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_schema(p_place text, p_problem text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_to_drop_jobs() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.refuse_users_in_maintenance() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.register_export_object(p_owner uuid, p_document_id uuid, p_path text, p_export uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.register_kind(p_definition jsonb, p_place text, p_force boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.register_queue(p_definition jsonb, p_place text, p_force boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.register_upload(p_file public.shell_files, p_place text, p_size bigint, p_sha256 text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.release_storage(p_profile_id uuid, p_shell_file_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.remove_compat_documents() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.remove_documents() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.remove_files() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.repair_floors() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.repair_hints() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.repair_lanes(p_queue text, p_may_make boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.request_exports(p_owner uuid, p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.require_document(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.require_primary() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.require_profile(p_profile_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.reschedule_compat_lease(p_id uuid, p_delay numeric, p_jitter numeric, p_reason text, p_more jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.resolved_errors(p_known jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.resume_acted(p_acted jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.resume_revived(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.resume_workflow(p_id uuid, p_revived uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.retried_exports(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.retry(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.return_lost_jobs(p_rows tid[], p_error jsonb, p_first_jitter numeric, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.return_unique(p_jobs jsonb, p_answers jsonb, p_turn bigint, p_random text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.rule_values() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.run_schedule(p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.run_step(p_step text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.running_transactions() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.schema_of(p_part text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.schema_violation(p_root jsonb, p_schema jsonb, p_value jsonb, p_path text, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.seconds_to_capacity() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.seconds_to_next_round() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.set_breaker(p_target text, p_state text, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.set_secret(p_name text, p_key bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.setting(p_key text, p_default text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle(p_worker text, p_outcomes jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_by_name(p_id uuid, p_worker text, p_outcome jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_calls(p_outcomes jsonb, p_pauses jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_compat_lease(p_id uuid, p_outcome jsonb, p_queues text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_completed(p_worker text, p_ids uuid[], p_results jsonb, p_attempt integer, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_ended(p_held jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_fetched(p_outcomes jsonb, p_held jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_held(p_holder mill.holder, p_outcome jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_mixed(p_worker text, p_outcomes jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_returned(p_held jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.settle_usage(p_worker text, p_outcomes jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.share_batch(p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.shown_error(p_error jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.shown_progress(p_job mill.workflow) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.sign(p_name text, p_message bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.signed_request(p_function text, p_id uuid, p_body text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.size_of_object(p_object text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stage_after(p_stage text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stage_key(p_id uuid, p_run integer, p_stage text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stage_number(p_stage text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stage_of_kind(p_kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stale_or_broken(p_type public.data_type_registry, p_symbols text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stale_symbols(p_type public.data_type_registry, p_symbols text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.staleness_function(p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stamped_error(p_error jsonb, p_worker text, p_attempt integer, p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.start_stage(p_id uuid, p_stage text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.start_tasks(p_job mill.workflow, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.start_upserted_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.step_output(p_job mill.workflow, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stop_tasks(p_job_id uuid, p_is_cancelled boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stop_workflow(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stored_objects(p_bucket text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.stored_size(p_place text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.target_of(p_function text, p_provider text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.task_inputs(p_job mill.workflow, p_step mill.workflow_step, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.task_states(p_job_id uuid, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.template_pieces(p_template jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.text_violation(p_schema jsonb, p_text text, p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.tick() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.ticket_claims(p_ticket text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.ticket_signature(p_payload text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.time_or_null(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.time_text(p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.touch_plan() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.touch_updated_at() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.translate_pattern(p_pattern text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.unclaimed_export_objects(p_before timestamp with time zone, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.uncount_served(p_queue text, p_rows tid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.uncount_storage(p_profile_id uuid, p_document_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.unique_keys(p_jobs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.unpack(p_packs tid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.unpack_jobs(p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.update_api_call() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.update_export_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.update_job_queue() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.upload_over_plan(p_profile_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.upsert_statement(p_type public.data_type_registry, p_columns text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.url_text(p_bytes bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.usage_meters(p_profile_id uuid, p_month date) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.usage_month(p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.usage_percentage(p_used numeric, p_limit numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.usage_status(p_profile_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.usage_summary(p_profile_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.uuid7_tail() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.uuid7(p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.verify_audit_day(p_day date) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.viewers(p_symbol text, p_data_type text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.wait_for_pack(p_queue text, p_kinds text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.waiting_error(p_file public.shell_files) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.waiting_kinds(p_queue text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.wake(p_queue mill.queue, p_reason text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.walk_all_scheduled() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.walk_scheduled(p_type public.data_type_registry, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.warn_of_registry_row(p_row public.data_type_registry) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.watch_alerts() FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.watched_symbols(p_after text, p_max integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.worker_interval_seconds(p_asked integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.worker_lease_seconds(p_interval numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.worker_lost_error(p_message text) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.worker_seen(p_worker text, p_queues text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.workflow_output(p_job mill.workflow) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_blocks(p_id uuid, p_blocks jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_ended(p_job_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_entities(p_id uuid, p_entities jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_facts(p_id uuid, p_facts jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_fetched(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_narrative(p_id uuid, p_narrative jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_page(p_file public.shell_files, p_job_id uuid, p_page jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION mill.write_rows(p_type public.data_type_registry, p_fetched jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.abandon_document_upload(p_id uuid, p_place text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.abandon_document_upload(p_id uuid, p_place text) TO authenticated;
GRANT ALL ON FUNCTION public.abandon_document_upload(p_id uuid, p_place text) TO service_role;

REVOKE ALL ON FUNCTION public.accessible_profiles() FROM PUBLIC;
GRANT ALL ON FUNCTION public.accessible_profiles() TO authenticated;
GRANT ALL ON FUNCTION public.accessible_profiles() TO service_role;

REVOKE ALL ON FUNCTION public.acquire_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.acquire_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer) TO service_role;

REVOKE ALL ON FUNCTION public.begin_document_stage(p_job uuid, p_worker text, p_attempt integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_document_stage(p_job uuid, p_worker text, p_attempt integer) TO service_role;

REVOKE ALL ON FUNCTION public.begin_document_upload(p_mime_type text, p_filename text, p_idempotency_key text, p_profile_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_document_upload(p_mime_type text, p_filename text, p_idempotency_key text, p_profile_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.begin_erase_document(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_erase_document(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.begin_erase_document(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.begin_export(p_job uuid, p_worker text, p_attempt integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_export(p_job uuid, p_worker text, p_attempt integer) TO service_role;

REVOKE ALL ON FUNCTION public.call_once(p_key text, p_function text, p_arguments jsonb, p_request text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.call_once(p_key text, p_function text, p_arguments jsonb, p_request text) TO authenticated;
GRANT ALL ON FUNCTION public.call_once(p_key text, p_function text, p_arguments jsonb, p_request text) TO service_role;

REVOKE ALL ON FUNCTION public.can_access_object(p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.can_access_object(p_key text) TO authenticated;
GRANT ALL ON FUNCTION public.can_access_object(p_key text) TO service_role;

REVOKE ALL ON FUNCTION public.can_remove_object(p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.can_remove_object(p_key text) TO authenticated;
GRANT ALL ON FUNCTION public.can_remove_object(p_key text) TO service_role;

REVOKE ALL ON FUNCTION public.can_write_object(p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.can_write_object(p_key text) TO authenticated;
GRANT ALL ON FUNCTION public.can_write_object(p_key text) TO service_role;

REVOKE ALL ON FUNCTION public.cancel_export(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.cancel_export(p_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.cancel_jobs(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.cancel_jobs(p_ids uuid[]) TO service_role;

REVOKE ALL ON FUNCTION public.cancel_workflow(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.cancel_workflow(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.cancel_workflow(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.change_plan(p_profile_id uuid, p_plan text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.change_plan(p_profile_id uuid, p_plan text, p_reason text) TO service_role;

REVOKE ALL ON FUNCTION public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority integer) TO authenticated;
GRANT ALL ON FUNCTION public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority integer) TO service_role;

REVOKE ALL ON FUNCTION public.check_and_queue_stale_data_from_presence(presence_subscriptions jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_and_queue_stale_data_from_presence(presence_subscriptions jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.check_and_queue_stale_data_from_presence_v2(presence_subscriptions jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_and_queue_stale_data_from_presence_v2(presence_subscriptions jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.check_cron_job_health(p_critical_jobs text[], critical_jobs text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_cron_job_health(p_critical_jobs text[], critical_jobs text[]) TO service_role;

REVOKE ALL ON FUNCTION public.claim_jobs(p_worker text, p_queues text[], p_max integer, p_kinds text[], p_invocation uuid, p_leave_external boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_jobs(p_worker text, p_queues text[], p_max integer, p_kinds text[], p_invocation uuid, p_leave_external boolean) TO service_role;

REVOKE ALL ON FUNCTION public.claim_next_job_v3(worker_id text, job_types text[], heartbeat_interval_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_next_job_v3(worker_id text, job_types text[], heartbeat_interval_seconds integer) TO service_role;

REVOKE ALL ON FUNCTION public.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_refresh(p_worker text, p_queue text, p_max integer, p_invocation uuid) TO service_role;

REVOKE ALL ON FUNCTION public.is_service_role() FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_service_role() TO anon;
GRANT ALL ON FUNCTION public.is_service_role() TO authenticated;
GRANT ALL ON FUNCTION public.is_service_role() TO service_role;

GRANT SELECT ON TABLE public.job_tasks TO authenticated;
GRANT SELECT ON TABLE public.job_tasks TO service_role;

GRANT INSERT(job_id) ON TABLE public.job_tasks TO service_role;

GRANT INSERT(task_type) ON TABLE public.job_tasks TO service_role;

GRANT INSERT(sequence) ON TABLE public.job_tasks TO service_role;

GRANT INSERT(status) ON TABLE public.job_tasks TO service_role;

GRANT INSERT(input) ON TABLE public.job_tasks TO service_role;

REVOKE ALL ON FUNCTION public.claim_tasks(p_worker_id text, p_max_tasks integer, p_task_types text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_tasks(p_worker_id text, p_max_tasks integer, p_task_types text[]) TO service_role;

REVOKE ALL ON FUNCTION public.claim_wake_up(p_job uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_wake_up(p_job uuid) TO service_role;

REVOKE ALL ON FUNCTION public.cleanup_steps() FROM PUBLIC;
GRANT ALL ON FUNCTION public.cleanup_steps() TO service_role;

REVOKE ALL ON FUNCTION public.complete_job(p_job_id uuid, p_worker_id text, p_job_result jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.complete_job(p_job_id uuid, p_worker_id text, p_job_result jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.complete_queue_job(p_job_id uuid, p_data_size_bytes bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.complete_queue_job(p_job_id uuid, p_data_size_bytes bigint) TO service_role;

REVOKE ALL ON FUNCTION public.complete_task(p_task_id uuid, p_worker_id text, p_output jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.complete_task(p_task_id uuid, p_worker_id text, p_output jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.confirm_cleanup_step(p_step text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.confirm_cleanup_step(p_step text, p_keys text[]) TO service_role;

REVOKE ALL ON FUNCTION public.cron_report() FROM PUBLIC;
GRANT ALL ON FUNCTION public.cron_report() TO service_role;

REVOKE ALL ON FUNCTION public.default_profile() FROM PUBLIC;
GRANT ALL ON FUNCTION public.default_profile() TO authenticated;
GRANT ALL ON FUNCTION public.default_profile() TO service_role;

REVOKE ALL ON FUNCTION public.discard_jobs(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.discard_jobs(p_ids uuid[]) TO service_role;

REVOKE ALL ON FUNCTION public.document_content(p_id uuid, p_parts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_content(p_id uuid, p_parts text[]) TO service_role;

REVOKE ALL ON FUNCTION public.document_events(p_id uuid, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_events(p_id uuid, p_after bigint) TO authenticated;
GRANT ALL ON FUNCTION public.document_events(p_id uuid, p_after bigint) TO service_role;

REVOKE ALL ON FUNCTION public.document_file(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_file(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.document_file(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.document_leftovers(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_leftovers(p_limit integer) TO service_role;

REVOKE ALL ON FUNCTION public.document_place(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_place(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.document_place(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.download_export(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.download_export(p_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.download_export_batch(p_id uuid, p_partial boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.download_export_batch(p_id uuid, p_partial boolean) TO authenticated;

REVOKE ALL ON FUNCTION public.enqueue_job_v3(job_type text, job_name text, job_payload jsonb, job_category text, priority integer, scheduled_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_job_v3(job_type text, job_name text, job_payload jsonb, job_category text, priority integer, scheduled_at timestamp with time zone) TO service_role;

REVOKE ALL ON FUNCTION public.enqueue_jobs(p_jobs jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_jobs(p_jobs jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.enqueue_many(p_kind text, p_payloads jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_many(p_kind text, p_payloads jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.explain_job(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.explain_job(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.explain_job(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.export_batch_events(p_id uuid, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.export_batch_events(p_id uuid, p_after bigint) TO authenticated;

REVOKE ALL ON FUNCTION public.export_events(p_id uuid, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.export_events(p_id uuid, p_after bigint) TO authenticated;

REVOKE ALL ON FUNCTION public.fail_document_stage(p_job uuid, p_worker text, p_attempt integer, p_outcome jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fail_document_stage(p_job uuid, p_worker text, p_attempt integer, p_outcome jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.fail_job(p_job_id uuid, p_worker_id text, p_error_message text, p_error_details jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fail_job(p_job_id uuid, p_worker_id text, p_error_message text, p_error_details jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.fail_queue_job(p_job_id uuid, p_error_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fail_queue_job(p_job_id uuid, p_error_message text) TO service_role;

REVOKE ALL ON FUNCTION public.fail_task(p_task_id uuid, p_worker_id text, p_error text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fail_task(p_task_id uuid, p_worker_id text, p_error text) TO service_role;

GRANT SELECT,INSERT,UPDATE ON TABLE public.export_jobs TO authenticated;
GRANT SELECT,INSERT,UPDATE ON TABLE public.export_jobs TO service_role;

REVOKE ALL ON FUNCTION public.fetch_next_export_job(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fetch_next_export_job(p_user_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.finish_document_stage(p_job uuid, p_worker text, p_attempt integer, p_result jsonb, p_outcome jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.finish_document_stage(p_job uuid, p_worker text, p_attempt integer, p_result jsonb, p_outcome jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) TO authenticated;
GRANT ALL ON FUNCTION public.finish_document_upload(p_id uuid, p_place text, p_size bigint, p_sha256 text) TO service_role;

REVOKE ALL ON FUNCTION public.finish_erase_document(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.finish_erase_document(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.finish_erase_document(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.finish_export(p_job uuid, p_worker text, p_attempt integer, p_path text, p_name text, p_pages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.finish_export(p_job uuid, p_worker text, p_attempt integer, p_path text, p_name text, p_pages integer) TO service_role;

REVOKE ALL ON FUNCTION public.forget_object(p_object text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_object(p_object text) TO service_role;

REVOKE ALL ON FUNCTION public.get_data_changes(p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_data_changes(p_after bigint) TO authenticated;

REVOKE ALL ON FUNCTION public.get_document(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_document(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.get_document(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.get_export(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_export(p_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.get_export_batch(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_export_batch(p_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.get_job(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_job(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.get_job(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.get_job_logs(p_id uuid, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_job_logs(p_id uuid, p_after bigint) TO authenticated;
GRANT ALL ON FUNCTION public.get_job_logs(p_id uuid, p_after bigint) TO service_role;

REVOKE ALL ON FUNCTION public.get_queue_batch(batch_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_queue_batch(batch_size integer) TO service_role;

REVOKE ALL ON FUNCTION public.get_user_usage_status(p_profile_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_user_usage_status(p_profile_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.get_user_usage_status(p_profile_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.get_workflow(p_id uuid, p_max_tasks integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.get_workflow(p_id uuid, p_max_tasks integer) TO authenticated;
GRANT ALL ON FUNCTION public.get_workflow(p_id uuid, p_max_tasks integer) TO service_role;

REVOKE ALL ON FUNCTION public.has_profile_access(p_user_id uuid, p_profile_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.has_profile_access(p_user_id uuid, p_profile_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.has_profile_access(p_user_id uuid, p_profile_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.health_report() FROM PUBLIC;
GRANT ALL ON FUNCTION public.health_report() TO service_role;

REVOKE ALL ON FUNCTION public.heartbeat_jobs(p_worker text, p_leases jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.heartbeat_jobs(p_worker text, p_leases jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress integer) TO service_role;

REVOKE ALL ON FUNCTION public.invoke_processor_if_healthy() FROM PUBLIC;
GRANT ALL ON FUNCTION public.invoke_processor_if_healthy() TO service_role;

REVOKE ALL ON FUNCTION public.invoke_processor_loop() FROM PUBLIC;
GRANT ALL ON FUNCTION public.invoke_processor_loop() TO service_role;

REVOKE ALL ON FUNCTION public.is_data_stale(p_fetched_at timestamp with time zone, p_ttl_minutes integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_data_stale(p_fetched_at timestamp with time zone, p_ttl_minutes integer) TO authenticated;
GRANT ALL ON FUNCTION public.is_data_stale(p_fetched_at timestamp with time zone, p_ttl_minutes integer) TO service_role;

REVOKE ALL ON FUNCTION public.is_profile_stale(p_modified_at timestamp with time zone, p_ttl_minutes integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_profile_stale(p_modified_at timestamp with time zone, p_ttl_minutes integer) TO authenticated;
GRANT ALL ON FUNCTION public.is_profile_stale(p_modified_at timestamp with time zone, p_ttl_minutes integer) TO service_role;

REVOKE ALL ON FUNCTION public.is_quota_exceeded(p_quota_gb numeric, p_rolling_days integer, p_safety_buffer numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_quota_exceeded(p_quota_gb numeric, p_rolling_days integer, p_safety_buffer numeric) TO service_role;

REVOKE ALL ON FUNCTION public.is_valid_identifier(p_identifier text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_valid_identifier(p_identifier text) TO authenticated;
GRANT ALL ON FUNCTION public.is_valid_identifier(p_identifier text) TO service_role;

REVOKE ALL ON FUNCTION public.issue_ticket(p_function text, p_arguments jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.issue_ticket(p_function text, p_arguments jsonb) TO authenticated;

REVOKE ALL ON FUNCTION public.limit_of_call(p_provider_name text, p_model text, p_queue text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.limit_of_call(p_provider_name text, p_model text, p_queue text) TO service_role;

REVOKE ALL ON FUNCTION public.list_documents(p_profile_id uuid, p_before timestamp with time zone, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_documents(p_profile_id uuid, p_before timestamp with time zone, p_limit integer) TO authenticated;
GRANT ALL ON FUNCTION public.list_documents(p_profile_id uuid, p_before timestamp with time zone, p_limit integer) TO service_role;

REVOKE ALL ON FUNCTION public.list_exports(p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_exports(p_limit integer, p_before uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.list_workflows(p_limit integer, p_before uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_workflows(p_limit integer, p_before uuid) TO authenticated;
GRANT ALL ON FUNCTION public.list_workflows(p_limit integer, p_before uuid) TO service_role;

REVOKE ALL ON FUNCTION public.log_audit_event(p_table_name text, p_record_id text, p_action text, p_old_values jsonb, p_new_values jsonb, p_reason text, p_source text, p_patient_id uuid, p_job_id uuid, p_correlation_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.log_audit_event(p_table_name text, p_record_id text, p_action text, p_old_values jsonb, p_new_values jsonb, p_reason text, p_source text, p_patient_id uuid, p_job_id uuid, p_correlation_id text) TO service_role;

REVOKE ALL ON FUNCTION public.maintain_queue_partitions() FROM PUBLIC;
GRANT ALL ON FUNCTION public.maintain_queue_partitions() TO service_role;

REVOKE ALL ON FUNCTION public.metrics_report() FROM PUBLIC;
GRANT ALL ON FUNCTION public.metrics_report() TO service_role;

REVOKE ALL ON FUNCTION public.note_object(p_object text, p_size bigint, p_content_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_object(p_object text, p_size bigint, p_content_type text) TO service_role;

REVOKE ALL ON FUNCTION public.orphaned_objects(p_places text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orphaned_objects(p_places text[]) TO service_role;

REVOKE ALL ON FUNCTION public.pause_queue(p_queue text, p_paused boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.pause_queue(p_queue text, p_paused boolean) TO service_role;

REVOKE ALL ON FUNCTION public.queue_refresh_if_not_exists(p_symbol text, p_data_type text, p_priority integer, p_estimated_size bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.queue_refresh_if_not_exists(p_symbol text, p_data_type text, p_priority integer, p_estimated_size bigint) TO service_role;

REVOKE ALL ON FUNCTION public.queue_scheduled_refreshes() FROM PUBLIC;
GRANT ALL ON FUNCTION public.queue_scheduled_refreshes() TO service_role;

REVOKE ALL ON FUNCTION public.queue_stats() FROM PUBLIC;
GRANT ALL ON FUNCTION public.queue_stats() TO service_role;

REVOKE ALL ON FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb) TO anon;
GRANT ALL ON FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb) TO authenticated;
GRANT ALL ON FUNCTION public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.reclaim_stale_tasks() FROM PUBLIC;
GRANT ALL ON FUNCTION public.reclaim_stale_tasks() TO service_role;

REVOKE ALL ON FUNCTION public.recover_stuck_jobs(timeout_minutes integer, max_retries integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recover_stuck_jobs(timeout_minutes integer, max_retries integer) TO service_role;

REVOKE ALL ON FUNCTION public.recover_upload(p_place text, p_size bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recover_upload(p_place text, p_size bigint) TO service_role;

REVOKE ALL ON FUNCTION public.refresh_analytics_from_presence_v2() FROM PUBLIC;
GRANT ALL ON FUNCTION public.refresh_analytics_from_presence_v2() TO service_role;

REVOKE ALL ON FUNCTION public.refuse_document(p_job uuid, p_worker text, p_attempt integer, p_status text, p_error jsonb, p_place text, p_measured jsonb, p_outcome jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.refuse_document(p_job uuid, p_worker text, p_attempt integer, p_status text, p_error jsonb, p_place text, p_measured jsonb, p_outcome jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.register_jobs(p_definition jsonb, p_force boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.register_jobs(p_definition jsonb, p_force boolean) TO service_role;

REVOKE ALL ON FUNCTION public.register_stored_file(p_storage_path text, p_filename text, p_mime_type text, p_size bigint, p_idempotency_key text, p_profile_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.register_stored_file(p_storage_path text, p_filename text, p_mime_type text, p_size bigint, p_idempotency_key text, p_profile_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION public.release_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer, p_actual_tokens integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.release_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens integer, p_actual_tokens integer) TO service_role;

REVOKE ALL ON FUNCTION public.report_api_rate_limit(p_provider_name text, p_api_endpoint text, p_retry_after_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.report_api_rate_limit(p_provider_name text, p_api_endpoint text, p_retry_after_seconds integer) TO service_role;

REVOKE ALL ON FUNCTION public.report_export(p_job uuid, p_worker text, p_attempt integer, p_progress integer, p_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.report_export(p_job uuid, p_worker text, p_attempt integer, p_progress integer, p_message text) TO service_role;

REVOKE ALL ON FUNCTION public.reprocess_document(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reprocess_document(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.reprocess_document(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.request_export(p_document_id uuid, p_template text, p_options jsonb, p_correlation_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.request_export(p_document_id uuid, p_template text, p_options jsonb, p_correlation_id text) TO authenticated;

REVOKE ALL ON FUNCTION public.request_export_batch(p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.request_export_batch(p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text) TO authenticated;

REVOKE ALL ON FUNCTION public.reschedule_job(p_job_id uuid, p_delay_seconds integer, p_reason text, p_add_jitter boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reschedule_job(p_job_id uuid, p_delay_seconds integer, p_reason text, p_add_jitter boolean) TO service_role;

REVOKE ALL ON FUNCTION public.reserve_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reserve_api_capacity(p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint) TO service_role;

REVOKE ALL ON FUNCTION public.reserve_export_file(p_job uuid, p_worker text, p_attempt integer, p_size bigint, p_bucket text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reserve_export_file(p_job uuid, p_worker text, p_attempt integer, p_size bigint, p_bucket text) TO service_role;

REVOKE ALL ON FUNCTION public.reset_job_immediate(p_job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reset_job_immediate(p_job_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.retry_jobs(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retry_jobs(p_ids uuid[]) TO service_role;

REVOKE ALL ON FUNCTION public.retry_workflow(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retry_workflow(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.retry_workflow(p_id uuid) TO service_role;

REVOKE ALL ON FUNCTION public.run_cleanup_step(p_step text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.run_cleanup_step(p_step text) TO service_role;

REVOKE ALL ON FUNCTION public.run_schedules(p_trigger_of text, p_schedule text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.run_schedules(p_trigger_of text, p_schedule text) TO service_role;

REVOKE ALL ON FUNCTION public.save_document_page(p_job uuid, p_worker text, p_attempt integer, p_page jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.save_document_page(p_job uuid, p_worker text, p_attempt integer, p_page jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.set_maintenance(p_enabled boolean, p_reason text, p_retry_after_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.set_maintenance(p_enabled boolean, p_reason text, p_retry_after_seconds integer) TO service_role;

REVOKE ALL ON FUNCTION public.settle_and_claim(p_worker text, p_outcomes jsonb, p_queues text[], p_max integer, p_kinds text[], p_leave_external boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_and_claim(p_worker text, p_outcomes jsonb, p_queues text[], p_max integer, p_kinds text[], p_leave_external boolean) TO service_role;

REVOKE ALL ON FUNCTION public.settle_api_capacity(p_lease_id uuid, p_actual_tokens bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_api_capacity(p_lease_id uuid, p_actual_tokens bigint) TO service_role;

REVOKE ALL ON FUNCTION public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid) TO service_role;

REVOKE ALL ON FUNCTION public.settle_refresh(p_worker text, p_outcomes jsonb, p_invocation uuid, p_pauses jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_refresh(p_worker text, p_outcomes jsonb, p_invocation uuid, p_pauses jsonb) TO service_role;

REVOKE ALL ON FUNCTION public.start_workflow(p_type text, p_params jsonb, p_priority integer, p_idempotency_key text, p_user_id uuid, p_correlation_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.start_workflow(p_type text, p_params jsonb, p_priority integer, p_idempotency_key text, p_user_id uuid, p_correlation_id text) TO authenticated;
GRANT ALL ON FUNCTION public.start_workflow(p_type text, p_params jsonb, p_priority integer, p_idempotency_key text, p_user_id uuid, p_correlation_id text) TO service_role;

REVOKE ALL ON FUNCTION public.storage_buckets() FROM PUBLIC;
GRANT ALL ON FUNCTION public.storage_buckets() TO service_role;

REVOKE ALL ON FUNCTION public.submit_job(p_kind text, p_payload jsonb, p_name text, p_priority integer, p_run_at timestamp with time zone, p_dedupe_key text, p_group_key text, p_owner uuid, p_correlation_id text, p_traceparent text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.submit_job(p_kind text, p_payload jsonb, p_name text, p_priority integer, p_run_at timestamp with time zone, p_dedupe_key text, p_group_key text, p_owner uuid, p_correlation_id text, p_traceparent text) TO authenticated;
GRANT ALL ON FUNCTION public.submit_job(p_kind text, p_payload jsonb, p_name text, p_priority integer, p_run_at timestamp with time zone, p_dedupe_key text, p_group_key text, p_owner uuid, p_correlation_id text, p_traceparent text) TO service_role;

REVOKE ALL ON FUNCTION public.tick() FROM PUBLIC;
GRANT ALL ON FUNCTION public.tick() TO service_role;

REVOKE ALL ON FUNCTION public.track_ai_processing_usage(p_profile_id uuid, p_job_id uuid, p_tokens_used integer, p_processing_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.track_ai_processing_usage(p_profile_id uuid, p_job_id uuid, p_tokens_used integer, p_processing_seconds integer) TO service_role;

REVOKE ALL ON FUNCTION public.track_shell_file_processed_usage(p_profile_id uuid, p_shell_file_id uuid, p_actual_pages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.track_shell_file_processed_usage(p_profile_id uuid, p_shell_file_id uuid, p_actual_pages integer) TO service_role;

REVOKE ALL ON FUNCTION public.track_shell_file_upload_usage(p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.track_shell_file_upload_usage(p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages integer) TO authenticated;
GRANT ALL ON FUNCTION public.track_shell_file_upload_usage(p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages integer) TO service_role;

REVOKE ALL ON FUNCTION public.update_job_heartbeat(p_job_id uuid, p_worker_id text, heartbeat_interval_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.update_job_heartbeat(p_job_id uuid, p_worker_id text, heartbeat_interval_seconds integer) TO service_role;

REVOKE ALL ON FUNCTION public.upsert_active_subscription_v2(p_user_id uuid, p_symbol text, p_data_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.upsert_active_subscription_v2(p_user_id uuid, p_symbol text, p_data_type text) TO authenticated;
GRANT ALL ON FUNCTION public.upsert_active_subscription_v2(p_user_id uuid, p_symbol text, p_data_type text) TO service_role;

REVOKE ALL ON FUNCTION public.verify_audit_log(p_from date, p_to date, p_known_head text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.verify_audit_log(p_from date, p_to date, p_known_head text) TO service_role;

REVOKE ALL ON FUNCTION public.worker_queues() FROM PUBLIC;
GRANT ALL ON FUNCTION public.worker_queues() TO service_role;

REVOKE ALL ON FUNCTION public.workflow_events(p_id uuid, p_after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.workflow_events(p_id uuid, p_after bigint) TO authenticated;
GRANT ALL ON FUNCTION public.workflow_events(p_id uuid, p_after bigint) TO service_role;

REVOKE ALL ON FUNCTION public.workflow_progress(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.workflow_progress(p_id uuid) TO authenticated;
GRANT ALL ON FUNCTION public.workflow_progress(p_id uuid) TO service_role;

GRANT SELECT,DELETE ON TABLE public.active_subscriptions_v2 TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.active_subscriptions_v2 TO service_role;

GRANT SELECT,INSERT,UPDATE ON TABLE public.api_call_queue TO service_role;

GRANT SELECT ON TABLE public.api_data_usage TO service_role;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_rate_limits TO service_role;

GRANT SELECT ON TABLE public.audit_log TO service_role;

GRANT SELECT ON TABLE public.company_profiles TO authenticated;
GRANT SELECT ON TABLE public.company_profiles TO service_role;

GRANT SELECT ON TABLE public.document_blocks TO authenticated;
GRANT SELECT ON TABLE public.document_blocks TO service_role;

GRANT SELECT ON TABLE public.document_entities TO authenticated;
GRANT SELECT ON TABLE public.document_entities TO service_role;

GRANT SELECT ON TABLE public.document_facts TO authenticated;
GRANT SELECT ON TABLE public.document_facts TO service_role;

GRANT SELECT ON TABLE public.document_narratives TO authenticated;
GRANT SELECT ON TABLE public.document_narratives TO service_role;

GRANT SELECT ON TABLE public.document_pages TO authenticated;
GRANT SELECT ON TABLE public.document_pages TO service_role;

GRANT SELECT ON TABLE public.document_words TO authenticated;
GRANT SELECT ON TABLE public.document_words TO service_role;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.documents TO service_role;
GRANT SELECT,DELETE ON TABLE public.documents TO authenticated;

GRANT INSERT(id),UPDATE(id) ON TABLE public.documents TO authenticated;

GRANT INSERT(title),UPDATE(title) ON TABLE public.documents TO authenticated;

GRANT INSERT(data),UPDATE(data) ON TABLE public.documents TO authenticated;

GRANT SELECT ON TABLE public.earnings TO authenticated;
GRANT SELECT ON TABLE public.earnings TO service_role;

GRANT SELECT,DELETE ON TABLE public.export_history TO authenticated;
GRANT SELECT,INSERT,DELETE ON TABLE public.export_history TO service_role;

GRANT SELECT ON TABLE public.financial_statements TO authenticated;
GRANT SELECT ON TABLE public.financial_statements TO service_role;

GRANT SELECT ON TABLE public.job_artifacts TO authenticated;
GRANT SELECT ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(job_id) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(task_id) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(artifact_type) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(storage_path) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(file_size_bytes) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(duration_seconds) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(title) ON TABLE public.job_artifacts TO service_role;

GRANT INSERT(public_url) ON TABLE public.job_artifacts TO service_role;

GRANT SELECT,UPDATE ON TABLE public.job_queue TO service_role;

GRANT SELECT ON TABLE public.jobs TO authenticated;
GRANT SELECT ON TABLE public.jobs TO service_role;

GRANT INSERT(user_id) ON TABLE public.jobs TO authenticated;
GRANT INSERT(user_id) ON TABLE public.jobs TO service_role;

GRANT INSERT(type) ON TABLE public.jobs TO authenticated;
GRANT INSERT(type) ON TABLE public.jobs TO service_role;

GRANT INSERT(params) ON TABLE public.jobs TO authenticated;
GRANT INSERT(params) ON TABLE public.jobs TO service_role;

GRANT INSERT(status) ON TABLE public.jobs TO authenticated;
GRANT INSERT(status) ON TABLE public.jobs TO service_role;

GRANT INSERT(idempotency_key) ON TABLE public.jobs TO authenticated;
GRANT INSERT(idempotency_key) ON TABLE public.jobs TO service_role;

GRANT SELECT,DELETE ON TABLE public.profile_access_grants TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.profile_access_grants TO service_role;

GRANT INSERT(profile_id) ON TABLE public.profile_access_grants TO authenticated;

GRANT INSERT(grantee_user_id) ON TABLE public.profile_access_grants TO authenticated;

GRANT INSERT(expires_at) ON TABLE public.profile_access_grants TO authenticated;

GRANT SELECT ON TABLE public.quotes TO authenticated;
GRANT SELECT ON TABLE public.quotes TO service_role;

GRANT SELECT ON TABLE public.subscription_analytics TO service_role;

GRANT SELECT ON TABLE public.subscription_plans TO anon;
GRANT SELECT ON TABLE public.subscription_plans TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.subscription_plans TO service_role;

GRANT SELECT ON TABLE public.supported_symbols TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.supported_symbols TO service_role;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.system_configuration TO service_role;

GRANT SELECT ON TABLE public.usage_events TO authenticated;
GRANT SELECT ON TABLE public.usage_events TO service_role;

GRANT SELECT ON TABLE public.user_profiles TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_profiles TO service_role;

GRANT INSERT(display_name),UPDATE(display_name) ON TABLE public.user_profiles TO authenticated;

GRANT SELECT ON TABLE public.user_usage_tracking TO authenticated;
GRANT SELECT ON TABLE public.user_usage_tracking TO service_role;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workflow_definition TO service_role;
