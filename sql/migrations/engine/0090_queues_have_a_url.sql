-- A queue may be served by a function at any URL; a wake-up may be handed to the function that took the job.
alter table mill.queue
  add column url text,
  drop constraint function_is_named_where_one_serves,
  add constraint function_is_named_where_one_serves check (
    num_nonnulls(function, url) <= 1 and (served_by = 'external' or num_nonnulls(function, url) = (served_by = 'function')::int)),
  add constraint url_is_of_the_web check (url ~ '^https?://[^[:space:]/?#]+[^[:space:]]*$' and length(url) <= 2000);

alter table mill.invocation add column handed_at timestamptz;
