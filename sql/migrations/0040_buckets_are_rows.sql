alter table mill.object_rule add column bucket text not null default 'gristmill';

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
