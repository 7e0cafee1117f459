-- The fields of a kind as a definition has them.
create or replace function mill.kind_definition(p_kind mill.kind) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('queue', p_kind.queue, 'description', p_kind.description, 'open_to_users', p_kind.open_to_users, 'max_attempts', p_kind.max_attempts,
    'schema', p_kind.schema,
    'unique', case when p_kind.unique_by is not null then jsonb_build_object('by', p_kind.unique_by, 'within_seconds', p_kind.unique_within_seconds) end)
$$;

comment on function mill.kind_definition(mill.kind) is 'A kind in the form of register_jobs.';
revoke execute on function mill.kind_definition(mill.kind) from public;

-- A kind with the fields of a definition; what the definition leaves out stays.
create or replace function mill.kind_from_definition(p_kind mill.kind, p_definition jsonb, p_place text) returns mill.kind
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kind mill.kind := jsonb_populate_record(p_kind, p_definition - 'unique' - 'schema');
  v_unique jsonb := p_definition -> 'unique';
begin
  if p_definition ? 'schema' then
    v_kind.schema := nullif(p_definition -> 'schema', 'null');
    v_kind.compiled_schema := mill.compile_schema(v_kind.schema);
  end if;
  if v_unique in ('null', 'false') then
    v_kind.unique_by := null;
    v_kind.unique_within_seconds := null;
  elsif v_unique is not null then
    perform mill.check_unique(v_unique, mill.pointer(p_place, 'unique'));
    v_kind.unique_by := array(select jsonb_array_elements_text(v_unique -> 'by'));
    v_kind.unique_within_seconds := (v_unique ->> 'within_seconds')::int;
  end if;
  return v_kind;
end
$$;

comment on function mill.kind_from_definition(mill.kind, jsonb, text) is 'A kind as a definition asks for it. For mill.register_kind alone.';
revoke execute on function mill.kind_from_definition(mill.kind, jsonb, text) from public;

create or replace function mill.check_unique(p_unique jsonb, p_place text) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.is_unique_option(p_unique) then
    perform mill.refuse_definition_of(p_place, 'must be {"by": names of fields, "within_seconds": 1 to 31536000}');
  end if;
end
$$;

comment on function mill.check_unique(jsonb, text) is 'Raises GM013 for a unique that says nothing.';
revoke execute on function mill.check_unique(jsonb, text) from public;

create or replace function mill.register_kind(p_definition jsonb, p_place text, p_force boolean) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old mill.kind;
  v_new mill.kind;
  v_asked jsonb;
  v_merged record;
  v_text text;
begin
  perform mill.check_definition_fields(p_definition, array['kind', 'queue', 'description', 'open_to_users', 'max_attempts', 'schema', 'unique'], p_place);
  select k.* into v_old from mill.kind k where k.kind = p_definition ->> 'kind' for update;
  if not found then
    insert into mill.kind (kind, queue) values (p_definition ->> 'kind', p_definition ->> 'queue') returning * into v_old;
  elsif v_old.registered is null then
    raise exception 'the kind "%" was not made by register_jobs', v_old.kind using errcode = 'GM012', detail = p_place, hint = 'Take another name.';
  end if;

  v_new := mill.kind_from_definition(v_old, p_definition, p_place);
  v_asked := (select coalesce(jsonb_object_agg(a.key, mill.kind_definition(v_new) -> a.key), '{}') from jsonb_object_keys(p_definition - 'kind') as a(key));
  v_merged := mill.merge_registered(mill.kind_definition(v_old), v_old.registered, v_asked, '{}', p_force or v_old.registered is null);
  if v_old.registered is null or v_merged.changes <> '{}' then
    v_new := mill.kind_from_definition(v_old, v_merged.changes, p_place);
    update mill.kind k set queue = v_new.queue, description = v_new.description, open_to_users = v_new.open_to_users, max_attempts = v_new.max_attempts,
      schema = v_new.schema, unique_by = v_new.unique_by, unique_within_seconds = v_new.unique_within_seconds,
      registered = coalesce(v_old.registered, mill.kind_definition(v_new)) || v_merged.changes
    where k.kind = v_old.kind;
  end if;
  return jsonb_build_object('kept', v_merged.kept, 'status',
    case when v_old.registered is null then 'created' when v_merged.changes <> '{}' then 'updated' else 'unchanged' end);
exception
  when check_violation or not_null_violation then
    get stacked diagnostics v_text = constraint_name;
    perform mill.refuse_definition_of(p_place, coalesce(nullif(replace(v_text, '_', ' '), ''), sqlerrm));
  when invalid_text_representation or numeric_value_out_of_range then
    perform mill.refuse_definition_of(p_place, 'has a value of another type: ' || sqlerrm);
  when sqlstate 'GM013' then
    get stacked diagnostics v_text = pg_exception_detail;
    raise exception '%', sqlerrm using errcode = 'GM013', hint = 'docs/protocol.md says what a definition may have.',
      detail = case when starts_with(v_text, p_place || '/') then v_text else p_place || '/schema' || v_text end;
end
$$;

comment on function mill.register_kind(jsonb, text, boolean) is 'Creates or updates a kind from its definition. For register_jobs alone.';
revoke execute on function mill.register_kind(jsonb, text, boolean) from public;
