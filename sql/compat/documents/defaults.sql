insert into mill.settings (key, value, type, description) values
  ('documents.unclaimed_object_seconds', '86400', 'number', 'After this a file in medical-docs that no row of shell_files names is removed')
on conflict (key) do nothing;

insert into mill.cleanup_step (step, description, run, confirm, max_items, place) values
  ('uploads', 'Files in medical-docs that no document names', 'mill.cleanup_uploads', 'mill.confirm_uploads', 200, 41)
on conflict (step) do update set description = excluded.description, run = excluded.run, confirm = excluded.confirm, place = excluded.place;
