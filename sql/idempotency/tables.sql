-- Safe retries: what a call under an Idempotency-Key answered, so that the same call answers it again instead of creating a second thing.
--
-- A key belongs to its caller: a user's id, or 'service' for the service key. One transaction creates the thing and writes the row
-- (public.call_once), so a crash leaves both or neither, and a refused call leaves no row. A row counts for 24 hours; the
-- cleanup step "idempotency" deletes it afterwards.
create table mill.idempotency_key (
  caller text not null,
  key text not null,
  -- The digest of what was asked. The request itself is not kept.
  request bytea not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (caller, key),
  constraint key_has_1_to_255_characters check (length(key) between 1 and 255),
  constraint request_is_a_sha256 check (length(request) = 32)
);
create index idempotency_key_by_age on mill.idempotency_key (created_at);
comment on table mill.idempotency_key is 'Answers of calls that were made under an Idempotency-Key, kept for 24 hours.';

-- Which exposed functions may be called under a key: rows, so that a part adds its own with an INSERT. Each is SECURITY DEFINER
-- and asks auth.uid() who calls, because mill.call_repeatable calls it with the rights of our owner.
create table mill.repeatable_call (
  function text primary key,
  -- Where an answer has this, something was created and the answer is kept. An answer without it is a refusal: a retry is tried anew.
  created jsonpath not null default '$',
  -- The part that brought the function: it is looked for in the schema of that part.
  part text default nullif(current_setting('mill.part', true), ''),
  constraint function_is_a_plain_name check (function ~ '^[a-z_][a-z0-9_]{0,62}$')
);
comment on table mill.repeatable_call is 'Exposed functions that call_once may call.';
