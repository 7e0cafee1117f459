-- Raises for the first job of a batch whose payload does not fit the schema of its kind. Called only where a kind has one. What is no payload
-- at all is left to mill.check_payload.
create or replace function mill.check_fit(p_kind text, p_compiled jsonb, p_payload jsonb, p_at bigint) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
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

comment on function mill.check_fit(text, jsonb, jsonb, bigint) is 'True, or GM011 with the job and the field when a payload does not fit the compiled schema of its kind.';
revoke execute on function mill.check_fit(text, jsonb, jsonb, bigint) from public;

create or replace function mill.check_fits(p_jobs jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.check_fit(k.kind, k.compiled_schema, j.job -> 'payload', j.ordinality - 1)
  from jsonb_array_elements(p_jobs) with ordinality as j(job, ordinality)
  join mill.kind k on k.kind = j.job ->> 'kind' and k.compiled_schema is not null
  order by j.ordinality;
end
$$;

comment on function mill.check_fits(jsonb) is 'Raises GM011 for the first job of a batch whose payload does not fit the schema of its kind.';
revoke execute on function mill.check_fits(jsonb) from public;
