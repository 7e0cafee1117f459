-- The trace of whoever enqueued a job is handed to whoever runs it.
alter table mill.job add column traceparent text;
