-- Which jobs an action on all that match means: cancel works on jobs that live, retry and discard on dead letters. A search for other states matches none.
create or replace function mill.bulk_search(p_action text, p_search text, p_group text, p_role text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_search jsonb := mill.job_search(p_search, p_role);
begin
  if p_action is null or p_action not in ('retry', 'discard', 'cancel') then
    raise exception 'there is no action "%" on all jobs that match', left(p_action, 40) using errcode = 'GM112', hint = 'Actions are retry, discard and cancel.';
  end if;
  if p_action = 'cancel' and v_search -> 'terms' = '[]' and p_group is null then
    perform mill.refuse_search('an empty search would cancel every job', 0, '', 'Say which jobs, for instance queue:default.');
  end if;
  if p_group !~ '^[0-9a-f]{16}$' then
    raise exception 'console_dead_groups has not given this p_group' using errcode = 'GM112', hint = 'Send the group of a row that console_dead_groups answers.';
  end if;
  return v_search || jsonb_build_object(
    'sources', (select coalesce(jsonb_agg(s), '[]') from jsonb_array_elements_text(v_search -> 'sources') s where (s = 'dead') = (p_action <> 'cancel') and s <> 'done'),
    'condition', concat_ws(' and ', v_search ->> 'condition', case when p_group is not null then format('mill.group_of_error(j.kind, j.error ->> ''type'', mill.error_shape(j.error ->> ''message'')) = %L', p_group) end));
end
$$;

comment on function mill.bulk_search(text, text, text, text) is 'The search of a bulk action, limited to the jobs on which the action works.';
revoke execute on function mill.bulk_search(text, text, text, text) from public;
