-- One person's key must not reach another's row, and clients infer a unique index on the key alone. So each key is stored with its
-- profile before it. A row that is inserted has the client's key; a row that is there has the stored one.
create or replace function mill.document_key(p_profile_id uuid, p_key text) returns text
language sql immutable
return p_profile_id || ':' || p_key;

comment on function mill.document_key(uuid, text) is 'A client''s idempotency key of a profile as it is stored.';
revoke execute on function mill.document_key(uuid, text) from public;

create or replace function mill.own_key() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  new.idempotency_key := mill.document_key(new.patient_id, new.idempotency_key);
  return new;
end
$$;

comment on function mill.own_key() is 'Puts the profile before the key of a new document.';
revoke execute on function mill.own_key() from public;

-- Triggers fire in the order of their names: this one is the last that sees a new row.
drop trigger if exists zz_a_key_belongs_to_its_profile on public.shell_files;
create trigger zz_a_key_belongs_to_its_profile before insert on public.shell_files
  for each row when (new.idempotency_key is not null) execute function mill.own_key();
