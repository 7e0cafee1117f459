-- Makes the partitions of this month and the next, and drops months past audit.retention_days. What remains of a dropped
-- day is its row in mill.audit_day, so that the chain of the days after it still has something to begin on.
create or replace function mill.maintain_audit(p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_keep_from date := (p_now at time zone 'UTC')::date - mill.setting('audit.retention_days', '2555')::int;
  v_month timestamp;
  v_name text;
begin
  for v_month in
    select generate_series(date_trunc('month', p_now at time zone 'UTC'), p_now at time zone 'UTC' + interval '1 month', interval '1 month')
  loop
    v_name := 'audit_log_' || to_char(v_month, 'YYYYMM');
    continue when to_regclass('mill.' || v_name) is not null;
    begin
      execute format('create table mill.%I partition of mill.audit_log for values from (%L) to (%L)',
        v_name, v_month at time zone 'UTC', (v_month + interval '1 month') at time zone 'UTC');
    -- 23514: rows of that month already lie in the default partition, and stay there.
    exception when lock_not_available or check_violation then
      insert into mill.event (at, code, detail) values (p_now, 'maintain_skipped', jsonb_build_object('partition', v_name));
    end;
  end loop;

  for v_name, v_month in
    select c.relname, to_timestamp(right(c.relname, 6), 'YYYYMM') at time zone 'UTC'
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'mill.audit_log'::regclass and c.relname ~ '^audit_log_\d{6}$'
      and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= v_keep_from
  loop
    begin
      execute format('drop table mill.%I', v_name);
      update mill.audit_day d set dropped_at = p_now where d.day >= v_month and d.day < v_month + interval '1 month';
      delete from mill.audit_chain c where c.day >= v_month and c.day < v_month + interval '1 month';
    exception when lock_not_available then
      insert into mill.event (at, code, detail) values (p_now, 'maintain_skipped', jsonb_build_object('partition', v_name));
    end;
  end loop;
end
$$;

comment on function mill.maintain_audit(timestamptz) is 'Prepares months of the audit log and drops expired ones.';
revoke execute on function mill.maintain_audit(timestamptz) from public;

-- Before the first row: once a month has rows in the default partition, it gets no partition of its own.
select mill.maintain_audit(mill.now());
