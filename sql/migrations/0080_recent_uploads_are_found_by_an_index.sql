-- The objectives of documents look at the uploads of the last day. A document is uploaded once, so the index costs one entry per document.
create index shell_files_uploaded on public.shell_files (uploaded_at);
