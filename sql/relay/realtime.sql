-- Schema realtime, for a stack without Supabase Realtime: what changes in published tables, for `gristmill gateway --realtime`.
--
-- A trigger writes each change into realtime.change and notifies with its transaction's number. A notification is delivered after
-- COMMIT, in the order of commits, and once per transaction however many rows it changed. So the gateway reads exactly what was
-- committed, and after a lost connection what it has missed.
--
-- Rejected: logical decoding, which Supabase uses. It needs wal_level = logical and a role with REPLICATION, which a stock Postgres has not.
-- Rejected: the row in the notification, which Postgres cuts at 8,000 bytes.
--
-- A table gets its triggers when somebody first subscribes to it, and only where the publication supabase_realtime names it. The file is
-- applied at every start: the table only if missing, functions replaced.
create schema if not exists realtime;
comment on schema realtime is 'Changes of published tables, for the gateway''s stand-in for Supabase Realtime';

create table if not exists realtime.change (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  type text not null,
  -- The row as it is after the change, and as it was before it.
  record jsonb,
  old_record jsonb
);
comment on table realtime.change is 'What has changed in the last ten minutes.';
create index if not exists change_of_xid on realtime.change (xid, id);
create index if not exists change_at on realtime.change (at);
revoke all on realtime.change from public;

create or replace function realtime.note_change() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into realtime.change (relation, type, record, old_record)
  values (tg_relid, tg_op, case when tg_op <> 'DELETE' then to_jsonb(new) end, case when tg_op <> 'INSERT' then to_jsonb(old) end);
  perform pg_notify('gristmill_realtime', pg_current_xact_id()::text);
  return null;
end
$$;
comment on function realtime.note_change() is 'Trigger: writes down a change and notifies the gateway.';
revoke execute on function realtime.note_change() from public;

-- The published tables that a subscription means. Each has the trigger when the answer is given.
create or replace function realtime.follow(p_schema text, p_table text) returns oid[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
  v_tables oid[] := array(
    select format('%I.%I', t.schemaname, t.tablename)::regclass::oid from pg_publication_tables t
    where t.pubname = 'supabase_realtime' and (p_schema = '*' or t.schemaname = p_schema) and (p_table is null or p_table = '*' or t.tablename = p_table));
  v_table oid;
begin
  foreach v_table in array v_tables loop
    if not exists (select from pg_trigger g where g.tgrelid = v_table and g.tgname = 'gristmill_realtime') then
      begin
        execute format('create trigger gristmill_realtime after insert or update or delete on %s for each row execute function realtime.note_change()', v_table::regclass);
      exception when duplicate_object then
        null; -- another subscription was faster
      end;
    end if;
  end loop;
  return v_tables;
end
$$;
comment on function realtime.follow(text, text) is 'Makes sure that changes of the published tables are written down; answers those tables.';
revoke execute on function realtime.follow(text, text) from public;

-- One transaction's changes, or, without its number, all since a time. Forgets what is old.
create or replace function realtime.changes(p_xid xid8, p_since timestamptz, p_after bigint, p_max int)
returns table (id bigint, at timestamptz, relation oid, schema text, "table" text, type text, record jsonb, old_record jsonb, key jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from realtime.change c where c.at < now() - interval '10 minutes';
  return query
  select c.id, c.at, c.relation, n.nspname::text, r.relname::text, c.type, c.record, c.old_record, (
    select jsonb_object_agg(a.attname, c.old_record -> a.attname)
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = c.relation and i.indisprimary and c.old_record is not null)
  from realtime.change c
  join pg_class r on r.oid = c.relation join pg_namespace n on n.oid = r.relnamespace
  where c.id > p_after and case when p_xid is null then c.at >= p_since else c.xid = p_xid end
  order by c.id limit p_max;
end
$$;
comment on function realtime.changes(xid8, timestamptz, bigint, int) is 'Changes in order, with the primary key of the row before the change.';
revoke execute on function realtime.changes(xid8, timestamptz, bigint, int) from public;

-- What the caller may see of some rows of a table: {columns, rows}, rows as their places in the list. Run as the subscriber's own role
-- with the subscriber's claims, and not as a definer. The policies for SELECT are evaluated on the rows as they were at the change: a row that
-- has changed again or is deleted cannot be asked for in its table.
create or replace function realtime.visible(p_table oid, p_rows jsonb, p_column text, p_operator text, p_value text) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns jsonb;
  v_conditions text[] := '{}';
  v_allowed text;
  v_visible jsonb;
begin
  select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname) order by a.attnum) into v_columns
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and has_column_privilege(p_table, a.attnum, 'select');
  if v_columns is null or not has_schema_privilege((select c.relnamespace from pg_class c where c.oid = p_table), 'usage') then
    return jsonb_build_object('columns', '[]'::jsonb, 'rows', '[]'::jsonb);
  end if;

  -- Permissive policies are joined by OR, restrictive ones by AND; without a permissive one nothing is visible.
  if (select c.relrowsecurity from pg_class c where c.oid = p_table)
    and not (select r.rolbypassrls or r.rolsuper from pg_roles r where r.rolname = current_user)
  then
    select string_agg(format('(%s)', pg_get_expr(p.polqual, p.polrelid)), ' or ') filter (where p.polpermissive),
      coalesce(array_agg(pg_get_expr(p.polqual, p.polrelid)) filter (where not p.polpermissive), '{}')
    into v_allowed, v_conditions
    from pg_policy p
    where p.polrelid = p_table and p.polcmd in ('r', '*')
      and (p.polroles = '{0}' or exists (select from unnest(p.polroles) r where pg_has_role(r, 'usage')));
    v_conditions := v_conditions || coalesce(v_allowed, 'false');
  end if;
  if p_column is not null then
    -- A filter on a column that is not there, or that the caller may not read, lets nothing through.
    v_conditions := v_conditions || coalesce((
      select case when p_operator = 'in'
        then format('%I.%I = any (%L::text[]::%s[])', c.relname, a.attname, string_to_array(trim(both '()' from p_value), ','), format_type(a.atttypid, null))
        else format('%I.%I %s %L::%s', c.relname, a.attname, o.sign, p_value, format_type(a.atttypid, null)) end
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = p_column and a.attnum > 0 and not a.attisdropped
      join (values ('eq', '='), ('neq', '<>'), ('lt', '<'), ('lte', '<='), ('gt', '>'), ('gte', '>='), ('in', '=')) o(word, sign) on o.word = p_operator
      where c.oid = p_table and has_column_privilege(p_table, a.attnum, 'select')), 'false');
  end if;

  execute format(
    'select coalesce(jsonb_agg(x.place - 1), ''[]'') from jsonb_array_elements($1) with ordinality x(row, place)
     cross join lateral jsonb_populate_record(null::%1$s, x.row) as %2$I where %3$s',
    p_table::regclass, (select c.relname from pg_class c where c.oid = p_table),
    coalesce((select string_agg(format('(%s)', c), ' and ') from unnest(v_conditions) c), 'true'))
  into v_visible using p_rows;
  return jsonb_build_object('columns', v_columns, 'rows', v_visible);
end
$$;
comment on function realtime.visible(oid, jsonb, text, text, text) is 'Which rows the calling role may select and its filter lets through, and which columns.';
revoke execute on function realtime.visible(oid, jsonb, text, text, text) from public;

grant usage on schema realtime to authenticator, anon, authenticated, service_role;
grant execute on function realtime.follow(text, text), realtime.changes(xid8, timestamptz, bigint, int) to authenticator;
grant execute on function realtime.visible(oid, jsonb, text, text, text) to anon, authenticated, service_role;
