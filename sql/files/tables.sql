-- Who may reach which object in storage. Objects lie below the id of the user or profile that they belong to: {owner}/….
--
-- What Gristmill stores lies in the bucket gristmill. A part that takes programs of the documented systems opens a bucket of theirs
-- by rules that name it; a bucket without rules is closed to users.
--
-- The storage stand-in asks can_access_object, can_write_object and can_remove_object for each request of a user, and can_reach_object for
-- those to other buckets; on Supabase the policies of storage.objects do. Both ask mill.may_object, and that asks the rules of the applications, which are rows here.
create table mill.object_rule (
  act text not null,
  -- A function (p_key text, p_user uuid) returns boolean: true allows, false refuses whatever other rules say, null leaves it to them.
  routine text not null,
  part text default nullif(current_setting('mill.part', true), ''),
  bucket text not null default 'gristmill',
  primary key (act, routine),
  constraint act_is_known check (act in ('read', 'write', 'remove')),
  constraint routine_is_a_function_of_ours check (routine ~ '^mill\.[a-z_0-9]+$')
);
comment on table mill.object_rule is 'What applications say about users who reach for an object in storage.';
