-- A stage that has to wait for its provider goes on behind the pages that it has read.
alter table public.document_pages add column job_id uuid;
