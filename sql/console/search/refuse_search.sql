-- The place in the text travels as JSON in the detail, so that a page can mark it.
create or replace function mill.refuse_search(p_problem text, p_at int, p_term text, p_hint text default null) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '%', p_problem using errcode = 'GM110',
    detail = jsonb_build_object('at', p_at, 'length', length(p_term), 'term', left(p_term, 100))::text,
    hint = coalesce(p_hint, 'Terms are key:value, separated by blanks. Put a value with blanks or colons in double quotes.');
end
$$;

comment on function mill.refuse_search(text, int, text, text) is 'Raises GM110 with the place of the term that cannot be read.';
revoke execute on function mill.refuse_search(text, int, text, text) from public;
