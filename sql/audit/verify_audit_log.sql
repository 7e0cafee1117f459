-- Links what is not linked yet, then checks days. The answer's head is worth keeping outside of this database: given
-- back as p_known_head, it proves that the chain it was taken from is still there, whoever has written to it since.
create or replace function public.verify_audit_log(
  p_from date default null, p_to date default null, p_known_head text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_findings jsonb;
  v_answer jsonb;
begin
  perform mill.chain_audit(p_max => 1000000, p_waits => true);

  select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(f)) order by f.day, f.seq nulls last), '[]') into v_findings
  from (
    select d.day, v.seq, v.audit_id, v.problem
    from (
      select d.day from mill.audit_day d
      union select c.day from mill.audit_chain c group by c.day
      union select (a.at at time zone 'UTC')::date from mill.audit_log a group by 1
    ) d
    cross join lateral mill.verify_audit_day(d.day) v
    where (p_from is null or d.day >= p_from) and (p_to is null or d.day <= p_to)
    union all
    select null, null, null, 'days_missing'
    where (select t.rows from mill.audit_total t) is distinct from (select coalesce(sum(d.rows), 0) from mill.audit_day d)
    union all
    select null, null, null, 'known_head_missing'
    where p_known_head is not null
      and not exists (select from mill.audit_chain c where c.hash = decode(p_known_head, 'hex'))
      and not exists (select from mill.audit_day d where d.head = decode(p_known_head, 'hex'))
  ) f;

  select jsonb_build_object(
    'ok', v_findings = '[]', 'days', count(*), 'rows', coalesce(sum(d.rows), 0), 'findings', v_findings,
    'head', (select encode(h.head, 'hex') from mill.audit_day h order by h.day desc limit 1))
  into v_answer
  from mill.audit_day d where (p_from is null or d.day >= p_from) and (p_to is null or d.day <= p_to);
  return v_answer;
end
$$;

comment on function public.verify_audit_log(date, date, text) is
  'Checks the audit log from one day to another: {ok, days, rows, findings: [{day, seq, audit_id, problem}], head}.';
revoke execute on function public.verify_audit_log(date, date, text) from public, anon, authenticated;
grant execute on function public.verify_audit_log(date, date, text) to service_role;
