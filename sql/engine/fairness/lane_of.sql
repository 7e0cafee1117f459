create or replace function mill.tenant_of(p_owner uuid, p_group_key text) returns text
language sql immutable
return coalesce(p_owner::text, 'group ' || p_group_key, '');

comment on function mill.tenant_of(uuid, text) is
  'Whose turn a job counts as: its owner''s, so that splitting work over many keys gains nothing; the key''s without an owner.';
revoke execute on function mill.tenant_of(uuid, text) from public;

-- Null in a queue that is neither fair nor capped by group: such jobs are in no lane and pay for none.
create or replace function mill.lane_of(p_dequeue text, p_per_group int, p_owner uuid, p_group_key text) returns text
language sql immutable
return case
  when p_per_group is not null then mill.tenant_of(p_owner, p_group_key) || '/' || coalesce(p_group_key, '')
  when p_dequeue = 'fair' then mill.tenant_of(p_owner, p_group_key)
end;

comment on function mill.lane_of(text, int, uuid, text) is
  'The line a job stands in: its tenant''s, and where groups are capped its tenant''s of that group.';
revoke execute on function mill.lane_of(text, int, uuid, text) from public;
