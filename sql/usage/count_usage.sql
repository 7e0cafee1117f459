-- Counts an event once, however often it is reported. When billing is on and the profile is past a limit with it,
-- everything is taken back and the answer is no; two uploads at once cannot both be the last one allowed.
create or replace function mill.count_usage(
  p_profile_id uuid, p_event text, p_once_key text, p_counts jsonb, p_file uuid, p_job uuid default null, p_blocks boolean default true)
returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_over text[] := '{}'::text[];
  v_is_new boolean := true;
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracked": false, "allowed": true, "over": []}'::jsonb;
  end if;

  begin
    insert into mill.usage_event (profile_id, at, event_type, shell_file_id, job_id, counts, once_key)
    values (p_profile_id, v_now, p_event, p_file, p_job, p_counts, p_once_key)
    on conflict (profile_id, event_type, once_key) where once_key is not null do nothing;
    v_is_new := found;
    if v_is_new and p_counts <> '{}' then -- an event that adds nothing locks nothing
      perform mill.add_usage(p_profile_id, p_counts, v_now);
    end if;
    v_over := array(select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(v_now)) m where m.is_over order by 1);
    if v_is_new and p_blocks and v_over <> '{}' and mill.is_enabled('billing') then
      raise exception 'past the plan' using errcode = 'GM023';
    end if;
  exception when sqlstate 'GM023' then
    perform mill.note_limits(p_profile_id, v_over, v_now);
    return jsonb_build_object('tracked', false, 'allowed', false, 'over', v_over);
  end;

  perform mill.note_limits(p_profile_id, v_over, v_now);
  return jsonb_build_object('tracked', v_is_new, 'allowed', true, 'over', v_over,
    'upgrade_prompt', v_over <> '{}' and mill.is_enabled('upgrade_prompts'));
end
$$;

comment on function mill.count_usage(uuid, text, text, jsonb, uuid, uuid, boolean) is
  'Counts one event of a profile: {tracked, allowed, over: [meters], upgrade_prompt}.';
revoke execute on function mill.count_usage(uuid, text, text, jsonb, uuid, uuid, boolean) from public;
