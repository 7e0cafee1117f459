-- Whether payloads of a kind are masked for whoever may not reveal them. A kind that says nothing follows the setting, which is safe by default.
create or replace function mill.is_sensitive(p_kind text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce((select k.sensitive from mill.kind k where k.kind = p_kind), mill.setting('console.payloads', 'masked') <> 'shown');
end
$$;

comment on function mill.is_sensitive(text) is 'Whether payloads and results of a kind are shown masked.';
revoke execute on function mill.is_sensitive(text) from public;

-- Keys stay, because they say what a payload is made of; of a value only its type and the length of a text are left. Deep and long values are cut.
create or replace function mill.masked(p_value jsonb, p_depth int default 0) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case jsonb_typeof(p_value)
    when 'object' then case when p_depth >= 12 then to_jsonb('‹object›'::text) else
      (select coalesce(jsonb_object_agg(e.key, mill.masked(e.value, p_depth + 1)), '{}') from (select * from jsonb_each(p_value) limit 200) e) end
    when 'array' then case when p_depth >= 12 or jsonb_array_length(p_value) > 200 then to_jsonb(format('‹list of %s›', jsonb_array_length(p_value))) else
      (select coalesce(jsonb_agg(mill.masked(e.value, p_depth + 1) order by e.place), '[]') from jsonb_array_elements(p_value) with ordinality as e(value, place)) end
    when 'string' then to_jsonb(format('‹text of %s›', length(p_value #>> '{}')))
    when 'number' then to_jsonb('‹number›'::text)
    when 'boolean' then to_jsonb('‹true or false›'::text)
    else p_value end;
end
$$;

comment on function mill.masked(jsonb, int) is 'A JSON value with its keys, and the types instead of its values.';
revoke execute on function mill.masked(jsonb, int) from public;
