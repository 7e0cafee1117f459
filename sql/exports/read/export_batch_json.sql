create or replace function mill.export_batch_json(p_id uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('id', p_id, 'created_at', b.created_at,
    'total', count(*), 'done', count(*) filter (where x.value ->> 'status' in ('completed', 'failed', 'cancelled')),
    'completed', count(*) filter (where x.value ->> 'status' = 'completed'),
    'exports', jsonb_agg(x.value order by i.position))
  from mill.export_batch b
  join mill.export_batch_item i on i.batch_id = b.id
  join mill.export e on e.id = i.export_id
  cross join lateral mill.export_json(e) x(value)
  where b.id = p_id
  group by b.created_at
$$;

comment on function mill.export_batch_json(uuid) is 'A batch as callers see it.';
revoke execute on function mill.export_batch_json(uuid) from public;
