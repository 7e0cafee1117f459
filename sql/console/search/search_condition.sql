-- A point in time: a date, a time, or how long ago. A time without a zone is UTC.
create or replace function mill.search_time(p_value text) returns timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
  v_is text[] := regexp_match(p_value, '^(\d{1,6})([smhdw])$');
begin
  if v_is is not null then
    return mill.now() - v_is[1]::int * case v_is[2] when 's' then interval '1 second' when 'm' then interval '1 minute' when 'h' then interval '1 hour' when 'd' then interval '1 day'
      else interval '7 days' end;
  end if;
  return case when p_value ~ '^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$' then p_value::timestamptz end;
exception when datetime_field_overflow or invalid_datetime_format then
  return null;
end
$$;

comment on function mill.search_time(text) is 'A date, a time or how long ago, as a time; null for anything else.';
revoke execute on function mill.search_time(text) from public;

-- A LIKE pattern for one value: a star at its end stands for anything.
create or replace function mill.like_pattern(p_value text, p_is_part boolean, p_quoted boolean) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_is_part then '%' else '' end
    || regexp_replace(case when p_value ~ '.\*$' and not p_quoted then left(p_value, -1) else p_value end, '([\\%_])', '\\\1', 'g')
    || case when p_is_part or p_value ~ '.\*$' and not p_quoted then '%' else '' end
$$;

comment on function mill.like_pattern(text, boolean, boolean) is 'A value of a search as a pattern of LIKE.';
revoke execute on function mill.like_pattern(text, boolean, boolean) from public;

-- One term that compares a column, as SQL. p_how: text (exact, or a prefix with a star), part (anywhere, any case), uuid, number, since, until.
-- Every value goes through %L: what a user writes is never SQL. A condition on null is false, also a negated one is then true.
create or replace function mill.search_condition(p_term jsonb, p_column text, p_how text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value text;
  v_parts text[] := array[]::text[];
begin
  for v_value in select jsonb_array_elements_text(p_term -> 'values') loop
    v_parts := v_parts || case
      when p_how = 'part' or p_how = 'text' and v_value ~ '.\*$' and not (p_term ->> 'quoted')::boolean then
        format('%s %s %L', p_column, case p_how when 'part' then 'ilike' else 'like' end, mill.like_pattern(v_value, p_how = 'part', (p_term ->> 'quoted')::boolean))
      when p_how = 'text' then format('%s = %L', p_column, v_value)
      when p_how = 'uuid' and v_value ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then format('%s = %L::uuid', p_column, v_value)
      when p_how = 'uuid' and v_value ~ '^[0-9a-fA-F-]{8,35}\*$' then format('%s::text like %L', p_column, lower(left(v_value, -1)) || '%')
      when p_how = 'number' and v_value ~ '^[<>]?-?\d{1,9}$' then
        format('%s %s %s', p_column, coalesce(substring(v_value from '^[<>]'), '='), substring(v_value from '-?\d+$'))
      when p_how in ('since', 'until') and mill.search_time(v_value) is not null then
        format('%s %s %L::timestamptz', p_column, case p_how when 'since' then '>=' else '<' end, mill.search_time(v_value)) end;
    if v_parts[cardinality(v_parts)] is null then
      perform mill.refuse_search(format('"%s" is no value for %s', left(v_value, 60), p_term ->> 'key'), (p_term ->> 'at')::int, p_term ->> 'term',
        case p_how when 'uuid' then 'Give a UUID, or its first eight characters or more with a star.' when 'number' then 'Give a whole number, or one behind < or >.'
          else 'Give a date such as 2026-11-18, a time such as 2026-11-18T10:00, or how long ago: 90s, 30m, 2h, 7d.' end);
    end if;
  end loop;
  return format(case when (p_term ->> 'not')::boolean then '(%s) is not true' else '(%s)' end, array_to_string(v_parts, ' or '));
end
$$;

comment on function mill.search_condition(jsonb, text, text) is 'One term of a search as a condition in SQL.';
revoke execute on function mill.search_condition(jsonb, text, text) from public;
