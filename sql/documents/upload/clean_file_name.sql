-- A name is shown to people and sent in headers. Controls (also CR and LF) could end a header, and marks of direction make "exe.fdp" look like "pdf.exe".
create or replace function mill.clean_file_name(p_name text) returns text
language sql immutable
return nullif(left(btrim(regexp_replace(p_name, E'[\\u0001-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]', '', 'g')), 300), '');

comment on function mill.clean_file_name(text) is 'A file name without controls, invisible characters and marks of direction, of at most 300 characters; null where nothing is left.';
revoke execute on function mill.clean_file_name(text) from public;
