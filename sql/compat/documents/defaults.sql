insert into mill.settings (key, value, type, description) values
  ('documents.unclaimed_object_seconds', '86400', 'number', 'After this a file in medical-docs that no row of shell_files names is removed')
on conflict (key) do nothing;

-- Files that lay in the bucket before are left alone, whosever they are.
insert into mill.document_bucket (bucket, since) values ('medical-docs', mill.now())
on conflict (bucket) do nothing;

-- The bucket and its policies, now that its rules are there.
select mill.install_storage_policies();
