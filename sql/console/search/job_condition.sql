-- A field of the payload equals a value. A number is compared as a number, exactly, whatever its size; anything else as text.
create or replace function mill.payload_condition(p_term jsonb) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_path text := format('%L::text[]', array(select jsonb_array_elements_text(p_term -> 'path')));
  v_value text;
  v_parts text[] := array[]::text[];
begin
  for v_value in select jsonb_array_elements_text(p_term -> 'values') loop
    v_parts := v_parts || case
      when (p_term ->> 'quoted')::boolean then format('j.payload #>> %s = %L', v_path, v_value)
      when v_value = 'null' then format('j.payload #> %s = ''null''::jsonb', v_path)
      when v_value ~ '^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$' then format('(j.payload #> %s = %L::jsonb or j.payload #>> %1$s = %3$L)', v_path, to_jsonb(v_value::numeric), v_value)
      else format('j.payload #>> %s = %L', v_path, v_value) end;
  end loop;
  return format(case when (p_term ->> 'not')::boolean then '(%s) is not true' else '(%s)' end, array_to_string(v_parts, ' or '));
end
$$;

comment on function mill.payload_condition(jsonb) is 'One term payload.… of a search as a condition in SQL.';
revoke execute on function mill.payload_condition(jsonb) from public;

-- Whoever may not act on jobs searches only payloads that are shown: otherwise masked values could be guessed one after another.
create or replace function mill.payload_is_searchable(p_role text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_role in ('operator', 'admin') then 'true' else format('(j.kind = any (%L::text[])%s)',
    array(select k.kind from mill.kind k where not mill.is_sensitive(k.kind)), '') end
$$;

comment on function mill.payload_is_searchable(text) is 'A condition in SQL: whether a role may search the payload of a job.';
revoke execute on function mill.payload_is_searchable(text) from public;

create or replace function mill.job_condition(p_term jsonb, p_role text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text := p_term ->> 'key';
  v_states text[];
begin
  case
    when v_key in ('kind', 'queue', 'name', 'worker') then
      return mill.search_condition(p_term, 'j.' || v_key, 'text');
    when v_key = 'group' then
      return mill.search_condition(p_term, 'j.group_key', 'text');
    when v_key = 'correlation' then
      return mill.search_condition(p_term, 'j.correlation_id', 'text');
    when v_key in ('id', 'owner', 'parent') then
      return mill.search_condition(p_term, 'j.' || v_key, 'uuid');
    when v_key in ('priority', 'attempt') then
      return mill.search_condition(p_term, 'j.' || v_key, 'number');
    when v_key in ('since', 'until') then
      return mill.search_condition(p_term, 'j.created_at', v_key);
    when v_key = 'error' then
      return mill.search_condition(p_term, '(coalesce(j.error ->> ''type'', '''') || '' '' || coalesce(j.error ->> ''message'', ''''))', 'part');
    when v_key = 'state' then
      v_states := mill.search_states(p_term);
      return format(case when (p_term ->> 'not')::boolean then 'j.state <> all (%L::text[])' else 'j.state = any (%L::text[])' end, v_states);
    when v_key = 'payload' then
      return format('(%s and %s)', mill.payload_is_searchable(p_role), mill.payload_condition(p_term));
    when v_key = 'column' then
      return 'true';
    when p_term #>> '{values,0}' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
      return mill.search_condition(p_term, 'j.id', 'uuid');
    else
      return mill.search_condition(p_term, '(j.kind || '' '' || coalesce(j.name, '''') || '' '' || coalesce(j.error ->> ''type'', '''') || '' '' || coalesce(j.error ->> ''message'', ''''))', 'part');
  end case;
end
$$;

comment on function mill.job_condition(jsonb, text) is 'One term of a search of jobs as a condition in SQL over a job j.';
revoke execute on function mill.job_condition(jsonb, text) from public;

create or replace function mill.search_states(p_term jsonb) returns text[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_states text[] := array[]::text[];
  v_value text;
  v_more text[];
begin
  for v_value in select jsonb_array_elements_text(p_term -> 'values') loop
    v_more := case
      when v_value in ('pending', 'processing', 'deferred', 'retrying', 'completed', 'cancelled', 'failed') then array[v_value]
      when v_value = 'dead' then array['failed']
      when v_value = 'running' then array['processing']
      when v_value = 'live' then array['pending', 'processing', 'deferred', 'retrying']
      when v_value = 'waiting' then array['deferred', 'retrying'] end;
    if v_more is null then
      perform mill.refuse_search(format('"%s" is no state', left(v_value, 60)), (p_term ->> 'at')::int, p_term ->> 'term',
        'States are pending, processing, deferred, retrying, completed, cancelled, failed; also dead, running, live and waiting.');
    end if;
    v_states := v_states || v_more;
  end loop;
  return v_states;
end
$$;

comment on function mill.search_states(jsonb) is 'The states that a term of a search names.';
revoke execute on function mill.search_states(jsonb) from public;
