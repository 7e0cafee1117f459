create or replace function mill.refuse_definition(p_code text, p_reason text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '%', p_reason using errcode = p_code, hint = 'See docs/add-a-workflow.md.';
end
$$;

comment on function mill.refuse_definition(text, text) is 'Raises GM061 to GM065 for a workflow definition.';
revoke execute on function mill.refuse_definition(text, text) from public;
