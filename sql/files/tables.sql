-- Who may reach which object in storage. Objects lie below the id of the user or profile that they belong to: {owner}/….
--
-- The storage stand-in asks can_access_object, can_write_object and can_remove_object for each request of a user; on Supabase the
-- policies of storage.objects do. Both ask mill.may_object, and that asks the rules of the applications, which are rows here.
--
-- An object of the bucket gristmill is named by its key alone, in every column and call of ours. An object of another bucket is named
-- BUCKET:KEY. No key has a colon.
create table mill.object_rule (
  -- replace: of an object that is there, by the service; users replace nothing.
  act text not null,
  -- A function (p_key text, p_user uuid) returns boolean: true allows, false refuses whatever other rules say, null leaves it to them.
  routine text not null,
  part text default nullif(current_setting('mill.part', true), ''),
  -- The rule is asked about keys of this bucket alone, and without its name.
  bucket text not null default 'gristmill',
  primary key (act, routine),
  constraint act_is_known check (act in ('read', 'write', 'remove', 'replace')),
  constraint routine_is_a_function_of_ours check (routine ~ '^mill\.[a-z_0-9]+$')
);
comment on table mill.object_rule is 'What applications say about users who reach for an object in storage.';

create table mill.bucket (
  bucket text primary key,
  description text not null,
  part text default nullif(current_setting('mill.part', true), ''),
  constraint bucket_is_a_plain_name check (bucket ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
comment on table mill.bucket is 'The buckets that applications have. The storage stand-in serves these; on Supabase they are made.';
insert into mill.bucket (bucket, description) values ('gristmill', 'What our own functions and worker store');

create table mill.stored_object (
  object text primary key,
  size bigint not null,
  content_type text not null,
  stored_at timestamptz not null
);
comment on table mill.stored_object is 'What lies in buckets other than gristmill, as the storage stand-in says. Supabase has storage.objects instead.';
create index stored_object_age on mill.stored_object (stored_at);
