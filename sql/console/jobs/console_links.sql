-- Jobs that belong to a job: its parent, its children, and those of its correlation id. No index leads to the latter two, so only jobs that were
-- enqueued near it are looked at: an hour to either side, 5,000 at the most in each direction.
create or replace function mill.console_links(p_job jsonb) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_id uuid := (p_job ->> 'id')::uuid;
  v_at timestamptz := (p_job ->> 'created_at')::timestamptz;
  v_correlation text := p_job ->> 'correlation_id';
  v_bounds jsonb;
  v_parent jsonb := mill.console_found((p_job ->> 'parent')::uuid);
  v_links jsonb := '[]'::jsonb;
  v_some jsonb;
  v_from uuid;
begin
  if v_parent is not null then
    v_links := jsonb_build_array(jsonb_build_object('id', v_parent -> 'id', 'kind', v_parent -> 'kind', 'state', v_parent -> 'state', 'relation', 'parent', 'created_at', v_parent -> 'created_at'));
  end if;
  foreach v_from in array array[mill.lowest_id_at(v_at + interval '1 hour'), v_id] loop
    v_bounds := jsonb_build_object('lowest', case when v_from = v_id then mill.lowest_id_at(v_at - interval '1 hour') else v_id end, 'highest', v_from, 'ids', null);
    execute format(
      'select coalesce(jsonb_agg(jsonb_build_object(''id'', w.id, ''kind'', w.kind, ''state'', w.state, ''created_at'', w.created_at,
          ''relation'', case when w.parent = $3 then ''child'' else ''correlation'' end) order by w.id), ''[]'')
        from (select * from (%s) w where (w.parent = $3 or w.correlation_id = $4) and w.id <> $3 limit 50) w',
      mill.job_window(jsonb_build_object('bounds', v_bounds, 'sources', '["live", "dead", "done"]'::jsonb)))
    into v_some using v_from, 5000, v_id, v_correlation;
    v_links := v_links || v_some;
  end loop;
  return v_links;
end
$$;

comment on function mill.console_links(jsonb) is 'The parent of a job, and the children and jobs of the same correlation id that were enqueued near it.';
revoke execute on function mill.console_links(jsonb) from public;
