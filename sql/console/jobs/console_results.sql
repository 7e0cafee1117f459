-- At most 500 jobs per call: more is what console_bulk is for.
create or replace function mill.check_console_ids(p_ids uuid[]) returns uuid[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(cardinality(p_ids), 0) not between 1 and 500 then
    raise exception 'p_ids has % ids, and 1 to 500 are allowed', coalesce(cardinality(p_ids), 0) using errcode = 'GM112',
      hint = 'For more jobs, search for them and use console_bulk.';
  end if;
  return p_ids;
end
$$;
comment on function mill.check_console_ids(uuid[]) is 'The ids that an action names; refuses none and more than 500.';
revoke execute on function mill.check_console_ids(uuid[]) from public;

create or replace function mill.console_results(p_results jsonb, p_unchanged text[]) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('results', p_results, 'changed', (select count(*) from jsonb_array_elements(p_results) r where r ->> 'status' <> all (p_unchanged)))
$$;
comment on function mill.console_results(jsonb, text[]) is 'What an action answers: {results, changed}.';
revoke execute on function mill.console_results(jsonb, text[]) from public;
