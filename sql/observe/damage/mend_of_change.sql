-- Most things cannot be replaced in place. p_state is what the thing is now, in the words of mill.catalog.
create or replace function mill.mend_of_change(p_was mill.catalog, p_state text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_was.kind
    when 'trigger' then
      case when p_state = p_was.state || ' enabled D' then regexp_replace(p_was.name, '^(.*) on (.*)$', 'alter table \2 enable trigger \1')
        else format('drop trigger %s; %s', p_was.name, p_was.mend) end
    when 'index' then format('drop index %s; %s', p_was.name, p_was.mend)
    when 'constraint' then regexp_replace(p_was.name, '^(.*) on (.*)$', 'alter table \2 drop constraint \1') || '; ' || p_was.mend
    when 'column' then mill.mend_of_column(p_was.name, p_was.state::jsonb, p_state::jsonb)
    else p_was.mend
  end
$$;

comment on function mill.mend_of_change(mill.catalog, text) is 'The SQL that brings a changed thing of the release back to what is on record.';
revoke execute on function mill.mend_of_change(mill.catalog, text) from public;
