-- How programs name an object: the key alone in gristmill, BUCKET:KEY in another bucket (sql/files). The paths of shell_files are keys within
-- the document's bucket, because compat clients hand them to storage.from(bucket).
create or replace function mill.object_named(p_bucket text, p_key text) returns text
language sql immutable
return case p_bucket when 'gristmill' then p_key else p_bucket || ':' || p_key end;

comment on function mill.object_named(text, text) is 'The name of an object of a bucket, as programs of ours say it.';
revoke execute on function mill.object_named(text, text) from public;

create or replace function mill.key_within(p_bucket text, p_object text) returns text
language sql immutable
return case when p_bucket <> 'gristmill' and starts_with(p_object, p_bucket || ':') then substr(p_object, length(p_bucket) + 2) else p_object end;

comment on function mill.key_within(text, text) is 'The key of a named object within its bucket.';
revoke execute on function mill.key_within(text, text) from public;
