create or replace function public.console_set_kind(p_kind text, p_sensitive boolean, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old boolean;
begin
  perform mill.begin_console_action('admin', p_reason);
  select k.sensitive into v_old from mill.kind k where k.kind = p_kind for update;
  if not found then
    raise exception 'there is no kind "%"', left(p_kind, 64) using errcode = 'GM112', hint = 'console_start lists the kinds.';
  end if;
  update mill.kind k set sensitive = p_sensitive where k.kind = p_kind;
  perform mill.audit('kind', p_kind, 'set_kind', p_old => jsonb_build_object('sensitive', v_old), p_new => jsonb_build_object('sensitive', p_sensitive));
  return jsonb_build_object('kind', p_kind, 'sensitive', mill.is_sensitive(p_kind));
end
$$;

comment on function public.console_set_kind(text, boolean, text) is
  'Says whether payloads of a kind are masked; null: as the setting console.payloads says. For admins of the console.';
revoke execute on function public.console_set_kind(text, boolean, text) from public, anon;
grant execute on function public.console_set_kind(text, boolean, text) to authenticated, service_role;
