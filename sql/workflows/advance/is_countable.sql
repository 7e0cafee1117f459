-- Whether what ended of a step means nothing but a count: items of a list, completed, that made no artifact and that
-- nothing goes after by itself.
create or replace function mill.is_countable(p_told mill.ended) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return p_told.state = 'completed'
    and (p_told.results is null or not exists (select from unnest(p_told.results) as o(output) where o.output ? 'artifacts'))
    and exists (
      select from mill.workflow j join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = p_told.name
      where j.id = p_told.parent and w.family is not null and not w.is_inserted and not exists (
        select from mill.workflow_step f where f.type = j.type and f.version = j.version and f.each_of = w.key));
end
$$;

comment on function mill.is_countable(mill.ended) is 'Whether what ended is only to be counted: nothing waits for any of it by itself.';
revoke execute on function mill.is_countable(mill.ended) from public;
