-- Who acts, and why, where the caller's token does not say it all: {reason, source, actor, email}. Whoever acts for a person sets it for the
-- transaction, and every audit row that the transaction writes has it: those of the engine's hooks too, which know neither person nor reason.
create or replace function mill.acting() returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return nullif(current_setting('mill.acting', true), '')::jsonb;
end
$$;

comment on function mill.acting() is 'Who acts in this transaction, and why, as {reason, source, actor, email}; null where the token alone says it.';
revoke execute on function mill.acting() from public;

create or replace function mill.act_as(p_acting jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('mill.acting', jsonb_strip_nulls(p_acting)::text, true);
  perform set_config('mill.reason', coalesce(p_acting ->> 'reason', ''), true);
end
$$;

comment on function mill.act_as(jsonb) is 'Says who acts until the end of this transaction, and why: for the audit log.';
revoke execute on function mill.act_as(jsonb) from public;
